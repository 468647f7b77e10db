"""When a host may be asked again, and when to give up."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Pace:
    """One request at a time to a host, and a pause after each. Used by many threads."""

    def __init__(self, spacing_s: float) -> None:
        self._spacing_s: dict[str, float] = defaultdict(lambda: spacing_s)
        self._due: dict[str, float] = {}
        self._locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def widen(self, host: str, spacing_s: float) -> None:
        """Leaves at least `spacing_s` seconds between requests to `host` from now on."""
        self._spacing_s[host] = max(self._spacing_s[host], spacing_s)

    @contextmanager
    def turn(self, host: str) -> Iterator[float]:
        """Waits for the host's turn, gives the seconds waited, and starts the pause at the end."""
        asked = time.monotonic()
        with self._locks[host]:
            time.sleep(max(0.0, self._due.get(host, 0.0) - time.monotonic()))
            try:
                yield time.monotonic() - asked
            finally:
                self._due[host] = time.monotonic() + self._spacing_s[host]


class Deadline:
    """A point in time after which nothing more is waited for."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds until then; negative afterwards."""
        return self._end - time.monotonic()

    def extend(self, seconds: float) -> None:
        """Moves it by what was waited for politeness, not for the server."""
        self._end += seconds
