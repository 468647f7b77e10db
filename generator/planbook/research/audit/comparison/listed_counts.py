"""The numbers of rows, items and headings that the tables, lists and sections of a text have. Pure.

Reports count what their sources list: *17 destinations* of a table with as many rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+\u2022]|\d{1,3}[.)])\s+\S")
_HEADING = re.compile(r"(?P<marks>#{1,6})\s+\S")


def counts_in(text: str) -> frozenset[int]:
    """Return the numbers of rows of tables, items of lists, and headings below each other."""
    lines = text.split("\n")
    rows = list(_table_sizes(lines))
    sizes = {*rows, sum(rows), *_list_sizes(lines), *_heading_counts(lines)}
    return frozenset(sizes - {0, 1})


def _table_sizes(lines: list[str]) -> Iterator[int]:
    """Yield the number of rows of each table, without its head."""
    size = 0
    for line in [*lines, ""]:
        if _RULE.match(line):
            size = 0
        elif _ROW.match(line):
            size += 1
        elif size:
            yield size
            size = 0


def _list_sizes(lines: list[str]) -> Iterator[int]:
    """Yield the number of items of each list, at each depth."""
    items: Counter[int] = Counter()
    for line in [*lines, "end"]:
        item = _ITEM.match(line)
        depth = len(item["indent"]) if item else len(line) - len(line.lstrip())
        is_end = bool(line.strip()) and not item and depth == 0
        ended = [other for other in items if is_end or (item and other > depth)]
        for other in ended:
            yield items.pop(other)
        if item:
            items[depth] += 1


def _heading_counts(lines: list[str]) -> Iterator[int]:
    """Yield the number of headings of each level, in all and below each heading."""
    totals: Counter[int] = Counter()
    below: Counter[int] = Counter()
    for line in lines:
        heading = _HEADING.match(line)
        if heading is None:
            continue
        level = len(heading["marks"])
        for other in [other for other in below if other > level]:
            yield below.pop(other)
        totals[level] += 1
        below[level] += 1
    yield from totals.values()
    yield from below.values()
