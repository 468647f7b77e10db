"""Cancellation of a run, by a signal or a spent budget. It takes effect between two steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of some work."""

    requests: int = 0
    tokens: int = 0
    retries: int = 0
    """Requests that repeat a failed one; `requests` includes them."""
    tokens_out: int = 0
    """Tokens of answers; `tokens` includes them."""
    cost: float = 0.0
    """In the currency of the configured prices."""

    def __add__(self, other: Usage) -> Usage:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Usage(*(one + two for one, two in pairs))


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run; ``None`` means no limit."""

    requests: int | None = None
    tokens: int | None = None
    minutes: float | None = None

    def spent(self, usage: Usage, seconds: float) -> str | None:
        """Return a message about the budget that is spent; ``None`` while there is some left of each."""
        limits = (
            (self.requests, usage.requests, "{:,} requests"),
            (self.tokens, usage.tokens, "{:,} tokens"),
            (self.minutes, seconds / 60, "{:g} minutes"),
        )
        spent = (text.format(limit) for limit, used, text in limits if limit is not None and used >= limit)
        return next((f"the budget of {text} is spent" for text in spent), None)


class StoppedError(Exception):
    """The run has been cancelled; the message gives the reason."""


class CancelToken:
    """Cancels a run. Shared by its threads and the signal handler."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._began = time.monotonic()
        self._usage = Usage()
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._cancelled = threading.Event()

    @property
    def reason(self) -> str | None:
        """Why the run is cancelled; ``None`` while it goes on."""
        if self._reason is None:
            self._reason = self._budget.spent(self._usage, time.monotonic() - self._began)
        return self._reason

    @property
    def usage(self) -> Usage:
        """The cost so far."""
        return self._usage

    def cancel(self, reason: str) -> None:
        """Stop the run at its next step. Safe to call from a signal handler."""
        if self._reason is None:
            self._reason = reason
        self._cancelled.set()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Run `callback` in its own thread when `cancel` is called, but not when a budget is spent."""

        def wait() -> None:
            """Wait for `cancel`."""
            self._cancelled.wait()
            callback()

        threading.Thread(target=wait, daemon=True, name="cancellation").start()

    def spend(self, usage: Usage) -> None:
        """Add to the cost so far."""
        with self._lock:
            self._usage = self._usage + usage

    def check(self) -> None:
        """Raise :class:`StoppedError` if the run is cancelled."""
        if self.reason is not None:
            raise StoppedError(self.reason)
