"""Pieces of blocks, each of the size of a quote: sentences, items, rows, lines of code.

`passages` joins blocks that belong together; here one block is divided, and pieces that fit are
put together again.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from planbook.citations.quotes import words
from planbook.markdown.words import sentence_spans
from planbook.problems import MAX_CODE_LINES, MAX_QUOTE_WORDS
from planbook.research.drafts import PassageKind
from planbook.research.evidence.blocks import SourceBlock
from planbook.research.evidence.junk import is_junk, is_menu, is_unfit, is_unsafe_code
from planbook.research.evidence.plain_blocks import PARAGRAPH
from planbook.research.evidence.quote_sizes import count_words, packed

_MIN_CHARS = 12
"""Minimum size of a quote."""
TEXT_KINDS = frozenset({PassageKind.PROSE, PassageKind.LIST})
"""The kinds of blocks that have sentences."""
MAX_WORDS = 160
"""Maximum number of words of an excerpt of several blocks; a longer stretch is split."""
SHORT_WORDS = 12
"""Words of a paragraph that is no excerpt without the one below it, such as a label in bold."""
_MARKS = re.compile(r"(?:[ \t]*(?::{3,}[^\n]*|\[!\w+\][ \t]*)(?:\n[ \t>]*|\Z))+")
"""Lines that begin a note in MyST (``:::{note}``) or on GitHub (``[!NOTE]``)."""
_END_MARKS = re.compile(r"(?:\n[ \t]*:{3,}[ \t]*){1,8}\Z")
"""Lines that end such notes."""
_LINKED = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+\[[^\[\]\n]{1,300}\]\([^()\s]{1,300}\)")
"""An item of a list of contents: a link and nothing else."""
_CELL = re.compile(r"(?<=\|)(?:\\.|[^|\\\n])+(?=\|)")
"""A cell: the text between two bars of a table."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage without an id: a part of a block."""

    block: SourceBlock
    start: int
    end: int
    kind: PassageKind
    is_cut: bool = False
    columns: str = ""
    """The head of its table, if it has later rows only."""
    row: str = ""
    """The name of the row of a table of which it is one cell: what the cell is about."""


def contiguous_pieces(piece: Piece, text: str, visible: str) -> Iterator[Piece]:
    """Yield the piece as the source has it: whole, or its items or paragraphs.

    The main text of a page may lack what the page has between two of them.
    """
    is_text = piece.kind in TEXT_KINDS
    if not visible or not is_text or words(text[piece.start : piece.end]) in visible:
        yield piece
        return
    items = [
        (start, end)
        for start, end in piece.block.pieces
        if piece.start <= start and end <= piece.end
    ]
    paragraphs = PARAGRAPH.finditer(text, piece.start, piece.end)
    for start, end in items or [paragraph.span() for paragraph in paragraphs]:
        yield replace(piece, start=start, end=end)


