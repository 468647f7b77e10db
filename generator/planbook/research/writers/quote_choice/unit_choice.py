"""The units of passages that have the words of a group's statements, and its code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise

from planbook.markdown.words import keywords
from planbook.research.drafts import PassageKind
from planbook.research.proof.sentences import TextWords, find_missing_words
from planbook.research.writers.quote_choice.cited_group import (
    CarriedText,
    CitedGroup,
    CitedPassages,
    limit_of_quotes,
)
from planbook.research.writers.quote_choice.named_units import (
    find_named_sentence,
    units_of_citation,
)
from planbook.research.writers.quote_choice.quotable_units import (
    QuotableUnit,
    find_shown_lines,
)
from planbook.research.writers.quote_choice.telling_words import VALUE, telling_stems
from planbook.research.writers.quote_choice.unit_search import (
    WORD_COST,
    Goal,
    UnitSearch,
    WordWeights,
)
from planbook.research.writers.quote_choice.verbatim_quotes import adjacent_runs

CARRIED_SHARE = 0.5
"""The share of the words of a statement from which on the quotes of another one carry it, too."""
_FEW_LINES = 6
"""Number of lines up to which code is quoted whole."""
_MIN_CITATION_WEIGHT = 0.5
"""The least weight of the words of the statements that only one citation has: else it is unused."""
_MAX_UNITS = 8
"""Number of units that are chosen for one statement: adjacent ones are one quote."""
_MIN_SHARING_WORDS = 3
"""Number of words of statements from which on a passage must share one of them."""

NO_WORDS = TextWords(())


@dataclass(frozen=True, slots=True)
class UnitChoice:
    """The units that are chosen for a group."""

    units: tuple[QuotableUnit, ...]
    """All units of the group's passages, in order."""
    weights: WordWeights
    chosen: frozenset[QuotableUnit]
    shown: frozenset[QuotableUnit]
    """The chosen lines that the page shows as code."""
    added: Mapping[QuotableUnit, int]
    """The units that are chosen for a citation alone, with the number of the statement behind which
    each stands."""
    unrelated: tuple[int, ...]
    """The numbers of the citations whose passages share no word with the statements."""
    unused: tuple[int, ...]
    """The numbers of those of whose passages nothing is needed."""

    def has_units_of(self, citation: int) -> bool:
        """Return whether units of a citation are chosen, by its number."""
        return any(unit.citation == citation for unit in self.chosen)

    def understandable(self, units: Iterable[QuotableUnit]) -> list[QuotableUnit]:
        """Return units with what a reader needs to understand them, in order.

        That is what a sentence refers back to, and all of a few lines of code of which one carries
        prose. Of lines that the page shows, it needs no more.
        """
        wanted = set(units)
        for passage in {unit.passage for unit in wanted - self.shown}:
            lines = [unit for unit in self.units if unit.passage == passage]
            if passage.kind is PassageKind.CODE and len(lines) <= _FEW_LINES:
                wanted |= set(lines)
        wanted |= {
            previous
            for previous, unit in pairwise(self.units)
            if unit in wanted and _needs_previous(unit, previous)
        }
        return [unit for unit in self.units if unit in wanted]


