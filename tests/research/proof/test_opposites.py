"""Sentences that turn the meaning of their quotes round, and those that do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from planbook.research.proof.opposites import OPPOSITES, find_opposite
from planbook.research.proof.sentences import CitedSentence
from tests.research.proof.kiln import faults, manual, page


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_an_opposite_in_the_words_of_the_quote_is_found(one: str, other: str) -> None:
    """In either direction; the same word, another subject, and a sentence with both are no opposites."""
    quote = "Kettles boil the water for {} cups of tea in the kitchen. Cats sleep."
    for said, quoted in ((one, other), (other, one)):
        sentence = f"A kettle boils water for {said} cups of tea"
        assert find_opposite(sentence, [quote.format(quoted)]) == (said, quoted)
        assert find_opposite(sentence, [quote.format(said)]) is None
        assert find_opposite(f"{sentence}, not {quoted}", [quote.format(quoted)]) is None
        assert find_opposite(sentence, [quote.format(quoted), f"It is {said}."]) is None
        assert find_opposite(f"The {said} dog barks loudly at strangers", [quote.format(quoted)]) is None


def test_a_dump_does_not_load_into_older_servers() -> None:
    """This sentence showed the defect."""
    quote = "the output of pg_dump can be expected to load into PostgreSQL server versions newer than pg_dump's version"
    assert find_opposite("A dump loads into older servers", [quote]) == ("older", "newer")


def test_an_opposite_is_a_warning() -> None:
    """It refuses no page, and the judge sees the sentence nevertheless."""
    body = "The tool signs each image before the last stage. [@manual, q]"
    asked: list[CitedSentence] = []

    def judge(sentences: Sequence[CitedSentence]) -> Mapping[CitedSentence, str]:
        asked.extend(sentences)
        return {}

    (found,) = faults(page(body, {"q": "The tool signs each image after the last stage."}), [manual()], judge)
    assert found.code == "D057"
    assert "it has “before” and its quote has “after”; check the meaning" in found.message
    assert [one.text for one in asked] == ["The tool signs each image before the last stage."]
