"""When a host may be asked again, and when to give up."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from generator.research.fetch.outcomes import Unfetched
from generator.research.model import Outcome


class Pace:
    """One request at a time to a host, and a pause after each. Used by many threads."""

    def __init__(self, spacing_s: float) -> None:
        self._usual_s = spacing_s
        self._spacing_s: dict[str, float] = {}
        self._due: dict[str, float] = {}
        self._turns: dict[str, threading.Lock] = {}
        self._changing = threading.Lock()
        self._stopped = threading.Event()

    def widen(self, host: str, spacing_s: float) -> None:
        """Leaves at least `spacing_s` seconds between requests to `host` from now on."""
        with self._changing:
            self._spacing_s[host] = max(self._spacing_s.get(host, self._usual_s), spacing_s)

    def postpone(self, host: str, seconds: float) -> None:
        """Leaves `host` alone for so long: what it asked of one thread holds for all."""
        with self._changing:
            self._due[host] = max(self._due.get(host, 0.0), time.monotonic() + seconds)

    def heed(self, host: str, trouble: Unfetched) -> None:
        """Leaves `host` alone for as long as it asks of all requests, not of one address."""
        if trouble.outcome is Outcome.RATE_LIMITED and trouble.wait_s:
            self.postpone(host, trouble.wait_s)

    def left_s(self, host: str) -> float:
        """Seconds until `host` may be asked again; negative afterwards."""
        return self._due.get(host, 0.0) - time.monotonic()

    def stop(self) -> None:
        """Lets nobody wait any longer: whoever does, or comes later, is told so."""
        self._stopped.set()

    @contextmanager
    def turn(self, host: str, spacing_s: float | None = None, *, is_alone: bool = True) -> Iterator[float]:
        """Waits for the host's turn, gives the seconds waited, and starts the pause at the end.

        With `spacing_s`, that pause instead of the host's own. What is not alone waits for no other request.
        """
        asked = time.monotonic()
        if not is_alone:
            self._wait(host)
            yield time.monotonic() - asked
            return
        with self._changing:
            turns = self._turns.setdefault(host, threading.Lock())
        with turns:
            self._wait(host)
            try:
                yield time.monotonic() - asked
            finally:
                usual_s = self._spacing_s.get(host, self._usual_s)
                self.postpone(host, usual_s if spacing_s is None else spacing_s)

    def _wait(self, host: str) -> None:
        while (left_s := self.left_s(host)) > 0 and not self._stopped.is_set():
            self._stopped.wait(left_s)
        if self._stopped.is_set():
            raise Unfetched(Outcome.FAILED, "the run was stopped")


class Deadline:
    """A point in time after which nothing more is waited for."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds until then; negative afterwards."""
        return self._end - time.monotonic()

    def extend(self, seconds: float) -> None:
        """Moves it by what was waited for politeness, not for the server."""
        self._end += seconds

    def missed(self) -> Unfetched:
        """The outcome of what took longer."""
        return Unfetched(Outcome.TIMEOUT, f"it took longer than {self._seconds:g} s")
