"""The quotes of a sentence in its sources, and the numbers and names that they lack. Pure.

A program can compare quotes, numbers and names. Only a reader can tell whether the quotes support
the sentence: see `planbook.research.writers.judge`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import unescape

from planbook.citations.quotes import fold
from planbook.markdown.words import FUNCTION_WORDS
from planbook.research.proof.quantities import (
    UNITS,
    Quantity,
    QuantityIndex,
    missing_quantities,
    read_quantities,
)

MAX_QUOTES = 3
MIN_WORDS, MIN_CHARS = 3, 12
"""Minimum size of a quote: nearly every text contains shorter ones."""

_TYPED_CHARACTERS = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    "\u2026": "...",
    "\u2044": "/",
    "\u00b5": "\u03bc",
}
"""Typographic characters, with the ones that are typed for them."""
_TYPED_TABLE = str.maketrans(_TYPED_CHARACTERS)
_MARKS_BEFORE = re.compile(r"(?<![-/.$#@%&*+_~<\\])[-/.$#@%&*+_~<\\]*$")
"""Marks next to the first letter of a quote that belong to its words: ``--option``."""
_MARKS_AFTER = re.compile(r"(?:\.{0,3}[)/_+%$#\]>*])*")
"""Marks next to its last letter that do: ``f(x)``, ``orders.>``."""

_CODE = re.compile(r"(`{1,9})(?P<code>.{1,2000}?)\1")
_EDGES = "\"'()[]{}<>,;:!?.*_"
_NAME_EDGES = _EDGES.replace("_", "")
"""Signs around a name; an underscore is part of it, as the marks of emphasis are gone."""
_STOP = re.compile(r"[.!?:]['\")\]]*$")
_IDENTIFIER = re.compile(
    r"""
    --?\w.* | /.+ | \.\w.* | ~.+             # options, paths, names of hidden files
    | .*\w(?:[_@\#$=\\] | :: | -> | \(\)).*  # snake_case, a::b, a->b, f()
    | .*\w\.\w.* | .*/.*[./\d].* | .*\+\+     # a.b, a/b.c, C++
    | .*[a-z\d][A-Z].* | [A-Z][A-Z\d+/-]+s?   # camelCase, SQL
    """,
    re.VERBOSE,
)
_OPTION_OR_VARIABLE = re.compile(r"--?[^\W\d].*|[A-Z][A-Z\d]*_[A-Z\d_]*")
"""An option, or a variable of the environment: ``-h``, ``--keep``, ``KILN_HEAT``."""
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc", "vs", "a.m", "p.m", "and/or"})
_ORDINAL_IN_DIGITS = re.compile(r"\d+(?:st|nd|rd|th)")
_DIGITS = re.compile(r"[vV]?[\d.,_]+%?")
"""A number as a whole word."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Exact words of a source, with what a reader of the source sees around them."""

    words: str
    heading: str = ""
    """The headings above them, outermost first, joined by ``>``."""
    term: str = ""
    """The term of the definition that they are from, such as an option."""
    title: str = ""
    """The source's title."""
    path: str = ""
    """The source's address or path."""
    issued: str = ""
    """The day, month or year of the source, as the page's reference has it: ``20 August 2026``."""
    prefixed: str = ""
    """Its names behind a prefix that their section states once: ``All begin with `kiln_```."""

    elsewhere: str = ""
    """The headings and terms above the other places of the same words in the source."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that may have a number or name of the sentence."""
        beside_words = (
            self.heading,
            self.term,
            self.title,
            self.path,
            self.issued,
            self.prefixed,
            self.elsewhere,
        )
        return (self.words, *beside_words)


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence with its quotes."""

    text: str
    quotes: tuple[Quotation, ...]

    @property
    def content(self) -> dict[str, object]:
        """The sentence and its quotes, as the judge sees them."""
        quotes = [
            {
                "heading": quote.heading,
                "term": quote.term,
                "title": f"{quote.title} ({quote.issued})" if quote.issued else quote.title,
                "quote": quote.words,
            }
            for quote in self.quotes
        ]
        return {"sentence": self.text, "quotes": quotes}

    @property
    def id(self) -> str:
        """An id that no content can know."""
        content = json.dumps(self.content, sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:10]


Judge = Callable[[Sequence[CitedSentence]], Mapping[CitedSentence, str]]
"""Returns why each sentence is not supported by its quotes; empty if it is. Raises `Unwritten`."""


NOT_IN_QUOTES = "not in its quotes"
"""The end of the fault of a sentence that has more than its quotes."""
_MARKED_QUOTE = re.compile(r"“([^“”]+)”")


def words_in_message(message: str) -> tuple[str, ...]:
    """Return the words that a message quotes: the sentence, and what its quotes lack."""
    return tuple(_MARKED_QUOTE.findall(message))


# --- quotes ---------------------------------------------------------------------------------------


def find_words(quote: str, text: str) -> str | None:
    """Return the whole words of a text that have the letters and digits of a quote.

    Quotes are repeated with other marks and spaces. The words returned are those of the text.

    Args:
        quote: the words to find.
        text: a folded text.
    """
    return LetterText(text).find_words(quote)


def lines_of_words(quote: str, text: str) -> tuple[int, int] | None:
    """Return the first and last line of a text that have the letters and digits of a quote.

    Lines are 1-based.
    """
    return LetterText(text).lines_of_words(quote)


class LetterText:
    """A text in which the words of many quotes are found by their letters and digits."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters = letters_of(text)

    def find_words(self, quote: str) -> str | None:
        """Return the whole words of the text that a quote repeats; see `find_words`."""
        text = self.text
        for start, end in self._spans(fold(quote)):
            if not _is_within_word(text, start) and not _is_within_word(text, end):
                before = _MARKS_BEFORE.search(text[:start])
                after = _MARKS_AFTER.match(text, end)
                first = before.start() if before else start
                last = after.end() if after else end
                return text[first:last]
        return None

    def lines_of_words(self, quote: str) -> tuple[int, int] | None:
        """Return the first and last line of the text that a quote repeats, 1-based."""
        span = next(self._spans(quote), None)
        if span is None:
            return None
        start, end = span
        return self.text.count("\n", 0, start) + 1, self.text.count("\n", 0, end - 1) + 1

    def _spans(self, quote: str) -> Iterator[tuple[int, int]]:
        """Yield the spans with the letters and digits of a quote, whatever is between them."""
        wanted = letters_of(quote)
        at = self._letters.find(wanted) if wanted else -1
        while at >= 0:
            yield self._offsets[at], self._offsets[at + len(wanted) - 1] + 1
            at = self._letters.find(wanted, at + 1)

    @cached_property
    def _offsets(self) -> Sequence[int]:
        """The offset of each of its letters and digits in the text."""
        letters = ((offset, char) for offset, char in enumerate(self.text) if char.isalnum())
        # One letter may become two: ``ß``.
        return [offset for offset, char in letters for _ in char.casefold()]


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, without case."""
    return "".join(filter(str.isalnum, text)).casefold()


def _is_within_word(text: str, at: int) -> bool:
    """Return whether letters or digits stand on both sides of an offset."""
    return text[at - 1 : at].isalnum() and text[at : at + 1].isalnum()


# --- numbers and names ----------------------------------------------------------------------------


def find_fault(
    sentence: str, quotes: Sequence[Quotation], point: str = "", most: int = MAX_QUOTES
) -> str:
    """Return why the quotes cannot say all of a sentence; empty if they may be.

    A number, unit, version, option, path, identifier or name of the sentence must be in a quote, in
    its heading, term, title, date or address, or in the `point` that the sentence is about. It
    may have so many quotes as `most`.
    """
    for quote in quotes:
        if is_too_short(quote.words):
            return f"the quote “{quote.words}” is too short"
    texts = [text for quote in quotes for text in quote.texts]
    missing = find_missing(sentence, [point, *texts]) if quotes else ()
    if missing:
        words_in_marks = ", ".join(f"“{word}”" for word in missing)
        verb = "is" if len(missing) == 1 else "are"
        return f"{words_in_marks} {verb} {NOT_IN_QUOTES}"
    if not 1 <= len(quotes) <= most:
        return f"it has {len(quotes)} quotes; give one to {most}"
    return ""


def is_too_short(quote: str) -> bool:
    """Return whether a quote has so few words and characters that nearly every text contains it."""
    return len(quote.split()) < MIN_WORDS and len(quote) < MIN_CHARS


def find_missing(sentence: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the code, numbers and names of a sentence that none of `texts` has.

    Numbers are given with their units.
    """
    return find_missing_words(sentence, TextWords(texts)).every


@dataclass(frozen=True, slots=True)
class MissingWords:
    """The words of a sentence that some texts do not have, by what they are."""

    code: tuple[str, ...]
    quantities: tuple[str, ...]
    """Numbers, with their units."""
    names: tuple[str, ...]
    """Identifiers, and capitalized words."""

    @property
    def every(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys((*self.code, *self.quantities, *self.names)))


def find_missing_words(sentence: str, index: TextWords) -> MissingWords:
    """Return the words of a sentence that the texts of an index do not have."""
    wanted = _words_to_find(sentence)
    # A command and its option may be in two quotes.
    pieces = [piece for span in wanted.code if not index.has_code(span) for piece in span.split()]
    return MissingWords(
        code=tuple(
            piece
            for piece in pieces
            if not index.has_code(piece) and not _has_quantity(index, piece)
        ),
        quantities=tuple(missing_quantities(wanted.quantities, index.quantities)),
        names=tuple(name for name in wanted.names if not index.has_name(name)),
    )


@dataclass(frozen=True, slots=True)
class _WordsToFind:
    """The words of a sentence that texts must have, by what they are."""

    code: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    names: tuple[str, ...]


# A sentence is compared with each part of the passages that it cites.
@lru_cache(maxsize=2_048)
def _words_to_find(sentence: str) -> _WordsToFind:
    prose = _to_typed_characters(_CODE.sub(" \u25a1 ", sentence))
    return _WordsToFind(
        code=tuple(match["code"].strip() for match in _CODE.finditer(sentence)),
        quantities=tuple(read_quantities(prose)),
        names=tuple(_names_in_prose(prose)),
    )


def _has_quantity(index: TextWords, code: str) -> bool:
    """Return whether a text has a figure that stands in code, in another unit: ``0.2s``, 200 ms."""
    quantities = list(read_quantities(code))
    is_one_quantity = len(quantities) == 1 and quantities[0].written == code
    if not is_one_quantity or not quantities[0].dimension:
        return False
    return not tuple(missing_quantities(quantities, index.quantities))


def is_identifier(name: str) -> bool:
    """Return whether a word is an option, path or identifier.

    Others are names of people or things.
    """
    return bool(_IDENTIFIER.fullmatch(name))


_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)([^*_\n]{1,80})(?<=\S)\1(?![\w*])")
"""Words in emphasis: ``**Kiln**``, ``_Kiln_``. The marks are no part of a name."""
_MIN_CODE_CHARS = 6
"""Letters and signs of code that is compared without its blanks."""


def strip_space(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]\w{1,30});")
"""A character that Markdown and HTML write by its name or number: ``&frasl;``."""
_RAISED_TAG = re.compile(r"</?su[bp]>")
_ESCAPED_SIGN = re.compile(r"\\([_*~.#+()<>\[\]-])")
"""A sign that Markdown has behind a backslash: ``top\\_p``."""


