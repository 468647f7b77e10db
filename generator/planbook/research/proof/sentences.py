"""Evidence of a sentence: find its quotes in a source, and the numbers and names in it that they do not have. Pure.

A program can compare quotes, numbers and names. Only a reader can tell whether the quotes support the sentence: see
`planbook.research.writers.judge`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planbook.citations.quotes import fold
from planbook.markdown.words import FUNCTION_WORDS
from planbook.research.proof.quantities import UNITS, QuantityIndex, missing_quantities, read_quantities

MAX_QUOTES = 3
MIN_WORDS, MIN_CHARS = 3, 12
"""Minimum size of a quote: nearly every text contains shorter ones."""

_ALIKE = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    "\u2026": "...",
    "\u00b5": "\u03bc",
}
"""Typographic characters, with the ones that are typed for them."""
_BEFORE, _AFTER = re.compile(r"(?<![-/.$#@%&*+_~<\\])[-/.$#@%&*+_~<\\]*$"), re.compile(r"(?:\.{0,3}[)/_+%\]>*])*")
"""Marks next to the first and last letter of a quote that belong to its words: ``--option``, ``f(x)``, ``orders.>``."""

_CODE = re.compile(r"(`{1,9})(?P<code>.{1,2000}?)\1")
_EDGES = "\"'()[]{}<>,;:!?.*_"
_AROUND_NAME = _EDGES.replace("_", "")
"""Signs around a name; an underscore is part of it, as the marks of emphasis are gone."""
_STOP = re.compile(r"[.!?:]['\")\]]*$")
_IDENTIFIER = re.compile(
    r"--?\w.*|/.+|\.\w.*|~.+"  # options, paths, names of hidden files
    r"|.*\w(?:[_@#$=\\]|::|->|\(\)).*|.*\w\.\w.*|.*/.*[./\d].*|.*\+\+"  # snake_case, a::b, f(), a.b, a/b.c, C++
    r"|.*[a-z\d][A-Z].*|[A-Z][A-Z\d+/-]+s?"  # camelCase, SQL
)
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc", "vs", "a.m", "p.m", "and/or"})
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

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that may have a number or name of the sentence."""
        return (self.words, self.heading, self.term, self.title, self.path)


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence with its evidence."""

    text: str
    quotes: tuple[Quotation, ...]

    @property
    def content(self) -> dict[str, object]:
        """The sentence and its quotes, as the judge sees them."""
        quotes = [{"heading": q.heading, "term": q.term, "title": q.title, "quote": q.words} for q in self.quotes]
        return {"sentence": self.text, "quotes": quotes}

    @property
    def id(self) -> str:
        """An id that no content can know."""
        return hashlib.sha256(json.dumps(self.content, sort_keys=True).encode()).hexdigest()[:10]


Judge = Callable[[Sequence[CitedSentence]], Mapping[CitedSentence, str]]
"""Returns why each sentence is not supported by its quotes; empty if it is. Raises `Unwritten`."""


NOT_IN_QUOTES = "not in its quotes"
"""The end of the fault of a sentence that has more than its quotes."""
_QUOTED = re.compile(r"“([^“”]+)”")


def words_in_message(message: str) -> tuple[str, ...]:
    """Return the words that a message quotes: the sentence, and what its quotes lack."""
    return tuple(_QUOTED.findall(message))


# --- quotes ----------------------------------------------------------------------------------------------------------


def find_words(quote: str, text: str) -> str | None:
    """Return the whole words of a folded `text` that have the letters and digits of `quote`; ``None`` if none have.

    Quotes are repeated with other marks and spaces. The words returned are those of the text.
    """
    wanted = "".join(char for char, _ in _letters(fold(quote)))
    pairs = list(_letters(text))
    there, places = "".join(char for char, _ in pairs), [n for _, n in pairs]
    at = there.find(wanted) if wanted else -1
    while at >= 0:
        start, end = places[at], places[at + len(wanted) - 1] + 1
        if not any(text[n - 1 : n].isalnum() and text[n : n + 1].isalnum() for n in (start, end)):
            first, last = _BEFORE.search(text[:start]), _AFTER.match(text, end)
            return text[first.start() if first else start : last.end() if last else end]
        at = there.find(wanted, at + 1)
    return None


def lines_of_words(quote: str, text: str) -> tuple[int, int] | None:
    """Return the first and last line of a text, 1-based, that have the letters and digits of `quote`."""
    wanted = "".join(char for char, _ in _letters(quote))
    pairs = list(_letters(text))
    at = "".join(char for char, _ in pairs).find(wanted) if wanted else -1
    if at < 0:
        return None
    start, end = pairs[at][1], pairs[at + len(wanted) - 1][1]
    return text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1


def _letters(text: str) -> Iterator[tuple[str, int]]:
    """Yield the letters and digits of a text without case, each with its offset."""
    return ((char, n) for n, one in enumerate(text) if one.isalnum() for char in one.casefold())


# --- numbers and names -----------------------------------------------------------------------------------------------


def find_fault(sentence: str, quotes: Sequence[Quotation], point: str = "") -> str:
    """Return why the quotes cannot be all the evidence of a sentence; empty if a program finds no reason.

    A number, unit, version, option, path, identifier or name of the sentence must be in a quote, in its heading, term,
    title or address, or in the `point` that the sentence is about.
    """
    if not 1 <= len(quotes) <= MAX_QUOTES:
        return f"it has {len(quotes)} quotes; give one to {MAX_QUOTES}"
    if short := next((quote for quote in quotes if is_too_short(quote.words)), None):
        return f"the quote “{short.words}” is too short"
    missing = find_missing(sentence, [point, *(text for quote in quotes for text in quote.texts)])
    named = ", ".join(f"“{word}”" for word in missing)
    return f"{named} {'is' if len(missing) == 1 else 'are'} {NOT_IN_QUOTES}" if missing else ""


def is_too_short(quote: str) -> bool:
    """Return whether a quote has so few words and characters that nearly every text contains it."""
    return len(quote.split()) < MIN_WORDS and len(quote) < MIN_CHARS


def find_missing(sentence: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the numbers, with their units, and the code and names of a sentence that none of `texts` has."""
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


