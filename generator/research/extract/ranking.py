"""Rank passages by relevance to a point of the outline, by BM25 with a minimum; choose those of a page.

See docs/decisions/0013-extraction.md for the choice.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator.drafts import PassageKind
from generator.markdown.plain_text import plain_text
from generator.markdown.words import terms, tokens

_SCHEMA = "CREATE VIRTUAL TABLE units USING fts5(words, context, tokenize = 'porter unicode61', detail = full)"
_CONTEXT_WEIGHT = 0.5
"""Weight of a term in the headings above a passage, relative to one in the passage."""
_CODE_WEIGHT = 2.0
"""Weight of a name written as code in the point, relative to its other words."""
_BM25 = "SELECT rowid, -bm25(units, 1.0, ?) FROM units WHERE units MATCH ?"
_SECTION_WEIGHT, _TITLE_WEIGHT = 0.3, 0.15
"""Weights of the words in the section's and the page's title, relative to those in the point."""
_MIN_SHARE = 0.2
"""Minimum weighted share of a point's terms in a passage; calibrated on CLAPnq (see decision 0029)."""
_DIGITS = 6
"""Number of decimals of a score: machines may differ in the last bits of a logarithm."""
_CODE = re.compile(r"`([^`]+)`")
_KIND_BONUS = 0.15
_ASKS_FOR = {
    PassageKind.CODE: re.compile(
        r"`|\b(?:code|examples?|commands?|scripts?|syntax|config\w*|snippets?|API|usage)\b", re.IGNORECASE
    ),
    PassageKind.TABLE: re.compile(
        r"\b(?:tables?|matrix|compar\w+|versus|vs|sizes?|weighs?|costs?|numbers|figures|benchmarks?"
        r"|how (?:large|big|much|many|long|fast|small|heavy))\b",
        re.IGNORECASE,
    ),
}
"""Words of a point that a passage of this kind answers best."""


@dataclass(frozen=True, slots=True)
class PointTerms:
    """One point of the outline as search terms."""

    point: tuple[str, ...]
    section: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    code: frozenset[str] = frozenset()
    """The terms that the point writes as code: names, which have more weight."""
    kinds: frozenset[PassageKind] = frozenset()
    """The kinds of passage that its words ask for: code, a table."""


def point_terms(point: str, section: str, title: str) -> PointTerms:
    """Return the terms of a point, of its section and of the page's title, each only where its weight is highest."""
    code = dict.fromkeys(token for span in _CODE.findall(point) for token in tokens(span))
    own = dict.fromkeys((*terms(plain_text(point)), *code))
    around = [term for term in terms(plain_text(section)) if term not in own]
    above = [term for term in terms(plain_text(title)) if term not in own and term not in around]
    kinds = frozenset(kind for kind, words in _ASKS_FOR.items() if words.search(point))
    return PointTerms(tuple(own), tuple(around), tuple(above), frozenset(code), kinds)


