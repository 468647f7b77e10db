"""Fields of references in front matter: a wrong type or value is a Problem with its line, and stops nothing."""

from __future__ import annotations

import gc
import json
import time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.additions import add_references
from planbook.citations.citation_links import NumberedCitations
from planbook.citations.csl_variables import DATES
from planbook.citations.in_text import find_citations
from planbook.citations.reference_fields import check_items
from planbook.citations.references import items_by_id, read_references
from planbook.library.pages import read_page
from planbook.research.proof.verify import read_cited_references
from planbook.views.bibliography.bibtex import bibtex
from planbook.views.bibliography.csl import csl_items, csl_json, csl_metadata
from planbook.views.bibliography.reference_list import references_section

WHOLE = """---
title: Rye
references:
  - id: rye
    type: article-journal
    title: CO<sub>2</sub> in rye
    author: [{family: Doe, given: Ann, suffix: Jr.}, {literal: The Mill}, A. Person]
    container-title: Grain
    volume: 12
    page: 1-9
    issued: {date-parts: [[2024, 8]]}
    accessed: 2026-11-20
    URL: https://rye.example/a?b=c#d
    DOI: 10.1000/182
    note: kept
    tags: [a, b]
    custom:
      file: documents/rye.md
      sha256: "3a12c85b5731b518334bf7676173e7d02e4cd47cacf690ba4c40765e68f39136"
      quotes: {q1: dark and sour, q2: "2024"}
      lines: {q1: [3, 4]}
      fragments: {q2: "dark,sour"}
  - {id: 2017, title: A number as an id, author: {family: Doe}, custom: {quotes: [one, two]}}
  - {id: three, title: Three, quotes: in plain sight, issued: in press}
---

# Rye

It is dark [@rye, q1] [@2017, q2] [@three, q1].
"""


def found_in(fields: str, before: str = "  - id: a\n") -> list[tuple[int, str, str]]:
    """Line, code and message of each Problem of a reference with these lines."""
    text = f"---\ntitle: T\nreferences:\n{before}{fields}---\n\n# T\n\nX [@a].\n"
    return [(p.line, p.code, p.message) for p in read_references(text, "a.md")[1] if p.code in {"K011", "K015", "K016"}]


def test_a_reference_in_order_has_no_problem() -> None:
    """Quotes by key, as a list or alone, under `custom` or beside it; names as mappings or texts; years as numbers."""
    references, problems = read_references(WHOLE, "a.md")
    assert problems == ()
    assert [dict(work.quotes) for work in references] == [
        {"q1": "dark and sour", "q2": "2024"},
        {"q1": "one", "q2": "two"},
        {"q1": "in plain sight"},
    ]
    assert [(work.author, work.issued) for work in references] == [
        ("Ann Doe Jr., The Mill, A. Person", "2024-08"),
        ("Doe", None),
        (None, "in press"),
    ]
    assert [work.cited_as for work in references] == ["Doe, The Mill and A. Person", "Doe", "“Three”"]