class TextWords:
    """The texts that may have a number or a name."""

    def __init__(self, texts: Iterable[str]) -> None:
        joined = "\n".join(texts)
        # A fraction is set as <sup>1</sup>&frasl;<sub>3</sub>.
        decoded = [unescape(_RAISED_TAG.sub("", joined))] if _ENTITY.search(joined) else []
        unescaped = [_ESCAPED_SIGN.sub(r"\1", joined)] if "\\" in joined else []
        decoded_forms = (*_labels_in_roles(joined), *decoded, *unescaped)
        plain = _to_typed_characters("\n".join([joined, *decoded_forms])).replace("`", "")
        self._text = fold(plain)
        self._in_case = fold(_EMPHASIS.sub(r"\2", plain))
        self._folded = self._in_case.casefold()
        self._squeezed = strip_space(self._text)
        self.quantities = QuantityIndex(self._text)

    def has_code(self, code: str) -> bool:
        """Return whether a text has the code verbatim, as a whole word."""
        wanted = fold(_to_typed_characters(code)).removesuffix("()")
        if not wanted.strip(_EDGES):
            return True
        first, last = wanted[0], wanted[-1]
        # An option may be named without its dashes.
        before = r"(?<![\w-])(?:--?)?" if first.isalnum() or first in "-_" else ""
        after = r"(?!\w)" if last.isalnum() or last == "_" else ""
        pattern = f"{before}{re.escape(wanted)}{after}"
        if wanted in self._text and re.search(pattern, self._text):
            return True
        if has_dotted_name(self._text, wanted):
            return True
        # Code that differs in blanks alone is the same; a short piece would be found by chance.
        squeezed = strip_space(wanted)
        return " " in wanted and len(squeezed) >= _MIN_CODE_CHARS and squeezed in self._squeezed

    def has_name(self, name: str) -> bool:
        """Return whether a text has the name, in any case, in singular or plural.

        Options and variables are as they are written: ``-h`` may hold what ``-H`` releases.
        """
        if _OPTION_OR_VARIABLE.fullmatch(name):
            return _has_word(self._in_case, name)
        if has_dotted_name(self._in_case, name) or self._has_words_of(name):
            return True
        apart = _CAMEL_BOUNDARY.sub(" ", name)
        if apart != name and self.has_name(apart):
            return True
        name = name.casefold()
        plurals = {f"{name}s", f"{name}es"}
        singulars = {name.removesuffix("s"), name.removesuffix("es")}
        forms = {name, *plurals, *singulars} - {""}
        return any(_has_word(self._folded, form) for form in forms)

    def _has_words_of(self, name: str) -> bool:
        """Return whether a text has the words of an abbreviation.

        ``Domain Name System`` is DNS, ``PersistentVolume`` PV.
        """
        letters = name.removesuffix("s")
        if not _ABBREVIATION.fullmatch(letters):
            return False
        joined = "".join(rf"{letter}[a-z\d]+" for letter in letters)
        if re.search(rf"\b{joined}\b", self._in_case):
            return True
        if len(letters) < _MIN_ABBREVIATION_LETTERS:
            return False  # two words that begin so are found by chance
        initials = r"[\s-]+".join(rf"{letter}[a-z]+" for letter in letters.casefold())
        return re.search(rf"\b{initials}\b", self._folded) is not None


