"""Blocks of Material that CommonMark does not know, such as admonitions, tabs, HTML with Markdown.

They are found before CommonMark is parsed. Each is replaced by one line, which is a block of HTML
wherever it stands, and is parsed by itself when the renderer meets that line. So blocks may nest in
lists, quotes and each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from markdown.util import ETX, STX

from planbook.markdown.github.container_bodies import (
    BlockLines,
    BlockStart,
    Surroundings,
    read_element,
    read_formula,
    read_indented,
    read_line,
    read_slashes,
)
from planbook.markdown.github.line_kinds import (
    HTML_START,
    INDENT,
    MARKERS,
    QUOTES,
    literal_lines,
)
from planbook.markdown.github.markdown_events import Options


@dataclass(frozen=True, slots=True)
class ContainerKind:
    """A kind of block: a row of the table."""

    opening: str
    """A pattern for its beginning."""
    signs: tuple[str, ...]
    """Texts of which its first line has at least one: they are looked for first, as that is
    quicker."""
    read: Callable[[BlockStart], BlockLines | None]
    """Returns its lines; ``None`` if it is no such block."""


CONTAINER_KINDS = {
    # !!! note "Title"
    "admonition": ContainerKind(r"!!! ?[\w-]", ("!!!",), read_indented),
    # ??? note "Title", ???+ note
    "details": ContainerKind(r"\?{3}\+? ?[\w\"-]", ("???",), read_indented),
    # === "Title"
    "tabbed": ContainerKind(r'===[+!]* +"', ("===",), read_indented),
    # /// note | Title
    "blocks": ContainerKind(r"(?P<slashes>/{3,})[ ]*[\w-]+[ ]*(?:\||$)", ("///",), read_slashes),
    # *[HTML]: Hyper Text Markup Language
    "abbr": ContainerKind(r"\*\[[^\]\\]+\][ ]?:", ("*[",), read_line),
    # <div markdown>
    "markdown_block": ContainerKind(
        r"<(?P<tag>[A-Za-z][\w-]*)\b[^<>]*\bmarkdown\b[^<>]*>", ("markdown",), read_element
    ),
    # $$, \[ or \begin{align}
    "arithmatex-block": ContainerKind(
        r"(?P<math>\$\$|\\\[|\\begin\{[a-z]+\*?\})",
        ("$$", r"\[", r"\begin{"),
        read_formula,
    ),
}
"""All kinds, by the name of their extension's block processor."""

_MARKERS_AND_COLONS = MARKERS.replace("[-*+]", "[-*+:]")
"""The marks of items, and those of definitions, of which a block may be the first line."""
_TOKEN = re.compile(rf"<\?{STX}pb:([0-9]+){ETX}\?>")


@dataclass(frozen=True, slots=True)
class Container:
    """One block, without the indentation of its first line."""

    kind: str
    """A key of `CONTAINER_KINDS`."""
    head: str
    """Its first line, and the lines of its options."""
    body: str
    """Markdown, where its lines begin; for HTML and formulas, the whole block."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with one line in place of each block, and the blocks in order."""

    text: str
    containers: tuple[Container, ...]


def token(index: int) -> str:
    """Return the processing instruction that stands for a block; it may interrupt a paragraph."""
    return f"<?{STX}pb:{index}{ETX}?>"


def token_number(html: str) -> int | None:
    """Return the number of the block that a block of HTML stands for; ``None`` for other HTML."""
    match = _TOKEN.match(html.strip())
    return int(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class _PlacedContainer:
    """A block in a text."""

    prefix: str
    """The marks of lists and quotes before it."""
    container: Container
    last: int
    """Its last line."""


class ContainerParser:
    """Finds the blocks of a site's extensions.

    Args:
        kinds: the keys of `CONTAINER_KINDS` whose extensions the site has switched on.
        options: the syntax that pyromark reads, which tells what is code.
    """

    def __init__(self, kinds: Collection[str], options: Options) -> None:
        self._options = options
        rows = [CONTAINER_KINDS[kind] for kind in kinds]
        openings = [row.opening for row in rows]
        # One pattern for all kinds: which it is follows from the group `k0`, `k1`, … that matched.
        forms = [rf"(?P<k{n}>{form})" for n, form in enumerate(openings)]
        self._kinds = tuple(kinds)
        self._signs = [sign for row in rows for sign in row.signs]
        has_definitions = Options.ENABLE_DEFINITION_LIST in options
        markers = _MARKERS_AND_COLONS if has_definitions else MARKERS
        self._opening = re.compile(rf"{QUOTES}{markers}(?:{'|'.join(forms or ['(?!)'])})")
        quick = "|".join(map(_strip_group_names, openings))
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

    def _block(self, lines: list[str], first: int, literal: str) -> _PlacedContainer | None:
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
        outer = Surroundings(lines, opening["quotes"].count(">"), len(opening["markers"]))
        block = CONTAINER_KINDS[kind].read(BlockStart(outer, first, line[len(prefix) :], opening))
        if block is None:
            return None
        return _PlacedContainer(prefix, Container(kind, block.head, block.body), block.last)


def _strip_group_names(pattern: str) -> str:
    return re.sub(r"\?P<\w+>", "?:", pattern)
