"""Which passages a page gets: the best for each point, each once, and no site above the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

MAX_A_POINT = 5
"""Units of one point, at most."""
MIN_SITES = 3
"""So many sites a page has where so many answer; only then none may have more than half of it."""
_AGAIN = 0.8
_LIKE_THE_BEST = 0.5
"""A further unit of a point has at least this share of the best one's relevance."""


@dataclass(frozen=True, slots=True)
class Unit:
    """An excerpt: a passage, or several that touch in the source."""

    number: int
    source: str
    site: str
    """Whose it is: the host, or the document itself where it has none."""
    size: int
    """How many passages it has."""
    lines: int
    """How many lines it takes on a page."""


@dataclass(slots=True)
class Point:
    """One point of the outline, with what answers it."""

    section: int
    answers: tuple[tuple[Unit, float], ...]
    """The units above the floor with their relevance, best first."""
    chosen: list[tuple[Unit, float]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Sources whose answers gave way, so that they do not speak for more than half of the page."""


def choose(points: Sequence[Point], lines: Sequence[int]) -> None:
    """Fills `chosen` and `left_out` of the points; `lines` is what each section has room for."""
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
        """The best answer of each point, where several want one, to the point that it answers best."""
        for (unit, relevance), point in self._answers:
            if not point.chosen and self._is_free(unit):
                self._add(point, unit, relevance)

    def fill(self) -> None:
        """Further answers while there is room: in each round one more for each point, in the outline's order."""
        for count in range(2, MAX_A_POINT + 1):
            for point in self._points:
                if point.chosen and len(point.chosen) < count:
                    self._give_one_more(point)

    def _give_one_more(self, point: Point) -> None:
        """The best answer left that is good, has room, and is of no site that has half of the page.

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
        """The best answer of a site that the page has nothing of, as long as it has too few sites."""
        for (unit, relevance), point in self._answers:
            sites = self._sites()
            if len(sites) < MIN_SITES and unit.site not in sites and self._is_free(unit):
                self._add(point, unit, relevance)

    def balance(self) -> None:
        """Until no site has more than half: an answer of another one comes in, else the weakest of its own goes."""
        while (site := self._dominant()) is not None:
            others = (a for a in self._answers if a[0][0].site != site and len(a[1].chosen) < MAX_A_POINT)
            more = next(((answer, point) for answer, point in others if self._is_free(answer[0])), None)
            if more:
                self._add(more[1], *more[0])
            else:
                self._drop(site)

    def _drop(self, site: str) -> None:
        """The weakest answer of the site goes; one that its point has others beside, where there is one."""
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
        """Whether the unit's site would have more than half of the page with it."""
        sites = self._sites()
        return self._available >= MIN_SITES and 2 * (sites[unit.site] + unit.size) > sites.total() + unit.size

    def _sites(self) -> Counter[str]:
        """How many passages of each site the page has."""
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
        """Whether the page has not had the unit; what was dropped stays out."""
        return unit.number not in self._used
