"""Queries in a table: a column that says so, and one that may name the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from generator.model import Query
from generator.plan.phrases import read_engine, read_queries

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"^\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?$")
_QUERY = re.compile(r"(?:search )?quer(?:y|ies)(?: (?:text|string)s?)?", re.IGNORECASE)
_ENGINE = re.compile(r"(?:search )?engine|where", re.IGNORECASE)


def is_table(lines: Sequence[str]) -> bool:
    """Return True if the lines of a paragraph form a table."""
    return len(lines) > 1 and "|" in lines[0] and "|" in lines[1] and bool(_RULE.match(lines[1].strip()))


def table_queries(lines: Sequence[str], line: int) -> Iterator[Query]:
    """Yield the queries of the table that begins on `line`; none unless exactly one column is for queries."""
    head = [cell.strip("* ") for cell in _cells(lines[0])]
    columns = [n for n, cell in enumerate(head) if _QUERY.fullmatch(cell)]
    engines = [n for n, cell in enumerate(head) if _ENGINE.fullmatch(cell)]
    for n, text in enumerate(lines[2:], line + 2) if len(columns) == 1 else ():
        cells = _cells(text)
        if len(cells) == len(head):
            engine = read_engine(" ".join(cells[column] for column in engines))
            for query in read_queries(cells[columns[0]], is_listed=True):
                yield replace(query, line=n, engine=engine if query.engine == "web" else query.engine)


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(row.strip().removeprefix("|").removesuffix("|"))]
