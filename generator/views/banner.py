"""HTML around the text of a page: the state of its PART above, its drop below; fixes empty table headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from generator.library import Entry, Library
from generator.markdown.safe_markdown import drop_html
from generator.model import Drop, State
from generator.views.checks import Statement
from generator.views.index import PROGRESS, anchor
from generator.views.labels import LABELS, MEANINGS, against_budget, page_title
from generator.views.template import render_template


@dataclass(frozen=True, slots=True)
class BannerValues:
    """The facts that a banner shows."""

    state: State
    is_amiss: bool
    has_page: bool
    number: int
    plan_title: str
    plan_href: str
    length: str
    completed: str | None


@dataclass(frozen=True, slots=True)
class Incoming:
    """An incoming link."""

    title: str
    href: str
    kind: Literal["link", "plan"]


def banner_values(entry: Entry, url_of: Callable[[str], str]) -> BannerValues:
    """Return the facts for the line below a page's title. `url_of` returns a page's address relative to it."""
    part, page = entry.part, entry.page
    length = against_budget(page.lines, part.lines_budget) if page else ""
    href = f"{url_of(PROGRESS)}#{anchor(entry.plan.slug)}"
    is_there = page is not None
    return BannerValues(
        entry.state, entry.is_amiss, is_there, part.number, entry.plan.title, href, length, part.completed
    )


def banner(values: BannerValues) -> str:
    """Return the line below a page's title."""
    label, meaning = LABELS[values.state], MEANINGS[values.state]
    return render_template("banner.html", values=values, label=label, meaning=meaning)


def statements_list(said: Sequence[Statement]) -> str:
    """Return the statements that the page was generated, reviewed or verified, as a list; empty if there are none."""
    return render_template("statements.html", statements=said) if said else ""


def folded_drop(drop: Drop) -> str:
    """Return a page's KNOWLEDGE DROP, folded."""
    return render_template("drop.html", drop=drop, body=Markup(drop_html(drop)))  # noqa: S704 - rendered with html off


def incoming(library: Library, uri: str, url_of: Callable[[str], str]) -> tuple[Incoming, ...]:
    """Return the pages that link to the page `uri`."""
    edges = library.backlinks.get(uri, ())
    return tuple(Incoming(page_title(library, e.source), url_of(e.source), e.kind) for e in edges)


def backlinks_line(rows: Sequence[Incoming]) -> str:
    """Return the pages that link to a page, as one line; empty if there are none."""
    return render_template("backlinks.html", rows=rows) if rows else ""


def with_banner(body: str, above: str, below: str) -> str:
    """Return `body`, a page's HTML, with `above` after its first heading, or at the start, and `below` at the end."""
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


_EMPTY_HEADER = re.compile(r"<th((?:\s[^<>]*)?)>\s*</th>")


def without_empty_headers(html: str) -> str:
    """Return a page's HTML with empty header cells of tables replaced by data cells.

    Markdown has only header cells in its first row; one without text is announced as a header without a name
    (https://dequeuniversity.com/rules/axe/4.10/empty-table-header).
    """
    return _EMPTY_HEADER.sub(r"<td\1></td>", html) if "</th>" in html else html
