"""Every form of words in the tables of `proof.phrases` matches its example."""

from __future__ import annotations

import re

import pytest

from planbook.citations.wording import Wording, any_of
from planbook.research.proof.phrases import TABLES

FORMS = [(pattern, rows, row) for pattern, tables in TABLES.items() for rows in tables for row in rows]


@pytest.mark.parametrize(("pattern", "rows", "row"), FORMS, ids=[row.example for _, _, row in FORMS])
def test_a_form_matches_its_example(pattern: re.Pattern[str], rows: tuple[Wording, ...], row: Wording) -> None:
    """Also if its table had no other form."""
    assert pattern.search(row.example)
    alone = re.compile(pattern.pattern.replace(any_of(rows), row.pattern), pattern.flags)
    assert alone.search(row.example)
