"""Titles of steps: numbers, words, and a search in the same line."""

from __future__ import annotations

import pytest

from planbook.plan.forms import Meaning
from planbook.plan.steps import kind_of_step, read_step_title, split_step_and_search

TITLES = {
    "**Step 3: Write the page** (~400 lines)": (3, "Write the page (~400 lines)"),
    "Step 3. Write the page": (3, "Write the page"),
    "**STEP #3** - Write the page": (3, "Write the page"),
    "Step Four: Write the page": (4, "Write the page"),
    "step 3 needs flour": None,
    "Phase 3: Write the page": None,
}


@pytest.mark.parametrize("line", TITLES)
def test_a_title_has_number_and_words(line: str) -> None:
    """In small letters and without bold, the words are a sentence."""
    assert read_step_title(line) == TITLES[line]


def test_a_step_may_have_its_search_in_the_same_line() -> None:
    """The step ends where its bold does."""
    both = split_step_and_search('**Step 1: Research** - Search: "rye ash"')
    assert both == ("**Step 1: Research**", 'Search: "rye ash"')
    assert split_step_and_search("**Step 1: Research** - rye") is None


def test_a_step_called_search_may_contain_anything() -> None:
    """Only one that speaks of queries is a list of them."""
    assert kind_of_step("Web searches") is Meaning.RESEARCH
    assert kind_of_step("Search queries") is Meaning.QUERIES
