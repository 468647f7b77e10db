"""Choose the exact quotes of passages that carry the statements of a page. Pure.

::

    passages ─> units: sentences, items, rows, lines of code
    statements, code ─> the units that have their words
                     ─> the statements that each unit carries ─> adjacent ones together ─> quotes

A quote is as few and as short units as have the figures, names and options of the statements, and
nearly all of their words that the passages have. It is verbatim in its source, as the rules for
drafts compare it. It stands behind the statements that it carries: see
docs/decisions/0063-quotes-where-they-prove.md.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby, pairwise

from planbook.citations.quotes import Readings, as_printed, contains_quote, fold, words
from planbook.markdown.words import keywords, sentence_spans
from planbook.problems import MAX_CODE_LINES, MAX_QUOTE_WORDS
from planbook.research.drafts import Excerpt, Passage, PassageKind, Source
from planbook.research.proof.quoting_blocks import code_lines
from planbook.research.proof.sentences import (
    MAX_QUOTES,
    TextWords,
    find_missing_words,
    is_too_short,
    without_space,
)

_ITEM = re.compile(r"^[^\S\n]*(?:[-*+\u2022]|\d{1,3}[.)])[^\S\n]+", re.MULTILINE)
"""The beginning of an item of a list."""
_LINE = re.compile(r"[^\n]*\S[^\n]*")
_WORD_OF_LINE = re.compile(r"\S+")
_WORDS_OF_PIECE = 20
"""Number of words of the pieces of a long line."""
_RULE = re.compile(r"[\s|:+=-]*")
"""The line below the head of a table."""
_CLAUSE = re.compile(r"[;:,]\s+|\s+(?=\()")
_NEED_WEIGHT, _WORD_COST = 4.0, 0.02
"""The gain of a unit by a figure or name that is needed, and its cost for each of its words."""
_CARRIED = 0.5
"""The share of the words of a statement from which on the quotes of another one carry it, too."""
_WORTH_MORE, _LEAST_FOR_MORE, _MOST_FOR_MORE = 0.1, 0.45, 0.6
"""The share of the words of a statement for which it gets a further quote, within these weights.

One word that a few units have weighs 0.45: a reader misses it in the quotes. A statement of 4 to 10
words of which two share a quote would otherwise be carried in part, although its source has all.
"""
_NUMERALS = frozenset(
    keywords("two three four five six seven eight nine ten eleven twelve twenty hundred thousand")
)
"""Numbers in words, of which the words of a statement need not all be figures of its quotes."""
_NUMERAL_WEIGHT = 2
_FEW_WORDS = 8
"""Number of words between two units up to which they are one quote: shorter than another one."""
_FEW_LINES = 6
"""Number of lines up to which code is quoted whole."""
_OWN_CODE = 0.5
"""The least share of the characters of some code in a passage from which it is shown as its."""
_LEAST_USE = 0.5
"""The least weight of the words of the statements that only one citation has: else it is unused."""
_SAME_AGAIN = 0.3
"""The gain of a unit that carries the statement before, too."""
_FEWEST_OF_LABEL = 3
"""Words of a cell that names a row from which on quotes carry them: ``access is denied here``."""
_MOST_UNITS = 8
"""Number of units that are chosen for one statement: adjacent ones are one quote."""
_LEAST_WORDS = 3
"""Number of words of statements from which on a passage must share one of them."""


_NO_WORDS = TextWords(())


@dataclass(frozen=True, slots=True)
class CarriedText:
    """A sentence, or the cells of a row, that passages are to carry."""

    text: str
    """Its visible text, with names in backticks."""
    is_label: bool = False
    """True for what names a row of a table: its figures and names must be there, no more."""
    end: int | None = None
    """The offset at which its quotes may stand; ``None`` if only the place of the citation will do.
    """
    block: int = 0
    """The number of the paragraph or item that it is part of: 0 for that of the citation."""
    said: str = ""
    """The sentence as the page has it, if `text` leaves out numbers of the page's own parts."""

    @property
    def plain(self) -> str:
        """Its text as a reader sees it."""
        return (self.said or self.text).replace("`", "")


@dataclass(frozen=True)
class Pool:
    """The passages of one citation, with their source."""

    source: Source
    excerpts: tuple[Excerpt, ...]


