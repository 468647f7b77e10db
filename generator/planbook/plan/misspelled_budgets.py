"""Notes in parentheses that nearly are a line budget: ``(300 LOC)``, ``(fourty lines)``."""

from __future__ import annotations

import re

from planbook.markdown.budgets import NUMBER_WORDS
from planbook.plan.part_names import PART_IN_ANY_CASE
from planbook.plan.paths import read_targets
from planbook.plan.spelling import is_misspelling

_NOTE = re.compile(r"[(\[](?P<note>[^()\[\]]{1,40})[)\]]")
_OTHER_UNIT = re.compile(
    r"^(?P<about>[~≈]\s?|about |max\.? |up to )?(?:(?P<count>\d[\d,.]*)"
    r"(?:ish lines?|\s?(?:LOC|l\.|ll\.|lns?\.?)| (?P<unit>words|pages))"
    r"|lines?:\s?(?P<behind>\d+))$",
    re.IGNORECASE,
)
"""``300 LOC``, ``300ish lines``, ``lines: 300``, ``1,200 words``."""
_COUNTED_LINES = re.compile(r"^[~≈]?\s?\d[\d,.–-]*\s?\+?\s?(?P<unit>[A-Za-z]{3,6})$")
_LINES_OF = re.compile(
    r"^[~≈]?\s?(?:about |around )?(?P<count>[\w?]+(?:[ -][\w?]+){0,3})\s+lines?$", re.IGNORECASE
)


def describe_near_budget(text: str) -> str | None:
    """Return the message for a note in parentheses that nearly is a line budget."""
    for note in _NOTE.finditer(text) if "(" in text or "[" in text else ():
        words = note["note"].strip()
        message = _other_unit(words, text)
        if message:
            return message
        amount, lines_of = _COUNTED_LINES.match(words), _LINES_OF.match(words)
        if amount and is_misspelling(amount["unit"], "lines", may_replace=False):
            right = words[: amount.start("unit")] + "lines"
            return f"`({words})` is not read as a budget; did you mean `({right})`?"
        if lines_of and _is_misspelled_count(lines_of["count"]):
            return (
                f"`({words})` is not read as a budget; did you mean a number, such as `(40 lines)`?"
            )
    return None


def _other_unit(words: str, text: str) -> str | None:
    """Return the message for a note that gives a length in another form than lines.

    Words and pages are a length only where the page or a section is named.
    """
    match = _OTHER_UNIT.match(words)
    if not match:
        return None
    if match["unit"]:
        names_page = PART_IN_ANY_CASE.match(text) or read_targets(text) or "Section" in text
        fix = "write the length in lines, such as `(300 lines)`"
        return f"`({words})` is not read as a budget; {fix}" if names_page else None
    right = f"{match['about'] or ''}{match['count'] or match['behind']} lines"
    return f"`({words})` is not read as a budget; did you mean `({right})`?"


def _is_misspelled_count(count: str) -> bool:
    """Return True for words that are nearly a number: ``fourty``, ``4OO``, ``???``, ``N``."""
    is_blank = bool(re.fullmatch(r"[?XxN_]+", count))
    has_letters_for_digits = bool(re.fullmatch(r"(?=.*\d)(?=.*[OolI])[\dOolI]+", count))
    if is_blank or has_letters_for_digits:
        return True
    words = re.split(r"[ -]", count.lower())
    unknown = [word for word in words if word not in {*NUMBER_WORDS, "and", "a"}]
    return bool(unknown) and all(
        any(is_misspelling(word, number_word) for number_word in NUMBER_WORDS) for word in unknown
    )
