"""Rank the excerpts of a PART's sources for each of its points: BM25 over fields. Pure.

::

    Source ─> about the subject ─> excerpts ─> rank ─────────> without repetition ─> Evidence
              by `subject`         whole       BM25 by field   what adds nothing goes

See docs/decisions/0038-ranking.md for the choice and the figures.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from planbook.citations.quotes import fold, words
from planbook.citations.source_lists import lists_sources
from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import OUTLINE_WORDS, keywords, stem
from planbook.model import Section
from planbook.research.drafts import Brief, Evidence, Excerpt, Ranked, Source
from planbook.research.evidence.acceptance import MANY, Answer, judge_best
from planbook.research.evidence.passages import excerpts
from planbook.research.evidence.subject import factors_of, sources_on_subject

TOP = MANY
"""Number of excerpts to keep for each point."""
_K1 = 1.2
_B = 0.5
_B_SECTION = 0.75
"""Parameters of BM25: how soon more of a word counts less, and how much a text's length counts."""
_TERM = 1.5
"""Weight of words of the term that is defined; those of the text have 1."""
_HEADING = 0.5
"""Weight of words of the nearest heading."""
_OUTER = 0.1
"""Weight of words of the outer headings and the title."""
_FEW = 2
"""Number of words up to which a point of fewer words is not harder to find."""
_WHOLE = 0.3
"""Weight of the score of the section that an excerpt is from."""
_SECTION, _TITLE = 0.2, 0.1
"""Weights of the words of the section's and the page's title, relative to those of the point."""
_DIGITS = 6
"""Number of decimals of a score: machines may differ in the last bits of a logarithm."""
_STOP_STEMS = frozenset(map(stem, OUTLINE_WORDS))


@dataclass(frozen=True, slots=True)
class PointQuery:
    """One point of the outline, as Markdown, with the titles above it."""

    point: str
    section: str = ""
    title: str = ""


def rank(
    all_excerpts: Sequence[Excerpt],
    queries: Sequence[PointQuery],
    factors: Mapping[str, float] | None = None,
) -> tuple[tuple[Ranked, ...], ...]:
    """Return the excerpts that share a word with each query, best first; one row per query.

    `factors` multiplies the scores of the excerpts of a source, by its id; others have 1.
    """
    wanted = [_weights(query) for query in queries]
    vocabulary = frozenset(word for weights in wanted for word in weights)
    index = _Index(all_excerpts, vocabulary, factors or {})
    return tuple(
        tuple(index.ranked(weights, query)) for weights, query in zip(wanted, queries, strict=True)
    )


@dataclass(frozen=True, slots=True)
class RankedPoint:
    """A point of the outline with the excerpts that share a word with it."""

    section: int
    """The place of its section in the outline."""
    query: PointQuery
    ranked: tuple[Ranked, ...]
    """All of them, best first."""


def rank_points(brief: Brief, sources: Sequence[Source]) -> tuple[RankedPoint, ...]:
    """Return the points of the outline, in its order, with their excerpts.

    A section without points is one point. A section that lists the sources needs no evidence. The
    order of `sources` makes no difference.
    """
    about = sources_on_subject(brief, sources)
    all_excerpts = [excerpt for n, source in enumerate(about, 1) for excerpt in excerpts(source, n)]
    places = []
    queries = []
    for section_index, section in enumerate(brief.outline):
        titles = " ".join((section.title, *section.include))
        for point in points_of(section):
            places.append(section_index)
            queries.append(PointQuery(point, titles, brief.title))
    ranked = rank(all_excerpts, queries, factors_of(brief, about))
    return tuple(map(RankedPoint, places, queries, ranked))


def find_evidence(brief: Brief, sources: Sequence[Source]) -> tuple[Evidence, ...]:
    """Return the best excerpts for each point of the outline, in its order."""
    return tuple(map(best_of_point, rank_points(brief, sources)))


def best_of_point(point: RankedPoint) -> Evidence:
    """Return the best excerpts for one point, and what they say."""
    best = without_repetition(point.ranked, TOP)
    judged = judge_best(point.query.point, best)
    return Evidence(
        point.section,
        point.query.point,
        best,
        is_found=judged.answer is Answer.FOUND,
        is_uncertain=judged.answer is Answer.UNCERTAIN,
        missing=judged.missing,
    )


def points_of(section: Section) -> tuple[str, ...]:
    """Return the points to research: those of the section, or its title if it has none.

    A section that lists sources has none.
    """
    if lists_sources(section.title):
        return ()
    return section.points or (section.title,)


def _weights(query: PointQuery) -> Mapping[str, float]:
    """Return the weight of each word of a query.

    A word in several of its texts has the highest one.
    """
    weights: dict[str, float] = {}
    for text, weight in ((query.point, 1.0), (query.section, _SECTION), (query.title, _TITLE)):
        all_words = keywords(plain_text(text))
        telling = [word for word in all_words if word not in _STOP_STEMS]
        for word in telling or all_words:
            weights.setdefault(word, weight)
    return weights


class _Bm25:
    """Scores texts by the words that they have."""

    def __init__(self, texts: Sequence[tuple[Mapping[str, float], int]], b: float) -> None:
        """Take the weighted count of each word in each text, and the text's length in words."""
        self.counts: dict[str, dict[int, float]] = defaultdict(dict)
        for n, (counts, _) in enumerate(texts):
            for word, count in counts.items():
                self.counts[word][n] = count
        mean = max(1.0, sum(length for _, length in texts) / max(1, len(texts)))
        self._norms = [_K1 * (1 - b + b * length / mean) for _, length in texts]

    def rarity(self, word: str) -> float:
        """Return the weight of a word: the rarer, the higher."""
        count = max(1, len(self.counts.get(word, ())))
        return math.log(1 + (len(self._norms) - count + 0.5) / (count + 0.5))

    def scores(self, weights: Mapping[str, float]) -> Mapping[int, float]:
        """Return the score of each text that has one of the words; others have 0."""
        scores: dict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for n, count in self.counts.get(word, {}).items():
                scores[n] += weight * count * (_K1 + 1) / (count + self._norms[n])
        return scores


