"""Makes Markdown that GitHub shows well show the same under Python-Markdown.

Four things break there. Lists: Python-Markdown wants a blank line before a list and four spaces a level, CommonMark
neither. Fences: superfences does not see those with free words behind them, or that nothing closes. HTML: what stands
between ``<details>`` and its end is Markdown only if the tag says so. Links: many pages link from the base's root
rather than from their own folder. CommonMark's structure is taken from pyromark (pulldown-cmark), and only lines of
lists, fences, such tags and the addresses of such links are changed.
See docs/decisions for the measurements behind this.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from urllib.parse import unquote

import pyromark

INDENT = 4
"""Spaces a list level, as Python-Markdown counts."""

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
_MARKER = re.compile(rb"([-*+]|\d{1,9}[.)])([ \t]+|$)")
_QUOTE = re.compile(rb"[ ]{0,3}>[ ]?")
_FENCE = re.compile(rb"(`{3,}|~{3,})(.*)")
_FENCE_INFO = re.compile(
    rb"[ \t]*(?:\.?[\w#.+-]+)?"
    rb"(?:[ \t]*\{[ \t]*[.#].*\}|(?:[ \t]+(?:title|linenums|hl_lines)=(?:\"[^\"]*\"|'[^']*'))*)[ \t]*"
)
"""What superfences reads behind a fence; at most other words it does not see the fence."""
_LANGUAGE = re.compile(rb"[ \t]*\{?\.?([\w#.+-]*)")
_MAYBE_BLOCK = re.compile(r"^[ \t>]*(?:[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|```|~~~|</)", re.MULTILINE)
_TAG = re.compile(
    rb"^[ ]{0,3}<(/?)(details|div|section|article|aside|main|center)\b(?![^>\n]*\bmarkdown\b)", re.M | re.I
)
"""The tags that hold Markdown on GitHub, at the start of a line."""
_LOCAL_LINK = re.compile(r"\]\(\s*<?(?![a-z][a-z0-9+.-]*:|[/#?])", re.IGNORECASE)
_BLOCK_START = re.compile(
    rb"(?:[-*+]|\d+[.)])(?:[ \t]|$)|`{3}|~{3}|#{1,6}(?:[^#]|$)|[>|]|(?:=+|-+)[ \t]*$|([-*_])[ \t]*\1[ \t]*\1"
)
"""What begins a block, or turns its paragraph into another, once it is indented as its item is."""
_INDENTED_BODY = re.compile(rb"!!! |\?\?\?\+? |={3}[!+]* |\[\^[^\]]+\]:|:[ ]{3}")
"""How blocks begin that Python-Markdown reads by their indent: admonitions, details, tabs, footnotes, definitions."""


@dataclass(slots=True)
class _Item:
    """One list item: the bytes it spans, and where its text begins."""

    start: int
    end: int
    depth: int
    """0 for an item of a top-level list."""
    quotes: int
    """In how many block quotes its list stands."""
    is_first: bool
    after: str
    """Where it opens a list right behind another one: ``same`` or ``other``, as the other's kind is."""
    column: int = 0
    """Where its text begins, as CommonMark counts."""


@dataclass(slots=True)
class _Blocks:
    """What CommonMark reads in a text, by places in bytes."""

    items: list[_Item] = field(default_factory=list)
    links: list[tuple[int, int, str]] = field(default_factory=list)
    """``(start, end, address)``."""
    fences: list[tuple[int, int]] = field(default_factory=list)
    """``(start, end)`` of fenced code, with its fences."""
    html: list[tuple[int, int]] = field(default_factory=list)
    """``(start, end)``."""
    apart: list[int] = field(default_factory=list)
    """Where blocks begin that Python-Markdown sees only behind a blank line: quotes, tables, rules, HTML."""
    continued: list[int] = field(default_factory=list)
    """Where lines begin that go on with a paragraph."""


def mend(markdown: str, uri: str = "", known: Container[str] = frozenset()) -> str:
    """`markdown` such that Python-Markdown gives the lists and the code that CommonMark gives.

    Links to a page in `known` (uris) that are written from the base's root are made relative to `uri`; a link that
    leads somewhere as it stands is left. What has no list, fence or such link comes back as it is.
    """
    has_blocks = bool(_MAYBE_BLOCK.search(markdown))
    has_links = bool(uri and _LOCAL_LINK.search(markdown))
    if not (has_blocks or has_links):
        return markdown
    raw = markdown.encode("utf-8", errors="replace")
    blocks = _read(raw)
    edits = [*_html_edits(raw, blocks.html), *(_link_edits(raw, blocks.links, uri, known) if has_links else ())]
    if edits:
        raw = _edited(raw, blocks, sorted(edits))
    if blocks.items or blocks.fences:
        raw = b"\n".join(_Rewriter(raw, blocks).lines())
    return raw.decode()


def _read(raw: bytes) -> _Blocks:
    """The blocks of a text in UTF-8."""
    reader = _Reader(raw)
    for event, span in pyromark.events_with_range(raw.decode(), options=_OPTIONS):
        if isinstance(event, str):
            reader.take(event, span["start"], span["end"])
        elif "Text" not in event:
            kind, value = next(iter(event.items()))
            name, detail = next(iter(value.items())) if isinstance(value, dict) else (str(value), None)
            if kind == "Start":
                reader.begin(name, detail, span["start"], span["end"])
            elif kind == "End":
                reader.end(name, detail, span["end"])
            else:
                reader.take(kind, span["start"], span["end"])
    return reader.blocks


