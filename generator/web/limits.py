"""How much is asked of hosts and of this machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a fetch; the defaults are those of `planbook verify`."""

    timeout_s: float = 15.0
    """For one step: to connect, to wait for the next bytes."""
    deadline_s: float = 60.0
    """For one address with its redirects and retries, waiting for its host's turn left aside."""
    spacing_s: float = 1.0
    """Between the end of a request and the next one to the same host."""
    attempts: int = 3
    backoff_s: float = 1.0
    """Before the second attempt, where the server names no time; twice as long before each further one."""
    max_wait_s: float = 30.0
    """A server that asks to wait longer is left alone."""
    max_redirects: int = 5
    max_bytes: int = 10_000_000
    """Of a body, unpacked."""
    pdf_pages: int = 400
    """How many pages of a PDF are read."""
    reading_s: float = 60.0
    """For reading a document: finding the text of a page or of a PDF."""
