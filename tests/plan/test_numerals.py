"""Numbers of PARTs, steps and sections, in digits, Roman numerals and words."""

from __future__ import annotations

import re

import pytest

from planbook.plan.numerals import NUMBER, is_letter, is_roman, value_of


@pytest.mark.parametrize(
    ("text", "numeral", "value"),
    [
        ("4: Mills", "4", 4),
        ("4b Mills", "4b", 4),
        ("4.1 Mills", "4.1", 4),
        ("IV: Mills", "IV", 4),
        ("xiv. Mills", "xiv", 14),
        ("LXXXIX: Mills", "LXXXIX", 89),
        ("Four – Mills", "Four", 4),
        ("twenty-one: Mills", "twenty-one", 21),
        ("Three Create mills.md", "Three", 3),
    ],
)
def test_a_number_has_its_value_in_each_form(text: str, numeral: str, value: int) -> None:
    """What follows it belongs to the title."""
    match = re.match(NUMBER, text, re.IGNORECASE)
    assert match is not None
    assert (match["number"], value_of(match["number"])) == (numeral, value)


@pytest.mark.parametrize("text", ["I like best", "one of them", "3-5 mills", "x: mills", "12th mill"])
def test_words_and_ranges_are_no_numbers(text: str) -> None:
    """A numeral in letters ends before a mark or a verb, and a single small letter is none."""
    assert re.match(NUMBER, text, re.IGNORECASE) is None


def test_a_roman_numeral_may_be_a_letter() -> None:
    """`X` is the number ten, and what a form leaves to fill in; `IX` is a number alone."""
    assert (is_roman("IX"), is_letter("IX")) == (True, False)
    assert (is_roman("X"), is_letter("X")) == (True, True)
    assert not is_roman("4")
