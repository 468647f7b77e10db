"""Tables that begin within a paragraph, which pyromark sees only where rows begin with a pipe."""

from __future__ import annotations

import re

from markdown.util import ETX, STX

from planbook.markdown.github.line_kinds import QUOTES, literal_lines
from planbook.markdown.github.markdown_events import Options

SEPARATOR = f"<?{STX}pb{ETX}?>"
"""A line that ends a paragraph, and is no block of its own on the page."""
_MARKER = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_DELIMITER_ROW = re.compile(
    rf"{QUOTES}(?P<indent>[ \t]*+)"
    r"(?P<row>\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+)$"
)
_MAY_DELIMIT = re.compile(r"^[ \t>]*:?-+:?[ \t]*\|", re.MULTILINE)
"""The row below the header of a table that need not have outer pipes."""
_DASH_AND_PIPE = re.compile(r"-:?[ \t]*\|")
"""A part of such a row; a pattern that begins with a sign is found in a tenth of the time."""


def separate_tables(text: str, options: Options) -> str:
    """Return the text with a separator above each table that begins within a paragraph.

    On GitHub, the header of a table ends the paragraph above it; pyromark sees that only where rows
    begin with a pipe.
    """
    if not (_DASH_AND_PIPE.search(text) and _MAY_DELIMIT.search(text)):
        return text
    lines = text.split("\n")
    literal = literal_lines(lines, options)
    out, is_in_table = list[str](), False
    for n, line in enumerate(lines):
        row = _DELIMITER_ROW.match(line)
        is_in_table = is_in_table and bool(line.strip(" \t>"))
        is_header_known = row is not None and n > 1 and n not in literal and not is_in_table
        if row is not None and is_header_known and _is_header(lines[n - 1], row):
            is_in_table = True
            if lines[n - 2].strip(" \t>"):  # a paragraph, which the separator ends
                out.insert(-1, f"{row['quotes']}{row['indent']}{SEPARATOR}")
        out.append(line)
    return "\n".join(out)


def _is_header(line: str, delimiters: re.Match[str]) -> bool:
    """Return whether a line has as many cells as the row below it, and continues its paragraph."""
    lead = re.match(rf"{QUOTES}[ \t]*", line)
    is_continued = lead is not None and not _MARKER.match(line, lead.end())
    row = line[lead.end() :] if lead else line
    has_pipe = "|" in row and "|" in delimiters["row"]
    return (
        is_continued
        and has_pipe
        and _count_cells_of_line(row) == _count_cells_of_line(delimiters["row"])
    )


def _count_cells_of_line(row: str) -> int:
    """Return the number of cells in a row of a table."""
    return len(re.split(r"(?<!\\)\|", row.strip().removeprefix("|").removesuffix("|")))
