"""A page's front matter and body, and where the body is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.markdown.document import PageLink, read_document


@pytest.mark.parametrize(
    ("text", "meta", "body", "above"),
    [
        ("# Rye\n", {}, "# Rye\n", 0),
        ("\n\n# Rye\n", {}, "\n\n# Rye\n", 0),
        ("---\ntitle: Rye\n---\n\n# Rye\n\n", {"title": "Rye"}, "# Rye", 4),
        ("\ufeff---\r\ntitle: Rye\r\n---\r\n# Rye\r\n\r\nDark.", {"title": "Rye"}, "# Rye\n\nDark.", 3),
        ("Title: Rye\n\nDark.\n", {"title": "Rye"}, "Dark.", 2),
        ("---\ntitle: Rye\n---\n", {"title": "Rye"}, "", 0),
        ("---\n- rye\n---\nDark.\n", {}, "---\n- rye\n---\nDark.\n", 0),
    ],
)
def test_documents(text: str, meta: dict[str, object], body: str, above: int) -> None:
    """Front matter that is not a mapping is text, and the error is kept."""
    document = read_document(text)
    assert (document.meta, document.body, document.lines_above) == (meta, body, above)
    assert (document.error is not None) is ("- rye" in text)


def test_links_have_places_in_the_file() -> None:
    """Lines and columns count from 1 and in characters; code and front matter have no links."""
    text = "---\nx: '[a](b.md)'\n---\n`[a](b.md)` épi [Rye](rye.md)\n\n- [Oats][1]\n\n[1]: oats.md\n"
    assert read_document(text).links == (PageLink("rye.md", 4, 17), PageLink("oats.md", 6, 3))


@given(st.text(st.sampled_from("-. \n\r\ta:#\ufeff\x0b\u2028"), max_size=30))
def test_lines_of_the_body_are_those_of_the_file(text: str) -> None:
    """The first line of the body that says something stands on its line of the file."""
    document = read_document(text)
    if document.body.strip() and not document.error:
        leading = document.body[: len(document.body) - len(document.body.lstrip())].count("\n")
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        first = document.body.strip().split("\n")[0]
        assert first in lines[document.lines_above + leading]


def test_links_in_footnotes() -> None:
    """The definition of a footnote is text with links, not the definition of a link."""
    found = read_document("Rye.[^1]\n\n[^1]: See [oats](oats.md).\n").links
    assert found == (PageLink("oats.md", 3, 11),)
