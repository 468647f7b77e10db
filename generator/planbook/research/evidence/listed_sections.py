"""The contents of works: their sections with their sizes, to choose from what to read. Pure.

A runner's page quotes about two hundred passages of thirty works, and no ranking by words has more
than a third of them among the twenty best of each point. Their headings tell a reader more, and a
line of them costs a fiftieth of their text.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from planbook.research.drafts import Excerpt
from planbook.research.evidence.dossier import Dossier
from planbook.research.evidence.passages import is_change_log
from planbook.research.evidence.work_scores import CHARS_PER_TOKEN, score_works

HEADING_CHARS = 60
"""Characters of a heading in a list of sections; most are shorter."""
_OF_WORK = 1.0
"""The weight of the score of a work, relative to that of a section for one point."""


@dataclass(frozen=True, slots=True)
class WorkSection:
    """Consecutive passages of a work below one heading."""

    work: str
    headings: tuple[str, ...]
    first: int
    last: int
    """The numbers of its first and its last passage."""
    tokens: int
    """The size of its passages as they are printed."""

    @property
    def place(self) -> str:
        """Its passages, as a reader asks for them behind the id of the work: ``#3-7``."""
        return f"#{self.first}" if self.first == self.last else f"#{self.first}-{self.last}"

    @property
    def heading(self) -> str:
        """Its nearest heading, shortened; empty if it stands above the first one."""
        nearest = self.headings[-1] if self.headings else ""
        return textwrap.shorten(nearest, HEADING_CHARS, placeholder="…")


def sections_of(
    passages: Mapping[str, Excerpt], size_of: Callable[[str, Excerpt], int]
) -> Iterator[WorkSection]:
    """Yield the sections of works, in their order.

    Args:
        passages: all passages of the works, by id.
        size_of: returns the characters of a passage as it is printed.
    """
    for (work, headings), group in groupby(
        passages.items(), key=lambda passage: (passage[1].source, passage[1].headings)
    ):
        section = list(group)
        numbers = [int(name.rpartition("#")[2]) for name, _ in section]
        size = sum(size_of(name, excerpt) for name, excerpt in section)
        yield WorkSection(work, headings, numbers[0], numbers[-1], size // CHARS_PER_TOKEN)


def rank_sections(dossier: Dossier, sections: Sequence[WorkSection]) -> list[WorkSection]:
    """Return the sections that a writer may need, best first.

    The score of a section is the sum over the points of the score of its best passage, relative to
    the best of all, and that of its work: a work on the subject is read for what surrounds the
    answers, too. Change logs are left out.
    """
    logs = {source.id for source in dossier.sources if is_change_log(source)}
    scores = dict.fromkeys((s for s in sections if s.work not in logs), 0.0)
    section_of = {
        (section.work, number): section
        for section in scores
        for number in range(section.first, section.last + 1)
    }
    for point in dossier.points:
        best: dict[WorkSection, float] = defaultdict(float)
        for ranked in point.ranked:
            work, _, number = dossier.passages.id_of(ranked.excerpt).rpartition("#")
            section = section_of[work, int(number)]
            best[section] = max(best[section], ranked.score / point.ranked[0].score)
        for section, share in best.items():
            scores[section] += share
    works = score_works(dossier.brief, dossier.sources, dossier.evidence)
    highest = max(works.values(), default=0.0) or 1.0
    for section in scores:
        scores[section] += _OF_WORK * works.get(section.work, 0.0) / highest
    return sorted(scores, key=lambda section: -scores[section])
