"""Whether quoted words stand in a source: what counts as the same words, and what a reader sees of Markdown."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import pyromark

MARKDOWN = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
"""What sources write beside CommonMark."""

_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image"})


def fold(text: str) -> str:
    """`text` in Unicode NFC, with each run of white space as one blank."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def words(markdown: str) -> str:
    """What a reader sees of `markdown`, folded: without marks, tags and addresses."""
    pieces: list[str] = []
    for event in pyromark.events(markdown.encode("utf-8", errors="replace").decode(), options=MARKDOWN):
        if not isinstance(event, dict):
            pieces.append(" ")
            continue
        kind, value = next(iter(event.items()))
        if kind in {"Text", "Code"}:
            pieces.append(str(value))
        elif kind == "InlineHtml":
            pieces.append(" " if str(value).lower().startswith("<br") else "")
        elif kind in {"Start", "End"} and _name(value) not in _INLINE:
            pieces.append(" ")
    return fold("".join(pieces))


def readings(visible: str, text: str) -> tuple[str, ...]:
    """A source's text in the forms, folded, in which a quote may stand in it.

    These are all that is visible, the main text as it is, and what a reader sees of that as Markdown.
    """
    return fold(visible), fold(text), words(text)


def stands(quote: str, texts: Iterable[str]) -> bool:
    """Whether `quote` stands, to the letter, in one of the folded `texts`; an empty one stands nowhere."""
    wanted = fold(quote)
    return bool(wanted) and any(wanted in text for text in texts)


def _name(value: object) -> str:
    return str(next(iter(value))) if isinstance(value, dict) else str(value)
