"""Find near-duplicate texts: mirrors, copies, paragraphs repeated from page to page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

RUN = 5
"""Length in words of the shingles that are compared."""
ALIKE = 0.6
"""Minimum share of the shorter text's shingles in the other text for the two to be duplicates."""


def distinct(texts: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return the indexes of the texts that are no duplicate of an earlier one. Of similar texts, the first is kept.

    Each text is given as its words.
    """
    kept: dict[int, frozenset[tuple[str, ...]]] = {}
    holding: dict[tuple[str, ...], list[int]] = {}
    for n, text in enumerate(texts):
        runs = frozenset(_runs(text))
        shared = Counter(other for run in runs for other in holding.get(run, ()))
        if any(count >= ALIKE * min(len(runs), len(kept[other])) for other, count in shared.items()):
            continue
        kept[n] = runs
        for run in runs:
            holding.setdefault(run, []).append(n)
    return tuple(kept)


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for n in range(max(1, len(words) - RUN + 1)):
        yield tuple(words[n : n + RUN])
