"""The end of a run before it is done: by a signal, or because its budget is spent."""

from __future__ import annotations

import threading
from collections.abc import Callable

from planbook.research import drafts


class StoppedError(Exception):
    """The run has been cancelled; the message gives the reason."""


class CancelToken:
    """Cancels a run, also when its budget of requests or tokens is spent.

    Shared by threads and the signal handler.
    """

    def __init__(self, requests: int | None = None, tokens: int | None = None) -> None:
        self._requests, self._tokens = requests, tokens
        self.usage = drafts.Usage()
        """The cost so far."""
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._cancelled = threading.Event()

    @property
    def reason(self) -> str | None:
        """Why the run is cancelled; ``None`` while it goes on."""
        if self._reason is None:
            if self._requests is not None and self.usage.requests >= self._requests:
                self._reason = f"the budget of {self._requests:,} requests is spent"
            if self._tokens is not None and self.usage.tokens >= self._tokens:
                self._reason = f"the budget of {self._tokens:,} tokens is spent"
        return self._reason

    def cancel(self, reason: str) -> None:
        """Stop the run at its next step. Safe to call from a signal handler."""
        if self._reason is None:
            self._reason = reason
        self._cancelled.set()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Run `callback` in its own thread when `cancel` is called.

        A budget that is spent does not call it.
        """

        # A signal handler may interrupt a line that holds a lock: it only sets the event, and the
        # callback, which may take locks, has a thread of its own.
        def wait() -> None:
            """Wait for `cancel`."""
            self._cancelled.wait()
            callback()

        threading.Thread(target=wait, daemon=True, name="cancellation").start()

    def spend(self, usage: drafts.Usage) -> None:
        """Add to the cost so far."""
        with self._lock:
            self.usage += usage

    def check(self) -> None:
        """Raise :class:`StoppedError` if the run is cancelled."""
        if self.reason is not None:
            raise StoppedError(self.reason)