_REFERS_BACK = re.compile(
    r"""
    [^\w]*
    (?: it | they | this | these | those | that | otherwise | likewise | then | thus | so
      | therefore | consequently | (?:in|for)\s(?:this|that|these|such)
      | if\s(?:so|not|this|that|it) | doing\sso
    )\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""The beginning of a sentence that says nothing without the one before it: ``In this mode``."""
_MAX_WORDS_WITH_PREVIOUS = 60
"""Number of words of both up to which that one is quoted, too."""
_SENTENCE_KINDS = frozenset({PassageKind.PROSE, PassageKind.LIST, PassageKind.DEFINITION})


def _needs_previous(unit: QuotableUnit, previous: QuotableUnit) -> bool:
    """Return whether a unit is understood only with the one before it.

    It refers to it, or is what that one announces: the first item of a list.
    """
    is_next = (previous.citation, previous.passage) == (unit.citation, unit.passage)
    if not is_next or unit.passage.kind not in _SENTENCE_KINDS:
        return False
    is_announced = previous.text.rstrip().endswith(":")
    refers_back = _REFERS_BACK.match(unit.text) is not None
    is_short = previous.size + unit.size <= _MAX_WORDS_WITH_PREVIOUS
    return is_short and (refers_back or is_announced)


def choose_units(group: CitedGroup) -> UnitChoice:
    """Return the units for the code of a group, for each statement, and for each citation."""
    chooser = _Chooser(group)
    if chooser.units:
        chooser.choose()
    return chooser.choice()


@lru_cache(maxsize=2)
def index_plan(plan: str) -> TextWords:
    """Return the index of the words that need no quote: the same for all groups of a page."""
    return TextWords([plan])


class _Chooser:
    """The units of one group, while they are chosen; a method for each step."""

    def __init__(self, group: CitedGroup) -> None:
        self._group = group
        self.units = tuple(_units_of_group(group))
        self.weights = WordWeights.count(self.units)
        self.chosen: list[QuotableUnit] = []
        self._shown: frozenset[QuotableUnit] = frozenset()
        self._added: dict[QuotableUnit, int] = {}
        self._unrelated: list[int] = []
        self._unused: list[int] = []

    def choice(self) -> UnitChoice:
        """Return what is chosen."""
        return UnitChoice(
            self.units,
            self.weights,
            frozenset(self.chosen),
            self._shown,
            self._added,
            tuple(self._unrelated),
            tuple(self._unused),
        )

    def choose(self) -> None:
        """Choose units by name, for the code, for each statement, then for each citation."""
        group = self._group
        for index, citation in enumerate(group.citations):
            self._choose_named(index, citation)
        for block in group.code:
            self.chosen += find_shown_lines(block, self.units)
        # A line that the writer names stands behind its sentence, also if code shows it.
        self._shown = frozenset(self.chosen).difference(self._added)
        if any(statement.is_label for statement in group.statements):
            # The cells of a row belong together: "5 | 3 | 2" is one row of the source, too.
            row = " ".join(f"{statement.text}." for statement in group.statements)
            self._carry(CarriedText(row), NO_WORDS)
        for statement in group.statements:
            # A plan names all options of which a table has a row each.
            known = NO_WORDS if statement.is_label else index_plan(group.plan)
            self._carry(statement, known)
        for index, citation in enumerate(group.citations):
            if not any(unit.citation == index for unit in self.chosen):
                self._represent(index, citation)

    # --- by name ----------------------------------------------------------------------------------

    def _choose_named(self, index: int, citation: CitedPassages) -> None:
        """Choose the units that the writer names by their words.

        Args:
            index: the number of the citation.
            citation: the citation.
        """
        units = [unit for unit in self.units if unit.citation == index]
        for words in citation.words:
            for unit in find_named_sentence(units, words).units:
                self.chosen.append(unit)
                self._added[unit] = self._nearest_statement(set(unit.stems))

    # --- for a statement --------------------------------------------------------------------------

    def _carry(self, statement: CarriedText, known: TextWords) -> None:
        """Choose the units that have what a statement says, and the chosen ones lack.

        Args:
            statement: the statement.
            known: the words that need no quote.
        """
        goal = self._goal(statement, known)
        total = self.weights.total(goal.stems)
        for unit in self.chosen:
            goal = goal.without_words_of(unit)
        has_code = any(unit.passage.kind is PassageKind.CODE for unit in self.chosen)
        is_half_carried = self.weights.total(goal.stems) <= CARRIED_SHARE * total
        is_begun = has_code or (bool(self.chosen) and is_half_carried)
        search = _SearchOfPassages(self.weights, self.units, self.chosen, self._group, statement)
        goal = search.run(goal, is_begun=is_begun)
        if goal.needs:
            self._carry_together(goal)

    def _goal(self, statement: CarriedText, known: TextWords) -> Goal:
        """Return the words of a statement for which units are chosen."""
        needs = set(find_missing_words(statement.text, self._beside_quotes).every)
        if needs and known is not NO_WORDS:
            needs &= set(find_missing_words(statement.text, known).every)
        is_label = statement.is_label
        stems = statement.label_stems() if is_label else telling_stems(statement.plain)
        return Goal.of_statement(statement, needs, self.weights.weighed(stems), self.weights)

    @cached_property
    def _beside_quotes(self) -> TextWords:
        """The texts beside quotes that may have a number or name: headings, terms, titles."""
        texts = [*self._group.quotes]
        for citation in self._group.citations:
            texts += [citation.source.title, citation.source.fetched.url]
            for excerpt in citation.excerpts:
                texts += [" > ".join(excerpt.headings), excerpt.term]
        return TextWords(texts)

    def _carry_together(self, goal: Goal) -> None:
        """Choose two adjacent units that have together what neither has.

        A number may stand in one, ``Default: 30``, and its unit in the next one.
        """
        for first, second in pairwise(self.units):
            is_named = bool(self._group.citations[first.citation].words)
            if is_named or first.citation != second.citation or first.above != second.above:
                continue
            both = TextWords([f"{first.text}\n{second.text}"])
            if goal.needs.difference(find_missing_words(goal.statement.text, both).every):
                chosen = set(self.chosen)
                self.chosen += [unit for unit in (first, second) if unit not in chosen]
                return

    # --- for a citation ---------------------------------------------------------------------------

    def _represent(self, index: int, citation: CitedPassages) -> None:
        """Choose the unit of a citation that shares most with the statements.

        Without a shared word, the citation is unrelated, and has the first unit.
        """
        units = [unit for unit in self.units if unit.citation == index]
        rows = [unit for unit in units if not unit.is_head] or units
        if not rows:
            return
        stems = {
            stem for statement in self._group.statements for stem in telling_stems(statement.plain)
        }
        if self._is_unrelated(citation, rows, stems):
            self._unrelated.append(index)
        is_needed = self._group.is_fixed or index in self._unrelated or not self.chosen
        sources = {self._group.citations[unit.citation].source.id for unit in self.chosen}
        if not is_needed and citation.source.id in sources:
            # Another passage of the same work: it is needed for what it alone has.
            stems -= {stem for unit in self.chosen for stem in unit.stems}
        best = max(
            rows,
            key=lambda unit: (
                self.weights.total(stems & unit.stems) - WORD_COST * unit.size,
                -unit.position,
            ),
        )
        if is_needed or self.weights.total(stems & best.stems) >= _MIN_CITATION_WEIGHT:
            self.chosen.append(best)
            self._added[best] = self._nearest_statement(stems & best.stems)
        else:
            self._unused.append(index)

    def _is_unrelated(
        self, citation: CitedPassages, units: Sequence[QuotableUnit], stems: set[str]
    ) -> bool:
        """Return whether passages share no word with the statements and the text around them."""
        topic = stems.union(keywords(self._group.context))
        above = [
            text for excerpt in citation.excerpts for text in (*excerpt.headings, excerpt.term)
        ]
        is_below_topic = any(topic.intersection(keywords(text)) for text in above)
        shares_words = any(topic & unit.stems for unit in units)
        return len(topic) >= _MIN_SHARING_WORDS and not shares_words and not is_below_topic

    def _nearest_statement(self, stems: set[str]) -> int:
        """Return the number of the statement that has most of some words; of equals, the last."""
        shares = [
            self.weights.total(stems & set(keywords(statement.plain)))
            for statement in self._group.statements
        ]
        best = max(shares, default=0.0)
        return max((n for n, share in enumerate(shares) if share == best), default=0)


def _units_of_group(group: CitedGroup) -> Iterable[QuotableUnit]:
    """Yield the units of all passages of a group, in order."""
    for index, citation in enumerate(group.citations):
        yield from units_of_citation(citation, index)


def _is_related(unit: QuotableUnit, stems: frozenset[str]) -> bool:
    """Return whether a unit may be about a statement with some stems.

    One word may be shared by chance, but no value, and less so below a heading with another one.
    """
    shared = stems & unit.stems
    if len(shared) > 1 or any(stem.startswith(VALUE) for stem in shared):
        return True
    if not shared or unit.passage.kind is PassageKind.CODE:
        return False
    return not (stems - shared).isdisjoint(unit.stems_above)


class _SearchOfPassages(UnitSearch):
    """The search for a statement among all units of a group."""

    def __init__(
        self,
        weights: WordWeights,
        units: Sequence[QuotableUnit],
        chosen: list[QuotableUnit],
        group: CitedGroup,
        statement: CarriedText,
    ) -> None:
        """Search for a statement of a group, and add to the chosen units in place."""
        super().__init__(weights, _MAX_UNITS)
        self._units = units
        self._chosen = chosen
        self._group = group
        self._most_quotes = limit_of_quotes(group.statements)
        stems = telling_stems(statement.plain)
        self._unnamed = [unit for unit in self._units if not group.citations[unit.citation].words]
        """The units of citations whose writer names no sentence."""
        self._related = [unit for unit in self._unnamed if _is_related(unit, stems)]

    def _candidates(self, goal: Goal, *, is_begun: bool) -> Sequence[QuotableUnit]:
        return self._unnamed if goal.needs or not is_begun else self._near_units()

    def _needs_beside(self, unit: QuotableUnit, goal: Goal) -> frozenset[str]:
        return goal.needs - goal.needs_met_by(unit)

    def _may_take_further(self, unit: QuotableUnit, goal: Goal) -> bool:
        return unit in self._near_units() and self._count_quotes() < self._most_quotes

    def _take(self, unit: QuotableUnit) -> None:
        self._chosen.append(unit)

    def _near_units(self) -> list[QuotableUnit]:
        """Return the units about a statement, and the items next to chosen ones."""
        return [*self._related, *self._items_next_to_chosen()]

    def _items_next_to_chosen(self) -> list[QuotableUnit]:
        """Return the items of lists next to chosen ones, such as further steps: they are one quote.

        A sentence next to another one may share a word by chance.
        """
        chosen = set(self._chosen)
        return [
            neighbour
            for first, second in pairwise(self._units)
            if first.passage.kind is PassageKind.LIST
            and (first.citation, first.passage) == (second.citation, second.passage)
            for unit, neighbour in ((first, second), (second, first))
            if unit in chosen
            and neighbour not in chosen
            and not self._group.citations[unit.citation].words
        ]

    def _count_quotes(self) -> int:
        """Return the number of quotes that the chosen units are, about."""
        chosen = set(self._chosen)
        in_order = [unit for unit in self._units if unit in chosen]
        by_passage = groupby(in_order, key=lambda unit: (unit.citation, unit.passage))
        runs = sum(len(adjacent_runs(list(units))) for _, units in by_passage)
        return len(self._group.quotes) + runs
