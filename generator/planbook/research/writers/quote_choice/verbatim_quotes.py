"""The quotes of units of passages, each verbatim in its source."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from planbook.citations.quotes import (
    Readings,
    contains_quote,
    find_spans,
    fold,
    printable_markdown,
    words,
)
from planbook.problems import MAX_CODE_LINES, MAX_QUOTE_WORDS
from planbook.research.drafts import Passage, PassageKind
from planbook.research.proof.sentences import is_too_short
from planbook.research.writers.quote_choice.quotable_units import QuotableUnit, unit_spans

_WORDS_OF_COMMON = 12
"""Number of words of a quote up to which its source may have it of another thing, too."""
_FEW_WORDS = 8
"""Number of words between two units up to which they are one quote: shorter than another one."""


def quotes_of_units(units: Sequence[QuotableUnit], readings: Readings, limit: int) -> Iterator[str]:
    """Yield the quotes of units of one citation: adjacent units are one, if they fit.

    Args:
        units: the units, in order.
        readings: the forms of the text of their source.
        limit: the number of quotes from which on distant units of a passage are one, too.
    """
    quotes: list[str] = []
    for _, group in groupby(units, key=lambda unit: unit.passage):
        of_passage = list(group)
        runs = adjacent_runs(of_passage)
        if len(runs) > limit:
            runs = _join_fitting(of_passage, gap=len(of_passage) + of_passage[-1].position)
        for run in runs:
            quotes += _quotes_of_run(run, readings)
    yield from dict.fromkeys(quotes)


def adjacent_runs(units: Sequence[QuotableUnit]) -> list[list[QuotableUnit]]:
    """Return units of one passage in runs of adjacent ones that fit into a quote each."""
    return _join_fitting(units, gap=1)


def _join_fitting(units: Sequence[QuotableUnit], gap: int) -> list[list[QuotableUnit]]:
    """Return units of one passage in runs that fit into a quote each.

    Args:
        units: the units, in order.
        gap: the largest distance of two units in a run; 1 if they are adjacent.
    """
    runs: list[list[QuotableUnit]] = []
    for unit in units:
        run = runs[-1] if runs else None
        if run is not None and _are_adjacent(run[-1], unit, gap) and _fits(run[0], unit):
            run.append(unit)
        else:
            runs.append([unit])
    return runs


def _are_adjacent(first: QuotableUnit, second: QuotableUnit, gap: int) -> bool:
    """Return whether two units of a passage are adjacent, or few words stand between them."""
    if second.position - first.position <= gap:
        return True
    between = first.passage.text[first.end : second.start]
    return len(between.split()) <= _FEW_WORDS


def _fits(first: QuotableUnit, last: QuotableUnit) -> bool:
    """Return whether the text from one unit to another may be one quote."""
    text = first.passage.text[first.start : last.end]
    if first.passage.kind is PassageKind.CODE and "\n" in text:
        return text.count("\n") < MAX_CODE_LINES
    return len(text.split()) <= MAX_QUOTE_WORDS


def _quotes_of_run(run: Sequence[QuotableUnit], readings: Readings) -> Iterator[str]:
    """Yield the quote of adjacent units; of each unit if they are not together in the source."""
    passage, start, end = run[0].passage, run[0].start, run[-1].end
    whole = _quote_at(passage, start, end, readings)
    if whole:
        is_in_places = _is_in_places(whole, readings)
        longer = _extend_to_one_place(passage, start, end, readings) if is_in_places else ""
        yield longer or whole
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
    quote = _verbatim_span(passage, start, end, readings)
    if not quote or "\n" in quote or not is_too_short(quote):
        return quote
    for longer_start, longer_end in (
        _extend_to_next(passage, start, end),
        _extend_to_previous(passage, start, end),
    ):
        quote = _verbatim_span(passage, longer_start, longer_end, readings)
        if quote and ("\n" in quote or not is_too_short(quote)):
            return quote
    return ""


def _is_in_places(quote: str, readings: Readings) -> bool:
    """Return whether the words of a short quote stand in several places of its source."""
    is_short = "\n" not in quote and len(quote.split()) <= _WORDS_OF_COMMON
    return is_short and _count_places(quote, readings) > 1


def _count_places(quote: str, readings: Readings) -> int:
    """Return the number of places at which a reader of its source sees a quote."""
    return len(find_spans(quote, next(iter(readings))))


def _extend_to_one_place(passage: Passage, start: int, end: int, readings: Readings) -> str:
    """Return a quote with what is before or behind it: so it stands in one place of its source.

    "The default value is 10." may be said of any option. The result is empty if no neighbour tells
    the places apart.

    Args:
        passage: the passage.
        start: the start of the quote in the text of the passage.
        end: its end.
        readings: the forms of the text of its source.
    """
    with_previous = _extend_to_previous(passage, start, end)
    with_next = _extend_to_next(passage, start, end)
    with_both = (with_previous[0], with_next[1])
    for longer_start, longer_end in (with_previous, with_next, with_both):
        quote = _verbatim_span(passage, longer_start, longer_end, readings)
        if quote and "\n" not in quote and _count_places(quote, readings) == 1:
            return quote
    return ""


def _extend_to_next(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """Return a span with the unit behind it."""
    later = [unit_end for unit_start, unit_end in unit_spans(passage) if unit_start >= end]
    return (start, later[0]) if later else (start, end)


def _extend_to_previous(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """Return a span with the unit before it."""
    earlier = [unit_start for unit_start, unit_end in unit_spans(passage) if unit_end <= start]
    return (earlier[-1], end) if earlier else (start, end)


def _verbatim_span(passage: Passage, start: int, end: int, readings: Readings) -> str:
    """Return a span of a passage in the form in which its source has it; empty without one."""
    for quote in _forms_of_span(passage, start, end):
        is_long = "\n" not in quote and len(quote.split()) > MAX_QUOTE_WORDS
        if quote and not is_long and contains_quote(quote, readings):
            return quote
    return ""


def _forms_of_span(passage: Passage, start: int, end: int) -> Iterator[str]:
    """Yield the forms of a span of a passage, the best for a reader first."""
    text = passage.text
    if passage.kind is PassageKind.CODE:
        line_start = text.rfind("\n", 0, start) + 1
        is_piece_of_line = bool(text[line_start:start].strip())
        first = start if is_piece_of_line else line_start
        code = text[first:end].replace("\r\n", "\n").replace("\r", "\n")
        yield textwrap.dedent(code).strip("\n").rstrip()
        return
    raw = text[start:end]
    if passage.is_markdown and passage.kind is not PassageKind.TABLE:
        yield words(raw)
    printed = printable_markdown(raw) if passage.is_markdown else raw
    yield fold(printed)
    yield fold(raw)
    lines = [fold(line) for line in printed.split("\n")]
    yield "\n".join(filter(None, lines[:MAX_CODE_LINES]))
