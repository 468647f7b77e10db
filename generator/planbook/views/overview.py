"""The page on the state of a base for its readers.

How much is here, how fresh, what changed last, what is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from operator import itemgetter

from planbook.citations.grounds import Ground
from planbook.citations.report import SourceStatus
from planbook.library import (
    COUNTED_STATES,
    INDEX,
    OVERVIEW,
    PROGRESS,
    SOURCES,
    Entry,
    Library,
    group_by,
)
from planbook.library.names import natural_order
from planbook.markdown.plain_text import count
from planbook.markdown.safe_markdown import inline
from planbook.model import EXCLUDED_STATES, UNFINISHED_STATES, Page, PageUri
from planbook.views import template
from planbook.views.bibliography.works import WorkResult, results_by_work
from planbook.views.checks import PageCheck, count_checked, is_checked
from planbook.views.folders import FolderIndex
from planbook.views.home import finished_day
from planbook.views.statements import is_reviewed
from planbook.views.written import summary, unplanned_pages

MAX_LISTED_PAGES, MAX_NEW_PAGES, MAX_SQUARES = 10, 10, 64
"""The number of pages in each list, of new ones, and of squares for a subject."""
MIN_DAYS, MAX_DAYS = 14, 30
"""The days that the picture of the last changes shows."""


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A written page, as the picture shows it."""

    title: str
    href: str
    day: str
    """The day on which it was finished; empty if none is known."""
    checked: int
    """The number of works it cites whose text was read."""
    works: int
    """The number of works it cites that can be read."""

    @property
    def share(self) -> float:
        """The share of its works whose text was read."""
        return self.checked / self.works if self.works else 0.0

    @property
    def kind(self) -> str:
        """``checked`` if all of its works were, ``unchecked`` if none was, ``plain`` without works.

        Else ``written``.
        """
        if not self.works:
            return "plain"
        if self.checked == self.works:
            return "checked"
        return "written" if self.checked else "unchecked"


@dataclass(frozen=True, slots=True)
class Subject:
    """The pages of one plan, as the picture shows them."""

    title: str
    pages: tuple[WrittenPage, ...]
    open: int
    collected: int
    """The number of its pages that are collected passages: nobody has written them."""
    checked: int
    """The number of works that its pages cite whose text was read, each once."""
    works: int

    @property
    def squares(self) -> tuple[WrittenPage | None, ...]:
        """The pages in the order of the list; ``None`` for each that is to be written.

        They are as many as there is room for.
        """
        return (*self.pages, *[None] * self.open)[:MAX_SQUARES]

    @property
    def newest(self) -> str:
        """The day on which a page of it was finished last; empty if none has a day."""
        return max((page.day for page in self.pages), default="")

    @property
    def total(self) -> int:
        """The number of its pages."""
        return len(self.pages) + self.open


@dataclass(frozen=True, slots=True)
class Day:
    """One day of the picture of the last changes."""

    day: str
    pages: int
    """The number of pages that were finished on it."""
    works: int
    """The number of works that were checked last on it."""


def overview_page(
    library: Library,
    checks: Mapping[str, PageCheck],
    url_from: template.UrlFrom | None = None,
    folders: Sequence[FolderIndex] = (),
) -> str:
    """Return the whole page.

    Args:
        library: the base.
        checks: the valid results of ``planbook verify``, by page.
        url_from: the addresses of pages; without them, the page has no picture.
        folders: those of the base, whose pages count as its own.
    """
    base = _OverviewBase.of(library, checks, folders)
    newest = base.newest
    waiting = [
        entry for entry in base.entries if not entry.page and entry.state not in EXCLUDED_STATES
    ]
    collected = [_link_to_entry(entry) for entry in base.entries if entry.is_collected]
    citing = [page for page in base.own_pages if page.references]
    return template.render_markdown(
        "overview.md",
        summary=_summary(library, checks),
        chart=_picture(base, url_from(OVERVIEW)) if url_from else "",
        month=_name_of_month(base.month),
        newest=_days_of(newest[:MAX_NEW_PAGES]),
        more_new=max(0, len(newest) - MAX_NEW_PAGES),
        waiting=_lines_of_entries(waiting),
        more_open=max(0, len(waiting) - MAX_LISTED_PAGES),
        collected=collected[:MAX_LISTED_PAGES],
        questions=_questions(library.pages),
        all_questions=_number_of_questions(library.pages),
        unchecked=base.unchecked,
        unreviewed=len(citing) if not any(map(is_reviewed, citing)) else 0,
        has_plans=bool(library.plans),
        plans=template.link(PROGRESS),
        all_pages=f"{template.link(INDEX)}#written-pages",
        sources=template.link(SOURCES),
    )


