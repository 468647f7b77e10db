"""Offsets of lines, and edits by offsets."""

from __future__ import annotations

from bisect import bisect_right

from hypothesis import given
from hypothesis import strategies as st

from planbook.markdown.edits import apply_edits, blank_out, line_starts


@given(st.text("ab\n", max_size=20), st.integers(0, 19))
def test_the_starts_of_lines_give_the_line_of_an_offset(text: str, offset: int) -> None:
    """Lines are counted from 1."""
    offset = min(offset, len(text))
    assert bisect_right(line_starts(text.split("\n")), offset) == text[:offset].count("\n") + 1


def test_edits_replace_spans_of_the_text_before_them() -> None:
    """Offsets are those of the text as it was; an empty span inserts."""
    assert apply_edits("rye ash", [(0, 0, "dark "), (0, 3, "oats"), (7, 7, ".")]) == "dark oats ash."
    assert apply_edits("rye", []) == "rye"


def test_blanks_keep_the_places_of_what_follows() -> None:
    """Line breaks stay."""
    assert blank_out("a b\n`c`\n") == "   \n   \n"
