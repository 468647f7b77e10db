"""Limits on requests to hosts, and on reading their documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a fetch; the defaults are those of `planbook verify`."""

    timeout_s: float = 15.0
    """Timeout of one step: connecting, or waiting for the next bytes."""
    deadline_s: float = 60.0
    """Timeout of one URL with its redirects and retries, not counting the wait for the host's turn."""
    spacing_s: float = 1.0
    """Seconds between the end of a request and the next one to the same host."""
    attempts: int = 3
    backoff_s: float = 1.0
    """Seconds before the second attempt, unless the server names a time; doubled for each further one."""
    max_wait_s: float = 30.0
    """Longest wait that a server may ask for; beyond it, the server is left alone."""
    max_redirects: int = 5
    max_bytes: int = 10_000_000
    """Maximum size of a body, decompressed."""
    pdf_pages: int = 400
    """Maximum number of pages read from a PDF."""
    reading_s: float = 60.0
    """Timeout of extracting the text of a page or PDF."""
