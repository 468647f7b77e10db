"""When a host may be asked again, and when to give up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched


class Pace:
    """One request at a time to a host, and a pause after each. Used by many threads."""

    def __init__(self, spacing_s: float, max_wait_s: float) -> None:
        self._usual_s = spacing_s
        self._shares = 1
        self._max_wait_s = max_wait_s
        self._spacing_s: dict[str, float] = {}
        self._due: dict[str, float] = {}
        """By host: when its pause ends."""
        self._barred: dict[str, float] = {}
        """By host: until when it asked to be left alone."""
        self._turns: dict[str, threading.Lock] = {}
        self._changing = threading.Lock()
        self._stopped = threading.Event()
        self._ends: list[Callable[[], None]] = []

    def widen(self, host: str, spacing_s: float) -> None:
        """Leaves at least `spacing_s` seconds between requests to `host` from now on."""
        with self._changing:
            self._spacing_s[host] = max(self._spacing_s.get(host, self._usual_s), spacing_s)

    def share(self, workers: int) -> None:
        """Makes every pause so many times as long: as many processes ask the same hosts."""
        self._shares = max(1, workers)

    def heed(self, host: str, trouble: Unfetched) -> None:
        """Leaves `host` alone for as long as it asks of all requests, not of one address. It holds for all threads."""
        if trouble.outcome is Outcome.RATE_LIMITED and trouble.wait_s:
            with self._changing:
                self._barred[host] = max(self._barred.get(host, 0.0), time.monotonic() + trouble.wait_s)

    def stop(self) -> None:
        """Lets nobody wait any longer, for whatever it is: whoever does, or comes later, is told so."""
        with self._changing:
            self._stopped.set()
            ends = list(self._ends)
        for end in ends:
            end()

    @contextmanager
    def until_stopped(self, end: Callable[[], None]) -> Iterator[None]:
        """Calls `end`, from another thread, where all is to end while the block waits for something.

        Raises :class:`Unfetched` where all is to end already.
        """
        with self._changing:
            if self._stopped.is_set():
                raise stopped()
            self._ends.append(end)
        try:
            yield
        finally:
            with self._changing:
                self._ends.remove(end)

    def rest(self, seconds: float) -> None:
        """Lets time pass. Raises :class:`Unfetched` where all is to end meanwhile."""
        if self._stopped.wait(seconds):
            raise stopped()

    def check(self, host: str) -> None:
        """Raises :class:`Unfetched` where the host is not to be asked soon, or nobody any more."""
        if self._stopped.is_set():
            raise stopped()
        if self._barred.get(host, 0.0) - time.monotonic() > self._max_wait_s:
            raise Unfetched(Outcome.RATE_LIMITED, f"{host} has asked to be left alone for longer than we wait")

    @contextmanager
    def turn(self, host: str, spacing_s: float | None = None, *, is_alone: bool = True) -> Iterator[float]:
        """Waits for the host's turn, gives the seconds waited, and starts the pause at the end.

        With `spacing_s`, that pause instead of the host's own. What is not alone waits for no other request. Raises
        :class:`Unfetched` as :meth:`check` does.
        """
        asked = time.monotonic()
        self.check(host)
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
                with self._changing:
                    usual_s = self._spacing_s.get(host, self._usual_s)
                    pause_s = self._shares * (usual_s if spacing_s is None else spacing_s)
                    self._due[host] = time.monotonic() + pause_s

    def _wait(self, host: str) -> None:
        """Until nothing keeps us from asking; what does may change meanwhile."""
        self.check(host)
        while (left_s := max(self._due.get(host, 0.0), self._barred.get(host, 0.0)) - time.monotonic()) > 0:
            self._stopped.wait(left_s)
            self.check(host)


def stopped() -> Unfetched:
    """The outcome of what was under way, or is asked for, when all is to end."""
    return Unfetched(Outcome.FAILED, "the run was stopped")


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
