"""Makes Markdown that GitHub shows well show the same under Python-Markdown.

Two things break there. Lists: Python-Markdown wants a blank line before a list and four spaces a level, CommonMark
neither. Links: many pages link from the base's root rather than from their own folder. CommonMark's structure is
taken from pyromark (pulldown-cmark), and only lines of lists and the addresses of such links are changed.
See docs/decisions for the measurements behind this.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Container, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

import pyromark

INDENT = 4
"""Spaces a list level, as Python-Markdown counts."""

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
_MARKER = re.compile(rb"([-*+]|\d{1,9}[.)])([ \t]*)")
_QUOTE = re.compile(rb"^[ ]{0,3}>[ ]?")
_MAYBE_LIST = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]", re.MULTILINE)
_LOCAL_LINK = re.compile(r"\]\(\s*<?(?![a-z][a-z0-9+.-]*:|[/#?])", re.IGNORECASE)


@dataclass(slots=True)
class _Item:
    """One list item: the bytes it spans, and where its text begins."""

    start: int
    end: int
    depth: int
    """0 for an item of a top-level list."""
    is_first: bool
    breaks: bool
    """Whether it opens a list right behind another of the same kind, which Python-Markdown would join."""
    quotes: int
    """In how many block quotes its list stands."""


def mend(markdown: str, uri: str = "", known: Container[str] = frozenset()) -> str:
    """`markdown` such that Python-Markdown gives the lists that CommonMark gives.

    Links to a page in `known` (uris) that are written from the base's root are made relative to `uri`; a link that
    leads somewhere as it stands is left. What has neither lists nor such links comes back as it is.
    """
    has_lists = bool(_MAYBE_LIST.search(markdown))
    has_links = bool(uri and _LOCAL_LINK.search(markdown))
    if not (has_lists or has_links):
        return markdown
    raw = markdown.encode("utf-8", errors="replace")
    items, links, fences = _read(markdown if raw.decode() == markdown else raw.decode())
    edits = list(_link_edits(raw, links, uri, known)) if has_links else []
    raw, items, fences = _with_links(raw, items, fences, edits)
    return _with_lists(raw, items, fences).decode() if items else raw.decode()


def _read(markdown: str) -> tuple[list[_Item], list[tuple[int, int, str]], list[tuple[int, int]]]:
    """The list items, the links as ``(start, end, address)`` and the fenced code as ``(start, end)``, in bytes."""
    items: list[_Item] = []
    links: list[tuple[int, int, str]] = []
    fences: list[tuple[int, int]] = []
    depth, first, last_list, breaks = -1, False, (-1, "", -1), False
    quotes: list[int] = []  # of each open quote, the depth of the list it stands in
    for event, span in pyromark.events_with_range(markdown, options=_OPTIONS):
        if isinstance(event, str):
            continue
        kind, value = next(iter(event.items()))
        if kind == "Start":
            name, detail = (value, None) if isinstance(value, str) else next(iter(value.items()))
            if name == "List":
                depth, first = depth + 1, True
                shape = "ul" if detail is None else "ol"
                breaks = last_list == (depth, shape, span["start"])
            elif name == "Item":
                if not any(inner >= 0 for inner in quotes):  # a quote inside an item moves with the item
                    items.append(_Item(span["start"], span["end"], depth, first, first and breaks, len(quotes)))
                first = False
            elif name == "BlockQuote":
                quotes.append(depth)
            elif name == "Link" and isinstance(detail, dict):
                links.append((span["start"], span["end"], str(detail.get("dest_url", ""))))
            elif name == "CodeBlock" and detail != "Indented":
                fences.append((span["start"], span["end"]))
        elif kind == "End" and (value == "BlockQuote" or "BlockQuote" in value):
            quotes.pop()
        elif kind == "End" and not isinstance(value, str) and "List" in value:
            last_list = (depth, "ol" if value["List"] else "ul", span["end"])
            depth -= 1
    return items, links, fences


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


def _with_links(
    raw: bytes, items: list[_Item], fences: list[tuple[int, int]], edits: list[tuple[int, int, bytes]]
) -> tuple[bytes, list[_Item], list[tuple[int, int]]]:
    """`raw` with `edits` made, and every place behind one moved along."""
    if not edits:
        return raw, items, fences
    pieces, at = [], 0
    for start, end, new in edits:
        pieces += [raw[at:start], new]
        at = end
    pieces.append(raw[at:])

    def moved(place: int) -> int:
        return place + sum(len(new) - (end - start) for start, end, new in edits if end <= place)

    for item in items:
        item.start, item.end = moved(item.start), moved(item.end)
    return b"".join(pieces), items, [(moved(a), moved(b)) for a, b in fences]


# --- lists -------------------------------------------------------------------------------------------------------


def _with_lists(raw: bytes, items: list[_Item], fences: list[tuple[int, int]]) -> bytes:
    """`raw` with each list line indented by four spaces a level, and a blank line before each top-level list."""
    lines = raw.split(b"\n")
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    owner: list[_Item | None] = [None] * len(lines)
    opener: dict[int, _Item] = {}
    for item in items:  # outer before inner: the innermost item owns a line
        begin = bisect_right(starts, item.start) - 1
        last = bisect_right(starts, max(item.start, item.end - 1)) - 1
        while last > begin and not lines[last].strip():
            last -= 1
        owner[begin : last + 1] = [item] * (last + 1 - begin)
        opener.setdefault(begin, item)
    code = {n for a, b in fences for n in range(bisect_right(starts, a), bisect_right(starts, b - 1))}
    columns: dict[int, int] = {}
    out: list[bytes] = []
    for n, line in enumerate(lines):
        item = owner[n]
        if item is None or not line.strip():
            out.append(line)
            continue
        prefix, text = _quote_prefix(line, item.quotes)
        if n in opener:
            out += _opening(out, opener[n], prefix, text)
            columns[id(opener[n])] = _content_column(text)
        else:
            wide = text.expandtabs(4)
            body = wide.lstrip(b" ")
            extra = max(0, len(wide) - len(body) - columns.get(id(item), 0))
            kept = extra if n in code or extra >= INDENT else 0
            out.append(prefix + b" " * (INDENT * (item.depth + 1) + kept) + body)
    return b"\n".join(out)


def _opening(out: list[bytes], item: _Item, prefix: bytes, text: bytes) -> list[bytes]:
    """The lines for an item's first line: what must stand before it, and itself."""
    before: list[bytes] = []
    body = text.lstrip(b" \t")
    marker = _MARKER.match(body)
    if marker:
        body = (marker[1].replace(b")", b".") + b" ").ljust(INDENT) + body[marker.end() :]
    if item.is_first and item.depth == 0 and out and out[-1].strip(b" >\t"):
        before.append(prefix.rstrip())
    if item.breaks:
        before += [prefix + b" " * (INDENT * item.depth) + b"<!-- -->", prefix.rstrip()]
    return [*before, prefix + b" " * (INDENT * item.depth) + body]


def _content_column(text: bytes) -> int:
    """The column at which an item's text begins, as CommonMark counts it."""
    wide = text.expandtabs(4)
    body = wide.lstrip(b" ")
    marker = _MARKER.match(body)
    if not marker:
        return len(wide) - len(body)
    gap = len(marker[2])
    if gap > INDENT or marker.end() == len(body):
        gap = 1
    return len(wide) - len(body) + len(marker[1]) + gap


def _quote_prefix(line: bytes, quotes: int) -> tuple[bytes, bytes]:
    """`line` cut behind its `quotes` quote marks."""
    prefix = b""
    for _ in range(quotes):
        match = _QUOTE.match(line)
        if not match:
            break
        prefix, line = prefix + match[0], line[match.end() :]
    return prefix, line
