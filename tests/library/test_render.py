"""Pages as files."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from planbook.library.pages import PageDumper, render_page
from planbook.markdown.front_matter import split_front_matter, yaml_lines

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    texts | st.none() | st.booleans() | st.integers() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "quotes", "lines"]), inner),
    max_leaves=8,
)


@example("\n")
@given(st.text(st.sampled_from("a \n\r\x85\u2028\u2029\t'\":#-|>{[\\é")))
def test_line_ends_come_back(text: str) -> None:
    """All that any reader might take for a line end, and what has a meaning in YAML."""
    assert split_front_matter(render_page({"title": text, "quotes": {"q1": text}}, "x"))[0] == {
        "title": text,
        "quotes": {"q1": text},
    }


@given(st.dictionaries(st.sampled_from(["title", "tags", "generated", "x"]), values, min_size=1), texts)
def test_what_is_written_is_read(meta: dict[str, Any], body: str) -> None:
    """Any values come back the same: no text ends the front matter, or becomes another key."""
    read, rest = split_front_matter(render_page(meta, body))
    assert read == meta
    assert rest == body.replace("\r\n", "\n").replace("\r", "\n").strip()


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
        texts | st.integers() | st.floats(allow_nan=False),
        min_size=1,
    )
)
def test_lines_are_written_the_same_by_libyaml(meta: dict[str, Any]) -> None:
    """Front matter of lines alone, as nearly all is, is written in the quick way, with the same bytes."""
    assert render_page(meta, "x") == f"---\n{yaml_lines(meta, PageDumper)}---\n\nx\n"
