"""How near passages are in meaning to a point, beside what passages are like on the whole. Pure; see decision 0020."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

Similar = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike in meaning a text is to each of the others, from -1 to 1; the same texts give the same numbers."""

NEAR = 0.5
"""So much of the way from the general likeness to sameness a passage has to be, to answer by its meaning alone."""
_DIGITS = 6


def nearness(likeness: Sequence[float]) -> Mapping[int, float]:
    """How much of the way to sameness each text has, by its number: from 0 to 1; those without any are left out.

    The way begins at the middle text of all. Models differ in how alike they find texts on one subject: some find
    all alike, some none. What counts is how far a text stands out among the others, whatever the model.
    """
    if not likeness:
        return {}
    start = min(max(median(likeness), 0.0), 1.0)
    if start == 1.0:
        return {}
    found = ((n, round(min((one - start) / (1.0 - start), 1.0), _DIGITS)) for n, one in enumerate(likeness))
    return {n: near for n, near in found if near > 0}
