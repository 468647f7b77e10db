"""Whether passages say what a sentence says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from pydoc_data.topics import topics

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bench.quality.telling_changes import FAITHFUL, TELLING, Case, Change, cases
from generator.rules.support import judge
from tests.cases import read_cases

CASES = list(read_cases(Path(__file__).parent / "cases" / "support.md"))


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_case(text: str, expected: str) -> None:
    """Each case of the table: whether the passage supports the sentence, and the reason why not."""
    sentence, passage = text.rstrip("\n").split("\n---\n")
    wanted = yaml.safe_load(expected)
    found = judge(sentence, [passage])
    assert found.is_supported is wanted["supported"], found
    assert wanted.get("why", "") in found.reason
    assert bool(found.reason) is not found.is_supported


@pytest.mark.parametrize("name", ["refused", "accepted"])
def test_changed_meanings(name: str) -> None:
    """Each line is a sentence and a passage: in `refused.txt` they say something else, in `accepted.txt` the same."""
    lines = (Path(__file__).parent / "cases" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 20
    pairs = [line.split(" | ") for line in lines]
    assert [one for one in pairs if judge(one[0], one[1:]).is_supported is (name == "refused")] == []


def test_each_passage_is_judged_by_itself() -> None:
    """Those that say it are named; two that say a half each say nothing together."""
    passages = ["Oil is hot. Water is cold.", "Water is warm.", "Then: water is warm.", "However, water is warm."]
    assert judge("Water is warm.", passages).supported_by == (1, 3)
    assert judge("Oil is hot and water is warm.", passages).supported_by == ()
    assert judge("Water is warm.", []).reason == "no passage says anything"


@given(st.text(), st.lists(st.text(), max_size=3))
def test_any_words_can_be_compared(sentence: str, passages: list[str]) -> None:
    """Nothing is too odd; there is a reason where there is no support."""
    found = judge(sentence, passages)
    assert found.is_supported == (not found.reason)


WORDS = ["layers", "cache", "build", "image", "holds", "program", "stage", "folder", "second", "quickly"]


@given(st.lists(st.sampled_from(WORDS), min_size=3, max_size=12), st.integers(2, 10_000), st.data())
def test_a_sentence_supports_itself_and_no_other(words: list[str], number: int, data: st.DataObject) -> None:
    """What is there is supported; with another number, a word less, or two words swapped, it is not."""
    sentence = f"The {' '.join(words)} takes {number} steps."
    passage = f"First comes this. {sentence} Then comes that."
    assert judge(sentence, [passage]).is_supported
    assert not judge(sentence.replace(str(number), str(number + 1)), [passage]).is_supported
    at = data.draw(st.integers(0, len(words) - 1))
    assert not judge(sentence.replace(" ".join(words), " ".join(words[:at] + words[at + 1 :])), [passage]).is_supported
    other = data.draw(st.permutations(words))
    is_same = [word.rstrip("s") for word in other] == [word.rstrip("s") for word in words]
    assert judge(sentence.replace(" ".join(words), " ".join(other)), [passage]).is_supported is is_same


def test_a_version_ends_a_sentence() -> None:
    """The one behind it is a sentence of its own."""
    assert judge("The driver is newer.", ["It needs CUDA 12.1. The driver is newer."]).is_supported
    both = "(It needs CUDA 12.1.) The driver is newer."
    assert judge(both, [both]).is_supported


def test_changes_of_real_documentation_are_caught() -> None:
    """Of sentences of Python's own documentation that were made to say something else, at least 99 in 100."""
    found = Counter((case.kind, judge(case.sentence, [case.passage]).is_supported) for case in _cases(TELLING))
    assert sum(found.values()) >= 900
    assert set(TELLING) == {kind for kind, _ in found}
    passed = {kind: count for (kind, is_supported), count in found.items() if is_supported}
    assert sum(passed.values()) <= 0.01 * sum(found.values()), passed


def test_sentences_of_real_documentation_are_supported() -> None:
    """As they are, and with what changes nothing; but for those that point out of themselves, or speak of "us".

    At least 99 in 100: a value that is "interpreted as false" looks like a sentence that is retracted.
    """
    every = list(_cases({kind: FAITHFUL[kind] for kind in KEPT}))
    refused = [
        (case, found.reason)
        for case in every
        if not (found := judge(case.sentence, [case.passage])).is_supported
        and "points to something outside" not in found.reason
        and "the author of the source" not in found.reason
    ]
    assert len(refused) <= 0.01 * len(every), refused


KEPT = ("to the letter", "contractions", "other articles", "without quotation marks", "two that follow each other")


def _cases(changes: dict[str, Change]) -> list[Case]:
    return list(cases(list(topics.values()), changes, seed=1, each=60))
