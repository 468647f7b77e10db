"""Who writes: the writers that there are, by name. The seam where further ones are put in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generator.research.compose.extract import ExtractWriter
from generator.research.expand.runner import Write


class WriterError(ValueError):
    """No such writer; the message says which there are."""


def _extract() -> Write:
    writer = ExtractWriter()
    return lambda brief, sources, evidence, day, findings: writer.write(brief, sources, evidence, day)


WRITERS: Mapping[str, Callable[[], Write]] = {"extract": _extract}
"""What makes each writer that can be chosen: once a run. It raises :class:`WriterError` where something is missing."""


def find_writer(name: str) -> Write:
    """What writes pages by this name. Raises :class:`WriterError`."""
    make = WRITERS.get(name)
    if make is None:
        raise WriterError(
            f"the writer `{name}` is not there yet; there is {', '.join(f'`{name}`' for name in WRITERS)}"
        )
    return make()
