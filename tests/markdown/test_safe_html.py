"""Markdown of other hands as HTML: nothing in it runs, and it leads to the web only."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from planbook.markdown.safe_markdown import drop_html, inline_html
from planbook.model import Drop, DropUri
from tests.markdown.hostile_texts import HOSTILE, TEXTS, Reader

BLOCKS = {"p", "strong", "em", "code", "pre", "a", "ul", "ol", "li", "blockquote", "hr", "br", "img", "div"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "p": {"class"},
    "div": {"class"},
    "code": {"class"},
    "ol": {"start"},
    "th": {"style"},
    "td": {"style"},
}


def assert_safe(html: str) -> None:
    """Only elements of Markdown, with their own attributes, and addresses of the web."""
    for tag, attributes in Reader(html).elements:
        assert tag in BLOCKS | TABLES, html
        assert set(attributes) <= ATTRIBUTES.get(tag, set()), html
        for name in ("href", "src"):
            assert re.match(r"https?://", attributes.get(name) or "https://", re.IGNORECASE), html


def drop(body: str) -> Drop:
    """A drop that says `body`."""
    return Drop(DropUri("plans/KNOWLEDGE-DROP-x.md"), "x", body)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_harmless(text: str) -> None:
    """Raw HTML is text, and an address that is none of the web's is no link."""
    assert_safe(str(inline_html(text)))
    assert_safe(str(drop_html(drop(f"# A\n\n{text}\n\n- {text}\n\n| {text} | b |\n|---|---|\n| {text} | d |\n"))))


@given(TEXTS)
def test_any_text_is_harmless(text: str) -> None:
    """No text of a drop or a task becomes an element."""
    assert_safe(str(inline_html(text)))
    assert_safe(str(drop_html(drop(text))))


def test_images_ask_no_other_host() -> None:
    """The site makes no request to any other host: an image of another host is not shown."""
    html = str(drop_html(drop("![seen](https://example.org/x.png)")))
    assert "<img" not in html
    assert "seen" in html
    assert "<img" not in str(inline_html("![seen](https://example.org/x.png)"))
    beside = str(
        drop_html(drop("**a** ![b & c](https://example.org/x.png) **d**"))
    )  # the text around it is escaped once
    assert "<strong>a</strong> b &amp; c <strong>d</strong>" in beside


def test_a_drop_has_no_headings() -> None:
    """Headings are bold paragraphs, and tables can be scrolled."""
    html = str(drop_html(drop("# One\n\n### Three\n\nText.\n\n| a |\n|---|\n| b |\n")))
    assert not re.search(r"<h\d", html)
    assert re.findall(r'<p class="pb-drop-h(\d)"><strong>(\w+)</strong></p>', html) == [("1", "One"), ("3", "Three")]
    assert html.count('<div class="md-typeset__scrollwrap"><table>') == html.count("</table></div>") == 1