class _Index:
    """The excerpts and their sections by the words of the queries."""

    def __init__(
        self,
        all_excerpts: Sequence[Excerpt],
        vocabulary: frozenset[str],
        factors: Mapping[str, float],
    ) -> None:
        self._every = all_excerpts
        self._factors = [factors.get(excerpt.source, 1.0) for excerpt in all_excerpts]
        self._sections: list[int] = []
        """The number of each excerpt's section."""
        numbers: dict[tuple[str, tuple[str, ...]], int] = {}
        for excerpt in all_excerpts:
            section = (excerpt.source, excerpt.headings)
            numbers.setdefault(section, len(numbers))
            self._sections.append(numbers[section])
        texts = [_counts(excerpt, vocabulary) for excerpt in all_excerpts]
        counts_of_sections = [Counter[str]() for _ in numbers]
        lengths = [0] * len(numbers)
        for section_index, (counts, length) in zip(self._sections, texts, strict=True):
            counts_of_sections[section_index] += counts
            lengths[section_index] += length
        sections = list(zip(counts_of_sections, lengths, strict=True))
        self._scorer = _Bm25(texts, _B)
        self._scorer_of_sections = _Bm25(sections, _B_SECTION)

    def ranked(self, weights: Mapping[str, float], query: PointQuery) -> Iterator[Ranked]:
        """Yield the excerpts that share a word of the point, best first."""
        rarities = {word: self._scorer.rarity(word) * weight for word, weight in weights.items()}
        words_of_point = keywords(plain_text(query.point))
        rarities_of_point = {word: rarities[word] for word in words_of_point if word in weights}
        total = sum(rarities_of_point.values()) or 1.0
        shares: dict[int, float] = defaultdict(float)
        for word, rarity in rarities_of_point.items():
            for n in self._scorer.counts.get(word, ()):
                shares[n] += rarity / total
        scores = self._scorer.scores(rarities)
        of_sections = self._scorer_of_sections.scores(rarities)
        scale = math.sqrt(max(_FEW, len(rarities_of_point))) / total
        rounded = {}
        for n in shares:
            own_and_whole = scores[n] + _WHOLE * of_sections[self._sections[n]]
            score = scale * self._factors[n] * own_and_whole
            rounded[n] = round(score, _DIGITS)
        # Of equal scores, the excerpt that comes first is first.
        for n in sorted(rounded, key=lambda n: (-rounded[n], n)):
            share = round(shares[n], _DIGITS)
            yield Ranked(self._every[n], rounded[n], share, self._factors[n])


def visible(excerpt: Excerpt) -> str:
    """Return the text of an excerpt as a reader sees it."""
    texts = [
        words(passage.text) if passage.is_markdown else fold(passage.text)
        for passage in excerpt.passages
    ]
    return " ".join(texts)


def _counts(excerpt: Excerpt, vocabulary: frozenset[str]) -> tuple[Counter[str], int]:
    """Return the weighted counts of an excerpt's words and of those above it, and its length."""
    text = keywords(visible(excerpt))
    term = keywords(excerpt.term)
    nearest = set(keywords(" ".join(excerpt.headings[-1:])))
    outer = set(keywords(" ".join((excerpt.title, *excerpt.headings[:-1])))) - nearest
    counts: Counter[str] = Counter(word for word in text if word in vocabulary)
    for above, weight in ((term, _TERM), (nearest, _HEADING), (outer, _OUTER)):
        for word in vocabulary.intersection(above):
            counts[word] += weight  # type: ignore[assignment]
    return counts, len(text)


# --- repetition -----------------------------------------------------------------------------------

_RUN = 3
"""Length in words of the runs that are compared."""
_SAME = 0.8
"""Minimum share of an excerpt's runs in another one to repeat it."""


@dataclass(frozen=True, slots=True)
class _ComparedText:
    """The words of an excerpt, and its runs of words."""

    words: frozenset[str]
    runs: frozenset[tuple[str, ...]]

    def repeats(self, other: _ComparedText) -> bool:
        """Return whether the text says nothing that the other one does not say."""
        if not self.words <= other.words:
            return False
        return len(self.runs & other.runs) >= _SAME * len(self.runs)


def _comparable_text(excerpt: Excerpt) -> _ComparedText:
    """Return the text of an excerpt to compare."""
    all_words = keywords(visible(excerpt))
    starts = range(max(1, len(all_words) - _RUN + 1))
    runs = frozenset(tuple(all_words[start : start + _RUN]) for start in starts)
    return _ComparedText(frozenset(all_words), runs)


def without_repetition(ranked: Sequence[Ranked], limit: int) -> tuple[Ranked, ...]:
    """Return the first `limit` excerpts that add something to the better ones.

    That is other text, or a word that they lack.
    """
    distinct: list[Ranked] = []
    texts: list[_ComparedText] = []
    for candidate in ranked:
        if len(distinct) == limit:
            break
        text = _comparable_text(candidate.excerpt)
        if not any(map(text.repeats, texts)):
            distinct.append(candidate)
            texts.append(text)
    return tuple(distinct)
