"""Numbers of a sentence, with their units, and whether a source has them. Pure.

The same quantity may be written in many ways: ``120 seconds``, ``2 min``, ``120.000`` in a table
below *Units: seconds*; ``5d`` and ``5 days``; ``1.5 times`` and ``a factor of 1.5``; ``7K``,
``7,000`` and ``seven thousand``; ``2025-07`` and ``July 2025``; 2.12 and 2.12.0; ``sm_90`` and 9.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations

from planbook.markdown.words import stem

_UNDIVIDED_SCRIPTS = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of scripts that may stand beside a number without a blank; one before it is no sign."""
_UNIT = rf"[^\W\d_{_UNDIVIDED_SCRIPTS}]+|[{_UNDIVIDED_SCRIPTS}]+|\u00d7"
_NUMBER = re.compile(
    rf"""
    (?<![.\u7b2c])(?<![^\W{_UNDIVIDED_SCRIPTS}])    # \u7b2c makes it the number of a chapter
    (?P<sign>(?<!\S)[-\u2212])?
    [vV]?
    (?P<digits>\d{{1,3}}(?:[,_ \u00a0\u202f]\d{{3}})+(?!,?\d) | \d+)   # 1208, or 1,208
    (?P<more>(?:\.\d+)*)                                            # .5, or .2.3 of a version
    (?P<scale>                      # 7K, 300 K, 5 million
        (?:[kMB] | [ \u00a0]?K)(?![^\W{_UNDIVIDED_SCRIPTS}])
        | [-\s\u00a0]?(?i:hundred|thousand|million|billion|trillion)\b
        | [ \u00a0]?[\u4e07\u842c\u4ebf\u5104]          # 3640 万 are 36.4 million
    )?
    (?:                             # 15 %, 64-bit, 5d; behind a spelled number are blanks
        \s?(?P<percent>%)
        | [-\s\u00a0]{{0,16}}(?![vV]\d)(?P<unit>{_UNIT})      # the "v" of a version is none
    )?
    """,
    re.VERBOSE,
)
_HASH = re.compile(
    r"(?<![\w-])(?=[\d-]*[a-fA-F])(?=[a-fA-F-]*\d)[0-9a-fA-F][0-9a-fA-F-]{14,}[0-9a-fA-F](?![\w-])"
)
"""A commit or the id of a page, whose digits are no figures: ``7d442ec4-77cd-4a46-8eb1-...``."""
_WORDS_TO_TWENTY = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty",
)
SPELLED_NUMBERS = {
    word: str(number) for number, word in enumerate(_WORDS_TO_TWENTY) if word != "one"
}
"""Digits of spelled numbers. "One" is a pronoun more often than a number."""
SPELLED_NUMBERS |= {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60"}
SPELLED_NUMBERS |= {"hundred": "100", "thousand": "1000"}
_SCALES = {"k": 10**3, "m": 10**6, "b": 10**9, "hundred": 100, "thousand": 10**3}
_SCALES |= {"\u4e07": 10**4, "\u842c": 10**4, "\u4ebf": 10**8, "\u5104": 10**8}
_SCALES |= {"million": 10**6, "billion": 10**9, "trillion": 10**12}
_SCALE_WORDS = "hundred|thousand|million|billion"
"""Names of large numbers behind a spelled one: its digits are no longer than the two words."""
_SPELLED_WORD = re.compile(
    r"(?<!\d[\s\u00a0-])\b"
    rf"(?:(?P<times>one|{'|'.join(SPELLED_NUMBERS)})[\s-](?P<scale>{_SCALE_WORDS})"
    rf"|{'|'.join(SPELLED_NUMBERS)})\b",
    re.IGNORECASE,
)
_ORDINALS = {
    **{"third": "3", "fifth": "5", "eighth": "8", "ninth": "9", "twelfth": "12"},
    **{f"{word}th": SPELLED_NUMBERS[word] for word in ("four", "six", "seven", "ten", "eleven")},
}
"""Digits of ordinals; "first" counts nothing, and a "second" is a unit more often."""
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_ONE_AS_NUMBER = re.compile(
    r"\ba single\b|\b(?:to|is|of|equals?|value|than|least|most|exactly)\s+one\b(?!\s+of\b)",
    re.IGNORECASE,
)
"""One as a number, and no pronoun: ``set to one``."""
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NAMED_MONTH = re.compile(
    rf"\b(?P<name>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?,?\s"
    r"(?:\d{1,2}(?:st|nd|rd|th)?,?\s)?(?:of\s)?(?P<year>\d{4})\b",
    re.IGNORECASE,
)
"""``July 2025``, ``Jul 2025``, ``July 31, 2025``."""
_YEAR_BEFORE = re.compile(r"(?<![\w.-])(\d{4})-$")
_MONTH_LENGTH = 5
"""Number of characters of a year and its hyphen."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_COMPUTE_CAPABILITY = re.compile(r"(?<![^\W_])(?:sm|compute)_(\d{1,2})(\d)[af]?(?![^\W_])")
"""A GPU architecture as compilers write it: ``sm_90`` and ``compute_90a`` are 9.0."""
_DECADE = re.compile(r"(?:1[5-9]|20)\d0")
"""The digits of ``1970s``."""
_DECADE_LEAD = re.compile(r"(?:\b(?:early|late|mid|since the|in the|of the)[\s-]|['\u2019])$", re.I)
_LEAD_OF_DECADE = 10
"""Characters before ``70s`` that say that it is a decade, and no time."""
_MIN_ROUNDED_DIGITS = 2
"""Digits of a number from which it may be a rounded one."""
_MAX_LIST_COUNT = 12
"""The largest spelled number that may count what a text lists without saying so."""
_COUNTED_WITHIN = 3
"""Number of words after a number among which is the noun that it counts."""
_WINDOW = 80
"""Number of characters after a number in which these words are."""
_WORD = re.compile(r"[^\W\d_]+")

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_MIN_CAPITALIZED_LETTERS = 4
"""Letters of a unit from which its first one may be a capital, as at the start of a sentence."""


def _forms_of_unit(spelling: str) -> tuple[str, ...]:
    """Return a unit as it is written within and at the start of a sentence: ``Minutes``."""
    is_word = spelling.islower() and len(spelling) >= _MIN_CAPITALIZED_LETTERS
    return (spelling, spelling.capitalize()) if is_word else (spelling,)


_UNITS_OF_KEYS = {
    "Milliseconds": "ms",
    "Millis": "ms",
    "Ms": "ms",
    "Seconds": "s",
    "Secs": "s",
    "Minutes": "min",
    "Mins": "min",
    "Hours": "h",
    "Days": "d",
    "Bytes": "bytes",
    "KB": "KB",
    "MB": "MB",
    "GB": "GB",
    "KiB": "KiB",
    "MiB": "MiB",
    "GiB": "GiB",
    "Percent": "%",
}
"""Units with which the names of keys end, with a spelling in `UNITS`."""
_VALUE_OF_KEY = re.compile(
    rf"""
    (?<=[a-z0-9])(?P<unit>{"|".join(_UNITS_OF_KEYS)})
    [`"'*]{{0,2}}\s?[:=|]\s?[`"'*]{{0,2}}      # a colon, an equals sign or the cell beside it
    (?P<digits>\d+(?:\.\d+)?)(?![\w.]*\w)
    """,
    re.VERBOSE,
)
"""``periodSeconds: 10``, ``timeoutMs=500``, and such a key in the cell before its value."""

UNITS: dict[str, tuple[str, Fraction]] = {
    form: (dimension, Fraction(factor))
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
        ("characters", 1, "char chars character characters"),
    )
    for spelling in spellings.split()
    for form in _forms_of_unit(spelling)
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
    unscaled: str = ""
    """Its digits as written: ``512`` of ``512M``, which may be megabytes."""
    month: str = ""
    """Year and month, such as ``2025-7``, if it is the month of ``2025-07``."""
    is_short: bool = field(default=False, compare=False)
    """True for ``60m``, which may be minutes; elsewhere, ``m`` is a thousandth or a metre."""
    start: int = field(default=0, compare=False)
    """The offset of its digits in the text."""

    @property
    def value(self) -> Fraction | None:
        """Its value in the base unit of its dimension; ``None`` for a version such as ``1.2.3``."""
        is_version = self.text.count(".") > 1
        return None if is_version else Fraction(self.text) * self.factor


def read_quantities(text: str) -> Iterator[Quantity]:
    """Yield the numbers of a text, spelled ones too."""
    spelled_at: dict[int, int] = {}

    def digits(words: re.Match[str]) -> str:
        """Return a spelled number in digits, padded so that all offsets stay."""
        spelled_at[words.start()] = words.end()
        return _digits_of(words).ljust(len(words[0]))

    spelled = _SPELLED_WORD.sub(digits, text)
    plain = _HASH.sub(lambda name: " " * len(name[0]), spelled)
    for match in _NUMBER.finditer(plain):
        yield _quantity(match, text, spelled_at.get(match.start("digits"), 0))


def _digits_of(words: re.Match[str]) -> str:
    """Return the digits of a spelled number: ``10000`` of ``ten thousand``."""
    if not words["scale"]:
        return SPELLED_NUMBERS[words[0].lower()]
    times = int(SPELLED_NUMBERS.get(words["times"].lower(), "1"))
    return str(times * _SCALES[words["scale"].lower()])


def _quantity(match: re.Match[str], text: str, spelled_end: int) -> Quantity:
    """Return a number of a text.

    Args:
        match: the number in the text with digits for spelled numbers, whose offsets are the same.
        text: the text as it is.
        spelled_end: where the number ends if it is spelled in the text; else 0.
    """
    sign = "-" if match["sign"] else ""
    whole = re.sub(r"\D", "", match["digits"]).lstrip("0") or "0"
    unit = "percent" if match["percent"] else "unit"
    is_decade = match["unit"] == "s" and _is_decade(text, match)
    dimension, factor = UNITS.get(match[unit] or "", ("", Fraction(1)))
    if is_decade:
        dimension, factor = "", Fraction(1)
    end = match.end(unit) if dimension else max(match.end("more"), match.end("scale"))
    end = match.end("unit") if is_decade else max(end, spelled_end)
    start = match.start("digits")
    written = text[match.start() : end].strip()
    unscaled = sign + whole + match["more"]
    return Quantity(
        text=_scale(unscaled, match["scale"]),
        dimension=dimension,
        factor=factor,
        written=written,
        is_spelled=bool(spelled_end),
        counted=frozenset(_counted_words(text, start, spelled_end or end)),
        unscaled=unscaled,
        month=_month_at(text, match),
        is_short=text.startswith("m", end) and not text[end + 1 : end + 2].isalnum(),
        start=start,
    )


def _is_decade(text: str, match: re.Match[str]) -> bool:
    """Return whether an ``s`` behind a number makes it a decade: ``1970s``, ``the late 70s``."""
    is_glued = match.end("digits") == match.start("unit")
    digits = match["digits"]
    if not is_glued or not digits.endswith("0"):
        return False
    start = match.start("digits")
    lead = text[max(0, start - _LEAD_OF_DECADE) : start]
    is_short = len(digits) == len("70") and _DECADE_LEAD.search(lead) is not None
    return is_short or _DECADE.fullmatch(digits) is not None


def _scale(number: str, scale: str | None) -> str:
    """Return the digits of a number with its suffix: ``7000`` of ``7K``."""
    is_version = number.count(".") > 1
    if not scale or is_version:
        return number
    factor = _SCALES[scale.strip("- \t\n\u00a0").lower()]
    return format((Decimal(number) * factor).normalize(), "f")


def _month_at(text: str, match: re.Match[str]) -> str:
    """Return year and month if a number is the month of a date such as ``2025-07``; else empty."""
    start = match.start("digits")
    year = _YEAR_BEFORE.search(text, max(0, start - _MONTH_LENGTH), start)
    is_month = len(match["digits"]) == len("07") and int(match["digits"]) in range(1, 13)
    return f"{year[1]}-{int(match['digits'])}" if year and is_month else ""


def _counted_words(text: str, start: int, end: int) -> Iterator[str]:
    """Yield the stems of the words after a number, one of which it may count."""
    is_value = text.endswith("=", 0, start)  # which counts nothing
    if is_value:
        return
    following = _WORD.findall(text[end : end + _WINDOW])
    for word in following[:_COUNTED_WITHIN]:
        yield stem(word.casefold())


class QuantityIndex:
    """The numbers of some texts."""

    def __init__(self, text: str) -> None:
        self._quantities = tuple(read_quantities(text))
        words = re.findall(r"[^\W\d_]+|%", text)
        self._units = {UNITS[word] for word in words if word in UNITS}
        self._has_single = bool(_ONE_AS_NUMBER.search(text))
        self._months = set(_named_months(text))
        self._ordinals = {_ORDINALS[word.lower()] for word in _ORDINAL.findall(text)}
        self._versions = set(_other_forms_of_versions(text, self._quantities))
        self._values_of_keys = set(_values_of_keys(text))

    def has(self, quantity: Quantity) -> bool:
        """Return whether a text has the quantity, or does not contradict what it merely counts."""
        if any(self._is_equal(quantity, other) for other in self._quantities):
            return True
        if (quantity.dimension, quantity.value) in self._values_of_keys:
            return True
        if not quantity.dimension and quantity.text in self._versions | self._ordinals:
            return True
        is_single = self._has_single and _is_same_number(quantity.text, "1")
        if quantity.month in self._months or (is_single and not quantity.dimension):
            return True
        return self._may_count(quantity)

    def has_magnitude(self, quantity: Quantity) -> bool:
        """Return whether a text has the quantity with another sign, or a percentage without one.

        A drop of 21 % is ``-21%``, and a cell below *Share in %* is ``28.57``: it has three digits
        or more, as others are found by chance.
        """
        value = quantity.value
        if value is None:
            return False
        digits = quantity.text.lstrip("-0.").replace(".", "")
        may_be_bare = quantity.dimension == "percent" and len(digits) > _MIN_ROUNDED_DIGITS
        dimensions = {quantity.dimension, ""} if may_be_bare else {quantity.dimension}
        return any(
            other.dimension in dimensions
            and other.value is not None
            and abs(other.value) == abs(value)
            for other in self._quantities
        )

    def has_proportion(self, quantity: Quantity) -> bool:
        """Return whether a text has a percentage as a proportion, or the other way: 27 %, 0.27."""
        value = quantity.value
        if value is None or quantity.dimension not in {"", "percent"}:
            return False
        is_percent = quantity.dimension == "percent"
        is_proportion = not is_percent and 0 < abs(value) < 1
        wanted = value / 100 if is_percent else value * 100
        dimension = "" if is_percent else "percent"
        return (is_percent or is_proportion) and any(
            other.dimension == dimension and other.value == wanted for other in self._quantities
        )

    def with_value(self, quantity: Quantity) -> Iterator[Quantity]:
        """Yield the numbers of the texts that are the same quantity."""
        return (other for other in self._quantities if self._is_equal(quantity, other))

    def has_rounded(self, quantity: Quantity) -> bool:
        """Return whether a text has the quantity with more or fewer digits.

        Digits may be rounded or cut: 1.02 of 1.023, and 9.9M of 9,952,669.
        """
        value, step = quantity.value, _step_of(quantity)
        if value is None or step is None:
            return False
        for other in self._quantities:
            other_value, other_step = other.value, _step_of(other)
            has_same_dimension = other.dimension in {"", quantity.dimension}
            if other_value is None or other_step is None or not has_same_dimension:
                continue
            is_rounded = abs(other_value - value) <= max(step, other_step) / 2
            is_cut = other_step < step and 0 < abs(other_value) - abs(value) < step
            if other_value != value and (is_rounded or is_cut):
                return True
        return False

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

    def has_product(self, quantity: Quantity, sentence: QuantityIndex) -> bool:
        """Return whether a quantity is the product or quotient of two quantities of the texts.

        Both stand in the `sentence`, too, so that a reader can follow: 90 % of 1,000 are 900, and
        10,000 of 20 kB are 200 MB.
        """
        operands = [
            other
            for other in sentence._quantities
            if other.value and any(self._is_equal(other, known) for known in self._quantities)
        ]
        return any(
            _is_product(quantity, first, second) or _is_quotient(quantity, first, second)
            for first, second in permutations(operands, 2)
        )

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
        if other.is_short and quantity.dimension == "time" and quantity.value is not None:
            return other.value is not None and quantity.value == other.value * _MINUTE
        if not quantity.dimension:
            # A bare number of the sentence may have any unit in the text.
            return quantity.text == other.text
        # A bare number of the text may have a unit that stands elsewhere in it.
        is_unit_there = (quantity.dimension, quantity.factor) in self._units
        forms = {other.text, other.unscaled}
        return is_unit_there and any(_is_same_number(quantity.text, form) for form in forms)

    def _may_count(self, quantity: Quantity) -> bool:
        """Return whether a spelled number may count what the text lists.

        It may not if the text counts the same with another number.
        """
        if not quantity.is_spelled or quantity.dimension:
            return False
        is_small = 0 < int(quantity.text) <= _MAX_LIST_COUNT
        is_same_counted = any(quantity.counted & other.counted for other in self._quantities)
        return is_small and not is_same_counted


def _values_of_keys(text: str) -> Iterator[tuple[str, Fraction]]:
    """Yield the values of keys whose names end with a unit, with its dimension, in its base unit.

    ``periodSeconds: 10`` is 10 seconds.
    """
    for match in _VALUE_OF_KEY.finditer(text):
        dimension, factor = UNITS[_UNITS_OF_KEYS[match["unit"]]]
        yield dimension, Fraction(match["digits"]) * factor


def _named_months(text: str) -> Iterator[str]:
    """Yield year and month of the dates whose month is a word: ``2025-7`` for ``July 2025``."""
    for date in _NAMED_MONTH.finditer(text):
        yield f"{date['year']}-{_MONTHS.index(date['name'].lower()) + 1}"


def _other_forms_of_versions(text: str, quantities: Iterable[Quantity]) -> Iterator[str]:
    """Yield the versions of a text as a sentence may write them: ``2.12`` for 2.12.0.

    The last figure is left out if it is a zero behind two others; any other one would be lost.
    """
    for quantity in quantities:
        if re.fullmatch(r"\d+\.\d+\.0", quantity.text):
            yield quantity.text.removesuffix(".0")
    for architecture in _COMPUTE_CAPABILITY.finditer(text):
        yield f"{architecture[1]}.{architecture[2]}"


def _step_of(quantity: Quantity) -> Fraction | None:
    """Return the size of the last digit of a number that may be rounded; else ``None``.

    It has two digits or more, of which the last ones may be zeros: 100 of 4,900. A year is none.
    """
    if _YEAR.fullmatch(quantity.text):
        return None
    digits = quantity.text.lstrip("-0.").replace(".", "")
    if len(digits.rstrip("0")) < _MIN_ROUNDED_DIGITS or quantity.text.count(".") > 1:
        return None
    decimals = len(quantity.text.partition(".")[2])
    zeros = 0 if decimals else len(quantity.text) - len(quantity.text.rstrip("0"))
    return quantity.factor * Fraction(10) ** (zeros - decimals)


def _is_same_number(number: str, other: str) -> bool:
    """Return whether two numbers are equal as decimals: ``120`` and ``120.000``."""
    if number == other:
        return True
    is_version = number.count(".") > 1 or other.count(".") > 1
    return not is_version and Fraction(number) == Fraction(other)


def _is_product(quantity: Quantity, factor: Quantity, other: Quantity) -> bool:
    """Return whether a quantity is `factor`, a bare number or percentage, times another one."""
    times = _factor_of(factor)
    if times is None or other.value is None:
        return False
    return quantity.dimension == other.dimension and quantity.value == times * other.value


def _is_quotient(quantity: Quantity, first: Quantity, second: Quantity) -> bool:
    """Return whether a quantity is the first of two divided by the second."""
    if first.value is None or not second.value:
        return False
    if first.dimension == second.dimension:
        return _factor_of(quantity) == first.value / second.value
    is_divided_by_number = not second.dimension and quantity.dimension == first.dimension
    return is_divided_by_number and quantity.value == first.value / second.value


def _factor_of(quantity: Quantity) -> Fraction | None:
    """Return a bare number, or the proportion of a percentage; ``None`` with another unit."""
    if quantity.value is None or quantity.dimension not in {"", "percent"}:
        return None
    return quantity.value / 100 if quantity.dimension else quantity.value


def missing_quantities(quantities: Iterable[Quantity], index: QuantityIndex) -> Iterable[str]:
    """Return those of some numbers, as written, that the index does not have."""
    return (quantity.written for quantity in quantities if not index.has(quantity))