WRONG = [
    ("    title: 5\n", "K015", "`title` is a number, 5; write it in quotation marks"),
    ("    title: 2024-01-02\n", "K015", "`title` is a date"),
    ("    title: yes\n", "K015", "`title` is true or false"),
    ("    title: [a, b]\n", "K015", "`title` is a list"),
    ("    title: {en: a}\n", "K015", "`title` is a mapping"),
    ("    publisher: 12\n", "K015", "`publisher` is a number"),
    ("    type: webpag\n", "K015", "did you mean webpage?"),
    ("    type: blog\n", "K015", "is not a type of CSL"),
    ("    volume: [1]\n", "K015", "`volume` is a list"),
    ("    URL: 5\n", "K015", "`URL` is a number"),
    ("    URL: htps://a.example/\n", "K015", "did you mean https:?"),
    ("    URL: https://\n", "K015", "is not a web address"),
    ("    URL: http:/a.example/x\n", "K015", "is not a web address"),
    ("    URL: https://a.example/x y\n", "K015", "is not a web address"),
    ("    URL: https://[a.example/x\n", "K015", "is not a web address"),
    ("    DOI: 182\n", "K015", "`DOI` is a number"),
    ("    DOI: ten point one\n", "K015", "is not a DOI"),
    ("    accessed: gestern\n", "K015", "`accessed` 'gestern' is not a day; write {date-parts: [[2026, 11, 20]]}"),
    ("    accessed: {literal: in spring}\n", "K015", "is not a day"),
    ("    accessed: 2026-02-30\n", "K001", ""),
    ("    accessed: '2026-02-30'\n", "K015", "is not a day"),
    ("    issued: 2024.1\n", "K015", "`issued` 2024.1 is not a date"),
    ("    issued: '2019-13-45'\n", "K015", "is not understood as a date; it is shown as written"),
    ("    issued: {date-parts: [[2019, 13, 45]]}\n", "K015", "is not a date"),
    ("    issued: {day: 3}\n", "K015", "is not a date"),
    ("    author: 5\n", "K015", "which is not a name; write [{family: Doe, given: Ann}]"),
    ("    author: [{first: A, last: B}]\n", "K015", "a name without `family`, `given` or `literal`"),
    ("    author: [{family: 5}]\n", "K015", "`family` of `author` is a number"),
    ("    custom: x\n", "K015", "`custom` is a text; write a mapping"),
    ("    custom: [quotes]\n", "K015", "`custom` is a list"),
    ("    custom: {quotes: {q1: 5}}\n", "K015", "quote q1 is a number, 5, not words"),
    ("    custom: {quotes: {q1: }}\n", "K015", "quote q1 is empty"),
    ("    custom: {quotes: {q1: ' '}}\n", "K015", "quote q1 is empty"),
    ("    custom: {quotes: {q1: {a: b}}}\n", "K015", "quote q1 is a mapping"),
    ("    custom: {quotes: 7}\n", "K015", "`quotes` is a number"),
    ("    custom: {file: [a, b]}\n", "K015", "`custom.file` is ['a', 'b']; write the path of one document"),
    ("    custom: {sha256: 12}\n", "K015", "`custom.sha256` is 12; write 64 hexadecimal digits"),
    ("    custom: {commit: abc}\n", "K015", "`custom.commit` is 'abc'"),
    ("    custom: {quotes: {q1: a b}, lines: {q1: 5}}\n", "K015", "`custom.lines` is {'q1': 5}; write first and last"),
    ("    custom: {quotes: {q1: a b}, lines: {q1: [5, 2]}}\n", "K015", "`custom.lines`"),
    ("    custom: {quotes: {q1: a b}, lines: {q2: [1, 2]}}\n", "K015", "has no quote q2"),
    ("    custom: {quotes: {q1: a b}, fragments: {q1: 5}}\n", "K015", "`custom.fragments`"),
    ("    url: https://a.example/\n", "K015", "CSL has no field `url`; did you mean `URL`?"),
    ("    titel: A\n", "K015", "CSL has no field `titel`; did you mean `title`?"),
    ("    link: https://a.example/\n", "K015", "did you mean `URL`?"),
    ("    authors: [{family: Doe}]\n", "K015", "did you mean `author`?"),
    ("    acessed: 2026-11-20\n", "K015", "did you mean `accessed`?"),
    ("    title: one\n    title: two\n", "K015", "`title` is there twice; only the last is read"),
]


@pytest.mark.parametrize(("fields", "code", "message"), WRONG, ids=[fields.strip() for fields, *_ in WRONG])
def test_a_wrong_field_is_reported_with_its_line(fields: str, code: str, message: str) -> None:
    """What is wrong, and what to write."""
    if code == "K001":  # YAML itself refuses that day
        assert [
            p.code for p in read_page(f"---\nreferences:\n  - id: a\n{fields}---\n".encode(), "a.md", False)[1]
        ] == ["K001"]
        return
    found = found_in(fields)
    last = 4 + fields.count("\n")
    assert [(line, code_) for line, code_, _ in found] == [(last, code)]
    assert found[0][2].startswith("@a: ") or "is there twice" in message
    assert message in found[0][2]


