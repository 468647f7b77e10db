"""Blocks of a Markdown text, with those of the HTML in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from planbook.markdown.syntax import Node, syntax_tree
from planbook.research.drafts import PassageKind
from planbook.research.evidence.blocks import MAX_CHARS, BlockOutline, SourceBlock
from planbook.research.evidence.html_blocks import HtmlBlocks

MAX_LEVELS = 12
"""Of quotes and lists within each other; deeper ones are skipped."""

_INLINE = frozenset(
    {
        *("Text", "Code", "InlineHtml", "SoftBreak", "HardBreak"),
        *("Emphasis", "Strong", "Strikethrough", "Link", "Image"),
    }
)
_NOTES = frozenset(
    {
        *("{attention}", "{caution}", "{danger}", "{hint}"),
        *("{important}", "{note}", "{tip}", "{warning}"),
    }
)
"""Fences that are directives of MyST with text in them."""
_MYST_CODE = frozenset({"{code}", "{code-block}", "{code-cell}", "{sourcecode}"})
"""Fences that are directives of MyST with code in them; the content of others is no code."""
_LABELS = (
    *("attention", "caution", "deprecated", "examples?", "hint", "important", "notes?"),
    *("parameters?", "remarks?", "returns?", "see also", "since", "tip", "warnings?"),
)
_LABEL = re.compile(rf"(?:{'|'.join(_LABELS)}):?", re.IGNORECASE)
"""A title of a box or list, such as ``Notes:``, which defines nothing."""
_TERM_WORDS = 16
"""Maximum number of words of a term above its definition that begins in bold."""
_TERM_CHARS = 300
"""Maximum number of characters of one that is code, such as a signature."""

_ROW = re.compile(r"\s*\|[^|]+\|.*[^\s|]+.*\|\s*")
"""A line of two cells or more."""


def source_blocks(text: str) -> tuple[SourceBlock, ...]:
    """Return the blocks of `text`, in order; front matter is left out."""
    text = text[:MAX_CHARS]
    tree = syntax_tree(text, has_metadata=True)
    return tuple(_MarkdownBlocks(text).blocks(tree.children, 0, 0))


class _MarkdownBlocks:
    """Goes through the nodes of a text, and passes their headings."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._outline = BlockOutline()
        self._html = HtmlBlocks(text, self._outline)

    def blocks(self, nodes: Sequence[Node], group: int, level: int) -> Iterator[SourceBlock]:
        """Yield the blocks of sibling nodes."""
        for is_inline, run in groupby(nodes, key=lambda node: node.name in _INLINE):
            members = list(run)
            if is_inline:  # the text of a tight list item
                yield self._outline.prose(members[0].start, members[-1].end, group, members)
            else:
                yield from self._siblings(members, group, level)

    def _siblings(self, nodes: Sequence[Node], group: int, level: int) -> Iterator[SourceBlock]:
        """Yield the blocks of sibling nodes that are blocks themselves."""
        table: Node | None = None  # the one directly above
        for node, below in zip(nodes, [*nodes[1:], None], strict=True):
            if below is not None and _is_item_above_text(node, below):
                item = node.children[0]
                start = _start_of_text(item)
                yield replace(self._outline.prose(start, item.end, group), is_term=True)
                table = None
                continue
            if table and node.name == "Paragraph" and self._is_row(node):
                yield self._rows_apart(table, node, group)
                continue
            table = node if node.name == "Table" else None
            if node.name == "HtmlBlock":  # what is above it and below it stands apart
                group = self._outline.new_group()
            yield from self._block(node, group, level)

    def _is_row(self, node: Node) -> bool:
        """Return whether all lines of a paragraph are written as rows of a table."""
        lines = self._text[node.start : node.end].splitlines()
        return all(_ROW.fullmatch(line) for line in lines)

    def _rows_apart(self, table: Node, rows: Node, group: int) -> SourceBlock:
        """Return rows that a blank line parts from their table, with its head."""
        head = table.children[0]
        lines = re.finditer(r"\S.*", self._text[rows.start : rows.end])
        spans = tuple((rows.start + line.start(), rows.start + line.end()) for line in lines)
        pieces = ((head.start, head.end), *spans)
        return self._outline.block_of_pieces(
            PassageKind.TABLE, (rows.start, rows.end), group, pieces
        )

    def _block(self, node: Node, group: int, level: int) -> Iterator[SourceBlock]:
        """Yield the blocks of one node: of a list or quotation with blocks of its own, those."""
        match node.name:
            case "Heading":
                self._outline.pass_title(node.all_text(), node.level)
            case "Paragraph":
                prose = self._outline.prose(node.start, node.end, group, node.children)
                yield replace(prose, is_term=True) if _is_term(node) else prose
            case "CodeBlock":
                yield from self._code(node, group)
            case "Table":
                yield self._blocks_of_children(PassageKind.TABLE, node, group)
            case "List" if level < MAX_LEVELS and _has_blocks(node):
                for item in node.children:
                    yield from self.blocks(item.children, self._outline.new_group(), level + 1)
            case "List":
                yield self._blocks_of_children(PassageKind.LIST, node, group)
            case "BlockQuote" if level < MAX_LEVELS:
                yield from self.blocks(node.children, self._outline.new_group(), level + 1)
            case "HtmlBlock":
                yield from self._html.blocks(node.start, node.end)

    def _blocks_of_children(self, kind: PassageKind, node: Node, group: int) -> SourceBlock:
        """Return a table or list, whose pieces are its rows or items."""
        pieces = tuple((child.start, child.end) for child in node.children)
        return self._outline.block_of_pieces(kind, (node.start, node.end), group, pieces)

    def _code(self, node: Node, group: int) -> Iterator[SourceBlock]:
        """Yield the content of a fence: code, or text for a directive that holds a note."""
        lines = tuple((child.start, child.end) for child in node.children)
        if not lines:
            return
        start, end = lines[0][0], lines[-1][1]
        kind, *_ = [*(node.info or "").split(), ""]
        is_code = not kind.startswith("{") or kind in _MYST_CODE
        if kind in _NOTES:
            yield self._outline.prose(start, end, group)
        elif is_code:
            yield self._outline.block_of_pieces(PassageKind.CODE, (start, end), group, lines)


