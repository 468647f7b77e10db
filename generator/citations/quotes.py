"""Quotes: find the exact words in a source, and link to them with text fragments (``#:~:text=the%20exact%20words``).

Fragments are written and resolved as browsers do: https://wicg.github.io/scroll-to-text-fragment/#syntax and, on that
page, "Finding Ranges in a Document". A browser takes the first match at word boundaries, ignoring case and accents; no
part of a directive may span two blocks of the page.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from urllib.parse import quote, unquote

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
ENDS = (6, 12, 24)
"""Numbers of first and last words to try."""
CONTEXT = (2, 4, 8, 16)
"""Numbers of context words to try until the match is unique."""

_QUOTATION_MARKS = dict.fromkeys("\u201c\u201d\u201e\u201f", '"') | dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
"""Characters that browsers treat as equal."""

_NO_FRAGMENTS = re.compile(r"https?://(?:(?:dx\.|www\.)?doi\.org/|[^?#]*[./]pdf(?=[/?#]|$))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Directive:
    """A text directive: a text, or a range from `start` to `end`; next to it `prefix` and `suffix`, if not empty."""

    start: str
    end: str = ""
    prefix: str = ""
    suffix: str = ""

    def __str__(self) -> str:
        """Return ``[prefix-,]start[,end][,-suffix]``, percent-encoded, as in a URL."""
        prefix, start, end, suffix = map(_encoded, (self.prefix, self.start, self.end, self.suffix))
        pieces = (f"{prefix}-" if prefix else "", start, end, f"-{suffix}" if suffix else "")
        return ",".join(piece for piece in pieces if piece)


@dataclass(frozen=True)
class SourceText:
    """A source's text, prepared for searching."""

    visible: str
    """The visible text, with line breaks at least at block boundaries."""

    @cached_property
    def _lines(self) -> list[str]:
        return [line for line in map(fold, self.visible.split("\n")) if line]

    @cached_property
    def text(self) -> str:
        """Return the folded text."""
        return " ".join(self._lines)

    @cached_property
    def plain(self) -> str:
        """Return `text` as browsers compare it; every character keeps its offset."""
        return _plain(self.text)

    @cached_property
    def breaks(self) -> list[int]:
        """Return the offsets in `text` of spaces that replace line ends, in order."""
        ends, at = [], -1
        for line in self._lines:
            at += len(line) + 1
            ends.append(at)
        return ends

    def line_at(self, at: int) -> tuple[int, int]:
        """Return the span of the line with the character at `at`."""
        n = bisect_left(self.breaks, at)
        end = self.breaks[n] if n < len(self.breaks) else len(self.text)
        return (self.breaks[n - 1] + 1 if n else 0), end


def has_fragments(url: str) -> bool:
    """Return whether a browser can find words at a web address: not in a PDF, nor through the resolver of DOIs."""
    return is_web(url) and not _NO_FRAGMENTS.match(url)


def parse_directive(written: str) -> Directive | None:
    """Return the directive in ``[prefix-,]start[,end][,-suffix]``; ``None`` if it has no words."""
    pieces = written.split(",")
    prefix = pieces.pop(0)[:-1] if len(pieces) > 1 and pieces[0].endswith("-") else ""
    suffix = pieces.pop()[1:] if len(pieces) > 1 and pieces[-1].startswith("-") else ""
    prefix, start, end, suffix = (fold(unquote(p)) for p in (prefix, pieces[0], ",".join(pieces[1:]), suffix))
    return Directive(start, end, prefix, suffix) if start else None


def fragment_link(url: str, directive: Directive) -> str:
    """Return `url` with a text fragment; its own fragment applies if the words are not found."""
    address, _, fragment = url.partition("#")
    return f"{address}#{fragment.partition(':~:')[0]}:~:text={directive}"


def directive_of(words: str) -> Directive:
    """Return a directive made of the quoted words alone."""
    text = fold(words)
    tokens = text.split(" ")
    if len(text) <= LONGEST or len(tokens) <= 2 * ENDS[0]:
        return Directive(text)
    return Directive(" ".join(tokens[: ENDS[0]]), " ".join(tokens[-ENDS[0] :]))


def directive_to(words: str, source: SourceText) -> Directive | None:
    """Return the shortest directive to the first place with the quoted words in the source, and to no other place.

    If no context makes it unique, its first match is the right one. ``None`` if the words are not in the source.
    """
    at = source.text.find(fold(words))
    if at < 0 or not words.strip():
        return None
    target = _whole_words(source.text, at, at + len(fold(words)))
    first = None
    for candidate in _candidates(source, *target):
        found = tuple(islice(places(candidate, source), 2))
        if found == (target,):
            return candidate
        first = first or (candidate if found[:1] == (target,) else None)
    return first


