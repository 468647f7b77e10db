"""Tables and task lists, with names for those who do not see them."""

from __future__ import annotations

import pytest

from generator.markdown.elements import with_named_elements


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><th></th><th>a</th></tr>", "<tr><td></td><th>a</th></tr>"),
        ('<th style="text-align: left;"> </th>', '<td style="text-align: left;"></td>'),
        ("<th>a</th><td></td>", "<th>a</th><td></td>"),
        ("<thead></thead>", "<thead></thead>"),
        ("<code>&lt;th&gt;&lt;/th&gt;</code>", "<code>&lt;th&gt;&lt;/th&gt;</code>"),
        ('<th><img alt="x"></th>', '<th><img alt="x"></th>'),
        (
            '<code><span class="k">do</span><span class="w"> </span><span class="n">a</span><span class="p">;</span>',
            '<code><span class="k">do</span> a;',
        ),
        (
            '<code><span class="p p-Indicator">-</span> <span class="l l-Scalar l-Scalar-Plain">a</span></code>',
            '<code>- <span class="l">a</span></code>',
        ),
        (
            '<code><span class="s">a</span><span class="s">b</span><span class="s">c</span><span class="m">1</span>',
            '<code><span class="s">abc</span><span class="m">1</span>',
        ),
        ('<code>a</code> <span class="p">b</span>', '<code>a</code> <span class="p">b</span>'),
        ('<span class="n">a</span>', '<span class="n">a</span>'),
        ('<input type="checkbox" disabled/> a', '<input type="checkbox" disabled aria-label="to do"/> a'),
        ('<input type="checkbox" disabled checked/>', '<input type="checkbox" disabled checked aria-label="done"/>'),
    ],
)
def test_elements_have_names(html: str, expected: str) -> None:
    """An empty header becomes a cell, a box gets a label, tokens without a colour are plain; all else stays."""
    assert with_named_elements(html) == expected
