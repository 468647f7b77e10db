"""How a reader's time grows with the text: that of hostile text has to grow no faster than its length."""

from __future__ import annotations

import time
from collections.abc import Callable

SIZES = (750, 3_000, 12_000)
DRAWN = (2_000, 8_000)
"""For texts that Hypothesis draws: there are many."""
FACTOR = 8
"""How much longer four times the text may take; a quadratic reader takes 16 times as long."""
FLOOR_S = 0.03
"""Seconds of the processor that are too few to compare."""


def assert_linear(read: Callable[[str], object], unit: str, sizes: tuple[int, ...] = SIZES) -> None:
    """Assert that `read` needs at most `FACTOR` times as long for each of `sizes` as for the one before.

    The texts are `unit`, over and over. A machine that was busy gets two more tries.
    """
    before = 0.0
    for size in sizes:
        text = (unit * (size // len(unit) + 1))[:size] if unit else ""
        allowed = FLOOR_S + FACTOR * before
        spent = _seconds(read, text)
        for _ in range(2):
            if size == sizes[0] or spent <= allowed:
                break
            spent = min(spent, _seconds(read, text))
        assert size == sizes[0] or spent <= allowed, (
            f"{size} characters of {unit[:40]!r}: {spent:.2f} s of {allowed:.2f}"
        )
        before = spent


def _seconds(read: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    read(text)
    return time.process_time() - begun
