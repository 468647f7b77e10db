"""The units of passages: parts that can be quoted by themselves."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise

from planbook.citations.quotes import words
from planbook.markdown.words import keywords, sentence_spans
from planbook.problems import MAX_QUOTE_WORDS
from planbook.research.drafts import Passage, PassageKind
from planbook.research.proof.quoting_blocks import code_lines
from planbook.research.proof.sentences import TextWords, strip_space
from planbook.research.writers.quote_choice.telling_words import telling_stems

_ITEM = re.compile(r"^[^\S\n]*(?:[-*+\u2022]|\d{1,3}[.)])[^\S\n]+", re.MULTILINE)
"""The beginning of an item of a list."""
_LINE = re.compile(r"[^\n]*\S[^\n]*")
_WORD_OF_LINE = re.compile(r"\S+")
_WORDS_OF_PIECE = 20
"""Number of words of the pieces of a long line."""
_RULE = re.compile(r"[\s|:+=-]*")
"""The line below the head of a table."""
_CLAUSE = re.compile(r"[;:,]\s+|\s+(?=\()")
"""The end of a clause: ``If it is open, close it``."""
_MIN_SHOWN_SHARE = 0.5
"""The least share of the characters of some code in passages from which it is shown as theirs."""


@dataclass(frozen=True)
class QuotableUnit:
    """A part of a passage: a sentence or clause, an item, a row, a line of code."""

    passage: Passage
    position: int
    """Its place among the units of its passage."""
    start: int
    end: int
    """Offsets in the text of the passage."""
    citation: int
    """The number of the citation that names the passage."""
    head: str = ""
    """The head of the table of which it is a row."""
    is_head: bool = False
    """True for that head: what it says is about its rows."""
    above: tuple[str, ...] = field(default=(), compare=False)
    """The headings and the term above it."""

    @cached_property
    def text(self) -> str:
        """Its characters in the passage."""
        return self.passage.text[self.start : self.end]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words, and of the head of its table."""
        if self.is_head:
            return frozenset()
        return telling_stems(self.text).union(keywords(_text_of_piece(self.head)))

    @cached_property
    def stems_above(self) -> frozenset[str]:
        """The stems of the headings and the term above it."""
        return frozenset(stem for text in self.above for stem in keywords(text))

    @cached_property
    def index(self) -> TextWords:
        """The index of its words."""
        return TextWords([self.text, _text_of_piece(self.text)])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Its text, and what a reader of its source sees above it."""
        return (self.text, _text_of_piece(self.text), *self.above)

    @cached_property
    def size(self) -> int:
        """The number of its words."""
        return len(self.text.split())


def units_of_passage(
    passage: Passage, citation: int, above: tuple[str, ...]
) -> Iterator[QuotableUnit]:
    """Yield the units of a passage, in order.

    Args:
        passage: the passage.
        citation: the number of the citation that names it.
        above: the headings and the term above it.
    """
    spans = unit_spans(passage)
    is_table = passage.kind is PassageKind.TABLE and len(spans) > 1
    has_head = is_table and not passage.columns
    head = passage.text[slice(*spans[0])] if has_head else passage.columns
    for index, (start, end) in enumerate(spans):
        is_head = has_head and index == 0
        yield QuotableUnit(passage, index, start, end, citation, head, is_head, above)


def unit_spans(passage: Passage) -> list[tuple[int, int]]:
    """Return the spans of the units of a passage: ``(start, end)``, offsets in its text."""
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
    word_spans = [word.span() for word in _WORD_OF_LINE.finditer(text, start, end)]
    if len(word_spans) <= MAX_QUOTE_WORDS:
        yield start, end
        return
    for first in range(0, len(word_spans), _WORDS_OF_PIECE):
        piece = word_spans[first : first + _WORDS_OF_PIECE]
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
    for sentence_start, sentence_end in sentence_spans(text[start:end]):
        is_short = (
            len(text[start + sentence_start : start + sentence_end].split()) <= MAX_QUOTE_WORDS
        )
        if is_short:
            yield start + sentence_start, start + sentence_end
        else:
            yield from _clauses_of_sentence(text, start + sentence_start, start + sentence_end)


def _clauses_of_sentence(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield clauses of a long sentence, several together, in parts of about one length.

    Three words that are left over would say nothing.
    """
    sentence = text[start:end]
    word_count = len(sentence.split())
    size = math.ceil(word_count / math.ceil(word_count / MAX_QUOTE_WORDS))
    begin = last_end = start
    for clause_end in [*(mark.end() for mark in _CLAUSE.finditer(sentence)), len(sentence)]:
        is_too_long = len(text[begin : start + clause_end].split()) > size
        if is_too_long and last_end > begin:
            yield begin, begin + len(text[begin:last_end].rstrip())
            begin = last_end
        last_end = start + clause_end
    yield begin, end


def _text_of_piece(text: str) -> str:
    """Return what a reader sees of a part of a passage."""
    return words(text.replace("|", " "))


# --- code that a page shows -----------------------------------------------------------------------


def find_shown_lines(block: str, units: Sequence[QuotableUnit]) -> list[QuotableUnit]:
    """Return the lines of passages that some code of a page shows.

    Empty if most of the code is in none of the passages: it is an example of the page's own.
    """
    code = [strip_space(line) for line in code_lines(block)]
    lines = [unit for unit in units if unit.passage.kind is PassageKind.CODE]
    passages = [
        _CodeOfPassage(tuple(group))
        for _, group in groupby(lines, key=lambda unit: (unit.citation, unit.passage))
    ]
    shown: list[QuotableUnit] = []
    shared = 0
    for line in code:
        matches = [match for passage in passages if (match := passage.find(line))]
        if matches:
            # The line itself, rather than a longer one that has it.
            shown += min(matches, key=_words_in)
            shared += len(line)
    is_shown = shared >= _MIN_SHOWN_SHARE * max(1, sum(map(len, code)))
    return list(dict.fromkeys(shown)) if is_shown else []


class _CodeOfPassage:
    """The code of a passage without blanks and continuations, and the line of each character."""

    def __init__(self, lines: Sequence[QuotableUnit]) -> None:
        self._lines = lines
        self._squeezed = ""
        self._line_numbers: list[int] = []
        for n, unit in enumerate(lines):
            line = strip_space(unit.text).removesuffix("\\")
            self._squeezed += line
            self._line_numbers += [n] * len(line)

    def find(self, line: str) -> list[QuotableUnit]:
        """Return the lines of the passage in which a line of a page stands, without blanks."""
        matches: list[list[QuotableUnit]] = []
        at = self._squeezed.find(line)
        while at >= 0:
            numbers = sorted(set(self._line_numbers[at : at + len(line)]))
            matches.append([self._lines[n] for n in numbers])
            at = self._squeezed.find(line, at + 1)
        return min(matches, key=_words_in, default=[])


def _words_in(units: Iterable[QuotableUnit]) -> int:
    """Return the number of words of units together."""
    return sum(unit.size for unit in units)
