"""Split text into sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

_END = re.compile(
    r"[.!?\u2026]+[\"'\u201d\u2019)\]*_`]*(?=\s+[\"'\u201c\u2018(\[*_`\\]*[^\W_a-z])|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d)]*"
)
"""The end of a sentence, before a capital or digit; or that of Chinese and Japanese."""
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|approx|ca|resp|incl|fig|figs|eq|sec|ch|no|nos|vol|pp|p|ed|eds|dr|mr|mrs|ms|prof|st|jr"
    r"|sr|inc|ltd|co|corp|dept|est)|\b[A-Z]|(?:^|\n)\s*\d{1,3})\.$",
    re.IGNORECASE,
)
"""Abbreviations that end in a period, and the number of a list item."""


def sentence_spans(text: str, whole: Sequence[tuple[int, int]] = ()) -> tuple[tuple[int, int], ...]:
    """Return ``(start, end)`` of each sentence in `text`, stripped of blanks; none ends inside a span of `whole`."""
    found, start = [], 0
    for match in _END.finditer(text):
        end = match.end()
        is_within = any(a < end < b for a, b in whole)
        if not is_within and not _SHORT.search(text[max(start, match.start() - 12) : match.start() + 1]):
            found.append((start, end))
            start = end
    found.append((start, len(text)))
    trimmed = (trimmed_span(text, a, b) for a, b in found)
    return tuple((a, b) for a, b in trimmed if a < b)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def trimmed_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without blanks at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), max(start, end - len(piece) + len(piece.rstrip()))
