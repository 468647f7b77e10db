"""Blocks of HTML within Markdown: rows as terms with what they are about, text between other tags."""

from __future__ import annotations

import pytest

from planbook.research.drafts import PassageKind
from planbook.research.evidence.markdown_blocks import source_blocks


def terms_and_texts(text: str) -> list[tuple[bool, str]]:
    """Whether each block is a term, and its text."""
    return [(block.is_term, text[block.start : block.end]) for block in source_blocks(text)]


def test_the_first_cell_of_a_row_is_its_term() -> None:
    """The others are what it is about, from the first to the last; a row of heads says nothing by itself."""
    text = "<table><tr><th>Option<th>Meaning</tr><tr><td>-t<td>minutes<td>2</tr></table>\n"
    assert terms_and_texts(text) == [(True, "-t"), (False, "minutes<td>2")]


@pytest.mark.parametrize(
    "hidden",
    ["<!-- Boil it. -->", "<script>boil()</script>", "<style>p { color: red }</style>", "<div hidden>Boil it.</div>"],
)
def test_what_no_reader_sees_is_no_block(hidden: str) -> None:
    """Comments, scripts, styles and hidden elements."""
    assert terms_and_texts(f"{hidden}\n") == []


def test_headings_of_html_stand_above_what_follows() -> None:
    """They stand above the Markdown below the HTML, too; a heading of the same level ends them."""
    text = "# Tea\n\n<h2>Green</h2><p>Two minutes.</p>\n\nOf 80 degrees.\n\n## Black\n\nFour minutes.\n"
    headings = {text[block.start : block.end].strip(): block.headings for block in source_blocks(text)}
    assert headings["Two minutes."] == headings["Of 80 degrees."] == ("Tea", "Green")
    assert headings["Four minutes."] == ("Tea", "Black")


def test_a_fence_between_tags_is_code() -> None:
    """The tabs of MDX have such fences; the lines are pieces."""
    text = "<Tabs>\nInstall it:\n```sh\npip install tea\ntea brew\n```\n</Tabs>\n"
    (lead, code) = source_blocks(text)
    assert (lead.kind, code.kind) == (PassageKind.PROSE, PassageKind.CODE)
    assert [text[start:end] for start, end in code.pieces] == ["pip install tea", "tea brew"]


def test_html_ends_the_row_of_blocks_above_it() -> None:
    """A lead above a picture is not read together with the text below."""
    above, below = source_blocks("Above:\n\n<hr>\n\nBelow.\n")
    assert above.row != below.row
