"""The words of a source that are nearest to a quote that it does not have. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from planbook.markdown.words import FUNCTION_WORDS, stem
from planbook.research.proof.quantities import QuantityIndex, read_quantities

_WORD = re.compile(r"\d+(?:[-.,:]\d+)+|[^\W_]+(?:['\u2019][^\W_]+)*")
_COMMON = 200
"""Places of a word in a text from which it says little about where a quote is."""
_WIDER = 1.5
"""Length of the words that are compared, in lengths of the quote."""
_PLACES = 6
"""Number of places of a text that are compared with a quote."""
_WIDEST = 3
"""Length of a passage in which other words divide a quote, in lengths of the quote."""
_FEWEST_DIVIDED, _NEARLY_ALL = 10, 0.95
"""Words of such a quote, and the share of them that are there: fewer are there by chance."""
_STRAY = 3
"""Words between a word at the end and the others that the quote does not have, at most."""
_SHOWN = 60
"""Words that are shown, at most."""
_FORM_WORDS = frozenset(re.findall(r"\w+", "a an the that of is are was were be been being and s"))
"""Words that a quote may have more than its source, or instead of one another."""
_DECISIVE = frozenset(
    re.findall(
        r"\w+",
        "not no never none nor neither cannot without unless except only hardly rarely seldom few "
        "less if can could may might must should would will almost nearly about approximately "
        "roughly most some least up under over or",
    )
)
"""Words without which a quote says something else."""
_FIGURE = re.compile(r"v?\d[\d.,:-]*[^\W\d_]{0,2}")
"""A word that is a figure: ``80``, ``2.5``, ``70B``, ``3rd``, ``2026-06-09``."""


@dataclass(frozen=True, slots=True)
class NearWords:
    """Words of a source, and how much of a quote they have."""

    share: float
    """The share of the quote's words that they have in its order."""
    length: int
    """The number of these words."""
    content: int
    """The number of those of them that carry meaning."""
    text: str
    is_close: bool = False
    """True if the quote has nothing else with a meaning, and leaves out no word such as *not*."""
    left_out: str = ""
    """The words among them that the quote does not have."""
    other_figure: tuple[str, str] | None = None
    """A figure of the quote, and what is in its place, if they differ in nothing else."""


NO_WORDS = NearWords(0.0, 0, 0, "")


class WordText:
    """A text in which the nearest words of quotes are found, whatever their inflections."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = [match.span() for match in _WORD.finditer(text)]
        self._stems = [_stem_of(text[start:end]) for start, end in self._spans]
        self._places: dict[str, list[int]] = {}
        for n, word in enumerate(self._stems):
            self._places.setdefault(word, []).append(n)

    def nearest(self, quote: str) -> NearWords:
        """Return the words that have most of a quote in its order, in one place."""
        written = [match[0] for match in _WORD.finditer(quote)]
        wanted = [_stem_of(word) for word in written]
        best = NO_WORDS
        for start in self._likely_starts(wanted):
            wording = self._compare(written, wanted, start)
            if wording.share > best.share:
                best = wording
        return best

    def has_interrupted(self, quote: str) -> bool:
        """Return whether nearly all words of a quote stand in its order, with others between them.

        So they do in a text of two columns whose lines were read one after the other.
        """
        wanted = [_stem_of(match[0]) for match in _WORD.finditer(quote)]
        if len(wanted) < _FEWEST_DIVIDED:
            return False
        for start in self._likely_starts(wanted):
            first = max(0, start - len(wanted))
            there = self._stems[first : start + _WIDEST * len(wanted)]
            if len(_common_in_order(wanted, there)) >= _NEARLY_ALL * len(wanted):
                return True
        return False

    def _likely_starts(self, wanted: Sequence[str]) -> list[int]:
        """Return the places where most words of a quote stand as far apart as in it."""
        width = max(4, len(wanted) // 2)
        votes: Counter[int] = Counter()
        for at, word in enumerate(wanted):
            places = self._places.get(word, ())
            for place in places if len(places) <= _COMMON else ():
                bucket = (place - at) // width
                votes[bucket] += 1
                votes[bucket + 1] += 1  # words put in or left out move the others
        return [bucket * width for bucket, _ in votes.most_common(_PLACES)]

    def _compare(self, written: Sequence[str], wanted: Sequence[str], start: int) -> NearWords:
        margin = max(4, len(wanted) // 2)
        first = max(0, start - margin)
        there = self._stems[first : start + round(len(wanted) * _WIDER) + margin]
        pairs = _without_strays(_common_in_order(wanted, there))
        pairs = list(_before(pairs, wanted, there)) + pairs
        if not pairs:
            return NO_WORDS
        begin, end = first + pairs[0][1], first + pairs[-1][1] + 1
        if end - begin > _WIDER * len(wanted) + margin:
            return NO_WORDS
        content = sum(wanted[at] not in FUNCTION_WORDS for at, _ in pairs)
        gaps = list(self._gaps(written, first, pairs))
        begin, end = begin - len(gaps[0][1]), end + len(gaps[-1][1])  # a figure at either end
        last = min(end, begin + _SHOWN)
        wording = self._text[self._spans[begin][0] : self._spans[last - 1][1]]
        other = [gap for gap in gaps if not _is_slight(*gap)]
        left_out = " … ".join(" ".join(theirs) for _, theirs in gaps if theirs)
        return NearWords(
            share=len(pairs) / len(wanted),
            length=len(pairs),
            content=content,
            text=" ".join(wording.split()),
            is_close=not other,
            left_out=left_out,
            other_figure=_other_figure(*other[0]) if len(other) == 1 else None,
        )

    def _gaps(
        self, written: Sequence[str], first: int, pairs: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        """Yield the words between those that both have: the quote's, and those of the text.

        Before the first and behind the last one, a figure of the quote is compared with its place.
        """
        begin, end = first + pairs[0][1], first + pairs[-1][1] + 1
        yield self._at_edge(written[: pairs[0][0]], begin - 1)
        for (at, there), (next_at, next_there) in pairwise(pairs):
            spans = self._spans[first + there + 1 : first + next_there]
            yield written[at + 1 : next_at], [self._text[start:end] for start, end in spans]
        yield self._at_edge(written[pairs[-1][0] + 1 :], end)

    def _at_edge(self, ours: Sequence[str], at: int) -> tuple[Sequence[str], Sequence[str]]:
        """Return words of a quote before or behind the others, and the word there if it may be one.

        Only a figure may be it: other words of the text are not of the quote.
        """
        is_figure = len(ours) == 1 and 0 <= at < len(self._spans) and _is_figure(ours[0])
        there = [self._text[slice(*self._spans[at])]] if is_figure else []
        return ours, [word for word in there if _is_figure(word)]


def _is_slight(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether a quote that has some words instead of others says the same."""
    here, there = (_plain(some) for some in (ours, theirs))
    if here:
        return here <= _FORM_WORDS and there <= _FORM_WORDS
    return not there & _DECISIVE and not any(word.endswith("n't") for word in there)


