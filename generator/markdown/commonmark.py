"""CommonMark's reading of a text, by offsets in bytes: pyromark's (pulldown-cmark's) events, as lists of blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pyromark

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
MAX_DEPTH = 100
"""Lists within each other that are read; Python-Markdown reads far fewer."""
_PASSED_OVER = frozenset({"Paragraph", "Emphasis", "Strong", "Strikethrough", "TableHead", "TableRow", "TableCell"})
"""Most of what begins and ends; a build reads every page here, so nothing more is asked of them."""


@dataclass(slots=True)
class Item:
    """One list item: the bytes it spans, and where its text begins."""

    start: int
    end: int
    depth: int
    """0 for an item of a top-level list."""
    quotes: int
    """In how many block quotes its list stands."""
    is_first: bool
    after: str
    """Set if it opens a list right behind another one: ``same`` or ``other``, as the other's kind is."""
    column: int = 0
    """The column of its text, as CommonMark counts."""


@dataclass(slots=True)
class Blocks:
    """CommonMark's reading of a text, by offsets in bytes."""

    items: list[Item] = field(default_factory=list)
    links: list[tuple[int, int, str]] = field(default_factory=list)
    """``(start, end, address)``."""
    headings: list[tuple[int, int]] = field(default_factory=list)
    """``(start, end)``."""
    fences: list[tuple[int, int]] = field(default_factory=list)
    """``(start, end)`` of fenced code, with its fences."""
    html: list[tuple[int, int]] = field(default_factory=list)
    """``(start, end)``."""
    apart: list[int] = field(default_factory=list)
    """Offsets of blocks that Python-Markdown sees only behind a blank line: quotes, tables, rules, HTML."""
    continued: list[int] = field(default_factory=list)
    """Offsets of lines that continue a paragraph."""


def read_blocks(raw: bytes) -> Blocks:
    """The blocks of a text in UTF-8."""
    reader = _Reader(raw)
    for event, span in pyromark.events_with_range(raw.decode(), options=_OPTIONS):
        if isinstance(event, str):
            reader.take(event, span["start"], span["end"])
            continue
        kind, value = next(iter(event.items()))
        if kind not in {"Start", "End"}:
            if kind != "Text":
                reader.take(kind, span["start"], span["end"])
            continue
        if isinstance(value, dict):
            name, detail = next(iter(value.items()))
        elif value in _PASSED_OVER:
            continue
        else:
            name, detail = value, None
        if kind == "Start":
            reader.begin(name, detail, span["start"], span["end"])
        else:
            reader.end(name, detail, span["end"])
    return reader.blocks


class _Reader:
    """Read pyromark's events into blocks."""

    def __init__(self, raw: bytes) -> None:
        self.blocks = Blocks()
        self._raw = raw
        self._depth = -1
        self._is_first = False
        self._after = ""
        self._last_list = (-1, "", -1)
        """Depth, shape and end."""
        self._quotes: list[int] = []
        """Of each open quote, the depth of the list it stands in."""

    def take(self, kind: str, start: int, end: int) -> None:
        """Take what has no inside."""
        if kind in {"SoftBreak", "HardBreak"}:
            self.blocks.continued.append(end)
        elif kind == "Rule":
            self.blocks.apart.append(start)
        elif kind in {"Code", "InlineHtml"}:
            lines = re.finditer(b"\n", self._raw[start:end])
            self.blocks.continued += [start + match.end() for match in lines]

    def begin(self, name: str, detail: object, start: int, end: int) -> None:
        """Take the beginning of a block or link."""
        if name == "List":
            self._depth, self._is_first = self._depth + 1, True
            depth, shape, last_end = self._last_list
            is_next = depth == self._depth and last_end == start
            self._after = ("same" if shape == _shape(detail is not None) else "other") if is_next else ""
        elif name == "Item":
            self._item(start, end)
        elif name in {"BlockQuote", "Table", "HtmlBlock"}:
            self.blocks.apart.append(start)
            if name == "BlockQuote":
                self._quotes.append(self._depth)
            elif name == "HtmlBlock":
                self.blocks.html.append((start, end))
        elif name == "Heading":
            self.blocks.headings.append((start, end))
        elif name == "Link" and isinstance(detail, dict):
            self.blocks.links.append((start, end, str(detail.get("dest_url", ""))))
        elif name == "CodeBlock" and detail != "Indented":
            self.blocks.fences.append((start, end))

    def _item(self, start: int, end: int) -> None:
        is_inside = self._quotes and self._quotes[-1] >= 0  # a quote inside an item moves with the item
        if not is_inside and self._depth < MAX_DEPTH:
            start += self._raw[start] == ord("\n")  # so told of items that tabs indent
            after = self._after if self._is_first else ""
            self.blocks.items.append(Item(start, end, self._depth, len(self._quotes), self._is_first, after))
        self._is_first = False

    def end(self, name: str, detail: object, end: int) -> None:
        """Take the end of a block or link."""
        if name == "BlockQuote":
            self._quotes.pop()
        elif name == "List":
            self._last_list = (self._depth, _shape(bool(detail)), end)
            self._depth -= 1


def _shape(is_numbered: bool) -> str:
    return "ol" if is_numbered else "ul"
