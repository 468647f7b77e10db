"""Citations as links: numbers, markers, and the words around them."""

from __future__ import annotations

from dataclasses import replace

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.citations.citation_links import NumberedCitations, link_citations
from planbook.citations.in_text import find_citations, join_groups
from planbook.model import Reference
from tests.markdown.hostile_texts import Reader

RYE = Reference("rye", 'Rye "and" <bread>', "https://rye.example/a", quotes=(("q1", "dark, and sour"),))
OATS = Reference("oats-2", "Oats", None)
BOTH = (RYE, OATS)


def test_numbers_follow_first_use() -> None:
    """Cited works come first, in order of use."""
    cited = NumberedCitations.of(BOTH, find_citations("[@oats-2] [@rye] [@oats-2]"))
    assert cited.work_numbers == {"oats-2": 1, "rye": 2}
    assert cited.references == (OATS, RYE)
    assert NumberedCitations.of(BOTH, ()).work_numbers == {"rye": 1, "oats-2": 2}


def rendered(text: str) -> Reader:
    """A text with citations, as Python-Markdown shows it."""
    linked = link_citations(text, NumberedCitations.of(BOTH, find_citations(text)))
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
    linked = link_citations(text, NumberedCitations.of(works, join_groups(text, find_citations(text))))
    page = Reader(markdown.markdown(linked, extensions=["attr_list"]))
    assert page.text.strip() == shown
    assert [(a["id"], a["href"], a.get("data-also")) for tag, a in page.elements if tag == "a"] == links


def test_words_around_a_citation_are_shown() -> None:
    """``see`` and ``also`` stand before the numbers, and a work named in a sentence has its authors."""
    works = (replace(RYE, cited_as="Miller <b>"), OATS)
    text = 'A [see @rye, p. 3; also "so" @oats-2]. @rye [p. 3] says, and @oats-2; not [@rye; @oats-2].'
    linked = link_citations(text, NumberedCitations.of(works, find_citations(text, {"rye", "oats-2"})))
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
    if [c.group_end for c in find_citations(text)] != [len(text) - 1]:
        return  # code or a quotation mark without its fellow: no citation
    assert {tag for tag, _ in rendered(text).elements} <= {"p", "span", "a"}