def leads_to(directive: Directive, words: str, source: SourceText) -> bool:
    """Return whether it matches the quoted words and nothing else, for any assignment of lines to blocks."""
    found = tuple(islice(places(directive, source), 2))
    if len(found) != 1 or fold(words) not in source.text[slice(*found[0])]:
        return False
    start, end = found[0]
    opening, closing = start + len(directive.start), end - len(directive.end or directive.start)
    return opening <= source.line_at(start)[1] and closing >= source.line_at(end - 1)[0]


def places(directive: Directive, source: SourceText) -> Iterator[tuple[int, int]]:
    """Yield the spans in the source's text that the directive matches; a browser takes the first."""
    start, end, prefix, suffix = map(_plain, (directive.start, directive.end, directive.prefix, directive.suffix))
    opening = _bounded(prefix, start, "" if end else suffix, group=1)
    closing = _bounded(end, suffix, group=0)
    at = 0
    while match := opening.search(source.plain, at):
        at = match.start() + 1
        last = closing.search(source.plain, match.end(1)) if end else match
        if last is None:
            return
        yield match.start(1), last.end(1)


def _encoded(words: str) -> str:
    return quote(words, safe="").replace("-", "%2D")


def _plain(text: str) -> str:
    """Return `text` without case and accents, with one kind of quotation marks, character for character."""
    return text.translate({ord(char): _plain_char(char) for char in set(text)})


def _plain_char(char: str) -> str:
    if char in _QUOTATION_MARKS:
        return _QUOTATION_MARKS[char]
    pieces = unicodedata.normalize("NFD", char)
    letter = pieces[0] if all(map(unicodedata.combining, pieces[1:])) else char
    lower = letter.lower()
    return lower if len(lower) == 1 else letter


def _bounded(*pieces: str, group: int) -> re.Pattern[str]:
    """Return a pattern for the pieces in sequence at word boundaries, with `group` as its group."""
    written = [re.escape(piece) for piece in pieces]
    written[group] = f"({written[group]})"
    words = " ?".join(piece for piece in written if piece)
    plain = "".join(pieces)
    before = r"(?<!\w)" if re.match(r"\w", plain) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", plain) else ""
    return re.compile(f"{before}{words}{after}")


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span extended to whole words."""
    while start > 0 and _is_within_a_word(text, start):
        start -= 1
    while end < len(text) and _is_within_a_word(text, end):
        end += 1
    return start, end


def _is_within_a_word(text: str, at: int) -> bool:
    return bool(re.match(r"\w\w", text[at - 1 : at + 1]))


def _candidates(source: SourceText, start: int, end: int) -> Iterator[Directive]:
    """Yield directives to a span of the source's text: alone first, then with more and more context."""
    bodies = list(_bodies(source, start, end))
    yield from bodies
    for n in CONTEXT:
        prefix, suffix = _before(source, start, n), _behind(source, end, n)
        for body in bodies:
            yield from (replace(body, prefix=prefix), replace(body, suffix=suffix))
            yield replace(body, prefix=prefix, suffix=suffix)


def _bodies(source: SourceText, start: int, end: int) -> Iterator[Directive]:
    """Yield the whole span if it is short and within one line; else its ends, each within a line."""
    text = source.text
    first, last = text[start : min(source.line_at(start)[1], end)], text[max(source.line_at(end - 1)[0], start) : end]
    is_one_line = len(first) == end - start
    if not is_one_line or end - start > LONGEST:
        opening, closing = first.split(" "), last.split(" ")
        for n in ENDS:
            if not is_one_line or 2 * n <= len(opening):
                yield Directive(" ".join(opening[:n]), " ".join(closing[-n:]))
    if is_one_line:
        yield Directive(first)


def _before(source: SourceText, start: int, n: int) -> str:
    """Return the last `n` words before `start`, of one line."""
    end = len(source.text[:start].rstrip(" "))
    line = source.text[source.line_at(end - 1)[0] : end] if end else ""
    return " ".join(line.split(" ")[-n:])


def _behind(source: SourceText, end: int, n: int) -> str:
    """Return the first `n` words from `end` on, of one line."""
    start = end + source.text[end : end + 1].count(" ")
    return " ".join(source.text[start : source.line_at(start)[1]].split(" ")[:n]) if start < len(source.text) else ""
