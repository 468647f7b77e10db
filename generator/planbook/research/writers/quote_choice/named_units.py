"""The units of passages that a writer names by some of their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planbook.citations.quotes import words
from planbook.markdown.words import keywords
from planbook.research.writers.quote_choice.cited_group import CitedPassages
from planbook.research.writers.quote_choice.quotable_units import QuotableUnit, units_of_passage

_WORD = re.compile(r"[^\W_]+")
_WORD_SEPARATOR = r"[\W_]+"


def units_of_citation(citation: CitedPassages, index: int = 0) -> Iterator[QuotableUnit]:
    """Yield the units of the passages of a citation, in order.

    Args:
        citation: the citation.
        index: its number in its group.
    """
    for excerpt in citation.excerpts:
        above = (" > ".join(excerpt.headings), excerpt.term)
        for passage in excerpt.passages:
            yield from units_of_passage(passage, index, above)


@dataclass(frozen=True, slots=True)
class NamedSentence:
    """The sentence that a writer names by some of its words."""

    units: tuple[QuotableUnit, ...] = ()
    """The units in which the words stand in a row; empty if no passage has them so."""
    sentences: tuple[str, ...] = ()
    """The different sentences in which they begin: of several, the units are those of the first."""


def find_named_sentence(units: Sequence[QuotableUnit], named_by: str) -> NamedSentence:
    """Return the sentence that has some words in a row.

    Case, marks and blanks do not count. Words that begin in one unit and end in the next name both.

    Args:
        units: the units of passages, in order.
        named_by: the words.
    """
    in_row = _words_pattern(named_by)
    if in_row is None:
        return NamedSentence()
    beginnings = list(_beginnings(units, in_row))
    if not beginnings:
        # The address of a link may stand between the words that a reader sees.
        visible = [unit for unit in units if in_row.search(words(unit.text))]
        return NamedSentence(tuple(visible[:1]))
    first_unit, match = beginnings[0]
    start, end = match.span()
    passage = (unit for unit in units if unit.passage == first_unit.passage)
    named_units = tuple(unit for unit in passage if unit.start < end and start < unit.end)
    sentences = dict.fromkeys(" ".join(unit.text.split()) for unit, _ in beginnings)
    return NamedSentence(named_units, tuple(sentences))


def _beginnings(
    units: Sequence[QuotableUnit], in_row: re.Pattern[str]
) -> Iterator[tuple[QuotableUnit, re.Match[str]]]:
    """Yield the units in which words in a row begin, with their matches in the passage."""
    for unit in units:
        match = in_row.search(unit.passage.text, unit.start)
        if match and match.start() < unit.end:
            yield unit, match


def _words_pattern(named_by: str) -> re.Pattern[str] | None:
    """Return the pattern of words in a row, whatever marks stand between; ``None`` for none."""
    words_of_writer = _WORD.findall(named_by)
    if not words_of_writer:
        return None
    in_row = _WORD_SEPARATOR.join(map(re.escape, words_of_writer))
    return re.compile(rf"(?<!\w[.-])(?<![^\W_]){in_row}(?![^\W_])", re.IGNORECASE)


def find_nearest_unit(units: Sequence[QuotableUnit], named_by: str) -> QuotableUnit:
    """Return the unit that shares most words with some that no passage has in a row.

    Args:
        units: the units of passages, at least one.
        named_by: the words.
    """
    stems = set(keywords(named_by))
    return max(units, key=lambda unit: (len(stems & unit.stems), -unit.position))
