"""What is kept under ``custom`` of a page's references: set, with nothing but their reference written anew."""

from __future__ import annotations

import difflib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.citations.references import read_references, with_custom, with_references
from generator.markdown.front_matter import split_front_matter
from generator.views.works import csl_item

VALUES: dict[str, Any] = {
    "sha256": "0" * 64,
    "status": 200,
    "checked": date(2026, 11, 20),
    "fragments": {"q1": "dark-,and%20sour"},
}

ITEMS = {
    "no custom": "- id: rye\n  title: Rye\n",
    "indented": "    - id: rye\n      title: Rye\n\n    # the next one\n    - id: oats\n",
    "the author's custom": "- id: rye\n  custom:\n    mine: [1,  2]   # two\n    quotes: {q1: and sour}\n  title: R\n",
    "old values": "- id: rye\n  custom:\n    sha256: '1'  # old\n    status:   404\n    checked: 2025-01-01\n",
    "an old fragment": "- id: rye\n  custom: {fragments: {q1: 'old', q2: kept}}\n",
    "fragments in lines of their own": "- id: rye\n  custom:\n    fragments:\n      q2: kept\n    mine: 1\n",
    "an item in one line": "- {id: rye, title: 'Rye, a history'}  # here\n- {id: oats}\n",
    "a custom in one line": "- id: rye\n  custom: {quotes: {q1: and sour} }\n  title: Rye\n",
    "an empty custom": "- id: rye\n  custom: {}\n",
    "a custom without a value": "- id: rye\n  custom:  # to come\n  title: Rye\n",
    "a comma at the end": "- {id: rye, title: Rye,}\n",
    "an item over several lines": "- {id: rye,\n   title: Rye  # the grain\n  }\n",
    "a list in one line": "[{id: rye}, {id: oats}]\n",
    "text in lines of its own": "- id: rye\n  abstract: |\n    Two\n    lines.\n\n- id: oats\n",
    "folded text at the end": "- id: rye\n  abstract: >-\n    Two\n    lines.\n  # over\n",
    "a date at the end": "- id: rye\n  accessed: {date-parts: [[2026, 11, 20]]}\n",
    "lists at the end": "- id: rye\n  author:\n  - family: Miller\n    given: Anna\n",
    "a key without a value at the end": "- id: rye\n  issued:\n",
    "an anchor": "- &rye\n  id: rye\n- id: oats\n  custom: &c {a: 1}\n",
    "an alias at the end": "- id: oats\n  author: &us [{literal: Us}]\n- id: rye\n  author: *us\n",
    "an alias at the end of a line": "- {id: oats, author: &us [{literal: Us}]}\n- {id: rye, author: *us}\n",
    "quoted keys": '- "id": "rye"\n  "custom": {"status": 404}\n',
    "an id twice": "- id: rye\n- id: rye\n  title: Another\n",
}


def page(items: str, newline: str = "\n") -> str:
    """A page with these references, and things of its author's around them."""
    listed = f" {items}" if items.startswith("[") else f"\n{items}"
    text = (
        f"---\ntitle:  Bread # spaced\nreviewed: null\nreferences:{listed}\n# mine\ntags: [a,  b]\n---\n\n# Bread\n\n"
        "Old [@rye].   \n\n---\ncustom: {status: 1}\n"
    )
    return text.replace("\n", newline)


