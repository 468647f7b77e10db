"""Rewrite a text's lists and fences in the form that Python-Markdown requires."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from planbook.markdown.edits import line_starts
from planbook.markdown.extensions import PLAIN_SYNTAX, Syntax, mask_blocks
from planbook.markdown.syntax import link_address, read_events

MAX_DEPTH = 100
"""Maximum nesting of lists; Python-Markdown supports far less."""
INDENT = 4
"""Spaces per list level in Python-Markdown."""

_BLOCKS = frozenset(
    {
        "List",
        "Item",
        "BlockQuote",
        "Code",
        "InlineHtml",
        "SoftBreak",
        "HardBreak",
        "Link",
        "Heading",
        "CodeBlock",
        "Table",
        "HtmlBlock",
        "Rule",
    }
)
_WHITE_SPACE, _WHITE_OR_QUOTE = " \t\r\v\f", " \t\r\v\f>"
"""White space in CommonMark; other space characters are text."""
_MARKER = re.compile(r"([-*+]|\d{1,9}[.)])([ \t]+|$)", re.ASCII)
_QUOTE = re.compile(r"[ ]{0,3}>[ ]?")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
_FENCE_INFO = re.compile(
    r"(?:[ \t]*+\.?[\w#.+-]++(?=[ \t{]|\Z))?"
    r"(?:[ \t]*+\{[ \t]*+[.#].*\}|(?:[ \t]++(?:title|linenums|hl_lines)=(?:\"[^\"]*\""
    r"|'[^']*'))*+)[ \t]*+"
)
"""Info strings that superfences accepts; with most others it ignores the fence."""
_LANGUAGE = re.compile(r"[ \t]*\{?\.?([\w#.+-]*)")
_BLOCK_START = re.compile(
    r"(?:[-*+]|[0-9]+[.)])(?:[ \t]|$)|`{3}|~{3}|#{1,6}(?:[^#]|$)|[>|]|(?:=+|-+)[ \t]*$|"
    r"([-*_])[ \t]*\1[ \t]*\1"
)
"""Text that would begin a block, or change its paragraph into another block, once it is indented
like its item."""
_INDENTED_BODY = re.compile(r"!!! |\?\?\?\+? |={3}[!+]* |\[\^[^\]]+\]:|:[ ]{3}")
"""Opening markers of blocks with indented text: admonitions, details, tabs, footnotes,
definitions."""


@dataclass(slots=True)
class Item:
    """One list item: its span, and the start of its text."""

    start: int
    end: int
    depth: int
    """0 for an item of a top-level list."""
    quotes: int
    """Number of block quotes that contain its list."""
    is_first: bool
    after: str
    """Set if it opens a list directly after another one: ``same`` or ``other``, comparing their
    kinds."""
    column: int = 0
    """The column of its text in CommonMark."""


@dataclass(slots=True)
class Blocks:
    """The blocks of a text according to CommonMark, by offsets."""

    items: list[Item] = field(default_factory=list)
    links: list[tuple[int, int, str]] = field(default_factory=list)
    """``(start, end, address)``."""
    headings: list[tuple[int, int]] = field(default_factory=list)
    """``(start, end)``."""
    fences: list[tuple[int, int]] = field(default_factory=list)
    """``(start, end)`` of fenced code, with its fences, and of the blocks of extensions."""
    html: list[tuple[int, int]] = field(default_factory=list)
    """``(start, end)``."""
    apart: list[int] = field(default_factory=list)
    """Offsets of blocks that Python-Markdown recognizes only after a blank line: quotes, tables,
    rules, HTML."""
    tables: list[int] = field(default_factory=list)
    """Offsets of tables outside lists and quotes."""
    continued: list[int] = field(default_factory=list)
    """Offsets of lines that continue a paragraph."""
    custom_fences: tuple[str, ...] = ()


def list_blocks(text: str, syntax: Syntax = PLAIN_SYNTAX) -> Blocks:
    """Return the blocks of a text, by offsets in it.

    Those of the extensions in `syntax` have no blocks inside.
    """
    text, opaque = mask_blocks(text, syntax)
    reader = _BlockReader(text, Blocks(custom_fences=syntax.fences))
    for event in read_events(text, _BLOCKS):
        reader.read(*event)
    blocks = reader.blocks
    blocks.fences = sorted([*blocks.fences, *opaque])
    if opaque:
        begun = {start for start, _ in opaque}
        blocks.apart = [at for at in blocks.apart if at not in begun]
        blocks.html = [span for span in blocks.html if span[0] not in begun]
    return blocks


class _BlockReader:
    """Adds the blocks of a text to `blocks`, from the events of its parser."""

    def __init__(self, text: str, blocks: Blocks) -> None:
        self.blocks = blocks
        self._text = text
        self._lists: list[bool] = []
        """For each open list, True until its first item."""
        self._after = ""
        """`Item.after` of the first item of the list that was opened last."""
        self._closed: tuple[int, int] | None = None
        """Depth and end of the last list."""
        self._was_numbered = False
        self._quotes: list[int] = []
        """For each open quote, the number of lists that contain it."""

    def read(self, step: int, name: str, detail: Any, start: int, end: int) -> None:
        """Read one event of `read_events`."""
        match name:
            case "Item":
                self._read_item(start, end)
            case "List" if step > 0:
                self._open_list(start, is_numbered=detail is not None)
            case "List":
                self._lists.pop()
                self._closed, self._was_numbered = (len(self._lists), end), detail
            case "BlockQuote" if step > 0:
                self.blocks.apart.append(start)
                self._quotes.append(len(self._lists))
            case "BlockQuote":
                self._quotes.pop()
            case _ if step >= 0:
                if name == "Table" and not self._lists and not self._quotes:
                    self.blocks.tables.append(start)
                _add_element(self.blocks, self._text, name, detail, start, end)

    def _open_list(self, start: int, *, is_numbered: bool) -> None:
        self._after = ""
        follows_another = self._closed == (len(self._lists), start)
        if follows_another:
            self._after = "same" if self._was_numbered == is_numbered else "other"
        self._lists.append(True)

    def _read_item(self, start: int, end: int) -> None:
        is_first = self._lists[-1]
        self._lists[-1] = False
        is_inside_item = bool(self._quotes and self._quotes[-1])  # the quote moves with the item
        if is_inside_item or len(self._lists) > MAX_DEPTH:
            return
        # pulldown-cmark includes the line break before an item indented with tabs
        first = start + (self._text[start] == "\n")
        item_after = self._after if is_first else ""
        depth = len(self._lists) - 1
        self.blocks.items.append(Item(first, end, depth, len(self._quotes), is_first, item_after))


def _add_element(  # noqa: PLR0913, PLR0917 - an event has as many parts
    blocks: Blocks, text: str, name: str, detail: Any, start: int, end: int
) -> None:
    """Add an element of `text` that is neither list nor quote."""
    match name:
        case "Heading":
            blocks.headings.append((start, end))
        case "Code" | "InlineHtml":
            while (start := text.find("\n", start, end) + 1) > 0:
                blocks.continued.append(start)
        case "CodeBlock" if isinstance(detail, dict):
            blocks.fences.append((start, end))
        case "Link":
            blocks.links.append((start, end, link_address(detail)))
        case "SoftBreak" | "HardBreak":
            blocks.continued.append(end)
        case "Table" | "HtmlBlock" | "Rule":
            blocks.apart.append(start)
            if name == "HtmlBlock":
                blocks.html.append((start, end))


@dataclass(slots=True)
class _Fence:
    """Fenced code, with the fences that superfences requires, or a block of an extension."""

    first: int
    last: int
    opening: str = ""
    run: str = ""
    """Its closing fence; empty for a block of an extension, whose lines are only indented."""
    is_closed: bool = True
    column: int = 0
    """The column of its first line."""


def _fence_opening(run: str, info: str, custom: tuple[str, ...]) -> str:
    """Return an opening fence that superfences accepts."""
    language = _LANGUAGE.match(info)
    name = language[1] if language else ""
    accepts_info = name in custom or _FENCE_INFO.fullmatch(info)
    return run + (info if accepts_info else name)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The text since the last blank line."""

    level: int
    """The level at which it begins."""
    is_list: bool
    """True if it begins with an item."""


