"""Every form of words by which text is known as no evidence matches its example."""

from __future__ import annotations

import re

import pytest

from planbook.citations.wording import Wording, any_of
from planbook.research.evidence.junk import TABLES

FORMS = [(pattern, rows, row) for rows, pattern in TABLES.items() for row in rows]


@pytest.mark.parametrize(("pattern", "rows", "row"), FORMS, ids=[row.example for _, _, row in FORMS])
def test_a_form_matches_its_example(pattern: re.Pattern[str], rows: tuple[Wording, ...], row: Wording) -> None:
    """It would match also if its table had no other form."""
    assert pattern.search(row.example)
    alone = pattern.pattern.replace(any_of(rows), row.pattern)
    for others in TABLES:
        if others != rows:
            alone = alone.replace(any_of(others), r"(?!)")
    assert re.search(alone, row.example, pattern.flags)
