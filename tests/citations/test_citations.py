"""Citations in the text: ``[@id]`` and its kin, their links, and the Problems of those that lead nowhere."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.citation_checks import check_citations
from planbook.citations.citation_links import link_citations, number_references
from planbook.citations.in_text import find_citations, join_groups
from planbook.model import Reference
from tests.markdown.test_safe_markdown import Reader

RYE = Reference("rye", 'Rye "and" <bread>', "https://rye.example/a", quotes=(("q1", "dark, and sour"),))
OATS = Reference("oats-2", "Oats", None)
BOTH = (RYE, OATS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A [@rye].", [("rye", None)]),
        ("A [@rye, q1].", [("rye", "q1")]),
        ('A [@rye, sec. "On *flour* [new]"].', [("rye", 'sec. "On *flour* [new]"')]),
        ("A [@rye, p. 3; @oats-2].", [("rye", "p. 3"), ("oats-2", None)]),
        ("A [-@rye].", [("rye", None)]),
        ("A [@rye, sec.\nTwo].", [("rye", "sec. Two")]),
        ("- item [@rye]\n- item", [("rye", None)]),
        ("`[@rye]`", []),
        ("```\n[@rye]\n```\n", []),
        ("a\n\n    [@rye]\n", []),
        ("!!! note\n\n    a [@rye]\n\n    b [@rye, q1] `[@rye]`\n", [("rye", None), ("rye", "q1")]),
        ('!!! note "Bread"\n    a\n\n    b [@rye]\n\n    ```\n    [@rye]\n    ```\n', [("rye", None)]),
        ("!!! note\n    a\n\nb\n\n    [@rye]\n", []),
        ("- x\n\n    !!! tip\n        a\n\n        b [@rye]\n", [("rye", None)]),
        ("[@rye](https://x.example)", []),
        ("mail me@rye.example", []),
        ("[see @rye]", [("rye", None)]),
        ("A [see @rye, p. 3; also @oats-2].", [("rye", "p. 3"), ("oats-2", None)]),
        ("A [see @ryee, p. 3].", [("ryee", "p. 3")]),
        ("A [@rye,@oats-2], [@rye @oats-2].", [("rye", None), ("oats-2", None)] * 2),
        ("A [@rye, p. 3, @oats-2, ch. 4].", [("rye", "p. 3"), ("oats-2", "ch. 4")]),
        ("A [@rye and also @oatz-2].", [("rye", None), ("oatz-2", None)]),
        ('A [@rye, sec. "On @oats-2"].', [("rye", 'sec. "On @oats-2"')]),
        ("A [@rye p. 3] B [@{rye}] C [-@rye, q1].", [("rye", "p. 3"), ("rye", None), ("rye", "q1")]),
        ("@rye [p. 3] says, and so do @oats-2.", [("rye", "p. 3"), ("oats-2", None)]),
        ("Baker says so -@rye [pp. 1-2]; -@oats-2 too.", [("rye", "pp. 1-2"), ("oats-2", None)]),
        ("a-@rye --@rye x/-@rye", []),
        ("(@rye) *@rye* “@rye”", [("rye", None)] * 3),
        ("[ask @nobody-here] [mail a@rye.example] @nobody @ryes a@rye @rye.example", []),
        ("[see @rye](https://x.example) [@rye][1] <a title='@rye'>x</a> `@rye` \\@rye", []),
        ("A [see @rye; no citation].", [("rye", None)]),
        ("[@site.example:rye_1/a]", [("site.example:rye_1/a", None)]),
        ('A [@rye, sec. "Creating layouts\nfor A"].', [("rye", 'sec. "Creating layouts for A"')]),
        ('A [@rye, sec. "open\n\nB "c"].', []),
    ],
)
def test_citations_are_found(text: str, found: list[tuple[str, str | None]]) -> None:
    """Pandoc's forms, outside code and links; no handle, no address."""
    assert [(c.reference, c.locator) for c in find_citations(text, {"rye", "oats-2"})] == found


@pytest.mark.parametrize("text", ["[see @rye]", "[@rye p. 3]", "@rye", "@rye [p. 3]", "[ping @rye]"])
def test_other_forms_need_a_known_work(text: str) -> None:
    """Without a reference of that id, it is a text like any other."""
    assert find_citations(text) == ()
    assert find_citations(text, {"oats"}) == ()


def test_an_unknown_id_names_the_nearest() -> None:
    """K012 gives the line in the file, and what may have been meant."""
    problems = check_citations(find_citations("A\n\nB [@ray]."), BOTH, "p.md", skipped=4)
    assert [(p.code, p.line) for p in problems if p.code == "K012"] == [("K012", 7)]
    assert "did you mean @rye?" in problems[0].message
    told = check_citations(find_citations("A [@rye, q9] [@rye, p. 9]."), BOTH, "p.md")
    assert [p.message for p in told if p.code == "K012"] == ["@rye has no quote q9"]


@pytest.mark.parametrize(
    ("locator", "is_told"),
    [("crust", False), ("crumb", True), ("q7", True), ("p. 3", False), ("Baking", False), ("the crumb", False)],
)
def test_a_name_that_no_quote_has(locator: str, is_told: bool) -> None:
    """Where the quotes of a work have names, a word in small letters is one of them."""
    named = Reference(id="rye", title="Rye", quotes=(("crust", "The crust is dark."),))
    told = check_citations(find_citations(f"A [@rye, {locator}].", {"rye"}), [named], "p.md")
    assert [p.message for p in told] == ([f"@rye has no quote {locator}"] if is_told else [])


