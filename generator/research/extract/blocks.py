"""The blocks of a Markdown text: paragraphs, lists, tables and code, each with its place and the headings above it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby

import pyromark

from generator.citations.quotes import MARKDOWN
from generator.drafts import Kind

MAX_CHARS = 1_000_000
"""Of one source; what stands behind is not looked into."""
MAX_LEVELS = 12
"""Of quotes and lists within each other; what lies deeper is passed over."""

_OPTIONS = MARKDOWN | pyromark.Options.ENABLE_YAML_STYLE_METADATA_BLOCKS
_INLINE = frozenset(
    {"Text", "Code", "InlineHtml", "SoftBreak", "HardBreak", "Emphasis", "Strong", "Strikethrough", "Link", "Image"}
)
_CHUNK = 256
_TERM_WORDS, _TERM_CHARS = 8, 200
"""A term above its definition: so many words that begin in bold, or so many characters of code (a signature)."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block. Places are offsets in characters."""

    kind: Kind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    group: int = 0
    """Which blocks stand in one row: those of the text itself, of one list item, of one quotation."""
    language: str = ""
    pieces: tuple[tuple[int, int], ...] = ()
    """The items of a list, the rows of a table, the lines of code."""
    whole: tuple[tuple[int, int], ...] = ()
    """Code spans, emphasis and links, which must not be cut within."""
    is_term: bool = False
    """Whether it looks like the term of a definition, such as the option of a manual page: ``**--stdin**``."""


@dataclass(slots=True)
class _Node:
    name: str
    start: int
    end: int
    detail: object = None
    children: list[_Node] = field(default_factory=list)
    text: str = ""


