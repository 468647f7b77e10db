"""Split reStructuredText into blocks: headings, paragraphs, lists and code, at their places in the text.

Enough of the grammar to quote from documentation; tables, figures and comments are left out.
https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from generator.drafts import PassageKind
from generator.markdown.plain_text import width
from generator.research.extract.blocks import MAX_CHARS, SourceBlock

_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*")
_DIRECTIVE = re.compile(r"(?P<indent>\s*)\.\.\s+(?:\|[^|]+\|\s+)?(?P<name>[\w:+.-]+?)::(?:\s+(?P<argument>.*?))?\s*")
_CODE = frozenset({"code", "code-block", "sourcecode", "prompt", "highlight", "parsed-literal", "console"})
_PROSE = frozenset(
    {
        *("admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"),
        *("versionadded", "versionchanged", "deprecated", "seealso", "topic", "sidebar", "rubric", "container"),
        *("option", "envvar", "confval", "glossary", "tabs", "tab", "tab-set", "tab-item", "dropdown", "epigraph"),
    }
)
"""Directives whose content is text; so is that of domains, such as ``py:function``."""
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
            line = self._lines[at]
            if not line.strip():
                at += 1
            elif skipped := self._heading(at):
                at += skipped
            elif directive := _DIRECTIVE.fullmatch(line):
                name = directive["name"]
                end = self._body(at + 1, len(directive["indent"]))
                if name in _CODE:
                    yield from self._code(at + 1, end, directive["argument"] or "")
                at = at + 1 if name in _PROSE or ":" in name else end
            elif _COMMENT.match(line):
                at = self._body(at + 1, width(line))
            elif _OPTION.fullmatch(line):
                at += 1
            elif _TABLE.fullmatch(line):
                at = self._until_blank(at)
            elif line.lstrip().startswith(">>> "):
                end = self._until_blank(at)
                yield self._block(PassageKind.CODE, at, end, "python", range(at, end))
                at = end
            elif _BULLET.match(line):
                end = self._body(at + 1, width(line), is_list=True)
                starts = [
                    n for n in range(at, end) if _BULLET.match(self._lines[n]) and width(self._lines[n]) == width(line)
                ]
                yield self._block(PassageKind.LIST, at, end, "", starts)
                at = end
            else:
                end = self._until_blank(at)
                yield self._block(PassageKind.PROSE, at, end)
                if self._lines[end - 1].rstrip().endswith("::"):
                    start, end = end, self._body(end, width(line))
                    yield from self._code(start, end, "")
                at = end

    def _heading(self, at: int) -> int:
        """Pass a heading that begins at this line; return how many lines it has, 0 for none."""
        above, title, below = [*self._lines[at : at + 3], "", ""][:3]
        if _ADORNMENT.fullmatch(above) and above.rstrip() == below.rstrip() and title.strip():
            style, words, count = above[:1] * 2, title.strip(), 3
        elif _ADORNMENT.fullmatch(title) and above[:1].strip() and not _ADORNMENT.fullmatch(above):
            style, words, count = title[:1], above.strip(), 2
        else:
            return 1 if _ADORNMENT.fullmatch(above) else 0
        if style not in self._styles:
            self._styles.append(style)
        self._path = [*self._path[: self._styles.index(style)], words]
        return count

    def _body(self, at: int, indent: int, *, is_list: bool = False) -> int:
        """Return the end of the lines that are indented more, or items of the list, without trailing blank lines."""
        end = at
        for n, line in enumerate(self._lines[at:], at):
            if line.strip():
                is_item = is_list and width(line) == indent and _BULLET.match(line)
                if (width(line) <= indent and not is_item) or (is_list and _COMMENT.match(line)):
                    break
                end = n + 1
        return end

    def _until_blank(self, at: int) -> int:
        return next((n for n in range(at + 1, len(self._lines)) if not self._lines[n].strip()), len(self._lines))

    def _code(self, at: int, end: int, language: str) -> Iterator[SourceBlock]:
        lines = [n for n in range(at, end) if not _OPTION.fullmatch(self._lines[n])]
        filled = [n for n in lines if self._lines[n].strip()]
        if filled:
            name = language.partition(" ")[0]
            yield self._block(PassageKind.CODE, filled[0], end, name, range(filled[0], end))

    def _block(
        self, kind: PassageKind, at: int, end: int, language: str = "", starts: Sequence[int] = ()
    ) -> SourceBlock:
        start = self._starts[at] + (0 if kind is PassageKind.CODE else width(self._lines[at]))
        begins = [start, *(self._starts[n] for n in starts[1:])]
        ends = [*begins[1:], self._starts[end] - 1]
        pieces = tuple(zip(begins, ends, strict=True)) if starts else ()
        return SourceBlock(kind, start, self._starts[end] - 1, tuple(self._path), 0, language, pieces)