@dataclass(frozen=True)
class _Unit:
    """A part of a passage that can be quoted by itself."""

    passage: Passage
    number: int
    start: int
    end: int
    pool: int
    head: str = ""
    """The head of the table of which it is a row."""
    is_head: bool = False
    """True for that head: what it says is about its rows."""
    around: tuple[str, ...] = field(default=(), compare=False)
    """The headings and the term above it."""

    @cached_property
    def text(self) -> str:
        """Its characters in the passage."""
        return self.passage.text[self.start : self.end]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words, and of the head of its table."""
        return frozenset(() if self.is_head else keywords(_read(f"{self.head} {self.text}")))

    @cached_property
    def words_in_it(self) -> TextWords:
        """The index of its words."""
        return TextWords([self.text, _read(self.text)])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Its text, and what a reader of its source sees above it."""
        return (self.text, _read(self.text), *self.around)

    @cached_property
    def size(self) -> int:
        """The number of its words."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class PlacedQuotes:
    """The quotes that stand at one place."""

    end: int | None
    """The offset of the place; ``None`` for that of the citation."""
    quotes: tuple[tuple[str, ...], ...]
    """The quotes of each citation of the group."""

    @property
    def number(self) -> int:
        """The number of quotes."""
        return sum(map(len, self.quotes))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The quotes for the citations of a group."""

    placed: tuple[PlacedQuotes, ...]
    """The quotes at each place, in order."""
    unrelated: tuple[int, ...] = ()
    """The numbers of the citations whose passages share no word with the statements."""
    unused: tuple[int, ...] = ()
    """The numbers of those of whose passages nothing is needed."""

    def has_quotes_of(self, citation: int) -> bool:
        """Return whether a citation has a quote, by its number."""
        return any(place.quotes[citation] for place in self.placed)


def choose_quotes(  # noqa: PLR0913, PLR0917 - all that a group of citations is about
    pools: Sequence[Pool],
    statements: Sequence[CarriedText],
    code: Sequence[str],
    readings: Mapping[str, Readings],
    about: str = "",
    given: Sequence[str] = (),
    context: str = "",
    *,
    is_fixed: bool = False,
) -> Chosen:
    """Return the quotes of passages that carry statements, and some code.

    Args:
        pools: the passages of each citation.
        statements: the sentences or cells for which the citations hold.
        code: the blocks of code that stand below them.
        readings: the forms of the text of each source, by its id.
        about: words that need no quote, such as those of the plan.
        given: the quotes that the group has already.
        context: the text around the statements, which says what they are about.
        is_fixed: true if each citation gets a quote, at its own place.
    """
    most = MAX_QUOTES * max(1, sum(not statement.is_label for statement in statements))
    stems = frozenset(keywords(context))
    choice = _Choice(pools, statements, _index_plan(about), given, most, stems, is_fixed)
    choice.choose(code)
    distribution = _Distribution(choice, readings)
    placed = distribution.whole() if is_fixed else distribution.divided()
    spare = [n for n in range(len(pools)) if choice.has_units_of(n) and n not in distribution.used]
    return Chosen(placed, tuple(choice.unrelated), (*choice.unused, *spare))


@lru_cache(maxsize=2)
def _index_plan(about: str) -> TextWords:
    """Return the index of the words that need no quote: the same for all groups of a page."""
    return TextWords([about])


