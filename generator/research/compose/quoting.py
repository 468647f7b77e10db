"""A passage as a quote: the exact words that go into the front matter, and how they are shown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyromark

from generator.citations.quotes import MARKDOWN, fold, stands, words
from generator.drafts import Kind, Passage
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
"""What begins and ends a line."""


class _Reader:
    """Reads Markdown into rows; the items of a list within an item stand beside it."""

    def __init__(self) -> None:
        self._cells: list[list[tuple[str, bool]]] = [[]]
        self._lists: list[int | None] = []
        """The lists around, each with the number of its next item; ``None`` for bullets."""
        self._marker = ""

    def read(self, events: Iterable[object]) -> Iterator[_Row]:
        """The rows that the events tell of."""
        for event in events:
            kind, value = next(iter(event.items())) if isinstance(event, dict) else (str(event), None)
            name, detail = next(iter(value.items())) if isinstance(value, dict) else (str(value), None)
            if kind in {"Start", "End"} and name in _ROWS:
                cells = tuple(tuple(cell) for cell in self._cells)
                if any(text.strip() for cell in cells for text, _ in cell):
                    yield _Row(self._marker, cells)
                self._turn(kind, name, detail)
            elif kind == "Start" and name == "TableCell":
                self._cells.append([])
            elif self._cells and kind in {"Text", "Code"}:
                self._cells[-1].append((str(value), kind == "Code"))
            elif self._cells and (kind in {"SoftBreak", "HardBreak"} or "<br" in str(value).lower()):
                self._cells[-1].append((" ", False))

    def _turn(self, kind: str, name: str, detail: object) -> None:
        self._cells = [] if name.startswith("Table") else [[]]
        if name == "List" and kind == "Start":
            self._lists.append(detail if isinstance(detail, int) and not isinstance(detail, bool) else None)
        elif name == "List" and self._lists:
            self._lists.pop()
        elif name == "Item" and kind == "Start" and self._lists:
            number = self._lists[-1]
            self._marker = "-" if number is None else f"{number}."
            self._lists[-1] = None if number is None else number + 1


def _rows(markdown: str) -> Iterator[_Row]:
    """What stands in lines of its own; a further paragraph of an item is part of it."""
    before: _Row | None = None
    raw = markdown.encode("utf-8", errors="replace").decode()
    for row in _Reader().read(pyromark.events(raw, options=MARKDOWN)):
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