_ABBREVIATION = re.compile(r"[A-Z]{2,6}")
_MIN_ABBREVIATION_LETTERS = 3
"""Letters of an abbreviation whose words may stand apart."""
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z\d])(?=[A-Z][a-z])")
"""A place between two words of a name: ``RecurringJobs``."""
_DOTTED_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_BREAK_IN_NAME = r"\.(?:[`\s]|<br[^<>]{0,20}>){0,9}"
"""A dot within a name, after which a manual may begin a new line and a new code span."""


def has_dotted_name(text: str, name: str) -> bool:
    """Return whether a text has a name with dots, or one that begins with it.

    Manuals set long names in several lines: ``transport.`` above ``idleTimeout``. The name of a
    table, ``spec.policy``, is in that of its key, ``spec.policy.enabled``.
    """
    if not _DOTTED_NAME.fullmatch(name):
        return False
    parts = name.split(".")
    if any(part not in text for part in parts):
        return False
    pattern = _BREAK_IN_NAME.join(map(re.escape, parts))
    return re.search(rf"(?<![\w-]){pattern}(?![\w-])", text) is not None


_ROLE = re.compile(r":[\w:+-]{1,40}:`([\w.-]{1,120})`")
"""A role of rst with the label of a place: ``:ref:`setting-cache.size```."""


