"""Deadlines, and the timer that closes a connection when its deadline passes."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched
from generator.web.rate_limiter import stopped


class Deadline:
    """A point in time at which to give up."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds left; negative after the deadline."""
        return self._end - time.monotonic()

    def extend(self, seconds: float) -> None:
        """Extend the deadline by the time spent waiting for the host's turn, not for the server."""
        self._end += seconds

    def missed(self) -> Unfetched:
        """Return the error for a missed deadline."""
        return Unfetched(Outcome.TIMEOUT, f"it took longer than {self._seconds:g} s")


class ConnectionTimer:
    """Close a connection at its deadline, even if the server sends a byte now and then. Use it in a ``with``."""

    def __init__(self, deadline: Deadline) -> None:
        self._error = deadline.missed
        self.has_closed = False
        self._stream: Any = None
        self._timer = threading.Timer(max(deadline.left_s, 0.0), self.close)
        self._timer.daemon = True

    def __enter__(self) -> ConnectionTimer:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def trace(self, event: str, details: dict[str, Any]) -> None:
        """Remember the connection; httpx calls this (https://www.python-httpx.org/advanced/extensions/#trace)."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            self._stream = details["return_value"]
            if self.has_closed:
                self.close()

    def error(self) -> Unfetched:
        """Return the error for a connection that this closed."""
        return self._error()

    def abort(self) -> None:
        """Close the connection before the deadline, because the run is stopping."""
        self._error = stopped
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.has_closed = True
        sock = self._stream.get_extra_info("socket") if self._stream else None
        if sock is not None:
            try:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                return  # it is already closed
