"""Deadlines, and the timer that closes a connection when its deadline passes."""

from __future__ import annotations

import socket
import threading
from typing import Any

from generator.web.outcomes import Unfetched
from generator.web.pace import Deadline, stopped


class Cut:
    """Close a connection at its deadline, even if the server sends a byte now and then. Use it in a ``with``."""

    def __init__(self, deadline: Deadline) -> None:
        self._why = deadline.missed
        self.is_cut = False
        self._stream: Any = None
        self._timer = threading.Timer(max(deadline.left_s, 0.0), self.end)
        self._timer.daemon = True

    def __enter__(self) -> Cut:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def trace(self, event: str, details: dict[str, Any]) -> None:
        """Remember the connection; httpx calls this (https://www.python-httpx.org/advanced/extensions/#trace)."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            self._stream = details["return_value"]
            if self.is_cut:
                self.end()

    def why(self) -> Unfetched:
        """Return the error for a connection that this closed."""
        return self._why()

    def stop(self) -> None:
        """Close the connection before the deadline, because the run is stopping."""
        self._why = stopped
        self.end()

    def end(self) -> None:
        """Close the connection."""
        self.is_cut = True
        sock = self._stream.get_extra_info("socket") if self._stream else None
        if sock is not None:
            try:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                return  # it is already closed
