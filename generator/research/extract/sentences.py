"""Split text into sentences, and group them into passages of the size of a quote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from generator.rules.limits import MAX_QUOTE_WORDS

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
_SIGNS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"(?P<sign>[{_SIGNS}])|[^\s{_SIGNS}]+")
"""A word, or one character of a script without spaces."""
_PAUSE = re.compile(r"[;:,\u3001\uff0c)](?=\s)|[\u3001\uff0c]|\s(?=[\u2013\u2014(])")


def count_words(text: str) -> int:
    """Return the number of words in `text`; in scripts without spaces, two characters count as one."""
    found = list(_WORD.finditer(text))
    signs = sum(match["sign"] is not None for match in found)
    return len(found) - signs + (signs + 1) // 2


def sentences(text: str, whole: Sequence[tuple[int, int]] = ()) -> tuple[tuple[int, int], ...]:
    """Return ``(start, end)`` of each sentence in `text`, stripped of blanks; none ends inside a span of `whole`."""
    found, start = [], 0
    for match in _END.finditer(text):
        end = match.end()
        is_within = any(a < end < b for a, b in whole)
        if not is_within and not _SHORT.search(text[max(start, match.start() - 12) : match.start() + 1]):
            found.append((start, end))
            start = end
    found.append((start, len(text)))
    trimmed = (_trimmed(text, a, b) for a, b in found)
    return tuple((a, b) for a, b in trimmed if a < b)


def packed(text: str, spans: Sequence[tuple[int, int]], limit: int = MAX_QUOTE_WORDS) -> tuple[tuple[int, int], ...]:
    """Group adjacent `spans` of `text`, as evenly as possible, with at most `limit` words each.

    A span that is too long by itself is split at its pauses, else between words.
    """
    small = [piece for span in spans for piece in _cut(text, span, limit)]
    total = sum(count_words(text[a:b]) for a, b in small)
    share = total / -(-total // limit) if total else limit
    found: list[tuple[int, int]] = []
    words = 0
    for a, b in small:
        more = count_words(text[a:b])
        if found and words < share and words + more <= limit:
            found[-1] = (found[-1][0], b)
            words += more
        else:
            found.append((a, b))
            words = more
    return tuple(found)


def _cut(text: str, span: tuple[int, int], limit: int) -> Iterator[tuple[int, int]]:
    """Yield the span in pieces of at most `limit` words."""
    start, end = span
    while count_words(text[start:end]) > limit:
        at = _place(text, start, end, limit)
        yield _trimmed(text, start, at)
        start = _trimmed(text, at, end)[0]
    if start < end:
        yield start, end


def _place(text: str, start: int, end: int, limit: int) -> int:
    """Return where to split: after the last pause in the second half of the limit, else after its last word."""
    furthest, signs, words = start, 0, 0
    for match in _WORD.finditer(text, start, end):
        signs, words = (signs + 1, words) if match["sign"] else (signs, words + 1)
        if words + (signs + 1) // 2 > limit:
            break
        furthest = match.end()
    half = (start + furthest) // 2
    pauses = [match.end() for match in _PAUSE.finditer(text, half, furthest)]
    return pauses[-1] if pauses else furthest


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without blanks at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), max(start, end - len(piece) + len(piece.rstrip()))
