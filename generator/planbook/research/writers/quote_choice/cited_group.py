"""A group of citations of passages, and the statements that they are to carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planbook.research.drafts import Excerpt, Source
from planbook.research.proof.sentences import MAX_QUOTES
from planbook.research.writers.quote_choice.telling_words import VALUE, telling_stems

_MIN_LABEL_WORDS = 3
"""Words of a cell that names a row from which on quotes carry them: ``access is denied here``."""


@dataclass(frozen=True, slots=True)
class CarriedText:
    """A statement that passages are to carry: a sentence, or the cells of a row."""

    text: str
    """Its visible text, with names in backticks."""
    is_label: bool = False
    """True for what names a row of a table: its figures and names must be there, no more."""
    end: int | None = None
    """The offset at which its quotes may stand; ``None`` if only the place of the citation will do.
    """
    block: int = 0
    """The number of the paragraph or item that it is part of: 0 for that of the citation."""
    said: str = ""
    """The sentence as the page has it, if `text` leaves out numbers of the page's own parts."""

    @property
    def plain(self) -> str:
        """Its text as a reader sees it."""
        return (self.said or self.text).replace("`", "")

    def label_stems(self) -> frozenset[str]:
        """Return the stems of what names a row that quotes are to have; none of a name alone.

        An error message stands in its source. One or two words are in the quotes of other cells.
        """
        stems = telling_stems(self.plain)
        values = frozenset(stem for stem in stems if stem.startswith(VALUE))
        return stems if len(stems) >= _MIN_LABEL_WORDS else values


@dataclass(frozen=True, slots=True)
class CitedPassages:
    """The passages of one citation, with their source."""

    source: Source
    excerpts: tuple[Excerpt, ...]
    words: tuple[str, ...] = ()
    """Words by which the writer names the sentences to quote; empty for those that carry most."""


@dataclass(frozen=True, slots=True)
class CitedGroup:
    """Citations of passages in one pair of brackets, and what they hold for."""

    citations: Sequence[CitedPassages]
    statements: Sequence[CarriedText]
    """The sentences or cells for which the citations hold."""
    code: Sequence[str] = ()
    """The blocks of code that stand below them."""
    plan: str = ""
    """The words that need no quote, such as those of the plan."""
    quotes: Sequence[str] = ()
    """The quotes that the group has already."""
    context: str = ""
    """The text around the statements, which says what they are about."""
    is_fixed: bool = False
    """True if each citation gets a quote, at its own place."""


def limit_of_quotes(statements: Sequence[CarriedText]) -> int:
    """Return the largest number of quotes for statements; what names a row needs none more."""
    return MAX_QUOTES * max(1, sum(not statement.is_label for statement in statements))