def changed(before: str, after: str) -> list[str]:
    """The lines that are not in both, marked by ``-`` and ``+``."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line.startswith(("- ", "+ "))]


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("items", ITEMS.values(), ids=ITEMS)
def test_values_are_set_and_nothing_else(items: str, newline: str) -> None:
    """The values are there, all others are as they were, nothing outside the item is touched; twice is once."""
    text = page(items, newline)
    written = with_custom(text, {"rye": VALUES, "unknown": VALUES})
    before, after = split_front_matter(text)[0], split_front_matter(written)[0]
    for old, new in zip(before.pop("references"), after.pop("references"), strict=True):  # type: ignore[call-overload]
        if old["id"] != "rye":
            assert new == old
            continue
        custom = old.pop("custom", None) or {}
        fragments = {**custom.get("fragments", {}), **VALUES["fragments"]}
        assert new.pop("custom") == {**custom, **VALUES, "fragments": fragments}
        assert new == old
    assert after == before
    _, _, body = text.partition(f"---{newline}{newline}# Bread")
    assert written.endswith(f"---{newline}{newline}# Bread{body}")
    outside = (f"title:  Bread # spaced{newline}", f"{newline}# mine{newline}tags: [a,  b]{newline}")
    assert all(part in written for part in (*outside, *(["# the next one"] if "# the next one" in items else [])))
    assert written.count("\r") == (written.count("\n") if newline == "\r\n" else 0)
    assert with_custom(written, {"rye": VALUES}) == written


@pytest.mark.parametrize(
    "text",
    ["", "# Bread\n", "---\ntitle: x\n---\n", "---\nreferences:\n---\n", "---\n\nA rule.\n", page("- id: oats\n")],
)
def test_what_has_no_such_reference_stays(text: str) -> None:
    """Nothing is added to a page that does not list the work."""
    assert with_custom(text, {"rye": VALUES}) == text


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ("- id: rye\n  custom: text\n", "`custom` of the reference rye is not a mapping"),
        ("- id: rye\n  custom: &c {a: 1}\n- id: oats\n  custom: *c\n", "cannot be edited in place"),
        ("- &rye\n  id: rye\n- <<: *rye\n  id: oats\n", "cannot be edited in place"),
        ("- [\n", "expected"),
    ],
)
def test_what_cannot_be_changed_in_place_is_refused(items: str, told: str) -> None:
    """With a word on why."""
    with pytest.raises(ValueError, match=told):
        with_custom(page(items), {"rye": VALUES})


PLAIN = st.text(alphabet="ab c:#'\"{}[],é&*-|>%@", max_size=12)
SCALARS = st.one_of(PLAIN, st.integers(), st.none(), st.booleans(), st.dates())
ITEM = st.dictionaries(
    PLAIN, st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(PLAIN, SCALARS, max_size=2))
)
NEW = st.dictionaries(PLAIN, st.one_of(SCALARS, st.dictionaries(PLAIN, SCALARS, min_size=1, max_size=2)), min_size=1)


@given(ITEM, ITEM, NEW, st.booleans() | st.none(), st.integers(1, 8))
def test_whatever_the_yaml(
    item: dict[str, Any], custom: dict[str, Any], new: dict[str, Any], flow: bool, indent: int
) -> None:
    """In block style, flow style and between: it is set, or refused; and setting it again changes nothing."""
    items = [{**item, "id": "rye", "custom": custom, "z": 1}, {"id": "oats", "custom": {"a": 1}}]
    dumped = yaml.safe_dump({"references": items, "z": 1}, default_flow_style=flow, allow_unicode=True, indent=indent)
    text = f"---\n{dumped}---\nBody\n"
    try:
        written = with_custom(text, {"rye": new})
    except ValueError:
        return
    first, second = split_front_matter(written)[0]["references"]  # type: ignore[misc]
    assert (first["custom"].keys(), second) == ({**custom, **new}.keys(), items[1])  # type: ignore[has-type]
    assert {**first, "custom": 0} == {**items[0], "custom": 0}  # type: ignore[has-type]
    assert with_custom(written, {"rye": new}) == written


def test_samples_are_written_once(shared: Path) -> None:
    """All sample pages, their works put into front matter: the body stays to the byte, and twice is once."""
    for path in sorted((shared / "samples" / "pages").rglob("*.md")):
        text = path.read_bytes().decode("utf-8")
        works, _ = read_references(text, path.name)
        listed = with_references(text, [csl_item(work) for work in works])
        values = {work.id: VALUES for work in works}
        written = with_custom(listed, values)
        assert written.endswith(text)
        assert with_custom(written, values) == written
        assert all(line.startswith("+     ") for line in changed(listed, written))
