"""A text's lists and fences, written as Python-Markdown needs them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from generator.markdown.commonmark import Blocks, Item
from generator.markdown.positions import line_starts

INDENT = 4
"""Spaces a list level, as Python-Markdown counts."""

_MARKER = re.compile(rb"([-*+]|\d{1,9}[.)])([ \t]+|$)")
_QUOTE = re.compile(rb"[ ]{0,3}>[ ]?")
_FENCE = re.compile(rb"(`{3,}|~{3,})(.*)")
_FENCE_INFO = re.compile(
    rb"[ \t]*(?:\.?[\w#.+-]+)?"
    rb"(?:[ \t]*\{[ \t]*[.#].*\}|(?:[ \t]+(?:title|linenums|hl_lines)=(?:\"[^\"]*\"|'[^']*'))*)[ \t]*"
)
"""Words that superfences reads behind a fence; at most other words it does not see the fence."""
_LANGUAGE = re.compile(rb"[ \t]*\{?\.?([\w#.+-]*)")
_BLOCK_START = re.compile(
    rb"(?:[-*+]|\d+[.)])(?:[ \t]|$)|`{3}|~{3}|#{1,6}(?:[^#]|$)|[>|]|(?:=+|-+)[ \t]*$|([-*_])[ \t]*\1[ \t]*\1"
)
"""The beginning of a block, or of what turns its paragraph into another, once it is indented as its item is."""
_INDENTED_BODY = re.compile(rb"!!! |\?\?\?\+? |={3}[!+]* |\[\^[^\]]+\]:|:[ ]{3}")
"""Beginnings of blocks that Python-Markdown reads by indent: admonitions, details, tabs, footnotes, definitions."""


@dataclass(slots=True)
class _Fence:
    """Fenced code: its lines, and how superfences wants its fences."""

    first: int
    last: int
    run: bytes
    info: bytes
    is_closed: bool
    column: int = 0
    """The line of its opening fence."""

    @property
    def opening(self) -> bytes:
        """Its opening fence."""
        if _FENCE_INFO.fullmatch(self.info):
            return self.run + self.info
        language = _LANGUAGE.match(self.info)
        return self.run + (language[1] if language else b"")


class Rewriter:
    """Writes a text's lines anew: four spaces a level, and a blank line wherever Python-Markdown needs one.

    A chunk is what stands between two blank lines. Python-Markdown reads it whole: it must not begin deeper than it
    ends, and a list in it must be its beginning, or stand in a list that is.
    """

    def __init__(self, raw: bytes, blocks: Blocks) -> None:
        self._lines = raw.split(b"\n")
        self._starts = line_starts(self._lines)
        self._owner: list[Item | None] = [None] * len(self._lines)
        self._openers: dict[int, list[Item]] = {}
        self._fences: dict[int, _Fence] = {}
        filled = list(accumulate((n if line.strip() else -1 for n, line in enumerate(self._lines)), max))
        for item in blocks.items:  # outer before inner: the innermost item owns a line
            first = self._line(item.start)
            last = max(first, filled[self._line(max(item.start, item.end - 1))])
            self._owner[first : last + 1] = [item] * (last + 1 - first)
            self._openers.setdefault(first, []).append(item)
        for start, end in blocks.fences:
            fence = self._fence(start, end)
            if fence:
                self._fences.update(dict.fromkeys(range(fence.first, fence.last + 1), fence))
        self._apart = {self._line(at) for at in blocks.apart}
        self._continued = {self._line(at) for at in blocks.continued}
        self._out: list[bytes] = []
        self._chunk: tuple[int, bool] | None = None
        """The level at which the chunk begins, and whether with an item; ``None`` before it does."""
        self._level = 0
        """Of the line before."""
        self._is_indented_body = False
        self._body_shift = 0
        """Extra indentation of such a block beyond its item's."""

    def lines(self) -> list[bytes]:
        """All lines."""
        before: Item | None = None
        for n, line in enumerate(self._lines):
            item, fence = self._owner[n], self._fences.get(n)
            prefix, text = _quote_prefix(line, item.quotes) if item else (b"", line)
            if not text.strip(b" \t>" if item is None else None) and not fence:
                self._out.append(line)
                self._chunk = before = None
                continue
            if item is None:
                if before:
                    self._blank(n)
                self._out.append(self._fenced(n, fence, b"", line) if fence else line)
                self._chunk, self._level = (0, False), 0
            elif n in self._openers:
                self._open(n, prefix, text, fence)
            else:
                self._go_on(n, item, prefix, text, fence)
            if fence and n == fence.last and not fence.is_closed:
                indent = b" " * (INDENT * (item.depth + 1)) if item else b""
                self._out.append(prefix + indent + fence.run)
            before = item
        return self._out

    def _open(self, n: int, prefix: bytes, text: bytes, fence: _Fence | None) -> None:
        """Write a line that opens one item, or several within each other."""
        items = self._openers[n]
        item, level = items[0], items[-1].depth + 1
        indent = prefix + b" " * (INDENT * item.depth)
        if self._chunk:
            begun, is_list = self._chunk
            if item.depth < begun or (item.is_first and (item.after or not is_list or item.depth <= begun)):
                self._blank(n)
        if item.after == "same":
            self._out += [indent + b"<!-- -->", prefix.rstrip()]
        wide = text.expandtabs(4)
        body = wide.lstrip(b" ")
        column, markers = len(wide) - len(body), b""
        for opened in items:
            marker = _MARKER.match(body)
            if not marker:
                break
            gap = len(marker[2])
            if gap > INDENT or marker.end() == len(body):
                gap = 1
            column += len(marker[1]) + gap
            opened.column = column
            markers += (marker[1].replace(b")", b".") + b" ").ljust(INDENT)
            body = body[marker.end() :]
        if fence:  # which superfences sees at a line's start only
            fence.column = column
            self._out += [indent + markers, prefix + b" " * (INDENT * level) + fence.opening]
        else:
            self._out.append(indent + markers + body)
        self._chunk, self._level = self._chunk or (item.depth, True), level
        self._is_indented_body, self._body_shift = bool(_INDENTED_BODY.match(body)), 0

    def _go_on(self, n: int, item: Item, prefix: bytes, text: bytes, fence: _Fence | None) -> None:
        """Write a line that goes on with `item`."""
        wide = text.expandtabs(4)
        body = wide.lstrip(b" ")
        level, extra = item.depth + 1, max(0, len(wide) - len(body) - item.column)
        if fence and n > fence.first:
            self._out.append(self._fenced(n, fence, prefix + b" " * (INDENT * level), wide))
            return
        kept = extra if extra >= INDENT else 0
        if kept and self._is_indented_body:
            kept = max(INDENT, extra - self._body_shift)
        elif n in self._continued:
            kept = 0
            if not self._is_indented_body and _BLOCK_START.match(body):
                self._join(body)
                return
        elif not kept:
            self._is_indented_body, self._body_shift = bool(_INDENTED_BODY.match(body)), extra
        if n not in self._continued and self._chunk and (n in self._apart or level < self._level):
            self._blank(n)
        indent = prefix + b" " * (INDENT * level)
        self._out.append(self._fenced(n, fence, indent, wide) if fence else indent + b" " * kept + body)
        self._chunk, self._level = self._chunk or (level, False), level

    def _fenced(self, n: int, fence: _Fence, indent: bytes, wide: bytes) -> bytes:
        """A line of fenced code: what stands behind the column of its opening fence, with `indent`."""
        body = wide.lstrip(b" ")
        column = len(wide) - len(body)
        if body[:1] == b">" and not indent and n in (fence.first, fence.last):
            return wide  # of a quote that holds no list
        if n == fence.first:
            fence.column = column
            return indent + fence.opening
        if n == fence.last and fence.is_closed:
            return indent + fence.run
        return indent + b" " * max(0, column - fence.column) + body if body else b""

    def _join(self, body: bytes) -> None:
        """Put `body`, which would begin a block, behind the line before."""
        line = self._out[-1]
        is_break = line.endswith((b"  ", b"\\"))
        self._out[-1] = (line.rstrip(b" \\") + b"<br>" if is_break else line.rstrip()) + b" " + body

    def _blank(self, n: int) -> None:
        """Write a blank line before line `n`, in the quotes that it shares with the line before."""
        marks = min(_quote_marks(self._lines[n - 1]), _quote_marks(self._lines[n]))
        self._out.append(_quote_prefix(self._lines[n], marks)[0].rstrip())
        self._chunk = None

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _fence(self, start: int, end: int) -> _Fence | None:
        """The fenced code that stands between two places."""
        first, last = self._line(start), self._line(max(start, end - 1))
        opening = _FENCE.match(self._lines[first][start - self._starts[first] :])
        if not opening:
            return None
        closing = self._lines[last].strip(b" \t>")
        is_closed = last > first and len(closing) >= len(opening[1]) and not closing.strip(opening[1][:1])
        while not is_closed and last > first and not self._lines[last].strip():
            last -= 1
        return _Fence(first, last, opening[1], opening[2], is_closed)


def _quote_prefix(line: bytes, quotes: int) -> tuple[bytes, bytes]:
    """`line` cut behind its `quotes` quote marks."""
    end = 0
    for _ in range(quotes):
        match = _QUOTE.match(line, end)
        if not match:
            break
        end = match.end()
    return line[:end], line[end:]


def _quote_marks(line: bytes) -> int:
    """Return the number of quote marks at the start of `line`."""
    quotes = end = 0
    while match := _QUOTE.match(line, end):
        quotes, end = quotes + 1, match.end()
    return quotes
