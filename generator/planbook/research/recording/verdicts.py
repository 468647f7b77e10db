"""Verdicts on pages, in the words of drops, records and marks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PageOutcome(StrEnum):
    """The outcome of one page, in the words of its drop."""

    DONE = "done"
    PARTIAL = "partial"
    """It answers too few points, or its draft or sources are doubtful."""
    HELD = "held"
    """A person has changed the page that it would replace, and that one is kept."""
    FAILED = "failed"
    """There is no page."""


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """The outcome of a page, and why it is not done."""

    outcome: PageOutcome
    reason: str = ""
