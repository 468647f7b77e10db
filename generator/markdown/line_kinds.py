"""Classify lines: list items, thematic breaks, table rows, labels of the text below."""

from __future__ import annotations

import re
from dataclasses import dataclass

ENTRY_NUMBER = r"\[(?:\^[\w-]{1,20}|\d{1,3}[a-z]?|\d{4}\.\d{4,5}|[A-Za-z+]{1,16}\s?\d{2,4}[a-z]?)\]"
"""A pattern for what a bibliography's entry begins with: ``[3]``, ``[^rye]``, ``[Miller22]``, ``[2205.14135]``."""
_ITEM = re.compile(
    rf"^(?P<indent>\s*)(?P<marker>[-*+•–]|\d{{1,3}}[.)]|{ENTRY_NUMBER}:?|\(\d{{1,3}}\)"
    r"|\*\*\[\d{1,3}\]\*\*:?)\s+(?P<text>\S.*)$"
)
_NUMBER = re.compile(r"\W*(\d{1,3})\W*$")
_RULE = re.compile(r"^\s{0,3}(?:[-*_]\s?){3,80}$")
_ROW_RULE = re.compile(r"^\s*(?:\|\s*)?:?-{2,}[\s:|-]*$")


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line that begins an item of a list."""

    text: str
    """Without the marker."""
    number: str | None
    """Of a numbered one: ``3.``, ``[3]``."""


def item_of(line: str) -> ListLine | None:
    """The item that the line begins, if it begins one."""
    match = _ITEM.match(line)
    if not match:
        return None
    number = _NUMBER.match(match["marker"])
    return ListLine(match["text"], number[1] if number else None)


def width(line: str) -> int:
    """Return the line's indentation in columns."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def is_rule(line: str) -> bool:
    """Return whether the line is a thematic break."""
    return bool(_RULE.match(line))


def is_row(line: str) -> bool:
    """Return whether the line is a table row with outer pipes."""
    return line.lstrip()[:1] == "|"


def is_row_rule(line: str) -> bool:
    """Return whether the line separates a table's head from its body."""
    return bool(_ROW_RULE.match(line))


def cells_of(row: str) -> list[str]:
    """The cells of a table's row."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def is_label(line: str) -> bool:
    """Return whether the line labels the text below it: in bold, or with a colon at its end."""
    text = line.strip()
    return (text.startswith(("**", "__")) and "://" not in text and "](" not in text) or text.endswith((":", ":**"))
