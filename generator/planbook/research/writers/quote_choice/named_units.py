"""The units of passages that a writer names by some of their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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


def find_named_units(units: Sequence[QuotableUnit], named_by: str) -> list[QuotableUnit]:
    """Return the units in which some words stand in a row; empty if no passage has them.

    Case, marks and blanks do not count. Words that begin in one unit and end in the next name both.
    If they begin in several sentences, the first one is meant: see `find_named_sentences`.

    Args:
        units: the units of passages, in order.
        named_by: the words.
    """
    in_row = _words_pattern(named_by)
    if in_row is None:
        return []
    for unit in units:
        match = in_row.search(unit.passage.text, unit.start)
        if match and match.start() < unit.end:
            passage = [other for other in units if other.passage == unit.passage]
            return [u for u in passage if u.start < match.end() and match.start() < u.end]
    # The address of a link may stand between the words that a reader sees.
    return [unit for unit in units if in_row.search(words(unit.text))][:1]


def find_named_sentences(units: Sequence[QuotableUnit], named_by: str) -> list[str]:
    """Return the different sentences in which some words begin, in order.

    Args:
        units: the units of passages, in order.
        named_by: the words.
    """
    in_row = _words_pattern(named_by)
    if in_row is None:
        return []
    matching = (unit for unit in units if _begins_in(in_row, unit))
    return list(dict.fromkeys(" ".join(unit.text.split()) for unit in matching))


def _begins_in(in_row: re.Pattern[str], unit: QuotableUnit) -> bool:
    """Return whether words in a row begin in a unit."""
    match = in_row.search(unit.passage.text, unit.start)
    return match is not None and match.start() < unit.end


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
