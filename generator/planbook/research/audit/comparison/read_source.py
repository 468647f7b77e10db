"""The text of a source, prepared for comparisons with many claims. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from planbook.citations.quotes import Readings, contains_quote, fold
from planbook.markdown.words import FUNCTION_WORDS, stem
from planbook.research.audit.claims.local_citations import split_place
from planbook.research.audit.comparison.changed_figures import (
    Statements,
)
from planbook.research.audit.comparison.listed_counts import counts_in
from planbook.research.audit.comparison.near_wording import NearWords, WordText
from planbook.research.drafts import Excerpt
from planbook.research.proof.sentences import (
    LetterText,
    Quotation,
    TextWords,
    letters_of,
)
from planbook.research.web.model import Fetched

_ELISION = re.compile(
    r"(?:(?<!\s)\s+)?"
    r"(?:\[\s?(?:…|\.{3})\s?\]|…|\.{3}|(?:(?<!\w)\w+)?\[[^\W\d_][^\[\]]{0,59}\]\w*)\s*"
)
"""Words left out of a quote, or an editor's words in it: ``consider[s] [an identifier] an
alias``."""
_SIMILAR_WORDS = 0.6
"""Share of the claim's words in a paragraph that may say it in other words."""
_SHORTENED = 3
"""Letters that a shortened word of an identifier has, at least."""
_HASH = re.compile(r"\b(?=[\w-]*\d)[0-9a-fA-F][0-9a-fA-F-]{15,}\b")
"""A hash, whose digits are no figures."""
_DECADE = re.compile(r"(?P<century>\d\d)?(?P<years>\d0)s")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|title:\s")
"""A heading, or the title in the front matter."""
_LONGEST_HEADING = 16
"""Words of a heading, at most."""
_WITH_HEADINGS = frozenset({"text/markdown", "text/html"})
_CUT = re.compile(
    r"(?:\u2026|\.{3}|\[\+?\d+ (?:more )?(?:chars?|characters|words|lines)\]"
    r"|(?i:read more|continue reading|show more|subscribe to (?:read|continue)|sign in to))\W*$"
)
_TAIL = 400
"""Characters at the end of a text that say that it goes on."""
_CUT_WITHIN = re.compile(
    r"[\[(<](?:\.{3} ?)?(?:content|text|output|transcript|article|rest)?\s?(?:was )?truncated\b"
    r"|\btruncated (?:at|after|to) \d",
    re.IGNORECASE,
)
_UNDIVIDED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{2}")
_TERMS, _FEWEST_TERMS = 0.5, 4
"""Share of the words of a claim that a text about the same has somewhere, and how many it takes."""
_PROSE = frozenset({"", ".md", ".markdown", ".html", ".htm", ".pdf", ".txt", ".rst"})
_BETWEEN_STRINGS = re.compile(r"(?P<mark>[\"'`])(?:\s*\+\s*|\s+)[fFrRbBuU]{0,2}(?P=mark)")
"""The place between two strings of a program that are one text: ``"Steep " f"the leaf"``."""
_MARKS = re.compile(
    r"\s?\[\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3}){0,8}\](?!\()"
    r"|\[\[(?:[^\[\]|\n]{0,200}/)?(?P<label>[^\[\]|/\n]{1,200})\]\]"
)
"""A citation in a source, which a quote of it leaves out (``[12]``), and a link to a page, of which
it has the name: ``[[notes/kettle]]``."""
_TARGET = re.compile(r"\]\(<?[^()\s<>]{1,1000}>?\)")
"""The target of a link, whose words nobody sees."""
YEAR = re.compile(r"(?:19|20)\d\d")
"""A year, which a source may write as ``'24``."""
_COUNTED_TIME = re.compile(
    r"(?P<number>\d+)[\s-](?P<unit>day|week|month|year|hour|minute)s?", re.IGNORECASE
)

Ranked = Sequence[tuple[Quotation, float]]
"""The excerpts that are closest to a claim, best first, each with the share of its words."""
Closest = Callable[[Sequence[Excerpt], Sequence[str]], Sequence[Ranked]]
"""Ranks the excerpts of the same sources for several claims at once."""


