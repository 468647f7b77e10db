"""The writer that invents nothing: what stands on its pages stands in the sources, word for word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from generator.drafts import Brief, Draft, Evidence, Passage, Source
from generator.page.parse import parse_page
from generator.research.compose.page import Answer, Maker, page_draft
from generator.rules.limits import lines_range

_MADE = (
    "A program put them together by extraction on {day}: what stands in block quotes and in code is word for word what "
    "the sources say, and the lines between only say whose words they are."
)


@dataclass(frozen=True, slots=True)
class ExtractWriter:
    """Quotes the evidence, in its order."""

    name: str = "extract"

    def write(self, brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], day: date) -> Draft:
        """The page of quotes: of all the evidence, or of as much as the budget has room for.

        Where it is short, there was no more. Where it would be too long, further quotes of a point go first, the
        weakest of the site that has most of them; then code and tables, whose explanation stays.
        """
        maker = Maker(self.name, _MADE.format(day=day.isoformat()))
        rows = [_Row(found, _units(found.passages)) for found in evidence]
        sites = {source.id: source.site for source in sources}
        while True:
            answers = [Answer(row.found.section, row.found.point, row.passages, row.found.elsewhere) for row in rows]
            draft = page_draft(brief, sources, answers, day, maker)
            if not _is_too_long(brief, draft) or not _shorten(rows, sites):
                return replace(draft, is_thin=True)


@dataclass(slots=True)
class _Row:
    """The evidence of one point, with what of it is left."""

    found: Evidence
    units: list[tuple[Passage, ...]]

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What is left, in order."""
        return tuple(passage for unit in self.units for passage in unit)


def _units(passages: Sequence[Passage]) -> list[tuple[Passage, ...]]:
    """The excerpts that passages are of."""
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


def _shorten(rows: Sequence[_Row], sites: dict[str, str]) -> bool:
    """Takes one unit away, or what is explained in one; whether there was any to take."""
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
