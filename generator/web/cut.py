"""The end of a connection that its server would keep open."""

from __future__ import annotations

import socket
import threading
from typing import Any

from generator.web.outcomes import Unfetched
from generator.web.pace import Deadline, stopped


class Cut:
    """Ends a connection at the deadline, also one whose server sends a byte now and then. Used in a ``with``."""

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
        """Remembers the connection; httpx calls this (https://www.python-httpx.org/advanced/extensions/#trace)."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            self._stream = details["return_value"]
            if self.is_cut:
                self.end()

    def why(self) -> Unfetched:
        """The outcome of what was cut."""
        return self._why()

    def stop(self) -> None:
        """Cuts before the deadline, because all is to end."""
        self._why = stopped
        self.end()

    def end(self) -> None:
        """Cuts."""
        self.is_cut = True
        sock = self._stream.get_extra_info("socket") if self._stream else None
        if sock is not None:
            try:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                return  # it has ended by itself