def _is_term(node: Node) -> bool:
    """Return whether a paragraph is a short line that begins in bold, or code and nothing else."""
    text = node.all_text().strip()
    names = {child.name for child in node.children if child.text.strip() or child.children}
    if names == {"Code"}:
        return len(text) <= _TERM_CHARS
    is_bold = bool(node.children) and node.children[0].name == "Strong"
    if not is_bold or _LABEL.fullmatch(text):
        return False
    return len(text.split()) <= _TERM_WORDS and text[-1:] not in {".", "!", "?"}


def _is_item_above_text(node: Node, below: Node) -> bool:
    """Return whether a list is one term, and the text below it is what defines it.

    The text of a page of HTML has ``<li><p><b>heat.retry</b> integer</p><p>...`` so.
    """
    is_single = node.name == "List" and len(node.children) == 1 and below.name == "Paragraph"
    if not is_single:
        return False
    item = node.children[0]
    first = item.children[0] if item.children else None
    if first is not None and first.name == "Paragraph":
        return len(item.children) == 1 and _is_term(first)
    return all(child.name in _INLINE for child in item.children) and _is_term(item)


def _start_of_text(item: Node) -> int:
    """Return where the text of an item begins, behind its bullet."""
    return item.children[0].start


def _has_blocks(node: Node) -> bool:
    """Return whether a list has more than text in its items."""
    blocks = {"CodeBlock", "Table", "BlockQuote", "Heading"}
    return any(below.name in blocks for below in node.descendants())
