"""The passage that is shown beside a finding."""

from __future__ import annotations

import pytest

from planbook.research.drafts import SentenceProblem
from planbook.research.evidence.dossier import PassageIndex
from planbook.research.submission.nearest_passage import nearest_passage
from tests.research.documents import document

RYE = document("# Rye\n\nA loaf of rye is baked for 50 minutes in an oven of clay.\n", name="rye")
OATS = document(
    "# Oats\n\nOats are baked for 30 minutes, and a loaf of them is rare.\n", "https://oats.test/a", name="oats"
)


@pytest.mark.parametrize(
    ("missing", "cited", "source"),
    [
        (("30 minutes",), ("oats",), "oats"),
        (("30 minutes",), ("rye",), "rye"),
        (("30 minutes",), (), "oats"),
        ((), ("oats",), "oats"),
        ((), (), "rye"),
    ],
)
def test_it_is_of_the_works_that_the_sentence_cites(
    missing: tuple[str, ...], cited: tuple[str, ...], source: str
) -> None:
    """It has what is missing, or is the one with most of its words."""
    said = "A loaf of rye is baked for 30 minutes in an oven."
    finding = SentenceProblem("bread.md", 1, "D048", "m", sentence=said, missing=missing, cited=cited)
    nearest = nearest_passage(PassageIndex([RYE, OATS]), finding)
    assert nearest is not None
    assert nearest[0].partition("#")[0] == source
