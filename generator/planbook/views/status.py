"""The page on the state of a base for its readers.

How much is here, how fresh, what changed last, what is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planbook.library import COUNTED, PROGRESS, STATUS, Entry, Library, group_by
from planbook.library.names import natural_order
from planbook.markdown.plain_text import count, number
from planbook.markdown.safe_markdown import inline
from planbook.model import State
from planbook.views import template
from planbook.views.checks import PageCheck, has_every_quote
from planbook.views.index import anchor, finished_day

MOST_LISTED, MOST_SQUARES = 10, 60
"""The number of pages in each list, and of squares in a row of the picture."""
_TO_DO = frozenset({State.OPEN, State.PARTIAL, State.UNMARKED})


@dataclass(frozen=True, slots=True)
class Subject:
    """The pages of one plan, as the picture shows them."""

    title: str
    href: str
    checked: int
    """The number of written pages whose sources were all read, with each quote in its place."""
    written: int
    """The number of other written pages."""
    open: int
    newest: str
    """The day on which a page of it was finished last; empty if none has a day."""

    @property
    def squares(self) -> tuple[str, ...]:
        """The kind of each page, as many as a row has room for."""
        kinds = (*["checked"] * self.checked, *["written"] * self.written, *["open"] * self.open)
        return kinds[:MOST_SQUARES]

    @property
    def total(self) -> int:
        """The number of its pages."""
        return self.checked + self.written + self.open


def status_page(
    library: Library, checks: Mapping[str, PageCheck], url_from: template.UrlFrom | None = None
) -> str:
    """Return the whole page; `checks` has the valid results of ``planbook verify``, by page.

    Without `url_from`, it has no picture.
    """
    every = (entry for entry in library.by_uri.values() if entry.state in COUNTED)
    entries = sorted(every, key=lambda entry: natural_order(entry.uri))
    by_plan = group_by(entries, lambda entry: entry.plan.uri)
    url_of = url_from(STATUS) if url_from else str
    subjects = [_subject(found, checks, url_of(PROGRESS)) for found in by_plan.values()]
    dated = sorted((entry for entry in entries if entry.page), key=finished_day, reverse=True)
    month = finished_day(dated[0])[:7] if dated else ""
    newest = [entry for entry in dated if month and finished_day(entry).startswith(month)]
    waiting = [entry for entry in entries if not entry.page and entry.state in _TO_DO]
    return template.render_markdown(
        "status.md",
        summary=_summary(entries, library, checks),
        chart=_chart(subjects) if url_from else "",
        month=template.month_of(f"{month}-01") if month else "",
        newest=_lines(newest),
        more_new=max(0, len(newest) - MOST_LISTED),
        waiting=_lines(waiting),
        more_open=max(0, len(waiting) - MOST_LISTED),
        has_plans=bool(library.plans),
        plans=template.link(PROGRESS),
    )


def _subject(entries: Sequence[Entry], checks: Mapping[str, PageCheck], plans: str) -> Subject:
    plan = entries[0].plan
    written = [entry for entry in entries if entry.page]
    checked = sum(_is_checked(entry, checks) for entry in written)
    newest = max(map(finished_day, written), default="")
    href = f"{plans}#{anchor(plan.slug)}"
    return Subject(
        plan.title, href, checked, len(written) - checked, len(entries) - len(written), newest
    )


def _is_checked(entry: Entry, checks: Mapping[str, PageCheck]) -> bool:
    """Return true if each source of the page that can be checked was, and has each quote."""
    check = checks.get(entry.uri)
    return bool(entry.page and check and has_every_quote(entry.page, check))


def _summary(entries: Sequence[Entry], library: Library, checks: Mapping[str, PageCheck]) -> str:
    written = sum(bool(entry.page) for entry in entries)
    if not entries:
        return f"{count(len(library.pages), 'page')}, and no plans for more."
    are = "is" if len(entries) == 1 else "are"
    said = f"**{number(written)} of {count(len(entries), 'planned page')}** {are} written."
    days = sorted(check.day for check in checks.values() if check.day)
    if not days:
        return f"{said} Their sources were not checked yet."
    when = template.reader_day(days[-1])
    return f"{said} Their sources were checked last on {when}."


def _chart(subjects: Iterable[Subject]) -> str:
    shown = [subject for subject in subjects if subject.total]
    return template.render_block("status.html", subjects=shown) if shown else ""


def _lines(entries: Sequence[Entry]) -> list[str]:
    """Return the first of the pages as links, each with its day and what it is about."""
    return [_line(entry) for entry in entries[:MOST_LISTED]]


def _line(entry: Entry) -> str:
    day = template.reader_day(finished_day(entry)) if entry.page else ""
    about = f": {inline(entry.description)}" if entry.description else ""
    return f"[{inline(entry.title)}]({template.link(entry.uri)}){f', {day}' if day else ''}{about}"