@dataclass(frozen=True, slots=True)
class _OverviewBase:
    """The base as the overview reads it."""

    library: Library
    checks: Mapping[str, PageCheck]
    entries: Sequence[Entry]
    """The entries of plans that count, in the order of their paths."""
    unplanned: Sequence[Page]
    """The written pages that are in no plan."""
    own_pages: Sequence[Page]
    """The pages of its folders."""
    results: Mapping[str, WorkResult]
    """The works that its own pages cite."""
    dated: Sequence[tuple[str, str]]
    """The day and a link of each written page, the newest first."""

    @classmethod
    def of(
        cls, library: Library, checks: Mapping[str, PageCheck], folders: Sequence[FolderIndex]
    ) -> _OverviewBase:
        """Return the base of a library; `folders` have the pages that count as its own."""
        counted_entries = (
            entry for entry in library.by_uri.values() if entry.state in COUNTED_STATES
        )
        entries = sorted(counted_entries, key=lambda entry: natural_order(entry.uri))
        unplanned = _unplanned_pages(library)
        own_uris = {uri for folder in folders for uri in folder.uris}
        own_pages = [page for page in library.pages if page.uri in own_uris]
        dated = [(finished_day(entry), _link_to_entry(entry)) for entry in entries if entry.page]
        dated += [(page.created, _link_to_entry(page)) for page in unplanned]
        dated.sort(key=itemgetter(0), reverse=True)
        results = results_by_work(own_pages, checks)
        return cls(library, checks, entries, unplanned, own_pages, results, dated)

    @property
    def month(self) -> str:
        """The month of the last page, as ``2026-11``; empty if no page has a day."""
        return self.dated[0][0][:7] if self.dated else ""

    @property
    def newest(self) -> list[tuple[str, str]]:
        """The pages of that month."""
        return [
            (day, link) for day, link in self.dated if self.month and day.startswith(self.month)
        ]

    @property
    def unchecked(self) -> int:
        """The number of works that nobody has checked."""
        return sum(result.status is SourceStatus.UNCHECKED for result in self.results.values())


def _name_of_month(month: str) -> str:
    return template.month_of(f"{month}-01") if month else ""


def _unplanned_pages(library: Library) -> list[Page]:
    """Return the written pages that are in no plan, as the home page shows them."""
    uris = {page.uri for page in unplanned_pages(library)}
    return [page for page in library.pages if page.uri in uris]


def _subject_without_plan(
    pages: Sequence[Page], checks: Mapping[str, PageCheck], url_of: Callable[[str], str]
) -> Subject:
    checked, works = count_checked(
        result.status for result in results_by_work(pages, checks).values()
    )
    return Subject(
        title="Pages without a plan",
        pages=tuple(
            _written_page(page.title, page.created, page, checks, url_of) for page in pages
        ),
        open=0,
        collected=0,
        checked=checked,
        works=works,
    )


def _subject(
    entries: Sequence[Entry], checks: Mapping[str, PageCheck], url_of: Callable[[str], str]
) -> Subject:
    written = [(entry, entry.page) for entry in entries if entry.page]
    results = results_by_work((page for _, page in written), checks).values()
    checked, works = count_checked(result.status for result in results)
    return Subject(
        title=entries[0].plan.title,
        pages=tuple(
            _written_page(entry.title, finished_day(entry), page, checks, url_of)
            for entry, page in written
        ),
        open=len(entries) - len(written),
        collected=sum(entry.is_collected for entry in entries),
        checked=checked,
        works=works,
    )


