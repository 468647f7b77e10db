"""Labels of lines: the key, the note and the value, and what a label sets."""

from __future__ import annotations

import pytest

from planbook.model import LineBudget
from planbook.plan.forms import Meaning
from planbook.plan.labels import Label, budget_of, is_field_in_list, meaning_of, read_label, read_plain_label, topic_of

READ = {
    "**Goal**: rye": Label("Goal", "rye", True),
    "**Goal:** rye": Label("Goal", "rye", True),
    "__Goal__: rye": Label("Goal", "rye", True),
    "**Research** rye": Label("Research", "rye", False),
    "**Content (~400 lines):** rye": Label("Content", "rye", True, "(~400 lines)"),
    "**Content** (~400 lines): rye": Label("Content", "rye", True, "(~400 lines)"),
}


@pytest.mark.parametrize("line", READ)
def test_a_label_in_bold_is_read_in_each_way_of_writing(line: str) -> None:
    """The colon is inside the bold, behind it or missing; a note in parentheses is no part of the key."""
    assert read_label(line) == READ[line]


@pytest.mark.parametrize("line", ["Goal: rye", "see **Goal**: rye", f"**{'x' * 61}**: rye"])
def test_other_lines_have_no_label_in_bold(line: str) -> None:
    """A label begins its line, and is short."""
    assert read_label(line) is None


def test_a_plain_label_counts_if_its_form_needs_no_bold() -> None:
    """So ordinary words before a colon are no label."""
    assert read_plain_label("File (new): bread/01-x.md") == Label("File", "bread/01-x.md", True, "(new)")
    assert read_plain_label("Remember: feed it") is None


MEANINGS = {
    "**Target File**: bread/01-x.md": Meaning.TARGET,
    "**Content (~400 lines):**": Meaning.CONTENT,
    "**Content**: rye, ash": Meaning.POINTS,
    "**File created**: ~300 lines": Meaning.BUDGET,
    "**Completed**: 2026-11-20": Meaning.COMPLETED,
    "**Completed**: soon": None,
    "**Objective**:": None,
}


@pytest.mark.parametrize("line", MEANINGS)
def test_the_first_row_with_what_it_needs_gives_the_meaning(line: str) -> None:
    """The same words mean another thing with a path, a budget, a date or a list below."""
    label = read_label(line)
    assert label
    assert meaning_of(label, has_path=".md" in line) is MEANINGS[line]


def test_a_number_behind_lines_is_a_budget() -> None:
    """Elsewhere a number needs its unit."""
    assert budget_of(Label("Lines", "400", True)) == LineBudget(400, 400)
    assert budget_of(Label("Output", "400", True)) is None


def test_an_item_sets_a_field_only_with_the_words_of_a_list() -> None:
    """Other labels of items are tasks."""
    assert is_field_in_list("Status")
    assert not is_field_in_list("Expected Size")


def test_a_longer_phrase_says_what_the_lines_below_are() -> None:
    """The first topic whose words it has counts."""
    assert topic_of("Check existing knowledge") is Meaning.EXISTING
    assert topic_of("Bake a loaf") is None
