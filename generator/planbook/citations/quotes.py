"""Quotes: find the exact words in a source, and link to them with text fragments.

A text fragment is ``#:~:text=the%20exact%20words``. A browser goes to the first place with the
words of the fragment, ignoring case and accents, within one block of the page:
https://wicg.github.io/scroll-to-text-fragment/#syntax
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from urllib.parse import quote

from planbook.citations.identifiers import is_web
from planbook.markdown.dialects import common_markdown
from planbook.markdown.document import visible_text

MAX_CACHED_CHARS = 4_000
"""Maximum length of a passage whose visible text is remembered."""
_LINE = r"[^\W\d_][^*_`<>\[\]\\&|~\n\r\0\ud800-\udfff]*"
_PLAIN_LINES = re.compile(rf"{_LINE}(?:\n{_LINE})*")
"""Lines that begin with a letter, without any mark of Markdown."""


def fold(text: str) -> str:
    """Return `text` in Unicode NFC, with each run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def words(markdown: str) -> str:
    """Return the visible text of `markdown`, of any dialect, folded.

    It has no markup, tags and addresses.
    """
    markdown = common_markdown(markdown)
    if _PLAIN_LINES.fullmatch(markdown):
        return fold(markdown)
    if len(markdown) < MAX_CACHED_CHARS:
        return _words_of_passage(markdown)
    return fold(visible_text(markdown))


@lru_cache(maxsize=8192)
def _words_of_passage(markdown: str) -> str:
    """Return the same of a passage, each of which is read several times.

    Passages are read while a source is split and while they are ranked.
    """
    return fold(visible_text(markdown))


class Readings:
    """A source's text in the forms that may contain a quote, folded.

    They are the whole visible text, and the main text in each of `FORMS`. Each is made when it is
    first asked for: most quotes are in one of the first.
    """

    def __init__(self, visible: str, text: str) -> None:
        self._forms = (partial(fold, visible), *(partial(form.of, text) for form in FORMS))
        self._made: list[str] = []

    def __iter__(self) -> Iterator[str]:
        """Iterate over the forms."""
        for n, form in enumerate(self._forms):
            if n == len(self._made):
                self._made.append(form())
            yield self._made[n]


_CODE_OR_ESCAPE = re.compile(
    r"(?P<code>(?P<ticks>`{1,9})[^\n]{0,2000}?(?P=ticks))|\\(?P<sign>[!-/:-@\[-`{-~])"
)
"""Code in a line, where a backslash is one, or an escaped sign of Markdown."""


def strip_escapes(markdown: str) -> str:
    """Return Markdown without the backslashes that escape its signs. Code stays as it is."""
    return _CODE_OR_ESCAPE.sub(lambda match: match["code"] or match["sign"], markdown)


_TAG = re.compile(
    r"(?P<code>(?P<ticks>`{1,9})[^\n]{0,2000}?(?P=ticks))"
    r"|(?P<ends_text></?(?:br|caption|d[dlt]|details|figcaption|figure|h[1-6]|hr|li|ol|section"
    r"|summary|table|tbody|td|tfoot|th|thead|tr|ul)\b[^<>]{0,600}>)"
    r"|</?(?:a|abbr|b|big|center|cite|code|del|dfn|div|em|font|i|img|ins|kbd|mark|p|pre|q|s|samp"
    r"|small|span|strong|sub|sup|tt|u|var|wbr)"
    r"(?:\s[^<>]{0,600})?/?>",
    re.IGNORECASE,
)
"""Code in a line, where a tag is one, or a tag of HTML that only sets or links its text.

One that ``ends_text`` stands between words, as a cell or an item of a list does.
"""


def printable_markdown(markdown: str) -> str:
    """Return Markdown as briefs print it: without escapes, and without tags that no reader sees.

    Its own marks stay, and so does what looks like a tag and is none, such as ``<name>``.
    """
    return strip_escapes(_TAG.sub(_replace_tag, markdown))


def _replace_tag(match: re.Match[str]) -> str:
    return match["code"] or (" " if match["ends_text"] else "")


