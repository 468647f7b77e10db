"""Who writes: the writers that there are, by name. The seam where further ones are put in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from generator.research.expand.runner import Check, Extract, Write


class WriterError(ValueError):
    """No such writer; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Writing:
    """A writer with the stages around it."""

    name: str
    extract: Extract
    write: Write
    gates: Callable[[frozenset[str]], Check]
    """The gates, given the uris of the base's pages."""


WRITERS: Mapping[str, Callable[[], Writing]] = {}
"""The writers that can be chosen, each made when it is."""


def find_writer(name: str) -> Writing:
    """The writer of this name. Raises :class:`WriterError`."""
    make = WRITERS.get(name)
    if make is None:
        raise WriterError(f"the writer {name!r} is not there yet; there is {', '.join(WRITERS)}")
    return make()
