"""Misspelled words, by the number of slips that part them from the word that is meant."""

from __future__ import annotations

import pytest

from planbook.plan.spelling import count_slips


@pytest.mark.parametrize(
    ("word", "slips"),
    [("target", 0), ("tagret", 1), ("targt", 1), ("targget", 1), ("tarket", 1), ("tragte", 2)],
)
def test_each_slip_counts_once(word: str, slips: int) -> None:
    """A letter is left out, added, replaced, or exchanged with its neighbour."""
    assert count_slips(word, "target", limit=2) == slips


def test_a_replaced_letter_may_count_twice() -> None:
    """It does where another word is likelier than a slip."""
    assert count_slips("tarket", "target", limit=2, may_replace=False) == 2


def test_words_of_other_lengths_are_not_compared() -> None:
    """They are further apart than the limit."""
    assert count_slips("targets wanted", "target", limit=2) == 3
