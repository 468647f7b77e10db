"""The words by which a quote carries a statement: what is denied, and values."""

from __future__ import annotations

import pytest

from planbook.research.writers.quote_choice.telling_words import telling_stems, values_in

VALUES = [
    ("off", {"off"}),
    ("It is off by default.", {"off"}),
    ("Set `fan` to on.", {"on"}),
    ("| binary | off | no |", {"off", "no"}),
    ("set the parameter to \u201con\u201d", {"on"}),
    ("with the default being off.", {"off"}),
    ("The lid is on the kiln, and no fan is true to size.", set()),
]


@pytest.mark.parametrize(("text", "values"), VALUES)
def test_values_are_told_from_other_words(text: str, values: set[str]) -> None:
    """As a cell, by default, set, or in marks: not the preposition."""
    assert values_in(text) == values


def test_what_is_denied_is_another_word() -> None:
    """Up to the end of its clause; a cell with the word alone denies nothing."""
    assert {"\u00acbuff", "\u00acbuffer"} & telling_stems("It does neither queue nor buffer anything.")
    assert "\u00acfan" not in telling_stems("It does not heat, and the fan cools.")
    assert "\u00ac" not in telling_stems("| fan | no | none |")
    assert "\u00ac" not in telling_stems("It buffers.")