@dataclass
class _Choice:
    """The units that are chosen for some statements, while they are chosen."""

    pools: Sequence[Pool]
    statements: Sequence[CarriedText]
    plan: TextWords
    """The words that need no quote."""
    given: Sequence[str]
    most: int
    context: frozenset[str]
    """The stems of the words around the statements."""
    is_fixed: bool = False
    """True if each citation gets a quote."""
    chosen: list[_Unit] = field(default_factory=list)
    shown: frozenset[_Unit] = frozenset()
    """The chosen lines that the page shows as code."""
    unrelated: list[int] = field(default_factory=list)
    unused: list[int] = field(default_factory=list)
    added: dict[_Unit, int] = field(default_factory=dict)
    """The units that are chosen for a citation, with the number of the statement that is theirs."""

    @cached_property
    def units(self) -> tuple[_Unit, ...]:
        """All units of all passages."""
        return tuple(
            unit
            for n, pool in enumerate(self.pools)
            for excerpt in pool.excerpts
            for passage in excerpt.passages
            for unit in _units_of(passage, n, (" > ".join(excerpt.headings), excerpt.term))
        )

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The weight of each word: what all units have tells least, and a number most."""
        counts = Counter(stem for unit in self.units for stem in unit.stems)
        return {
            stem: number**-0.5 * (_NUMERAL_WEIGHT if stem in _NUMERALS else 1)
            for stem, number in counts.items()
        }

    @cached_property
    def _around(self) -> list[str]:
        """The texts beside quotes that may have a number or name: headings, terms, titles."""
        texts = [*self.given]
        for pool in self.pools:
            texts += [pool.source.title, pool.source.fetched.url]
            for excerpt in pool.excerpts:
                texts += [" > ".join(excerpt.headings), excerpt.term]
        return texts

    def _chosen_of(self, pool: int) -> list[_Unit]:
        """Return the chosen units of one citation, in the order of its passages."""
        return [unit for unit in self.units if unit.pool == pool and unit in self._chosen_set]

    @property
    def _chosen_set(self) -> set[_Unit]:
        return set(self.chosen)

    def choose(self, code: Sequence[str]) -> None:
        """Choose units for the code, then for each statement, then for each citation."""
        if not self.units:
            return
        for block in code:
            self.chosen += _lines_of_code(block, self.units)
        self.shown = frozenset(self.chosen)
        beside = TextWords(self._around)
        if any(statement.is_label for statement in self.statements):
            # The cells of a row belong together: "5 | 3 | 2" is one row of the source, too.
            row = " ".join(f"{statement.text}." for statement in self.statements)
            self._carry(CarriedText(row), beside, _NO_WORDS)
        for statement in self.statements:
            # A plan names all options of which a table has a row each.
            self._carry(statement, beside, _NO_WORDS if statement.is_label else self.plan)
        for n, pool in enumerate(self.pools):
            if not self.has_units_of(n):
                self._represent(n, pool)

    def has_units_of(self, pool: int) -> bool:
        """Return whether units of a citation are chosen."""
        return any(unit.pool == pool for unit in self.chosen)

    def completed(self, units: Sequence[_Unit]) -> list[_Unit]:
        """Return units with all of a few lines of code of which one carries prose, in order.

        Alone, such a line says little. Of lines that the page shows, it needs no more.
        """
        passages = {unit.passage for unit in units if unit not in self.shown}
        wanted = set(units)
        for passage in passages:
            lines = [unit for unit in self.units if unit.passage == passage]
            if passage.kind is PassageKind.CODE and len(lines) <= _FEW_LINES:
                wanted |= set(lines)
        return [unit for unit in self.units if unit in wanted]

    def _carry(self, statement: CarriedText, beside: TextWords, known: TextWords) -> None:
        """Choose the units that have what a statement says, and the chosen ones lack.

        Args:
            statement: the statement.
            beside: the words beside quotes.
            known: the words that need no quote.
        """
        needs = set(find_missing_words(statement.text, beside).every)
        if needs and known is not _NO_WORDS:
            needs &= set(find_missing_words(statement.text, known).every)
        is_label = statement.is_label
        words_of_text = _words_of_label(statement) if is_label else keywords(statement.plain)
        stems = set(words_of_text) & self.weights.keys()
        total = self.weight(stems)
        for unit in self.chosen:
            needs -= _carried_by(unit, statement, needs)
            stems -= unit.stems
        needs = self._add_units(statement, needs, stems, total)
        if needs:
            self._carry_together(statement, needs)

    def _add_units(
        self, statement: CarriedText, needs: set[str], stems: set[str], total: float
    ) -> set[str]:
        """Choose units until the rest of a statement is worth no further quote.

        Args:
            statement: the statement.
            needs: its figures and names that the chosen units lack.
            stems: the stems of its words that passages have, and the chosen units lack.
            total: the weight of all its words that passages have.

        Returns:
            The figures and names that are in no unit.
        """
        related = self._units_about(statement)
        least = min(max(_WORTH_MORE * total, _LEAST_FOR_MORE), _MOST_FOR_MORE)
        is_begun = self._is_begun(self.weight(stems), total)
        for _ in range(_MOST_UNITS):
            near = [*related, *self._next_to_chosen()]
            candidates = self.units if needs or not is_begun else near
            if not candidates:
                break
            best = max(candidates, key=lambda unit: self.gain(unit, statement, needs, stems))
            carried = _carried_by(best, statement, needs)
            gain = self.weight(stems & best.stems)
            is_first = not is_begun and bool(carried or gain)
            is_worth_more = gain >= least and best in near and self._count() < self.most
            if not (carried or is_first or is_worth_more):
                break
            self.chosen.append(best)
            is_begun = True
            needs = needs - carried
            stems = stems - best.stems
        return needs

    def _is_begun(self, left: float, total: float) -> bool:
        """Return whether the chosen units carry a statement in part, by the weight of its words."""
        has_code = any(unit.passage.kind is PassageKind.CODE for unit in self.chosen)
        return has_code or (bool(self.chosen) and left <= _CARRIED * total)

    def _units_about(self, statement: CarriedText) -> list[_Unit]:
        """Return the units that share two words with a statement: one may be shared by chance."""
        stems = frozenset(keywords(statement.plain))
        return [unit for unit in self.units if len(stems & unit.stems) > 1]

    def _next_to_chosen(self) -> list[_Unit]:
        """Return the items of lists next to chosen ones, such as further steps: they are one quote.

        A sentence next to another one may share a word by chance.
        """
        chosen = self._chosen_set
        return [
            other
            for first, second in pairwise(self.units)
            if first.passage.kind is PassageKind.LIST
            and (first.pool, first.passage) == (second.pool, second.passage)
            for unit, other in ((first, second), (second, first))
            if unit in chosen and other not in chosen
        ]

    def _carry_together(self, statement: CarriedText, needs: set[str]) -> None:
        """Choose two adjacent units that have together what neither has.

        A number may stand in one, ``Default: 30``, and its unit in the next one.
        """
        for first, second in pairwise(self.units):
            if first.pool != second.pool or first.around != second.around:
                continue
            both = TextWords([f"{first.text}\n{second.text}"])
            if needs - set(find_missing_words(statement.text, both).every):
                self.chosen += [unit for unit in (first, second) if unit not in self._chosen_set]
                return

    def _count(self) -> int:
        """Return the number of quotes that the chosen units are, about."""
        return len(self.given) + sum(
            len(_runs(list(group), 1))
            for n in range(len(self.pools))
            for _, group in groupby(self._chosen_of(n), key=lambda unit: unit.passage)
        )

    def gain(
        self, unit: _Unit, statement: CarriedText, needs: set[str], stems: set[str]
    ) -> tuple[float, int]:
        """Return what a unit adds to what is chosen; of two alike, the earlier one is better."""
        carried = len(_carried_by(unit, statement, needs))
        told = sum(self.weights[stem] for stem in stems & unit.stems)
        return _NEED_WEIGHT * carried + told - _WORD_COST * unit.size, -unit.number

    def _represent(self, number: int, pool: Pool) -> None:
        """Choose the unit of a citation that shares most with the statements.

        Without a shared word, the citation is unrelated, and has the first unit.
        """
        of_pool = [unit for unit in self.units if unit.pool == number]
        own = [unit for unit in of_pool if not unit.is_head] or of_pool
        if not own:
            return
        stems = {stem for statement in self.statements for stem in keywords(statement.plain)}
        topic = stems | self.context
        above = [text for excerpt in pool.excerpts for text in (*excerpt.headings, excerpt.term)]
        is_below_topic = any(topic.intersection(keywords(text)) for text in above)
        shares_words = any(topic & unit.stems for unit in own)
        if len(topic) >= _LEAST_WORDS and not shares_words and not is_below_topic:
            self.unrelated.append(number)
        is_needed = self.is_fixed or number in self.unrelated or not self.chosen
        wanted = stems
        if not is_needed and pool.source.id in {self._source_of(unit) for unit in self.chosen}:
            # Another passage of the same work: it is needed for what it alone has.
            wanted = stems - {stem for unit in self.chosen for stem in unit.stems}
        best = max(
            own,
            key=lambda unit: (
                self.weight(wanted & unit.stems) - _WORD_COST * unit.size,
                -unit.number,
            ),
        )
        if is_needed or self.weight(wanted & best.stems) >= _LEAST_USE:
            self.chosen.append(best)
            self.added[best] = self._nearest_statement(wanted & best.stems)
        else:
            self.unused.append(number)

    def _source_of(self, unit: _Unit) -> str:
        return self.pools[unit.pool].source.id

    def weight(self, stems: Iterable[str]) -> float:
        """Return the weight of some words together."""
        return sum(self.weights.get(stem, 0.0) for stem in stems)

    def _nearest_statement(self, stems: frozenset[str] | set[str]) -> int:
        """Return the number of the statement that has most of some words; of equals, the last."""
        shares = [
            self.weight(stems & set(keywords(statement.plain))) for statement in self.statements
        ]
        best = max(shares, default=0.0)
        return max((n for n, share in enumerate(shares) if share == best), default=0)


@dataclass
class _Run:
    """Statements in a row of one block that the same units carry."""

    statements: list[CarriedText]
    units: frozenset[_Unit]
    end: int | None


class _Distribution:
    """The places of the quotes of some chosen units."""

    def __init__(self, choice: _Choice, readings: Mapping[str, Readings]) -> None:
        self._choice, self._readings = choice, readings
        self._statements = choice.statements
        self._every = frozenset(choice.chosen)
        self._needs: dict[CarriedText, set[str]] = {}
        self.used: set[int] = set()
        """The numbers of the citations of which something stands somewhere."""

    def whole(self) -> tuple[PlacedQuotes, ...]:
        """Return all quotes at the place of the citation."""
        self.used = {unit.pool for unit in self._every}
        return (self._quoted(_Run(list(self._statements), self._every, None), {}),)

    def divided(self) -> tuple[PlacedQuotes, ...]:
        """Return the quotes of each statement behind it.

        What carries several statements in a row stands behind the last of them. All quotes stand
        at the place of the citation if one statement would lose what it has there.
        """
        carriers = self._carriers()
        runs, left = self._runs(carriers)
        unrelated = {unit for unit in self._every if unit.pool in self._choice.unrelated}
        own = frozenset().union(*(carriers[n] for n in left), self._choice.shown, unrelated)
        here = [run for run in runs if run.end is None]
        for run in here:
            run.units |= own
        if not here:
            here = [_Run([], own, None)]
            runs = [*here, *runs]
        is_uncited = bool(left) and not here[0].units
        if is_uncited or not all(map(self._is_carried, here)):
            return self.whole()
        with_units = [run for run in runs if run.units]
        complete = [self._choice.completed([*run.units]) for run in with_units]
        counts = Counter(unit for units in complete for unit in units)
        shared = {unit: number for unit, number in counts.items() if number > 1}
        placed = tuple(self._quoted(run, shared) for run in with_units)
        if not placed or not all(place.number for place in placed):
            return self.whole()
        self.used = {unit.pool for run in with_units for unit in run.units}
        return placed

    def _carriers(self) -> list[frozenset[_Unit]]:
        """Return the units that carry each statement, as few as have what all chosen ones have."""
        carriers: list[frozenset[_Unit]] = []
        before: frozenset[_Unit] = frozenset()
        for n, statement in enumerate(self._statements):
            names_row = statement.is_label and n == 0
            stems = frozenset(
                _words_of_label(statement) if names_row else keywords(statement.plain)
            )
            before = self._carriers_of(statement, stems, before)
            if self._only_introduces(n, stems, before):
                before = self._carriers_of(statement, frozenset(), frozenset())
            added = {unit for unit, number in self._choice.added.items() if number == n}
            carriers.append(before | added)
        is_row = bool(carriers) and self._statements[0].is_label
        if is_row and carriers[0] <= frozenset().union(*carriers[1:]):
            # What names the row is in the quotes of its other cells.
            carriers[0] = frozenset()
        return carriers

    def _only_introduces(self, number: int, stems: frozenset[str], units: frozenset[_Unit]) -> bool:
        """Return whether a statement introduces a list, and its own quotes have little of it."""
        is_lead = self._statements[number].text.endswith(":") and any(
            other.block for other in self._statements[number + 1 :]
        )
        if not is_lead:
            return False
        weights = self._choice.weights
        carried = self._choice.weight(stems & {stem for unit in units for stem in unit.stems})
        return carried < _CARRIED * sum(weights.get(stem, 1.0) for stem in stems)

    def _carriers_of(
        self, statement: CarriedText, words_of_text: frozenset[str], before: frozenset[_Unit]
    ) -> frozenset[_Unit]:
        choice = self._choice
        needs = self._missing(statement, ())
        stems = set(words_of_text) & choice.weights.keys()
        total = sum(choice.weights[stem] for stem in stems)
        least = min(max(_WORTH_MORE * total, _LEAST_FOR_MORE), _MOST_FOR_MORE)
        chosen: list[_Unit] = []
        candidates = [unit for unit in choice.units if unit in self._every]
        while candidates:
            best = max(
                candidates,
                key=lambda unit: (
                    choice.gain(unit, statement, needs, stems)[0] + _SAME_AGAIN * (unit in before),
                    -unit.number,
                ),
            )
            left = needs and self._missing(statement, [*chosen, best])
            gain = sum(choice.weights[stem] for stem in stems & best.stems)
            is_first = not chosen and (gain > 0 or left != needs)
            is_worth_more = gain >= least and len(chosen) < MAX_QUOTES
            if not (is_first or left != needs or is_worth_more):
                break
            chosen.append(best)
            candidates.remove(best)
            needs = left
            stems -= best.stems
        return frozenset(chosen)

    def _missing(self, statement: CarriedText, units: Iterable[_Unit]) -> set[str]:
        """Return the figures and names of a statement that some units and the plan lack."""
        needs = self._needs_of(statement)
        texts: list[str] = []
        for unit in units:
            source = self._choice.pools[unit.pool].source
            texts += [*unit.texts, source.title, source.fetched.url]
        if not needs or not texts:
            return needs
        return needs & set(find_missing_words(statement.text, TextWords(texts)).every)

    def _needs_of(self, statement: CarriedText) -> set[str]:
        """Return the figures and names of a statement that the plan lacks."""
        if statement not in self._needs:
            plan = _NO_WORDS if statement.is_label else self._choice.plan
            self._needs[statement] = set(find_missing_words(statement.text, plan).every)
        return set(self._needs[statement])

    def _runs(self, carriers: Sequence[frozenset[_Unit]]) -> tuple[list[_Run], list[int]]:
        """Return the runs of statements, and the numbers of those that cannot be cited apart."""
        runs: list[_Run] = []
        left: list[int] = []
        numbered = list(enumerate(self._statements))
        for block, group in groupby(numbered, key=lambda pair: pair[1].block):
            members = list(group)
            begun: list[int] = []
            for place, (n, statement) in enumerate(members):
                begun.append(n)
                units = frozenset().union(*(carriers[m] for m in begun))
                is_last = place == len(members) - 1
                own = _Run([self._statements[m] for m in begun], units, statement.end)
                if is_last and block == 0:
                    own.end = None
                    runs.append(own)
                    begun = []
                    continue
                after = frozenset() if is_last else carriers[members[place + 1][0]]
                goes_on = not is_last and (not after or after == units)
                # What the code below shows is quoted above the code, and there alone.
                is_apart = statement.end is not None and bool(units - self._choice.shown)
                if is_apart and not goes_on and self._is_carried(own, alone=True):
                    runs.append(own)
                    begun = []
            left += begun
        return runs, left

    def _is_carried(self, run: _Run, *, alone: bool = False) -> bool:
        """Return whether the last statement of a run loses nothing with its units.

        Args:
            run: the run.
            alone: true if nothing of it may be missing: it was covered by a later citation.
        """
        if not run.statements:
            return True
        last = run.statements[-1]
        missing = self._missing(last, run.units)
        return not missing if alone else missing <= self._missing(last, self._every)

    def _quoted(self, run: _Run, shared: Mapping[_Unit, int]) -> PlacedQuotes:
        """Return the quotes of a run.

        Args:
            run: the run.
            shared: the units that other runs have, too, each quoted by itself.
        """
        units = self._choice.completed([*run.units])
        limit = MAX_QUOTES * max(1, sum(not statement.is_label for statement in run.statements))
        parts = [
            list(group)
            for _, group in groupby(
                units, lambda unit: unit in shared and unit.passage.kind is not PassageKind.CODE
            )
        ]
        quoted = self._quotes_of_parts(parts, limit)
        if sum(map(len, quoted)) > limit:
            quoted = self._quotes_of_parts([units], limit)
        return PlacedQuotes(run.end, quoted)

    def _quotes_of_parts(
        self, parts: Sequence[Sequence[_Unit]], limit: int
    ) -> tuple[tuple[str, ...], ...]:
        """Return the quotes of each citation, of units in parts that are quoted apart."""
        pools = self._choice.pools
        numbers = {unit.pool for part in parts for unit in part}
        most = max(1, limit // max(1, len(numbers)))
        quotes: list[tuple[str, ...]] = []
        for n, pool in enumerate(pools):
            of_pool: list[str] = []
            for part in parts:
                own = [unit for unit in part if unit.pool == n]
                of_pool += _quotes_of(own, self._readings[pool.source.id], most)
            quotes.append(tuple(dict.fromkeys(of_pool)))
        return tuple(quotes)


def _words_of_label(statement: CarriedText) -> Sequence[str]:
    """Return the words of what names a row that quotes are to have; none of a name alone.

    An error message stands in its source. One or two words are in the quotes of the other cells.
    """
    stems = keywords(statement.plain)
    return stems if len(set(stems)) >= _FEWEST_OF_LABEL else ()


def _carried_by(unit: _Unit, statement: CarriedText, needs: set[str]) -> set[str]:
    """Return the needed words of a statement that a unit has."""
    if not needs:
        return set()
    return needs - set(find_missing_words(statement.text, unit.words_in_it).every)


# --- units ----------------------------------------------------------------------------------------


def _units_of(passage: Passage, pool: int, beside: tuple[str, ...]) -> Iterator[_Unit]:
    """Yield the units of a passage, in order."""
    spans = _spans_of(passage)
    is_table = passage.kind is PassageKind.TABLE and len(spans) > 1
    has_head = is_table and not passage.columns
    head = passage.text[slice(*spans[0])] if has_head else passage.columns
    for number, (start, end) in enumerate(spans):
        is_head = has_head and number == 0
        yield _Unit(passage, number, start, end, pool, head=head, is_head=is_head, around=beside)


def _spans_of(passage: Passage) -> list[tuple[int, int]]:
    """Return the spans of the units of a passage."""
    match passage.kind:
        case PassageKind.CODE:
            return [
                span
                for line in _LINE.finditer(passage.text)
                for span in _pieces_of_line(passage.text, *line.span())
            ]
        case PassageKind.TABLE:
            return [
                row.span() for row in _LINE.finditer(passage.text) if not _RULE.fullmatch(row[0])
            ]
        case PassageKind.LIST:
            return list(_spans_of_list(passage.text))
        case _:
            return list(_spans_of_prose(passage.text, 0, len(passage.text)))


def _pieces_of_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a line of code; one that is too long for a quote in pieces, such as a line of a log."""
    places = [word.span() for word in _WORD_OF_LINE.finditer(text, start, end)]
    if len(places) <= MAX_QUOTE_WORDS:
        yield start, end
        return
    for first in range(0, len(places), _WORDS_OF_PIECE):
        piece = places[first : first + _WORDS_OF_PIECE]
        yield piece[0][0], piece[-1][1]


