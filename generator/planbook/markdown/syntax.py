"""The syntax tree of Markdown, made from the events of pyromark.

Read `Node` and `syntax_tree` first. A tree is made of every page at each build, so the builder has
no calls that it can do without.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple

import pyromark

_EXTENSIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
_BREAKING_TAGS = ("<br", "<li")
"""Tags that keep words apart."""


class Node(NamedTuple):
    """A block or inline element, named as in pulldown-cmark."""

    name: str
    start: int
    end: int
    depth: int = 0
    """Number of enclosing nodes, without the root."""
    text: str = ""
    """The content of text and code; a space for a line break."""
    children: Sequence[Node] = ()
    address: str = ""
    """The target of a link or image; with ``mailto:`` for an email address in angle brackets."""
    level: int = 0
    """The level of a heading, 1 to 6."""
    number: int | None = None
    """The first number of a numbered list."""
    info: str | None = None
    """The info string of a fence; ``None`` for everything else, including indented code."""

    def walk(self) -> Iterator[tuple[bool, Node]]:
        """Yield ``(True, node)`` for each node below this one.

        If it has children, ``(False, node)`` follows them. Not recursive: texts may nest deeper
        than Python calls.
        """
        stack = [(True, node) for node in reversed(self.children)]
        while stack:
            is_start, node = stack.pop()
            yield is_start, node
            if is_start and node.children:
                stack.append((False, node))
                stack += [(True, child) for child in reversed(node.children)]

    def descendants(self) -> Iterator[Node]:
        """Yield the nodes below this one, outer before inner."""
        stack = [*reversed(self.children)]
        while stack:
            yield (node := stack.pop())
            stack += node.children[::-1]

    def all_text(self) -> str:
        """Return the text of this node and of those below it."""
        return self.text + "".join(node.text for node in self.descendants())


@lru_cache(maxsize=2)
def syntax_tree(text: str, *, has_footnotes: bool = False, has_metadata: bool = False) -> Node:
    """Return the root of the syntax tree of `text`.

    It has GitHub's tables and strikethrough, and the given extensions. The last trees are cached:
    several rules read one draft.

    Args:
        text: Markdown; front matter is treated as text unless `has_metadata` is set.
        has_footnotes: Read ``[^1]`` and its definition as a footnote.
        has_metadata: Read YAML between dashes as a separate node.
    """
    options = _EXTENSIONS
    if has_footnotes:
        options |= pyromark.Options.ENABLE_FOOTNOTES
    if has_metadata:
        options |= pyromark.Options.ENABLE_YAML_STYLE_METADATA_BLOCKS
    return Node("Document", 0, len(text), -1, "", _nodes(text, options, has_all=True)[0])


@lru_cache(maxsize=2)
def outline(text: str) -> Sequence[Node]:
    """Return the headings, code, links, images and blocks of HTML in `text`.

    Footnotes are among them, and outer ones come before inner ones. Only headings and code have
    children. If `text` may have text that CommonMark takes for code, all other elements are there,
    too. The last outlines are cached: several rules read one page.
    """
    # Admonitions, details, tabs, footnotes: their indented bodies may be code or text.
    has_all = any(mark in text for mark in ("!!!", "???", "===", "[^"))
    return _nodes(text, _EXTENSIONS | pyromark.Options.ENABLE_FOOTNOTES, has_all=has_all)[1]


def _nodes(text: str, options: pyromark.Options, *, has_all: bool) -> tuple[list[Node], list[Node]]:
    """Return the top-level nodes of `text`, and all in order.

    Unless it `has_all`, those of an outline.
    """
    offsets = _Offsets(text)
    tree = _TreeBuilder(offsets, has_all=has_all)
    for event, span in _events_of_pyromark(offsets.readable, options):
        step, detail = (event, None) if event.__class__ is str else event.popitem()
        if step == "End":
            tree.end()
        elif step == "Start":
            tree.begin(*_begun(detail), span)
        elif tree.has_all or step in _OUTLINE:
            tree.add_leaf(step, detail, span)
    return tree.top, tree.nodes


class _TreeBuilder:
    """Makes nodes of events: all, or those of an outline."""

    __slots__ = ("_around", "_offsets", "_siblings", "has_all", "nodes", "top")

    def __init__(self, offsets: _Offsets, *, has_all: bool) -> None:
        self._offsets = offsets
        self.top: list[Node] = []
        self.nodes: list[Node] = []
        """All nodes in order, outer before inner."""
        self._siblings = self.top
        """The nodes within the innermost open element."""
        self.has_all = has_all
        """True if all nodes are made within the innermost open element."""
        self._around: list[tuple[list[Node], bool]] = []
        """The values of both for each element around it."""

    def begin(self, name: str, detail: Any, span: Mapping[str, int]) -> None:
        """Begin an element that may have others within it."""
        depth = len(self._around)
        self._around.append((self._siblings, self.has_all))
        if not (self.has_all or name in _OUTLINE):
            return  # no node is made, but `end` comes for it, too
        details = _NO_DETAILS if detail is None else _details(name, detail)
        children: list[Node] = []
        node = _new(Node, (name, *self._offsets.of(span), depth, "", children, *details))
        self._siblings.append(node)
        self.nodes.append(node)
        self._siblings = children
        # In an outline, headings and code come with the text in them.
        self.has_all = self.has_all or name in _KINDS_WITH_TEXT

    def end(self) -> None:
        """End the innermost element."""
        self._siblings, self.has_all = self._around.pop()

    def add_leaf(self, name: str, detail: Any, span: Mapping[str, int]) -> None:
        """Add an element without others within it: text, code, a break, HTML."""
        text = detail if name in _TEXTS else _text_of_break(name, detail)
        node = _new(
            Node, (name, *self._offsets.of(span), len(self._around), text, (), *_NO_DETAILS)
        )
        self._siblings.append(node)
        self.nodes.append(node)


def _text_of_break(name: str, detail: Any) -> str:
    """Return a space for a line break, written as Markdown or HTML; no text for another leaf."""
    is_html_break = name == "InlineHtml" and detail.lower().startswith(_BREAKING_TAGS)
    return " " if is_html_break or name.endswith("Break") else ""


_new: Any = tuple.__new__
"""Makes a named tuple in half the time that its own class takes."""
_NO_DETAILS = ("", 0, None, None)
"""The details of nodes without any."""
_TEXTS = frozenset({"Text", "Code"})
CODE = frozenset({"Code", "CodeBlock"})
"""The names of code, in a line and as a block."""
_KINDS_WITH_TEXT = {"Heading", "CodeBlock"}
_OUTLINE = {"Heading", "Code", "CodeBlock", "Link", "Image", "HtmlBlock"}


def _details(name: str, detail: Any) -> tuple[str, int, int | None, str | None]:
    """Return the address, level, number and info string of a node with children."""
    address, level, number, info = "", 0, None, None
    match name:
        case "Link" | "Image":
            address = link_address(detail)
        case "Heading":
            level = int(detail["level"][1:])
        case "List":
            number = detail
        case "CodeBlock" if isinstance(detail, dict):
            info = str(detail["Fenced"])
    return address, level, number, info


def link_address(detail: Mapping[str, str]) -> str:
    """Return the target of a link, as in :class:`Node`."""
    scheme = "mailto:" if detail["link_type"] == "Email" else ""
    return f"{scheme}{detail['dest_url']}"


_STEPS = {"Start": 1, "End": -1}


def read_events(text: str, wanted: Set[str]) -> Iterator[tuple[int, str, Any, int, int]]:
    """Yield the starts and ends of elements with a name in `wanted`.

    The start is 1, a leaf 0, and the end -1, of lists and quotes only. Each has its name as in
    pulldown-cmark, its details, and the offsets of the whole element.
    """
    offsets = _Offsets(text)
    for event, span in _events_of_pyromark(offsets.readable, _EXTENSIONS):
        name, detail = (event, None) if event.__class__ is str else event.popitem()
        step = _STEPS.get(name, 0)
        is_end_without_details = step < 0 and detail.__class__ is str
        if step and not is_end_without_details:
            name, detail = _begun(detail)
        if name in wanted:
            yield step, name, detail, *offsets.of(span)


def _events_of_pyromark(text: str, options: pyromark.Options) -> Iterator[tuple[Any, Any]]:
    """Return pyromark's events, with their spans.

    They are ``"SoftBreak"``, ``{"Text": "rye"}``, ``{"Start": "Paragraph"}``,
    ``{"Start": {"Heading": {"level": "H1"}}}`` and ``{"End": "Paragraph"}``. An end has details,
    too, if it is that of a list or a quote.
    """
    return pyromark.events_with_range(text, options=options, merge_text=True)


def _begun(detail: Any) -> tuple[str, Any]:
    """Return the name of an element that begins, and its details."""
    return (detail, None) if detail.__class__ is str else detail.popitem()


class _Offsets:
    """The offsets in a text of places in its UTF-8, which pyromark counts."""

    __slots__ = ("_further", "readable")

    def __init__(self, text: str) -> None:
        raw = text.encode("utf-8", errors="replace")
        self.readable = raw.decode()
        """The text without what UTF-8 cannot hold."""
        self._further: list[int] = []
        """The places of all bytes but a character's first."""
        if len(raw) != len(text):
            self._further = [byte.start() for byte in re.finditer(rb"[\x80-\xbf]", raw)]

    def of(self, span: Mapping[str, int]) -> tuple[int, int]:
        """Return the offsets of a span's start and end."""
        start, end, further = span["start"], span["end"], self._further
        if not further:
            return start, end
        return start - bisect_left(further, start), end - bisect_left(further, end)
