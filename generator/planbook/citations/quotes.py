"""Quotes: find the exact words in a source, and link to them with text fragments (``#:~:text=the%20exact%20words``).

A browser goes to the first place with the words of the fragment, ignoring case and accents, within one block of the
page: https://wicg.github.io/scroll-to-text-fragment/#syntax
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from urllib.parse import quote

from planbook.citations.identifiers import is_web
from planbook.markdown.dialects import common_markdown
from planbook.markdown.document import visible_text

MOST_CHARS = 4_000
"""Maximum length of a passage whose visible text is remembered."""
_LINE = r"[^\W\d_][^*_`<>\[\]\\&|~\n\r\0\ud800-\udfff]*"
_PLAIN = re.compile(rf"{_LINE}(?:\n{_LINE})*")
"""Lines that begin with a letter, without any mark of Markdown."""


def fold(text: str) -> str:
    """Return `text` in Unicode NFC, with each run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def words(markdown: str) -> str:
    """Return the visible text of `markdown`, of any dialect, folded: without markup, tags, addresses."""
    markdown = common_markdown(markdown)
    if _PLAIN.fullmatch(markdown):
        return fold(markdown)
    return _words(markdown) if len(markdown) < MOST_CHARS else fold(visible_text(markdown))


@lru_cache(maxsize=8192)
def _words(markdown: str) -> str:
    """Return the same of a passage: each is read several times while a source is split and ranked."""
    return fold(visible_text(markdown))


class Readings:
    """A source's text in the forms that may contain a quote, folded, each made when it is first asked for.

    These are the whole visible text, the main text as it is, the visible text of that as Markdown, and the main text
    without its escapes, as briefs show it.
    """

    def __init__(self, visible: str, text: str) -> None:
        self._forms: tuple[Callable[[], str], ...] = (
            partial(fold, visible),
            partial(fold, text),
            partial(words, text),
            lambda: fold(without_escapes(text)),
        )
        self._made: list[str] = []

    def __iter__(self) -> Iterator[str]:
        """Iterate over the forms."""
        for n, form in enumerate(self._forms):
            if n == len(self._made):
                self._made.append(form())
            yield self._made[n]


_ESCAPED = re.compile(r"(?P<code>(?P<ticks>`{1,9})[^\n]{0,2000}?(?P=ticks))|\\(?P<sign>[!-/:-@\[-`{-~])")
"""Code in a line, where a backslash is one, or an escaped sign of Markdown."""


def without_escapes(markdown: str) -> str:
    """Return Markdown without the backslashes that escape its signs. Code stays as it is."""
    return _ESCAPED.sub(lambda match: match["code"] or match["sign"], markdown)


def contains_quote(quote: str, texts: Iterable[str]) -> bool:
    """Return whether one of the folded `texts` contains `quote` exactly; none contains an empty one."""
    wanted = fold(quote)
    return bool(wanted) and any(wanted in text for text in texts)


# --- paragraphs ------------------------------------------------------------------------------------------------------

MOST_WORDS = 120
"""Maximum number of words of a passage, unless the quote itself has more."""
MOST_BLOCKS = 8
"""Maximum number of paragraphs and list items that a quote is looked for in, if its marks of Markdown are left out."""


def passage_around(
    quote: str, text: str, *, is_code: bool = False, by_line: bool = False
) -> tuple[str, int, int] | None:
    """Return the plain paragraph of `text` that contains the quote, and where the quote begins and ends in the text.

    Paragraphs end at a blank line, or at each line; one that the quote fills comes with its neighbours. Code keeps its
    lines. ``None`` if the text does not contain the quote.
    """
    text, wanted = unicodedata.normalize("NFC", text), fold(quote)
    blocks = list(_blocks(text, by_line=by_line))
    exact = re.search(_pattern(wanted), text) if wanted else None
    sizes = range(MOST_BLOCKS if not exact and wanted and wanted in words(text) else 0)  # without its marks of Markdown
    spans = ((blocks[n][0], last) for size in sizes for n, (_, last) in enumerate(blocks[size:]))
    rough = (span for span in spans if wanted in words(text[slice(*span)]))
    start, end = exact.span() if exact else next(rough, (0, 0))
    near = [n for n, (first, last) in enumerate(blocks) if first < end and last > start]
    if not near:
        return None
    if not is_code and len(text[blocks[near[0]][0] : blocks[near[-1]][1]].split()) < len(wanted.split(" ")) + 8:
        near = [max(0, near[0] - 1), min(near[-1] + 1, len(blocks) - 1)]
    around = text[blocks[near[0]][0] : blocks[near[-1]][1]]
    is_plain = by_line or words(quote) not in words(around)
    shown = textwrap.dedent(around) if is_code and exact else fold(around) if is_plain else words(around)
    return _cut(shown, quote), start, end


def split_at(quote: str, passage: str) -> tuple[str, str, str]:
    """Return the passage before the quote, the quote as it is there, and the rest; all is rest if it is not there."""
    found = re.search("|".join(_pattern(form) for form in (quote, words(quote) or quote)), passage)
    start, end = found.span() if found else (0, 0)
    return passage[:start], passage[start:end], passage[end:]


def _pattern(quote: str) -> str:
    return r"\s+".join(map(re.escape, quote.split()))


def _blocks(text: str, *, by_line: bool) -> Iterator[tuple[int, int]]:
    """Yield the spans of lines, or of lines between blank ones."""
    at = first = 0
    for line in [*text.split("\n"), ""]:
        if not line.strip() or by_line:
            if text[first:at].strip():
                yield first, at - 1
            first = at if line.strip() else at + len(line) + 1
        at += len(line) + 1


def _cut(passage: str, quote: str) -> str:
    """Return at most `MOST_WORDS` of the passage, with the quote in their midst."""
    tokens = [token.span() for token in re.finditer(r"\S+", passage)]
    opening, _, closing = split_at(quote, passage)
    before, behind = len(opening.split()), len(closing.split())
    room = max(0, MOST_WORDS - (len(tokens) - before - behind))
    first = before - min(before, max(room // 2, room - behind))
    last = min(len(tokens), first + MOST_WORDS)
    kept = passage[tokens[first][0] : tokens[last - 1][1]]
    return f"{'… ' if first else ''}{kept}{' …' if last < len(tokens) else ''}"


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