def read_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of `text`, in order; front matter and HTML are left out."""
    text = text[:MAX_CHARS]
    chars = _Offsets(text)
    walk = _Walk()
    found = list(walk.blocks(_tree(text).children, 0, 0))
    return tuple(_in_characters(block, chars) for block in found)


class _Offsets:
    """Offsets in characters for offsets in bytes."""

    def __init__(self, text: str) -> None:
        self._raw = text.encode("utf-8", errors="replace")
        self._is_plain = len(self._raw) == len(text)
        chunks = (text[n : n + _CHUNK].encode("utf-8", errors="replace") for n in range(0, len(text), _CHUNK))
        self._starts = [0] if self._is_plain else [0, *accumulate(len(chunk) for chunk in chunks)]

    def __getitem__(self, offset: int) -> int:
        if self._is_plain:
            return offset
        n = min(bisect_right(self._starts, offset) - 1, len(self._starts) - 1)
        return n * _CHUNK + len(self._raw[self._starts[n] : offset].decode("utf-8", errors="ignore"))


def _in_characters(block: Block, chars: _Offsets) -> Block:
    return replace(
        block,
        start=chars[block.start],
        end=chars[block.end],
        pieces=tuple((chars[a], chars[b]) for a, b in block.pieces),
        whole=tuple((chars[a], chars[b]) for a, b in block.whole),
    )


def _tree(text: str) -> _Node:
    """The document as nodes with offsets in bytes."""
    raw = text.encode("utf-8", errors="replace").decode()
    root = _Node("Document", 0, 0)
    stack = [root]
    for event, span in pyromark.events_with_range(raw, options=_OPTIONS):
        kind, value = next(iter(event.items())) if isinstance(event, dict) else (str(event), None)
        if kind == "End":
            if len(stack) > 1:
                stack.pop()
            continue
        name, detail = kind, None
        if kind == "Start":
            name, detail = next(iter(value.items())) if isinstance(value, dict) else (str(value), None)
        node = _Node(name, span["start"], span["end"], detail)
        if kind in {"Text", "Code"}:
            node.text = str(value)
        elif kind in {"SoftBreak", "HardBreak"}:
            node.text = " "
        stack[-1].children.append(node)
        if kind == "Start":
            stack.append(node)
    return root


class _Walk:
    """Goes through the nodes and remembers the headings that it has passed."""

    def __init__(self) -> None:
        self._headings: dict[int, str] = {}
        self._groups = 0

    def blocks(self, nodes: Sequence[_Node], group: int, level: int) -> Iterator[Block]:
        """The blocks of nodes that stand in one row."""
        for is_inline, run in groupby(nodes, key=lambda node: node.name in _INLINE):
            members = list(run)
            if is_inline:  # the text of a tight list item
                yield self._prose(members, members[0].start, members[-1].end, group)
            else:
                for node in members:
                    yield from self._block(node, group, level)

    def _block(self, node: _Node, group: int, level: int) -> Iterator[Block]:
        match node.name:
            case "Heading":
                detail = node.detail if isinstance(node.detail, dict) else {}
                self._pass_heading(node, int(str(detail.get("level", "H1"))[1:]))
            case "Paragraph":
                prose = self._prose(node.children, node.start, node.end, group)
                yield replace(prose, is_term=True) if _is_term(node) else prose
            case "CodeBlock":
                yield from self._code(node, group)
            case "Table":
                rows = tuple((row.start, row.end) for row in node.children)
                yield Block(Kind.TABLE, node.start, node.end, self._path(), group, pieces=rows)
            case "List" if level < MAX_LEVELS and _holds(node, {"CodeBlock", "Table", "BlockQuote", "Heading"}):
                for item in node.children:
                    yield from self.blocks(item.children, self._new_group(), level + 1)
            case "List":
                items = tuple((item.start, item.end) for item in node.children)
                yield Block(Kind.LIST, node.start, node.end, self._path(), group, pieces=items)
            case "BlockQuote" if level < MAX_LEVELS:
                yield from self.blocks(node.children, self._new_group(), level + 1)

    def _prose(self, nodes: Sequence[_Node], start: int, end: int, group: int) -> Block:
        whole = tuple((node.start, node.end) for node in nodes if node.name not in {"Text", "SoftBreak", "HardBreak"})
        return Block(Kind.PROSE, start, end, self._path(), group, whole=whole)

    def _code(self, node: _Node, group: int) -> Iterator[Block]:
        lines = tuple((child.start, child.end) for child in node.children)
        if lines:
            info = str(next(iter(node.detail.values()))) if isinstance(node.detail, dict) else ""
            language = info.split()[0] if info.split() else ""
            yield Block(Kind.CODE, lines[0][0], lines[-1][1], self._path(), group, language, lines)

    def _pass_heading(self, node: _Node, level: int) -> None:
        words = " ".join(_text(node).split())
        self._headings = {above: title for above, title in self._headings.items() if above < level}
        if words:
            self._headings[level] = words

    def _path(self) -> tuple[str, ...]:
        return tuple(self._headings[level] for level in sorted(self._headings))

    def _new_group(self) -> int:
        self._groups += 1
        return self._groups


def _is_term(node: _Node) -> bool:
    """Return whether a paragraph is a short line that begins in bold, or code and nothing else."""
    text = _text(node).strip()
    names = {child.name for child in node.children if child.text.strip() or child.children}
    if names == {"Code"}:
        return len(text) <= _TERM_CHARS
    is_bold = bool(node.children) and node.children[0].name == "Strong"
    return is_bold and len(text.split()) <= _TERM_WORDS and text[-1:] not in {".", "!", "?"}


def _holds(node: _Node, names: set[str]) -> bool:
    """Whether a node of these names lies in it; not recursive, as texts may nest deeper than Python calls."""
    stack = list(node.children)
    while stack:
        current = stack.pop()
        if current.name in names:
            return True
        stack += current.children
    return False


def _text(node: _Node) -> str:
    stack, pieces = [node], []
    while stack:
        current = stack.pop()
        pieces.append(current.text)
        stack += reversed(current.children)
    return "".join(pieces)
