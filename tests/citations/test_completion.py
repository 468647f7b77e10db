"""References of which a page gives the id and the quotes are completed where they stand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.completion import complete_references
from planbook.markdown.front_matter import FrontMatterError, split_front_matter

ITEM: dict[str, Any] = {
    "id": "kiln",
    "type": "webpage",
    "title": "The Kiln: a manual",
    "URL": "https://kiln.example/manual",
    "accessed": {"date-parts": [[2026, 11, 20]]},
    "custom": {"sha256": "9f86d0", "status": 200},
}
QUOTES = {"quotes": {"q1": "a kiln holds the heat"}}


def page(references: str) -> str:
    """A page with these lines as its references."""
    return f"---\ntitle: Kilns # mine\nreferences:\n{references}\n---\n\n# Kilns\n\nWarm [@kiln, q1].\n"


def references(text: str) -> Any:
    """The references of a page."""
    return split_front_matter(text)[0]["references"]


@pytest.mark.parametrize(
    "written",
    [
        "  - id: kiln\n    custom:\n      quotes: {q1: a kiln holds the heat}",
        "- custom: {quotes: {q1: a kiln holds the heat}}\n  id: kiln # the best",
        "  - {id: kiln, custom: {quotes: {q1: a kiln holds the heat}}}",
        "  - id: 'kiln'\n    custom:\n      # exact\n      quotes:\n        q1: |-\n          a kiln holds the heat",
    ],
    ids=["block", "custom first", "flow", "comment and literal"],
)
def test_a_reference_is_completed_in_any_form(written: str) -> None:
    """It has what the work has and what the page gives; comments, title and body stay; once is enough."""
    before = page(written)
    after = complete_references(before, {"kiln": ITEM})
    assert references(after) == [{**ITEM, "custom": {**ITEM["custom"], **QUOTES}}]
    assert complete_references(after, {"kiln": ITEM}) == after
    assert after.endswith("# Kilns\n\nWarm [@kiln, q1].\n")
    for comment in ("# mine", "# the best", "# exact"):
        assert (comment in after) == (comment in before)


def test_what_the_page_gives_stays() -> None:
    """A complete reference, one of another work and a key that is given are as their author wrote them."""
    complete = page("  - id: kiln\n    title: My own title\n    URL: https://kiln.example/other")
    assert complete_references(complete, {"kiln": ITEM}) == complete
    titled = complete_references(page("  - id: kiln\n    title: My own title"), {"kiln": ITEM})
    assert references(titled) == [{**ITEM, "title": "My own title"}], "a title alone leads nowhere"
    other = page("  - id: oven")
    assert complete_references(other, {"kiln": ITEM}) == other
    typed = complete_references(page("  - id: kiln\n    type: book"), {"kiln": ITEM})
    assert references(typed) == [{**ITEM, "type": "book"}]


def test_line_ends_stay() -> None:
    """A page with carriage returns gets no line without one."""
    text = page("  - id: kiln").replace("\n", "\r\n")
    after = complete_references(text, {"kiln": ITEM})
    assert "\n" not in after.replace("\r\n", "")
    assert references(after) == [ITEM]


def test_a_form_that_cannot_be_completed_is_named() -> None:
    """An item behind an alias has no place of its own; the message says what to write."""
    text = "---\nx: &k {id: kiln}\nreferences: [*k]\n---\n\n# Kilns\n"
    with pytest.raises(FrontMatterError, match="write each reference over several lines"):
        complete_references(text, {"kiln": ITEM})


@given(st.lists(st.sampled_from(["kiln", "oven", "'kiln'", "kiln # a"]), max_size=4), st.booleans())
def test_no_other_reference_changes(names: list[str], is_indented: bool) -> None:
    """Whatever stands beside a reference, only those of known works get more."""
    indent = "  " if is_indented else ""
    text = page("\n".join(f"{indent}- id: {name}" for name in names) or "  []")
    after = complete_references(text, {"kiln": ITEM})
    expected = [ITEM if "kiln" in name else {"id": "oven"} for name in names]
    assert references(after) == expected
