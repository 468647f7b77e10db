"""Lines that introduce those below them."""

from __future__ import annotations

import pytest

from planbook.markdown.plan_blocks import read_plan_blocks
from planbook.plan.forms import Meaning
from planbook.plan.lead_ins import is_label_alone, kind_of_list, read_item_lead_in, read_lead_in, read_topic_below

LEAD_INS = {
    "**Search queries** (three):": "Search queries",
    "Instructions:": "Instructions",
    "search queries:": "search queries",
    "but note:": None,
    'Search: "rye ash"': None,
}


@pytest.mark.parametrize("line", LEAD_INS)
def test_a_lead_in_ends_in_a_colon(line: str) -> None:
    """In small letters, its words must be a known topic."""
    assert read_lead_in(line) == LEAD_INS[line]


def test_a_line_below_an_item_introduces_others_only_by_a_topic() -> None:
    """Other words with a colon continue the item."""
    assert read_topic_below("Search queries:") == "Search queries"
    assert read_topic_below("Instructions:") is None


def test_an_item_introduces_the_items_below_with_a_longer_phrase_of_a_topic() -> None:
    """The phrase need not begin with a capital letter."""
    assert read_item_lead_in("what a loaf weighs:") is None
    assert read_item_lead_in("questions on the acidity of starters:") == "questions on the acidity of starters"


def test_the_words_of_a_list_are_a_field_or_a_topic() -> None:
    """A field whose value is a list comes first."""
    assert kind_of_list("Target Files") is Meaning.TARGET
    assert kind_of_list("Search queries") is Meaning.QUERIES
    assert kind_of_list("Instructions") is None


@pytest.mark.parametrize(
    ("text", "is_alone"), [("- **Instructions**:", True), ("- Instructions:", True), ("- [ ] Instructions:", False)]
)
def test_an_item_that_is_nothing_but_a_label_has_its_value_below(text: str, is_alone: bool) -> None:
    """With a box it is a task."""
    (item,) = [block for block in read_plan_blocks(text) if block.kind == "item"]
    assert is_label_alone(item) is is_alone
