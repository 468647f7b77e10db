"""Figures and names of a claim that none of its sources has. Pure.

What follows from other figures, is rounded, or is written in another form is not absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from planbook.research.audit.comparison.read_source import YEAR, ReadSource
from planbook.research.proof.quantities import read_quantities
from planbook.research.proof.sentences import (
    MissingWords,
    find_missing_words,
)

MONTH_NAME = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    "|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_BEFORE_PLACE = r"(?:[§#/]\s?|(?:\d|\.\w{1,8}):\s?|\d\s?[–-]\s?|\w[–-])"
"""The text before the number of a section, issue, path, line, time or the end of a range.

A colon alone does not: ``count: 43`` is a figure.
"""
_FACTORS = (1.609344, 0.3048, 2.54, 0.45359, 1.852)
"""Kilometres of a mile, metres of a foot, centimetres of an inch, kilograms of a pound, kilometres
of a sea mile."""
_CONVERTED = re.compile(
    r"\((?:approximately|approx\.?|about|around|roughly|some|~|\u2248|US)[^()]*\)"
)


def _is_derived(written: str, sentence: str) -> bool:
    """Return whether a figure follows from others of its sentence: a ratio, or another unit.

    Examples are the last ones of ``36.81 | 48.34 (+31%)`` and ``175 km/h (109 mph)``. So may be
    what stands in brackets as an approximation.
    """
    if any(written in converted[0] for converted in _CONVERTED.finditer(sentence)):
        return True
    number = next(read_quantities(written), None)
    if number is None or number.text.count(".") > 1:
        return False
    wanted = abs(float(number.text))
    decimals = len(number.text.partition(".")[2])
    other_figures = [
        abs(float(other.text))
        for other in read_quantities(sentence)
        if other.text.count(".") <= 1 and other.written != written
    ]
    step = 10.0**-decimals
    most = step if f"+{number.text}" in sentence else 0.51 * step  # cut, or rounded
    return any(
        -0.51 * step <= result - wanted < most
        for figure in other_figures
        for result in _results_of(figure, other_figures, has_sign=number.dimension == "percent")
    )


def _results_of(figure: float, operands: Sequence[float], *, has_sign: bool) -> Iterator[float]:
    """Yield what a number is in other units, and its ratios to others; or these as percentages."""
    if not has_sign:
        for factor in _FACTORS:
            yield from (figure * factor, figure / factor)
        yield from (figure * 1.8 + 32, (figure - 32) / 1.8)  # degrees Fahrenheit and Celsius
    for other in operands:
        if other and other != figure:
            ratio = figure / other
            yield from (100 * ratio, 100 * abs(ratio - 1)) if has_sign else (ratio,)


def _completes_date(written: str, sentence: str, texts: Sequence[ReadSource]) -> bool:
    """Return whether a year belongs to a day of a month that a source has without its year."""
    if not YEAR.fullmatch(written):
        return False
    dates = re.findall(rf"({MONTH_NAME})\.?\s(\d{{1,2}}),?\s{written}", sentence)
    return any(
        re.search(rf"\b{month[:3]}[a-z]{{0,6}}\.?\s{day}\b", text.fetched.text)
        for month, day in dates
        for text in texts
    )


def find_absent_figures(
    sentence: str, absent: Sequence[str], texts: Sequence[ReadSource]
) -> Iterator[str]:
    """Yield the absent numbers of two digits, or with a unit.

    Those of lines, sections, issues, paths and seasons (``2018-19``) do not count, nor small ones
    in words, nor what the source writes in another form, or rounds, nor what may be a result.
    """
    for written in _figures_not_written(sentence, absent, texts):
        if not may_be_result(written, sentence, texts):
            yield written


def find_results(
    sentence: str, absent: Sequence[str], texts: Sequence[ReadSource]
) -> Iterator[str]:
    """Yield the absent numbers that may be sums, differences or counts of what the sources have."""
    for written in _figures_not_written(sentence, absent, texts):
        if may_be_result(written, sentence, texts):
            yield written


def _figures_not_written(
    sentence: str, absent: Sequence[str], texts: Sequence[ReadSource]
) -> Iterator[str]:
    """Yield the absent numbers that no source writes in another form."""
    for written in dict.fromkeys(absent):
        pattern = rf"{_BEFORE_PLACE}{re.escape(written)}|{re.escape(written)}(?:[/_]\w|:\d)"
        is_reference = bool(re.search(pattern, sentence))
        is_other_form = _is_derived(written, sentence) or _completes_date(written, sentence, texts)
        has_more = bool(re.search(r"\d", written[:-1]) and re.fullmatch(r"[%\w]", written[-1:]))
        has_size = len(re.findall(r"\d", written)) > 1 or has_more
        quantities = list(read_quantities(written))
        has_unit = any(quantity.dimension for quantity in quantities)
        has_digits = not has_unit and any(text.has_digits(written) for text in texts)
        is_written_otherwise = has_digits or has_other_form(written, texts)
        is_numbered = any(text.has_numbered(written) for text in texts)
        is_named = not has_unit and _is_of_name(written, sentence)
        is_version = written.startswith("v") and "." not in written
        is_clear = not (is_version or is_numbered or is_named)
        is_sure = has_size and is_clear and not is_other_form
        if is_sure and not is_reference and not is_written_otherwise:
            yield written


def _is_of_name(written: str, sentence: str) -> bool:
    """Return whether a number is that of a standard or model, as in *ISO 8601*."""
    return (
        re.search(rf"\b[A-Z]{{2,8}}[ \u00a0-]{re.escape(written)}(?![\w%]|\.\d)", sentence)
        is not None
    )


def has_other_form(written: str, texts: Sequence[ReadSource]) -> bool:
    """Return whether a source has a figure rounded, without its sign, or as another decade."""
    quantities = list(read_quantities(written))
    return any(
        text.has_decade(written)
        or any(
            text.words.quantities.has_rounded(quantity)
            or text.words.quantities.has_magnitude(quantity)
            or text.words.quantities.has_proportion(quantity)
            for quantity in quantities
        )
        for text in texts
    )


_CHANGE = re.compile(
    r"\+\d|\b(?:better|worse|improv\w*|gains?|gained|higher|lower|more|less|fewer|faster|slower"
    r"|drop\w*|fell|falls?|declin\w*|decreas\w*|increas\w*|reduc\w*|rises?|rose|gr[eo]w\w*|ahead"
    r"|leads?|gap|differ\w*|delta|points?|pp|outperform\w*|beats?|exceed\w*|sav(?:e[sd]?|ings?))\b"
    r"|提升|下降|降低|提高|高出|领先|超过|超越|差距|减少|增加|相差",
    re.IGNORECASE,
)
"""Words of a sentence whose figure may be the difference of two figures of a source."""
_PRODUCT = re.compile(
    r"[\u00d7*=]|\b(?:each|per|every|times|total\w*|overall)\b|每|共", re.IGNORECASE
)
_AT_LEAST = (
    r"(?:over|more than|at least|nearly|almost|about|around|some|\u8d85\u8fc7|\u81f3\u5c11|~)"
)
_MOST_OF_COUNT = 2
"""A list with *50+* items has at most so many times as many."""
_LEAST_COUNT = 10
_PROPORTION = re.compile(
    r"(?<![\d.,])(\d[\d,]{0,9})\s?(?:/|of|out of|in)\s?(?:the\s|all\s)?(\d[\d,]{0,9})(?![\d.,]*\d)"
)
"""``9 of 10``, which may be 90 %."""
_FRACTIONS = {
    10: "tenth",
    20: "fifth",
    25: "quarter",
    33: "third",
    50: "half|halv",
    66: "two[- ]thirds",
    67: "two[- ]thirds",
    75: "three[- ](?:quarter|fourth)",
    80: "four[- ](?:fifths|of five|out of five)",
    90: "nine (?:in|of|out of) ten",
    100: "all|every|doubl|twice",
    200: "tripl",
}
"""Percentages that a text may have in words."""


def may_be_result(written: str, sentence: str, texts: Sequence[ReadSource]) -> bool:
    """Return whether a figure may be reckoned from others, which says nothing of its truth.

    It may be a sum, difference or product of figures of its sentence, the difference of two figures
    of a sentence of a source, the number of rows or items there, or a share in words.
    """
    number = next(read_quantities(written), None)
    if number is None or number.text.count(".") > 1:
        return False
    value = abs(float(number.text))
    tolerance = 0.51 * 10.0 ** -len(number.text.partition(".")[2])
    is_of_sentence = _is_sum(value, tolerance, _others_in(sentence, written), sentence)
    is_of_sentence = is_of_sentence or _is_share_of_proportions(value, tolerance, sentence)
    if is_of_sentence or any(text.statements.has_rate(written, sentence) for text in texts):
        return True
    is_change = _CHANGE.search(sentence) is not None and len(number.text.strip("-0.")) > 1
    if is_change and any(
        text.statements.has_difference(sentence, value, tolerance) for text in texts
    ):
        return True
    if number.dimension == "percent":
        return any(_has_share(value, tolerance, text.fetched.text) for text in texts)
    return not number.dimension and any(
        _counts(written, value, sentence, text.counts) for text in texts
    )


def _others_in(sentence: str, written: str) -> list[float]:
    """Return the figures of a sentence but for one, in their order."""
    return [
        abs(float(other.text))
        for other in read_quantities(sentence)
        if other.text.count(".") <= 1 and other.written != written
    ]


def _is_sum(value: float, tolerance: float, operands: Sequence[float], sentence: str) -> bool:
    """Return whether a value is reckoned from figures of its sentence.

    It is the sum or difference of two, their product, or the sum of three or more side by side.
    """
    results = []
    for some, other in combinations(operands, 2):
        results += [some + other, abs(some - other)]
        if _PRODUCT.search(sentence):
            results.append(some * other)
    for first in range(len(operands)):
        for last in range(first + 3, len(operands) + 1):
            results.append(sum(operands[first:last]))
    return any(result and abs(result - value) <= tolerance for result in results)


def _has_share(value: float, tolerance: float, text: str) -> bool:
    """Return whether a text has a percentage as a proportion, or in words."""
    in_words = _FRACTIONS.get(int(value)) if value == int(value) else None
    if in_words and re.search(rf"\b(?:{in_words})", text, re.IGNORECASE):
        return True
    for proportion in _PROPORTION.finditer(text):
        part, whole = (float(digits.replace(",", "")) for digits in proportion.groups())
        if whole and part <= whole and abs(100 * part / whole - value) <= tolerance:
            return True
    return False


def _is_share_of_proportions(value: float, tolerance: float, sentence: str) -> bool:
    """Return whether a value is the percentage of proportions of its sentence, or their mean."""
    pairs = [
        (float(part.replace(",", "")), float(whole.replace(",", "")))
        for part, whole in _PROPORTION.findall(sentence)
    ]
    wholes = sum(whole for _, whole in pairs)
    return bool(wholes) and abs(100 * sum(part for part, _ in pairs) / wholes - value) <= tolerance


def _counts(written: str, value: float, sentence: str, counts: frozenset[int]) -> bool:
    """Return whether a figure counts what a list or table has; *50+* may be fewer than it has."""
    digits = re.escape(written)
    match = re.search(rf"(?<![\d.,]){digits}(?P<plus>\+?)[\s-]?(?=[^\W\d_])", sentence)
    if match is None or value < _LEAST_COUNT or value != int(value):
        return False
    is_open = match["plus"] or re.search(rf"\b{_AT_LEAST}\s?{digits}", sentence, re.IGNORECASE)
    if is_open:
        return any(value <= count <= _MOST_OF_COUNT * value for count in counts)
    return int(value) in counts


_LINES = re.compile(r"[#:]L?(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?$")
"""The lines of a citation: ``file.ts:83``, ``file.ts#L83-L90``."""
_LINE_NUMBERS = re.compile(
    r"(?:\blines?:?|第|#L)\s?~?(\d+)(?:\s?(?:-|\u2013|to|and)\s?L?(\d+))?", re.I
)
"""Lines in words: ``at line 83``."""


def find_missing_everywhere(
    sentence: str, texts: Sequence[ReadSource], urls: Sequence[str]
) -> MissingWords:
    """Return the words of a sentence that none of its sources has anywhere.

    The lines of its citations are no figures of it.
    """
    of_places = [match for url in urls if (match := _LINES.search(url))]
    places = [*of_places, *_LINE_NUMBERS.finditer(sentence)]
    lines = {line for location in places for line in location.groups("")}
    missing = [find_missing_words(sentence, text.words) for text in texts]
    quantities = _common_words([of_text.quantities for of_text in missing])
    return MissingWords(
        code=_common_words([of_text.code for of_text in missing]),
        quantities=tuple(figure for figure in quantities if figure not in lines),
        names=_common_words([of_text.names for of_text in missing]),
    )


def _common_words(groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words that all groups have, in the order of the first one."""
    first, *later_groups = groups
    return tuple(
        word for word in dict.fromkeys(first) if all(word in group for group in later_groups)
    )
