"""HTML around the text of a PART's page: its state above, its drop below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from generator.library import Entry, Library
from generator.markdown.safe_markdown import drop_html
from generator.model import Drop, PageUri
from generator.views.index import PROGRESS, anchor
from generator.views.labels import LABELS, MEANINGS, against_budget
from generator.views.statements import Statement
from generator.views.template import render_template


def banner(entry: Entry, url_of: Callable[[str], str]) -> str:
    """Return the line below a page's title. `url_of` returns a page's address relative to it."""
    length = against_budget(entry.page.lines, entry.part.lines_budget) if entry.page else ""
    return render_template(
        "banner.html",
        entry=entry,
        label=LABELS[entry.state],
        meaning=MEANINGS[entry.state],
        length=length,
        plan_href=f"{url_of(PROGRESS)}#{anchor(entry.plan.slug)}",
    )


def statements_list(said: Sequence[Statement]) -> str:
    """Return the statements that the page was generated, reviewed or verified, as a list; empty if there are none."""
    return render_template("statements.html", statements=said) if said else ""


def folded_drop(drop: Drop) -> str:
    """Return a page's KNOWLEDGE DROP, folded."""
    return render_template("drop.html", drop=drop, body=Markup(drop_html(drop)))  # noqa: S704 - rendered with html off


def backlinks_line(library: Library, uri: str, url_of: Callable[[str], str]) -> str:
    """Return the pages that link to the page `uri`, as one line; empty if there are none."""
    rows = []
    for edge in library.backlinks.get(uri, ()):
        page, entry = library.page_by_uri.get(edge.source), library.by_uri.get(PageUri(edge.source))
        title = page.title if page else entry.title if entry else edge.source
        rows.append((title, url_of(edge.source), edge.kind))
    return render_template("backlinks.html", rows=rows) if rows else ""


def with_banner(body: str, above: str, below: str) -> str:
    """`body`, the HTML of a page's text, with `above` behind its first heading (or first), and `below` at its end."""
    end = body.find("</h1>")
    at = end + len("</h1>") if end >= 0 else 0
    return f"{body[:at]}\n{above}{body[at:]}{below}"


def completed_meta(entry: Entry) -> dict[str, object]:
    """Return metadata that the plan and the disk add to a PART's page; values of its author take precedence.

    The title is left to MkDocs, which takes it from the page's first heading.
    """
    part = entry.part
    meta: dict[str, object] = {
        "description": entry.description,
        "plan": entry.plan.slug,
        "part": part.number,
        "state": entry.state.value,
    }
    if part.lines_budget:
        meta["lines_budget"] = [part.lines_budget.low, part.lines_budget.high]
    if entry.page:
        meta["lines"] = entry.page.lines
    if part.completed:
        meta["completed"] = part.completed
    return {key: value for key, value in meta.items() if value not in ("", None)}
