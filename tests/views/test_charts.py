"""The bar of states: well-formed SVG that says in words what it shows."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.model import State
from generator.views.template import LABELS, reading_time, state_bar

HOSTILE_NAME = "A & B <script>\"'</title>"


def tree(markup: str) -> ET.Element:
    """The markup as XML, which it must be."""
    return ET.fromstring(markup)  # noqa: S314 - our own


def test_state_bar_says_its_numbers() -> None:
    """The image is named by what it counts, the legend says it again, and the widths add up to the whole."""
    markup = state_bar({State.DONE: 3, State.OPEN: 1, State.SKIPPED: 0}, HOSTILE_NAME)
    bar = tree(markup)
    svg = bar.find("svg")
    assert svg is not None
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == f"{HOSTILE_NAME}: 3 done, 1 open"
    legend = ["".join(item.itertext()) for item in bar.iter("li")]
    assert legend == ["3 done", "1 open"]
    assert [element.get("data-state") for element in svg if element.get("data-state")] == ["done", "open"]


def test_state_bar_of_nothing() -> None:
    """A plan without PARTs has a bar too, and says that there is nothing in it."""
    assert "no PARTs" in "".join(tree(state_bar({}, "x")).itertext())


@given(st.text(), st.dictionaries(st.sampled_from(list(State)), st.integers(0, 10**6)))
def test_any_numbers_and_names_make_a_well_formed_bar(name: str, counts: dict[State, int]) -> None:
    """Whatever is counted, and whatever it is called."""
    name = "".join(character for character in name if character.isprintable())
    bar = tree(state_bar(counts, name))
    assert len(list(bar.iter("li"))) == sum(counts.get(state, 0) > 0 for state in LABELS)


@pytest.mark.parametrize(("words", "text"), [(0, "1 min"), (600, "3 min"), (4_700, "20 min")])
def test_lists_give_the_time_to_read_a_page(words: int, text: str) -> None:
    """At 230 words a minute: a few more words leave the pages that list others as they are."""
    assert reading_time(words) == text
