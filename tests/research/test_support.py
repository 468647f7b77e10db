"""Whether a passage says what a sentence says."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.research.compose.support import doubts, supports
from tests.cases import read_cases

CASES = list(read_cases(Path(__file__).parent / "cases" / "support.md"))


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_case(text: str, expected: str) -> None:
    """Each case of the table: whether the passage supports the sentence, and each reason why not."""
    sentence, passage = text.split("\n---\n")
    wanted = yaml.safe_load(expected)
    found = doubts(sentence, passage)
    assert supports(sentence, passage) is wanted["supported"], found
    assert len(found) >= len(wanted.get("why", ()))
    assert all(any(str(reason) in doubt for doubt in found) for reason in wanted.get("why", ())), found


@given(st.text(), st.text())
def test_any_words_can_be_compared(sentence: str, passage: str) -> None:
    """Nothing is too odd, and support means no doubt."""
    assert supports(sentence, passage) == (doubts(sentence, passage) == ())


WORDS = ["layers", "cache", "build", "image", "holds", "program", "stage", "folder", "second", "quickly"]


@given(st.lists(st.sampled_from(WORDS), min_size=3, max_size=12), st.integers(2, 10_000))
def test_a_sentence_supports_itself_and_no_other_number(words: list[str], number: int) -> None:
    """What stands there is supported; with another number it is not."""
    sentence = f"The {' '.join(words)} takes {number} steps."
    assert supports(sentence, f"First this. {sentence} Then that.")
    assert not supports(sentence.replace(str(number), str(number + 1)), sentence)
