"""Tables of a page of HTML as Markdown."""

from __future__ import annotations

from collections.abc import Callable

from lxml.html import HtmlElement

_MAX_ROWS = 500
_MAX_COLUMNS = 40
_MAX_CELL = 2_000
"""Maximum number of characters.

A larger cell is layout, or hostile: a cell may claim to span a million columns.
"""


def is_data(table: HtmlElement) -> bool:
    """Return whether the table holds data, not layout."""
    frames = next(table.iterdescendants("table", "form", "h1", "h2"), None)
    if table.get("role") in {"none", "presentation"} or frames is not None:
        return False
    rows = _rows_of_table(table)
    has_head = next(table.iterdescendants("th", "thead"), None) is not None
    return bool(rows) and (has_head or (len(rows) > 1 and len(rows[0]) > 1))


def table_markdown(table: HtmlElement, text_of: Callable[[HtmlElement], str]) -> str:
    """Return the table with pipes, its caption in a paragraph above.

    A cell that spans rows is repeated in each.
    """
    rows = _rows_of_table(table)
    texts = _spread(rows, text_of)
    width = max(map(len, texts))
    head = texts.pop(0) if any(cell.tag == "th" for cell in rows[0]) else []
    lines = [
        _padded_row(head, width),
        _padded_row(["---"] * width, width),
        *(_padded_row(row, width) for row in texts),
    ]
    caption = next(map(text_of, table.iterchildren("caption")), "")
    if caption:
        lines = [caption, "", *lines]
    return "\n".join(lines)


def _rows_of_table(table: HtmlElement) -> list[list[HtmlElement]]:
    """Return the cells of each row that has any."""
    rows: list[list[HtmlElement]] = []
    for row in table.iterdescendants("tr"):
        cells = [cell for cell in row if cell.tag in {"td", "th"}]
        if cells:
            rows.append(cells)
        if len(rows) == _MAX_ROWS:
            break
    return rows


def _spread(
    rows: list[list[HtmlElement]], text_of: Callable[[HtmlElement], str]
) -> list[list[str]]:
    """Return the texts of the cells, each in its column."""
    spread = []
    # By column: the text of a cell in a row above, and in how many more rows it stands.
    from_above: dict[int, tuple[str, int]] = {}
    for cells in rows:
        texts: list[str] = []
        waiting = list(cells)
        while (waiting or len(texts) in from_above) and len(texts) < _MAX_COLUMNS:
            above, rows_below = from_above.pop(len(texts), ("", 0))
            if rows_below:
                if rows_below > 1:
                    from_above[len(texts)] = (above, rows_below - 1)
                texts.append(above)
                continue
            cell = waiting.pop(0)
            text = text_of(cell)[:_MAX_CELL].replace("|", "\\|")
            below = _span(cell, "rowspan") - 1
            for nth in range(_span(cell, "colspan")):
                if below:
                    from_above[len(texts)] = (text if nth == 0 else "", below)
                texts.append(text if nth == 0 else "")
        spread.append(texts[:_MAX_COLUMNS])
    return spread


def _span(cell: HtmlElement, name: str) -> int:
    """Return how many rows or columns a cell spans."""
    value = (cell.get(name) or "1").strip()
    is_number = value.isascii() and value.isdigit() and len(value) < 9
    return min(max(int(value), 1), _MAX_COLUMNS) if is_number else 1


def _padded_row(texts: list[str], width: int) -> str:
    """Return a row of a table, with empty cells at its end up to the width."""
    missing = [""] * (width - len(texts))
    return f"| {' | '.join([*texts, *missing])} |"
