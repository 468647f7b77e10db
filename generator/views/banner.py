"""HTML around the text of a page: its state above, incoming links below; fixes empty table headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from generator.library import Entry, Library
from generator.model import PageUri, State
from generator.views.checks import Statement, day_of
from generator.views.index import PROGRESS, anchor
from generator.views.labels import against_budget, page_title
from generator.views.reports import report_anchor
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
    report_href: str
    """The address of the report of its last run; empty if there is none."""
    report_day: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """An incoming link."""

    title: str
    href: str
    kind: Literal["link", "plan"]


def banner_values(entry: Entry, url_of: Callable[[str], str], reports: PageUri | None = None) -> BannerValues:
    """Return the facts on a page's PART; `url_of` returns addresses relative to it, `reports` has the plan's drops."""
    part, page, drop = entry.part, entry.page, entry.drop
    return BannerValues(
        entry.state,
        entry.is_amiss,
        page is not None,
        part.number,
        entry.plan.title,
        f"{url_of(PROGRESS)}#{anchor(entry.plan.slug)}",
        against_budget(page.lines, part.lines_budget) if page else "",
        part.completed,
        f"{url_of(reports)}#{report_anchor(drop)}" if drop and reports else "",
        day_of(drop.timestamp) if drop else "",
    )


def page_status(values: BannerValues | None, said: Sequence[Statement]) -> str:
    """Return the line below a page's title: its making, review and verification, else its PART; the rest is folded."""
    return render_template("banner.html", values=values, statements=said)


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