@dataclass
class ReadSource:
    """A source's text, prepared for comparisons."""

    fetched: Fetched
    excerpts: Sequence[Excerpt]
    url: str = ""
    """Its address or path as it is cited."""
    place: str = ""
    """The path of a file, with its lines if it is cited with these."""
    whole: str = ""
    """The whole file, if only lines of it are cited."""
    texts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        fetched = self.fetched
        is_path = self.path == fetched.title
        title = "" if is_path else fold(fetched.title or "")
        texts = (*Readings(fetched.visible, fetched.text), title)
        unmarked = _MARKS.sub(lambda mark: mark["label"] or "", fetched.text)
        if unmarked != fetched.text:
            texts = (*texts, fold(unmarked))
        joined = "" if self._is_prose else _BETWEEN_STRINGS.sub("", fetched.text)
        is_joined = joined not in {"", fetched.text}
        self.texts = (*texts, fold(joined)) if is_joined else texts

    @property
    def _is_prose(self) -> bool:
        """True if it is no program."""
        return PurePosixPath(self.path).suffix.lower() in _PROSE

    @property
    def path(self) -> str:
        """Its path without lines."""
        return split_place(self.place)[0]

    @property
    def file(self) -> str:
        """Its path in its repository, its path, or its address, without lines."""
        origin = self.fetched.origin
        return origin.path if origin else split_place(self.url)[0]

    def lines_of(self, quote: str) -> str:
        """Return where a quote is in the file, if only other lines are cited; else empty.

        It is a text such as ``line 34``.
        """
        lines = self._whole_letters.lines_of_words(quote) if self.whole else None
        return _describe_lines(lines) if lines else ""

    def lines_beside(self, words: str) -> str:
        """Return where words of the file are if only other lines are cited; else empty."""
        lines = self.lines_of(words)
        return lines if lines and not self._overlaps_lines(words) else ""

    def has_quote(self, quote: str) -> bool:
        """Return whether the source has a quote, which may leave out words with an ellipsis."""
        if contains_quote(quote, self.texts):  # also one with the marks of Markdown
            return True
        if self.whole and self._overlaps_lines(quote):
            return True
        parts = [part for part in _ELISION.split(quote) if part.strip(" ,.;")]
        return bool(parts) and all(
            any(text.find_words(part) for text in self._letter_texts) for part in parts
        )

    def _overlaps_lines(self, quote: str) -> bool:
        """Return whether a quote begins or ends in the cited lines."""
        cited = split_place(self.place)[1]
        quoted = self._whole_letters.lines_of_words(quote)
        if cited is None or quoted is None:
            return False
        return quoted[0] <= cited[1] and cited[0] <= quoted[1]

    def only_names(self, sentence: str) -> bool:
        """Return whether a Markdown text has a sentence as a title or heading, and nowhere else."""
        is_short = len(sentence.split()) <= _LONGEST_HEADING
        if not is_short or self.fetched.media_type not in _WITH_HEADINGS:
            return False
        wanted = letters_of(sentence)
        headings, rest = self._letters_by_heading
        return wanted in headings and wanted not in rest

    @cached_property
    def _letters_by_heading(self) -> tuple[str, str]:
        """The letters and digits of its headings, and those of all else."""
        lines = _TARGET.sub("]", self.whole or self.fetched.text).split("\n")
        headings = [line for line in lines if _HEADING.match(line)]
        rest = [line for line in lines if not _HEADING.match(line)]
        return letters_of("\n".join(headings)), letters_of("\n".join(rest))

    @property
    def is_pdf(self) -> bool:
        """True if its text has the cells of a table one after the other."""
        return self.fetched.media_type == "application/pdf"

    @cached_property
    def gap(self) -> str:
        """Return why a part of the text may be missing; empty if it was read whole."""
        fetched = self.fetched
        text = self.whole or fetched.text
        if self.is_pdf:
            return "the text of a PDF may lack columns, tables and pictures"
        if fetched.doubt:
            return f"the page may lack text: {fetched.doubt}"
        if _CUT.search(text[-_TAIL:]) or _CUT_WITHIN.search(text):
            return "its text seems to be cut"
        return ""

    def has_terms(self, sentence: str) -> bool:
        """Return whether a text has most words with a meaning of a sentence, wherever they are.

        Words of scripts without blanks are not told apart, and are not compared.
        """
        if _UNDIVIDED.search(sentence):
            return True
        terms = content_words(sentence)
        return len(terms) < _FEWEST_TERMS or len(terms & self._terms) >= _TERMS * len(terms)

    @cached_property
    def _terms(self) -> frozenset[str]:
        return content_words(f"{self.whole or self.fetched.text} {self.fetched.visible}")

    def has_digits(self, number: str) -> bool:
        """Return whether the text has the digits of a number in another form.

        Such forms are ``main-1-31`` and ``v1.31.0`` for ``1.31``, or without its unit.
        """
        digits = re.search(r"\d+(?:[.,]\d+)*", number)
        if digits is None:
            return False
        form = re.sub(r"\\?[.,]", "[-._,\u00b7]?", digits[0])
        text = _HASH.sub(" ", self.fetched.text)
        short_year = rf"|['\u2019]{number[2:]}(?!\d)" if YEAR.fullmatch(number) else ""
        return bool(re.search(rf"(?<!\d){form}(?!\d){short_year}", text))

    def has_numbered(self, figure: str) -> bool:
        """Return whether the text numbers what a figure counts: ``day 30`` of *30 days*."""
        parts = _COUNTED_TIME.fullmatch(figure)
        if parts is None:
            return False
        numbered = rf"\b{parts['unit']}s?\s{parts['number']}\b"
        return bool(re.search(numbered, self.fetched.text, re.IGNORECASE))

    def has_decade(self, written: str) -> bool:
        """Return whether the text has the years of a decade: ``the 70s`` for 1970s."""
        decade = _DECADE.fullmatch(written)
        if decade is None:
            return False
        years = rf"(?<!\d)(?:{decade['century']})?{decade['years']}['\u2019]?s\b"
        return bool(re.search(years, self.fetched.text))

    def nearest(self, quote: str) -> NearWords:
        """Return the words that are nearest to a quote, in the whole file."""
        return self._word_text.nearest(quote)

    def condensed(self, quote: str) -> str:
        """Return the words of one place in the file that a quote condenses; empty if none."""
        return self._word_text.condensed(quote)

    def has_similar(self, sentence: str) -> bool:
        """Return whether a paragraph has most words with a meaning of a sentence."""
        stems = content_words(sentence)
        return any(len(stems & words) >= _SIMILAR_WORDS * len(stems) for words in self._paragraphs)

    @cached_property
    def _paragraphs(self) -> tuple[frozenset[str], ...]:
        paragraphs = re.split(r"\n\s*\n", self.whole or self.fetched.text)
        return tuple(content_words(paragraph) for paragraph in paragraphs)

    def has_interrupted(self, quote: str) -> bool:
        """Return whether the words of a quote are there in their order, divided by many others."""
        return self._word_text.has_interrupted(quote)

    def has_short_form(self, name: str) -> bool:
        """Return whether the text has an identifier in a shorter form.

        ``appContext`` and ``app_context`` may be an ``ApplicationContext``.
        """
        parts = _parts_of(name)
        return len(parts) > 1 and any(
            _is_short_form(identifier, parts) for identifier in self._identifiers
        )

    @cached_property
    def _word_text(self) -> WordText:
        text = self.whole or self.fetched.visible or self.fetched.text
        return WordText(_TARGET.sub("]", text))

    @cached_property
    def _identifiers(self) -> tuple[tuple[str, ...], ...]:
        """The parts of each identifier of the text that has several."""
        words = dict.fromkeys(re.findall(r"\b[A-Za-z_]\w+", self.whole or self.fetched.text))
        return tuple(parts for word in words if len(parts := _parts_of(word)) > 1)

    @cached_property
    def _letter_texts(self) -> tuple[LetterText, ...]:
        return tuple(LetterText(text) for text in dict.fromkeys(self.texts))

    @cached_property
    def _whole_letters(self) -> LetterText:
        return LetterText(_TARGET.sub("]", self.whole))

    @cached_property
    def words(self) -> TextWords:
        """The numbers and names of the whole text, its title and its address."""
        fetched = self.fetched
        texts = (fetched.title or "", self.place, fetched.url)
        return TextWords([fetched.visible, fetched.text, self.whole, *texts])

    @cached_property
    def statements(self) -> Statements:
        """The sentences of the cited text that have a figure."""
        return Statements(self.fetched.text)

    @cached_property
    def counts(self) -> frozenset[int]:
        """The numbers of rows, items and headings of its tables, lists and sections."""
        return counts_in(self.whole or self.fetched.text)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the whole file, if only some are cited."""
        return tuple(self.whole.split("\n")) if self.whole else ()


def _parts_of(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case: ``app`` and ``context``."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return tuple(word.lower() for word in words)


def _is_short_form(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Return whether each word of an identifier is the other's, or the beginning of it."""
    pairs = tuple(zip(short, long, strict=False))
    return len(short) == len(long) and all(
        part == whole or (len(part) >= _SHORTENED and whole.startswith(part))
        for part, whole in pairs
    )


def _describe_lines(span: tuple[int, int]) -> str:
    first, last = span
    return f"line {first}" if first == last else f"lines {first} to {last}"


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry meaning, without its figures."""
    words = (word.casefold() for word in re.findall(r"[^\W\d_]{2,}", text))
    return frozenset(stem(word) for word in words if word not in FUNCTION_WORDS)
