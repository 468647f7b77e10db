"""The ids of the rows of tables of messages, to which the cards of the search lead."""

from __future__ import annotations

import re

_MESSAGES_COLUMN = re.compile(r'<th (?=[^<>]*class="messages")[^<>]*\bid="([^"<>]*)"')


def row_id(table_id: str, row: int) -> str:
    """Return the id of a row of a table of messages; `row` is 1 for the first below the head."""
    return f"{table_id}.{row}"


def add_row_ids(html: str) -> str:
    """Return HTML in which each row of a table of messages has an id: searches lead to it."""
    tables = html.split("</table>")
    for n, table in enumerate(tables):
        head, body_tag, body = table.rpartition("<tbody>")
        column = _MESSAGES_COLUMN.search(head, head.rfind("<table"))
        if column:
            first, *rows = body.split("<tr>")
            ids = (row_id(column[1], i) for i in range(1, len(rows) + 1))
            opened = (f'<tr id="{name}">{row}' for name, row in zip(ids, rows, strict=True))
            tables[n] = "".join((head, body_tag, first, *opened))
    return "</table>".join(tables)
