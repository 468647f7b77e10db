"""Every form of number that is no figure, and figures beside it."""

from __future__ import annotations

import re

import pytest

from planbook.citations.wording import Wording
from planbook.research.audit.comparison.no_figures import NO_FIGURES, without_no_figures


@pytest.mark.parametrize("row", NO_FIGURES, ids=[row.example for row in NO_FIGURES])
def test_the_numbers_of_an_example_are_taken_out(row: Wording) -> None:
    """By its row alone, and by the whole table."""
    assert re.search(r"\d", row.example)
    alone = re.sub(row.pattern, " ", row.example, flags=re.IGNORECASE)
    assert not re.search(r"\d", alone)
    assert not re.search(r"\d", without_no_figures(row.example))


FIGURES = [
    *("The kettle has 54 pages.", "Room 12 has 300 kettles.", "It takes 15 min to boil.", "In 2026, it whistled."),
    *("It whistled in June 2026.", "The U.S. has 47 kettles.", "H2O boils at 100 degrees.", "Kettle 90 (steel, of 3)"),
    *("It is 4.25 m long.", "The kettle: 12 cups - all blue."),
]


@pytest.mark.parametrize("text", FIGURES)
def test_figures_stay(text: str) -> None:
    """Also those that look like a day, a place or an item."""
    assert re.findall(r"\d+", without_no_figures(text)) == re.findall(r"\d+", text)
