"""Convert HTML tables to Markdown."""

from __future__ import annotations

import re
from itertools import islice

from lxml.html import HtmlElement

_MAX_ROWS = 500
_MAX_COLUMNS = 40
_MAX_CELL = 2_000
"""Maximum number of characters. A larger cell is layout, or hostile: a cell may claim to span a million columns."""
_MARKUP = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)")
"""Characters that are text in HTML, but markup in Markdown."""
_BREAKS = frozenset({"br", "div", "dd", "dt", "li", "p", "tr"})


def is_data(table: HtmlElement) -> bool:
    """Return whether the table holds data, not layout."""
    frames = next(table.iterdescendants("table", "form", "h1", "h2"), None)
    if table.get("role") in {"none", "presentation"} or frames is not None:
        return False
    rows = _rows(table)
    has_head = next(table.iterdescendants("th", "thead"), None) is not None
    return bool(rows) and (has_head or (len(rows) > 1 and len(rows[0]) > 1))


def table_markdown(table: HtmlElement) -> str:
    """Return the table with pipes, its caption in a paragraph above. A cell that spans rows is repeated in each."""
    rows = _rows(table)
    texts = _spread(rows)
    width = max(map(len, texts))
    head = texts.pop(0) if any(cell.tag == "th" for cell in rows[0]) else []
    lines = [_line(head, width), _line(["---"] * width, width), *(_line(row, width) for row in texts)]
    caption = next((text_of(found) for found in table.iterchildren("caption")), "")
    return "\n".join([*([caption, ""] if caption else []), *lines])


def _rows(table: HtmlElement) -> list[list[HtmlElement]]:
    """Return the cells of each row that has any."""
    rows = ([cell for cell in row if cell.tag in {"td", "th"}] for row in table.iterdescendants("tr"))
    return list(islice(filter(None, rows), _MAX_ROWS))


def _spread(rows: list[list[HtmlElement]]) -> list[list[str]]:
    """Return the texts of the cells, each in its column."""
    spread = []
    from_above: dict[int, tuple[str, int]] = {}
    for cells in rows:
        texts: list[str] = []
        waiting = list(cells)
        while (waiting or len(texts) in from_above) and len(texts) < _MAX_COLUMNS:
            above, left = from_above.pop(len(texts), ("", 0))
            if left:
                if left > 1:
                    from_above[len(texts)] = (above, left - 1)
                texts.append(above)
                continue
            cell = waiting.pop(0)
            text, below = text_of(cell), _span(cell, "rowspan") - 1
            for nth in range(_span(cell, "colspan")):
                if below:
                    from_above[len(texts)] = (text if nth == 0 else "", below)
                texts.append(text if nth == 0 else "")
        spread.append(texts[:_MAX_COLUMNS])
    return spread


def _span(cell: HtmlElement, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return min(max(int(value), 1), _MAX_COLUMNS) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def text_of(cell: HtmlElement) -> str:
    """Return the cell as one line, with code in backticks and pipes escaped."""
    pieces: list[str] = []
    stack: list[HtmlElement | str] = [cell]
    while stack:
        current = stack.pop()
        if isinstance(current, str):
            pieces.append(_MARKUP.sub(r"\\\g<0>", current))
            continue
        if current is not cell:
            stack.append(current.tail or "")
        if not isinstance(current.tag, str) or current.tag in {"script", "style", "template"}:
            continue
        if current.tag in {"code", "kbd", "samp", "tt"}:
            words = " ".join(current.text_content().split())
            pieces.append(f"`{words}`" if words and "`" not in words else words)
            continue
        edge = " " if current.tag in _BREAKS else ""
        stack += [edge, *reversed(current), current.text or "", edge]
    return " ".join("".join(pieces).split())[:_MAX_CELL].replace("|", "\\|")


def _line(texts: list[str], width: int) -> str:
    return f"| {' | '.join([*texts, *[''] * (width - len(texts))])} |"
