"""Marked text: its punctuation, and the HTML that is made of it."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.views.csl.markup import NO_AUTHOR, Formatter, as_cite, punctuated, to_html, unmarked

I = Formatter.Italic  # noqa: E741 - as short as the tag


@pytest.mark.parametrize(
    ("marked", "html"),
    [
        ("a < b & c", "a &lt; b &amp; c"),
        (I("a"), "<i>a</i>"),
        (I(Formatter.Bold("a")) + "b", "<i><b>a</b></i>b"),
        (Formatter.SmallCaps("a"), '<span class="pb-small-caps">a</span>'),
        (Formatter.Superscript("1") + Formatter.Subscript("2"), "<sup>1</sup><sub>2</sub>"),
        (Formatter.Underline("a") + Formatter.Light("b"), "<u>a</u>b"),
        (as_cite(I("a"), 1) + as_cite("b", 0), "<2><i>a</i></2><1>b</1>"),
        (str(I("a"))[:-1], "<i>a</i>"),
        (str(I("a"))[1:], "a"),
    ],
)
def test_marks_become_tags(marked: object, html: str) -> None:
    """Text is escaped, each tag closed, and citations stand between their own tags."""
    assert to_html(str(marked), escape, [("<1>", "</1>"), ("<2>", "</2>")]) == html


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("Rye.. A", "Rye. A"),
        (f"{I('Rye.')}. A", "Rye. A"),
        (f"{I('Rye?')}. A", "Rye? A"),
        ("Rye?. A", "Rye? A"),
        ("Rye... A", "Rye... A"),
        (f"{I('Rye...')}. A", "Rye... A"),
        ("2020:. A", "2020: A"),
        ("Rye , A", "Rye, A"),
        ("Rye. . A", "Rye. A"),
        ("et al., A", "et al., A"),
        ("use .NET and a.b", "use .NET and a.b"),
        ("https://rye.example/a?.b=..&c", "https://rye.example/a?.b=..&c"),
        (f"{NO_AUTHOR}, 2020", "2020"),
        (f"{I(NO_AUTHOR)} 2020", "2020"),
        ("“Rye”, A. “Oats”.", "“Rye”, A. “Oats”."),
    ],
)
def test_punctuation_is_that_of_print(marked: str, text: str) -> None:
    """Nothing is doubled across tags; what stands in a text or an address stays."""
    assert unmarked(punctuated(marked)) == text


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("“Rye”, A", "“Rye,” A"),
        ("“Rye”. A", "“Rye.” A"),
        (f"{I('“Rye”')}, A", "“Rye,” A"),
        ("“Rye.”. A", "“Rye.” A"),
        ("“Rye?”, A", "“Rye?” A"),
        ("“Rye”; A", "“Rye”; A"),
        ("“Rye”: A", "“Rye”: A"),
    ],
)
def test_punctuation_goes_into_quotation_marks(marked: str, text: str) -> None:
    """Full stop and comma, where the language of the style has it so."""
    assert unmarked(punctuated(marked, "”")) == text


@given(st.text(alphabet="ab.,?!”< \ufdd0\ufdd1\ufddf\ufde0\ufde1\ufde20é\uffff"))
def test_any_text_gives_whole_html(text: str) -> None:
    """Each tag is closed, and no mark is left."""
    html = to_html(punctuated(text, "”"), escape)
    assert html.count("<i>") == html.count("</i>")
    assert html.count("<b>") == html.count("</b>")
    assert unmarked(html) == html
