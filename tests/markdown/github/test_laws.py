"""What holds for any page: no word is lost, two renderings are equal, elements never cross."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.growth import assert_linear
from tests.markdown.github.engine import engine, github, plain
from tests.markdown.github.rendered import crossed, normalized, words

_WORD = st.sampled_from(["alpha", "beta", "gamma", "delta", "one2", "x_y"])
_INLINE = st.one_of(
    _WORD,
    _WORD.map("*{}*".format),
    _WORD.map("**{}**".format),
    _WORD.map("`{}`".format),
    _WORD.map("[{}](a.md)".format),
    _WORD.map("~~{}~~".format),
    _WORD.map("\\*{}".format),
    _WORD.map("<b>{}</b>".format),
)
_LINE = st.lists(_INLINE, min_size=1, max_size=4).map(" ".join)
_PARAGRAPH = st.lists(_LINE, min_size=1, max_size=3).map("\n".join)


def _indented(text: str, width: int) -> str:
    return "\n".join(" " * width + line if line else line for line in text.split("\n"))


def _item(text: str, marker: str) -> str:
    width = len(marker) + 1
    return f"{marker} {_indented(text, width)[width:]}"


_LEAF = st.one_of(
    _PARAGRAPH,
    _LINE.map("## {}".format),
    _LINE.map("```py\n{}\n```".format),
    st.tuples(_WORD, _WORD).map(lambda cells: f"| {cells[0]} | b |\n|---|---|\n| {cells[1]} | d |"),
    st.just("---"),
    _LINE.map("    {}".format),
    _WORD.map("<div>{}</div>".format),
    _WORD.map("<!-- c -->\n\n{}".format),
)


def _containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        inner.map(lambda text: "\n".join(f"> {line}".rstrip() for line in text.split("\n"))),
        st.tuples(inner, st.sampled_from(["-", "*", "1.", "12)"])).map(lambda pair: _item(*pair)),
        st.lists(inner, min_size=2, max_size=3).map("\n\n".join),
    )


def _material(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        _containers(inner),
        inner.map(lambda text: f"!!! note\n\n{_indented(text, 4)}"),
        inner.map(lambda text: f'??? tip "Title *t*"\n{_indented(text, 4)}'),
        inner.map(lambda text: f'=== "A"\n\n{_indented(text, 4)}\n\n=== "B"\n\n    second'),
        inner.map(lambda text: f"<div markdown>\n\n{text}\n\n</div>"),
    )


COMMON = st.recursive(_LEAF, _containers, max_leaves=5)
PAGES = st.recursive(_LEAF, _material, max_leaves=5)
REFERENCE = MarkdownIt("commonmark").enable(["table", "strikethrough"])
"""Another reader of CommonMark, with GitHub's tables and strikethrough."""


@given(COMMON)
def test_commonmark_is_that_of_another_reader(text: str) -> None:
    """Two independent programs read the same blocks, lists and emphasis."""
    html = REFERENCE.render(text).replace("<s>", "<del>").replace("</s>", "</del>")
    assert normalized(plain(text)) == normalized(html)


@given(PAGES)
@example("    <b>alpha</b>")
@example("    alpha\n\n<div>beta</div>\n\n    gamma\n\n<!-- c -->\n\ndelta")
def test_no_word_of_a_page_is_lost(text: str) -> None:
    """Every word that the author wrote is on the page, however its blocks nest."""
    written = re.findall(r"alpha|beta|gamma|delta|one2|x_y|second", text)
    shown = " ".join(words(github(text)))
    assert re.findall(r"alpha|beta|gamma|delta|one2|x_y|second", shown) == written


@given(PAGES)
@example("<div markdown>\n\n> <div markdown>\n>\n> ## alpha\n>\n> </div>\n\n</div>")
@example("<div markdown>\n\n- <div markdown>\n  alpha\n  </div>\n\n</div>")
def test_elements_never_cross(text: str) -> None:
    """Each element ends within the one that it begins in."""
    assert crossed(github(text)) == []


@given(PAGES)
def test_two_renderings_are_equal(text: str) -> None:
    """An engine keeps nothing of one page for the next."""
    md = engine("planbook.markdown.github")
    first = md.convert(text)
    assert md.reset().convert(text) == first == github(text)


@given(st.text(alphabet="ab *_`~[]()<>!#>-+=:|\\/&;$\"'\n\t^{}0123.", max_size=80))
def test_any_text_is_rendered(text: str) -> None:
    """Signs in any order are read without an error, and leave no sign of ours behind."""
    html = github(text)
    assert not {"\x02", "\x03"} & set(html)
    assert "pbp:" not in html


@pytest.mark.parametrize("unit", ["- a\n", "> ", "!!! n\n\n    ", "[^1]: a\n", "<div markdown>\n", "$a ", "a `b` "])
def test_long_pages_take_linear_time(unit: str) -> None:
    """No block or sign makes the time grow faster than the page."""
    assert_linear(plain, unit)
