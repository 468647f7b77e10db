"""Blocks of a text in reStructuredText.

Enough of the grammar to quote from documentation; figures and comments are left out:
https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from planbook.markdown.plain_text import width
from planbook.research.drafts import PassageKind
from planbook.research.evidence.blocks import MAX_CHARS, SourceBlock

_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*")
_DIRECTIVE = re.compile(
    r"""(?P<indent>\s*)\.\.\s+
        (?:\|[^|]+\|\s+)?                   # the name of a substitution
        (?P<name>[\w:+.-]+?)::
        (?:\s+(?P<argument>\S(?:.*\S)?))?\s*
    """,
    re.VERBOSE,
)
"""The first line of a directive: ``.. code-block:: sh``."""
_CODE = frozenset(
    {"code", "code-block", "sourcecode", "prompt", "highlight", "parsed-literal", "console"}
)
"""Directives whose content is code."""
_WITHOUT_TEXT = frozenset(
    {
        *("automodule", "autoclass", "autofunction", "automethod", "contents", "csv-table"),
        *("currentmodule", "default-domain", "default-role", "digraph", "figure", "graph"),
        *("graphviz", "highlight", "image", "include", "index", "literalinclude", "math"),
        *("meta", "mermaid", "module", "raw", "role", "sectionauthor", "tabularcolumns"),
        *("tocdepth", "toctree", "uml", "unicode", "replace"),
    }
)
"""Directives whose content is no text to quote: settings, lists of contents, pictures, formulas."""
_TERMS = frozenset({"option", "envvar", "confval", "describe", "object", "program"})
"""Directives that define what they name."""
_OPTION = re.compile(r"\s+:[\w-]+:(?:\s.*)?")
_COMMENT = re.compile(r"\s*\.\.(?:\s|$)")
_BULLET = re.compile(r"\s*(?:[-*+•]|#\.|\d{1,3}[.)])\s+\S")
_TABLE = re.compile(r"\s*(?:\+[-=+]{3,}\+|={2,}(?:\s+={2,})+)\s*")


def read_rst(text: str) -> tuple[SourceBlock, ...]:
    """Return the blocks of `text`, in order."""
    return tuple(_RstBlocks(text[:MAX_CHARS]).blocks())


class _RstBlocks:
    """Goes through the lines once, and remembers the headings that it has passed."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._styles: list[str] = []
        self._path: list[str] = []

    def blocks(self) -> Iterator[SourceBlock]:
        """Yield the blocks from the first line on."""
        at = 0
        while at < len(self._lines):
            at = yield from self._blocks_at(at)

    def _blocks_at(self, at: int) -> Generator[SourceBlock, None, int]:
        """Yield the blocks of what begins at this line; return the line below it."""
        line = self._lines[at]
        below = self._below_what_is_no_block(at)
        if below > at:
            return below
        if directive := _DIRECTIVE.fullmatch(line):
            return (yield from self._directive(at, directive))
        # Tables are shown as they are written: their columns are lines of signs.
        if _TABLE.fullmatch(line) or line.lstrip().startswith(">>> "):
            end = self._until_blank(at)
            yield self._block(PassageKind.CODE, at, end, range(at, end))
            return end
        if _BULLET.match(line):
            return (yield from self._list(at))
        return (yield from self._paragraph(at))

    def _below_what_is_no_block(self, at: int) -> int:
        """Return the line below a blank line, heading or comment; `at` for anything else."""
        line = self._lines[at]
        if not line.strip() or _OPTION.fullmatch(line):
            return at + 1
        lines_of_heading = self._heading(at)  # first: a line of one sign may look like a table's
        if lines_of_heading:
            return at + lines_of_heading
        if _COMMENT.match(line) and not _DIRECTIVE.fullmatch(line):
            return self._body(at + 1, width(line))
        return at

    def _directive(self, at: int, directive: re.Match[str]) -> Generator[SourceBlock, None, int]:
        """Yield the code or the term of a directive; return where to go on.

        That is within it if it has text, else below it.
        """
        name = directive["name"]
        is_of_a_domain = ":" in name
        end = self._body(at + 1, len(directive["indent"]))
        if name in _CODE:
            yield from self._code(at + 1, end)
        elif directive["argument"] and (name in _TERMS or is_of_a_domain):
            line = self._block(PassageKind.PROSE, at, at + 1)
            start = self._starts[at] + directive.start("argument")
            yield replace(line, start=start, is_term=True)
        return end if name in _CODE or name in _WITHOUT_TEXT else at + 1

    def _list(self, at: int) -> Generator[SourceBlock, None, int]:
        """Yield a list, whose items are indented as its first one; return the line below it."""
        indent = width(self._lines[at])
        end = self._body(at + 1, indent, is_list=True)
        items = []
        for index, line in enumerate(self._lines[at:end], at):
            if _BULLET.match(line) and width(line) == indent:
                items.append(index)
        yield self._block(PassageKind.LIST, at, end, items)
        return end

    def _paragraph(self, at: int) -> Generator[SourceBlock, None, int]:
        """Yield a paragraph, and the code below it that ``::`` at its end announces."""
        end = self._until_blank(at)
        yield self._block(PassageKind.PROSE, at, end)
        if not self._lines[end - 1].rstrip().endswith("::"):
            return end
        end_of_code = self._body(end, width(self._lines[at]))
        yield from self._code(end, end_of_code)
        return end_of_code

    def _heading(self, at: int) -> int:
        """Pass a heading that begins at this line; return how many lines it has, 0 for none."""
        first, second, third = [*self._lines[at : at + 3], "", ""][:3]
        is_line = _ADORNMENT.fullmatch(first) is not None
        if is_line and first.rstrip() == third.rstrip() and second.strip():  # a line above, too
            self._pass_heading(first[:1] * 2, second.strip())
            return 3
        if not is_line and first[:1].strip() and _ADORNMENT.fullmatch(second):
            self._pass_heading(second[:1], first.strip())
            return 2
        return 1 if is_line else 0  # a line that divides nothing

    def _pass_heading(self, style: str, title: str) -> None:
        """Remember a heading; the first style that a text uses is the outermost one, and so on."""
        if style not in self._styles:
            self._styles.append(style)
        self._path = [*self._path[: self._styles.index(style)], title]

    def _body(self, at: int, indent: int, *, is_list: bool = False) -> int:
        """Return the end of the lines that are indented more, or items of the list.

        Blank lines at the end are left out.
        """
        end = at
        for below, line in enumerate(self._lines[at:], at + 1):
            if not line.strip():
                continue
            is_item = is_list and width(line) == indent and _BULLET.match(line)
            is_outside = width(line) <= indent and not is_item
            if is_outside or (is_list and _COMMENT.match(line)):
                break
            end = below
        return end

    def _until_blank(self, at: int) -> int:
        """Return the next blank line below this one, or the end."""
        for index in range(at + 1, len(self._lines)):
            if not self._lines[index].strip():
                return index
        return len(self._lines)

    def _code(self, at: int, end: int) -> Iterator[SourceBlock]:
        """Yield the code in these lines, from the first one that is no option and not blank."""
        for index in range(at, end):
            line = self._lines[index]
            if line.strip() and not _OPTION.fullmatch(line):
                yield self._block(PassageKind.CODE, index, end, range(index, end))
                return

    def _block(
        self, kind: PassageKind, at: int, end: int, starts: Sequence[int] = ()
    ) -> SourceBlock:
        """Return the block in these lines; `starts` has the first line of each of its pieces."""
        indent = 0 if kind is PassageKind.CODE else width(self._lines[at])
        first = self._starts[at] + indent
        block_end = self._starts[end] - 1
        begins = [first, *(self._starts[index] for index in starts[1:])]
        pieces = tuple(pairwise([*begins, block_end])) if starts else ()
        return SourceBlock(kind, first, block_end, tuple(self._path), 0, pieces)
