"""The log of a run: an event a line, as JSON. It holds no secret; texts only where a program printed them."""

from __future__ import annotations

import json
from pathlib import Path

from generator.expand.clock import Clock
from generator.expand.events import Event, logged
from generator.store.work import WORK_DIR, append_work


class Log:
    """A log in the working folder. Its file is made with the first event."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root, self._clock = root, clock
        self._name = f"logs/{clock.now().replace(':', '')}.jsonl"

    @property
    def name(self) -> str:
        """Where it lies, from the project's folder."""
        return f"{WORK_DIR}/{self._name}"

    def watch(self, event: Event) -> None:
        """Adds one event."""
        line = {"time": self._clock.now(), **logged(event)}
        append_work(self._root, self._name, json.dumps(line, ensure_ascii=False))
