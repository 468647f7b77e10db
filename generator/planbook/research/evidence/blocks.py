"""Blocks of a source's text: paragraphs, lists, tables and code, under their headings.

`markdown_blocks`, `html_blocks` and `rst_blocks` make them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planbook.markdown.syntax import Node
from planbook.research.drafts import PassageKind

MAX_CHARS = 1_000_000
"""Maximum length of one source; the rest is ignored."""


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """One block. Places are offsets in characters."""

    kind: PassageKind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    row: int = 0
    """The number of its row of blocks: those of the text, of one list item, of one quotation."""
    pieces: tuple[tuple[int, int], ...] = ()
    """The items of a list, the rows of a table, the lines of code."""
    whole: tuple[tuple[int, int], ...] = ()
    """Code spans, emphasis and links, which must not be cut within."""
    is_term: bool = False
    """True if it looks like the term of a definition.

    The option of a manual page does: ``**--stdin**``.
    """


class BlockOutline:
    """The headings that a reader of a text has passed, and the blocks below them.

    One reader goes through a text from its beginning to its end, so that each block gets the
    headings above it and the number of its row.
    """

    def __init__(self) -> None:
        self._headings: dict[int, str] = {}
        self._groups = 0

    def pass_title(self, text: str, level: int) -> None:
        """Remember the text of a heading, and forget the headings that it ends."""
        title = " ".join(text.split())
        for other in list(self._headings):
            if other >= level:
                del self._headings[other]
        if title:
            self._headings[level] = title

    def path(self) -> tuple[str, ...]:
        """Return the headings above, outermost first."""
        return tuple(self._headings[level] for level in sorted(self._headings))

    def new_group(self) -> int:
        """Return the number of a new row of blocks."""
        self._groups += 1
        return self._groups

    def prose(self, start: int, end: int, group: int, inline: Sequence[Node] = ()) -> SourceBlock:
        """Return a paragraph of these inline nodes."""
        is_cut_anywhere = {"Text", "SoftBreak", "HardBreak"}
        whole = tuple((node.start, node.end) for node in inline if node.name not in is_cut_anywhere)
        return SourceBlock(PassageKind.PROSE, start, end, self.path(), group, whole=whole)

    def block_of_pieces(
        self,
        kind: PassageKind,
        span: tuple[int, int],
        group: int,
        pieces: tuple[tuple[int, int], ...],
    ) -> SourceBlock:
        """Return a list, a table or code, with the spans of its items, rows or lines."""
        return SourceBlock(kind, *span, self.path(), group, pieces)


def ends_in_colon(markdown: str) -> bool:
    """Return whether a text ends in a colon, and so introduces what follows."""
    return markdown.rstrip().rstrip("*_").endswith(":")
