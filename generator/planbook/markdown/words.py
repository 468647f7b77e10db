"""Words and sentences of a text.

Tokens, stems and stop words, for searches and for comparing texts.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, count

_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED_SCRIPTS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
"""Kana and Han, which are written without spaces."""

_VOWEL = re.compile(r"[aeiouy]")
_NAME = re.compile(
    r"(?<![\w-])(?:-{1,2}(?=\w)|[.$%@](?=[A-Za-z_]))?\w+(?:(?:[-.:_]+|::)\w+)*(?:\+\+|#(?!\w))?|"
    r"(?<!\w)[A-Za-z](?:\+\+|#)"
)
"""A word with the marks that belong to names: ``--no-ff``, ``http.server``, ``.gitignore``,
``std::move``."""
_DASH = re.compile("[\u2010\u2011\u2012\u2013\u2014\u2212]")
_NAME_MARK = re.compile(r"^-|[._:+#$%@]|\d")

FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a about above after again all almost along already also although always am among an and "
        "another any are as at away be because been before being below between both but by can "
        "cannot could did do does doing done down during each either else enough etc even ever "
        "every few for from further had has have having he her here hers him his how however i if "
        "in instead into is it its itself just may me might mine more most much must my near "
        "neither never no nor not of off often on once one ones only onto or other others our out "
        "over own per perhaps quite rather really s same shall she should since so some something "
        "soon still such t than that the their them then there these they this those though "
        "through thus to together too toward under until up upon us very via was we were what "
        "whatever when where whether which while who whole whom whose why will with within "
        "without would yes yet you your",
    )
)
"""English function words."""

OUTLINE_WORDS = frozenset(
    re.findall(
        r"\w+",
        "aspects background basics best case cases cite comparison conclusion considerations "
        "describe description details difference differences discuss example examples explain "
        "explained explanation first form forms fundamentals general get gets give gives good "
        "guide important include includes including information intro introduction keep keeps key "
        "kind kinds know last least let like list made main make makes many matters mean meaning "
        "means need needs next notes now overview part parts point points practical practice "
        "practices put question questions real remarks say says section see several show shows "
        "special specific summary table take takes thing things tips today topic topics tutorial "
        "two type types typical understand understanding use used useful uses using usually "
        "various versus vs way ways well work works",
    )
)
"""English words common in outlines on any subject."""

STOPWORDS = FUNCTION_WORDS | OUTLINE_WORDS
"""English stop words. Those of other languages are left to ranking."""

_ENDINGS = {
    **{"sses": "ss", "ies": "y", "ches": "ch", "shes": "sh", "xes": "x", "ied": "y"},
    **dict.fromkeys(("ings", "ing", "ed", "s"), ""),
}


def tokens(text: str) -> tuple[str, ...]:
    """Return the words of `text` in lower case without accents, in order.

    Names are also split into parts (``DataLoader`` into dataloader, data, loader; ``max_bytes``
    into max, bytes), numbers keep their decimal points, and runs of Kana or Han are split into
    bigrams.
    """
    return tuple(_plain_tokens(text))


def unique_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of `text` without stop words, in order.

    All of them if nothing else is left.
    """
    words = dict.fromkeys(tokens(text))
    telling = tuple(
        word for word in words if word not in STOPWORDS and (len(word) > 1 or word.isdigit())
    )
    return telling or tuple(words)


def keywords(text: str) -> list[str]:
    """Return the stems of the words of `text` in order, without function words.

    Names whole and in parts.

    ``--no-ff`` gives ``--no-ff`` and ``ff``, ``core.autoCRLF`` gives ``core.autocrlf``, ``core``,
    ``auto``, ``crlf``.
    """
    return [word for name in _NAME.findall(_DASH.sub("-", text)) for word in _keywords_of(name)]


@lru_cache(maxsize=16384)
def _keywords_of(name: str) -> tuple[str, ...]:
    small = name.casefold()
    is_compound = len(small) > 1 and bool(_NAME_MARK.search(small))
    pieces = (
        piece
        for piece in _plain_tokens(name)
        if piece not in FUNCTION_WORDS and not (is_compound and piece == small)
    )
    stems = (
        stem(piece) for piece in pieces if len(piece) > 1 or piece.isdigit() or not piece.isascii()
    )
    return (*([small] if is_compound else []), *stems)


