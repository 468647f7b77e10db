"""Select the passages of a page: the best for each point, each once, with no site dominating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

MAX_A_POINT = 5
"""Maximum number of units per point."""
MIN_SITES = 3
"""Number of sites that a page should quote if so many have answers; then none may have more than half of it."""
_AGAIN = 0.8
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
        every = [(answer, point) for point in points for answer in point.answers]
        self._available = len({answer[0].site for answer, _ in every})
        place = {id(point): n for n, point in enumerate(points)}
        self._answers = sorted(every, key=lambda a: (-a[0][1], place[id(a[1])], a[0][0].number))

    def give_each_its_best(self) -> None:
        """Choose the best answer of each point; a unit that several points want goes to the one it answers best."""
        for (unit, relevance), point in self._answers:
            if not point.chosen and self._is_free(unit):
                self._add(point, unit, relevance)

    def fill(self) -> None:
        """Add answers while there is room: in each round one more for each point, in the outline's order."""
        for count in range(2, MAX_A_POINT + 1):
            for point in self._points:
                if point.chosen and len(point.chosen) < count:
                    self._give_one_more(point)

    def _give_one_more(self, point: Point) -> None:
        """Add the best remaining answer that is good enough, fits, and is not from a dominant site.

        A site that the point has already counts less for each time.
        """
        good = _LIKE_THE_BEST * point.answers[0][1]
        own = Counter(unit.site for unit, _ in point.chosen)
        rated = [
            (round(relevance * _AGAIN ** own[unit.site], 6), unit, relevance)
            for unit, relevance in point.answers
            if relevance >= good and self._room[point.section] >= unit.lines and self._is_free(unit)
        ]
        for _, unit, relevance in sorted(rated, key=lambda row: (-row[0], row[1].number)):
            if not self._is_dominant(unit):
                self._add(point, unit, relevance)
                return

    def bring_in_sites(self) -> None:
        """Add the best answer from a site that is not quoted yet, while there are too few sites."""
        for (unit, relevance), point in self._answers:
            sites = self._sites()
            if len(sites) < MIN_SITES and unit.site not in sites and self._is_free(unit):
                self._add(point, unit, relevance)

    def balance(self) -> None:
        """While a site has more than half, add an answer from another one, or else drop the weakest of its own."""
        while (site := self._dominant()) is not None:
            others = (a for a in self._answers if a[0][0].site != site and len(a[1].chosen) < MAX_A_POINT)
            more = next(((answer, point) for answer, point in others if self._is_free(answer[0])), None)
            if more:
                self._add(more[1], *more[0])
            else:
                self._drop(site)

    def _drop(self, site: str) -> None:
        """Drop the site's weakest answer, preferring points that have other answers."""
        own = [(point, answer) for point in self._points for answer in point.chosen if answer[0].site == site]
        point, answer = min(own, key=lambda row: (len(row[0].chosen) == 1, row[1][1], -row[1][0].number))
        point.chosen.remove(answer)
        if not point.chosen:
            point.left_out.append(answer[0].source)

    def _dominant(self) -> str | None:
        sites = self._sites()
        if len(sites) < MIN_SITES:
            return None
        site, count = min(sites.items(), key=lambda row: (-row[1], row[0]))
        return site if 2 * count > sites.total() else None

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

    def _is_free(self, unit: Unit) -> bool:
        """Return whether the unit was never on the page; dropped units stay out."""
        return unit.number not in self._used
