"""Sizes of quotes: what is taken together, and where what is too long is divided."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.markdown.words import sentence_spans
from planbook.research.evidence.quote_sizes import count_words, packed


@given(st.text(st.sampled_from("ab. ,;\n日。A")), st.integers(2, 20))
def test_packing_loses_no_word(text: str, limit: int) -> None:
    """Sentences that are taken together hold all words, in order, and no more than the limit at once."""
    spans = packed(text, sentence_spans(text), limit)
    assert "".join("".join(text[a:b] for a, b in spans).split()) == "".join(text.split())
    assert all(count_words(text[a:b]) <= limit for a, b in spans)


@pytest.mark.parametrize(("text", "words"), [("steep for two minutes", 4), ("二分間蒸らす", 3), ("蒸らす 2 min", 4)])
def test_two_characters_of_a_script_without_spaces_are_a_word(text: str, words: int) -> None:
    """Kana and Chinese characters count half, other words one."""
    assert count_words(text) == words


def test_pieces_are_of_one_size() -> None:
    """Six sentences of four words in quotes of ten: three pieces of two, not two of two and one of one."""
    text = " ".join(["Steep it two minutes."] * 6)
    pieces = packed(text, sentence_spans(text), 10)
    assert [count_words(text[a:b]) for a, b in pieces] == [8, 8, 8]


def test_a_long_sentence_is_divided_at_a_pause() -> None:
    """The last comma in the second half of what a quote may have; without one, after a word."""
    with_pause = "Pour the water over the leaves, then wait until they sink"
    pieces = packed(with_pause, [(0, len(with_pause))], 8)
    assert [with_pause[a:b] for a, b in pieces] == ["Pour the water over the leaves,", "then wait until they sink"]
    without = "a b c d e f"
    assert [without[a:b] for a, b in packed(without, [(0, len(without))], 4)] == ["a b c d", "e f"]
