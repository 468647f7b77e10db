"""Rank the excerpts of a PART's sources for each of its points: BM25 over fields. Pure.

::

    Source ─> excerpts ─> about the subject ─> rank ─────────> without repetition ─> Evidence
              whole       unless named         BM25 by field   what adds nothing goes

See docs/decisions/0038-ranking.md for the choice and the figures.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from planbook.citations.quotes import fold, words
from planbook.citations.source_lists import lists_sources
from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import OUTLINE_WORDS, keywords, stem, unique_words
from planbook.model import Section
from planbook.research.drafts import Brief, Evidence, Excerpt, Ranked, Source
from planbook.research.evidence.acceptance import MANY, Answer, judge_best
from planbook.research.evidence.passages import excerpts

TOP = MANY
"""Number of excerpts to keep for each point."""
_K1, _B, _B_SECTION = 1.2, 0.5, 0.75
_TERM, _HEADING, _OUTER = 1.5, 0.5, 0.1
"""Weights of words of the term that is defined, the nearest heading, and the outer ones with the title; text: 1."""
FEW_DOCUMENTS = 12
"""The size of a folder of one's own up to which all of its documents count: somebody has chosen each."""
_FEW = 2
"""Number of words up to which a point of fewer words is not harder to find."""
_WHOLE = 0.3
"""Weight of the score of the section that an excerpt is from."""
_SECTION, _TITLE = 0.2, 0.1
"""Weights of the words of the section's and the page's title, relative to those of the point."""
_DIGITS = 6
"""Number of decimals of a score: machines may differ in the last bits of a logarithm."""
_FIRST_SCREEN = 1_500
"""Characters of a document's text that a reader sees first."""
_STOP_STEMS = frozenset(map(stem, OUTLINE_WORDS))


@dataclass(frozen=True, slots=True)
class PointQuery:
    """One point of the outline, as Markdown, with the titles above it."""

    point: str
    section: str = ""
    title: str = ""


def rank(every: Sequence[Excerpt], queries: Sequence[PointQuery]) -> tuple[tuple[Ranked, ...], ...]:
    """Return the excerpts that share a word with each query, best first; one row per query."""
    wanted = [_weights(query) for query in queries]
    index = _Index(every, frozenset(word for weights in wanted for word in weights))
    return tuple(tuple(index.ranked(weights, query)) for weights, query in zip(wanted, queries, strict=True))


def evidence(brief: Brief, sources: Sequence[Source]) -> tuple[Evidence, ...]:
    """Return the best excerpts for each point of the outline, in its order; a section without points is one point.

    A section that lists the sources needs no evidence. The order of `sources` makes no difference.
    """
    ordered = sorted((source for source in sources if source.fetched.text), key=lambda source: source.id)
    own = [source for source in ordered if not source.host]
    chosen = own if len(own) <= FEW_DOCUMENTS else []
    about = [source for source in ordered if source in chosen or _is_on_subject(source, brief)] or ordered
    about.sort(key=lambda source: bool(source.queries))  # of equal excerpts, keep the one that the plan names
    every = [excerpt for n, source in enumerate(about, 1) for excerpt in excerpts(source, n)]
    rows = [(n, section, point) for n, section in enumerate(brief.outline) for point in points_of(section)]
    queries = [
        PointQuery(point, " ".join((section.title, *section.include)), brief.title) for _, section, point in rows
    ]
    found = []
    for (n, _, point), row in zip(rows, rank(every, queries), strict=True):
        best = without_repetition(row, TOP)
        judged = judge_best(point, best)
        is_found, is_uncertain = judged.answer is Answer.FOUND, judged.answer is Answer.UNCERTAIN
        found.append(Evidence(n, point, best, is_found, is_uncertain, judged.missing))
    return tuple(found)


def points_of(section: Section) -> tuple[str, ...]:
    """Return the points to research: those of the section, or its title if it has none; none for a list of sources."""
    return () if lists_sources(section.title) else section.points or (section.title,)


def _weights(query: PointQuery) -> Mapping[str, float]:
    """Return the weight of each word of a query; a word in several of its texts has the highest one."""
    weights: dict[str, float] = {}
    for text, weight in ((query.point, 1.0), (query.section, _SECTION), (query.title, _TITLE)):
        found = keywords(plain_text(text))
        for word in [word for word in found if word not in _STOP_STEMS] or found:
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
        """Return the score of each text that has one of the words."""
        found: dict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for n, count in self.counts.get(word, {}).items():
                found[n] += weight * count * (_K1 + 1) / (count + self._norms[n])
        return found


