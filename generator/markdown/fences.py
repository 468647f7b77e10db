"""The fenced code of a page, block by block, as CommonMark sees it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from generator.markdown.front_matter import body_start
from generator.markdown.positions import line_starts
from generator.markdown.tree import read_tree

_OPENING = re.compile(r"(`{3,}|~{3,})[ \t]*(.*)")


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Fenced code."""

    language: str
    """The first word behind its fence, in small letters."""
    code: str
    """Its content, without the indentation of its list."""
    line: int
    """Of its opening fence, 1-based."""
    fence: str
    """Its opening fence's ticks or tildes."""


def without_front_matter(text: str) -> str:
    """`text` with its front matter blanked: every place in it stays where it is."""
    start = body_start(text)
    return re.sub(r"[^\r\n]", " ", text[:start]) + text[start:]


def code_blocks(text: str) -> Iterator[CodeBlock]:
    """Every fenced block of a page's `text`, in order."""
    text = without_front_matter(text)
    starts = line_starts(text.split("\n"))
    for node in read_tree(text).descendants():
        opening = _OPENING.search(text, node.start) if node.info is not None else None
        if opening:
            words = re.split(r"[\s,{}]+", opening[2].strip().lstrip("{."), maxsplit=1)
            yield CodeBlock(words[0].lower(), node.all_text(), bisect_right(starts, node.start), opening[1])
