"""The works that a table names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from generator.citations.accessed import access_date, any_date
from generator.citations.mention import Mention
from generator.citations.places import Place, find_places
from generator.citations.titles import address_words, is_generic, title_of
from generator.markdown.line_kinds import cells_of, is_row_rule
from generator.markdown.plain_text import line_text

_SOURCE_COLUMN = re.compile(r"^\W*(?:sources?|references?|refs?|citations?|papers?)\b", re.IGNORECASE)
_DATE_COLUMN = re.compile(r"access|retriev")
_TITLE_COLUMN = re.compile(r"title|name|paper|source|work|document|reference")


def columns_of(lines: Sequence[str], n: int) -> list[str] | None:
    """The names of the columns, in small letters, where line `n` (0-based) is the head of a table."""
    is_head = n + 1 < len(lines) and is_row_rule(lines[n + 1])
    return [line_text(cell).lower() for cell in cells_of(lines[n])] if is_head else None


def works_in_row(line: str, n: int, columns: Sequence[str], links: Mapping[str, str]) -> Iterator[Mention]:
    """The works that the row on line `n` (0-based) lists."""
    cells = cells_of(line)
    names = [columns[i] if i < len(columns) else "" for i in range(len(cells))]
    dates = (any_date(cell) for name, cell in zip(names, cells, strict=True) if _DATE_COLUMN.search(name))
    date = access_date(line) or next((found for found in dates if found), None)
    title = _title_of_row(cells, names, links)
    for cell in cells:
        places = find_places(cell, links)
        own = access_date(cell) if places else None
        for place in places:
            words = title_of(place, cell[: place.start], "", is_entry=True)
            yield Mention(n + 1, place.url, words or title or address_words(place.url), own or date)


def in_source_column(lines: Sequence[str], n: int, places: Sequence[Place]) -> frozenset[Place]:
    """The places that stand in the column of sources of the table to which row `n` (0-based) belongs."""
    rule = next((m for m in range(n, max(-1, n - 60), -1) if is_row_rule(lines[m])), 0)
    columns = [bool(_SOURCE_COLUMN.match(cell)) for cell in cells_of(lines[rule - 1])] if rule else []
    row = lines[n]
    offset = len(row) - len(row.lstrip().removeprefix("|"))
    numbers = {place: row[offset : place.start].count("|") for place in places}
    return frozenset(place for place, column in numbers.items() if column < len(columns) and columns[column])


def _title_of_row(cells: Sequence[str], names: Sequence[str], links: Mapping[str, str]) -> str:
    """What the cells call the row's work: that under a title's name, else the first that is words."""
    words = [line_text(cell) for cell in cells]
    named = (w for w, name in zip(words, names, strict=True) if _TITLE_COLUMN.search(name) and "://" not in w)
    plainly = (w for w, cell in zip(words, cells, strict=True) if not find_places(cell, links) and not any_date(cell))
    return next((w for found in (named, plainly) for w in found if not is_generic(w)), "")