class Index:
    """A full-text index of excerpts by their words, their headings and the kinds of their passages."""

    def __init__(self, texts: Sequence[tuple[Sequence[str], str, frozenset[PassageKind]]]) -> None:
        self._kinds = [kinds for _, _, kinds in texts]
        self._base = sqlite3.connect(":memory:")
        try:
            self._base.execute(_SCHEMA)
        except sqlite3.OperationalError as error:
            raise RuntimeError("passages are ranked by SQLite's FTS5, which this Python's SQLite lacks") from error
        rows = ((n, _written(words), _written(tokens(context))) for n, (words, context, _) in enumerate(texts))
        self._base.executemany("INSERT INTO units (rowid, words, context) VALUES (?, ?, ?)", rows)
        self._holding: dict[str, tuple[frozenset[int], frozenset[int]]] = {}

    def close(self) -> None:
        """Free the memory."""
        self._base.close()

    def ranked(self, wanted: PointTerms) -> tuple[tuple[int, float], ...]:
        """Return the texts that answer, by index with their relevance, best first.

        A text answers if it has a large enough weighted share of the point's terms, and at least one of them itself;
        with two or more terms, at least two. A term that is only in its headings counts half. Relevance is that share
        (0 to 1), plus up to 0.5 for BM25 relative to the best, plus a little for the kind of passage that the point
        asks for.
        """
        answers = self._shares(wanted)
        scores = {n: score for n, score in self._scores(wanted).items() if n in answers}
        best = max(scores.values(), default=0.0) or 1.0
        bonus = {n: _KIND_BONUS if self._kinds[n] & wanted.kinds else 0.0 for n in answers}
        found = [
            (n, round(share + 0.5 * scores.get(n, 0.0) / best + bonus[n], _DIGITS)) for n, share in answers.items()
        ]
        return tuple(sorted(found, key=lambda text: (-text[1], text[0])))

    def _shares(self, wanted: PointTerms) -> Mapping[int, float]:
        """Return the weighted share of terms in each text that answers by its words."""
        weights = {term: self._weight(term) * (_CODE_WEIGHT if term in wanted.code else 1) for term in wanted.point}
        total = sum(weights.values())
        if not total:
            return {}
        shares: Counter[int] = Counter()
        held: Counter[int] = Counter()
        own: set[int] = set()
        for term, weight in weights.items():
            inside, anywhere = self._held(term)
            own |= inside
            held.update(anywhere)
            shares.update({n: weight * (1 if n in inside else _CONTEXT_WEIGHT) / total for n in sorted(anywhere)})
        enough = min(2, len(weights))
        rounded = {n: round(share, _DIGITS) for n, share in shares.items()}
        return {n: share for n, share in rounded.items() if n in own and held[n] >= enough and share >= _MIN_SHARE}

    def _scores(self, wanted: PointTerms) -> Mapping[int, float]:
        scores: Counter[int] = Counter()
        parts = ((wanted.point, 1.0), (wanted.section, _SECTION_WEIGHT), (wanted.title, _TITLE_WEIGHT))
        for words, weight in parts:
            query = " OR ".join(f'"{_word(term)}"' for term in words)
            for n, score in self._base.execute(_BM25, (_CONTEXT_WEIGHT, query)) if words else ():
                scores[n] += weight * round(score, _DIGITS)
        return scores

    def _weight(self, term: str) -> float:
        """Return the weight of a term: the rarer, the higher. A term in no text weighs as one in a single text."""
        count = max(1, len(self._held(term)[1]))
        return math.log(1 + (len(self._kinds) - count + 0.5) / (count + 0.5)) if len(self._kinds) else 0.0

    def _held(self, term: str) -> tuple[frozenset[int], frozenset[int]]:
        """Return the texts that hold the term in any form: in themselves, and in themselves or their headings."""
        if term not in self._holding:
            inside, anywhere = (
                frozenset(
                    int(n) for (n,) in self._base.execute("SELECT rowid FROM units WHERE units MATCH ?", (query,))
                )
                for query in (f'words : "{_word(term)}"', f'"{_word(term)}"')
            )
            self._holding[term] = inside, anywhere
        return self._holding[term]


def _written(words: Sequence[str]) -> str:
    return " ".join(map(_word, words))


def _word(token: str) -> str:
    """Return the token as one word for SQLite, which would split numbers at their points."""
    return token.replace(".", "p")


# --- selection -----------------------------------------------------------------------------------------------------

MAX_A_POINT = 5
"""Maximum number of units per point."""
MIN_SITES = 3
"""Number of sites that a page should quote if so many have answers; then none may have more than half of it."""
_LIKE_THE_BEST = 0.5
"""Minimum relevance of a further unit of a point, relative to the best one."""


@dataclass(frozen=True, slots=True)
class Unit:
    """An excerpt: a passage, or several adjacent ones."""

    number: int
    source: str
    site: str
    """The host, or the document itself if it has none."""
    size: int
    """Number of passages."""
    lines: int
    """Number of lines on a page."""