def find_missing_words(sentence: str, there: TextWords) -> MissingWords:
    """Return the words of a sentence that the texts of an index do not have."""
    code = [match["code"].strip() for match in _CODE.finditer(sentence)]
    prose = _plain(_CODE.sub(" \u25a1 ", sentence))
    # A command and its option may be in two quotes.
    spans = (word for span in code for word in ([span] if there.has_code(span) else span.split()))
    return MissingWords(
        code=tuple(word for word in spans if not there.has_code(word)),
        quantities=tuple(missing_quantities(prose, there.quantities)),
        names=tuple(name for name in _names(prose) if not there.has_name(name)),
    )


def is_identifier(name: str) -> bool:
    """Return whether a word is an option, path or identifier, and not only a name of people or things."""
    return bool(_IDENTIFIER.fullmatch(name))


_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)([^*_\n]{1,80})(?<=\S)\1(?![\w*])")
"""Words in emphasis: ``**Kiln**``, ``_Kiln_``. The marks are no part of a name."""
_LEAST_CODE = 6
"""Letters and signs of code that is compared without its blanks."""


def _squeezed(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


class TextWords:
    """The texts that may have a number or a name."""

    def __init__(self, texts: Iterable[str]) -> None:
        plain = _plain("\n".join(texts)).replace("`", "")
        self._text = fold(plain)
        self._folded = fold(_EMPHASIS.sub(r"\2", plain)).casefold()
        self._squeezed = _squeezed(self._text)
        self.quantities = QuantityIndex(self._text)

    def has_code(self, code: str) -> bool:
        """Return whether a text has the code verbatim, as a whole word."""
        wanted = fold(_plain(code)).removesuffix("()")
        before, after = r"(?<![\w-])" if wanted[:1].isalnum() or wanted[:1] in "-_" else "", ""
        after = r"(?![\w])" if wanted[-1:].isalnum() or wanted[-1:] == "_" else ""
        if not wanted.strip(_EDGES) or re.search(f"{before}{re.escape(wanted)}{after}", self._text):
            return True
        # Code that differs in blanks alone is the same; a short piece would be found by chance.
        squeezed = _squeezed(wanted)
        return " " in wanted and len(squeezed) >= _LEAST_CODE and squeezed in self._squeezed

    def has_name(self, name: str) -> bool:
        """Return whether a text has the name, in any case, in singular or plural."""
        name = name.casefold()
        forms = {name, f"{name}s", f"{name}es", name.removesuffix("s"), name.removesuffix("es")} - {""}
        return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", self._folded) for form in forms)


def _plain(text: str) -> str:
    """Return a text with typed characters for typographic ones."""
    return "".join(_ALIKE.get(char, char) for char in text)


def _names(prose: str) -> Iterator[str]:
    """Yield the identifiers of a sentence, and the words that are capitalized although they do not begin it."""
    is_start = True
    for word in prose.split():
        bare = word.strip(_AROUND_NAME).removesuffix("'s")
        bare = word[word.index(bare) - 1 :].rstrip(_EDGES) if bare and re.match(r"\.\w", word) else bare
        is_unit = all(part in UNITS for part in bare.split("/"))  # kB/s
        is_other = bare.casefold() in _ABBREVIATIONS or is_unit or _is_number(bare.rstrip("+"))
        if bare and not is_other:
            if _IDENTIFIER.fullmatch(bare) or re.search(r"\d", bare):
                yield from _parts(bare)
            elif not is_start:
                yield from (
                    part
                    for part in re.split(r"[-/]", bare)
                    if part[:1].isupper() and part != "I" and part.lower() not in FUNCTION_WORDS
                )
        is_start = bool(_STOP.search(word)) and bare.casefold() not in _ABBREVIATIONS


def _is_number(word: str) -> bool:
    """Return whether a word is a number, with its unit if it has one: ``1,208``, ``5d``, ``64-bit``."""
    read = list(read_quantities(word))
    return (len(read) == 1 and read[0].written == word) or bool(_DIGITS.fullmatch(word))


def _parts(identifier: str) -> Iterator[str]:
    """Yield an identifier; of words that a hyphen joins, such as ``64-bit`` and ``GPU-based``, those that are names."""
    words = identifier.split("-")
    if all(words) and len(words) > 1 and re.fullmatch(r"[A-Za-z\d-]+", identifier):
        yield from (w for w in words if re.search(r"[A-Z]", w) or (re.search(r"\d", w) and not w.isdigit()))
    else:
        yield identifier
