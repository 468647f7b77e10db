"""The search for the units that carry a statement: the one that adds most comes first."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from planbook.markdown.words import keywords
from planbook.research.proof.sentences import find_missing_words
from planbook.research.writers.quote_choice.cited_group import CarriedText
from planbook.research.writers.quote_choice.quotable_units import QuotableUnit
from planbook.research.writers.quote_choice.telling_words import DENIAL, VALUE

_NEED_WEIGHT = 4.0
"""The gain of a unit by each figure or name that is needed."""
WORD_COST = 0.02
"""The cost of a unit for each of its words."""
_WORTH_MORE, _MIN_GAIN, _MAX_GAIN = 0.1, 0.45, 0.6
"""The share of the words of a statement for which it gets a further quote, within these weights.

One word that a few units have weighs 0.45: a reader misses it in the quotes. A statement of 4 to 10
words of which two share a quote would otherwise be carried in part, although its source has all.
"""
_NUMERALS = frozenset(
    keywords("two three four five six seven eight nine ten eleven twelve twenty hundred thousand")
)
"""Numbers in words, of which the words of a statement need not all be figures of its quotes."""
_VALUE_FACTOR = 2
"""The weight of such a number, and of a value, such as ``off``."""
_DENIAL_FACTOR = 0.7
"""The weight of a negation, whatever it denies."""
_REPEATED_WORD_SHARE = 0.2
"""The share of the weight of a word of the statement that a chosen unit has already."""


def _factor_of_stem(stem: str) -> float:
    """Return how much more than another word a stem tells."""
    if stem in _NUMERALS or stem.startswith(VALUE):
        return _VALUE_FACTOR
    return _DENIAL_FACTOR if stem == DENIAL else 1.0


@dataclass(frozen=True, slots=True)
class WordWeights:
    """The weight of each word of some units: a word of all units tells least, a number most."""

    by_stem: Mapping[str, float]

    @classmethod
    def count(cls, units: Iterable[QuotableUnit]) -> WordWeights:
        """Return the weights of the words of units."""
        counts = Counter(stem for unit in units for stem in unit.stems)
        return cls({stem: uses**-0.5 * _factor_of_stem(stem) for stem, uses in counts.items()})

    def total(self, stems: Iterable[str], *, of_others: float = 0.0) -> float:
        """Return the weight of words together.

        Args:
            stems: the stems of the words.
            of_others: the weight of a word that no unit has.
        """
        # A set has no order: the weights of the same words are the same in every process.
        return math.fsum(self.by_stem.get(stem, of_others) for stem in stems)

    def weighed(self, stems: Iterable[str]) -> frozenset[str]:
        """Return those of some stems that units have."""
        return frozenset(stems) & self.by_stem.keys()


@dataclass(frozen=True, slots=True)
class Goal:
    """The words of a statement that no chosen unit has yet."""

    statement: CarriedText
    needs: frozenset[str]
    """Its figures, names and options."""
    stems: frozenset[str]
    """The stems of its other words that units have."""
    every_stem: frozenset[str]
    """All of them, also those that chosen units have."""
    least_gain: float
    """The weight of words from which on a unit is worth a further quote."""

    @classmethod
    def of_statement(
        cls,
        statement: CarriedText,
        needs: Iterable[str],
        stems: frozenset[str],
        weights: WordWeights,
    ) -> Goal:
        """Return the goal of a statement of which no unit is chosen."""
        share = _WORTH_MORE * weights.total(stems)
        least_gain = min(max(share, _MIN_GAIN), _MAX_GAIN)
        return cls(statement, frozenset(needs), stems, stems, least_gain)

    def needs_met_by(self, unit: QuotableUnit) -> frozenset[str]:
        """Return the needed figures and names that a unit has."""
        if not self.needs:
            return frozenset()
        missing = find_missing_words(self.statement.text, unit.index).every
        return self.needs.difference(missing)

    def without_words_of(self, unit: QuotableUnit) -> Goal:
        """Return what is left of the goal beside a unit."""
        needs = self.needs - self.needs_met_by(unit)
        return replace(self, needs=needs, stems=self.stems - unit.stems)


class UnitSearch(ABC):
    """A greedy search: take the unit that adds most to a goal, until none adds enough.

    A subclass says which units there are and what is missing beside one of them.
    """

    def __init__(self, weights: WordWeights, most_units: int) -> None:
        self._weights = weights
        self._most_units = most_units

    def run(self, goal: Goal, *, is_begun: bool) -> Goal:
        """Take units, and return what is left of the goal.

        Args:
            goal: the words to carry.
            is_begun: true if other units carry the statement in part already.
        """
        for _ in range(self._most_units):
            candidates = [
                unit
                for unit in self._candidates(goal, is_begun=is_begun)
                if self._is_worth_a_quote(unit, goal, is_begun=is_begun)
            ]
            if not candidates:
                break
            best = max(candidates, key=lambda unit: self._rank(unit, goal))
            goal = replace(
                goal, needs=self._needs_beside(best, goal), stems=goal.stems - best.stems
            )
            self._take(best)
            is_begun = True
        return goal

    def _is_worth_a_quote(self, unit: QuotableUnit, goal: Goal, *, is_begun: bool) -> bool:
        """Return whether a unit adds enough to those that are taken."""
        gain = self._weights.total(goal.stems & unit.stems)
        if not is_begun and gain > 0:
            return True
        if gain >= goal.least_gain and self._may_take_further(unit, goal):
            return True
        return bool(goal.needs) and self._needs_beside(unit, goal) != goal.needs

    @abstractmethod
    def _candidates(self, goal: Goal, *, is_begun: bool) -> Sequence[QuotableUnit]:
        """Return the units of which the next one is taken."""

    @abstractmethod
    def _needs_beside(self, unit: QuotableUnit, goal: Goal) -> frozenset[str]:
        """Return the needed figures and names that are missing once a unit is taken."""

    @abstractmethod
    def _may_take_further(self, unit: QuotableUnit, goal: Goal) -> bool:
        """Return whether there is room for a unit that meets no need."""

    @abstractmethod
    def _take(self, unit: QuotableUnit) -> None:
        """Add a unit to those that are chosen."""

    def _bonus(self, _unit: QuotableUnit) -> float:
        """Return the gain of a unit for another reason than its words."""
        return 0.0

    def _rank(self, unit: QuotableUnit, goal: Goal) -> tuple[float, int]:
        """Return what a unit adds; of two alike, the earlier one is better."""
        needs_met = len(goal.needs_met_by(unit))
        words = self._weights.total(goal.stems & unit.stems)
        # Of two units that add as much, the one is better that is about the rest, too.
        words += _REPEATED_WORD_SHARE * self._weights.total(
            (goal.every_stem - goal.stems) & unit.stems
        )
        cost = WORD_COST * unit.size
        return _NEED_WEIGHT * needs_met + words - cost + self._bonus(unit), -unit.position
