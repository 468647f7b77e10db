"""The time that a benchmark may take: what would take longer is left out, and said."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

SECONDS = 60


class TimeLimit:
    """Tells before each run if it will probably end in time.

    Args:
        minutes: The time for all runs; 0 for no limit.
        now: Returns the seconds of a clock.
    """

    def __init__(self, minutes: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._ends = now() + SECONDS * minutes if minutes else math.inf
        self._longest_s: dict[str, float] = {}
        """What each kind of run has taken at most."""

    def allows(self, kind: str) -> bool:
        """Return True if a run of a kind will end in time; one of an unknown kind may take as long as any so far."""
        expected_s = self._longest_s.get(kind, max(self._longest_s.values(), default=0.0))
        return self._now() + expected_s <= self._ends

    def record(self, kind: str, took_s: float) -> None:
        """Remember how long a run took."""
        self._longest_s[kind] = max(took_s, self._longest_s.get(kind, 0.0))
