"""What a page is made from."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from planbook.model import Grep, LineBudget, Part, Query, Read, Section, State, Step, Task
from planbook.research.evidence.origins import part_digest

PART = Part(number=1, title="Water", line=3, end_line=9, state=State.OPEN)
OF_ITS_PAGE = {
    "title": "Hard water",
    "targets": ("tea/1-water.md",),
    "lines_budget": LineBudget(40, 50),
    "page_title": "Water for tea",
    "goal": "Choose the water.",
    "steps": (Step(1, "Search", (Task("Compare", " ", 5),)),),
    "queries": (Query("", "hard water"),),
    "points": ("Which water",),
    "sections": (Section("Water"),),
    "sources": ("https://tea.example/",),
    "reads": (Read("tea/0-basics.md", "", 5),),
    "greps": (Grep("water"),),
    "gaps": ("the hardness",),
}
"""Another value for each field that a page is made from."""
NOT_OF_IT = {
    *("number", "line", "end_line", "state", "status_line", "completed", "note"),
    *("drop", "is_chore", "is_group"),
}
"""Where a PART is, how far it is, and what is left of it beside its page."""


def test_each_field_of_a_part_is_of_its_page_or_not() -> None:
    """A field that is new must be named in one of the two lists, and in the digest if its page is made from it."""
    assert {field.name for field in fields(Part)} == {*OF_ITS_PAGE, *NOT_OF_IT}


@pytest.mark.parametrize("name", OF_ITS_PAGE)
def test_a_page_is_stale_if_its_part_asks_for_something_else(name: str) -> None:
    """Whatever a page is made from has a part in the digest."""
    changed: dict[str, Any] = {name: OF_ITS_PAGE[name]}
    assert part_digest(replace(PART, **changed)) != part_digest(PART)


def test_a_mark_makes_no_page_stale() -> None:
    """Another place in the plan makes none stale, either."""
    moved = replace(PART, number=2, line=30, end_line=40, state=State.DONE, completed="2026-11-29", note="late")
    assert part_digest(moved) == part_digest(PART)
