"""Numbers of a sentence, with their units, and whether a source has them. Pure.

The same quantity may be written in many ways: ``120 seconds``, ``2 min``, ``120.000`` in a table
below *Units: seconds*; ``5d`` and ``5 days``; ``1.5 times`` and ``a factor of 1.5``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

from planbook.markdown.words import stem

_NUMBER = re.compile(
    r"""
    (?<![\w.])
    (?P<sign>(?<!\S)[-\u2212])?
    [vV]?
    (?P<digits>\d{1,3}(?:[,_ \u00a0\u202f]\d{3})+(?![\d,]) | \d+)   # 1208, or 1,208
    (?P<more>(?:\.\d+)*)                                            # .5, or .2.3 of a version
    (?:                             # 15 %, 64-bit, 5d; behind a spelled number are blanks
        \s?(?P<percent>%)
        | [-\s\u00a0]{0,8}(?P<unit>[^\W\d_]+|\u00d7)
    )?
    """,
    re.VERBOSE,
)
_UP_TO_TWENTY = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty",
)
_SPELLED = {word: str(number) for number, word in enumerate(_UP_TO_TWENTY) if word != "one"}
"""Digits of spelled numbers. "One" is a pronoun more often than a number."""
_SPELLED |= {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60"}
_SPELLED |= {"hundred": "100", "thousand": "1000"}
_SPELLED_WORD = re.compile(rf"\b(?:{'|'.join(_SPELLED)})\b", re.IGNORECASE)
_MOST_COUNTED = 12
"""The largest spelled number that may count what a text lists without saying so."""
_COUNTED_WITHIN = 3
"""Number of words after a number among which is the noun that it counts."""
_WINDOW = 80
"""Number of characters after a number in which these words are."""
_WORD = re.compile(r"[^\W\d_]+")

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
UNITS: dict[str, tuple[str, Fraction]] = {
    spelling: (dimension, Fraction(factor))
    for dimension, factor, spellings in (
        ("percent", 1, "% percent"),
        ("time", Fraction(1, 10**9), "ns nanosecond nanoseconds"),
        ("time", Fraction(1, 10**6), "us \u03bcs usec microsecond microseconds"),
        ("time", Fraction(1, 10**3), "ms msec millisecond milliseconds"),
        ("time", 1, "s sec secs second seconds"),
        ("time", _MINUTE, "min mins minute minutes"),
        ("time", _HOUR, "h hr hrs hour hours"),
        ("time", _DAY, "d day days"),
        ("time", 7 * _DAY, "week weeks"),
        ("months", 1, "month months"),
        ("months", 12, "year years"),
        ("bits", 1, "bit bits"),
        ("bits", 10**3, "kbit kilobit kilobits"),
        ("bits", 10**6, "Mbit megabit megabits"),
        ("bits", 10**9, "Gbit gigabit gigabits"),
        ("bytes", 1, "byte bytes"),
        ("bytes", 10**3, "kB KB kilobyte kilobytes"),
        ("bytes", 10**6, "MB megabyte megabytes"),
        ("bytes", 10**9, "GB gigabyte gigabytes"),
        ("bytes", 10**12, "TB terabyte terabytes"),
        ("bytes", 2**10, "KiB kibibyte kibibytes"),
        ("bytes", 2**20, "MiB mebibyte mebibytes"),
        ("bytes", 2**30, "GiB gibibyte gibibytes"),
        ("bytes", 2**40, "TiB tebibyte tebibytes"),
        ("frequency", 1, "Hz hertz"),
        ("frequency", 10**3, "kHz"),
        ("frequency", 10**6, "MHz"),
        ("frequency", 10**9, "GHz"),
        ("power", 1, "W watt watts"),
        ("power", 1_000, "kW"),
        ("length", Fraction(1, 1_000), "mm"),
        ("length", Fraction(1, 100), "cm"),
        ("length", 1_000, "km"),
        ("pixels", 1, "px pixel pixels"),
        ("points", 1, "pt"),
        ("decibels", 1, "dB"),
        ("lines", 1, "line lines"),
        ("characters", 1, "character characters"),
    )
    for spelling in spellings.split()
}
"""Units by their spellings, each with its dimension and its size in the dimension's base unit.

Bits are no bytes.

``times`` is no unit: "1.5 times" and "a factor of 1.5" are the same.
"""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text."""

    text: str
    """Its digits without separators, such as ``1208``, ``-0.5`` or ``1.2.3``."""
    dimension: str
    """The dimension of its unit, a value of `UNITS`; empty if it has none."""
    factor: Fraction
    """The size of its unit; 1 without one."""
    written: str
    """The number and its unit as the text has them."""
    is_spelled: bool = False
    counted: frozenset[str] = frozenset()
    """Stems of the words that follow: one of them is what a bare number counts."""

    @property
    def value(self) -> Fraction | None:
        """Its value in the base unit of its dimension; ``None`` for a version such as ``1.2.3``."""
        is_version = self.text.count(".") > 1
        return None if is_version else Fraction(self.text) * self.factor


