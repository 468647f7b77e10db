"""Line budgets in plans and in headings of finished pages: ``(~400 lines)``, ``300-500 lines``.

The only grammar for them, shared by the plan parser, the display of headings, the linter and its
fixes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from planbook.model import LineBudget

_UNITS = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_VALUES = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
}
NUMBER_WORDS = (*_VALUES, "hundred", "thousand")
"""The words of a number in letters."""

MAYBE_BUDGET = re.compile(r"(?:\d[+k]?|[dneortxy])\s?lines?\b", re.IGNORECASE)
"""A quick test: text without a match contains no budget. The letters are the last ones of numbers
in words."""

_MARKS = " \t>-*+.)0123456789"
"""Characters that may stand before a heading in a quote or an item."""
_UNDERLINE = re.compile(r"^[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)
"""A line that makes a heading of the paragraph above it."""

_NUMBER = r"(?<!\d)(?:\d{1,3}(?:,\d{3})+|\d{1,9})(?!\d)"
_LINES = (
    r"(?P<about>(?:[~≈]|\b(?:about|approx\.?|approximately|around|roughly|ca\.)\s)\s?)?"
    r"(?<![\d.,])"
    rf"(?P<low>{_NUMBER})(?:\s{{0,3}}(?:[-–—]|to\b)\s{{0,3}}[~≈]?\s?"
    rf"(?P<high>{_NUMBER}))?\s?\+?\s?lines?\b"
)
_LINES_BEHIND = re.sub(r"\?P<(\w+)>", r"?P<\1_behind>", _LINES)
_TOTAL = r"(?:\s(?:each|total|max(?:imum)?|min(?:imum)?))?"
_BUDGET = re.compile(_LINES, re.IGNORECASE)
_TOTAL_END = re.compile(rf"{_TOTAL}\s{{0,3}}(?:$|[)\],;:(*–—-])", re.IGNORECASE)
_OPENS = re.compile(r"\([^()]{0,20}$")
_REMARK = re.compile(
    r"(?!\s+(?:of|per|from|in|before|after|around|above|below|over)\b)[^()]{0,40}\)", re.IGNORECASE
)
"""Text that may follow within the parentheses; lines *of code* or *per table* describe content, not
a budget."""
_ACTUAL = re.compile(
    r"\([^()]{0,200}\b(?:completed?|done|finished|actual)\b(?:[^()]|\([^()]*\))*\)", re.IGNORECASE
)

_SHARE = r"(?:[,;]\s?[~≈]?\d{1,3}(?:\.\d{1,2})?\s?%[^()\[\]]{0,30})?"
"""``, 11.5% of the page``."""
_NOTE = re.compile(
    rf"\s{{0,3}}[(\[](?:(?:target|expected|budget|up to|at least)\b:?\s)?{_LINES}{_TOTAL}"
    rf"{_SHARE}\s?[)\]]"
    rf"|\s{{0,3}}[-–—,]\s{{0,3}}{_LINES_BEHIND}(?=[\s*_#]*$)",
    re.IGNORECASE,
)
_WORD = rf"(?:{'|'.join(NUMBER_WORDS)}|an?|and)"
_SPELLED_BUDGET = re.compile(
    rf"\s{{0,3}}[(\[](?P<about>[~≈]\s?|about\s)?(?P<words>{_WORD}(?:[ -]{_WORD}){{0,7}}|\d{{1,3}}"
    rf"(?:\.\d{{1,2}})?k)"
    r"\s?lines?[)\]]",
    re.IGNORECASE,
)
"""``(forty lines)``, ``(four hundred and fifty lines)``, ``(1.5k lines)``: only in parentheses."""


def may_have_budget(markdown: str) -> bool:
    """Return False for a text without a budget in any heading; quick."""
    lowered = markdown.lower()  # in which a word is found in a tenth of the time of a pattern
    at = lowered.find("line")
    while at >= 0:
        if _may_be_of_heading(lowered, at):
            return True
        at = lowered.find("line", at + 1)
    return False


def _may_be_of_heading(markdown: str, at: int) -> bool:
    """Return False if the word at a place is in no heading, or in one without a budget."""
    start, end = markdown.rfind("\n", 0, at) + 1, markdown.find("\n", at)
    line = markdown[start : end if end >= 0 else len(markdown)]
    if line.lstrip(_MARKS).startswith("#"):
        return any(budget_notes(line))
    below = markdown.find("\n\n", at)
    return _UNDERLINE.search(markdown, at, below if below >= 0 else len(markdown)) is not None


def read_budget(text: str) -> LineBudget | None:
    """Return the first line budget in a line of a plan: ``~400 lines``, ``300-500 lines``.

    Completion notes have none. A number of lines within a sentence (``count 400 lines of rye``) is
    not a budget.
    """
    text = _ACTUAL.sub(" ", text) if MAYBE_BUDGET.search(text) else ""
    for match in _BUDGET.finditer(text):
        is_noted = _REMARK.match(text, match.end()) and _OPENS.search(
            text[max(0, match.start() - 22) : match.start()]
        )
        if is_noted or _TOTAL_END.match(text, match.end()):
            numbers = [
                int(numeral.replace(",", ""))
                for numeral in (match["low"], match["high"])
                if numeral
            ]
            return LineBudget(min(numbers), max(numbers))
    in_words = _SPELLED_BUDGET.search(text)
    value = _number_of_words(in_words["words"]) if in_words else 0
    return LineBudget(value, value) if value else None


def _number_of_words(words: str) -> int:
    """Return the value of ``four hundred and fifty`` or ``1.5k``.

    0 for words that are no number.
    """
    if words[0].isdigit():
        return round(1000 * float(words.rstrip("kK")))
    total, group = 0, 0
    for word in re.split(r"[ -]", words.lower()):
        if word == "hundred":
            group = max(group, 1) * 100
        elif word == "thousand":
            total, group = total + max(group, 1) * 1000, 0
        else:
            group += _VALUES.get(word, 0)
    return total + group


def budget_notes(heading: str, *, is_planned: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the places of the budgets noted in a heading, outside code.

    In a plan's heading (`is_planned`), a number of lines at the end is always a budget. A page's
    heading may describe its content instead: there, only an approximate number or a range is one,
    not ``A mill in one file (300 lines)``.
    """
    if not MAYBE_BUDGET.search(heading):
        return
    ticks, at = 0, 0
    in_words = (
        match
        for match in _SPELLED_BUDGET.finditer(heading)
        if is_planned and _number_of_words(match["words"])
    )
    for match in sorted([*_NOTE.finditer(heading), *in_words], key=lambda match: match.start()):
        ticks, at = ticks + heading.count("`", at, match.start()), match.start()
        is_about = any(
            match.groupdict().get(name) for name in ("about", "high", "about_behind", "high_behind")
        )
        if (is_planned or is_about) and ticks % 2 == 0:
            yield match.span()


def strip_budget(heading: str, *, is_planned: bool = False) -> str:
    """Return the heading without its budgets."""
    pieces, at = [], 0
    for start, end in budget_notes(heading, is_planned=is_planned):
        pieces.append(heading[at:start])
        at = end
    return "".join([*pieces, heading[at:]]).strip()
