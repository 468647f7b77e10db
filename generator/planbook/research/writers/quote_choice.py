"""Choose the exact quotes of passages that carry the statements of a page. Pure.

::

    passages ─> units: sentences, items, rows, lines of code
    statements, code ─> the units that have their words ─> adjacent ones together ─> quotes

A quote is as few and as short units as have the figures, names and options of the statements, and
most of their words. It is verbatim in its source, as the rules for drafts compare it.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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
_WORTH_MORE, _LEAST_FOR_MORE, _MOST_FOR_MORE = 0.25, 1.05, 1.2
"""The share of the words of a statement for which it gets a further quote, within these weights."""
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
_LEAST_WORDS = 3
"""Number of words of statements from which on a passage must share one of them."""


@dataclass(frozen=True, slots=True)
class CarriedText:
    """A sentence, or the cells of a row, that passages are to carry."""

    text: str
    """Its visible text, with names in backticks."""
    is_label: bool = False
    """True for what names a row of a table: its figures and names must be there, no more."""

    @property
    def plain(self) -> str:
        """Its text as a reader sees it."""
        return self.text.replace("`", "")


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
    def size(self) -> int:
        """The number of its words."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Chosen:
    """The quotes for the citations of a group."""

    quotes: tuple[tuple[str, ...], ...]
    """The quotes of each citation, in the order of their places."""
    unrelated: tuple[int, ...] = ()
    """The numbers of the citations whose passages share no word with the statements."""


