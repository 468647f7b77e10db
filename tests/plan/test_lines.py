"""Lines of a PART: which reader takes them depends on what is around them."""

from __future__ import annotations

import pytest

from planbook.plan.contents import Contents
from planbook.plan.forms import Meaning
from planbook.plan.lines import begins_anew, is_done_alone, is_note, is_quotation, take_line

CONTEXTS = {
    Meaning.QUERIES: "queries",
    Meaning.SOURCES: "sources",
    Meaning.POINTS: "points",
    Meaning.OUTLINE: "sections",
    None: None,
}


@pytest.mark.parametrize("lead_in", CONTEXTS)
def test_an_item_is_what_the_line_above_the_list_says(lead_in: Meaning | None) -> None:
    """The same words are a query, a source, a point or a section; without a lead-in they are prose."""
    contents = Contents(1, lead_in=lead_in)
    is_taken = take_line(contents, "Handbook of ovens", 7, 1, is_item=True)
    filled = [name for name in ("queries", "sources", "points") if getattr(contents, name)]
    filled += ["sections"] if contents.outline.sections() else []
    assert filled == ([CONTEXTS[lead_in]] if lead_in else [])
    assert is_taken is bool(lead_in)


def test_an_outline_takes_its_lines_before_other_readers() -> None:
    """So a query below a section is a point of it."""
    contents = Contents(1)
    contents.outline.begin("Section 1: Ovens", 1, is_expected=False)
    assert take_line(contents, 'Search: "oven"', 3, 2, is_item=True)
    assert not contents.queries


@pytest.mark.parametrize(
    ("line", "is_whole"), [('"rye ash"', True), ('2. "rye" and "ash" (new)', True), ('the word "rye" in mills', False)]
)
def test_a_quotation_is_nothing_but_quoted_strings(line: str, is_whole: bool) -> None:
    """Numbers, notes and short words between them do not count."""
    assert is_quotation(line) is is_whole


def test_lines_about_the_work_are_no_points() -> None:
    """Neither is a line that says only that the PART is done."""
    assert is_note("Note: the mill was closed")
    assert is_done_alone("Completed.")
    assert not is_note("Notes on mills")
    assert not is_done_alone("Completed mills")


def test_a_line_below_an_item_that_has_a_form_begins_anew() -> None:
    """Others continue the item's sentence."""
    assert begins_anew("Query: rye")
    assert begins_anew("Goal: rye")
    assert not begins_anew("and the ash of its flour")
