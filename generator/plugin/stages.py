"""Time spent in each stage of a build."""

from __future__ import annotations

import time

CITATIONS = "citations"
"""The stage that finds and renders citations and links."""


class StageTimer:
    """Adds the seconds of its block to one stage."""

    def __init__(self, timings_s: dict[str, float], name: str) -> None:
        self._timings_s, self._name = timings_s, name

    def __enter__(self) -> None:
        self._begun = time.perf_counter()

    def __exit__(self, *raised: object) -> None:
        spent = time.perf_counter() - self._begun
        self._timings_s[self._name] = self._timings_s.get(self._name, 0.0) + spent