def _is_figure(word: str) -> bool:
    quantities = list(read_quantities(word))
    return bool(_FIGURE.fullmatch(word)) or any(figure.is_spelled for figure in quantities)


def _other_figure(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """Return the figures of two groups of words if they differ in one alone, beyond rounding."""
    here, there = ([word for word in some if word not in _FORM_WORDS] for some in (ours, theirs))
    if len(here) != 1 or len(there) != 1 or not (_is_figure(here[0]) and _is_figure(there[0])):
        return None
    return None if _may_be_same(here[0], there[0]) else (here[0], there[0])


def _may_be_same(one: str, two: str) -> bool:
    """Return whether two figures have the same value, or one is the other one, rounded."""
    here, there = (list(read_quantities(word)) for word in (one, two))
    if len(here) != 1 or len(there) != 1:
        return False
    is_rounded = QuantityIndex(two).has_rounded(here[0])
    return is_rounded or (here[0].value is not None and here[0].value == there[0].value)


def _plain(words: Sequence[str]) -> set[str]:
    return {word.casefold().replace("\u2019", "'") for word in words}


def _stem_of(word: str) -> str:
    word = word.casefold().replace("\u2019", "'").removesuffix("'s")
    if word[0].isdigit():
        return word.replace(",", "")
    if not word.isascii():  # an accent is a mark
        word = "".join(filter(str.isalnum, unicodedata.normalize("NFD", word))) or word
    return word if word in FUNCTION_WORDS else stem(word)


def _without_strays(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the common words without those at either end that stand far from the others."""
    while len(pairs) > 1 and _is_far(pairs[0], pairs[1]):
        pairs = pairs[1:]
    while len(pairs) > 1 and _is_far(pairs[-2], pairs[-1]):
        pairs = pairs[:-1]
    return pairs


def _before(
    pairs: Sequence[tuple[int, int]], some: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Yield the common words right before the first pair, which had a pair far from there."""
    if not pairs:
        return
    first, there = pairs[0]
    length = 0
    while length < min(first, there) and some[first - length - 1] == others[there - length - 1]:
        length += 1
    for back in range(length, 0, -1):
        yield first - back, there - back


def _is_far(one: tuple[int, int], next_: tuple[int, int]) -> bool:
    return (next_[1] - one[1]) - (next_[0] - one[0]) > _STRAY


def _common_in_order(some: Sequence[str], others: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of the longest sequence of words that both have in the same order."""
    lengths = [[0] * (len(others) + 1) for _ in range(len(some) + 1)]
    for i in range(len(some) - 1, -1, -1):
        for j in range(len(others) - 1, -1, -1):
            if some[i] == others[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(some) and j < len(others):
        if some[i] == others[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
