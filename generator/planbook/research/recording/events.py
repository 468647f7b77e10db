"""Events of a run, of `planbook finish` and of `planbook commit`; the log of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from planbook.research.recording.clock import Clock
from planbook.store.files import WORK_DIR, append_work


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens in a run.

    It is a line of the log and, if it has a message, one for the user.
    """

    name: str
    """Its kind, such as ``PartStarted``."""
    message: str = ""
    part: str = ""
    """The name of the PART that it is about."""
    page: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    """More for the log, as JSON data, without the texts of documents and without secrets."""


EventHandler = Callable[[Event], None]
"""A subscriber to the events of a run."""


class EventLog:
    """The log of a run in the working folder, as JSON lines. The first event creates the file."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root, self._clock = root, clock
        self._name = f"logs/{clock.stamp().replace(':', '')}.jsonl"

    @property
    def name(self) -> str:
        """The path from the project's folder."""
        return f"{WORK_DIR}/{self._name}"

    def watch(self, event: Event) -> None:
        """Append one event."""
        about = {
            "event": event.name,
            "message": event.message,
            "part": event.part,
            "page": event.page,
        }
        known = {key: value for key, value in about.items() if value}
        line = {"time": self._clock.stamp(), **known, **event.details}
        append_work(self._root, self._name, msgspec.json.encode(line).decode())
