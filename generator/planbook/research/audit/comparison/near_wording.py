"""The words of a source that are nearest to a quote that it does not have. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from planbook.markdown.words import FUNCTION_WORDS, stem
from planbook.research.audit.comparison.wording_gaps import (
    Gap,
    differ_in_denials,
    has_same_sense,
    is_figure,
    may_be_same,
)
from planbook.research.proof.quantities import SPELLED_NUMBERS

_WORD = re.compile(
    r"(?<![^\W_])[^\W\d_][_^]\{?\d{1,3}(?!\w)"  # H_0 of a formula
    r"|\d+(?:[-.,:]\d+)+|[^\W_]+(?:['\u2019][^\W_]+)*"
)
_DIGITS = {**SPELLED_NUMBERS, "one": "1"}
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
_SAME, _FEWEST_SAME = 0.8, 3
"""Share of the words of a quote from which the others may be replaced, and words with a meaning."""
_CONDENSED, _FEWEST_CONDENSED = 0.8, 5
"""Share of the words with a meaning of a condensed quote that stand in one place; and how many."""
_MOST_MISSING = 3
"""Words with a meaning of a condensed quote, however long, that do not stand there, at most."""
_CONDENSED_WIDTH, _CONDENSED_MARGIN = 1.75, 6
"""Length of that place, in lengths of the quote, and the words by which it may be longer."""
_ITEM = re.compile(r"\n[ \t]*(?:[-*+>#]|\d{1,3}[.)])\s")
"""The beginning of a list item, a heading or a quotation."""
_AROUND = 20
"""Words before and behind the nearest ones that are about the same."""
_MAX_OPPOSITE_WORDS = 3
"""Words by which the two differ where one says the opposite of the other, at most."""
_AT_EDGE = 3
"""Words next to a figure that stand in the same item as the figure in its place."""


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
    is_other: bool = False
    """True if they say something else: another figure or name, the opposite, or with a *not*."""
    is_denied: bool = False
    """True if one of both has a *not* more than the other."""
    is_contrary: bool = False
    """True if they have another figure or name, an opposite, or a *not* more or less."""
    is_close: bool = False
    """True if the quote says the same: it neither changes a figure nor a word such as *not*."""
    left_out: str = ""
    """The words among them that the quote does not have."""
    replaced: str = ""
    """The words of the quote that they do not have, if it is close."""
    other_figure: tuple[str, str] | None = None
    """A figure of the quote, and what is in its place, if they differ in nothing else."""
    is_opposite: bool = False
    """True if they are the quote's but for one place within it, which says the opposite."""
    around: str = ""
    """These words with some before and behind them."""


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
        written = _QuoteWords(quote)
        best = NO_WORDS
        for start in self._likely_starts(written.stems):
            wording = self._compare(written, start)
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
            window = self._stems[first : start + _WIDEST * len(wanted)]
            if len(_common_in_order(wanted, window)) >= _NEARLY_ALL * len(wanted):
                return True
        return False

    def condensed(self, quote: str) -> str:
        """Return the words of one place that a quote condenses or puts in another order.

        They have most of its words with a meaning, and all of its figures and names in their order;
        neither they nor the quote deny what the other says. Empty if there is no such place.
        """
        written = _QuoteWords(quote)
        wanted = Counter(word for word in written.stems if word not in FUNCTION_WORDS)
        if wanted.total() < _FEWEST_CONDENSED:
            return ""
        width = round(_CONDENSED_WIDTH * len(written.stems)) + _CONDENSED_MARGIN
        best = (0.0, 0, 0)
        for start, end, shared in self._places_of(wanted, width):
            share = shared / wanted.total()
            score = share - (end - start) / (3 * width)  # of two such places, the shorter one
            has_most = share >= _CONDENSED and wanted.total() - shared <= _MOST_MISSING
            if has_most and score > best[0]:
                best = (score, start, end)
        _, start, end = best
        condensed = [self._text[first:last] for first, last in self._spans[start:end]]
        if not condensed or not (
            _has_in_order(written.fixed, condensed) and has_same_sense(written.words, condensed)
        ):
            return ""
        last = min(end, start + _SHOWN)
        return " ".join(self._text[self._spans[start][0] : self._spans[last - 1][1]].split())

    def _places_of(self, wanted: Counter[str], width: int) -> Iterator[tuple[int, int, int]]:
        """Yield begin and end of places with wanted words, and how many of these they have."""
        places = sorted(offset for word in wanted for offset in self._places.get(word, ()))
        for n, start in enumerate(places):
            shared: Counter[str] = Counter()
            end = start
            for offset in islice(places, n, n + width):
                if offset >= start + width:
                    break
                word = self._stems[offset]
                if shared[word] < wanted[word]:
                    shared[word] += 1
                    end = offset + 1
            yield start, end, shared.total()

    def _likely_starts(self, wanted: Sequence[str]) -> list[int]:
        """Return the places where most words of a quote stand as far apart as in it."""
        width = max(4, len(wanted) // 2)
        votes: Counter[int] = Counter()
        for at, word in enumerate(wanted):
            places = self._places.get(word, ())
            for offset in places if len(places) <= _COMMON else ():
                bucket = (offset - at) // width
                votes[bucket] += 1
                votes[bucket + 1] += 1  # words put in or left out move the others
        return [bucket * width for bucket, _ in votes.most_common(_PLACES)]

    def _compare(self, quote: _QuoteWords, start: int) -> NearWords:
        wanted = quote.stems
        margin = max(4, len(wanted) // 2)
        first = max(0, start - margin)
        window = self._stems[first : start + round(len(wanted) * _WIDER) + margin]
        pairs = _without_strays(_common_in_order(wanted, window))
        pairs = list(_pairs_before(pairs, wanted, window)) + pairs
        if not pairs:
            return NO_WORDS
        pairs[0] = _closest_first(pairs, wanted, window)
        begin, end = first + pairs[0][1], first + pairs[-1][1] + 1
        if end - begin > _WIDER * len(wanted) + margin:
            return NO_WORDS
        content = sum(wanted[at] not in FUNCTION_WORDS for at, _ in pairs)
        gaps = list(self._gaps(quote, first, pairs))
        begin, end = begin - len(gaps[0].theirs), end + len(gaps[-1].theirs)  # a figure at an end
        last = min(end, begin + _SHOWN)
        wording = self._text[self._spans[begin][0] : self._spans[last - 1][1]]
        share = len(pairs) / len(wanted)
        other = [gap for gap in gaps if not gap.is_slight]
        has_most = share >= _SAME and content >= _FEWEST_SAME
        is_same = not other or (has_most and all(gap.is_harmless for gap in other))
        return NearWords(
            share=share,
            length=len(pairs),
            content=content,
            text=" ".join(wording.split()),
            is_other=not all(gap.is_harmless for gap in other),
            is_denied=differ_in_denials(quote.words, wording.split()),
            is_contrary=any(gap.is_contrary for gap in gaps),
            is_close=is_same,
            left_out=" … ".join(" ".join(gap.theirs) for gap in gaps if gap.theirs),
            replaced=" … ".join(" ".join(gap.ours) for gap in other if gap.ours),
            other_figure=other[0].other_figure if len(other) == 1 else None,
            is_opposite=len(other) == 1 and _is_opposite_within(gaps, other[0]),
            around=self._words_around(begin, end),
        )

    def _words_around(self, begin: int, end: int) -> str:
        """Return some words of the text with those before and behind them."""
        first = self._spans[max(0, begin - _AROUND)][0]
        last = self._spans[min(end + _AROUND, len(self._spans)) - 1][1]
        return self._text[first:last]

    def _gaps(
        self, quote: _QuoteWords, first: int, pairs: Sequence[tuple[int, int]]
    ) -> Iterator[Gap]:
        """Yield the words between those that both have: the quote's, and those of the text.

        Before the first and behind the last one, a figure of the quote is compared with its place.
        """
        begin, end = first + pairs[0][1], first + pairs[-1][1] + 1
        inner = first + pairs[min(_AT_EDGE, len(pairs)) - 1][1]
        yield Gap(*self._at_edge(quote.words[: pairs[0][0]], begin - 1, inner))
        for (at, match), (next_at, next_match) in pairwise(pairs):
            spans = self._spans[first + match + 1 : first + next_match]
            yield Gap(
                quote.words[at + 1 : next_at],
                [self._text[start:end] for start, end in spans],
                quote.between(at, next_at),
                self._text[self._spans[first + match][1] : self._spans[first + next_match][0]],
            )
        inner = first + pairs[-min(_AT_EDGE, len(pairs))][1]
        yield Gap(*self._at_edge(quote.words[pairs[-1][0] + 1 :], end, inner))

    def _at_edge(
        self, ours: Sequence[str], at: int, beside: int
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Return words of a quote before or behind the others, and the word there if it may be one.

        Only a figure may be it: other words of the text are not of the quote.
        """
        is_inside = 0 <= at < len(self._spans) and not self._is_bounded(at, beside)
        may_be_there = len(ours) == 1 and is_inside and is_figure(ours[0])
        at_edge = [self._text[slice(*self._spans[at])]] if may_be_there else []
        return ours, [word for word in at_edge if is_figure(word)]

    def _is_bounded(self, word: int, other: int) -> bool:
        """Return whether a paragraph, an item or a cell ends between two words."""
        first, second = sorted((word, other))
        between = self._text[self._spans[first][1] : self._spans[second][0]]
        return "|" in between or "\n\n" in between or _ITEM.search(between) is not None


class _QuoteWords:
    """The words of a quote, and what stands between them."""

    def __init__(self, quote: str) -> None:
        self._quote = quote
        self._spans = [match.span() for match in _WORD.finditer(quote)]
        self.words = [quote[start:end] for start, end in self._spans]
        self.stems = [_stem_of(word) for word in self.words]

    @property
    def fixed(self) -> list[str]:
        """The figures and names, in their order."""
        return [
            word
            for word, (start, _) in zip(self.words, self._spans, strict=True)
            if is_figure(word) or self._is_name(word, self._quote[:start].rstrip(" \"'*_(\u201c"))
        ]

    def _is_name(self, word: str, word_before: str) -> bool:
        """Return whether a word is capitalised, and does not begin a sentence."""
        begins = not word_before or word_before[-1] in ".!?:;\u2014|"
        has_capital = word[0].isupper() and len(word) > 1 and not word.startswith(("I'", "I\u2019"))
        return has_capital and (not begins or any(char.isdigit() for char in word))

    def between(self, at: int, next_at: int) -> str:
        """Return the text between two words."""
        return self._quote[self._spans[at][1] : self._spans[next_at][0]]


def _stem_of(word: str) -> str:
    word = word.casefold().replace("\u2019", "'").removesuffix("'s")
    if word[0].isdigit():
        return word.replace(",", "")
    if word in _DIGITS:
        return _DIGITS[word]
    if not word.isascii():  # an accent is a mark, a letter below the line a letter
        word = "".join(filter(str.isalnum, unicodedata.normalize("NFKD", word))) or word
    return word if word in FUNCTION_WORDS else stem(word)


def _has_in_order(fixed: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether words of a text have some figures and names, in the same order."""
    rest = iter(words)
    return all(any(_is_same(word, other) for other in rest) for word in fixed)


def _is_same(word: str, other: str) -> bool:
    is_same_figure = is_figure(word) and is_figure(other) and may_be_same(word, other)
    return is_same_figure or _stem_of(word) == _stem_of(other)


def _without_strays(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the common words without those at either end that stand far from the others."""
    while len(pairs) > 1 and _is_far(pairs[0], pairs[1]):
        pairs = pairs[1:]
    while len(pairs) > 1 and _is_far(pairs[-2], pairs[-1]):
        pairs = pairs[:-1]
    return pairs


def _closest_first(
    pairs: Sequence[tuple[int, int]], some: Sequence[str], other_words: Sequence[str]
) -> tuple[int, int]:
    """Return the first pair with the last place of its word before the second pair.

    Of *Software 2.0. Software 1.0 is fast*, the second one belongs to *Software 7.0 is fast*.
    """
    first, match = pairs[0]
    end = pairs[1][1] if len(pairs) > 1 else match + 1
    places = [at for at in range(match, end) if other_words[at] == some[first]]
    return first, places[-1]


def _is_opposite_within(gaps: Sequence[Gap], gap: Gap) -> bool:
    """Return whether a gap is short, has common words on both sides, and says the opposite."""
    is_within = gap is not gaps[0] and gap is not gaps[-1]
    is_short = max(len(gap.ours), len(gap.theirs)) <= _MAX_OPPOSITE_WORDS
    return is_within and is_short and gap.is_opposite


def _pairs_before(
    pairs: Sequence[tuple[int, int]], some: Sequence[str], other_words: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Yield the common words right before the first pair, which had a pair far from there."""
    if not pairs:
        return
    first, match = pairs[0]
    length = 0
    while (
        length < min(first, match) and some[first - length - 1] == other_words[match - length - 1]
    ):
        length += 1
    for back in range(length, 0, -1):
        yield first - back, match - back


def _is_far(pair: tuple[int, int], next_pair: tuple[int, int]) -> bool:
    """Return whether the second text has more words between two pairs than the first one has."""
    between_here = next_pair[0] - pair[0]
    between_there = next_pair[1] - pair[1]
    return between_there - between_here > _STRAY


def _common_in_order(some: Sequence[str], other_words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of the longest sequence of words that both have in the same order."""
    lengths = [[0] * (len(other_words) + 1) for _ in range(len(some) + 1)]
    for i in range(len(some) - 1, -1, -1):
        for j in range(len(other_words) - 1, -1, -1):
            if some[i] == other_words[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(some) and j < len(other_words):
        if some[i] == other_words[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
