"""The extractive writer: it quotes the sources verbatim and adds no statements of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from generator.drafts import Brief, Draft, Evidence, Passage, Source
from generator.page.parse import parse_page
from generator.research.compose.page import Maker, PointContent, page_draft
from generator.rules.limits import lines_range

_MADE = (
    "A program put them together by extraction on {day}: what stands in block quotes and in code is word for word what "
    "the sources say, and the lines between only say whose words they are."
)


@dataclass(frozen=True, slots=True)
class ExtractWriter:
    """Quote the evidence, in its order."""

    name: str = "extract"

    def write(self, brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], day: date) -> Draft:
        """Return a page of quotes: all the evidence, or as much as the budget allows.

        If it is short, there was no more evidence. If it would be too long, further quotes of a point are removed
        first, the weakest of the most quoted site; then the ends of excerpts, longest first.
        """
        maker = Maker(self.name, _MADE.format(day=day.isoformat()))
        rows = [_PointEvidence(found, _units(found.passages)) for found in evidence]
        sites = {source.id: source.site for source in sources}
        while True:
            answers = [
                PointContent(row.found.section, row.found.point, row.passages, row.found.elsewhere) for row in rows
            ]
            draft = page_draft(brief, sources, answers, day, maker)
            if not _is_too_long(brief, draft) or not _shorten(rows, sites):
                return replace(draft, is_thin=True)


@dataclass(slots=True)
class _PointEvidence:
    """The evidence of one point, and the units of it that are kept."""

    found: Evidence
    units: list[tuple[Passage, ...]]

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages that are kept, in order."""
        return tuple(passage for unit in self.units for passage in unit)


def _units(passages: Sequence[Passage]) -> list[tuple[Passage, ...]]:
    """Group passages into excerpts."""
    units: list[tuple[Passage, ...]] = []
    for passage in passages:
        if units and passage.follows == units[-1][-1].id:
            units[-1] = (*units[-1], passage)
        else:
            units.append((passage,))
    return units


def _is_too_long(brief: Brief, draft: Draft) -> bool:
    budget = brief.part.lines_budget
    return budget is not None and parse_page(draft.text, brief.page)[0].lines > lines_range(budget)[1]


def _shorten(rows: Sequence[_PointEvidence], sites: dict[str, str]) -> bool:
    """Remove one excerpt, or the end of one; return whether there was anything to remove."""
    count = Counter(sites[passage.source] for row in rows for passage in row.passages)
    several = [row for row in rows if len(row.units) > 1]
    if several:
        row = max(several, key=lambda row: (count[sites[row.units[-1][0].source]], len(row.units)))
        row.units.pop()
        return True
    explained = [row for row in rows if row.units and len(row.units[0]) > 1]
    if explained:
        row = max(explained, key=lambda row: row.units[0][-1].text.count("\n"))
        row.units[0] = row.units[0][:-1]
        return True
    return False