class _Reader:
    """Takes pyromark's events, and keeps what they tell of blocks."""

    def __init__(self, raw: bytes) -> None:
        self.blocks = _Blocks()
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
        elif name == "Link" and isinstance(detail, dict):
            self.blocks.links.append((start, end, str(detail.get("dest_url", ""))))
        elif name == "CodeBlock" and detail != "Indented":
            self.blocks.fences.append((start, end))

    def _item(self, start: int, end: int) -> None:
        if not any(depth >= 0 for depth in self._quotes):  # a quote inside an item moves with the item
            start += self._raw[start] == ord("\n")  # so told of items that tabs indent
            after = self._after if self._is_first else ""
            self.blocks.items.append(_Item(start, end, self._depth, len(self._quotes), self._is_first, after))
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


# --- HTML --------------------------------------------------------------------------------------------------------


def _html_edits(raw: bytes, html: list[tuple[int, int]]) -> Iterator[tuple[int, int, bytes]]:
    """What to put into tags that CommonMark closes in another block of HTML: what stands between is Markdown."""
    opened: list[tuple[bytes, int, int]] = []
    for block, (start, end) in enumerate(html):
        for tag in _TAG.finditer(raw, start, end):
            name = tag[2].lower()
            if not tag[1]:
                opened.append((name, block, tag.end()))
                continue
            while opened:
                name_opened, begun, at = opened.pop()
                if name_opened == name:
                    if begun != block:
                        yield at, at, b" markdown"
                    break


# --- links -------------------------------------------------------------------------------------------------------


def _link_edits(
    raw: bytes, links: list[tuple[int, int, str]], uri: str, known: Container[str]
) -> Iterator[tuple[int, int, bytes]]:
    """The addresses to change, as ``(start, end, new)``, in order."""
    folder = posixpath.dirname(uri)
    for start, end, address in links:
        path, mark, rest = address.partition("#")
        path = unquote(path)
        if not path.endswith(".md") or path.startswith("/") or "://" in path:
            continue
        beside = posixpath.normpath(posixpath.join(folder, path))
        from_root = posixpath.normpath(path)
        if beside in known or from_root not in known or from_root.startswith(".."):
            continue
        old = address.encode()
        at = raw.rfind(old, start, end)
        if at >= 0 and raw[at - 1 : at] in (b"(", b"<", b" "):
            new = posixpath.relpath(from_root, folder or ".") + mark + rest
            yield at, at + len(old), new.encode()


def _edited(raw: bytes, blocks: _Blocks, edits: list[tuple[int, int, bytes]]) -> bytes:
    """`raw` with `edits` made, which ascend; the places in `blocks` move with what stands there."""
    pieces, at = [], 0
    for start, end, new in edits:
        pieces += [raw[at:start], new]
        at = end
    pieces.append(raw[at:])
    ends = [end for _, end, _ in edits]
    shifts = list(accumulate((len(new) - (end - start) for start, end, new in edits), initial=0))

    def moved(place: int) -> int:
        return place + shifts[bisect_right(ends, place)]

    for item in blocks.items:
        item.start, item.end = moved(item.start), moved(item.end)
    blocks.fences = [(moved(start), moved(end)) for start, end in blocks.fences]
    blocks.apart = [moved(place) for place in blocks.apart]
    blocks.continued = [moved(place) for place in blocks.continued]
    return b"".join(pieces)


# --- lists and fences --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Fence:
    """Fenced code: its lines, and how superfences wants its fences."""

    first: int
    last: int
    run: bytes
    info: bytes
    is_closed: bool
    column: int = 0
    """Where its opening fence stands."""

    @property
    def opening(self) -> bytes:
        """Its opening fence."""
        if _FENCE_INFO.fullmatch(self.info):
            return self.run + self.info
        language = _LANGUAGE.match(self.info)
        return self.run + (language[1] if language else b"")


class _Rewriter:
    """Writes a text's lines anew: four spaces a level, and a blank line wherever Python-Markdown needs one.

    A chunk is what stands between two blank lines. Python-Markdown reads it whole: it must not begin deeper than it
    ends, and a list in it must be its beginning, or stand in a list that is.
    """

    def __init__(self, raw: bytes, blocks: _Blocks) -> None:
        self._lines = raw.split(b"\n")
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._owner: list[_Item | None] = [None] * len(self._lines)
        self._openers: dict[int, list[_Item]] = {}
        self._fences: dict[int, _Fence] = {}
        for item in blocks.items:  # outer before inner: the innermost item owns a line
            first, last = self._span(item.start, item.end)
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
        """How much farther than its item such a block begins."""

    def lines(self) -> list[bytes]:
        """All lines."""
        before: _Item | None = None
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

    def _go_on(self, n: int, item: _Item, prefix: bytes, text: bytes, fence: _Fence | None) -> None:
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

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last line, blank ones at the end left out, of what stands between two places."""
        first, last = self._line(start), self._line(max(start, end - 1))
        while last > first and not self._lines[last].strip():
            last -= 1
        return first, last

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
    prefix = b""
    for _ in range(quotes):
        match = _QUOTE.match(line)
        if not match:
            break
        prefix, line = prefix + match[0], line[match.end() :]
    return prefix, line


def _quote_marks(line: bytes) -> int:
    """How many quote marks `line` begins with."""
    quotes = 0
    while match := _QUOTE.match(line):
        quotes, line = quotes + 1, line[match.end() :]
    return quotes