def stem(word: str) -> str:
    """Return the stem of an English word, the same for ``caches``, ``cached`` and ``caching``."""
    for ending, instead in _ENDINGS.items():
        rest = word.removesuffix(ending)
        is_form = rest != word and len(rest) >= 3 and _VOWEL.search(rest)
        if is_form and not word.endswith(("ss", "us", "is", "eed")):
            word = rest + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def closest(name: str, known_names: Iterable[str], likeness: float = 0.8) -> str:
    """Return the one of the `known_names` that is most like `name` for difflib.

    The result is empty if none is like it.
    """
    # difflib needs a hundred times as long to see that names share too few letters.
    letters = _letters_as_bits(name)
    size = len(name)
    close_names = [
        candidate
        for candidate in known_names
        if 2 * (letters & _letters_as_bits(candidate)).bit_count() / (size + len(candidate) or 1)
        >= likeness
    ]
    return next(iter(difflib.get_close_matches(name, close_names, 1, likeness)), "")


_BITS = defaultdict[tuple[str, int], int](count().__next__)


@lru_cache(maxsize=1 << 14)
def _letters_as_bits(name: str) -> int:
    """Return the letters of a name as bits.

    There is one for each letter, and further ones for its second, third, ....
    """
    return sum(1 << _BITS[letter, nth] for letter, n in Counter(name).items() for nth in range(n))


def _plain_tokens(text: str) -> Iterator[str]:
    if not text.isascii():
        bare = "".join(
            char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char)
        )
        text = unicodedata.normalize("NFC", bare)
    may_be_unspaced = bool(_UNSPACED_SCRIPTS.search(text))
    for word in _WORD.findall(text):
        if may_be_unspaced and _UNSPACED_SCRIPTS.search(word):
            yield from _letter_pairs(word)
            continue
        small = word.casefold()
        yield small
        if word != small and not word.istitle():
            humps = _HUMP.split(word)
            yield from (hump.casefold() for hump in humps if len(humps) > 1)


def _letter_pairs(word: str) -> Iterator[str]:
    at = 0
    for run in _UNSPACED_SCRIPTS.finditer(word):
        yield from filter(None, [word[at : run.start()].casefold()])
        yield from (run[0][n : n + 2] for n in range(max(1, len(run[0]) - 1)))
        at = run.end()
    yield from filter(None, [word[at:].casefold()])


# --- sentences ------------------------------------------------------------------------------------

_END = re.compile(
    r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d\u2019)\]*_`]*+"
    r"(?=\s+[\"'\u201c\u2018(\[*_`\\]*(?:[^\W_a-z]|--?[A-Za-z]))"
    r"|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d)]*"
)
"""The end of a sentence, before a capital, digit or option; or that of Chinese and Japanese."""
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|approx|ca|resp|incl|fig|figs|eq|sec|ch|no|nos|vol|pp|p|ed|eds"
    r"|dr|mr|mrs|ms|prof|st|jr"
    r"|sr|inc|ltd|co|corp|dept|est)|(?<!\s-)\b[A-Z]|(?:^|\n)\s*\d{1,3})\.$",
    re.IGNORECASE,
)
"""Abbreviations that end in a period, and the number of a list item; ``-d`` is an option."""


def sentence_spans(
    text: str, unbroken: Sequence[tuple[int, int]] = ()
) -> tuple[tuple[int, int], ...]:
    """Return ``(start, end)`` of each sentence in `text`, stripped of blanks.

    None ends inside a span of `unbroken`.
    """
    spans, start = [], 0
    starts, ends = (
        sorted(a for a, _ in unbroken),
        [0, *accumulate((b for _, b in sorted(unbroken)), max)],
    )
    for match in _END.finditer(text):
        end = match.end()
        is_within = end < ends[bisect_left(starts, end)]
        if not is_within and not _ABBREVIATION.search(
            text[max(start, match.start() - 12) : match.start() + 1]
        ):
            spans.append((start, end))
            start = end
    spans.append((start, len(text)))
    trimmed = (trimmed_span(text, a, b) for a, b in spans)
    return tuple((a, b) for a, b in trimmed if a < b)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def trimmed_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without blanks at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), max(
        start, end - len(piece) + len(piece.rstrip())
    )
