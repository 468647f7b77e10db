"""The search takes the unit that adds most, until none adds enough."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from planbook.markdown.words import keywords
from planbook.research.writers.quote_choice import CarriedText
from planbook.research.writers.quote_choice.quotable_units import QuotableUnit, units_of_passage
from planbook.research.writers.quote_choice.unit_search import Goal, UnitSearch, WordWeights
from tests.research.writers.quote_choice.groups import passage

PROSE = "Clay keeps heat for 40 minutes. The vents open at dawn. Clay is heavy. Straw is light."
CLAY_HEAT, VENTS, CLAY, STRAW = PROSE.split(". ")


class SearchOfAll(UnitSearch):
    """Looks among all units, and may take as many as it likes."""

    def __init__(self, units: Sequence[QuotableUnit]) -> None:
        super().__init__(WordWeights.count(units), len(units))
        self.units = units
        self.taken: list[str] = []

    def _candidates(self, goal: Goal, *, is_begun: bool) -> Sequence[QuotableUnit]:
        return self.units

    def _needs_beside(self, unit: QuotableUnit, goal: Goal) -> frozenset[str]:
        return goal.needs - goal.needs_met_by(unit)

    def _may_take_further(self, unit: QuotableUnit, goal: Goal) -> bool:
        return True

    def _take(self, unit: QuotableUnit) -> None:
        self.taken.append(unit.text.removesuffix("."))


TAKEN = [
    # A figure outweighs all words.
    ("The vents open after 40 minutes.", ["40 minutes"], [CLAY_HEAT, VENTS]),
    # Of two units with the same words, the first.
    ("Clay", [], [CLAY]),
    # A word that a chosen unit has adds nothing a second time.
    ("Clay keeps heat.", [], [CLAY_HEAT]),
    # Without a shared word, none.
    ("Ash runs.", [], []),
]


@pytest.mark.parametrize(("sentence", "needs", "taken"), TAKEN)
def test_the_unit_that_adds_most_comes_first(sentence: str, needs: list[str], taken: list[str]) -> None:
    """Figures and names first, then the words that few units have, and short units before long ones."""
    search = SearchOfAll(list(units_of_passage(passage(PROSE), 0, ())))
    weights = WordWeights.count(search.units)
    stems = weights.weighed(keywords(sentence))
    search.run(Goal.of_statement(CarriedText(sentence), needs, stems, weights), is_begun=False)
    assert search.taken == taken


def test_what_no_unit_has_is_left() -> None:
    """The result has the figures and words that are still to be carried."""
    search = SearchOfAll(list(units_of_passage(passage(PROSE), 0, ())))
    weights = WordWeights.count(search.units)
    text = "Clay keeps heat for 50 minutes."
    goal = Goal.of_statement(CarriedText(text), ["50 minutes"], weights.weighed(keywords(text)), weights)
    left = search.run(goal, is_begun=False)
    assert left.needs == {"50 minutes"}
    assert not left.stems


def test_words_weigh_the_same_in_any_order() -> None:
    """A set of words has another order in each process; quotes must not follow it."""
    weights = WordWeights({stem: number**-0.5 for number, stem in enumerate("abcde", 2)})
    assert len({weights.total(stems) for stems in permutations("abcde")}) == 1