def _labels_in_roles(text: str) -> Iterator[str]:
    """Yield what the labels in roles of rst name, without the kinds of labels before it.

    ``setting-yaml-cache.size`` is the label of ``cache.size``.
    """
    for role in _ROLE.finditer(text):
        label = role[1]
        while "-" in label:
            label = label.partition("-")[2]
            yield label


def _has_word(text: str, word: str) -> bool:
    """Return whether a text has a word as a whole one."""
    return word in text and bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text))


def _to_typed_characters(text: str) -> str:
    """Return a text with typed characters for typographic ones."""
    return text.translate(_TYPED_TABLE)


def _names_in_prose(prose: str) -> Iterator[str]:
    """Yield the identifiers of a sentence, and its capitalized words.

    The word that begins the sentence is capitalized in any case.
    """
    is_start = True
    for word in prose.split():
        name = _strip_signs(word)
        if name and not _is_no_name(name):
            if _IDENTIFIER.fullmatch(name) or re.search(r"\d", name):
                yield from _parts_of_identifier(name)
            elif not is_start:
                parts = re.split(r"[-/]", name)
                yield from (part for part in parts if _is_proper_noun(part))
        is_start = bool(_STOP.search(word)) and name.casefold() not in _ABBREVIATIONS


def _strip_signs(word: str) -> str:
    """Return a word without the signs around it; the dot of ``.gitignore`` belongs to it."""
    bare = word.strip(_NAME_EDGES).removesuffix("'s")
    if bare and re.match(r"\.\w", word):
        return word[word.index(bare) - 1 :].rstrip(_EDGES)
    return bare


