"""Places in a text as lines."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from itertools import accumulate


def line_starts(lines: Iterable[Sized]) -> list[int]:
    """Return where each of `lines` begins in the text that newlines join them to, and where one more would.

    ``bisect_right(starts, place)`` is the line of a place, 1-based.
    """
    return list(accumulate((len(line) + 1 for line in lines), initial=0))
