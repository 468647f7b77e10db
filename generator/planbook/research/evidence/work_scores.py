"""Score works by their passages, titles and sizes: which a writer needs first. Pure.

Works with the best passages about all points of a section come first, more so if their titles name
what a point asks for or have no other word than its points, and less if they are long: what is long
and about everything has a good passage on anything.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from planbook.markdown.words import keywords
from planbook.research.drafts import Brief, Evidence, Source
from planbook.research.evidence.subject import find_contributors_works, subject_words

_FURTHER, _FURTHER_PASSAGES = 0.15, 3
"""The factor of the scores of passages of a work behind its best one, and their number."""
_TITLE_WORDS = 4
"""Number of words of a point, its rarest in titles, that a title can name."""
_OF_TITLE = 0.2
"""The factor of a title of which the points of a section have every word: ``Fencing``."""
_LONG, _BY_LENGTH = 3_000, 0.2
"""Size in tokens from which on a work counts less, and by which part for each doubling."""
_FOR_CONTRIBUTORS = 0.4
"""The factor of what is for those who develop or present the product."""
CHARS_PER_TOKEN = 4
"""Characters that count as one token; English prose has between four and five."""


def score_works(
    brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence]
) -> Mapping[str, float]:
    """Return the scores of works by their ids; works without one have nothing on the points.

    Args:
        brief: the page.
        sources: the works that were read for it.
        evidence: the passages of each of its points.
    """
    titles = _Titles(brief, sources)
    contributors_works = find_contributors_works(brief, sources)
    scores: dict[str, float] = defaultdict(float)
    for section, group in groupby(evidence, key=lambda point: point.section):
        points = list(group)
        asked = _words_asked(brief, section, points)
        for name, score in _scores_for_section(points, titles, asked).items():
            scores[name] += score
    for source in sources:
        if source.id in scores:
            tokens = len(source.fetched.text) / CHARS_PER_TOKEN
            doublings = max(0.0, math.log2(max(tokens, 1) / _LONG))
            scores[source.id] *= max(0.0, 1 - _BY_LENGTH * doublings)
            scores[source.id] *= _FOR_CONTRIBUTORS if source.id in contributors_works else 1
    return scores


def _words_asked(brief: Brief, section: int, points: Sequence[Evidence]) -> frozenset[str]:
    """Return the words of a section's title and points."""
    titles = [part.title for part in brief.outline[section : section + 1]]
    return frozenset(keywords(" ".join([*titles, *(point.point for point in points)])))


def _scores_for_section(
    points: Sequence[Evidence], titles: _Titles, asked: frozenset[str]
) -> dict[str, float]:
    """Return the score of each work for the points of a section.

    Args:
        points: the points.
        titles: the titles of the works.
        asked: the words of the section.
    """
    scores: dict[str, float] = defaultdict(float)
    for point in points:
        for name, score in _scores_for(point, titles):
            scores[name] += score
    best_possible = sum(_best_score(point) for point in points)
    for name in titles.names:
        share = titles.share_asked_for(name, asked)
        if share:
            scores[name] += _OF_TITLE * share * best_possible
    return scores


def _best_score(point: Evidence) -> float:
    """Return the score of the best passage for a point; 0 without one."""
    return max((ranked.score for ranked in point.ranked), default=0.0)


def _scores_for(point: Evidence, titles: _Titles) -> Iterator[tuple[str, float]]:
    """Yield the id of each work with its score for a point."""
    of_work: dict[str, list[float]] = defaultdict(list)
    for ranked in point.ranked:
        of_work[ranked.excerpt.source].append(ranked.score)
    best = _best_score(point)
    for name in titles.names:
        first, *further = sorted(of_work.get(name, [0.0]), reverse=True)
        work_score = first + _FURTHER * sum(further[:_FURTHER_PASSAGES])
        score = work_score + best * titles.share_of(point.point, name)
        if score:
            yield name, score


class _Titles:
    """The titles and file names of works, and how telling their words are."""

    def __init__(self, brief: Brief, sources: Sequence[Source]) -> None:
        self._words = {
            source.id: frozenset(keywords(f"{source.title} {_name_of_file(source)}"))
            for source in sources
        }
        self._subject = frozenset(keywords(" ".join(subject_words(brief))))
        self._counts = Counter(word for words in self._words.values() for word in words)

    @property
    def names(self) -> Sequence[str]:
        """The ids of the works."""
        return tuple(self._words)

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._words) / (1 + self._counts[word]))

    def share_of(self, point: str, name: str) -> float:
        """Return the share of the telling words of a point that the title of a work has."""
        wanted = frozenset(keywords(point)) - self._subject
        weights = sorted(map(self._weight, wanted), reverse=True)
        total = sum(weights[:_TITLE_WORDS])
        return sum(map(self._weight, wanted & self._words[name])) / total if total else 0.0

    def share_asked_for(self, name: str, asked: frozenset[str]) -> float:
        """Return the share of the telling words of a work's title that points have.

        Args:
            name: the id of the work.
            asked: the words of the points.
        """
        title = self._words[name] - self._subject
        total = sum(map(self._weight, title))
        return sum(map(self._weight, title & asked)) / total if total else 0.0


def _name_of_file(source: Source) -> str:
    """Return the name of the file of a work as words."""
    return source.path.stem.replace("-", " ").replace("_", " ")