class Rewriter:
    """Rewrites the lines of a text.

    Four spaces per level, and blank lines where Python-Markdown needs them.

    A chunk is the text between two blank lines. Python-Markdown parses it as a whole: it must not
    begin deeper than it ends, and a list in it must be at its beginning, or inside a list that is.
    """

    def __init__(self, text: str, blocks: Blocks) -> None:
        self._lines = text.split("\n")
        self._starts = line_starts(self._lines)
        self._owner: list[Item | None] = [None] * len(self._lines)
        self._openers: dict[int, list[Item]] = {}
        self._fences: dict[int, _Fence] = {}
        for item in blocks.items:  # outer before inner: the innermost item owns a line
            first = self._line(item.start)
            last = max(first, self._line(max(item.start, item.end - 1)))
            while last > first and not self._lines[last].strip(_WHITE_SPACE):
                last -= 1
            self._owner[first : last + 1] = [item] * (last + 1 - first)
            self._openers.setdefault(first, []).append(item)
        for start, end in blocks.fences:
            fence = self._fence(start, end, blocks.custom_fences)
            self._fences.update(dict.fromkeys(range(fence.first, fence.last + 1), fence))
        self._apart = {self._line(at) for at in blocks.apart}
        self._continued = {self._line(at) for at in blocks.continued}
        self._out: list[str] = []
        self._chunk: _Chunk | None = None
        """``None`` between chunks."""
        self._level = 0
        """The level of the previous line."""
        self._is_indented_body = False
        self._body_shift = 0
        """Extra indentation of such a block beyond its item's."""

    def lines(self) -> list[str]:
        """Return the rewritten lines. To be called once."""
        previous: Item | None = None
        for n, (line, item) in enumerate(zip(self._lines, self._owner, strict=True)):
            fence = self._fences.get(n)
            prefix, text = _quote_prefix(line, item.quotes) if item and item.quotes else ("", line)
            if not fence and not text.strip(_WHITE_SPACE if item else _WHITE_OR_QUOTE):
                self._out.append(line)
                self._chunk = None
                previous = None
                continue
            if item is None:
                if previous:  # without a blank line, it would be text of the item
                    self._blank(n)
                self._out.append(
                    self._fenced_line(n, fence, "", line) if fence and fence.run else line
                )
                self._chunk = _Chunk(0, is_list=False)
                self._level = 0
            elif n in self._openers:
                self._begin_items(n, prefix, text, fence)
            else:
                self._go_on(n, item, prefix, text, fence)
            # CommonMark ends an open fence with its item; other readers need its last line.
            if fence and n == fence.last and not fence.is_closed:
                indent = " " * (INDENT * (item.depth + 1)) if item else ""
                self._out.append(prefix + indent + fence.run)
            previous = item
        return self._out

    def _begin_items(self, n: int, prefix: str, text: str, fence: _Fence | None) -> None:
        """Write a line that begins one item, or several nested ones."""
        items = self._openers[n]
        item, level = items[0], items[-1].depth + 1
        indent = prefix + " " * (INDENT * item.depth)
        if self._chunk and _is_apart(item, self._chunk):
            self._blank(n)
        if item.after == "same":
            self._out += [indent + "<!-- -->", prefix.rstrip()]
        markers, body, column = _set_columns(items, text)
        if fence:
            fence.column = column
        if fence and fence.run:  # superfences recognizes it only at the start of a line
            self._out += [indent + markers, prefix + " " * (INDENT * level) + fence.opening]
        else:
            self._out.append(indent + markers + body)
        self._go_on_with_chunk(item.depth, level, is_list=True)
        self._is_indented_body = bool(_INDENTED_BODY.match(body))
        self._body_shift = 0

    def _go_on_with_chunk(self, first_level: int, level: int, *, is_list: bool) -> None:
        """Note a line of a `level`; between chunks, it begins one at its `first_level`."""
        if self._chunk is None:
            self._chunk = _Chunk(first_level, is_list=is_list)
        self._level = level

    def _go_on(self, n: int, item: Item, prefix: str, text: str, fence: _Fence | None) -> None:
        """Write a line that continues `item`."""
        wide = text.expandtabs(4)
        body = wide.lstrip(" ")
        level, extra = item.depth + 1, max(0, len(wide) - len(body) - item.column)
        indent = prefix + " " * (INDENT * level)
        if fence and n > fence.first:
            self._out.append(self._fenced_line(n, fence, indent, wide))
            return
        goes_on = n in self._continued
        if goes_on and not self._is_indented_body and _BLOCK_START.match(body):
            self._append_to_last(body)
            return
        kept_indent = self._kept_indent(n, body, extra)
        is_apart = n in self._apart or level < self._level
        if self._chunk and is_apart and not goes_on:
            self._blank(n)
        if fence:
            self._out.append(self._fenced_line(n, fence, indent, wide))
        else:
            self._out.append(indent + " " * kept_indent + body)
        self._go_on_with_chunk(level, level, is_list=False)

    def _kept_indent(self, n: int, body: str, extra: int) -> int:
        """Return how many blanks a line keeps beyond its item's level; `extra` is what it has."""
        indent = extra if extra >= INDENT else 0
        if indent and self._is_indented_body:
            return max(INDENT, extra - self._body_shift)
        if n in self._continued:
            return 0
        if not indent:
            self._is_indented_body, self._body_shift = bool(_INDENTED_BODY.match(body)), extra
        return indent

    def _append_to_last(self, body: str) -> None:
        """Append a line to the last one, as it would begin a block."""
        line = self._out[-1]
        if line.endswith(("  ", "\\")):  # a line break
            line = line.rstrip(" \\") + "<br>"
        self._out[-1] = f"{line.rstrip()} {body}"

    def _fenced_line(self, n: int, fence: _Fence, indent: str, wide: str) -> str:
        """Return a line of fenced code, without the column of its opening fence, with `indent`."""
        if not indent and not fence.column and fence.first < n < fence.last:
            return wide if wide.strip(" ") else ""
        body = wide.lstrip(" ")
        column = len(wide) - len(body)
        if body[:1] == ">" and not indent and n in (fence.first, fence.last):
            return wide  # in a quote without lists
        if n == fence.first:
            fence.column = column
            return indent + (fence.opening or body)
        if n == fence.last and fence.is_closed and fence.run:
            return indent + fence.run
        return indent + " " * max(0, column - fence.column) + body if body else ""

    def _blank(self, n: int) -> None:
        """Write a blank line before line `n`.

        It is inside the quotes that the line shares with the previous one.
        """
        marks = min(_quote_marks(self._lines[n - 1]), _quote_marks(self._lines[n]))
        self._out.append(_quote_prefix(self._lines[n], marks)[0].rstrip())
        self._chunk = None

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _fence(self, start: int, end: int, custom: tuple[str, ...]) -> _Fence:
        """Return the fenced code, or the block of an extension, between two offsets."""
        first, last = self._line(start), self._line(max(start, end - 1))
        opening = _FENCE.match(self._lines[first][start - self._starts[first] :])
        if not opening:
            return _Fence(first, last)
        closing = self._lines[last].strip(" \t>")
        is_closed = (
            last > first and len(closing) >= len(opening[1]) and not closing.strip(opening[1][:1])
        )
        while not is_closed and last > first and not self._lines[last].strip(_WHITE_SPACE):
            last -= 1
        return _Fence(
            first, last, _fence_opening(opening[1], opening[2], custom), opening[1], is_closed
        )


