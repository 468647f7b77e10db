"""The passages of the works that a page may cite, by their numbers. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planbook.citations.quotes import Readings
from planbook.research.drafts import Excerpt, Source
from planbook.research.evidence.dossier import PassageIndex


class GatheredPassages:
    """The works of a page with their passages, each read when it is first asked for.

    Args:
        works: the works that were gathered for the page.
        references: the gathered work that each reference of the page means, by its id.
    """

    def __init__(self, works: Sequence[Source], references: Mapping[str, Source]) -> None:
        by_id = {source.id: source for source in works}
        self.works: Mapping[str, Source] = {**by_id, **references}
        """The works by the ids that the page may cite them by."""
        self._passages: dict[str, Sequence[Excerpt]] = {}
        self._readings: dict[str, Readings] = {}

    def of_work(self, work: Source) -> Sequence[Excerpt]:
        """Return the passages of a work as `planbook read` and `find` number them, from 1."""
        if work.id not in self._passages:
            index = PassageIndex([work], has_change_logs=True)
            self._passages[work.id] = tuple(index.by_id.values())
        return self._passages[work.id]

    def readings_of(self, work: Source) -> Readings:
        """Return the forms of a work's text in which quotes are looked for."""
        if work.id not in self._readings:
            self._readings[work.id] = Readings(work.fetched.visible, work.fetched.text)
        return self._readings[work.id]
