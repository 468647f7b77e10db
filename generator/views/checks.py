"""What ``planbook verify`` found out, as the site tells it: read from its report, and never more than it says.

The report is `generator.research.verify`'s; the Guide, "Checking sources", describes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from generator.views.labels import count

REPORT = "verify.json"
"""Where, in the project's working folder, the report lies."""
_VERSION = 1
_READ = frozenset({"ok", "moved"})


class SourceStatus(StrEnum):
    """What is known of a source; where several hold, the first one here is told."""

    GONE = "gone"
    UNREAD = "unread"
    MISSING = "missing"
    CHANGED = "changed"
    MOVED = "moved"
    LIVE = "live"
    STORED = "stored"
    UNCHECKED = "unchecked"
    OFFWEB = "offweb"


NAMES = {
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
"""What a reader calls each status, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """What came of checking one source for one page."""

    status: SourceStatus
    day: str
    """When its host was asked, ``YYYY-MM-DD``; empty where it was not."""
    quotes: tuple[tuple[str, bool], ...] = ()
    """By key, whether the words stand in it; only those that were looked for."""
    moved_to: str = ""
    findings: tuple[str, ...] = ()
    """What is to be mended or looked at, in the report's words."""


@dataclass(frozen=True, slots=True)
class PageCheck:
    """What came of checking one page."""

    day: str
    """``YYYY-MM-DD``."""
    is_offline: bool
    """Whether stored copies were looked into, and no host was asked."""
    text_sha256: str
    """The `fingerprint` of the page that was checked."""
    quotes: int
    """How many it has."""
    by_id: Mapping[str, SourceCheck]
    """Each reference's result."""

    @property
    def found(self) -> int:
        """How many of its quotes stand in their sources."""
        return sum(is_there for check in self.by_id.values() for _, is_there in check.quotes)

    def counts(self) -> tuple[tuple[SourceStatus, int], ...]:
        """How many sources have each status, those that no host was asked for at the end."""
        return counted(check.status for check in self.by_id.values())


def read_checks(raw: bytes | None) -> tuple[dict[str, PageCheck], str]:
    """Each page's results by uri, and what is wrong with the report; no report is nothing wrong.

    Parts of another form than `planbook verify` writes are passed over: what they would say is then not claimed.
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
    """How often each status occurs, in the order of `NAMES`; those that do not occur are left out."""
    every = list(statuses)
    return tuple((status, every.count(status)) for status in NAMES if status in every)


def merged(checks: Iterable[SourceCheck]) -> SourceCheck | None:
    """What is known of a work that several pages cite: whether it is there, as seen last; and the pages' worst finding.

    That words do not stand in it, or that it has changed, is said of one page; an older check of another page holds.
    """
    every = sorted(checks, key=lambda check: check.day, reverse=True)
    if not every or every[0].status in {SourceStatus.GONE, SourceStatus.UNREAD}:
        return every[0] if every else None
    graver = (
        check for status in (SourceStatus.MISSING, SourceStatus.CHANGED) for check in every if check.status is status
    )
    return next(graver, every[0])


def in_words(counts: Iterable[tuple[SourceStatus, int]]) -> str:
    """``9 sources: 7 live, 1 moved, 1 gone``; one kind alone is told in one breath: ``9 sources live``."""
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
        (is_offline, SourceStatus.STORED),
    )
    return next((status for holds, status in ways if holds), SourceStatus.LIVE)


def _day(value: object) -> str:
    return _text(value)[:10]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
