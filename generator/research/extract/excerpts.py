"""Excerpts: code and tables with the adjacent prose, in the source's order.

A program cannot tell whether prose explains the code above it or the code below it, and sources do both. So neither is
claimed: whatever is adjacent in the source is quoted as one excerpt, and only what the source itself connects by a
colon is separated from its other neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from generator.drafts import PassageKind

MAX_PASSAGES, MAX_LINES = 6, 40
"""Maximum size of an excerpt; a longer stretch of the source is split."""
_TAIL, _GAP, _WINDOW = 40, 16, 100_000
"""Numbers of letters: compared on either side of a gap; allowed in it (`Copy`, the name of a language); searched."""
_SEAM = re.compile(r"(?:\s|^[ \t]*(?:`{3,}|~{3,})[^\n]*$)*", re.MULTILINE)
_NOT_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage without an id."""

    start: int
    end: int
    kind: PassageKind
    headings: tuple[str, ...] = ()
    language: str = ""
    is_cut: bool = False
    group: int = 0
    """The same as `SourceBlock.group`."""
    leads: bool = False
    """True if it is prose that ends in a colon."""


def joined(text: str, visible: str, pieces: Sequence[Piece]) -> tuple[bool, ...]:
    """Return, for each of the pieces of `text`, whether it belongs to the same excerpt as the previous one.

    `visible` is all text visible to a reader of the source: pieces are not joined if some of it is missing between
    them.
    """
    seams = _Seams(text, visible)
    result: list[bool] = []
    size = lines = 0
    is_bound = False  # the last prose of the excerpt ends in a colon, and introduces everything after it
    for n, piece in enumerate(pieces):
        rows = text.count("\n", piece.start, piece.end) + 1
        before = pieces[n - 1] if n else None
        is_joined = bool(
            before
            and size < MAX_PASSAGES
            and lines + rows <= MAX_LINES
            and _may_join(before, piece, is_bound=is_bound)
            and seams.meet(before, piece)
        )
        result.append(is_joined)
        size, lines = (size + 1, lines + rows) if is_joined else (1, rows)
        is_bound = piece.leads or (is_joined and is_bound and piece.kind is PassageKind.CODE)
    return tuple(result)


def _may_join(before: Piece, piece: Piece, *, is_bound: bool) -> bool:
    if (before.group, before.headings) != (piece.group, piece.headings):
        return False
    match before.kind, piece.kind:
        case (PassageKind.PROSE | PassageKind.CODE, PassageKind.CODE):
            return True
        case (PassageKind.CODE, PassageKind.PROSE):
            return not is_bound and not piece.leads
        case (PassageKind.PROSE, PassageKind.TABLE):
            return before.leads
    return False


class _Seams:
    """Test whether two pieces are adjacent, both in the text and in what a reader sees."""

    def __init__(self, text: str, visible: str) -> None:
        self._text = text
        self._seen = _letters(visible)
        self._at = 0

    def meet(self, before: Piece, piece: Piece) -> bool:
        if not _SEAM.fullmatch(self._text, before.end, piece.start):
            return False
        tail = _letters(self._text[before.start : before.end])[-_TAIL:]
        head = _letters(self._text[piece.start : piece.end])[:_TAIL]
        at = self._seen.find(tail, self._at, self._at + _WINDOW)
        while at >= 0:
            end = at + len(tail)
            if self._seen.find(head, end, end + _GAP + len(head)) >= 0:
                self._at = at
                return True
            at = self._seen.find(tail, at + 1, self._at + _WINDOW)
        return False


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text)
