"""Queries in a table of a plan: one column has them, another may name the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from planbook.model import Query
from planbook.plan.queries import read_engine, read_queries

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"^(?=[\s:|]*-)[\s:|-]*$")
_QUERY_COLUMN = re.compile(r"(?:search )?quer(?:y|ies)(?: (?:text|string)s?)?", re.IGNORECASE)
_ENGINE_COLUMN = re.compile(r"(?:search )?engine|where", re.IGNORECASE)


def is_table(lines: Sequence[str]) -> bool:
    """Return True if the lines of a paragraph form a table."""
    return (
        len(lines) > 1
        and "|" in lines[0]
        and "|" in lines[1]
        and bool(_RULE.match(lines[1].strip()))
    )


def read_table_queries(lines: Sequence[str]) -> Iterator[Query]:
    """Yield the queries of a table; none unless exactly one column is for queries."""
    head = [cell.strip("* ") for cell in _cells_of_plan_row(lines[0])]
    columns = [n for n, cell in enumerate(head) if _QUERY_COLUMN.fullmatch(cell)]
    engines = [n for n, cell in enumerate(head) if _ENGINE_COLUMN.fullmatch(cell)]
    if len(columns) != 1:
        return
    for row in lines[2:]:
        cells = _cells_of_plan_row(row)
        if len(cells) != len(head):
            continue
        engine = read_engine(" ".join(cells[column] for column in engines))
        for query in read_queries(cells[columns[0]], is_listed=True):
            yield replace(query, engine=engine) if query.engine == "web" else query


def _cells_of_plan_row(row: str) -> list[str]:
    cells_text = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(cells_text)]
