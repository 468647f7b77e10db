"""Quotes: find the exact words in a source, and link to them with text fragments (``#:~:text=the%20exact%20words``).

A browser goes to the first place with the words of the fragment, ignoring case and accents, within one block of the
page: https://wicg.github.io/scroll-to-text-fragment/#syntax
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import quote

from generator.citations.identifiers import is_web
from generator.markdown.document import visible_text


def fold(text: str) -> str:
    """Return `text` in Unicode NFC, with each run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def words(markdown: str) -> str:
    """Return the visible text of `markdown`, folded: without markup, tags and addresses."""
    return fold(visible_text(markdown))


def readings(visible: str, text: str) -> tuple[str, ...]:
    """Return a source's text in the forms that may contain a quote, folded.

    These are the whole visible text, the main text as it is, and the visible text of that as Markdown.
    """
    return fold(visible), fold(text), words(text)


def contains_quote(quote: str, texts: Iterable[str]) -> bool:
    """Return whether one of the folded `texts` contains `quote` exactly; none contains an empty one."""
    wanted = fold(quote)
    return bool(wanted) and any(wanted in text for text in texts)


# --- text fragments --------------------------------------------------------------------------------------------------

LONGEST = 240
"""Maximum length in characters of a quote that a fragment contains whole; of longer ones, first and last words."""
_ENDS = 6
"""Number of first and last words."""
_NO_FRAGMENTS = re.compile(r"https?://(?:(?:dx\.|www\.)?doi\.org/|[^?#]*[./]pdf(?=[/?#]|$))", re.IGNORECASE)


def has_fragments(url: str) -> bool:
    """Return whether a browser can find words at a web address: not in a PDF, nor through the resolver of DOIs."""
    return is_web(url) and not _NO_FRAGMENTS.match(url)


def directive_of(words: str) -> str:
    """Return the text directive of quoted words, percent-encoded as in a URL: ``start`` or ``start,end``.

    Browsers find no words across the lines of code.
    """
    lines = [fold(line).split(" ") for line in words.strip().split("\n")]
    is_whole = len(lines) == 1 and (len(words) <= LONGEST or len(lines[0]) <= 2 * _ENDS)
    pieces = [fold(words)] if is_whole else [" ".join(lines[0][:_ENDS]), " ".join(lines[-1][-_ENDS:])]
    return ",".join(quote(piece, safe="").replace("-", "%2D") for piece in pieces)


def fragment_link(url: str, directive: str) -> str:
    """Return `url` with a text fragment; its own fragment applies if the words are not found."""
    address, _, fragment = url.partition("#")
    return f"{address}#{fragment.partition(':~:')[0]}:~:text={directive}"
