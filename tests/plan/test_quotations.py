"""Strings in quotation marks or backticks."""

import pytest

from planbook.plan.quotations import find_quoted_strings


@pytest.mark.parametrize("text", ['"rye"', "“rye”", "`rye`", "'rye'", "„rye“", "«rye»", "「rye」", "\u2018rye\u2019"])
def test_each_pair_of_marks_quotes(text: str) -> None:
    """The string is what stands between them."""
    assert find_quoted_strings(f"Search: {text} now") == ["rye"]


def test_strings_are_in_the_order_of_the_text() -> None:
    """Marks within backticks around the whole string are no part of it, and an apostrophe quotes nothing."""
    assert find_quoted_strings("`\"rye ash\"` and 'oat', the mill's and the miller's") == ["rye ash", "oat"]
