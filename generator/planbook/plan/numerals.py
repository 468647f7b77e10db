"""Numbers of PARTs, steps and sections: ``4``, ``IV``, ``Four``, ``twenty-one``."""

from __future__ import annotations

import re

_CAPITALS = r"(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_ROMAN = rf"(?-i:{_CAPITALS}|(?=[ivxl]{{2}})(?:xl|l?x{{0,3}})(?:ix|iv|v?i{{0,3}}))"
"""Up to 89; small letters only in pairs, as ``i`` and ``x`` stand for any number."""
_WORDS = re.findall(
    r"\w+",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen"
    " seventeen eighteen nineteen twenty",
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
_NUMBER_IN_WORDS = rf"(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_WORDS[:9])}))?|{'|'.join(_WORDS)}"
_NUMERAL_END = r"(?=[\s*_]{0,8}(?:[:.)–—-]|$)|\s+(?:Create|Write|Update|COMPLETED?|DONE)\b)"
"""A numeral in letters ends before a mark, a verb or nothing: *Part I: Mills*, not *Part I like
best*."""

DIGITS = r"\d{1,20}(?![-–]\d)(?:\.\d{1,4}){0,3}(?:[a-zA-Z](?!\w))?(?!\w)"
"""``4``, ``4b`` and ``4.1``, but no range."""
NUMBER = rf"(?P<number>{DIGITS}|(?:{_ROMAN}|{_NUMBER_IN_WORDS}){_NUMERAL_END})"
"""A pattern for the number of a PART, step or section; words in any case."""
NUMBER_OR_LETTER = rf"(?:{NUMBER}|(?-i:[A-Z])(?=[*_]{{0,3}}[:.)]))"
"""The same, or one capital, which has no value, before a mark."""

_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}
_VALUE_BY_WORD = {word: value for value, word in enumerate(_WORDS, start=1)} | _TENS


def value_of(numeral: str) -> int:
    """Return the value of what `NUMBER` matches: 4 for ``4``, ``4b``, ``IV`` and ``four``."""
    digits = re.match(r"\d+", numeral)
    if digits:
        return int(digits[0])
    words = re.split(r"[ -]", numeral.lower())
    if words[0] in _VALUE_BY_WORD:
        return sum(_VALUE_BY_WORD[word] for word in words)
    values = [_VALUES[letter] for letter in numeral.upper()]
    following = [*values[1:], 0]
    return sum(
        -value if value < next_value else value
        for value, next_value in zip(values, following, strict=True)
    )


def is_letter(numeral: str) -> bool:
    """Return True for a numeral that may as well stand for something to fill in: ``X``."""
    return numeral in {"X", "L"}


def is_roman(numeral: str) -> bool:
    """Return True for a Roman numeral."""
    return bool(re.fullmatch(_ROMAN, numeral))
