"""References put into a page's front matter, with nothing else changed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mkdocs.utils.meta import get_data

from planbook.citations.additions import ItemDumper, QuickItemDumper, add_references
from planbook.library.pages import parse_page
from planbook.markdown.document import read_document
from planbook.markdown.front_matter import FrontMatterError, body_start, split_front_matter, yaml_block

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


def test_a_colon_in_a_value_is_explained() -> None:
    """YAML's own message does not say what to do."""
    with pytest.raises(FrontMatterError, match="put a value that has `: ` between quotation marks"):
        split_front_matter("---\nq1: Note: the lid is hot\n---\n\n# Tea\n")


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_references_are_added_and_nothing_else_changes(text: str) -> None:
    """The works are there, every other value is as it was, the body is the same to the byte, twice is once."""
    before, _ = split_front_matter(text)
    written = add_references(text, [RYE, OATS])
    after, _ = split_front_matter(written)
    old = before.get("references") or []
    assert isinstance(old, list)
    assert after["references"] == [*old, RYE, OATS]
    assert {k: v for k, v in after.items() if k != "references"} == {
        k: v for k, v in before.items() if k != "references"
    }
    assert written.endswith(body_of(text))
    assert add_references(written, [RYE, OATS]) == written


def test_comments_and_order_stay() -> None:
    """Lines that are not ours stay to the letter."""
    text = CASES["other keys and comments"]
    written = add_references(text, [RYE])
    assert [line for line in text.split("\n") if line not in written.split("\n")] == []


def test_a_work_that_is_there_keeps_its_id() -> None:
    """The same address, spelled otherwise, is the same work."""
    text = "---\nreferences:\n  - id: mine\n    title: R\n    URL: http://www.rye.example/a/\n---\n# Bread\n"
    assert add_references(text, [RYE]) == text


def test_an_id_that_is_taken_gets_a_number() -> None:
    """Ids of others are never taken over."""
    text = "---\nreferences:\n  - id: rye\n    title: Another\n---\n# Bread\n"
    meta, _ = split_front_matter(add_references(text, [RYE]))
    assert [item["id"] for item in meta["references"]] == ["rye", "rye-2"]  # type: ignore[attr-defined]


FORMS = [
    ("dots below", "---\ntitle: Tea\n...\n\nBody\n", {"title": "Tea"}, 5),
    ("dots in between", "---\ntitle: Tea\n...\nx: y\n---\nBody\n", {"title": "Tea"}, 4),
    ("dots above", "...\ntitle: Tea\n---\nBody\n", {}, 1),
    ("blanks behind the dashes", "--- \t\ntitle: Tea\n--- \nBody\n", {"title": "Tea"}, 4),
    ("four dashes", "----\ntitle: Tea\n----\nBody\n", {}, 1),
    ("nothing below", "---\ntitle: Tea\n---", {}, 1),
    ("a line above", "\n---\ntitle: Tea\n---\nBody\n", {}, 2),
    ("only a comment", "---\n# Tea\n---\nBody\n", {}, 1),
    ("without dashes", "Title: Tea\nTags: a\n    b\n\nBody\n", {"title": "Tea", "tags": "a b"}, 5),
    ("without dashes, nor a blank line", "Title: Tea\n# Body\n", {"title": "Tea"}, 2),
    ("without dashes, further down", "# Body\n\nTitle: Tea\n", {}, 1),
    ("carriage returns", "---\r\ntitle: Tea\r\n...\r\n\r\nBody\r\n", {"title": "Tea"}, 5),
    ("carriage returns, no dashes", "Title: Tea\r\n\r\nBody\r\n", {"title": "Tea"}, 3),
    ("old line ends", "---\rtitle: Tea\r---\rBody\r", {"title": "Tea"}, 4),
    ("a byte order mark", "\ufeffTitle: Tea\n\nBody\n", {"title": "Tea"}, 3),
]
"""``(what, page, its front matter, the line on which its body begins)``."""


@pytest.mark.parametrize(("text", "meta", "line"), [form[1:] for form in FORMS], ids=[form[0] for form in FORMS])
def test_front_matter_is_what_mkdocs_reads(text: str, meta: dict[str, object], line: int) -> None:
    """In every form that it knows, and in none that it does not; lines are counted in the file."""
    document = read_document(text)
    body = document.body.strip()
    above = document.lines_above + document.body[: document.body.find(body)].count("\n")
    assert (document.meta, above + 1) == (meta, line)
    assert get_data(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))[1] == meta
    assert text[body_start(text) :].split() == body.split()


LINES = [
    "---",
    "...",
    "--- ",
    "----",
    "title: Tea",
    "Title: Tea",
    "tags: [a, b]",
    "    more",
    "\tmore",
    "# c",
    "a: [",
    "- b",
]
ODD = ["", "", " ", "Body", "x:", "é: 1", "http://tea.example/", "a: !!python/name:os.system x", "2: 3"]
TOPS = st.lists(st.sampled_from([*LINES, *ODD]), max_size=8)