@dataclass(frozen=True, slots=True)
class BlockDivider:
    """Divides the blocks of a text into pieces of a quote's size."""

    text: str
    words: Callable[[str], str]
    """Returns the visible text of markup, folded."""

    def runs(self, block: SourceBlock, *, is_alone: bool) -> Iterator[list[Piece]]:
        """Yield the pieces of a block.

        If the block is too long for one excerpt, each run of pieces is an excerpt of its own.
        """
        match block.kind:
            case PassageKind.PROSE:
                whole = [(start - block.start, end - block.start) for start, end in block.whole]
                sentences = sentence_spans(self._text_of(block), whole)
                spans = [(block.start + start, block.start + end) for start, end in sentences]
                yield from self._pieces_of_spans(block, spans, PassageKind.PROSE)
            case PassageKind.LIST:
                items = [self.text[start:end] for start, end in block.pieces]
                if not (is_alone and self._is_for_navigation(items)):
                    spans = [
                        (start, start + len(item.rstrip()))
                        for (start, _), item in zip(block.pieces, items, strict=True)
                    ]
                    yield from self._pieces_of_spans(block, spans, PassageKind.LIST)
            case PassageKind.TABLE:
                yield from self._pieces_of_table(block)
            case _:
                yield from self._pieces_of_code(block)

    def _is_for_navigation(self, items: Sequence[str]) -> bool:
        """Return whether a list is a table of contents, a menu or other junk."""
        if all(_LINKED.fullmatch(item.strip()) for item in items):
            return True
        entries = tuple(map(self.words, items))
        return is_menu(entries) or is_junk(" ".join(entries))

    def _pieces_of_spans(
        self, block: SourceBlock, spans: Sequence[tuple[int, int]], kind: PassageKind
    ) -> Iterator[list[Piece]]:
        """Yield adjacent spans together, in pieces of the size of a quote."""
        starts = [start for start, _ in spans]
        ends = [end for _, end in spans]
        for packed_start, packed_end in packed(self.text, spans, MAX_WORDS):
            # Only the first and the last span among these may reach over the edge.
            among = spans[bisect_right(ends, packed_start) : bisect_left(starts, packed_end)]
            inside = [(max(start, packed_start), min(end, packed_end)) for start, end in among]
            pieces = []
            for span in packed(self.text, inside):
                start, end = _without_marks(self.text, *span)
                raw = self.text[start:end]
                if raw and not is_unfit(self.words(raw), raw):
                    pieces.append(Piece(block, start, end, kind))
            yield pieces

    def _pieces_of_table(self, block: SourceBlock) -> Iterator[list[Piece]]:
        """Yield the head with as many rows as fit into a quote, then further rows.

        Long cells are prose.
        """
        head, *rows = block.pieces or ((block.start, block.end),)
        start = head[0]  # of the rows that are shown together: the first ones with the head
        rows_end = 0  # where they end; 0 if there are none yet
        is_apart = head[0] < block.start  # a blank line parts the rows from their table
        for row_start, row_end in rows:
            is_long = self._size_of_rows(row_start, row_end) > MAX_QUOTE_WORDS
            if rows_end and (is_long or self._size_of_rows(start, row_end) > MAX_QUOTE_WORDS):
                yield from self._pieces_of_rows(block, start, rows_end)
                start = row_start
                rows_end = 0
            if is_long:
                yield from self._pieces_of_cells(block, row_start, row_end)
                is_apart = True
                continue
            if is_apart:
                start = row_start
                is_apart = False
            rows_end = row_end
        if rows_end:
            yield from self._pieces_of_rows(block, start, rows_end)

    def _size_of_rows(self, start: int, end: int) -> int:
        """Return the number of words in rows of a table, as a reader sees them."""
        return count_words(self.words(self.text[start:end]))

    def _pieces_of_cells(self, block: SourceBlock, start: int, end: int) -> Iterator[list[Piece]]:
        """Yield the long cells of a row as prose, each with the row's name."""
        cells = list(_CELL.finditer(self.text, start, end))
        name = self.words(cells[0][0]) if cells else ""
        for cell in cells:
            if count_words(cell[0]) < SHORT_WORDS:
                continue
            at = cell.start()
            spans = [(at + begin, at + stop) for begin, stop in sentence_spans(cell[0])]
            has_name = cell is not cells[0] and count_words(name) < SHORT_WORDS
            for pieces in self._pieces_of_spans(block, spans, PassageKind.PROSE):
                yield [replace(piece, row=name if has_name else "") for piece in pieces]

    def _pieces_of_rows(self, block: SourceBlock, start: int, end: int) -> Iterator[list[Piece]]:
        """Yield adjacent rows of a table; without its head, that is beside them."""
        table = self.text[start:end].rstrip()
        if is_unsafe_code(table):
            return
        head_start, head_end = block.pieces[0]
        columns = self.text[head_start:head_end].strip() if start > head_start else ""
        is_cut = end < block.pieces[-1][1]
        yield [Piece(block, start, start + len(table), PassageKind.TABLE, is_cut, columns)]

    def _pieces_of_code(self, block: SourceBlock) -> Iterator[list[Piece]]:
        """Yield the code in pieces of lines, cut at empty lines if it is too long."""
        start = self.text.rfind("\n", 0, block.start) + 1
        if self.text[start : block.start].strip():  # more than the indent is before it
            start = block.start
        end = block.pieces[-1][1]
        while start < end:
            stop = self._end_of_code(start, end)
            code = self.text[start:stop].rstrip()
            if len(code.strip()) >= _MIN_CHARS and not is_unsafe_code(code):
                yield [Piece(block, start, start + len(code), PassageKind.CODE, is_cut=stop < end)]
            while stop < end and self.text[stop] == "\n":
                stop += 1
            start = stop

    def _end_of_code(self, start: int, end: int) -> int:
        """Return where to cut code: at the last empty line among those that a quote may have."""
        line_ends = re.finditer(r"\n|\Z", self.text[start:end])
        ends = [start + line_end.end() for line_end in line_ends][:MAX_CODE_LINES]
        if ends[-1] >= end:
            return ends[-1]
        above_empty = [at for at in ends[MAX_CODE_LINES // 2 :] if self.text[at : at + 1] == "\n"]
        return above_empty[-1] if above_empty else ends[-1]

    def merged(self, run: Iterable[Piece]) -> Iterator[Piece]:
        """Yield adjacent pieces of text together, as far as they fit into a quote.

        Those that are too short are left out.
        """
        previous: Piece | None = None
        for piece in run:
            both = self._both(previous, piece) if previous else None
            if both:
                previous = both
                continue
            if previous and self.is_long_enough(previous):
                yield previous
            previous = piece
        if previous and self.is_long_enough(previous):
            yield previous

    def _both(self, first: Piece, second: Piece) -> Piece | None:
        """Return two adjacent pieces of text as one; ``None`` if they do not fit into a quote."""
        kinds = {first.kind, second.kind}
        if not kinds <= TEXT_KINDS or self.text[first.end : second.start].strip():
            return None
        if count_words(self.text[first.start : second.end]) > MAX_QUOTE_WORDS:
            return None
        kind = PassageKind.LIST if PassageKind.LIST in kinds else PassageKind.PROSE
        return replace(first, end=second.end, kind=kind)

    def is_long_enough(self, piece: Piece) -> bool:
        """Return whether a piece has the size of a quote, as a reader sees it."""
        text = self.text[piece.start : piece.end]
        if piece.kind is not PassageKind.CODE:
            text = self.words(text).replace("|", "")
        return len(text) >= _MIN_CHARS

    def _text_of(self, block: SourceBlock) -> str:
        return self.text[block.start : block.end]


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the marks of notes around it."""
    marks = _MARKS.match(text, start, end)
    if marks:
        start = marks.end()
    end_marks = _END_MARKS.search(text, start, end)
    return start, end_marks.start() if end_marks else end