def choose_quotes(  # noqa: PLR0913, PLR0917 - all that a group of citations is about
    pools: Sequence[Pool],
    statements: Sequence[CarriedText],
    code: Sequence[str],
    readings: Mapping[str, Readings],
    about: str = "",
    given: Sequence[str] = (),
    context: str = "",
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
    """
    most = MAX_QUOTES * max(1, sum(not statement.is_label for statement in statements))
    choice = _Choice(pools, statements, about, given, most, frozenset(keywords(context)))
    choice.choose(code)
    quotes = tuple(
        tuple(_quotes_of(choice.chosen_of(n), readings[pool.source.id], max(1, most // len(pools))))
        for n, pool in enumerate(pools)
    )
    return Chosen(quotes, tuple(choice.unrelated))


@dataclass
class _Choice:
    """The units that are chosen for some statements, while they are chosen."""

    pools: Sequence[Pool]
    statements: Sequence[CarriedText]
    about: str
    given: Sequence[str]
    most: int
    context: frozenset[str]
    """The stems of the words around the statements."""
    chosen: list[_Unit] = field(default_factory=list)
    unrelated: list[int] = field(default_factory=list)

    @cached_property
    def units(self) -> tuple[_Unit, ...]:
        """All units of all passages."""
        return tuple(
            unit
            for n, pool in enumerate(self.pools)
            for excerpt in pool.excerpts
            for passage in excerpt.passages
            for unit in _units_of(passage, n)
        )

    @cached_property
    def _weights(self) -> Mapping[str, float]:
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

    def chosen_of(self, pool: int) -> list[_Unit]:
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
        shown = frozenset(self.chosen)
        beside = TextWords(self._around)
        with_plan = TextWords([*self._around, self.about])
        if any(statement.is_label for statement in self.statements):
            # The cells of a row belong together: "5 | 3 | 2" is one row of the source, too.
            row = " ".join(f"{statement.text}." for statement in self.statements)
            self._carry(CarriedText(row), beside)
        for statement in self.statements:
            # A plan names all options of which a table has a row each.
            self._carry(statement, beside if statement.is_label else with_plan)
        for n, pool in enumerate(self.pools):
            if not any(unit.pool == n for unit in self.chosen):
                self._represent(n, pool)
        self._complete_short_code(shown)

    def _complete_short_code(self, shown: frozenset[_Unit]) -> None:
        """Choose all of a few lines of code of which one carries prose: alone, it says little.

        Args:
            shown: lines that the page shows, of which it needs no more.
        """
        said = {unit.passage for unit in self.chosen if unit not in shown}
        for passage in said:
            lines = [unit for unit in self.units if unit.passage == passage]
            if passage.kind is PassageKind.CODE and len(lines) <= _FEW_LINES:
                self.chosen += [unit for unit in lines if unit not in self._chosen_set]

    def _carry(self, statement: CarriedText, around: TextWords) -> None:
        """Choose the units that have what a statement says, and the chosen ones lack."""
        needs = set(find_missing_words(statement.text, around).every)
        words_of_text = () if statement.is_label else keywords(statement.plain)
        stems = set(words_of_text) & self._weights.keys()
        total = sum(self._weights[stem] for stem in stems)
        for unit in self.chosen:
            needs -= _carried_by(unit, statement, needs)
            stems -= unit.stems
        left = sum(self._weights[stem] for stem in stems)
        has_code = any(unit.passage.kind is PassageKind.CODE for unit in self.chosen)
        is_begun = has_code or (bool(self.chosen) and left <= _CARRIED * total)
        least = min(max(_WORTH_MORE * total, _LEAST_FOR_MORE), _MOST_FOR_MORE)
        for _ in range(MAX_QUOTES):
            best = max(self.units, key=lambda unit: self._gain(unit, statement, needs, stems))
            carried = _carried_by(best, statement, needs)
            gain = sum(self._weights[stem] for stem in stems & best.stems)
            is_first = not is_begun and bool(carried or gain)
            is_worth_more = gain >= least and self._count() < self.most
            if not (carried or is_first or is_worth_more):
                return
            self.chosen.append(best)
            is_begun = True
            needs -= carried
            stems -= best.stems

    def _count(self) -> int:
        """Return the number of quotes that the chosen units are, about."""
        return len(self.given) + sum(
            len(_runs(list(group), 1))
            for n in range(len(self.pools))
            for _, group in groupby(self.chosen_of(n), key=lambda unit: unit.passage)
        )

    def _gain(
        self, unit: _Unit, statement: CarriedText, needs: set[str], stems: set[str]
    ) -> tuple[float, int]:
        """Return what a unit adds to what is chosen; of two alike, the earlier one is better."""
        carried = len(_carried_by(unit, statement, needs))
        told = sum(self._weights[stem] for stem in stems & unit.stems)
        return _NEED_WEIGHT * carried + told - _WORD_COST * unit.size, -unit.number

    def _represent(self, number: int, pool: Pool) -> None:
        """Choose the unit of a citation that shares most with the statements.

        Without a shared word, the citation is unrelated, and has the first unit.
        """
        every = [unit for unit in self.units if unit.pool == number]
        own = [unit for unit in every if not unit.is_head] or every
        if not own:
            return
        stems = {stem for one in self.statements for stem in keywords(one.plain)}
        context = [text for one in pool.excerpts for text in (*one.headings, one.term)]
        beside = (stems | self.context) & {stem for text in context for stem in keywords(text)}
        best = max(
            own,
            key=lambda unit: (
                sum(self._weights[stem] for stem in stems & unit.stems) - _WORD_COST * unit.size,
                -unit.number,
            ),
        )
        self.chosen.append(best)
        around = stems | self.context
        shared = any(around & unit.stems for unit in own)
        if len(around) >= _LEAST_WORDS and not shared and not beside:
            self.unrelated.append(number)


def _carried_by(unit: _Unit, statement: CarriedText, needs: set[str]) -> set[str]:
    """Return the needed words of a statement that a unit has."""
    if not needs:
        return set()
    return needs - set(find_missing_words(statement.text, unit.words_in_it).every)


# --- units ----------------------------------------------------------------------------------------


def _units_of(passage: Passage, pool: int) -> Iterator[_Unit]:
    """Yield the units of a passage, in order."""
    match passage.kind:
        case PassageKind.CODE:
            spans = [
                span
                for line in _LINE.finditer(passage.text)
                for span in _pieces_of_line(passage.text, *line.span())
            ]
        case PassageKind.TABLE:
            spans = [
                row.span() for row in _LINE.finditer(passage.text) if not _RULE.fullmatch(row[0])
            ]
        case PassageKind.LIST:
            spans = list(_spans_of_list(passage.text))
        case _:
            spans = list(_spans_of_prose(passage.text, 0, len(passage.text)))
    is_table = passage.kind is PassageKind.TABLE and len(spans) > 1
    has_head = is_table and not passage.columns
    head = passage.text[slice(*spans[0])] if has_head else passage.columns
    for number, (start, end) in enumerate(spans):
        is_head = has_head and number == 0
        yield _Unit(passage, number, start, end, pool, head=head, is_head=is_head)


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
    for first, last in (_with_next(passage, start, end), _with_previous(passage, start, end)):
        quote = _verbatim(passage, first, last, readings)
        if quote and ("\n" in quote or not is_too_short(quote)):
            return quote
    return ""


def _with_next(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """Return a span with the unit behind it."""
    later = [unit for unit in _units_of(passage, 0) if unit.start >= end]
    return (start, later[0].end) if later else (start, end)


def _with_previous(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """Return a span with the unit before it."""
    earlier = [unit for unit in _units_of(passage, 0) if unit.end <= start]
    return (earlier[-1].start, end) if earlier else (start, end)


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