def _written_page(
    title: str,
    day: str,
    page: Page,
    checks: Mapping[str, PageCheck],
    url_of: Callable[[str], str],
) -> WrittenPage:
    results = results_by_work([page], checks).values()
    checked, works = count_checked(result.status for result in results)
    return WrittenPage(title, url_of(page.uri), day, checked, works)


def _summary(library: Library, checks: Mapping[str, PageCheck]) -> str:
    if not library.plans:
        return f"{count(len(library.pages), 'page')}, and no plans for more."
    days = sorted(check.day for check in checks.values() if check.day)
    pages = summary(library)
    if not days:
        return f"{pages} Their sources were not checked yet."
    return f"{pages} Their sources were checked last on {template.reader_day(days[-1])}."


def _picture(base: _OverviewBase, url_of: Callable[[str], str]) -> str:
    """Return the picture of what is here as HTML; empty if no page is planned."""
    checks = base.checks
    by_plan = group_by(base.entries, lambda entry: entry.plan.uri)
    subjects = [_subject(of_plan, checks, url_of) for of_plan in by_plan.values()]
    if not any(subject.total for subject in subjects):
        return ""
    shown = [*subjects, _subject_without_plan(base.unplanned, checks, url_of)]
    finished = [page.day for subject in shown for page in subject.pages if page.day]
    results = base.results.values()
    checked, works = count_checked(result.status for result in results)
    read_days = [result.day for result in results if result.day and is_checked(result.status)]
    kinds = {page.kind for subject in shown for page in subject.pages}
    if any(subject.open for subject in subjects):
        kinds.add("open")
    this_month = [day for day in finished if base.month and day.startswith(base.month)]
    return template.render_block(
        "overview.html",
        subjects=subjects,
        shown=shown,
        kinds=kinds,
        checked=checked,
        works=works,
        without_plan=len(base.unplanned),
        last_check=max(read_days, default=""),
        this_month=len(this_month),
        month=_name_of_month(base.month),
        days=_last_days(finished, read_days),
        questions=_number_of_questions(base.library.pages),
        sources=url_of(SOURCES),
    )


def _last_days(finished: Iterable[str], read_days: Iterable[str]) -> tuple[Day, ...]:
    """Return the days up to the last change; empty if no day is known."""
    pages, works = Counter(finished), Counter(read_days)
    known = sorted(day for day in {*pages, *works} if _is_day(day))
    if not known:
        return ()
    first, last = date.fromisoformat(known[0]), date.fromisoformat(known[-1])
    length = max(MIN_DAYS, min(MAX_DAYS, (last - first).days + 1))
    days = [str(last - timedelta(days=length - 1 - n)) for n in range(length)]
    return tuple(Day(day, pages[day], works[day]) for day in days)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _number_of_questions(pages: Iterable[Page]) -> int:
    return sum(dict(page.grounds).get(Ground.NOT_FOUND, 0) for page in pages)


def _questions(pages: Iterable[Page]) -> list[str]:
    """Return pages with sentences that no source answers, as links with the number of these."""
    open_ = [(page, dict(page.grounds).get(Ground.NOT_FOUND, 0)) for page in pages]
    return [
        f"[{inline(page.title)}]({template.link(page.uri)}), {count(n, 'question')}"
        for page, n in open_
        if n
    ][:MAX_LISTED_PAGES]


def _days_of(dated: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Return the days on which the pages were finished, each with its pages as links."""
    by_day = groupby(dated, key=itemgetter(0))
    return [(template.reader_day(day), [link for _, link in of_day]) for day, of_day in by_day]


def _lines_of_entries(entries: Sequence[Entry]) -> list[str]:
    """Return the first of the pages as links, each with what it is about."""
    return [_line_of_entry(entry) for entry in entries[:MAX_LISTED_PAGES]]


def _line_of_entry(entry: Entry) -> str:
    about = f": {inline(entry.description)}" if entry.description else ""
    is_missing = entry.state not in UNFINISHED_STATES
    missing = f" (its plan marks it as {entry.state}, and there is no page)" if is_missing else ""
    return f"{_link_to_entry(entry)}{about}{missing}"


def _link_to_entry(entry: Entry | Page) -> str:
    return f"[{inline(entry.title)}]({template.link(PageUri(entry.uri))})"