@given(TOPS, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_any_top_of_a_page_is_read_as_mkdocs_reads_it(lines: list[str], end: str, has_bom: bool) -> None:
    """The same values and the same body; where ours is refused, MkDocs takes it for text."""
    text = end.join([*lines, "Body", ""])
    theirs, values = get_data(text.replace("\r\n", "\n").replace("\r", "\n"))
    text = ("\ufeff" if has_bom else "") + text
    document = read_document(text)
    if document.error:
        assert values == {}
        assert body_start(text) == text.startswith("\ufeff")
        return
    assert document.meta == {str(key): value for key, value in values.items()}
    assert document.body.strip() == theirs.strip()
    assert text[body_start(text) :].split() == document.body.split()
    assert document.lines_above <= len(lines)


def test_metadata_without_dashes_is_not_covered_by_other() -> None:
    """References would make text of it: the author is told how to write it instead."""
    with pytest.raises(ValueError, match="add a line `---` above and below"):
        add_references("Title: Tea\n\nBody\n", [RYE])


@pytest.mark.parametrize("value", ["text", "{a: 1}", "[1, 2]"])
def test_references_of_another_form_are_refused(value: str) -> None:
    """What is no list of items is left as it is, with a word on why."""
    with pytest.raises(ValueError, match="references"):
        add_references(f"---\nreferences: {value}\n---\n# Bread\n", [RYE])


def test_a_flow_list_is_refused() -> None:
    """A list in one line cannot be added to line by line: nothing is written."""
    with pytest.raises(ValueError, match="block list"):
        add_references("---\nreferences: [{id: a, title: A}]\n---\n# Bread\n", [RYE])


@given(st.text(alphabet="ab -#:\n\r'\"[]{}é", max_size=60), st.lists(st.sampled_from([RYE, OATS]), unique_by=id))
def test_writing_is_idempotent(body: str, items: list[dict[str, object]]) -> None:
    """Whatever the text: the second run changes no byte, or the first was refused."""
    try:
        once = add_references(body, items)
    except ValueError:
        return
    assert add_references(once, items) == once


texts = st.text(max_size=20) | st.text(alphabet="ab :#-?'\"\\\n\t|>@`%&*!{}[],0179.eE~=<yno", max_size=20)
days = st.builds(lambda parts: {"date-parts": [parts]}, st.lists(st.integers(0, 3000), min_size=1, max_size=3))
fields = texts | days | st.lists(st.dictionaries(st.sampled_from(["family", "literal"]), texts), max_size=2)
custom = st.fixed_dictionaries({"quotes": st.dictionaries(st.sampled_from(["q1", "q2"]), texts), "checked": days})


@given(st.dictionaries(st.sampled_from(["id", "title", "accessed", "author", "custom"]), fields | custom, min_size=1))
def test_items_are_written_the_same_by_libyaml(item: dict[str, object]) -> None:
    """Whatever an item holds: the quick way gives the bytes of the exact one."""
    assert yaml_block(item, QuickItemDumper, ItemDumper) == yaml_block(item, ItemDumper, ItemDumper)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("2026-13-40", "month must be in 1..12"),
        ("2026-02-29", "day is out of range for month"),
        ("2026-11-20 25:99:00", "hour must be in 0..23"),
        ("0000-01-01", "year 0 is out of range"),
    ],
)
def test_a_day_that_does_not_exist_is_named_with_its_line(value: str, why: str) -> None:
    """YAML takes it for a day by its form, wherever it is; the message says which value, and what to do."""
    for line in (f"accessed: {value}", f"custom: {{day: [a, {value}]}}"):
        with pytest.raises(FrontMatterError) as error:
            split_front_matter(f"---\ntitle: Tea\nreferences:\n  - id: tea\n    {line}\n---\n\n# Tea\n")
        assert error.value.line == 5
        assert error.value.reason.startswith(f"{value} is no day or time: {why}; correct it")
    _, body = split_front_matter(f'---\ntitle: Tea\ncreated: "{value}"\n---\n\n# Tea\n')
    assert body == "# Tea"


UNREADABLE = {
    "a truth value": ("shown: !!bool maybe", "maybe is no value of its form"),
    "a number without digits": ('part: !!int ""', "nothing is no value of its form"),
    "a sign alone": ('part: !!int "-"', "- is no value of its form"),
    "a fraction without digits": ('part: !!float ""', "nothing is no value of its form"),
    "a long fraction to the base of 60": ("part: 1:" + "59:" * 400 + "1.5", "is no value of its form"),
    "a time": ("date: !!timestamp noon", "noon is no day or time"),
    "a hexadecimal number": ("part: 0x" + "f" * 5_000, "more than 3,000 digits"),
    "a negative one": ("part: -0x" + "f" * 5_000, "more than 3,000 digits"),
    "a binary one": ("part: 0b" + "1" * 20_000, "more than 3,000 digits"),
    "one to the base of 60": ("part: 1:" + "59:" * 4_000 + "1", "more than 3,000 digits"),
    "one with lines in it": ("part: 1" + "_" * 5_000 + "1", "more than 3,000 digits"),
    "one in a list": ("tags: [[0x" + "f" * 5_000 + "]]", "more than 3,000 digits"),
    "one in a date": ("references: [{issued: {date-parts: [[0x" + "f" * 5_000 + "]]}}]", "more than 3,000 digits"),
    "one as a key": ("? 0x" + "f" * 5_000 + "\n: x", "more than 3,000 digits"),
}


@pytest.mark.parametrize(("value", "why"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_value_that_has_no_type_is_named_with_its_line(value: str, why: str) -> None:
    """Whatever PyYAML raises, and a number that nothing can show, is K001; the page is read as text."""
    text = f"---\ntitle: Tea\n{value}\n---\n\nText.\n"
    page, problems = parse_page(text, "p.md")
    assert [(problem.code, problem.line) for problem in problems] == [("K001", 3)]
    assert why in problems[0].message
    assert len(problems[0].message) < 300
    assert page.meta == ()


def test_a_long_text_of_digits_is_a_text() -> None:
    """In quotation marks or a block, no number is read; nor is one of 2,000 digits too long."""
    digits = "9" * 5_000
    meta, _ = split_front_matter(f"---\na: '{digits}'\nb: |\n  {digits}\nc: {digits[:2_000]}\n---\n\nText.\n")
    assert meta == {"a": digits, "b": f"{digits}\n", "c": int(digits[:2_000])}
