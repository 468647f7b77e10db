"""HTML around the text of a page: its state above, incoming links below."""

from __future__ import annotations

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

MOST_SHOWN = 20
"""The number of neighbours of each kind that are not folded."""


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
class Neighbour:
    """A page that links to another one, or that it links to."""

    title: str
    href: str
    kind: Literal["link", "plan"]
    is_written: bool = True


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The pages around a page."""

    incoming: tuple[Neighbour, ...]
    outgoing: tuple[Neighbour, ...]


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


def neighbours(library: Library, uri: str, url_of: Callable[[str], str]) -> Neighbours:
    """Return the pages that link to the page `uri`, and those of the base that it links to."""

    def row(other: str, kind: Literal["link", "plan"]) -> Neighbour:
        return Neighbour(page_title(library, other), url_of(other), kind, other in library.page_by_uri)

    into = tuple(row(edge.source, edge.kind) for edge in library.backlinks.get(uri, ()))
    return Neighbours(into, tuple(row(e.target, e.kind) for e in library.onward.get(uri, ())))


def neighbours_list(around: Neighbours) -> str:
    """Return the links to and from a page as HTML; empty if there are none."""
    kinds = [("Linked from", around.incoming), ("Links to", around.outgoing)]
    return render_template("neighbours.html", kinds=kinds, most=MOST_SHOWN) if any(rows for _, rows in kinds) else ""


def with_banner(body: str, above: str, below: str) -> str:
    """Return `body`, a page's HTML, with `above` after its first heading, or at the start, and `below` at the end."""
    title, end, text = body.partition("</h1>")
    return f"{title}{end}\n{above}{text}{below}" if end else f"\n{above}{body}{below}"


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
