"""The writer that invents nothing: what stands on its pages stands in the sources, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from generator.research.compose.page import Answer, Maker, page_draft
from generator.research.model import Brief, Draft, Evidence, Source

_MADE = (
    "A program put them together by extraction on {day}: what stands in block quotes and in code is word for word what "
    "the sources say, and the lines between only say whose words they are."
)


@dataclass(frozen=True, slots=True)
class ExtractWriter:
    """Quotes the evidence, in its order."""

    name: str = "extract"

    def write(self, brief: Brief, sources: Sequence[Source], evidence: Sequence[Evidence], day: date) -> Draft:
        """The page of quotes. It holds all the evidence: where it is short, there was no more."""
        answers = [Answer(found.section, found.point, found.passages, found.elsewhere) for found in evidence]
        maker = Maker(self.name, _MADE.format(day=day.isoformat()))
        return replace(page_draft(brief, sources, answers, day, maker), is_thin=True)
