"""Words of a claim that its source has as they are if it says the same. Pure.

*Not found* accuses an author. It is said only of what cannot be there in other words: a figure with
a unit or with several digits, a quotation in the script and the language of its source. All else
may be rounded, reckoned, translated or the page's own, and is left to a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from planbook.markdown.words import FUNCTION_WORDS
from planbook.research.proof.phrases import OWN_HISTORY
from planbook.research.proof.quantities import Quantity, read_quantities

_MIN_DIGITS = 3
"""Digits of a figure without a unit that a source does not have in another form by chance."""
_EXACT_DIMENSIONS = frozenset({"percent", "bytes", "bits", "frequency", "power", "decibels"})
"""Dimensions whose figures nobody writes in words: *one year* is there more often than *one GB*."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_MONEY_BEFORE = re.compile(r"[$\u20ac\u00a3\u00a5\u20b9]\s?$")
_CHANGE_BEFORE = re.compile(r"[+\u2212\u0394\u00b1]\s?[$\u20ac\u00a3\u00a5\u20b9]?$")
"""The sign of a difference, which is reckoned: ``+$3B``."""
_NAME_BEFORE = re.compile(r"\b(?P<name>[A-Z][\w.]*)[ \u00a0-]$")
"""A name that a number belongs to: ``Phase 145``."""
_LEAD = 24
"""Characters before a figure in which such signs and names are."""
_POWER_OF_TWO = 512
"""A multiple of it may be there in another unit, or as ``0x1000``."""
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_MAX_UNSPACED = 0.2
"""Share of letters of scripts without blanks from which the words of a quote are not told apart."""
_LOGS = frozenset({"log", "logs", "changelog", "changes", "history", "journal"})


def literal_figures(figures: Iterable[str], sentence: str) -> Iterator[str]:
    """Yield those of some figures that a source of a sentence would have as they are.

    These have a unit, a currency, a scale (``27K``) or three digits. Years, versions, differences
    (``+3``), numbers of names (``Phase 145``) and multiples of 512 are none.
    """
    for written in figures:
        quantity = next(read_quantities(written), None)
        if quantity is not None and _is_literal(quantity, sentence):
            yield written


def stated_figures(figures: Iterable[str], sentence: str) -> Iterator[str]:
    """Yield those of some figures that are no differences, which a page reckons: ``+3``."""
    for written in figures:
        start = max(0, sentence.find(written))
        if not _CHANGE_BEFORE.search(sentence[max(0, start - _LEAD) : start]):
            yield written


def _is_literal(quantity: Quantity, sentence: str) -> bool:
    start = max(0, sentence.find(quantity.written))
    lead = sentence[max(0, start - _LEAD) : start]
    digits = re.sub(r"\D", "", quantity.unscaled).lstrip("0")
    is_version = quantity.text.count(".") > 1
    is_year = _YEAR.fullmatch(quantity.written) is not None
    is_power = digits == quantity.text and int(digits or "1") % _POWER_OF_TWO == 0
    is_reckoned = _CHANGE_BEFORE.search(lead) is not None
    name = _NAME_BEFORE.search(lead)
    is_of_name = name is not None and name["name"].casefold() not in FUNCTION_WORDS
    is_other = quantity.is_spelled or is_version or is_year or is_power
    if is_other or is_reckoned or (is_of_name and not quantity.dimension):
        return False
    is_scaled = quantity.unscaled != quantity.text
    is_money = _MONEY_BEFORE.search(lead) is not None
    has_unit = is_scaled or is_money or quantity.dimension in _EXACT_DIMENSIONS
    return len(digits) >= _MIN_DIGITS or has_unit


def is_in_unspaced_script(quote: str) -> bool:
    """Return whether a good part of a quote has no blanks between its words: 泡茶."""
    letters = len(re.findall(r"[^\W\d_]", quote))
    return len(_UNSPACED.findall(quote)) > _MAX_UNSPACED * letters


def is_of_own_history(text: str, uri: str) -> bool:
    """Return whether a sentence is about what its page or wiki was before: an entry of a log."""
    return PurePosixPath(uri).stem.casefold() in _LOGS or OWN_HISTORY.search(text) is not None
