"""The units that are chosen for the statements, the code and the citations of a group."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planbook.research.drafts import PassageKind
from planbook.research.writers.quote_choice import CarriedText, CitedGroup
from planbook.research.writers.quote_choice.unit_choice import choose_units
from tests.research.writers.quote_choice.groups import cited

CHOSEN = [
    # A number in one unit and what it is about in the next one are chosen together.
    (
        "The delay is 30 seconds.",
        "Default delay: 30. All delays are in seconds.",
        {"Default delay: 30.", "All delays are in seconds."},
    ),
    # A sentence next to a chosen one may share a word by chance.
    ("Clay keeps its heat.", "Clay keeps heat. Heat hurts.", {"Clay keeps heat."}),
]


@pytest.mark.parametrize(("sentence", "text", "chosen"), CHOSEN)
def test_units_are_chosen_for_a_statement(sentence: str, text: str, chosen: set[str]) -> None:
    """Those that have its figures, names and words."""
    choice = choose_units(CitedGroup([cited(text)], [CarriedText(sentence)]))
    assert {unit.text for unit in choice.chosen} == chosen


def test_code_that_the_page_shows_is_chosen_by_its_lines() -> None:
    """They are the chosen ones; a line that carries prose is completed to a few lines."""
    code = "$ kiln set heat 800\nkiln set hold 40\nkiln start"
    shown = choose_units(CitedGroup([cited(code)], [], code=["kiln start"]))
    assert [unit.text for unit in shown.understandable(shown.chosen)] == ["kiln start"]
    told = choose_units(CitedGroup([cited(code)], [CarriedText("`kiln start` starts it.")]))
    assert len(told.understandable(told.chosen)) == 3


def test_what_a_list_is_about_is_quoted_with_its_first_item() -> None:
    """It is not quoted with the later ones: all items between would be quoted, too."""
    whole = cited("To cool it:\n- Open the vents.\n- Wait for 90 minutes.")
    (excerpt,) = whole.excerpts
    passages = tuple(replace(passage, kind=PassageKind.LIST) for passage in excerpt.passages)
    group = CitedGroup([replace(whole, excerpts=(replace(excerpt, passages=passages),))], [])
    choice = choose_units(group)
    announcement, first, last = choice.units
    assert choice.understandable([first]) == [announcement, first]
    assert choice.understandable([last]) == [last]


def test_each_citation_is_represented() -> None:
    """With the unit that shares most words, even if another citation carries the statement."""
    group = CitedGroup(
        [cited("Clay keeps heat."), cited("Straw burns. Clay holds heat.", work="crew")],
        [CarriedText("Clay keeps heat.")],
    )
    choice = choose_units(group)
    assert {unit.text for unit in choice.chosen} == {"Clay keeps heat.", "Clay holds heat."}
    assert [(unit.text, number) for unit, number in choice.added.items()] == [("Clay holds heat.", 0)]
