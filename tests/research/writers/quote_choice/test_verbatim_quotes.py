"""A quote is verbatim in its source, and as long as the rules for drafts want it."""

from __future__ import annotations

import pytest

from planbook.research.writers.quote_choice.quotable_units import units_of_passage
from planbook.research.writers.quote_choice.verbatim_quotes import quotes_of_units
from tests.research.writers.quote_choice.groups import cited, readings_of

HEAT = "A kiln keeps **its heat** for long."
LID = "The lid is heavy, and two people lift it."
ASH = "Its ash is grey and fine."
REST = "Nobody at all may stand below it meanwhile, or sit there on a bench."

ROWS = [
    # Adjacent units are one quote; emphasis is not a word.
    (f"{HEAT} {LID} {REST}", [0, 1], 3, ["A kiln keeps its heat for long. The lid is heavy, and two people lift it."]),
    # Distant units are two, if there may be two.
    (f"{HEAT} {LID} {REST} {ASH}", [1, 3], 3, [LID, ASH]),
    # One that the source has twice goes on with the unit before it, which tells the two apart.
    (f"{HEAT} {LID} {ASH} {HEAT}", [3], 3, [f"{ASH} A kiln keeps its heat for long."]),
    # A quote that is too short goes on with the next unit.
    ("No. Nobody stands there.", [0], 3, ["No. Nobody stands there."]),
    # Code keeps its lines.
    ("$ kiln start\n  kiln stop --now", [0, 1], 3, ["kiln start\n  kiln stop --now"]),
]


@pytest.mark.parametrize(("text", "numbers", "limit", "quotes"), ROWS)
def test_units_become_quotes(text: str, numbers: list[int], limit: int, quotes: list[str]) -> None:
    """A row: a passage, the numbers of its chosen units, the limit of quotes, and the quotes."""
    citation = cited(text)
    (passage,) = citation.excerpts[0].passages
    units = list(units_of_passage(passage, 0, ()))
    readings = readings_of(citation)[citation.source.id]
    assert [*quotes_of_units([units[n] for n in numbers], readings, limit)] == quotes