@dataclass(slots=True)
class Point:
    """One point of the outline and its answers."""

    section: int
    answers: tuple[tuple[Unit, float], ...]
    """The units above the minimum with their relevance, best first."""
    chosen: list[tuple[Unit, float]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Sources whose answers were left out because they would fill more than half of the page."""


def choose(points: Sequence[Point], lines: Sequence[int]) -> None:
    """Fill `chosen` and `left_out` of the points; `lines` is the room in lines of each section."""
    page = _Page(points, list(lines))
    page.give_each_its_best()
    page.fill()
    page.bring_in_sites()
    page.balance()
    for point in points:
        point.chosen.sort(key=lambda answer: (-answer[1], answer[0].number))


class _Page:
    def __init__(self, points: Sequence[Point], room: list[int]) -> None:
        self._points = points
        self._room = room
        self._used: set[int] = set()
        every = [(point, *answer) for point in points for answer in point.answers]
        self._answers = sorted(every, key=lambda answer: -answer[2])
        self._available = len({unit.site for _, unit, _ in every})

    def give_each_its_best(self) -> None:
        """Choose the best answer of each point; a unit that several points want goes to the one it answers best."""
        for point, unit, relevance in self._free():
            if not point.chosen:
                self._add(point, unit, relevance)

    def fill(self) -> None:
        """Add answers while there is room: in each round one more for each point, in the outline's order."""
        for count in range(2, MAX_A_POINT + 1):
            for point in self._points:
                if point.chosen and len(point.chosen) < count and (more := self._best_left(point)):
                    self._add(point, *more)

    def _best_left(self, point: Point) -> tuple[Unit, float] | None:
        """Return the best remaining answer that is good enough, fits, and is not from a dominant site."""
        good, room = _LIKE_THE_BEST * point.answers[0][1], self._room[point.section]
        fitting = (
            (unit, relevance)
            for unit, relevance in point.answers
            if relevance >= good and unit.lines <= room and unit.number not in self._used
        )
        return next((answer for answer in fitting if not self._is_dominant(answer[0])), None)

    def bring_in_sites(self) -> None:
        """Add the best answer from a site that is not quoted yet, while there are too few sites."""
        for point, unit, relevance in self._free():
            sites = self._sites()
            if len(sites) < MIN_SITES and unit.site not in sites:
                self._add(point, unit, relevance)

    def balance(self) -> None:
        """While a site has more than half, add an answer from another one, or else drop the weakest of its own."""
        while site := self._dominant():
            others = ((p, u, r) for p, u, r in self._free() if u.site != site and len(p.chosen) < MAX_A_POINT)
            if more := next(others, None):
                self._add(*more)
            else:
                self._drop(site)

    def _drop(self, site: str) -> None:
        """Drop the site's weakest answer, preferring points that have other answers."""
        own = [(point, answer) for point in self._points for answer in point.chosen if answer[0].site == site]
        point, answer = min(own, key=lambda row: (len(row[0].chosen) == 1, row[1][1], -row[1][0].number))
        point.chosen.remove(answer)
        if not point.chosen:
            point.left_out.append(answer[0].source)

    def _dominant(self) -> str:
        """Return the site with more than half of the page; empty if there is none, or if there are too few sites."""
        sites = self._sites()
        found = (site for site, count in sites.items() if 2 * count > sites.total())
        return next(found, "") if len(sites) >= MIN_SITES else ""

    def _is_dominant(self, unit: Unit) -> bool:
        """Return whether the unit's site would fill more than half of the page if it were added."""
        sites = self._sites()
        return self._available >= MIN_SITES and 2 * (sites[unit.site] + unit.size) > sites.total() + unit.size

    def _sites(self) -> Counter[str]:
        """Return the number of passages of each site on the page."""
        count: Counter[str] = Counter()
        for point in self._points:
            for unit, _ in point.chosen:
                count[unit.site] += unit.size
        return count

    def _add(self, point: Point, unit: Unit, relevance: float) -> None:
        point.chosen.append((unit, relevance))
        self._room[point.section] -= unit.lines
        self._used.add(unit.number)

    def _free(self) -> Iterator[tuple[Point, Unit, float]]:
        """Yield the answers that were never on the page, best first; dropped ones stay out."""
        return (answer for answer in self._answers if answer[1].number not in self._used)
