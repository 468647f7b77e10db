"""A passage as a quote: the exact words that go into the front matter, and how they are shown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from generator.citations.quotes import fold, stands, words
from generator.drafts import Kind, Passage
from generator.markdown.document import Node, read_tree
from generator.markdown.escape import fenced, spans, verbatim

Pieces = tuple[tuple[str, bool], ...]
"""A line of text in pieces, each with whether it is code."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source, as they stand in it."""

    passage: Passage
    words: str
    """To the letter, but for white space; lines are kept in code."""


def quoted(passage: Passage, texts: Iterable[str]) -> Quote | None:
    """The passage as a quote that stands in its source; `texts` are the source's readings.

    What a reader sees is quoted where it stands in them, else the Markdown itself; ``None`` where neither does.
    """
    texts = tuple(texts)
    if passage.kind is Kind.CODE:
        code = passage.text.replace("\r\n", "\n").replace("\r", "\n")
        forms = [textwrap.dedent(code).strip("\n").rstrip()]
    else:
        forms = [*([words(passage.text)] if passage.is_markdown else []), fold(passage.text)]
    return next((Quote(passage, form) for form in forms if stands(form, texts)), None)


def shown(quote: Quote, citation: str) -> str:
    """The quote as Markdown that reads the same: code in a fence, all else as a block quote that ends in `citation`."""
    passage = quote.passage
    if passage.kind is Kind.CODE:
        return fenced(quote.words, passage.language).rstrip("\n")
    rows = tuple(_rows(passage.text)) if passage.is_markdown else ()
    if rows and fold(" ".join("".join(text for text, _ in cell) for row in rows for cell in row.cells)) == quote.words:
        if passage.kind is Kind.PROSE:  # of a definition, the term is a paragraph of its own
            paragraphs = [" ".join(map(spans, row.cells)) for row in rows]
            return _block("\n\n".join([*paragraphs[:-1], f"{paragraphs[-1]} {citation}"]).split("\n"))
        return _block([*(_table(rows) if passage.kind is Kind.TABLE else _list(rows)), "", citation])
    return _block([f"{verbatim(quote.words)} {citation}"])


@dataclass(frozen=True, slots=True)
class _Row:
    """A paragraph (no marker), an item of a list, or a row of a table."""

    marker: str
    cells: tuple[Pieces, ...]


_ROWS = frozenset({"Item", "Paragraph", "TableHead", "TableRow", "List"})
"""Events that begin or end a line."""


class _RowReader:
    """Reads Markdown into rows; the items of a list within an item stand beside it."""

    def __init__(self) -> None:
        self._cells: list[list[tuple[str, bool]]] = [[]]
        self._lists: list[int | None] = []
        """The lists around, each with the number of its next item; ``None`` for bullets."""
        self._marker = ""

    def read(self, root: Node) -> Iterator[_Row]:
        """The rows of a tree."""
        for is_start, node in root.walk():
            if node.name in _ROWS:
                cells = tuple(tuple(cell) for cell in self._cells)
                if any(text.strip() for cell in cells for text, _ in cell):
                    yield _Row(self._marker, cells)
                self._cells = [] if node.name.startswith("Table") else [[]]
                self._turn(node, is_start=is_start)
            elif is_start and node.name == "TableCell":
                self._cells.append([])
            elif is_start and self._cells and node.text:
                self._cells[-1].append((node.text, node.name == "Code"))

    def _turn(self, node: Node, *, is_start: bool) -> None:
        if node.name == "List" and is_start:
            self._lists.append(node.number)
        elif node.name == "List":
            self._lists.pop()
        elif node.name == "Item" and is_start:
            number = self._lists[-1]
            self._marker = "-" if number is None else f"{number}."
            self._lists[-1] = None if number is None else number + 1


def _rows(markdown: str) -> Iterator[_Row]:
    """Yield the rows of `markdown`; a further paragraph of an item is part of it."""
    before: _Row | None = None
    for row in _RowReader().read(read_tree(markdown)):
        if before and row.marker and row.marker == before.marker and row.marker != "-":
            before = _Row(row.marker, ((*before.cells[0], (" ", False), *row.cells[0]),))
            continue
        if before:
            yield before
        before = row
    if before:
        yield before


def _list(rows: Sequence[_Row]) -> Iterator[str]:
    for n, row in enumerate(rows):
        text = spans(row.cells[0])
        if row.marker:
            yield f"{row.marker} {text}"
        else:
            yield from (text, "") if n + 1 < len(rows) else (text,)


def _table(rows: Sequence[_Row]) -> Iterator[str]:
    width = max(len(row.cells) for row in rows)
    for n, row in enumerate(rows):
        cells = [spans(cell) for cell in row.cells]
        yield f"| {' | '.join([*cells, *([''] * (width - len(cells)))])} |"
        if n == 0:
            yield f"| {' | '.join(['---'] * width)} |"


def _block(lines: Iterable[str]) -> str:
    return "\n".join(f"> {line}".rstrip() for line in lines)
