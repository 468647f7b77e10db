"""Blocks of Material that CommonMark does not know, such as admonitions, tabs, HTML with Markdown.

They are found before CommonMark is parsed. Each is replaced by one line, which is a block of HTML
wherever it stands, and is parsed by itself when the renderer meets that line. So blocks may nest in
lists, quotes and each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from markdown.util import ETX, STX

from planbook.markdown.github.events import Options
from planbook.markdown.github.line_kinds import (
    HTML_START,
    INDENT,
    MARKERS,
    QUOTES,
    fence_after,
    indent_of,
    literal_lines,
)
from planbook.markdown.github.tags_in_code import mask_tags_in_code

OPENINGS = {
    "admonition": r"!!! ?[\w-]",
    "details": r"\?{3}\+? ?[\w\"-]",
    "tabbed": r'===[+!]* +"',
    "blocks": r"(?P<slashes>/{3,})[ ]*[\w-]+[ ]*(?:\||$)",
    "abbr": r"\*\[[^\]\\]+\][ ]?:",
    "markdown_block": r"<(?P<tag>[A-Za-z][\w-]*)\b[^<>]*\bmarkdown\b[^<>]*>",
    "arithmatex-block": r"(?P<math>\$\$|\\\[|\\begin\{[a-z]+\*?\})",
}
"""The beginning of each block, by the name of its extension's block processor."""
_SIGNS = {
    "admonition": ("!!!",),
    "details": ("???",),
    "tabbed": ("===",),
    "blocks": ("///",),
    "abbr": ("*[",),
    "markdown_block": ("markdown",),
    "arithmatex-block": ("$$", r"\[", r"\begin{"),
}
"""Texts of which each block has at least one in its first line."""
_MATH_ENDS = {"$$": r"(?<!\\)\$\$[ ]*$", "\\[": r"\\\][ ]*$"}

_MARKERS_AND_COLONS = MARKERS.replace("[-*+]", "[-*+:]")
"""The marks of items, and those of definitions, of which a block may be the first line."""
_TOKEN = re.compile(rf"<\?{STX}pb:([0-9]+){ETX}\?>")


@dataclass(frozen=True, slots=True)
class Container:
    """One block, without the indentation of its first line."""

    kind: str
    """A key of `OPENINGS`."""
    head: str
    """Its first line, and the lines of its options."""
    body: str
    """Markdown, where its lines begin; for HTML and formulas, the whole block."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with one line in place of each block, and the blocks in order."""

    text: str
    containers: tuple[Container, ...]


def token(number: int) -> str:
    """Return the processing instruction that stands for a block; it may interrupt a paragraph."""
    return f"<?{STX}pb:{number}{ETX}?>"


