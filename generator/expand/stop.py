"""When a run stops before its end: by a signal, or because a budget is spent. Always between two steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What something cost."""

    requests: int = 0
    tokens: int = 0
    retries: int = 0
    """How many of the requests because another had failed."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.requests + other.requests, self.tokens + other.tokens, self.retries + other.retries)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may cost; ``None`` is no bound."""

    requests: int | None = None
    tokens: int | None = None
    minutes: float | None = None

    def spent(self, usage: Usage, seconds: float) -> str | None:
        """Which budget is spent, in words; ``None`` where there is something left of each."""
        if self.requests is not None and usage.requests >= self.requests:
            return f"the budget of {self.requests:,} requests is spent"
        if self.tokens is not None and usage.tokens >= self.tokens:
            return f"the budget of {self.tokens:,} tokens is spent"
        if self.minutes is not None and seconds >= 60 * self.minutes:
            return f"the budget of {self.minutes:g} minutes is spent"
        return None


class StoppedError(Exception):
    """The run is to stop; the message says why."""


class Brake:
    """Stops a run. Shared by its threads and by the handler of signals."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._began = time.monotonic()
        self._usage = Usage()
        self._lock = threading.Lock()
        self._why: str | None = None
        self._pulled = threading.Event()

    @property
    def why(self) -> str | None:
        """Why the run is to stop; ``None`` while it goes on."""
        if self._why is None:
            self._why = self._budget.spent(self._usage, time.monotonic() - self._began)
        return self._why

    @property
    def usage(self) -> Usage:
        """What was spent so far."""
        return self._usage

    def pull(self, why: str) -> None:
        """Stops the run at its next step. A signal's handler may call it."""
        if self._why is None:
            self._why = why
        self._pulled.set()

    def when_pulled(self, act: Callable[[], None]) -> None:
        """Calls `act`, in a thread of its own, once the brake is pulled; not where a budget is spent."""

        def wait() -> None:
            """Acts when it is pulled."""
            self._pulled.wait()
            act()

        threading.Thread(target=wait, daemon=True, name="brake").start()

    def spend(self, usage: Usage) -> None:
        """Counts what was spent."""
        with self._lock:
            self._usage = self._usage + usage

    def check(self) -> None:
        """Raises :class:`StoppedError` where the run is to stop."""
        why = self.why
        if why is not None:
            raise StoppedError(why)
