"""Results of ``planbook verify`` for display on the site, read from its report.

`generator.research.verify` writes the report; the Guide, "Checking sources", describes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from generator.views.labels import count

REPORT = "verify.json"
"""The report's file name in the project's working folder."""
_VERSION = 1
_READ = frozenset({"ok", "moved"})


class SourceStatus(StrEnum):
    """The result for a source; where several apply, the first in this list is shown."""

    GONE = "gone"
    UNREAD = "unread"
    MISSING = "missing"
    CHANGED = "changed"
    MOVED = "moved"
    PINNED = "pinned"
    LIVE = "live"
    STORED = "stored"
    UNCHECKED = "unchecked"
    OFFWEB = "offweb"


NAMES = {
    SourceStatus.PINNED: "pinned",
    SourceStatus.LIVE: "live",
    SourceStatus.STORED: "stored copy holds",
    SourceStatus.MOVED: "moved",
    SourceStatus.CHANGED: "changed",
    SourceStatus.MISSING: "words not found",
    SourceStatus.GONE: "gone",
    SourceStatus.UNREAD: "could not be read",
    SourceStatus.UNCHECKED: "not checked",
    SourceStatus.OFFWEB: "not on the web",
}
"""Each status as readers see it, in the order of display."""


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """The result of checking one source for one page."""

    status: SourceStatus
    day: str
    """The day of the request, ``YYYY-MM-DD``; empty if there was none."""
    quotes: tuple[tuple[str, bool], ...] = ()
    """By key, True if the source contains the quote; only quotes that were checked."""
    moved_to: str = ""
    findings: tuple[str, ...] = ()
    """Defects to fix or to look at, in the wording of the report."""


@dataclass(frozen=True, slots=True)
class PageCheck:
    """The result of checking one page."""

    day: str
    """``YYYY-MM-DD``."""
    is_offline: bool
    """True if the check used stored copies and made no requests."""
    text_sha256: str
    """The `fingerprint` of the page that was checked."""
    quotes: int
    """The number of quotes on the page."""
    by_id: Mapping[str, SourceCheck]
    """The result for each reference."""

    @property
    def found(self) -> int:
        """The number of quotes found in their sources."""
        return sum(is_there for check in self.by_id.values() for _, is_there in check.quotes)

    def counts(self) -> tuple[tuple[SourceStatus, int], ...]:
        """Return the number of sources with each status, those that were not requested last."""
        return counted(check.status for check in self.by_id.values())


def read_checks(raw: bytes | None) -> tuple[dict[str, PageCheck], str]:
    """Return each page's results by uri, and an error message, which is empty if the report is valid or missing.

    Parts in a form that `planbook verify` does not write are skipped.
    """
    if raw is None:
        return {}, ""
    try:
        report = json.loads(raw)
    except ValueError:
        return {}, "it is not JSON"
    if not isinstance(report, dict) or report.get("version") != _VERSION:
        return {}, f"it is not of version {_VERSION}"
    pages = report.get("pages")
    found = {uri: _checked(page) for uri, page in pages.items()} if isinstance(pages, dict) else {}
    return {uri: checked for uri, checked in found.items() if checked}, ""


def counted(statuses: Iterable[SourceStatus]) -> tuple[tuple[SourceStatus, int], ...]:
    """Return the number of occurrences of each status, in the order of `NAMES`, without those that do not occur."""
    every = list(statuses)
    return tuple((status, every.count(status)) for status in NAMES if status in every)


def merged(checks: Iterable[SourceCheck]) -> SourceCheck | None:
    """Return the combined result for a work that several pages cite: its latest availability, else the worst finding.

    A missing quote or changed content concerns one page, so a newer check of another page does not supersede it.
    """
    every = sorted(checks, key=lambda check: check.day, reverse=True)
    if not every or every[0].status in {SourceStatus.GONE, SourceStatus.UNREAD}:
        return every[0] if every else None
    graver = (
        check for status in (SourceStatus.MISSING, SourceStatus.CHANGED) for check in every if check.status is status
    )
    return next(graver, every[0])


def in_words(counts: Iterable[tuple[SourceStatus, int]]) -> str:
    """Return a summary: ``9 sources: 7 live, 1 moved, 1 gone``; for a single status, ``9 sources live``."""
    every = list(counts)
    total = count(sum(n for _, n in every), "source")
    if len(every) == 1:
        return f"{total} {NAMES[every[0][0]]}"
    return f"{total}: " + ", ".join(f"{n} {NAMES[status]}" for status, n in every)


def _checked(page: object) -> PageCheck | None:
    if not isinstance(page, dict) or not isinstance(page.get("references"), list):
        return None
    is_offline = page.get("offline") is True
    works = [work for work in page["references"] if isinstance(work, dict)]
    quotes = page.get("quotes")
    total = quotes.get("total") if isinstance(quotes, dict) else None
    day = _day(page.get("checked"))
    if not isinstance(total, int) or not day:
        return None
    by_id = {_text(work.get("id")): _check(work, is_offline=is_offline) for work in works}
    return PageCheck(day, is_offline, _text(page.get("text_sha256")), total, by_id)


def _check(work: Mapping[str, Any], *, is_offline: bool) -> SourceCheck:
    quotes = work.get("quotes")
    looked_for = quotes.items() if isinstance(quotes, dict) else ()
    findings = work.get("findings")
    return SourceCheck(
        _status(work, is_offline=is_offline),
        _day(work.get("fetched")),
        tuple((_text(key), times in {"once", "repeated"}) for key, times in looked_for),
        _text(work.get("moved_to")),
        tuple(_text(finding) for finding in findings) if isinstance(findings, list) else (),
    )


def _status(work: Mapping[str, Any], *, is_offline: bool) -> SourceStatus:
    outcome, quotes = work.get("outcome"), work.get("quotes")
    lacks_words = work.get("fragment") == "missing" or (isinstance(quotes, dict) and "missing" in quotes.values())
    ways = (
        (work.get("checkable") is not True, SourceStatus.OFFWEB),
        (outcome is None, SourceStatus.UNCHECKED),
        (outcome == "gone", SourceStatus.GONE),
        (outcome not in _READ, SourceStatus.UNREAD),
        (lacks_words, SourceStatus.MISSING),
        (work.get("content") == "changed", SourceStatus.CHANGED),
        (outcome == "moved", SourceStatus.MOVED),
        (isinstance(work.get("pinned"), dict), SourceStatus.PINNED),
        (is_offline or bool(work.get("copy")), SourceStatus.STORED),
    )
    return next((status for holds, status in ways if holds), SourceStatus.LIVE)


def _day(value: object) -> str:
    return _text(value)[:10]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
