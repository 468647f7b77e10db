"""Two readings of a page are compared by their blocks, with the place in the text."""

from __future__ import annotations

import pytest

from planbook.markdown.github.compare import Difference, blocks_of, differences
from tests.markdown.github.engine import github, python


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# T\n\nSame *text*.\n\n- a\n- b\n", []),
        (
            "# T\n\n#tag\n\n#tag\n",
            [Difference(3, "paragraph “#tag”", "heading 1 “tag”")],
        ),
        (
            "a\n\n> A | B\n> --- | ---\n> c | d\n\n- \\<i>\n",
            [Difference(7, "list item “<i>”", "list item “\\”")],
        ),
        (
            f"{'word ' * 20}2**-2 and 2**4\n",
            [Difference(1, "paragraph “…ord word word word 2**-2 and 2**4”", "")],
        ),
        ("1. a\n\n    b\n", []),
        ("see https://a.example/b\n", []),
        ("~~old~~\n", []),
    ],
    ids=["same", "tags", "escape", "stars", "item", "address", "strikethrough"],
)
def test_each_run_of_other_blocks_is_one_difference(text: str, found: list[Difference]) -> None:
    """It has the line of the page and both readings; an address that becomes a link is none."""
    got = list(differences(text, github(text), python(text)))
    assert [(one.line, one.github) for one in got] == [(one.line, one.github) for one in found]
    assert all(a.python == b.python for a, b in zip(got, found, strict=True) if b.python)


def test_blocks_are_those_that_a_reader_sees() -> None:
    """Permalinks and scripts are not text; kinds tell quotes, folds and the level of a list."""
    html = (
        '<h2 id="a">A<a class="headerlink" href="#a">¶</a></h2><script>x</script>'
        "<details><summary>S</summary><ul><li>a<ul><li><p>b <code>c</code></p></li></ul></li></ul></details>"
    )
    assert [block.reading() for block in blocks_of(html)] == [
        "heading 2 “A”",
        "folded summary “S”",
        "folded list item “a”",
        "folded list item at level 2 “b <code>c</code>”",
    ]
