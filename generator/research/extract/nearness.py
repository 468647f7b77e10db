"""Compute how close passages are in meaning to a point, relative to passages in general. Pure; see decision 0020."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

Similar = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns the similarity in meaning of a text to each of the others, from -1 to 1. Must be deterministic."""

NEAR = 0.5
"""Minimum nearness for a passage to answer by its meaning alone."""
_DIGITS = 6


def nearness(likeness: Sequence[float]) -> Mapping[int, float]:
    """Return the nearness of texts by index, from 0 (the median) to 1 (identical); texts at or below 0 are left out.

    The scale starts at the median similarity, because models differ: some find all texts on one subject similar, some
    none. The result is how far a text stands out among the others, whatever the model.
    """
    if not likeness:
        return {}
    start = min(max(median(likeness), 0.0), 1.0)
    if start == 1.0:
        return {}
    found = ((n, round(min((one - start) / (1.0 - start), 1.0), _DIGITS)) for n, one in enumerate(likeness))
    return {n: near for n, near in found if near > 0}
