"""The line budgets that plans give in headings, and that finished pages keep: ``## Stages (~100 lines)``."""

from __future__ import annotations

import re

_LINES = r"(?P<lines{}>\d[\d,]{{0,6}}(?:\s?[-–]\s?\d[\d,]{{0,6}})?)\+?\s?lines?"
_BUDGET = re.compile(
    r"\s{0,3}[(\[](?:~|≈|approx\.?\s|about\s|ca\.?\s)\s?" + _LINES.format("") + r"(?:\seach)?[)\]]"
    r"|\s{0,3}[-–—,]\s{0,3}~\s?" + _LINES.format("_behind") + r"(?=[\s*_#]*$)",
    re.IGNORECASE,
)
"""What is told to be about so many lines is a budget wherever it stands in a heading."""
_SECTION_BUDGET = re.compile(r"\s{0,3}[(\[]" + _LINES.format("") + r"[)\]](?=[\s*_#:]*$)", re.IGNORECASE)
_SECTION = re.compile(r"^[\s>#*_]*(?:(?:section|part|chapter)\s?\d|\d{1,2}(?:\.\d{1,2}){0,3}[.:)]?\s)", re.IGNORECASE)
MAYBE_BUDGET = re.compile(r"\d\+?\s?lines?\b", re.IGNORECASE)
"""A text that this does not find holds no budget."""


def budget_in(heading: str) -> tuple[int, int, str] | None:
    """Where the budget stands in a heading, ``(start, end)``, and its lines as they stand in an anchor: ``80-100``.

    An exact number is a budget only in the heading of a section that has a number: the 300 lines of ``A mill in one
    file (300 lines)`` are content.
    """
    match = _BUDGET.search(heading) or (_SECTION_BUDGET.search(heading) if _SECTION.match(heading) else None)
    if not match or heading.count("`", 0, match.start()) % 2:
        return None
    told = next(text for text in match.groupdict().values() if text)
    return match.start(), match.end(), re.sub(r"[\s,–]", "", told.replace(" - ", "-"))


def without_budget(heading: str) -> str:
    """The heading's words without its budget."""
    found = budget_in(heading)
    return heading[: found[0]] + heading[found[1] :] if found else heading
