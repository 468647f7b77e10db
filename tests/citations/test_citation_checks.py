"""The Problems of citations that lead nowhere, and of works that none cites."""

from __future__ import annotations

import pytest

from planbook.citations.citation_checks import check_citations
from planbook.citations.in_text import find_citations
from planbook.model import Reference

RYE = Reference("rye", 'Rye "and" <bread>', "https://rye.example/a", quotes=(("q1", "dark, and sour"),))
OATS = Reference("oats-2", "Oats", None)
BOTH = (RYE, OATS)


def test_an_unknown_id_names_the_nearest() -> None:
    """K012 gives the line in the file, and what may have been meant."""
    problems = check_citations(find_citations("A\n\nB [@ray]."), BOTH, "p.md", skipped=4)
    assert [(p.code, p.line) for p in problems if p.code == "K012"] == [("K012", 7)]
    assert "did you mean @rye?" in problems[0].message
    told = check_citations(find_citations("A [@rye, q9] [@rye, p. 9]."), BOTH, "p.md")
    assert [p.message for p in told if p.code == "K012"] == ["@rye has no quote q9"]


@pytest.mark.parametrize(
    ("locator", "is_told"),
    [("crust", False), ("crumb", True), ("q7", True), ("p. 3", False), ("Baking", False), ("the crumb", False)],
)
def test_a_name_that_no_quote_has(locator: str, is_told: bool) -> None:
    """Where the quotes of a work have names, a word in small letters is one of them."""
    named = Reference(id="rye", title="Rye", quotes=(("crust", "The crust is dark."),))
    told = check_citations(find_citations(f"A [@rye, {locator}].", {"rye"}), [named], "p.md")
    assert [p.message for p in told] == ([f"@rye has no quote {locator}"] if is_told else [])


def test_an_unused_reference_is_told() -> None:
    """K013, only on pages that cite at all, and only for works that the prose does not mention either."""
    assert [p.code for p in check_citations(find_citations("A [@rye]."), BOTH, "p.md")] == ["K013"]
    assert check_citations((), BOTH, "p.md") == ()
    mentioned = (RYE, Reference("oats-2", "Oats", None, lines=(3,)))
    assert check_citations(find_citations("A [@rye]."), mentioned, "p.md") == ()


def test_a_passage_by_its_number_is_told_how_it_becomes_a_quote() -> None:
    """Until its page is finished, no reference has such an id."""
    problems = check_citations(find_citations("It is hot [@rye#14]."), BOTH, "a.md")
    told = "no reference has the id @rye#14; if it is a passage of a work, `planbook finish` turns it into quotes"
    assert [problem.message for problem in problems if problem.code == "K012"] == [told]
