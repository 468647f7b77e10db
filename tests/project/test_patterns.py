"""Patterns read hostile lines in linear time: twice the text takes twice the time, not four times."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from planbook.citations.source_lists import section_end
from planbook.markdown.plain_text import ROW_RULE
from planbook.plan.tables import is_table

LENGTH = 500_000
LIMIT_S = 2.0
"""Seconds of processor time: a pattern that grows with the square takes minutes."""

WORST: dict[str, tuple[Callable[[str], object], str]] = {
    "heading of signs": (lambda line: section_end([line, ""], 0), "# "),
    "heading of blanks": (lambda line: section_end([line, ""], 0), "#" + " " * 99),
    "heading of words": (lambda line: section_end([line, ""], 0), "# a"),
    "rule of a row": (lambda line: ROW_RULE.match(f"{line}x"), "-"),
    "rule of a row with bars": (lambda line: ROW_RULE.match(f"--{line}x"), "| -"),
    "rule of a table": (lambda line: is_table(["a | b", f"{line}x|"]), "| -"),
}
"""What reads a line, and what the line repeats."""


@pytest.mark.parametrize("name", WORST)
def test_a_hostile_line_is_read_at_once(name: str) -> None:
    """Half a megabyte in one line, with an end that does not match."""
    read, unit = WORST[name]
    line = unit * (LENGTH // len(unit))
    begun = time.process_time()
    read(line)
    assert time.process_time() - begun < LIMIT_S


@pytest.mark.parametrize(
    "heading", ["## Sources", "## Sources ##", "##  Sources # #  ", "###\tSources\t#", "# Sources #"]
)
def test_a_closed_heading_begins_a_list_of_sources(heading: str) -> None:
    """Signs and blanks at its end are no part of it."""
    assert section_end([heading, "", "- [A](https://a.example/)"], 0) == 3


@pytest.mark.parametrize("rule", ["--|--", "|---|:--:|", " | -- | -- | ", "-|", ":-|-:"])
def test_rules_of_tables_are_read(rule: str) -> None:
    """With outer bars or without, aligned or not."""
    assert is_table(["a | b", f"{rule}|" if "|" not in rule else rule])
