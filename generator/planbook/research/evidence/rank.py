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
from collections.abc import Collection, Iterator, Mapping, Sequence
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
FEW_DOCUMENTS = 12
"""The size of a folder of one's own up to which all of its documents count.

Somebody has chosen each.
"""
_FEW = 2
"""Number of words up to which a point of fewer words is not harder to find."""
_WHOLE = 0.3
"""Weight of the score of the section that an excerpt is from."""
_SECTION, _TITLE = 0.2, 0.1
"""Weights of the words of the section's and the page's title, relative to those of the point."""
_DIGITS = 6
"""Number of decimals of a score: machines may differ in the last bits of a logarithm."""
_OTHER_SUBJECT = 0.5
"""Factor of the scores of a document that seems to be about something else."""
_AS_MUCH = 0.5
"""Share of what those that name the subject most do, from which a folder's documents are on it."""
_SEVERAL = 2
"""Number of queries from which their common words tell the subject."""
_DOCUMENTS_DEPTH = 2
"""Number of parts of a local document's path up to the folder of documents: ``/documents``."""
_FIRST_SCREEN = 1_500
"""Characters of a document's text that a reader sees first."""
_STOP_STEMS = frozenset(map(stem, OUTLINE_WORDS))


@dataclass(frozen=True, slots=True)
class PointQuery:
    """One point of the outline, as Markdown, with the titles above it."""

    point: str
    section: str = ""
    title: str = ""


def rank(
    every: Sequence[Excerpt],
    queries: Sequence[PointQuery],
    factors: Mapping[str, float] | None = None,
) -> tuple[tuple[Ranked, ...], ...]:
    """Return the excerpts that share a word with each query, best first; one row per query.

    `factors` multiplies the scores of the excerpts of a source, by its id; others have 1.
    """
    wanted = [_weights(query) for query in queries]
    vocabulary = frozenset(word for weights in wanted for word in weights)
    index = _Index(every, vocabulary, factors or {})
    return tuple(
        tuple(index.ranked(weights, query)) for weights, query in zip(wanted, queries, strict=True)
    )


def find_evidence(brief: Brief, sources: Sequence[Source]) -> tuple[Evidence, ...]:
    """Return the best excerpts for each point of the outline, in its order.

    A section without points is one point. A section that lists the sources needs no evidence. The
    order of `sources` makes no difference.
    """
    about = sources_on_subject(brief, sources)
    every = [excerpt for n, source in enumerate(about, 1) for excerpt in excerpts(source, n)]
    places = []
    queries = []
    for place, section in enumerate(brief.outline):
        titles = " ".join((section.title, *section.include))
        for point in points_of(section):
            places.append(place)
            queries.append(PointQuery(point, titles, brief.title))
    ranked = rank(every, queries, factors_of(brief, about))
    return tuple(map(_evidence_of, places, queries, ranked))


def _evidence_of(place: int, query: PointQuery, ranked: Sequence[Ranked]) -> Evidence:
    """Return the best excerpts for one point of the section at this place, and what they say."""
    best = without_repetition(ranked, TOP)
    judged = judge_best(query.point, best)
    return Evidence(
        place,
        query.point,
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
        every = keywords(plain_text(text))
        telling = [word for word in every if word not in _STOP_STEMS]
        for word in telling or every:
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
        every: Sequence[Excerpt],
        vocabulary: frozenset[str],
        factors: Mapping[str, float],
    ) -> None:
        self._every = every
        self._factors = [factors.get(excerpt.source, 1.0) for excerpt in every]
        self._sections: list[int] = []
        """The number of each excerpt's section."""
        numbers: dict[tuple[str, tuple[str, ...]], int] = {}
        for excerpt in every:
            section = (excerpt.source, excerpt.headings)
            numbers.setdefault(section, len(numbers))
            self._sections.append(numbers[section])
        texts = [_counts(excerpt, vocabulary) for excerpt in every]
        counts_of_sections = [Counter[str]() for _ in numbers]
        lengths = [0] * len(numbers)
        for number, (counts, length) in zip(self._sections, texts, strict=True):
            counts_of_sections[number] += counts
            lengths[number] += length
        sections = list(zip(counts_of_sections, lengths, strict=True))
        self._scorer = _Bm25(texts, _B)
        self._scorer_of_sections = _Bm25(sections, _B_SECTION)

    def ranked(self, weights: Mapping[str, float], query: PointQuery) -> Iterator[Ranked]:
        """Yield the excerpts that share a word of the point, best first."""
        rarities = {word: self._scorer.rarity(word) * weight for word, weight in weights.items()}
        words_of_point = keywords(plain_text(query.point))
        own = {word: rarities[word] for word in words_of_point if word in weights}
        total = sum(own.values()) or 1.0
        shares: dict[int, float] = defaultdict(float)
        for word, rarity in own.items():
            for n in self._scorer.counts.get(word, ()):
                shares[n] += rarity / total
        scores = self._scorer.scores(rarities)
        of_sections = self._scorer_of_sections.scores(rarities)
        scale = math.sqrt(max(_FEW, len(own))) / total
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


def _compared(excerpt: Excerpt) -> _ComparedText:
    """Return the text of an excerpt to compare."""
    every = keywords(visible(excerpt))
    starts = range(max(1, len(every) - _RUN + 1))
    runs = frozenset(tuple(every[start : start + _RUN]) for start in starts)
    return _ComparedText(frozenset(every), runs)


