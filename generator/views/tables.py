"""HTML tables, with markup fixed for screen readers."""

from __future__ import annotations

import re

_EMPTY_HEADER = re.compile(r"<th((?:\s[^<>]*)?)>\s*</th>")


def without_empty_headers(html: str) -> str:
    """Return a page's HTML with empty header cells of tables replaced by data cells.

    Markdown has only header cells in its first row; one without text is announced as a header without a name
    (https://dequeuniversity.com/rules/axe/4.10/empty-table-header).
    """
    return _EMPTY_HEADER.sub(r"<td\1></td>", html)
