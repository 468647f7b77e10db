"""Results of checks, as a report of `planbook verify` has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planbook.citations.report import Content, PinResult, SourceResult, SourceStatus

_FIELDS: Mapping[SourceStatus, dict[str, Any]] = {
    SourceStatus.OFFWEB: {"checkable": False},
    SourceStatus.UNCHECKED: {"outcome": None},
    SourceStatus.GONE: {"outcome": "gone"},
    SourceStatus.UNREAD: {"outcome": "timeout"},
    SourceStatus.MOVED: {"outcome": "moved"},
    SourceStatus.MISSING: {"quotes": {"q1": False}},
    SourceStatus.DOUBTFUL: {"doubt": "it has only 36 words, and it asks for an answer"},
    SourceStatus.CHANGED: {"content": Content.CHANGED},
    SourceStatus.PINNED: {"pinned": PinResult(date="2026-10-02")},
    SourceStatus.COPIED: {"offline": True},
}


def result(status: SourceStatus, day: str = "2026-11-20", **more: Any) -> SourceResult:
    """Return the result of a check with this status."""
    return SourceResult("r", **{"checkable": True, "outcome": "ok", "fetched": day, **_FIELDS.get(status, {}), **more})