def without_repetition(ranked: Sequence[Ranked], limit: int) -> tuple[Ranked, ...]:
    """Return the first `limit` excerpts that add something to the better ones.

    That is other text, or a word that they lack.
    """
    kept: list[Ranked] = []
    texts: list[_ComparedText] = []
    for candidate in ranked:
        if len(kept) == limit:
            break
        text = _compared(candidate.excerpt)
        if not any(map(text.repeats, texts)):
            kept.append(candidate)
            texts.append(text)
    return tuple(kept)


# --- the subject ----------------------------------------------------------------------------------

_MARKDOWN_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_PROPER = re.compile(r"(?<!\w)\w*(?:[a-z0-9][A-Z]|[A-Z]{2}|[A-Za-z]\d)\w*")
"""A word that is a name wherever it is: ``FFmpeg``, ``CMake``, ``HTTP2``."""


def sources_on_subject(brief: Brief, sources: Sequence[Source]) -> list[Source]:
    """Return the sources with a text that may answer the points of a page; all if none seems to.

    Of equal excerpts, the first one is kept: so the sources that the plan names come first.
    """
    ordered = sorted(filter(_has_text, sources), key=lambda source: source.id)
    own = [source for source in ordered if not source.host]
    chosen = own if len(own) <= FEW_DOCUMENTS else []
    about = [source for source in ordered if source in chosen or _is_on_subject(source, brief)]
    return sorted(about or ordered, key=lambda source: bool(source.queries))


def _has_text(source: Source) -> bool:
    return bool(source.fetched.text)


def _is_on_subject(source: Source, brief: Brief) -> bool:
    """Return whether a document may answer the points of a page.

    A document that the plan names always may. A name in the page's title is a strict condition;
    words that all queries share are one for the web only: of the manual in somebody's own folder,
    not every page repeats the product's name.
    """
    if not source.queries:
        return True
    names = _names_in_title(brief)
    if names:
        return is_about(source, names)
    return not source.host or is_about(source, _shared_words(brief))


def subject_words(brief: Brief) -> frozenset[str]:
    """Return the words for what a page is about, in lower case.

    They are the names in its title, and the words that most of its queries share.
    """
    return _names_in_title(brief) | _words_of_most_queries(brief)


def _names_in_title(brief: Brief) -> frozenset[str]:
    title = plain_text(brief.title)
    names = {name.casefold() for name in _PROPER.findall(title)}
    return frozenset(names.intersection(unique_words(title)))


def _shared_words(brief: Brief) -> frozenset[str]:
    """Return the words that all queries of a page have; none for a single query."""
    queries = [frozenset(unique_words(query.text)) for query in brief.part.queries]
    return frozenset.intersection(*queries) if len(queries) > 1 else frozenset()


def factors_of(brief: Brief, sources: Sequence[Source]) -> Mapping[str, float]:
    """Return the factor of the scores of sources on another subject, by id; others have 1.

    The documents of one folder, and the pages of one host, are about the same thing: they are about
    the subject if they name it half as much as those of the folder or host that names it most. A
    document that names it as much as those do is about it, wherever it is; so is what the plan
    names.
    """
    named = subject_words(brief)
    words_of = {source.id: frozenset(unique_words(_first_words(source))) for source in sources}
    rarity = {word: _rarity(word, words_of.values()) for word in named}
    collections: dict[str, list[float]] = defaultdict(list)
    shares = {}
    for source in sources:
        shares[source.id] = sum(rarity[word] for word in named & words_of[source.id])
        collections[_collection_of(source)].append(shares[source.id])
    means = {name: sum(own) / len(own) for name, own in collections.items()}
    most = max(means.values(), default=0.0)
    return {
        source.id: _OTHER_SUBJECT
        for source in sources
        if source.queries
        and shares[source.id] < most
        and means[_collection_of(source)] < most * _AS_MUCH
    }


def _rarity(word: str, texts: Collection[frozenset[str]]) -> float:
    """Return the weight of a word of the subject: 0 if all texts have it, or none has it."""
    count = sum(word in text for text in texts)
    return math.log(len(texts) / count) if count else 0.0


def _collection_of(source: Source) -> str:
    """Return what a source is part of: a folder in the folder of documents, or a host."""
    if source.host:
        return source.host
    folders = source.path.parts[:-1]
    return "/".join(folders[: _DOCUMENTS_DEPTH + 1])


def _words_of_most_queries(brief: Brief) -> frozenset[str]:
    """Return the words that more than half of a page's queries have; none for a single query."""
    queries = [frozenset(unique_words(query.text)) for query in brief.part.queries]
    if len(queries) < _SEVERAL:
        return frozenset()
    counts = Counter(word for query in queries for word in query)
    return frozenset(word for word, count in counts.items() if 2 * count > len(queries))


def is_about(source: Source, names: frozenset[str]) -> bool:
    """Return whether a document is about one of the names, if there are any.

    Its address, title, headings or first screen says so.
    """
    if not names:
        return True
    text = _first_words(source).casefold()
    return any(name in text for name in names)


def _first_words(source: Source) -> str:
    """Return what tells the subject of a document: its address, title, headings and beginning."""
    fetched = source.fetched
    headings = _MARKDOWN_HEADING.findall(fetched.text)
    seen_first = (fetched.url, fetched.title or "", *headings, fetched.text[:_FIRST_SCREEN])
    return " ".join(seen_first)
