"""The syntax tree of a text in CommonMark, with places in characters; pyromark (pulldown-cmark) parses it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pyromark

_EXTENSIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image"})


@dataclass(slots=True)
class Node:
    """A block or an inline element, with pulldown-cmark's name for it. Not modified once it is read."""

    name: str
    start: int
    end: int
    depth: int = 0
    """Number of nodes that contain it, without the root."""
    text: str = ""
    """Of words and code; a space for a line break."""
    address: str = ""
    """Of a link or an image; with ``mailto:`` for a mail address in angle brackets."""
    level: int = 0
    """Of a heading, 1 to 6."""
    number: int | None = None
    """Of a numbered list: the first item's."""
    info: str | None = None
    """Of a fence: the words after it; ``None`` for everything else, indented code included."""
    children: list[Node] = field(default_factory=list)

    def walk(self) -> Iterator[tuple[bool, Node]]:
        """Yield ``(True, node)`` where a node below this one begins and, if it has children, ``(False, node)`` after.

        Not recursive: texts may nest deeper than Python calls.
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
        return (node for is_start, node in self.walk() if is_start)

    def all_text(self) -> str:
        """Return the text of this node and of those below it."""
        return self.text + "".join(node.text for node in self.descendants())


@lru_cache(maxsize=2)
def read_tree(text: str, *, has_footnotes: bool = False, has_metadata: bool = False) -> Node:
    """Return the root of the tree of `text`: GitHub's tables and struck-out words, and what is asked for.

    The last trees are kept: several rules look at one page in turn.

    Args:
        text: Markdown; front matter is taken for text unless `has_metadata` is set.
        has_footnotes: Read ``[^1]`` and its definition as a footnote.
        has_metadata: Read YAML between dashes as a node of its own.
    """
    options = _EXTENSIONS
    if has_footnotes:
        options |= pyromark.Options.ENABLE_FOOTNOTES
    if has_metadata:
        options |= pyromark.Options.ENABLE_YAML_STYLE_METADATA_BLOCKS
    raw = text.encode("utf-8", errors="replace")
    further = [byte.start() for byte in re.finditer(rb"[\x80-\xbf]", raw)]
    root = parent = Node("Document", 0, len(text), -1)
    stack = [root]
    value: Any
    for event, span in pyromark.events_with_range(raw.decode(), options=options):
        [(kind, value)] = event.items() if isinstance(event, dict) else [(event, None)]
        if kind == "End":
            stack.pop()
            parent = stack[-1]
            continue
        start, end = span["start"], span["end"]
        if further:  # every byte of a character but the first
            start, end = start - bisect_left(further, start), end - bisect_left(further, end)
        siblings = parent.children
        if kind == "Text" and siblings and siblings[-1].name == "Text" and parent.name != "CodeBlock":
            siblings[-1].end, siblings[-1].text = end, siblings[-1].text + value
            continue
        node = Node(kind, start, end, len(stack) - 1)
        siblings.append(node)
        if kind == "Start":
            stack.append(node)
            parent = node
            _describe(node, value)
        elif kind in {"Text", "Code"}:
            node.text = value
        elif kind in {"SoftBreak", "HardBreak"} or (kind == "InlineHtml" and str(value).lower().startswith("<br")):
            node.text = " "
    return root


def _describe(node: Node, value: Any) -> None:
    """Give a node with children its name and details."""
    if isinstance(value, str):
        node.name = value
        return
    [(node.name, detail)] = value.items()
    if node.name in {"Link", "Image"}:
        node.address = f"{'mailto:' * (detail['link_type'] == 'Email')}{detail['dest_url']}"
    elif node.name == "Heading":
        node.level = int(detail["level"][1:])
    elif node.name == "List":
        node.number = detail
    elif node.name == "CodeBlock" and isinstance(detail, dict):
        node.info = str(detail["Fenced"])


def code_ranges(text: str) -> list[tuple[int, int]]:
    """Return the character ranges of code in `text`, in order."""
    return [(node.start, node.end) for node in read_tree(text).descendants() if node.name in {"Code", "CodeBlock"}]


def visible_text(markdown: str) -> str:
    """Return `markdown` without markup, tags and addresses; blocks are separated by spaces."""
    pieces: list[str] = []
    for event in pyromark.events(markdown.encode("utf-8", errors="replace").decode(), options=_EXTENSIONS):
        if not isinstance(event, dict):
            pieces.append(" ")
            continue
        kind, value = next(iter(event.items()))
        if kind in {"Text", "Code"}:
            pieces.append(str(value))
        elif kind == "InlineHtml":
            pieces.append(" " if str(value).lower().startswith("<br") else "")
        elif kind in {"Start", "End"} and (next(iter(value)) if isinstance(value, dict) else value) not in _INLINE:
            pieces.append(" ")
    return "".join(pieces)
