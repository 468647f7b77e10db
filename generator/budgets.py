"""Line budgets, as plans give them to a writer and finished pages keep them: ``(~400 lines)``, ``300-500 lines``.

The only grammar for them: the parser of plans, the display of headings, the linter and its fixes share it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from generator.model import LineBudget

MAYBE_BUDGET = re.compile(r"\d\+?\s?lines?\b", re.IGNORECASE)
"""A text that this does not find holds no budget."""

_NUMBER = r"(?<!\d)(?:\d{1,3}(?:,\d{3})+|\d{1,9})(?!\d)"
_LINES = (
    r"(?P<about>(?:[~≈]|\b(?:about|approx\.?|approximately|around|roughly|ca\.)\s)\s?)?(?<![\d.,])"
    rf"(?P<low>{_NUMBER})(?:\s{{0,3}}(?:[-–—]|to\b)\s{{0,3}}[~≈]?\s?(?P<high>{_NUMBER}))?\s?\+?\s?lines?\b"
)
_LINES_BEHIND = re.sub(r"\?P<(\w+)>", r"?P<\1_behind>", _LINES)
_TOTAL = r"(?:\s(?:each|total|max(?:imum)?|min(?:imum)?))?"
_BUDGET = re.compile(_LINES, re.IGNORECASE)
_ENDS = re.compile(rf"{_TOTAL}\s{{0,3}}(?:$|[)\],;:(*–—-])", re.IGNORECASE)
_OPENS = re.compile(r"\([^()]{0,20}$")
_REMARK = re.compile(r"(?!\s+(?:of|per|from|in|before|after|around|above|below|over)\b)[^()]{0,40}\)", re.IGNORECASE)
"""What may follow within parentheses; lines *of code* or *per table* are what the text speaks of."""
_ACTUAL = re.compile(r"\([^()]{0,200}\b(?:completed?|done|finished|actual)\b(?:[^()]|\([^()]*\))*\)", re.IGNORECASE)

_NOTE = re.compile(
    rf"\s{{0,3}}[(\[](?:(?:target|expected|budget|up to|at least)\b:?\s)?{_LINES}{_TOTAL}"
    r"(?P<remark>,[^()\[\]]{0,40})?\s?[)\]]"
    rf"|\s{{0,3}}[-–—,]\s{{0,3}}{_LINES_BEHIND}(?=[\s*_#]*$)",
    re.IGNORECASE,
)
_AT_END = re.compile(r"[\s*_#:]*$")
_NUMBERED = re.compile(
    r"^[\s>#*_]*(?:(?P<unit>section|part|chapter)\s?\d|\d{1,2}(?:\.\d{1,2}){0,3}[.:)]?\s)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class BudgetNote:
    """A budget at its place in a heading."""

    start: int
    end: int
    anchor: str
    """Its words at the end of the heading's anchor: ``80-100-lines``."""


def read_budget(text: str) -> LineBudget | None:
    """The first line budget in a line of a plan (``~400 lines``, ``300-500 lines``), outside completion notes.

    Lines that a sentence merely speaks of (``count 400 lines of rye``) are no budget.
    """
    text = _ACTUAL.sub(" ", text) if MAYBE_BUDGET.search(text) else ""
    for match in _BUDGET.finditer(text):
        is_noted = _REMARK.match(text, match.end()) and _OPENS.search(text[max(0, match.start() - 22) : match.start()])
        if is_noted or _ENDS.match(text, match.end()):
            numbers = [int(number.replace(",", "")) for number in (match["low"], match["high"]) if number]
            return LineBudget(min(numbers), max(numbers))
    return None


def budget_notes(heading: str, *, is_planned: bool = False) -> Iterator[BudgetNote]:
    """The budgets that stand in a heading as notes, outside code.

    A plan's heading (`is_planned`) ends in a budget wherever it ends in a number of lines. A page's may speak of what
    it shows: there a number is a budget if it is an approximate one, if it is a range in the heading of a numbered
    section, or if the heading begins with ``Section n``. The 300 lines of ``A mill in one file (300 lines)`` stay.
    """
    numbered, ticks, at = _NUMBERED.match(heading), 0, 0
    for match in _NOTE.finditer(heading) if MAYBE_BUDGET.search(heading) else ():
        ticks, at = ticks + heading.count("`", at, match.start()), match.start()
        is_about = bool(match["about"] or match["about_behind"])
        if match["remark"]:
            is_budget = is_planned and is_about
        elif is_planned or is_about:
            is_budget = True
        else:
            is_section = numbered and match["low"] and _AT_END.match(heading, match.end())
            is_budget = bool(is_section and numbered and (numbered["unit"] or match["high"]))
        if is_budget and ticks % 2 == 0:
            words = re.sub(r"[^\w\s-]", "", match[0]).strip(" -").lower()
            yield BudgetNote(match.start(), match.end(), re.sub(r"[-\s]+", "-", words))


def without_budget(heading: str, *, is_planned: bool = False) -> str:
    """The heading's words without its budgets."""
    kept, at = [], 0
    for note in budget_notes(heading, is_planned=is_planned):
        kept.append(heading[at : note.start])
        at = note.end
    return "".join([*kept, heading[at:]]).strip()
