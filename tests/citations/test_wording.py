"""Every form of words by which a page says what its sources are matches its example."""

from __future__ import annotations

import re

import pytest

from planbook.citations.wording import TABLES, Wording, any_of

FORMS = [(pattern, rows, row) for pattern, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize(("pattern", "rows", "row"), FORMS, ids=[row.example for _, _, row in FORMS])
def test_a_form_matches_its_example(pattern: re.Pattern[str], rows: tuple[Wording, ...], row: Wording) -> None:
    """It would match also if its table had no other form."""
    assert pattern.search(row.example)
    alone = re.compile(pattern.pattern.replace(any_of(rows), row.pattern), pattern.flags)
    assert alone.search(row.example)