def _spans_of_list(text: str) -> Iterator[tuple[int, int]]:
    """Yield the items of a list, and the sentences before the first and of those too long."""
    starts = [item.start() for item in _ITEM.finditer(text)]
    edges = [0, *starts, len(text)] if not starts or starts[0] else [*starts, len(text)]
    for start, end in pairwise(edges):
        piece = text[start:end]
        is_item = start in starts
        if not piece.strip():
            continue
        if is_item and len(piece.split()) <= MAX_QUOTE_WORDS:
            yield start, start + len(piece.rstrip())
        else:
            yield from _spans_of_prose(text, start, end)


def _spans_of_prose(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a text; those that are too long in clauses."""
    for first, last in sentence_spans(text[start:end]):
        sentence = text[start + first : start + last]
        if len(sentence.split()) <= MAX_QUOTE_WORDS:
            yield start + first, start + last
            continue
        # Parts of about one length: three words that are left over would say nothing.
        number = len(sentence.split())
        size = math.ceil(number / math.ceil(number / MAX_QUOTE_WORDS))
        at = begin = start + first
        for cut in [*(mark.end() for mark in _CLAUSE.finditer(sentence)), len(sentence)]:
            place = start + first + cut
            if len(text[begin:place].split()) > size and at > begin:
                yield begin, begin + len(text[begin:at].rstrip())
                begin = at
            at = place
        yield begin, start + last


def _read(text: str) -> str:
    """Return what a reader sees of a part of a passage."""
    return words(text.replace("|", " "))


def _lines_of_code(block: str, units: Sequence[_Unit]) -> list[_Unit]:
    """Return the lines of passages that some code of a page shows.

    Empty if most of the code is in none of the passages: it is an example of the page's own.
    """
    wanted = [without_space(line) for line in code_lines(block)]
    lines = [unit for unit in units if unit.passage.kind is PassageKind.CODE]
    passages = [
        _CodeOfPassage(tuple(group))
        for _, group in groupby(lines, key=lambda unit: (unit.pool, unit.passage))
    ]
    shown: list[_Unit] = []
    shared = 0
    for line in wanted:
        places = [place for passage in passages if (place := passage.find(line))]
        if places:
            # The line itself, rather than a longer one that has it.
            shown += min(places, key=lambda place: sum(unit.size for unit in place))
            shared += len(line)
    is_shown = shared >= _OWN_CODE * max(1, sum(map(len, wanted)))
    return list(dict.fromkeys(shown)) if is_shown else []


class _CodeOfPassage:
    """The code of a passage without blanks and continuations, and the line of each character."""

    def __init__(self, lines: Sequence[_Unit]) -> None:
        self._lines = lines
        self._squeezed = ""
        self._owners: list[int] = []
        for n, unit in enumerate(lines):
            line = without_space(unit.text).removesuffix("\\")
            self._squeezed += line
            self._owners += [n] * len(line)

    def find(self, line: str) -> list[_Unit]:
        """Return the lines of the passage in which a line of a page stands, without blanks."""
        places: list[list[_Unit]] = []
        at = self._squeezed.find(line)
        while at >= 0:
            owners = sorted(set(self._owners[at : at + len(line)]))
            places.append([self._lines[n] for n in owners])
            at = self._squeezed.find(line, at + 1)
        return min(places, key=lambda place: sum(unit.size for unit in place), default=[])


# --- quotes ---------------------------------------------------------------------------------------


def _quotes_of(units: Sequence[_Unit], readings: Readings, most: int) -> Iterator[str]:
    """Yield the quotes of chosen units of one citation: adjacent units are one, if they fit."""
    quotes: list[str] = []
    for _, group in groupby(units, key=lambda unit: unit.passage):
        own = list(group)
        runs = _runs(own, 1)
        if len(runs) > most:
            runs = _runs(own, len(own) + own[-1].number)
        for run in runs:
            quotes += _quotes_of_run(run, readings)
    yield from dict.fromkeys(quotes)


def _runs(units: Sequence[_Unit], gap: int) -> list[list[_Unit]]:
    """Return units of one passage in runs that fit into a quote each.

    Args:
        units: the units, in order.
        gap: the largest distance of two units in a run; 1 if they are adjacent.
    """
    runs: list[list[_Unit]] = []
    for unit in units:
        last = runs[-1] if runs else None
        if last is not None and _is_near(last[-1], unit, gap) and _fits(last[0], unit):
            last.append(unit)
        else:
            runs.append([unit])
    return runs


def _is_near(first: _Unit, second: _Unit, gap: int) -> bool:
    """Return whether two units of a passage are adjacent, or few words stand between them."""
    if second.number - first.number <= gap:
        return True
    between = first.passage.text[first.end : second.start]
    return len(between.split()) <= _FEW_WORDS


def _fits(first: _Unit, last: _Unit) -> bool:
    """Return whether the text from one unit to another may be one quote."""
    text = first.passage.text[first.start : last.end]
    if first.passage.kind is PassageKind.CODE and "\n" in text:
        return text.count("\n") < MAX_CODE_LINES
    return len(text.split()) <= MAX_QUOTE_WORDS


def _quotes_of_run(run: Sequence[_Unit], readings: Readings) -> Iterator[str]:
    """Yield the quote of adjacent units; of each unit if they are not together in the source."""
    passage = run[0].passage
    whole = _quote_at(passage, run[0].start, run[-1].end, readings)
    if whole:
        yield whole
        return
    apart = [_quote_at(passage, unit.start, unit.end, readings) for unit in run]
    quotes = [quote for quote in apart if quote]
    if quotes:
        yield from quotes
        return
    fallback = _quote_at(passage, 0, len(passage.text), readings)
    if fallback:
        yield fallback


def _quote_at(passage: Passage, start: int, end: int, readings: Readings) -> str:
    """Return a span of a passage as a quote; empty if the rules would refuse it.

    A quote that is too short goes on with what is next to it.
    """
    quote = _verbatim(passage, start, end, readings)
    if not quote or "\n" in quote or not is_too_short(quote):
        return quote
    for first, last in (
        _extend_to_next(passage, start, end),
        _extend_to_previous(passage, start, end),
    ):
        quote = _verbatim(passage, first, last, readings)
        if quote and ("\n" in quote or not is_too_short(quote)):
            return quote
    return ""


def _extend_to_next(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """Return a span with the unit behind it."""
    later = [last for first, last in _spans_of(passage) if first >= end]
    return (start, later[0]) if later else (start, end)


def _extend_to_previous(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """Return a span with the unit before it."""
    earlier = [first for first, last in _spans_of(passage) if last <= start]
    return (earlier[-1], end) if earlier else (start, end)


def _verbatim(passage: Passage, start: int, end: int, readings: Readings) -> str:
    """Return a span of a passage in the form in which its source has it; empty without one."""
    for quote in _forms_of(passage, start, end):
        is_long = "\n" not in quote and len(quote.split()) > MAX_QUOTE_WORDS
        if quote and not is_long and contains_quote(quote, readings):
            return quote
    return ""


def _forms_of(passage: Passage, start: int, end: int) -> Iterator[str]:
    """Yield the forms of a span of a passage, the best for a reader first."""
    text = passage.text
    if passage.kind is PassageKind.CODE:
        first = text.rfind("\n", 0, start) + 1
        if text[first:start].strip():
            first = start  # it is a piece of a long line
        code = text[first:end].replace("\r\n", "\n").replace("\r", "\n")
        yield textwrap.dedent(code).strip("\n").rstrip()
        return
    raw = text[start:end]
    if passage.is_markdown and passage.kind is not PassageKind.TABLE:
        yield words(raw)
    printed = as_printed(raw) if passage.is_markdown else raw
    yield fold(printed)
    yield fold(raw)
    lines = [fold(line) for line in printed.split("\n")]
    yield "\n".join(filter(None, lines[:MAX_CODE_LINES]))