def token_number(html: str) -> int | None:
    """Return the number of the block that a block of HTML stands for; ``None`` for other HTML."""
    match = _TOKEN.match(html.strip())
    return int(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class _Found:
    """A block in a text."""

    prefix: str
    """The marks of lists and quotes before it."""
    container: Container
    last: int
    """Its last line."""


class ContainerParser:
    """Finds the blocks of a site's extensions.

    Args:
        kinds: the keys of `OPENINGS` whose extensions the site has switched on.
        options: the syntax that pyromark reads, which tells what is code.
    """

    def __init__(self, kinds: Collection[str], options: Options) -> None:
        self._options = options
        # One pattern for all kinds: which it is follows from the group `k0`, `k1`, … that matched.
        forms = [rf"(?P<k{n}>{form})" for n, form in enumerate(map(OPENINGS.__getitem__, kinds))]
        self._kinds = tuple(kinds)
        self._signs = [sign for kind in kinds for sign in _SIGNS[kind]]
        has_definitions = Options.ENABLE_DEFINITION_LIST in options
        markers = _MARKERS_AND_COLONS if has_definitions else MARKERS
        self._opening = re.compile(rf"{QUOTES}{markers}(?:{'|'.join(forms or ['(?!)'])})")
        quick = "|".join(_without_names(OPENINGS[kind]) for kind in kinds)
        self._may_open = re.compile(quick or "(?!)", re.MULTILINE)

    def may_open(self, text: str) -> bool:
        """Return whether a text may have such blocks; quick."""
        # A search for a text takes a hundredth of the time of one for a pattern.
        return any(sign in text for sign in self._signs) and bool(self._may_open.search(text))

    def mask(self, text: str) -> Masked:
        """Return the text with its outermost blocks masked.

        Blocks within them are found when these are parsed.
        """
        if not self.may_open(text):
            return Masked(text, ())
        lines = text.split("\n")
        literal = literal_lines(lines, self._options)
        out, containers, n = list[str](), list[Container](), 0
        while n < len(lines):
            block = self._block(lines, n, literal.get(n, ""))
            if block is None:
                out.append(lines[n])
                n += 1
                continue
            out.append(block.prefix + token(len(containers)))
            containers.append(block.container)
            n = block.last + 1
        return Masked("\n".join(out), tuple(containers))

    def _block(self, lines: list[str], first: int, literal: str) -> _Found | None:
        """Return the block that begins on the line `first`; ``None`` if none does.

        Args:
            lines: the lines of the text.
            first: the line's number.
            literal: what pyromark takes the line for, as of `literal_lines`.
        """
        line = lines[first].expandtabs(INDENT)
        opening = self._opening.match(line)
        if opening is None:
            return None
        kind = next(name for n, name in enumerate(self._kinds) if opening[f"k{n}"])
        expected = HTML_START if kind == "markdown_block" else ""
        # In code, or within HTML, the line is text; HTML with Markdown must begin a block of HTML.
        if literal != expected:
            return None
        prefix = opening["quotes"] + opening["markers"]
        outer = _Outer(lines, opening["quotes"].count(">"), len(opening["markers"]))
        reading = _Reading(outer, first, line[len(prefix) :], opening)
        block = _READERS.get(kind, _indented)(reading)
        if block is None:
            return None
        head, body, last = block
        return _Found(prefix, Container(kind, head, body), last)


@dataclass(frozen=True, slots=True)
class _Outer:
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
            line = _expanded(line)
            yield n, line, indent_of(line) if line.strip() else -1

    def dedented(self, line: str) -> str:
        """Return a line without the indentation of the list item."""
        return line[min(indent_of(line), self.column) :]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A block of which the first line is known."""

    outer: _Outer
    first: int
    head: str
    """The first line, without what stands before the block."""
    opening: re.Match[str]


_Lines = tuple[str, str, int]
"""The head of a block, its body, and its last line."""


def _expanded(line: str) -> str:
    """Return a line with spaces for the tabs before its text; those in code stay."""
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)].expandtabs(INDENT) + text


def _indented(reading: _Reading) -> _Lines:
    """Return a block whose body is indented below its opening."""
    column, body, last = reading.outer.column + INDENT, list[str](), reading.first
    for n, line, indent in reading.outer.after(reading.first):
        if 0 <= indent < column:
            break
        body.append(line[column:])
        # Blank lines belong to the block only if an indented one follows.
        last = n if indent >= 0 else last
    return reading.head, "\n".join(body[: last - reading.first]), last


def _fenced(reading: _Reading) -> _Lines:
    """Return a block that ends with a line of slashes, or with the item or text around it."""
    head, body, last, fence = [reading.head], list[str](), reading.first, ""
    for n, line, indent in reading.outer.after(reading.first):
        if 0 <= indent < reading.outer.column:
            break
        text, last = reading.outer.dedented(line), n
        # Slashes in fenced code do not end the block.
        if not fence and text.strip() == reading.opening["slashes"]:
            break
        fence = fence_after(text, fence)
        is_option = not body and text.startswith(" " * INDENT)
        (head if is_option else body).append(text)
    return "\n".join(head), "\n".join(body), last


def _element(reading: _Reading) -> _Lines:
    """Return an element of HTML, with the rest of the line of its end."""
    lines = [reading.head]
    for _, line, indent in reading.outer.after(reading.first):
        if 0 <= indent < reading.outer.column:
            break
        lines.append(reading.outer.dedented(line))
    end = _end_of_element("\n".join(lines), reading.opening["tag"])
    return reading.head, "\n".join(lines[: end + 1]), reading.first + end


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


def _formula(reading: _Reading) -> _Lines | None:
    """Return a formula that ends at the end of a line; ``None`` if a blank line comes before."""
    opening, head = reading.opening["math"], reading.head
    environment = opening.partition("{")[2]
    ending = _MATH_ENDS.get(opening) or rf"\\end\{{{re.escape(environment)}[ ]*$"
    if re.search(ending, head[len(opening) :]):
        return head, head, reading.first
    lines = [head]
    for n, line, indent in reading.outer.after(reading.first):
        if indent < 0:
            return None
        lines.append(reading.outer.dedented(line))
        if re.search(ending, line):
            return head, "\n".join(lines), n
    return None


def _block_of_line(reading: _Reading) -> _Lines:
    """Return a block of one line."""
    return reading.head, "", reading.first


_READERS: dict[str, Callable[[_Reading], _Lines | None]] = {
    "abbr": _block_of_line,
    "blocks": _fenced,
    "markdown_block": _element,
    "arithmatex-block": _formula,
}
"""Functions for blocks whose bodies are not indented."""


def _without_names(pattern: str) -> str:
    return re.sub(r"\?P<\w+>", "?:", pattern)