def test_an_unused_reference_is_told() -> None:
    """K013, only on pages that cite at all, and only for works that the prose does not mention either."""
    assert [p.code for p in check_citations(find_citations("A [@rye]."), BOTH, "p.md")] == ["K013"]
    assert check_citations((), BOTH, "p.md") == ()
    mentioned = (RYE, Reference("oats-2", "Oats", None, lines=(3,)))
    assert check_citations(find_citations("A [@rye]."), mentioned, "p.md") == ()


def test_numbers_follow_first_use() -> None:
    """Cited works come first, in order of use."""
    assert number_references(BOTH, find_citations("[@oats-2] [@rye] [@oats-2]")) == {"oats-2": 1, "rye": 2}
    assert number_references(BOTH, ()) == {"rye": 1, "oats-2": 2}


def rendered(text: str) -> Reader:
    """A text with citations, as Python-Markdown shows it."""
    linked = link_citations(text, find_citations(text), BOTH)
    return Reader(markdown.markdown(linked, extensions=["tables", "attr_list"]))


def test_a_citation_becomes_a_link() -> None:
    """It leads to the quote or the entry, and has an anchor to come back to."""
    page = rendered("A [@rye, q1], again [@rye], and [@oats-2].")
    assert [(a["href"], a["id"]) for tag, a in page.elements if tag == "a"] == [
        ("#r1.q1", "c.1"),
        ("#ref-rye", "c.2"),
        ("#ref-oats-2", "c.3"),
    ]
    assert page.text.strip() == "A [1], again [1], and [2]."


MARKERS = {
    "quotes of one work": ("A [@rye, q1; @rye, q2].", "A [1].", [("c.1", "#r1.q1", "r1.q2")]),
    "brackets that follow each other": ("A [@rye, q1] [@rye] [@rye, q1].", "A [1].", [("c.1", "#r1.q1", "ref-rye")]),
    "two works": ("A [@oats-2; @rye, q1].", "A [1, 2].", [("c.1", "#ref-oats-2", None), ("c.2", "#r2.q1", None)]),
    "works in turn": (
        "A [@rye, q1; @oats-2; @rye, q2].",
        "A [1, 2].",
        [("c.1", "#r1.q1", "r1.q2"), ("c.2", "#ref-oats-2", None)],
    ),
    "two sentences": (
        "A [@rye, q1]. B [@rye, q1].",
        "A [1]. B [1].",
        [("c.1", "#r1.q1", None), ("c.2", "#r1.q1", None)],
    ),
}


@pytest.mark.parametrize(("text", "shown", "links"), MARKERS.values(), ids=MARKERS)
def test_a_sentence_has_one_marker(text: str, shown: str, links: list[tuple[str, str, str | None]]) -> None:
    """It leads to the first quote of each work, and names its others for scripts."""
    works = (replace(RYE, quotes=(("q1", "Rye is dark."), ("q2", "Rye is sour."))), OATS)
    linked = link_citations(text, join_groups(text, find_citations(text)), works)
    page = Reader(markdown.markdown(linked, extensions=["attr_list"]))
    assert page.text.strip() == shown
    assert [(a["id"], a["href"], a.get("data-also")) for tag, a in page.elements if tag == "a"] == links


def test_words_around_a_citation_are_shown() -> None:
    """``see`` and ``also`` stand before the numbers, and a work named in a sentence has its authors."""
    works = (replace(RYE, cited_as="Miller <b>"), OATS)
    text = 'A [see @rye, p. 3; also "so" @oats-2]. @rye [p. 3] says, and @oats-2; not [@rye; @oats-2].'
    linked = link_citations(text, find_citations(text, {"rye", "oats-2"}), works)
    page = Reader(markdown.markdown(linked, extensions=["attr_list"]))
    assert page.text.strip() == 'A (see [1]; also "so" [2]). Miller <b> [1] says, and Oats [2]; not [1, 2].'
    assert [tag for tag, _ in page.elements if tag == "b"] == []


def test_an_unknown_citation_is_shown() -> None:
    """What cannot be resolved is not lost."""
    assert "@ray?" in rendered("A [@ray].").text


@given(st.text(alphabet="ab*_`()<>\"'|{}:#!&,.é ", max_size=40).filter(str.strip))
def test_a_locator_is_never_markup(locator: str) -> None:
    """Whatever a locator holds, no element comes of it but the link."""
    text = f"A [@rye, {locator}]."
    if [c.end for c in find_citations(text)] != [len(text) - 1]:
        return  # code or a quotation mark without its fellow: no citation
    assert {tag for tag, _ in rendered(text).elements} <= {"p", "span", "a"}


PAGE = """---
title: Bread
references:
  - id: rye
    type: webpage
    title: Rye, a history
    URL: https://rye.example/a
    accessed: {date-parts: [[2026, 11, 20]]}
    custom: {quotes: {q1: "dark, and sour"}}
  - id: oats-2
    type: document
    title: Oats
---

Bread is old [@rye, q1], and so are oats [@oats-2; @rye, sec. "Two"].
"""


def test_pandoc_reads_the_same_citations(pandoc: str, tmp_path: Path) -> None:
    """Pandoc resolves every ``[@id]`` of a page from its front matter, and finds the citations that we find."""
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    command = [pandoc, "--from=markdown", "--to=json", str(page)]
    tree = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    cited = re.findall(r'"citationId": ?"([^"]+)"', json.dumps(tree["blocks"]))
    assert cited == [citation.reference for citation in find_citations(PAGE)]
    command = [pandoc, "--citeproc", "--to=plain", "--fail-if-warnings", str(page)]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert "rye, a history" in done.stdout.lower()
    assert "???" not in done.stdout
