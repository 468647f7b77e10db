"""Offsets of lines in a text, and edits by offsets."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from itertools import accumulate


def line_starts(lines: Iterable[Sized]) -> list[int]:
    """Return the offset of each of `lines` in their text, and the offset after it.

    The text is that of the lines joined by newlines. ``bisect_right(starts, offset)`` is the
    1-based line of an offset.
    """
    return list(accumulate(map((1).__add__, map(len, lines)), initial=0))


def apply_edits(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return `text` with each span ``(start, end, new)`` replaced.

    The spans are in order and do not overlap.
    """
    pieces, at = [], 0
    for start, end, new in edits:
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def blank_out(code: str) -> str:
    """Return spaces for the characters of `code`; line breaks stay."""
    return "\n".join(" " * len(line) for line in code.split("\n"))
