"""The units of passages that a writer names by some of their words."""

from __future__ import annotations

import pytest

from planbook.research.writers.quote_choice.named_units import (
    find_named_sentence,
    find_nearest_unit,
    units_of_citation,
)
from tests.research.writers.quote_choice.groups import cited

PROSE = "Clay **keeps** its heat. The `max_heat` is 800; use `--no-vent`. See [the lid](lid.md) first."
LIST = "- Open the vents.\n- Wait for 90 minutes."
UNITS = list(units_of_citation(cited(PROSE, LIST)))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("clay keeps its", ["Clay **keeps** its heat."]),
        ("max_heat is 800", ["The `max_heat` is 800; use `--no-vent`."]),
        ("use --no-vent", ["The `max_heat` is 800; use `--no-vent`."]),
        ("heat. The max_heat", ["Clay **keeps** its heat.", "The `max_heat` is 800; use `--no-vent`."]),
        ("see the lid first", ["See [the lid](lid.md) first."]),
        ("vents. Wait", ["- Open the vents.", "- Wait for 90 minutes."]),
        ("heat first", []),
        ("vent. See", []),
        ("lay keeps", []),
        ("\u2026", []),
    ],
)
def test_words_in_a_row_name_units(words: str, named: list[str]) -> None:
    """Whatever marks stand between them; parts of words name none."""
    assert [unit.text for unit in find_named_sentence(UNITS, words).units] == named


def test_different_sentences_that_have_the_words_are_told() -> None:
    """The units are those of the first one; one sentence in two places is one."""
    units = list(units_of_citation(cited("The default is 10. Keep it.", "The default is 10. The default is 20.")))
    sentence = find_named_sentence(units, "the default is")
    assert [unit.text for unit in sentence.units] == ["The default is 10."]
    assert sentence.sentences == ("The default is 10.", "The default is 20.")


def test_the_nearest_unit_shares_most_words() -> None:
    """It is named in the message about words that no unit has."""
    assert find_nearest_unit(UNITS, "wait 80 minutes").text == "- Wait for 90 minutes."
