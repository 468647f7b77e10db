"""What says the same as something else: mirrors, copies, paragraphs that wander from page to page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

RUN = 5
"""Words that stand one after another are compared in runs of so many."""
ALIKE = 0.6
"""Of the runs of the shorter text, so many stand in the other too where both say the same."""


def distinct(texts: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """The numbers of the texts that say something which none before them says; of texts alike the first is kept.

    Each text is given by its words.
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
