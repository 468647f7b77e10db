"""Pauses between the requests to one host, for all threads of a run."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from planbook.research.web.model import Outcome, Unfetched


class RateLimiter:
    """Send one request at a time to a host, with a pause after each. Thread-safe."""

    def __init__(self, spacing_s: float, max_wait_s: float) -> None:
        self._usual_s = spacing_s
        self._shares = 1
        self._max_wait_s = max_wait_s
        self._spacing_s: dict[str, float] = {}
        self._due: dict[str, float] = {}
        """End of each host's pause."""
        self._barred: dict[str, float] = {}
        """End of each host's requested back-off."""
        self._turns: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._changing = threading.Lock()
        self._stopped = threading.Event()
        self._ends: list[Callable[[], None]] = []

    def set_min_pause(self, host: str, spacing_s: float) -> None:
        """Set the pause between requests to `host` to at least `spacing_s` seconds."""
        with self._changing:
            self._spacing_s[host] = max(self._spacing_s.get(host, self._usual_s), spacing_s)

    def share(self, workers: int) -> None:
        """Multiply every pause by the number of workers that contact the same hosts."""
        self._shares = max(1, workers)

    def back_off(self, host: str, trouble: Unfetched) -> None:
        """Back off from `host` if it limits all requests, not one URL. Applies to all threads."""
        if trouble.outcome is Outcome.RATE_LIMITED and trouble.wait_s:
            end = time.monotonic() + trouble.wait_s
            with self._changing:
                self._barred[host] = max(self._barred.get(host, 0.0), end)

    def stop(self) -> None:
        """Abort the requests under way: threads that wait, now or later, get an error at once."""
        with self._changing:
            self._stopped.set()
            ends = list(self._ends)
        for end in ends:
            end()

    @contextmanager
    def until_stopped(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end`, from another thread, if the run stops while the block waits for something.

        Raises :class:`Unfetched` if the run has already stopped.
        """
        with self._changing:
            if self._stopped.is_set():
                raise stop_error()
            self._ends.append(end)
        try:
            yield
        finally:
            with self._changing:
                self._ends.remove(end)

    def sleep(self, seconds: float) -> None:
        """Sleep. Raises :class:`Unfetched` if the run stops meanwhile."""
        if self._stopped.wait(seconds):
            raise stop_error()

    @contextmanager
    def turn(
        self, host: str, spacing_s: float | None = None, *, is_alone: bool = True
    ) -> Iterator[float]:
        """Wait for the host's turn, yield the seconds waited, and start the pause at the end.

        `spacing_s` replaces the host's own pause. With `is_alone` false, do not wait for other
        requests to the host. Raises :class:`Unfetched` if the host asked for a long back-off, or
        the run has stopped.
        """
        asked = time.monotonic()
        self._check(host)
        with self._turns[host] if is_alone else nullcontext():
            self._check(host)
            while (remaining_s := self._remaining_s(host)) > 0:
                self._stopped.wait(remaining_s)
                self._check(host)  # its limits may have changed meanwhile
            try:
                yield time.monotonic() - asked
            finally:
                if is_alone:
                    if spacing_s is None:
                        spacing_s = self._spacing_s.get(host, self._usual_s)
                    self._due[host] = time.monotonic() + self._shares * spacing_s

    def _remaining_s(self, host: str) -> float:
        """Return the seconds left of the host's pause and of its requested back-off."""
        end = max(self._due.get(host, 0.0), self._barred.get(host, 0.0))
        return end - time.monotonic()

    def _check(self, host: str) -> None:
        """Raise :class:`Unfetched` if the run has stopped, or the host asked for a long pause."""
        if self._stopped.is_set():
            raise stop_error()
        if self._barred.get(host, 0.0) - time.monotonic() > self._max_wait_s:
            raise Unfetched(Outcome.RATE_LIMITED, f"{host} asked for a longer pause than the limit")


def stop_error() -> Unfetched:
    """Return the error for requests under way, or made, when the run stops."""
    return Unfetched(Outcome.FAILED, "the run was stopped")