_MARKUP_LINE = re.compile(
    r"^[ \t>]*(?:"
    r"(?:[-*+][ \t]+)?(?:`{3,}|~{3,})[^`\n]*"  # a fence
    r"|\{%[^%\n]{0,300}%\}"  # a tag of a template, such as a tab
    r"|:{3,}[^\n]*"  # a directive of MyST
    r"|\.\.[ \t]+[\w:-]{1,60}::[^\n]*(?:\n[ \t]+:[\w-]{1,60}:[^\n]*){0,20}"  # one of rst
    r"|(?:!\[[^\]\n]{0,300}\]\([^)\n]{0,600}\)[ \t]*){1,9}"  # pictures
    r"|</?[A-Za-z][^<>\n]{0,300}>"  # a tag of HTML
    r")[ \t]*$\n?",
    re.MULTILINE,
)
"""A line that has nothing to read."""


def strip_markup_lines(markdown: str) -> str:
    """Return Markdown or rst without fences, directives, pictures and other wordless lines."""
    return _MARKUP_LINE.sub("", markdown)


_HYPHENATED_BREAK = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n[ \t]*(?=[a-z])")
_LETTERS = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
_LIGATURE_TABLE = str.maketrans(_LETTERS)
_GAP = re.compile(r"(?<=[^ ])[ ]{3,}(?=[^ ])")
"""The space between two columns."""
_MIN_GAP_LINES = 6
"""Lines with a gap from which a text has two columns."""