@pytest.mark.parametrize(
    "place", ["    quotes: [1, 2]\n", "    custom: {quotes: [1, 2]}\n", "    custom:\n      quotes: [1, 2]\n"]
)
def test_quotes_that_are_no_words_are_reported_and_not_found(place: str) -> None:
    """Each, and none counts as verified: they are looked for in the source."""
    found = found_in(place)
    assert [code for _, code, _ in found] == ["K015", "K015"]
    assert ["quote q1 is a number, 1" in found[0][2], "quote q2 is a number, 2" in found[1][2]] == [True, True]
    (claim,) = read_cited_references(f"---\nreferences:\n  - id: a\n{place}---\n\nX [@a, q1].\n", "a.md")
    assert claim.reference.quotes == (("q1", "1"), ("q2", "2"))


@pytest.mark.parametrize(
    ("references", "line", "message"),
    [
        ("references: rye\n", 3, "must be a list of CSL items"),
        ("references:\n  rye: {title: Rye}\n", 3, "must be a list of CSL items"),
        ("references:\n  - {id: a}\n  - rye\n", 5, "'rye' is not a CSL item"),
        ("references:\n  - {id: a}\n  - title: Rye\n", 5, "a reference has no `id`"),
        ("references:\n  - {id: a}\n  - id: no\n    title: Rye\n", 5, "a reference has the `id` False"),
        ("references:\n  - {id: a}\n  - id: [x]\n", 5, "a reference has the `id` ['x']"),
        (
            "references:\n  - {id: a}\nx: 1\nreferences:\n  - {id: b}\n",
            6,
            "`references` is there twice, also in line 3",
        ),
    ],
)
def test_what_is_no_item_is_reported_with_its_line(references: str, line: int, message: str) -> None:
    """K011; the other items are used."""
    text = f"---\ntitle: T\n{references}---\n\n# T\n"
    found = [(p.line, p.message) for p in read_references(text, "a.md")[1] if p.code == "K011"]
    assert line in [at for at, _ in found]
    assert any(message in what for _, what in found), found


DUPLICATE = """---
references:
  - {id: dup, title: First work, URL: "https://a.example/first"}
  - {id: dup-2, title: Another work, URL: "https://a.example/another"}
  - {id: dup, title: Second work, URL: "https://a.example/second"}
  - {id: third, title: Third work, URL: "https://a.example/third"}
---

# Three

One [@dup]. Two [@third]. Three [@dup-2].
"""


def test_two_references_with_one_id_are_reported_and_both_kept() -> None:
    """The citation leads to the first; list, numbers and exports have every work once."""
    references, problems = read_references(DUPLICATE, "a.md")
    assert [(p.code, p.line) for p in problems] == [("K016", 5)]
    assert [(work.id, work.title) for work in references] == [
        ("dup", "First work"),
        ("dup-2", "Another work"),
        ("dup-3", "Second work"),
        ("third", "Third work"),
    ]
    body = DUPLICATE.split("---\n")[2]
    section = references_section(body, NumberedCitations.of(references, find_citations(body)), {})
    listed = [line.partition('">')[2] for line in section.splitlines() if line.startswith("<a href=")]
    assert [line.partition("<")[0] for line in listed] == ["First work", "Third work", "Another work", "Second work"]
    assert len(set(section.split('<li id="')[1:])) == 4
    written = yaml.safe_load(DUPLICATE.split("---\n")[1])["references"]
    items = csl_items(written, references)
    assert [(item["id"], item["title"]) for item in items] == [(work.id, work.title) for work in references]
    assert bibtex(items).count("First work") == bibtex(items).count("Second work") == 1
    assert [item["id"] for item in csl_metadata(written, references)] == ["dup", "dup-2", "dup-3", "third"]
    claims = read_cited_references(DUPLICATE, "a.md")
    assert [claim.url for claim in claims] == [
        f"https://a.example/{name}" for name in ("first", "another", "second", "third")
    ]


