"""Tables as HTML, mended."""

from __future__ import annotations

import pytest

from generator.views.banner import without_empty_headers


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><th></th><th>a</th></tr>", "<tr><td></td><th>a</th></tr>"),
        ('<th style="text-align: left;"> </th>', '<td style="text-align: left;"></td>'),
        ("<th>a</th><td></td>", "<th>a</th><td></td>"),
        ("<thead></thead>", "<thead></thead>"),
        ("<code>&lt;th&gt;&lt;/th&gt;</code>", "<code>&lt;th&gt;&lt;/th&gt;</code>"),
        ('<th><img alt="x"></th>', '<th><img alt="x"></th>'),
    ],
)
def test_an_empty_header_heads_nothing(html: str, expected: str) -> None:
    """It becomes a cell; all else stays."""
    assert without_empty_headers(html) == expected
