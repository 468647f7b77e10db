"""The lines of a block of Material's, from its first line to its end.

A reader for each way in which a block ends: with its indentation, with slashes, with its tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from planbook.markdown.github.line_kinds import INDENT, fence_after, indent_of
from planbook.markdown.github.tags_in_code import mask_tags_in_code

_MATH_ENDS = {"$$": r"(?<!\\)\$\$[ ]*$", "\\[": r"\\\][ ]*$"}
"""The ends of formulas by their beginnings; others end with ``\\end{…}``."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The list item or quote that a block stands in."""

    lines: list[str]
    quotes: int
    column: int

    def after(self, first: int) -> Iterator[tuple[int, str, int]]:
        """Yield number, text and indentation of each line after `first`, to the quote's end."""
        for n in range(first + 1, len(self.lines)):
            line, quotes = self.lines[n], 0
            while quotes < self.quotes and (mark := re.match(r"[ ]{0,3}>[ ]?", line)):
                line, quotes = line[mark.end() :], quotes + 1
            if quotes < self.quotes:
                return
            line = _expand_tabs(line)
            yield n, line, indent_of(line) if line.strip() else -1

    def dedented(self, line: str) -> str:
        """Return a line without the indentation of the list item."""
        return line[min(indent_of(line), self.column) :]


@dataclass(frozen=True, slots=True)
class BlockStart:
    """A block of which the first line is known."""

    surroundings: Surroundings
    first: int
    head: str
    """The first line, without what stands before the block."""
    opening: re.Match[str]


class BlockLines(NamedTuple):
    """The lines of a block, up to its end."""

    head: str
    body: str
    last: int
    """The number of its last line."""


def _expand_tabs(line: str) -> str:
    """Return a line with spaces for the tabs before its text; those in code stay."""
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)].expandtabs(INDENT) + text


def read_indented(start: BlockStart) -> BlockLines:
    """Return a block whose body is indented below its opening."""
    column, body, last = start.surroundings.column + INDENT, list[str](), start.first
    for n, line, indent in start.surroundings.after(start.first):
        if 0 <= indent < column:
            break
        body.append(line[column:])
        # Blank lines belong to the block only if an indented one follows.
        last = n if indent >= 0 else last
    return BlockLines(start.head, "\n".join(body[: last - start.first]), last)


def read_slashes(start: BlockStart) -> BlockLines:
    """Return a block that ends with a line of slashes, or with the item or text around it."""
    head, body, last, fence = [start.head], list[str](), start.first, ""
    for n, line, indent in start.surroundings.after(start.first):
        if 0 <= indent < start.surroundings.column:
            break
        text, last = start.surroundings.dedented(line), n
        # Slashes in fenced code do not end the block.
        if not fence and text.strip() == start.opening["slashes"]:
            break
        fence = fence_after(text, fence)
        is_option = not body and text.startswith(" " * INDENT)
        (head if is_option else body).append(text)
    return BlockLines("\n".join(head), "\n".join(body), last)


def read_element(start: BlockStart) -> BlockLines:
    """Return an element of HTML, with the rest of the line of its end."""
    lines = [start.head]
    for _, line, indent in start.surroundings.after(start.first):
        if 0 <= indent < start.surroundings.column:
            break
        lines.append(start.surroundings.dedented(line))
    end = _end_of_element("\n".join(lines), start.opening["tag"])
    return BlockLines(start.head, "\n".join(lines[: end + 1]), start.first + end)


def _end_of_element(text: str, tag: str) -> int:
    """Return the number of the line on which the element ends that `text` begins with."""
    masked, depth = mask_tags_in_code(text), 0
    for tag_match in re.finditer(rf"<(/?){tag}\b[^<>]*?(/?)>", masked, re.IGNORECASE):
        is_end, is_empty = tag_match.groups()
        if not is_empty:
            depth += -1 if is_end else 1
        if depth == 0:
            return masked.count("\n", 0, tag_match.end())
    return len(text.rstrip().split("\n")) - 1


def read_formula(start: BlockStart) -> BlockLines | None:
    """Return a formula that ends at the end of a line; ``None`` if a blank line comes before."""
    opening, head = start.opening["math"], start.head
    environment = opening.partition("{")[2]
    ending = _MATH_ENDS.get(opening) or rf"\\end\{{{re.escape(environment)}[ ]*$"
    if re.search(ending, head[len(opening) :]):
        return BlockLines(head, head, start.first)
    lines = [head]
    for n, line, indent in start.surroundings.after(start.first):
        if indent < 0:
            return None
        lines.append(start.surroundings.dedented(line))
        if re.search(ending, line):
            return BlockLines(head, "\n".join(lines), n)
    return None


def read_line(start: BlockStart) -> BlockLines:
    """Return a block of one line."""
    return BlockLines(start.head, "", start.first)
