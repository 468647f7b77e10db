"""The page on the state of a base for its readers.

How much is here, how fresh, what changed last, what is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from planbook.citations.grounds import Ground
from planbook.library import COUNTED, OVERVIEW, PROGRESS, Entry, Library, group_by
from planbook.library.names import natural_order
from planbook.markdown.plain_text import count, number
from planbook.markdown.safe_markdown import inline
from planbook.model import Page, State
from planbook.views import template
from planbook.views.checks import PageCheck, sources_in_order
from planbook.views.home import finished_day

MOST_LISTED, MOST_SQUARES, IN_A_ROW = 10, 64, 8
"""The number of pages in each list, of squares for a subject, and of those side by side."""
_TO_DO = frozenset({State.OPEN, State.PARTIAL, State.UNMARKED})


@dataclass(frozen=True, slots=True)
class Subject:
    """The pages of one plan, as the picture shows them."""

    title: str
    href: str
    """The address of its first written page; empty if there is none."""
    shares: tuple[float, ...]
    """For each written page, the share of its sources that were read, with each quote in its place;
    the best first."""
    open: int
    in_order: int
    """The number of sources of its pages that are in order, of those that can be checked."""
    sources: int
    newest: str
    """The day on which a page of it was finished last; empty if none has a day."""

    @property
    def squares(self) -> tuple[tuple[str, float], ...]:
        """The kind of each page, and the share of its sources; as many as there is room for."""
        written = [("checked" if share == 1 else "written", share) for share in self.shares]
        return (*written, *[("open", 0.0)] * self.open)[:MOST_SQUARES]

    @property
    def percent(self) -> int:
        """The share of its sources that are in order, rounded down: 100 are all of them."""
        return int(100 * self.in_order / self.sources) if self.sources else 0

    @property
    def total(self) -> int:
        """The number of its pages."""
        return len(self.shares) + self.open


def overview_page(
    library: Library, checks: Mapping[str, PageCheck], url_from: template.UrlFrom | None = None
) -> str:
    """Return the whole page; `checks` has the valid results of ``planbook verify``, by page.

    Without `url_from`, it has no picture.
    """
    counted = (entry for entry in library.by_uri.values() if entry.state in COUNTED)
    entries = sorted(counted, key=lambda entry: natural_order(entry.uri))
    by_plan = group_by(entries, lambda entry: entry.plan.uri)
    url_of = url_from(OVERVIEW) if url_from else str
    subjects = [_subject(of_plan, checks, url_of) for of_plan in by_plan.values()]
    dated = sorted((entry for entry in entries if entry.page), key=finished_day, reverse=True)
    month = finished_day(dated[0])[:7] if dated else ""
    newest = [entry for entry in dated if month and finished_day(entry).startswith(month)]
    waiting = [entry for entry in entries if not entry.page and entry.state in _TO_DO]
    return template.render_markdown(
        "overview.md",
        summary=_summary(entries, library, checks),
        chart=_chart(subjects) if url_from else "",
        month=template.month_of(f"{month}-01") if month else "",
        newest=_lines(newest),
        more_new=max(0, len(newest) - MOST_LISTED),
        waiting=_lines(waiting),
        more_open=max(0, len(waiting) - MOST_LISTED),
        questions=_questions(library.pages),
        has_plans=bool(library.plans),
        plans=template.link(PROGRESS),
    )


def _subject(
    entries: Sequence[Entry], checks: Mapping[str, PageCheck], url_of: Callable[[str], str]
) -> Subject:
    written_entries = [entry for entry in entries if entry.page]
    counts = [sources_in_order(e.page, checks.get(e.uri)) for e in written_entries if e.page]
    shares = sorted((good / total if total else 0.0 for good, total in counts), reverse=True)
    return Subject(
        title=entries[0].plan.title,
        href=url_of(written_entries[0].uri) if written_entries else "",
        shares=tuple(shares),
        open=len(entries) - len(written_entries),
        in_order=sum(good for good, _ in counts),
        sources=sum(total for _, total in counts),
        newest=max(map(finished_day, written_entries), default=""),
    )


def _summary(entries: Sequence[Entry], library: Library, checks: Mapping[str, PageCheck]) -> str:
    written = sum(bool(entry.page) for entry in entries)
    if not entries:
        return f"{count(len(library.pages), 'page')}, and no plans for more."
    are = "is" if len(entries) == 1 else "are"
    sentence = f"**{number(written)} of {count(len(entries), 'planned page')}** {are} written."
    days = sorted(check.day for check in checks.values() if check.day)
    if not days:
        return f"{sentence} Their sources were not checked yet."
    when = template.reader_day(days[-1])
    return f"{sentence} Their sources were checked last on {when}."


def _chart(subjects: Iterable[Subject]) -> str:
    with_pages = [subject for subject in subjects if subject.total]
    return (
        template.render_block("overview.html", subjects=with_pages, in_a_row=IN_A_ROW)
        if with_pages
        else ""
    )


def _questions(pages: Iterable[Page]) -> list[str]:
    """Return pages with sentences that no source answers, as links with the number of these."""
    open_ = [(page, dict(page.grounds).get(Ground.NOT_FOUND, 0)) for page in pages]
    return [
        f"[{inline(page.title)}]({template.link(page.uri)}): {number(n)}" for page, n in open_ if n
    ][:MOST_LISTED]


def _lines(entries: Sequence[Entry]) -> list[str]:
    """Return the first of the pages as links, each with its day and what it is about."""
    return [_line(entry) for entry in entries[:MOST_LISTED]]


def _line(entry: Entry) -> str:
    day = template.reader_day(finished_day(entry)) if entry.page else ""
    about = f": {inline(entry.description)}" if entry.description else ""
    return f"[{inline(entry.title)}]({template.link(entry.uri)}){f', {day}' if day else ''}{about}"
