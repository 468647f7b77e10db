"""The blocks of a Markdown text: paragraphs, lists, tables and code, each with its place and the headings above it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from generator.drafts import Kind
from generator.markdown.document import Node, read_tree

MAX_CHARS = 1_000_000
"""Of one source; what stands behind is not looked into."""
MAX_LEVELS = 12
"""Of quotes and lists within each other; deeper ones are skipped."""

_INLINE = frozenset(
    {"Text", "Code", "InlineHtml", "SoftBreak", "HardBreak", "Emphasis", "Strong", "Strikethrough", "Link", "Image"}
)
_TERM_WORDS, _TERM_CHARS = 8, 200
"""A term above its definition: so many words that begin in bold, or so many characters of code (a signature)."""


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """One block. Places are offsets in characters."""

    kind: Kind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    group: int = 0
    """The number of its row of blocks: those of the text itself, of one list item, of one quotation."""
    language: str = ""
    pieces: tuple[tuple[int, int], ...] = ()
    """The items of a list, the rows of a table, the lines of code."""
    whole: tuple[tuple[int, int], ...] = ()
    """Code spans, emphasis and links, which must not be cut within."""
    is_term: bool = False
    """True if it looks like the term of a definition, such as the option of a manual page: ``**--stdin**``."""


def read_blocks(text: str) -> tuple[SourceBlock, ...]:
    """The blocks of `text`, in order; front matter and HTML are left out."""
    return tuple(_SourceBlocks().blocks(read_tree(text[:MAX_CHARS], has_metadata=True).children, 0, 0))


class _SourceBlocks:
    """Goes through the nodes and remembers the headings that it has passed."""

    def __init__(self) -> None:
        self._headings: dict[int, str] = {}
        self._groups = 0

    def blocks(self, nodes: Sequence[Node], group: int, level: int) -> Iterator[SourceBlock]:
        """The blocks of nodes that stand in one row."""
        for is_inline, run in groupby(nodes, key=lambda node: node.name in _INLINE):
            members = list(run)
            if is_inline:  # the text of a tight list item
                yield self._prose(members, members[0].start, members[-1].end, group)
            else:
                for node in members:
                    yield from self._block(node, group, level)

    def _block(self, node: Node, group: int, level: int) -> Iterator[SourceBlock]:
        match node.name:
            case "Heading":
                self._pass_heading(node)
            case "Paragraph":
                prose = self._prose(node.children, node.start, node.end, group)
                yield replace(prose, is_term=True) if _is_term(node) else prose
            case "CodeBlock":
                yield from self._code(node, group)
            case "Table":
                rows = tuple((row.start, row.end) for row in node.children)
                yield SourceBlock(Kind.TABLE, node.start, node.end, self._path(), group, pieces=rows)
            case "List" if level < MAX_LEVELS and _has_blocks(node):
                for item in node.children:
                    yield from self.blocks(item.children, self._new_group(), level + 1)
            case "List":
                items = tuple((item.start, item.end) for item in node.children)
                yield SourceBlock(Kind.LIST, node.start, node.end, self._path(), group, pieces=items)
            case "BlockQuote" if level < MAX_LEVELS:
                yield from self.blocks(node.children, self._new_group(), level + 1)

    def _prose(self, nodes: Sequence[Node], start: int, end: int, group: int) -> SourceBlock:
        whole = tuple((node.start, node.end) for node in nodes if node.name not in {"Text", "SoftBreak", "HardBreak"})
        return SourceBlock(Kind.PROSE, start, end, self._path(), group, whole=whole)

    def _code(self, node: Node, group: int) -> Iterator[SourceBlock]:
        lines = tuple((child.start, child.end) for child in node.children)
        if lines:
            language = next(iter((node.info or "").split()), "")
            yield SourceBlock(Kind.CODE, lines[0][0], lines[-1][1], self._path(), group, language, lines)

    def _pass_heading(self, node: Node) -> None:
        words = " ".join(node.all_text().split())
        self._headings = {above: title for above, title in self._headings.items() if above < node.level}
        if words:
            self._headings[node.level] = words

    def _path(self) -> tuple[str, ...]:
        return tuple(self._headings[level] for level in sorted(self._headings))

    def _new_group(self) -> int:
        self._groups += 1
        return self._groups


def _is_term(node: Node) -> bool:
    """Return whether a paragraph is a short line that begins in bold, or code and nothing else."""
    text = node.all_text().strip()
    names = {child.name for child in node.children if child.text.strip() or child.children}
    if names == {"Code"}:
        return len(text) <= _TERM_CHARS
    is_bold = bool(node.children) and node.children[0].name == "Strong"
    return is_bold and len(text.split()) <= _TERM_WORDS and text[-1:] not in {".", "!", "?"}


def _has_blocks(node: Node) -> bool:
    return any(below.name in {"CodeBlock", "Table", "BlockQuote", "Heading"} for below in node.descendants())
