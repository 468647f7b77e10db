"""Addresses without brackets are links, by GitHub's rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.markdown.github.autolinks import find_addresses, has_signed_address, protect_addresses
from tests.growth import assert_linear
from tests.markdown.github.engine import plain


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("See https://a.example/b_c. Then", {"https://a.example/b_c": "https://a.example/b_c"}),
        ("www.a.example/x?y=1&z=2", {"www.a.example/x?y=1&z=2": "http://www.a.example/x?y=1&z=2"}),
        ("(https://a.example/b_(c))", {"https://a.example/b_(c)": "https://a.example/b_(c)"}),
        ("https://a.example/b).", {"https://a.example/b": "https://a.example/b"}),
        ("https://a.example/b&copy;", {"https://a.example/b": "https://a.example/b"}),
        ("http://localhost:8000/x", {"http://localhost:8000/x": "http://localhost:8000/x"}),
        ("a@b.example, a.b+c@d.example.", {"a@b.example": "mailto:a@b.example", "a.b+c@d.example": None}),
        ("HTTPS://A.example", {"HTTPS://A.example": "HTTPS://A.example"}),
        ("xhttps://a.example xwww.a.example www.a_b.c", {}),
        ("a@b a@b.c- https:// https://- www. @user", {}),
        ("SLURM@22.05.09, a@b.c3", {}),
        ("https://a.example<b", {"https://a.example": "https://a.example"}),
        ('"https://a.example"', {}),
    ],
)
def test_addresses_in_text(text: str, links: dict[str, str | None]) -> None:
    """The address ends before the sentence's punctuation, and needs a valid domain."""
    found = {text[address.start : address.end]: address.href for address in find_addresses(text)}
    assert found == {shown: href or f"mailto:{shown}" for shown, href in links.items()}


@pytest.mark.parametrize(
    "text",
    [
        "[https://a.example](b)",
        "`https://a.example`",
        '<a href="b">https://a.example</a>',
        "![https://a.example](b)",
        "    https://a.example",
    ],
)
def test_addresses_in_links_and_code_stay(text: str) -> None:
    """An address is a link of its own only in running text."""
    assert plain(text).count("href") == ("[" in text or "<a" in text) - text.startswith("!")


def test_what_looks_like_an_entity_ends_an_address() -> None:
    """It belongs to the text behind the address, whether HTML knows the entity or not."""
    link = '<a href="http://www.a.example/?b=1&amp;c=2">www.a.example/?b=1&amp;c=2</a>'
    assert plain("www.a.example/?b=1&c=2&d;") == f"<p>{link}&amp;d;</p>"
    assert plain("https://a.example/?b&d;e") == (
        '<p><a href="https://a.example/?b&amp;d;e">https://a.example/?b&amp;d;e</a></p>'
    )


def test_signs_in_addresses_are_no_emphasis() -> None:
    """An address is one link before its signs mean anything; signs around it still do."""
    html = plain("https://a.example/_b_/*c*~~d~~e **https://e.example/f** and *g*")
    assert 'href="https://a.example/_b_/*c*~~d~~e"' in html
    assert '<strong><a href="https://e.example/f">https://e.example/f</a></strong>' in html
    assert "<em>g</em>" in html
    assert plain("[a]\n\n[a]: https://a.example/_b_") == '<p><a href="https://a.example/_b_">a</a></p>'
    kept = "<div>\nhttps://a.example/_b_\n</div>"
    assert plain(kept) == kept
    assert "https://a.example/_b_\n</code>" in plain("    https://a.example/_b_")


def test_links_go_on_after_html() -> None:
    """An element `a` of HTML keeps addresses from being linked only until it ends."""
    assert plain('<a href="b">c</a> https://a.example').count("<a href") == 2


def test_long_texts_take_linear_time() -> None:
    """Neither parentheses nor entities at the end make the search quadratic."""
    for unit in (")", "&a;", "www.", "a@b", "(", "https://"):
        assert_linear(lambda text: list(find_addresses(f"https://a.example/{text}")), unit)


_PIECES = st.sampled_from(["https://", "HTTP://", "www.", "WwW.", "a", "_", "*", "~", " ", "\n", "`", "(", "<"])


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_the_quick_test_misses_no_address(text: str) -> None:
    """A text of which it says that no address has such signs is the same when it is protected."""
    assert has_signed_address(text) or protect_addresses(text) == text
