"""The size of quotes: words are counted, and spans of a text grouped or split to fit. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from planbook.markdown.words import sentence_spans, trimmed_span
from planbook.problems import MAX_QUOTE_WORDS

_SIGNS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""Kana and Chinese characters, of scripts without spaces."""
_SIGN = re.compile(f"[{_SIGNS}]")
_WORD = re.compile(rf"(?P<sign>[{_SIGNS}])|[^\s{_SIGNS}]+")
"""A word, or one character of a script without spaces."""
_PAUSE = re.compile(
    r"""[;:,\u3001\uff0c)](?=\s)   # a mark at the end of a word
    |   [\u3001\uff0c]             # a comma of a script without spaces
    |   \s(?=[\u2013\u2014(])      # before a dash or a parenthesis
    """,
    re.VERBOSE,
)
"""A place within a sentence where a reader takes breath."""


def count_words(text: str) -> int:
    """Return the number of words in `text`.

    In scripts without spaces, two characters count as one.
    """
    if text.isascii() or not _SIGN.search(text):
        return len(text.split())
    words = list(_WORD.finditer(text))
    signs = sum(match["sign"] is not None for match in words)
    return len(words) - signs + (signs + 1) // 2


def packed(
    text: str, spans: Sequence[tuple[int, int]], limit: int = MAX_QUOTE_WORDS
) -> tuple[tuple[int, int], ...]:
    """Group adjacent `spans` of `text`, as evenly as possible, with at most `limit` words each.

    A span that is too long by itself is split at its pauses, else between words.
    """
    small = [piece for span in spans for piece in _cut(text, span, limit)]
    sizes = [count_words(text[start:end]) for start, end in small]
    total = sum(sizes)
    groups = math.ceil(total / limit)
    even = total / groups if groups else limit  # words of a group, if all are of one size
    grouped: list[tuple[int, int]] = []
    words = 0
    for (start, end), more in zip(small, sizes, strict=True):
        if grouped and words < even and words + more <= limit:
            grouped[-1] = (grouped[-1][0], end)
            words += more
        else:
            grouped.append((start, end))
            words = more
    return tuple(grouped)


def _cut(text: str, span: tuple[int, int], limit: int) -> Iterator[tuple[int, int]]:
    """Yield the span in pieces of at most `limit` words."""
    start, end = span
    while (at := _place_to_split(text, start, end, limit)) is not None:
        yield trimmed_span(text, start, at)
        rest = _WORD.search(text, at, end)
        start = rest.start() if rest else end
    if start < end:
        yield start, end


def _place_to_split(text: str, start: int, end: int, limit: int) -> int | None:
    """Return where to split a span; ``None`` if it has not more words than the limit allows.

    It is after the last sentence or pause in the second half of the limit, else after a word.
    """
    is_short = end - start < 20 * limit  # short enough to count all of its words
    if is_short and count_words(text[start:end]) <= limit:
        return None
    furthest = _end_of_words(text, start, end, limit)
    if furthest is None:
        return None
    half = (start + furthest) // 2
    sentences = sentence_spans(text[half:furthest])[:-1]
    if sentences:
        return half + sentences[-1][1]
    pauses = [pause.end() for pause in _PAUSE.finditer(text, half, furthest)]
    return pauses[-1] if pauses else furthest


def _end_of_words(text: str, start: int, end: int, limit: int) -> int | None:
    """Return where the last word within the limit ends; ``None`` if all words are within it."""
    furthest = start
    signs = words = 0
    for match in _WORD.finditer(text, start, end):
        if match["sign"]:
            signs += 1
        else:
            words += 1
        if words + (signs + 1) // 2 > limit:
            return furthest
        furthest = match.end()
    return None
