"""The quotes for a group of citations: one row is a sentence, the passages that it cites, and the quotes."""

from __future__ import annotations

import pytest

from planbook.research.writers.quote_choice import CarriedText, CitedGroup, CitedPassages, choose_quotes
from tests.research.writers.quote_choice.groups import cited, readings_of

HEAT = "A kiln of clay keeps its heat for 40 minutes. The door must stay shut meanwhile."
LIFT = "The lid is heavy, and two people lift it. Nobody stands below it."
STEPS = "- Open the vents.\n- Wait for 90 minutes.\n- Lift the lid with tongs."
TABLE = "| Option | Default |\n| --- | --- |\n| `heat` | 800 |\n| `hold` | 40 |"
CODE = "$ kiln set heat 800\nkiln set hold 40\nkiln start --keep"

COOL = "It makes sense to cool clay with a fan. Clay is neither heated nor cooled by a vent."
FAN = "| type | default |\n| --- | --- |\n| binary | off |"
ASH = "Straw burns. The tray is full in spring. In this case a pot of glaze is lost."

QUOTES = [
    # The sentence that has the words; not its neighbour.
    ("Clay keeps the heat for 40 minutes.", [HEAT], ["A kiln of clay keeps its heat for 40 minutes."]),
    ("Keep the door shut.", [HEAT], ["The door must stay shut meanwhile."]),
    # Adjacent sentences that are both needed are one quote.
    ("Clay keeps its heat for 40 minutes with a door that is shut.", [HEAT], [HEAT]),
    # Each passage that is needed has a quote; one that says nothing needed has none.
    (
        "Two people lift the lid after 40 minutes.",
        [HEAT, LIFT],
        ["A kiln of clay keeps its heat for 40 minutes.", "The lid is heavy, and two people lift it."],
    ),
    ("Nobody stands below the lid.", [HEAT, LIFT], ["Nobody stands below it."]),
    # A list is quoted by items.
    ("Wait for 90 minutes.", [STEPS], ["Wait for 90 minutes."]),
    # A table is quoted by rows.
    ("The default of `hold` is 40.", [TABLE], ["| `hold` | 40 |"]),
    # What is denied is not what is said.
    ("It does not cool clay.", [COOL], ["Clay is neither heated nor cooled by a vent."]),
    # A value is a word of its own: it is in a row, not in a sentence about the same.
    ("Cooling of the vents is off.", [FAN, "A fan cools vents."], ["| binary | off |", "A fan cools vents."]),
    # What refers back is quoted with what it refers to.
    ("A pot of glaze is lost then.", [ASH], [ASH.removeprefix("Straw burns. ")]),
    # A few lines of code are quoted whole.
    ("`kiln set heat 800` sets the heat.", [CODE], [CODE.removeprefix("$ ")]),
]


@pytest.mark.parametrize(("sentence", "passages", "quotes"), QUOTES)
def test_a_sentence_gets_the_quotes_that_carry_it(sentence: str, passages: list[str], quotes: list[str]) -> None:
    """As few and as short parts of the passages as have its figures, names and words."""
    assert quotes_for([sentence], [cited(*passages)]) == quotes


def test_passages_of_which_nothing_is_needed_are_named() -> None:
    """A second passage of one work that adds no word is left out; one of another work is a second source."""
    sentence = CarriedText("The door must stay shut.")
    same_work = cited(HEAT, "The door is heavy.")
    passages = [CitedPassages(same_work.source, (excerpt,)) for excerpt in same_work.excerpts]
    chosen = choose_quotes(CitedGroup(passages, [sentence]), readings_of(*passages))
    assert (chosen.unused, chosen.has_quotes_of(0), chosen.has_quotes_of(1)) == ((1,), True, False)
    works = [cited(HEAT), cited("Keep the door shut while it is hot.", work="crew")]
    chosen = choose_quotes(CitedGroup(works, [sentence]), readings_of(*works))
    assert (chosen.unused, chosen.has_quotes_of(0), chosen.has_quotes_of(1)) == ((), True, True)


def test_passages_that_share_no_word_are_unrelated() -> None:
    """Their number may be wrong; a word in the text around the sentence is enough."""
    passages = [cited(LIFT)]
    sentence = CarriedText("Glaze of ash runs in the oven.")
    unrelated = choose_quotes(CitedGroup(passages, [sentence]), readings_of(*passages))
    assert unrelated.unrelated == (0,)
    with_context = CitedGroup(passages, [sentence], context="Lift the lid first.")
    assert choose_quotes(with_context, readings_of(*passages)).unrelated == ()


def quotes_for(sentences: list[str], citations: list[CitedPassages]) -> list[str]:
    """The quotes that sentences get at the place of the citation."""
    group = CitedGroup(citations, [CarriedText(sentence) for sentence in sentences])
    chosen = choose_quotes(group, readings_of(*citations))
    return [quote for place in chosen.placed for of_citation in place.quotes for quote in of_citation]
