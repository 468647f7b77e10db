"""Passages are divided into parts that can be quoted by themselves."""

from __future__ import annotations

import pytest

from planbook.problems import MAX_QUOTE_WORDS
from planbook.research.writers.quote_choice.quotable_units import QuotableUnit, find_shown_lines, units_of_passage
from tests.research.writers.quote_choice.groups import passage

LONG_CLAUSE = "one two three four five six seven eight nine ten, "
LONG = f"{LONG_CLAUSE * 5}end."

UNITS = [
    ("Clay is heavy. Straw is light.", ["Clay is heavy.", "Straw is light."]),
    ("- Open the vents.\n- Wait.", ["- Open the vents.", "- Wait."]),
    ("| Heat | 800 |\n| --- | --- |\n| Hold | 40 |", ["| Heat | 800 |", "| Hold | 40 |"]),
    ("$ kiln set heat 800\n\n  kiln start", ["kiln set heat 800", "  kiln start"]),
]


def units(text: str) -> list[QuotableUnit]:
    """The units of a passage."""
    return list(units_of_passage(passage(text), 0, ()))


@pytest.mark.parametrize(("text", "parts"), UNITS)
def test_a_passage_is_divided_by_its_kind(text: str, parts: list[str]) -> None:
    """Prose into sentences, a list into items, a table into rows, code into lines."""
    assert [unit.text for unit in units(text)] == parts


def test_a_long_sentence_is_divided_at_its_clauses() -> None:
    """Its parts fit into a quote each, and are about as long as one another."""
    sizes = [unit.size for unit in units(LONG)]
    assert sum(sizes) == len(LONG.split())
    assert max(sizes) <= MAX_QUOTE_WORDS
    assert min(sizes) * 2 > max(sizes)


def test_a_row_has_the_words_of_its_head_and_the_head_has_none() -> None:
    """The head alone says nothing; "Default" and "40" stand for "The default is 40"."""
    head, row = units("| Option | Default |\n| --- | --- |\n| `hold` | 40 |")
    assert head.is_head
    assert not head.stems
    assert {"default", "hold"} <= row.stems


SHOWN = [
    ("kiln start", ["kiln start"]),
    ("kiln  set heat  800", ["kiln set heat 800"]),
    ("kiln set heat 800\nglaze --fast --thin --even --now", []),
]


@pytest.mark.parametrize(("code", "lines"), SHOWN)
def test_code_of_a_page_is_shown_by_the_lines_that_it_has(code: str, lines: list[str]) -> None:
    """Blanks do not count; code of which the passages lack most is the page's own."""
    of_source = units("$ kiln set heat 800\nkiln start")
    assert [unit.text for unit in find_shown_lines(code, of_source)] == lines
