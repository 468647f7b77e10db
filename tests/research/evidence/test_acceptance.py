"""What counts as an answer: the same for a folder of three documents and for a library."""

from __future__ import annotations

import pytest

from bench.small_folders import brief_of, sources_of
from planbook.research.drafts import Evidence, Excerpt, Passage, PassageKind, Ranked
from planbook.research.evidence.acceptance import MANY, Answer, judge_best, telling_words
from planbook.research.evidence.rank import find_evidence
from tests.research.evidence.questions import ANSWERED, DOCUMENTS, NONSENSE


def judged(*points: str) -> tuple[Evidence, ...]:
    """The evidence for points in these documents."""
    asked = [{"text": point} for point in points]
    folder = {"title": "SQLite in production", "documents": DOCUMENTS, "points": asked}
    return find_evidence(brief_of(folder), sources_of(folder))


def test_what_three_documents_say_literally_is_an_answer() -> None:
    """No twentieth passage is needed for that, and a heading counts with the text below it."""
    for found, words in zip(judged(*ANSWERED), ANSWERED.values(), strict=True):
        assert found.is_found, found.point
        assert words in found.ranked[0].excerpt.text


def test_nonsense_of_the_same_words_is_no_answer() -> None:
    """The words of such a point are in several sentences, and in none together."""
    assert [found.is_found for found in judged(*NONSENSE)] == [False] * len(NONSENSE)


def test_a_point_that_asks_nothing_has_no_answer() -> None:
    """A passage may have its words, and is shown; what it should answer, nobody knows."""
    assert [found.is_found for found in judged("What is the best?", "How does it work?", "Why?")] == [False] * 3


def test_what_is_near_the_line_is_uncertain_and_says_what_it_lacks() -> None:
    """A passage that nearly answers is uncertain, and lacks a word that the plan has."""
    (found,) = judged("How to encrypt a database")
    assert (found.is_found, found.is_uncertain, found.missing) == (False, True, ("encrypt",))


def ranked(*texts: str, score: float, heading: str = "", term: str = "") -> tuple[Ranked, ...]:
    """Passages with these texts, the first with this score and the others with none."""
    made = [
        Excerpt((Passage(f"p{n}", "source", text, 0, (heading,), PassageKind.PROSE),), term=term)
        for n, text in enumerate(texts)
    ]
    return tuple(Ranked(one, 0.0 if n else score, 1.0) for n, one in enumerate(made))


@pytest.mark.parametrize(
    ("point", "text"),
    [
        ("Tyre pressure", "A tyre of 28 mm takes 5 to 6 bar."),
        ("How long green tea is steeped", "Green tea is steeped for two minutes."),
        ("Encryption of the repository", "The repository is encrypted."),
        ("How the `--keep` rules are written", "Rules such as --keep-daily 7 are written in a row."),
        ("Supported TLS versions", "Finch supports TLS 1.2 and 1.3."),
    ],
)
def test_values_and_forms_of_words_count(point: str, text: str) -> None:
    """A pressure is so many bar, an encryption is encrypted, and an option has longer names."""
    assert judge_best(point, ranked(text, score=1.0)).answer is Answer.FOUND


def test_a_passage_among_many_must_stand_out() -> None:
    """One word alone is in one of twenty passages by chance; several together are not."""
    others = [f"Passage {n}." for n in range(MANY)]
    assert judge_best("Loaves", ranked("Loaves are round.", score=1.2)).answer is Answer.FOUND
    assert judge_best("Loaves", ranked("Loaves are round.", *others, score=1.2)).answer is Answer.UNCERTAIN
    both = judge_best("Round loaves", ranked("Loaves are round.", *others, score=1.2))
    assert both.answer is Answer.FOUND


def test_a_high_score_does_not_make_up_for_half_of_the_words() -> None:
    """The passage stands out, as it repeats one word, and is uncertain."""
    others = [f"Passage {n}." for n in range(MANY)]
    found = judge_best("Rye loaves", ranked("Loaves, loaves and loaves.", *others, score=3.0))
    assert (found.answer, found.missing) == (Answer.UNCERTAIN, ("Rye",))


def test_a_judgement_names_the_missing_words_as_the_plan_writes_them() -> None:
    """An option keeps its dashes and a variable its sign, without escapes; nothing is said if no word is missing."""
    found = judge_best("Rye loaves with --keep and $CRUMB", ranked("Rye loaves are round.", score=1.0))
    assert found.lack == "does not mention “--keep”, “$CRUMB”"
    assert judge_best("Rye loaves", ranked("Rye loaves are round.", score=1.0)).lack == ""


def test_without_a_passage_a_point_is_open() -> None:
    """All of its words are missing."""
    found = judge_best("How `max_bytes` is set", ())
    assert (found.answer, found.missing) == (Answer.OPEN, ("max_bytes",))


def test_a_point_of_words_that_ask_keeps_them() -> None:
    """Else nothing would be left of it."""
    assert telling_words("When it exists")
    assert telling_words("Which modes exist") == ("mod",)
