"""References put into a page's front matter, with nothing else changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.page.front_matter import split_front_matter, with_references
from generator.page.references import read_references
from generator.views.bibliography import csl_item

RYE = {"id": "rye", "type": "webpage", "title": "Rye: a history", "URL": "https://rye.example/a"}
OATS = {"id": "oats", "type": "document", "title": "Oats", "accessed": {"date-parts": [[2026, 11, 20]]}}

CASES = {
    "no front matter": "# Bread\n\nText.\n",
    "a rule at the top": "---\n\nText under a rule.\n",
    "other keys and comments": "---\n# mine\ntitle: Bread   # spaced\ntags: [a,  b]\n---\n# Bread\n",
    "an empty list": "---\nreferences: []\ntitle: Bread\n---\n# Bread\n",
    "a list, more keys behind it": "---\nreferences:\n- id: old\n  title: Old\ntitle: Bread\n---\n# Bread\n",
    "a list, indented": "---\nreferences:\n    - id: old\n      title: Old\n\n# a comment\ntitle: B\n---\n\n# Bread\n",
    "line ends of two characters": "---\r\ntitle: Bread\r\n---\r\n# Bread\r\n\r\nText.\r\n",
    "a byte order mark": "\ufeff---\ntitle: Bread\n---\n# Bread\n",
    "no line end at the end": "---\ntitle: Bread\n---\n# Bread",
    "a rule in the text": "---\ntitle: Bread\n---\n# Bread\n\n---\n\nMore.\n",
    "front matter that ends in dots": "---\ntitle: Bread\n...\n# Bread\n",
}


def body_of(text: str) -> str:
    """What stands behind the front matter, to the byte."""
    match = re.match(r"\ufeff?---[ \t]*\r?\n(?:.*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", text, re.DOTALL)
    return text[match.end() :] if match and split_front_matter(text)[0] else text


@pytest.mark.parametrize(
    "text", [t for n, t in CASES.items() if "dots" not in n], ids=[n for n in CASES if "dots" not in n]
)
def test_references_are_added_and_nothing_else_changes(text: str) -> None:
    """The works are there, every other value is as it was, the body is the same to the byte, twice is once."""
    before, _ = split_front_matter(text)
    written = with_references(text, [RYE, OATS])
    after, _ = split_front_matter(written)
    old = before.get("references") or []
    assert isinstance(old, list)
    assert after["references"] == [*old, RYE, OATS]
    assert {k: v for k, v in after.items() if k != "references"} == {
        k: v for k, v in before.items() if k != "references"
    }
    assert written.endswith(body_of(text))
    assert with_references(written, [RYE, OATS]) == written


def test_comments_and_order_stay() -> None:
    """Lines that are not ours stay to the letter."""
    text = CASES["other keys and comments"]
    written = with_references(text, [RYE])
    assert [line for line in text.split("\n") if line not in written.split("\n")] == []


def test_a_work_that_is_there_keeps_its_id() -> None:
    """The same address, spelled otherwise, is the same work."""
    text = "---\nreferences:\n  - id: mine\n    title: R\n    URL: http://www.rye.example/a/\n---\n# Bread\n"
    assert with_references(text, [RYE]) == text


def test_an_id_that_is_taken_gets_a_number() -> None:
    """Ids of others are never taken over."""
    text = "---\nreferences:\n  - id: rye\n    title: Another\n---\n# Bread\n"
    meta, _ = split_front_matter(with_references(text, [RYE]))
    assert [item["id"] for item in meta["references"]] == ["rye", "rye-2"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", ["text", "{a: 1}", "[1, 2]"])
def test_references_of_another_form_are_refused(value: str) -> None:
    """What is no list of items is left as it is, with a word on why."""
    with pytest.raises(ValueError, match="references"):
        with_references(f"---\nreferences: {value}\n---\n# Bread\n", [RYE])


def test_a_flow_list_is_refused() -> None:
    """A list in one line cannot be added to line by line: nothing is written."""
    with pytest.raises(ValueError, match="block list"):
        with_references("---\nreferences: [{id: a, title: A}]\n---\n# Bread\n", [RYE])


@given(st.text(alphabet="ab -#:\n\r'\"[]{}é", max_size=60), st.lists(st.sampled_from([RYE, OATS]), unique_by=id))
def test_writing_is_idempotent(body: str, items: list[dict[str, object]]) -> None:
    """Whatever the text: the second run changes no byte, or the first was refused."""
    try:
        once = with_references(body, items)
    except ValueError:
        return
    assert with_references(once, items) == once


def test_samples_are_written_once(shared: Path) -> None:
    """All sample pages: the body is the same to the byte, and the second run changes nothing."""
    for path in sorted((shared / "samples" / "pages").rglob("*.md")):
        text = path.read_bytes().decode("utf-8")
        works, _ = read_references(text, path.name)
        assert works
        items = [csl_item(work) for work in works]
        written = with_references(text, items)
        assert written.endswith(text)
        again, _ = read_references(written, path.name)
        assert with_references(written, [csl_item(work) for work in again]) == written
        assert [work.id for work in again] == [work.id for work in works]