SCALARS = (
    st.none() | st.booleans() | st.integers(-3000, 3000) | st.floats(allow_nan=False) | st.text(max_size=8) | st.dates()
)
ANY = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
CUSTOM = st.dictionaries(st.sampled_from(["quotes", "lines", "fragments", "file", "sha256", "commit", "path"]), ANY)
FIELDS = ("id", "title", "type", "URL", "DOI", "author", "editor", "publisher", "container-title", "archive", "quotes")
ITEM = st.dictionaries(st.sampled_from([*FIELDS, *DATES]), ANY, max_size=6)


@given(st.lists(st.tuples(ITEM, CUSTOM | ANY), max_size=3) | ANY)
def test_no_value_of_a_field_stops_anything(pairs: Any) -> None:
    """Whatever YAML has there, pages are read, shown and exported."""
    if isinstance(pairs, list):
        pairs = [{"id": "a", **pair[0], "custom": pair[1]} if isinstance(pair, tuple) else pair for pair in pairs]
    front = yaml.safe_dump({"references": pairs}, allow_unicode=True, sort_keys=False)
    text = f"---\n{front}---\n\n# T\n\nX [@a, q1].\n"
    page, _ = read_page(text.encode("utf-8", "surrogatepass"), "a.md", False)
    references, problems = read_references(text, "a.md")
    assert all(problem.line >= 1 and problem.message for problem in problems)
    assert len({work.id for work in references}) == len(references)
    items = csl_items(page.meta_value("references"), page.references)
    assert json.loads(csl_json(items)) == items
    assert bibtex(items).count("\n}\n") == len(items)
    numbered = NumberedCitations.of(references, find_citations("X [@a]."))
    assert references_section("X [@a].", numbered, {}) or not references
    read_cited_references(text, "a.md")


def test_writing_references_adds_none_twice() -> None:
    """A title with elements is the work that it was."""
    text = WHOLE.replace("    URL: https://rye.example/a?b=c#d\n", "").replace("    DOI: 10.1000/182\n", "")
    works = [{"id": work.id, "title": work.title} for work in read_references(text, "a.md")[0]]
    assert add_references(text, works) == text


def test_checking_many_items_is_linear() -> None:
    """Four times the items take about four times as long."""
    took = []
    for n in (500, 2000):
        items = "".join(f"  - id: w{i}\n    title: {i}\n    custom: {{quotes: {{q1: {i}}}}}\n" for i in range(n))
        text = f"---\nreferences:\n{items}---\n\n# T\n"
        meta = {"references": yaml.load(items, yaml.CSafeLoader)}
        tries = []
        gc.disable()  # a collection walks all that other tests have left in this process
        try:
            for _ in range(3):
                start = time.process_time()
                assert len(check_items(text, meta, "a.md")) == 2 * n
                tries.append(time.process_time() - start)
        finally:
            gc.enable()
        took.append(min(tries))
    assert took[1] < 10 * max(took[0], 0.01)
    assert len(items_by_id(meta)) == 2000


@pytest.mark.parametrize("key", ["sources", "referenes", "bibliography"])
def test_works_under_another_key_are_reported(key: str) -> None:
    """On the key's line, unless they are no works, or the page has `references`, too."""
    text = f"---\ntitle: Tea\n{key}:\n  - {{id: tea, title: Tea}}\n---\n\n# Tea\n"
    _, problems = read_references(text, "tea.md")
    assert [(one.line, one.code, "did you mean `references`?" in one.message) for one in problems] == [
        (3, "K011", True)
    ]
    for other in ("[a, b]", "tea", "[{weight: 3}]"):
        assert read_references(f"---\n{key}: {other}\n---\n\n# Tea\n", "tea.md")[1] == ()
    assert read_references(text.replace("title: Tea\n", "references: []\n", 1), "tea.md")[1] == ()
