"""Whether quoted words stand in a source: what counts as the same words, and what a reader sees of Markdown."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from generator.markdown.tree import visible_text


def fold(text: str) -> str:
    """`text` in Unicode NFC, with each run of white space as one blank."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def words(markdown: str) -> str:
    """What a reader sees of `markdown`, folded: without marks, tags and addresses."""
    return fold(visible_text(markdown))


def readings(visible: str, text: str) -> tuple[str, ...]:
    """A source's text in the forms, folded, in which a quote may stand in it.

    These are all that is visible, the main text as it is, and what a reader sees of that as Markdown.
    """
    return fold(visible), fold(text), words(text)


def stands(quote: str, texts: Iterable[str]) -> bool:
    """Whether `quote` stands, to the letter, in one of the folded `texts`; an empty one stands nowhere."""
    wanted = fold(quote)
    return bool(wanted) and any(wanted in text for text in texts)