def read_quantities(text: str) -> Iterator[Quantity]:
    """Yield the numbers of a text, spelled ones too."""
    spelled_at: set[int] = set()

    def digits(word: re.Match[str]) -> str:
        """Return a spelled number in digits, padded so that all offsets stay."""
        spelled_at.add(word.start())
        return _SPELLED[word[0].lower()].ljust(len(word[0]))

    plain = _SPELLED_WORD.sub(digits, text)
    for match in _NUMBER.finditer(plain):
        yield _quantity(match, text, is_spelled=match.start("digits") in spelled_at)


def _quantity(match: re.Match[str], text: str, *, is_spelled: bool) -> Quantity:
    """Return a number of a text.

    Args:
        match: the number in the text with digits for spelled numbers, whose offsets are the same.
        text: the text as it is.
        is_spelled: whether the number is spelled in the text.
    """
    sign = "-" if match["sign"] else ""
    whole = re.sub(r"\D", "", match["digits"]).lstrip("0") or "0"
    unit = "percent" if match["percent"] else "unit"
    dimension, factor = UNITS.get(match[unit] or "", ("", Fraction(1)))
    end = match.end(unit) if dimension else match.end("more")
    start = match.start("digits")
    written = text[match.start() : end].strip()
    return Quantity(
        text=sign + whole + match["more"],
        dimension=dimension,
        factor=factor,
        written=_spelled_text(text, start, end) if is_spelled else written,
        is_spelled=is_spelled,
        counted=frozenset(_counted_words(text, start, end, is_spelled=is_spelled)),
    )


def _counted_words(text: str, start: int, end: int, *, is_spelled: bool) -> Iterator[str]:
    """Yield the stems of the words after a number, one of which it may count."""
    is_value = text[:start].endswith("=")  # which counts nothing
    if is_value:
        return
    following = _WORD.findall(text[end : end + _WINDOW])
    if is_spelled:  # `end` is within the spelled number, whose word comes first
        following = _WORD.findall(text[start : end + _WINDOW])[1:]
    for word in following[:_COUNTED_WITHIN]:
        yield stem(word.casefold())


def _spelled_text(text: str, start: int, end: int) -> str:
    """Return a spelled number with its unit, as the text has them."""
    word = _WORD.match(text, start)
    if word:
        end = max(end, word.end())
    return text[start:end].strip()


class QuantityIndex:
    """The numbers of some texts."""

    def __init__(self, text: str) -> None:
        self._quantities = tuple(read_quantities(text))
        words = re.findall(r"[^\W\d_]+|%", text)
        self._units = {UNITS[word] for word in words if word in UNITS}

    def has(self, quantity: Quantity) -> bool:
        """Return whether a text has the quantity, or does not contradict what it merely counts."""
        if any(self._is_equal(quantity, other) for other in self._quantities):
            return True
        return self._may_count(quantity)

    def has_result(self, quantity: Quantity, sentence: QuantityIndex) -> bool:
        """Return whether a quantity is a sum or difference of two or three quantities of the texts.

        Of bare numbers, all operands stand in the `sentence`, too: small ones would add up by
        chance.
        """
        value = quantity.value
        if value is None:
            return False
        operands = self._values(quantity.dimension) - {value}
        if not quantity.dimension:
            operands &= {other.value for other in sentence._quantities if other.value is not None}
        ascending = sorted(operands)
        for size in (2, 3):
            for some in combinations_with_replacement(ascending, size):
                if sum(some) == value:
                    return True
        return any(large - small == value for small, large in combinations(ascending, 2))

    def _values(self, dimension: str) -> set[Fraction]:
        """Return the values of the numbers of a dimension, without versions."""
        values = (other.value for other in self._quantities if other.dimension == dimension)
        return {value for value in values if value is not None}

    def _is_equal(self, quantity: Quantity, other: Quantity) -> bool:
        """Return whether two numbers are the same quantity."""
        if quantity.dimension and other.dimension:
            is_same_dimension = quantity.dimension == other.dimension
            has_value = quantity.value is not None
            return is_same_dimension and has_value and quantity.value == other.value
        if not quantity.dimension:
            # A bare number of the sentence may have any unit in the text.
            return quantity.text == other.text
        # A bare number of the text may have a unit that stands elsewhere in it.
        is_unit_there = (quantity.dimension, quantity.factor) in self._units
        is_same = quantity.text == other.text or _is_same_number(quantity.text, other.text)
        return is_unit_there and is_same

    def _may_count(self, quantity: Quantity) -> bool:
        """Return whether a spelled number may count what the text lists.

        It may not if the text counts the same with another number.
        """
        if not quantity.is_spelled or quantity.dimension:
            return False
        is_small = 0 < int(quantity.text) <= _MOST_COUNTED
        is_same_counted = any(quantity.counted & other.counted for other in self._quantities)
        return is_small and not is_same_counted


def _is_same_number(one: str, other: str) -> bool:
    """Return whether two numbers are equal as decimals: ``120`` and ``120.000``."""
    is_version = one.count(".") > 1 or other.count(".") > 1
    return not is_version and Fraction(one) == Fraction(other)


def missing_quantities(text: str, index: QuantityIndex) -> Iterable[str]:
    """Return the numbers of a text, as written, that the index does not have."""
    return (quantity.written for quantity in read_quantities(text) if not index.has(quantity))