class _Index:
    """The excerpts and their sections by the words of the queries."""

    def __init__(self, every: Sequence[Excerpt], vocabulary: frozenset[str]) -> None:
        self._every = every
        numbers: dict[tuple[str, tuple[str, ...]], int] = {}
        self._sections = [numbers.setdefault((one.source, one.headings), len(numbers)) for one in every]
        texts, wholes = [_counts(one, vocabulary) for one in every], [(Counter[str](), 0)] * len(numbers)
        for n, (counts, length) in zip(self._sections, texts, strict=True):
            wholes[n] = (wholes[n][0] + counts, wholes[n][1] + length)
        self._excerpts, self._wholes = _Bm25(texts, _B), _Bm25(wholes, _B_SECTION)

    def ranked(self, weights: Mapping[str, float], query: PointQuery) -> Iterator[Ranked]:
        """Yield the excerpts that share a word of the point, best first."""
        rarities = {word: self._excerpts.rarity(word) * weight for word, weight in weights.items()}
        own = {word: rarities[word] for word in keywords(plain_text(query.point)) if word in weights}
        total = sum(own.values()) or 1.0
        shares: dict[int, float] = defaultdict(float)
        for word, rarity in own.items():
            for n in self._excerpts.counts.get(word, ()):
                shares[n] += rarity / total
        scores, wholes = self._excerpts.scores(rarities), self._wholes.scores(rarities)
        scale = math.sqrt(max(_FEW, len(own))) / total
        found = [(round(scale * (scores[n] + _WHOLE * wholes[self._sections[n]]), _DIGITS), -n) for n in shares]
        for score, n in sorted(found, reverse=True):
            yield Ranked(self._every[-n], score, round(shares[-n], _DIGITS))


def visible(excerpt: Excerpt) -> str:
    """Return the text of an excerpt as a reader sees it."""
    return " ".join(words(p.text) if p.is_markdown else fold(p.text) for p in excerpt.passages)


def _counts(excerpt: Excerpt, vocabulary: frozenset[str]) -> tuple[Counter[str], int]:
    """Return the weighted counts of an excerpt's words and of those above it, and its length."""
    text = keywords(visible(excerpt))
    nearest = set(keywords(" ".join(excerpt.headings[-1:])))
    outer = set(keywords(" ".join((excerpt.title, *excerpt.headings[:-1])))) - nearest
    counts: Counter[str] = Counter(word for word in text if word in vocabulary)
    for found, weight in ((keywords(excerpt.term), _TERM), (nearest, _HEADING), (outer, _OUTER)):
        for word in vocabulary.intersection(found):
            counts[word] += weight  # type: ignore[assignment]
    return counts, len(text)


# --- repetition --------------------------------------------------------------------------------------------------

_RUN, _SAME = 3, 0.8
"""Length in words of the runs that are compared; minimum share of an excerpt's runs in another one to repeat it."""


def without_repetition(ranked: Sequence[Ranked], limit: int) -> tuple[Ranked, ...]:
    """Return the first `limit` excerpts that add something: other text than the better ones, or a word they lack."""
    kept: list[Ranked] = []
    texts: list[tuple[frozenset[str], frozenset[tuple[str, ...]]]] = []
    for one in ranked:
        if len(kept) == limit:
            break
        text = keywords(visible(one.excerpt))
        own = frozenset(text)
        runs = frozenset(tuple(text[n : n + _RUN]) for n in range(max(1, len(text) - _RUN + 1)))
        if not any(own <= other and len(runs & seen) >= _SAME * len(runs) for other, seen in texts):
            kept.append(one)
            texts.append((own, runs))
    return tuple(kept)


# --- the subject -------------------------------------------------------------------------------------------------

_PROPER = re.compile(r"(?<!\w)\w*(?:[a-z0-9][A-Z]|[A-Z]{2}|[A-Za-z]\d)\w*")
"""A word that is a name wherever it is: ``FFmpeg``, ``CMake``, ``HTTP2``."""


def _is_on_subject(source: Source, brief: Brief) -> bool:
    """Return whether a document may answer the points of a page.

    A document that the plan names always may. A name in the page's title is a strict condition; words that all queries
    share are one for the web only: of the manual in somebody's own folder, not every page repeats the product's name.
    """
    if not source.queries:
        return True
    names = _names_in_title(brief)
    if names:
        return is_about(source, names)
    return not source.host or is_about(source, _shared_words(brief))


def subject(brief: Brief) -> frozenset[str]:
    """Return the names of what a page is about, in lower case: those in its title, else what all its queries share."""
    return _names_in_title(brief) or _shared_words(brief)


def _names_in_title(brief: Brief) -> frozenset[str]:
    title = plain_text(brief.title)
    names = {name.casefold() for name in _PROPER.findall(title)}
    return frozenset(names.intersection(unique_words(title)))


def _shared_words(brief: Brief) -> frozenset[str]:
    """Return the words that all queries of a page have; none for a single query."""
    queries = [set(unique_words(query.text)) for query in brief.part.queries]
    return frozenset(set.intersection(*queries) if len(queries) > 1 else ())


def is_about(source: Source, names: frozenset[str]) -> bool:
    """Return whether a document is about one of the names, by its address, title, headings or first screen."""
    fetched = source.fetched
    headings = " ".join(re.findall(r"^#{1,6} .*$", fetched.text, re.MULTILINE))
    said = f"{fetched.url} {fetched.title or ''} {headings} {fetched.text[:_FIRST_SCREEN]}".casefold()
    return not names or any(name in said for name in names)
