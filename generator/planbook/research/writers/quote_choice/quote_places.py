"""The places of quotes: each stands behind the statements that it carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from planbook.citations.quotes import Readings
from planbook.research.drafts import PassageKind
from planbook.research.proof.sentences import MAX_QUOTES, TextWords, find_missing_words
from planbook.research.writers.quote_choice.cited_group import (
    CarriedText,
    CitedGroup,
    limit_of_quotes,
)
from planbook.research.writers.quote_choice.quotable_units import QuotableUnit
from planbook.research.writers.quote_choice.telling_words import telling_stems
from planbook.research.writers.quote_choice.unit_choice import (
    CARRIED_SHARE,
    NO_WORDS,
    UnitChoice,
    index_plan,
)
from planbook.research.writers.quote_choice.unit_search import Goal, UnitSearch, WordWeights
from planbook.research.writers.quote_choice.verbatim_quotes import quotes_of_units

_SAME_AGAIN = 0.3
"""The gain of a unit that carries the statement before, too."""

_Units = frozenset[QuotableUnit]


@dataclass(frozen=True, slots=True)
class PlacedQuotes:
    """The quotes that stand at one place."""

    end: int | None
    """The offset of the place; ``None`` for that of the citation."""
    quotes: tuple[tuple[str, ...], ...]
    """The quotes of each citation of the group."""

    @property
    def count(self) -> int:
        """The number of quotes."""
        return sum(map(len, self.quotes))


@dataclass(frozen=True, slots=True)
class _Run:
    """Statements in a row of one block that the same units carry."""

    statements: tuple[CarriedText, ...]
    units: _Units
    end: int | None
    """The offset at which their quotes stand; ``None`` for the place of the citation."""


class QuotePlacement:
    """The places of the quotes of the units that are chosen for a group."""

    def __init__(
        self, group: CitedGroup, choice: UnitChoice, readings: Mapping[str, Readings]
    ) -> None:
        self._group, self._choice, self._readings = group, choice, readings
        self._order = {unit: index for index, unit in enumerate(choice.units)}
        self._needs: dict[CarriedText, frozenset[str]] = {}
        self.used: set[int] = set()
        """The numbers of the citations of which something stands somewhere."""

    def at_citation(self) -> tuple[PlacedQuotes, ...]:
        """Return all quotes at the place of the citation."""
        chosen = self._choice.chosen
        self.used = {unit.citation for unit in chosen}
        return (self._quotes_of_run(_Run(tuple(self._group.statements), chosen, None), set()),)

    def behind_statements(self) -> tuple[PlacedQuotes, ...]:
        """Return the quotes of each statement behind it.

        What carries several statements in a row stands behind the last of them. All quotes stand
        at the place of the citation if one statement would lose what it has there.
        """
        runs = self._runs()
        if runs is None:
            return self.at_citation()
        completed = [self._choice.understandable(run.units) for run in runs]
        counts = Counter(unit for units in completed for unit in units)
        shared = {unit for unit, uses in counts.items() if uses > 1}
        placed = tuple(self._quotes_of_run(run, shared) for run in runs)
        if not placed or not all(at_offset.count for at_offset in placed):
            return self.at_citation()
        self.used = {unit.citation for run in runs for unit in run.units}
        return placed

    # --- the units of each statement --------------------------------------------------------------

    def _carriers(self) -> list[_Units]:
        """Return the units that carry each statement, as few as have what all chosen ones have."""
        statements = self._group.statements
        carriers: list[_Units] = []
        previous: _Units = frozenset()
        for index, statement in enumerate(statements):
            names_row = statement.is_label and index == 0
            words = statement.label_stems() if names_row else telling_stems(statement.plain)
            stems = frozenset(words)
            previous = self._carriers_of(statement, stems, previous)
            if self._only_introduces(index, stems, previous):
                previous = self._carriers_of(statement, frozenset(), frozenset())
            added = {unit for unit, other in self._choice.added.items() if other == index}
            carriers.append(previous | added)
        is_row = bool(carriers) and statements[0].is_label
        if is_row and carriers[0] <= frozenset().union(*carriers[1:]):
            # What names the row is in the quotes of its other cells.
            carriers[0] = frozenset()
        return carriers

    def _carriers_of(
        self, statement: CarriedText, stems: frozenset[str], previous: _Units
    ) -> _Units:
        """Return the units that carry a statement.

        Args:
            statement: the statement.
            stems: the stems of its words.
            previous: the units of the statement before.
        """
        weights = self._choice.weights
        needs = self._missing(statement, ())
        goal = Goal.of_statement(statement, needs, weights.weighed(stems), weights)
        candidates = [unit for unit in self._choice.units if unit in self._choice.chosen]
        search = _SearchOfChosen(weights, candidates, previous, self._missing)
        search.run(goal, is_begun=False)
        return frozenset(search.taken)

    def _only_introduces(self, index: int, stems: frozenset[str], units: _Units) -> bool:
        """Return whether a statement introduces a list, and its quotes have little of it."""
        statements = self._group.statements
        is_before_items = any(later.block for later in statements[index + 1 :])
        if not statements[index].text.endswith(":") or not is_before_items:
            return False
        weights = self._choice.weights
        carried = weights.total(stems & {stem for unit in units for stem in unit.stems})
        return carried < CARRIED_SHARE * weights.total(stems, of_others=1.0)

    def _missing(self, statement: CarriedText, units: Iterable[QuotableUnit]) -> frozenset[str]:
        """Return the figures and names of a statement that some units and the plan lack."""
        needs = self._needs_of(statement)
        texts: list[str] = []
        # In the order of the passages, as a number at the end of one may go on in the next.
        for unit in sorted(units, key=self._order.__getitem__):
            source = self._group.citations[unit.citation].source
            texts += [*unit.texts, source.title, source.fetched.url]
        if not needs or not texts:
            return needs
        return needs.intersection(find_missing_words(statement.text, TextWords(texts)).every)

    def _needs_of(self, statement: CarriedText) -> frozenset[str]:
        """Return the figures and names of a statement that the plan lacks."""
        if statement not in self._needs:
            plan = NO_WORDS if statement.is_label else index_plan(self._group.plan)
            self._needs[statement] = frozenset(find_missing_words(statement.text, plan).every)
        return self._needs[statement]

    # --- statements in a row ----------------------------------------------------------------------

    def _runs(self) -> list[_Run] | None:
        """Return the runs of statements with their units.

        The result is ``None`` if a statement would lose something: quotes are not to be divided.
        """
        carriers = self._carriers()
        runs, unquoted = self._divide(carriers)
        of_unrelated = {
            unit for unit in self._choice.chosen if unit.citation in self._choice.unrelated
        }
        of_unquoted = (carriers[index] for index in unquoted)
        units = frozenset().union(*of_unquoted, self._choice.shown, of_unrelated)
        if all(run.end is not None for run in runs):
            runs = [_Run((), frozenset(), None), *runs]
        runs = [replace(run, units=run.units | units) if run.end is None else run for run in runs]
        at_citation = [run for run in runs if run.end is None]
        is_uncited = bool(unquoted) and not at_citation[0].units
        if is_uncited or not all(map(self._loses_nothing, at_citation)):
            return None
        return [run for run in runs if run.units]

    def _divide(self, carriers: Sequence[_Units]) -> tuple[list[_Run], list[int]]:
        """Return the runs of statements, and the numbers of those that cannot be cited apart."""
        runs: list[_Run] = []
        unquoted: list[int] = []
        numbered = list(enumerate(self._group.statements))
        for block, members in groupby(numbered, key=lambda pair: pair[1].block):
            indexes = [index for index, _ in members]
            of_block, rest = self._runs_of_block(indexes, carriers, is_cited=block == 0)
            runs += of_block
            unquoted += rest
        return runs, unquoted

    def _runs_of_block(
        self, numbers: Sequence[int], carriers: Sequence[_Units], *, is_cited: bool
    ) -> tuple[list[_Run], list[int]]:
        """Return the runs of statements of a block that can be cited apart, and the rest.

        Args:
            numbers: the numbers of the statements.
            carriers: the units of each statement.
            is_cited: true if the citation stands behind the last of them.
        """
        runs: list[_Run] = []
        begun: list[int] = []
        for index, following in zip(numbers, [*numbers[1:], None], strict=True):
            begun.append(index)
            run = self._run_of(begun, carriers)
            if following is None and is_cited:
                return [*runs, replace(run, end=None)], []
            units_after = carriers[following] if following is not None else None
            goes_on = units_after is not None and (not units_after or units_after == run.units)
            # What the code below shows is quoted above the code, and there alone.
            is_apart = run.end is not None and bool(run.units - self._choice.shown)
            if is_apart and not goes_on and not self._missing(run.statements[-1], run.units):
                runs.append(run)
                begun = []
        return runs, begun

    def _run_of(self, numbers: Sequence[int], carriers: Sequence[_Units]) -> _Run:
        """Return the run of some statements."""
        statements = tuple(self._group.statements[index] for index in numbers)
        units = frozenset().union(*(carriers[index] for index in numbers))
        return _Run(statements, units, statements[-1].end)

    def _loses_nothing(self, run: _Run) -> bool:
        """Return whether the last statement of a run has with its units what it has with all."""
        if not run.statements:
            return True
        last_statement = run.statements[-1]
        return self._missing(last_statement, run.units) <= self._missing(
            last_statement, self._choice.chosen
        )

    # --- quotes -----------------------------------------------------------------------------------

    def _quotes_of_run(self, run: _Run, shared: set[QuotableUnit]) -> PlacedQuotes:
        """Return the quotes of a run.

        Args:
            run: the run.
            shared: the units that other runs have, too, each quoted by itself.
        """
        units = self._choice.understandable(run.units)
        limit = limit_of_quotes(run.statements)
        unit_lists = [
            list(run_of_units)
            for _, run_of_units in groupby(
                units, lambda unit: unit in shared and unit.passage.kind is not PassageKind.CODE
            )
        ]
        quotes = self._quotes_of_lists(unit_lists, limit)
        if sum(map(len, quotes)) > limit:
            quotes = self._quotes_of_lists([units], limit)
        return PlacedQuotes(run.end, quotes)

    def _quotes_of_lists(
        self, unit_lists: Sequence[Sequence[QuotableUnit]], limit: int
    ) -> tuple[tuple[str, ...], ...]:
        """Return the quotes of each citation, of units in lists that are quoted apart."""
        numbers = {unit.citation for unit_list in unit_lists for unit in unit_list}
        limit_each = max(1, limit // max(1, len(numbers)))
        quotes: list[tuple[str, ...]] = []
        for index, citation in enumerate(self._group.citations):
            readings = self._readings[citation.source.id]
            of_citation: list[str] = []
            for unit_list in unit_lists:
                units = [unit for unit in unit_list if unit.citation == index]
                of_citation += quotes_of_units(units, readings, limit_each)
            quotes.append(tuple(dict.fromkeys(of_citation)))
        return tuple(quotes)


class _SearchOfChosen(UnitSearch):
    """The search for a statement among the units that are chosen for its group."""

    def __init__(
        self,
        weights: WordWeights,
        units: Sequence[QuotableUnit],
        previous: _Units,
        missing: Callable[[CarriedText, Sequence[QuotableUnit]], frozenset[str]],
    ) -> None:
        super().__init__(weights, len(units))
        self._remaining = list(units)
        self._previous = previous
        self._missing = missing
        self.taken: list[QuotableUnit] = []

    def _candidates(self, goal: Goal, *, is_begun: bool) -> Sequence[QuotableUnit]:
        return self._remaining

    def _needs_beside(self, unit: QuotableUnit, goal: Goal) -> frozenset[str]:
        # A number and its unit may be in two of them.
        return goal.needs and self._missing(goal.statement, [*self.taken, unit])

    def _may_take_further(self, unit: QuotableUnit, goal: Goal) -> bool:
        return len(self.taken) < MAX_QUOTES

    def _take(self, unit: QuotableUnit) -> None:
        self.taken.append(unit)
        self._remaining.remove(unit)

    def _bonus(self, unit: QuotableUnit) -> float:
        return _SAME_AGAIN if unit in self._previous else 0.0