def _is_apart(item: Item, chunk: _Chunk) -> bool:
    """Return True if a blank line has to separate an item from the chunk above it."""
    if item.depth < chunk.level:
        return True
    is_outermost = item.depth <= chunk.level
    return item.is_first and (bool(item.after) or not chunk.is_list or is_outermost)


def _set_columns(items: Sequence[Item], text: str) -> tuple[str, str, int]:
    """Set the column of each item that begins on a line.

    Returns:
        The markers as Python-Markdown reads them, the text behind them, and its column.
    """
    wide = text.expandtabs(4)
    body = wide.lstrip(" ")
    column, markers = len(wide) - len(body), ""
    for item in items:
        marker = _MARKER.match(body)
        if not marker:
            break
        gap = len(marker[2])
        is_code_or_empty = gap > INDENT or marker.end() == len(body)
        if is_code_or_empty:
            gap = 1
        column += len(marker[1]) + gap
        item.column = column
        markers += (marker[1].replace(")", ".") + " ").ljust(INDENT)
        body = body[marker.end() :]
    return markers, body, column


def _quote_prefix(line: str, quotes: int) -> tuple[str, str]:
    """Split `line` after its `quotes` quote marks."""
    end = 0
    for _ in range(quotes):
        match = _QUOTE.match(line, end)
        if not match:
            break
        end = match.end()
    return line[:end], line[end:]


def _quote_marks(line: str) -> int:
    """Return the number of quote marks at the start of `line`."""
    quotes = end = 0
    while match := _QUOTE.match(line, end):
        quotes, end = quotes + 1, match.end()
    return quotes