def undo_typesetting(text: str) -> str:
    """Return a text as it was before it was set.

    Words divided at the end of a line are joined, ligatures are letters, and if at least half of
    the lines have a gap, the second column follows the first one.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    halves = [_GAP.split(line.strip(" "), maxsplit=1) for line in lines]
    rows = sum(len(half) > 1 for half in halves)
    if rows >= _MIN_GAP_LINES and rows * 2 >= len(lines):
        first = [half[0] for half in halves]
        second = [half[1] for half in halves if len(half) > 1]
        text = "\n".join([*first, "", *second])
    return _HYPHENATED_BREAK.sub("", text).translate(_LIGATURE_TABLE)


_TIME = re.compile(
    r"(?<![\w:])\[?\(?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?\)?\]?(?![\w:])"
    r"(?:\((?:https?://[^()\s]{1,300})?[#?&]t=\d{1,6}s?\))?"
)
"""A time, which may be a link to its place in the recording: ``[02:45](#t=165)``."""
_MIN_TIMES = 6
"""Times of a text from which it is a transcript."""


def strip_times(text: str) -> str:
    """Return a transcript without the times between its words; another text as it is."""
    is_transcript = len(_TIME.findall(text)) >= _MIN_TIMES
    return _TIME.sub(" ", text) if is_transcript else text


@dataclass(frozen=True, slots=True)
class TextForm:
    """A form in which a source's text may contain a quote, with one that no form above has."""

    name: str
    read: Callable[[str], str]
    source: str
    quote: str

    def of(self, text: str) -> str:
        """Return a text in this form, folded."""
        return fold(self.read(text))


# One normal form for both sides cannot replace these. It would have to give the same for a quote
# alone as for the quote within its source, and it does not:
# - Read as Markdown, a quote that begins within code or emphasis has other marks than its source,
#   and `<name>` or `*args` in a command would be gone on both sides, so that a quote without them
#   would count as exact.
# - Two columns and times are known by the whole text: six lines with a gap, six times.
# So the quote stays to the letter, and what varies is how much of its source a copyist saw.
FORMS: tuple[TextForm, ...] = (
    TextForm(
        name="as it is",
        read=str,
        source=r"Write **5 \* 3**.",
        quote=r"Write **5 \* 3**.",
    ),
    TextForm(
        name="the visible text of its Markdown",
        read=words,
        source="Rye **bread** [rises](rise.md) slowly.",
        quote="Rye bread rises slowly.",
    ),
    TextForm(
        name="without escapes",
        read=strip_escapes,
        source=r"Set **max\_heat** to <b>40</b>.",
        quote="Set **max_heat** to <b>40</b>.",
    ),
    TextForm(
        name="without escapes and lines of markup, between a sentence and its code",
        read=lambda text: strip_escapes(strip_markup_lines(text)),
        source="Add a **stream**:\n\n```sh\nkiln add\n```\n\nThen <b>look</b>.",
        quote="Add a **stream**: kiln add Then <b>look</b>.",
    ),
    TextForm(
        name="as briefs print it: without tags that no reader sees",
        read=printable_markdown,
        source="Add a **stream**<br>with:\n\n```sh\nkiln add\n```\n",
        quote="Add a **stream** with: ```sh kiln add ```",
    ),
    TextForm(
        name="as briefs print it, without lines of markup",
        read=lambda text: printable_markdown(strip_markup_lines(text)),
        source="Add a **stream**<br>with:\n\n```sh\nkiln add\n```\n",
        quote="Add a **stream** with: kiln add",
    ),
    TextForm(
        name="before it was set: words joined, ligatures as letters, one column",
        read=undo_typesetting,
        source="The \ufb01rst ther-\nmometer",
        quote="The first thermometer",
    ),
    TextForm(
        name="a transcript without its times",
        read=strip_times,
        source="".join(f"Bread is\n0{n}:15 left to rise.\n" for n in range(8)),
        quote="Bread is left to rise.",
    ),
)
"""The forms of a source's text that `Readings` has; the most frequent first."""


def contains_quote(quote: str, texts: Iterable[str]) -> bool:
    """Return whether one of the folded `texts` contains `quote` exactly.

    None contains an empty one.
    """
    wanted = fold(quote)
    return bool(wanted) and any(wanted in text for text in texts)


# --- paragraphs -----------------------------------------------------------------------------------

MAX_PASSAGE_WORDS = 120
"""Maximum number of words of a passage, unless the quote itself has more."""
MAX_PASSAGE_CHARS = 800
"""Maximum length of a passage, as well: in code and tables, a "word" may have fifty characters."""
MAX_BLOCKS = 8
"""Maximum number of paragraphs and list items that a quote is looked for in, if its marks of
Markdown are left out."""


def find_passage_around(
    quote: str, text: str, *, is_code: bool = False, by_line: bool = False
) -> tuple[str, int, int] | None:
    """Return the plain paragraph of `text` that contains the quote, and the quote's ends in it.

    The ends are offsets in `text`. Paragraphs end at a blank line, or at each line; one that the
    quote fills comes with its neighbours. Code keeps its lines. ``None`` if the text does not
    contain the quote.
    """
    text, wanted = unicodedata.normalize("NFC", text), fold(quote)
    blocks = list(_paragraph_spans(text, by_line=by_line))
    exact = re.search(_pattern_of_words(wanted), text) if wanted else None
    start, end = exact.span() if exact else _span_without_marks(wanted, text, blocks)
    overlapping = [
        n
        for n, (block_start, block_end) in enumerate(blocks)
        if block_start < end and block_end > start
    ]
    if not overlapping:
        return None
    first_near, last_near = overlapping[0], overlapping[-1]
    span_text = text[blocks[first_near][0] : blocks[last_near][1]]
    is_filled = len(span_text.split()) < len(wanted.split(" ")) + _MIN_CONTEXT_WORDS
    if is_filled and not is_code:
        first_near, last_near = max(0, first_near - 1), min(last_near + 1, len(blocks) - 1)
        span_text = text[blocks[first_near][0] : blocks[last_near][1]]
    if is_code and exact:
        passage = textwrap.dedent(span_text)
    elif by_line or words(quote) not in words(span_text):
        passage = fold(span_text)
    else:
        passage = words(span_text)
    return _cut_around_quote(passage, quote), start, end


_MIN_CONTEXT_WORDS = 8
"""Number of words besides the quote with which a paragraph is shown without its neighbours."""


def _span_without_marks(
    wanted: str, text: str, blocks: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """Return the span of the fewest blocks whose visible text contains the quote.

    Its marks of Markdown are left out. The span is empty if there is none.
    """
    if not wanted or not _is_visible(wanted, text):
        return 0, 0
    for further in range(MAX_BLOCKS):
        for (start, _), (_, end) in zip(blocks, blocks[further:], strict=False):
            if _is_visible(wanted, text[start:end]):
                return start, end
    return 0, 0


def _is_visible(wanted: str, markdown: str) -> bool:
    """Return whether folded words are in the visible text of Markdown, or between its markup."""
    if wanted in words(markdown):
        return True
    return wanted in fold(strip_escapes(strip_markup_lines(markdown)))


def split_at(quote: str, passage: str) -> tuple[str, str, str]:
    """Return the passage before the quote, the quote as it is there, and the rest.

    All is rest if it is not there.
    """
    forms = (quote, words(quote) or quote)
    match = re.search("|".join(map(_pattern_of_words, forms)), passage)
    start, end = match.span() if match else (0, 0)
    return passage[:start], passage[start:end], passage[end:]


def find_spans(quote: str, text: str) -> list[tuple[int, int]]:
    """Return where a text has a quote; white space may differ, an empty quote is nowhere."""
    pattern = _pattern_of_words(quote)
    return [match.span() for match in re.finditer(pattern, text)] if pattern else []


def _pattern_of_words(quote: str) -> str:
    """Return a pattern for the words of a quote, with any blanks between them."""
    return r"\s+".join(map(re.escape, quote.split()))


def _paragraph_spans(text: str, *, by_line: bool) -> Iterator[tuple[int, int]]:
    """Yield the spans of lines, or of lines between blank ones."""
    at = first = 0
    for line in [*text.split("\n"), ""]:
        is_blank = not line.strip()
        next_line = at + len(line) + 1
        if is_blank or by_line:
            if text[first:at].strip():
                yield first, at - 1
            first = next_line if is_blank else at
        at = next_line


def _cut_around_quote(passage: str, quote: str) -> str:
    """Return the part of the passage around the quote: at most `MAX_PASSAGE_WORDS` words.

    It has at most `MAX_PASSAGE_CHARS` characters, too.
    """
    tokens = [token.span() for token in re.finditer(r"\S+", passage)]
    opening, _, closing = split_at(quote, passage)
    words_before, words_behind = len(opening.split()), len(closing.split())
    quoted = len(tokens) - words_before - words_behind
    quote_end = words_before + max(quoted, 1)
    room = max(0, MAX_PASSAGE_WORDS - quoted)
    # Half of the room is before the quote, and more if less is needed behind it.
    start = words_before - min(words_before, max(room // 2, room - words_behind))
    end = min(len(tokens), start + MAX_PASSAGE_WORDS)
    while tokens[end - 1][1] - tokens[start][0] > MAX_PASSAGE_CHARS:
        chars_before = tokens[words_before][0] - tokens[start][0]
        chars_behind = tokens[end - 1][1] - tokens[quote_end - 1][1]
        if chars_before >= chars_behind and start < words_before:
            start += 1
        elif end > quote_end:
            end -= 1
        else:
            break  # the quote alone is longer
    excerpt = passage[tokens[start][0] : tokens[end - 1][1]]
    opened = f"… {excerpt}" if start else excerpt
    return f"{opened} …" if end < len(tokens) else opened


# --- text fragments -------------------------------------------------------------------------------

MAX_WHOLE_CHARS = 240
"""Maximum length in characters of a quote that a fragment contains whole; of longer ones, first and
last words."""
_END_WORDS = 6
"""Number of first and last words."""
_NO_FRAGMENTS = re.compile(
    r"https?://(?:(?:dx\.|www\.)?doi\.org/|[^?#]*[./]pdf(?=[/?#]|$))", re.IGNORECASE
)


def has_fragments(url: str) -> bool:
    """Return whether a browser can find words at a web address.

    It finds none in a PDF, nor through the resolver of DOIs.
    """
    return is_web(url) and not _NO_FRAGMENTS.match(url)


def directive_of(words: str) -> str:
    """Return the text directive of quoted words, percent-encoded as in a URL.

    It is ``start`` or ``start,end``. Browsers find no words across the lines of code.
    """
    lines = [fold(line).split(" ") for line in words.strip().split("\n")]
    fits_fragment = len(lines) == 1 and (
        len(words) <= MAX_WHOLE_CHARS or len(lines[0]) <= 2 * _END_WORDS
    )
    pieces = (
        [fold(words)]
        if fits_fragment
        else [" ".join(lines[0][:_END_WORDS]), " ".join(lines[-1][-_END_WORDS:])]
    )
    return ",".join(quote(piece, safe="").replace("-", "%2D") for piece in pieces)


def fragment_link(url: str, directive: str) -> str:
    """Return `url` with a text fragment; its own fragment applies if the words are not found."""
    address, _, fragment = url.partition("#")
    return f"{address}#{fragment.partition(':~:')[0]}:~:text={directive}"
