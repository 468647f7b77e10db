"""Locators, as Pandoc reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.views.csl.locators import parse_locator


@pytest.mark.parametrize(
    ("written", "label", "numbers", "rest"),
    [
        ("p. 3", "page", "3", ""),
        ("pp. 3-5", "page", "3-5", ""),
        ("p.3", "page", "3", ""),
        ("33", "page", "33", ""),
        ("33-35, 38-39 and more", "page", "33-35, 38-39", " and more"),
        ("3 and 5", "page", "3 and 5", ""),
        ("p. 3, on rye", "page", "3", ", on rye"),
        ("p. xii", "page", "xii", ""),
        ("sec. 2.1.3", "section", "2.1.3", ""),
        ("Section 3", "section", "3", ""),
        ("§ 4", "section", "4", ""),
        ("chap. iv", "chapter", "iv", ""),
        ("ch. 2, sec. 3", "chapter", "2", ", sec. 3"),
        ("lines 10-20", "line", "10-20", ""),
        ("l. 4", "line", "4", ""),
        ("fig. 3a", "figure", "3a", ""),
        ("¶ 3", "paragraph", "3", ""),
        ("p. 3.", "page", "3", "."),
        ('sec. "Stop at a stage"', "", "", 'sec. "Stop at a stage"'),
        ("L10-L20", "", "", "L10-L20"),
        ("q9", "", "", "q9"),
        ("table 3", "", "", "table 3"),
        ("iv", "", "", "iv"),
        ("pages of it", "", "", "pages of it"),
        ("linear 3", "", "", "linear 3"),
    ],
)
def test_a_locator_is_a_label_and_numbers(written: str, label: str, numbers: str, rest: str) -> None:
    """What is no number, or has a label that CSL does not know, stays as it is written."""
    assert parse_locator(written) == (label, numbers, rest)


@given(st.text(alphabet="p.secl 0123456789-,&ivx§¶\"'", min_size=1, max_size=20).filter(str.strip))
def test_no_word_of_a_locator_is_lost(written: str) -> None:
    """But the label, which the style says in its own way."""
    label, numbers, rest = parse_locator(written)
    assert written.endswith(f"{numbers}{rest}")
    assert bool(label) is bool(numbers)
