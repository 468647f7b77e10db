"""Blocks of texts without markup: the paragraphs of plain text, the statements of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from planbook.research.drafts import PassageKind
from planbook.research.evidence.blocks import SourceBlock

PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
"""Lines up to an empty one."""
_HEADING = re.compile(
    r"""(?:\d+(?:\.\d+)*\.?[ \t]+)?               # its number
        [^\W\da-z](?:[^\n.!?;,:]|\.(?=\w)){0,70}  # words from a capital on, without a stop
        (?:
            \n[ \t]*[=~*#^+"-]{3,}[ \t]*(?:\n|\Z)  # underlined
        |   \n(?=[^\W\da-z])                      # above a line with a capital
        |   \Z                                    # by itself
        )
    """,
    re.VERBOSE,
)
"""A short line of plain text that is a heading: ``2.1 Firing the kiln``."""
_BULLET = re.compile(r"^[^\S\n]*(?:[-*+\u2022]|\d{1,2}[.)])\s", re.MULTILINE)
_LINE = re.compile(r".*(?:\n|$)")
_STATEMENT = re.compile(r"^(?=\S)(?![)\]}])", re.MULTILINE)
"""A line of code at the margin that does not close what began above."""


def plain_blocks(text: str) -> Iterator[SourceBlock]:
    """Yield the paragraphs of plain text.

    Bullets are a list, and a short line above a paragraph is its heading.
    """
    headings: tuple[str, ...] = ()
    for paragraph in PARAGRAPH.finditer(text):
        start = paragraph.start()
        end = start + len(paragraph[0].rstrip())
        if heading := _HEADING.match(text, start, end):
            start = heading.end()
            title = heading[0].split("\n")[0]
            headings = (" ".join(title.split()),)
        bullets = [start + bullet.start() for bullet in _BULLET.finditer(text[start:end])]
        if len(bullets) > 1 and not text[start : bullets[0]].strip():
            items = tuple(pairwise([*bullets, end]))
            yield SourceBlock(PassageKind.LIST, start, end, headings, pieces=items)
        elif start < end:
            yield SourceBlock(PassageKind.PROSE, start, end, headings)


def code_blocks(text: str) -> Iterator[SourceBlock]:
    """Yield consecutive top-level statements of code, each run of them a row of its own.

    The comments above them belong to them.
    """
    at_margin = [match.start() for match in _STATEMENT.finditer(text)]
    starts = [at for at in at_margin if text[max(0, at - 2) : at] == "\n\n"]
    for row, (start, end) in enumerate(pairwise([0, *starts, len(text)])):
        lines = tuple(match.span() for match in _LINE.finditer(text, start, end) if match[0])
        if lines:
            yield SourceBlock(PassageKind.CODE, start, end, (), row, lines)