def _is_no_name(word: str) -> bool:
    """Return whether a word is an abbreviation, a unit such as ``kB/s``, or a number: ``4th``."""
    if word.casefold() in _ABBREVIATIONS or _ORDINAL_IN_DIGITS.fullmatch(word):
        return True
    is_unit = all(part in UNITS for part in word.split("/"))
    # After code that is divided, a slash is left: ``loop_wait``/2.
    return is_unit or _is_number(word.rstrip("+").removeprefix("/"))


def _is_number(word: str) -> bool:
    """Return whether a word is a number, with its unit if it has one.

    Examples are ``1,208``, ``5d`` and ``64-bit``.
    """
    if _DIGITS.fullmatch(word):
        return True
    quantities = list(read_quantities(word))
    return len(quantities) == 1 and quantities[0].written == word


def _is_proper_noun(word: str) -> bool:
    return word[:1].isupper() and word != "I" and word.lower() not in FUNCTION_WORDS


def _parts_of_identifier(identifier: str) -> Iterator[str]:
    """Yield an identifier.

    Of words that a hyphen joins, such as ``64-bit`` and ``GPU-based``, yield those that are names.
    """
    parts = identifier.split("-")
    is_compound = len(parts) > 1 and all(parts)
    if not is_compound or not re.fullmatch(r"[A-Za-z\d-]+", identifier):
        yield identifier
        return
    for part in parts:
        has_digit = re.search(r"\d", part) is not None
        if re.search(r"[A-Z]", part) or (has_digit and not part.isdigit()):
            yield part
