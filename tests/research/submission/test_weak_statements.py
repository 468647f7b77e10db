"""Statements of a page whose quotes carry least of them."""

from __future__ import annotations

import pytest

from planbook.research.drafts import Draft
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.submission.weak_statements import WeakStatement, find_weak_statements
from tests.research.documents import brief
from tests.research.expand.kiln_works import work
from tests.research.proof.kiln import page

TEXT = """\
# Ovens

## Layers

The oven keeps a layer for each instruction of the build file.

A broken shelf interrupts the firing, and the glaze blisters where embers fell.

## Storage

Old clay is soaked overnight.

Dry clay cracks.
"""
QUOTES = {
    "q1": "The oven keeps a layer for each instruction of the build file.",
    "q2": "Old clay is soaked overnight.",
}


def weak(body: str) -> tuple[WeakStatement, ...]:
    """The weak statements of a page."""
    parsed = ParsedDraft(Draft(page(body, QUOTES), "hand"), brief(), (work(text=TEXT),), (), ())
    return find_weak_statements(parsed, (work(text=TEXT),))


LACKING = "Where a shelf is broken, glaze blisters and embers interrupt the firing"


def test_a_statement_is_listed_with_what_its_quotes_lack() -> None:
    """With its line, its quotes, and the passage that has it; one that its quote carries is not."""
    kept = "The oven keeps a layer for each instruction [@manual, q1]."
    (one,) = weak(f"{kept}\n\n{LACKING} [@manual, q2].")
    assert set(one.missing) == {"shelf", "broken", "glaze", "blisters", "embers", "interrupt", "firing"}
    assert one.quotes == (QUOTES["q2"],)
    assert one.nearest is not None
    assert "embers" in one.nearest.text
    text = page(f"{kept}\n\n{LACKING} [@manual, q2].", QUOTES)
    assert text.splitlines()[one.line - 1].startswith("Where a shelf")


def test_the_weakest_comes_first() -> None:
    """By the weight of what is missing, and its share."""
    less = "Old clay is soaked overnight, where a shelf is broken, glaze blisters and embers fell"
    listed = weak(f"{less} [@manual, q2].\n\n{LACKING} [@manual, q2].")
    assert [one.text[:5] for one in listed] == ["Where", "Old c"]


def test_the_cells_of_a_row_are_one_statement() -> None:
    """A cell with a mark, and a link to another part of the page, are left out."""
    cells = ("[Glaze blisters](#layers)", "broken shelf, embers, firing [@manual, q2]", "interrupted")
    row = f"| {' | '.join(cells)} | set out [@manual, q1] *(advice)* |"
    (one,) = weak(f"| A | B | C | D |\n| --- | --- | --- | --- |\n{row}\n")
    assert one.text == "Glaze blisters | broken shelf, embers, firing | interrupted"
    assert not {"Glaze", "blisters"} & set(one.missing)


@pytest.mark.parametrize(
    "cells",
    [
        f"old clay | {LACKING} *(deduced)* [@manual, q2] |",
        f"old clay | {LACKING} *(advice)* | [@manual, q2] |",
        f"old clay [@manual, q2] | {LACKING} *(advice)* |",
    ],
)
def test_a_cell_with_a_mark_is_not_listed(cells: str) -> None:
    """Wherever the citation of its row stands."""
    columns = cells.count("|")
    assert weak(f"{'| A ' * (columns + 1)}|\n{'| --- ' * (columns + 1)}|\n| Clay | {cells}\n") == ()
    (one,) = weak(f"{'| A ' * 3}|\n{'| --- ' * 3}|\n| Clay | {LACKING} | soak *(deduced)* [@manual, q2] |\n")
    assert "deduced" not in one.text


@pytest.mark.parametrize(
    "body",
    [
        f"{LACKING} [@manual, q2] *(deduced)*.",
        f"{LACKING} *(deduced)* [@manual, q2].",
        f"{LACKING}.",
        "Look first, wait, then see whether the old clay was soaked over the night [@manual, q2].",
        "Each instructing of the builders keeps its layering [@manual, q1].",
    ],
)
def test_what_rests_on_something_else_or_says_the_same_is_not_listed(body: str) -> None:
    """A mark, no citation, words for the reader, and words that begin alike."""
    assert weak(body) == ()


@pytest.mark.parametrize(("figure", "is_missing"), [("1.17", False), ("v1.17", False), ("1.16", True)])
def test_a_version_is_there_with_or_without_its_letter(figure: str, *, is_missing: bool) -> None:
    """It is compared as a figure, not as a word."""
    quotes = {"q": "Shelves of v1.17.2 hold clay."}
    body = f"In {figure} the glaze blisters, embers fell and the firing was interrupted [@manual, q]."
    parsed = ParsedDraft(Draft(page(body, quotes), "hand"), brief(), (work(text=TEXT),), (), ())
    (one,) = find_weak_statements(parsed, (work(text=TEXT),))
    assert (figure in one.missing) == is_missing
