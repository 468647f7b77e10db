"""Which excerpts answer each point of an outline: ranked by their words, whole, and the same every time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.research.drafts import Evidence, Excerpt, Passage
from planbook.research.evidence.rank import PointQuery, find_evidence, rank, without_repetition
from tests.research.documents import brief, source
from tests.research.evidence.outlines import outline, page


def excerpt(text: str, term: str = "", headings: tuple[str, ...] = (), n: int = 1) -> Excerpt:
    """An excerpt of one passage."""
    return Excerpt((Passage(f"s{n}p1", f"source-{n}", text, 0, headings),), term=term)


def best(row: Evidence) -> str:
    """The text of the best excerpt."""
    return row.ranked[0].excerpt.text


# --- ranking -------------------------------------------------------------------------------------------------------

OVEN = "The oven is heated to 250 degrees before the loaf goes in."
CASES = {
    "a rare word beats a common one": (["the stone oven"], ["An oven bakes bread.", "A stone keeps the heat."], 1),
    "a flag is a word": (
        ["What `-to` does"],
        ["Use it to go to the end of the file.", "The option -to sets the end."],
        1,
    ),
    "an identifier is a word": (["`max_bytes`"], ["The bytes of a max line.", "The value max_bytes limits it."], 1),
    "a part of an identifier is a word": (
        ["bytes of a message"],
        ["Loaves are round.", "The value max_bytes limits it."],
        1,
    ),
    "forms of a word are one": (["cached layers"], ["Bread is baked.", "It caches each layer."], 1),
}


@pytest.mark.parametrize(("query", "texts", "first"), CASES.values(), ids=CASES)
def test_order(query: list[str], texts: list[str], first: int) -> None:
    """The excerpt with the rarer of the point's words comes first; names are words, whole and in parts."""
    every = [excerpt(text, n=n) for n, text in enumerate([*texts, OVEN, OVEN + " Yes."])]
    (row,) = rank(every, [PointQuery(query[0])])
    assert row[0].excerpt == every[first]


def test_the_definition_of_a_name_beats_its_mention() -> None:
    """The term that an excerpt defines counts more than the same word in its text."""
    mention = excerpt("As `--quiet` does, this option hides the progress of a run.", n=1)
    definition = excerpt("Hide the progress of a run.", term="-q --quiet", n=2)
    (row,) = rank([mention, definition, excerpt(OVEN, n=3)], [PointQuery("`--quiet`")])
    assert row[0].excerpt == definition


def test_headings_count_less_than_text() -> None:
    """Of two texts, the one with the words itself comes first; words above it are enough to be ranked."""
    below, itself = excerpt("Heat it well.", headings=("Stone ovens",), n=1), excerpt("Stone ovens are hot.", n=2)
    (row,) = rank([below, itself, excerpt("Loaves are round.", n=3)], [PointQuery("stone ovens")])
    assert [one.excerpt for one in row] == [itself, below]


def test_titles_decide_between_equals() -> None:
    """The words of the section count a little: they prefer one excerpt, and rank none by themselves."""
    one, other = excerpt("Rye flour is dark.", n=1), excerpt("Rye flour is milled.", n=2)
    unrelated = excerpt("A mill.", n=3)
    (row,) = rank([one, other, unrelated], [PointQuery("rye flour", "How it is milled")])
    assert [one.excerpt for one in row] == [other, one]


def test_only_what_adds_nothing_is_left_out() -> None:
    """A repetition goes; a sibling that differs in one name stays."""
    options = [
        f"The option {name} limits how many loaves one oven may hold at the same time." for name in ("--a1", "--b2")
    ]
    every = [excerpt(text, n=n) for n, text in enumerate([*options, options[0], f"Note: {options[0]}"])]
    (row,) = rank(every, [PointQuery("option limits loaves")])
    kept = {one.excerpt.text for one in without_repetition(row, 9)}
    assert set(options) <= kept
    assert len(kept) <= 3


# --- over whole documents ----------------------------------------------------------------------------------------


@given(st.lists(st.text(max_size=200), max_size=4))
def test_any_text_may_be_a_source(texts: list[str]) -> None:
    """Nothing raises, and each point has its row."""
    given_sources = [page(n, text) for n, text in enumerate(texts)]
    assert len(find_evidence(outline(("Grains", ["rye flour", "`-x`", "?"])), given_sources)) == 3


def test_a_list_of_sources_is_no_question() -> None:
    """Sections that list the sources, and further reading, need no evidence."""
    rows = find_evidence(outline(("Rye", ["flour"]), ("Sources", ["cite them all"]), ("Further reading", [])), ())
    assert [row.point for row in rows] == ["flour"]


def test_a_point_that_nothing_answers_is_open() -> None:
    """An excerpt with a small share of its words is the nearest one, and no answer."""
    (row,) = find_evidence(
        outline(("Bread", ["limits in quantum networks of bakers"])), (page(1, OVEN, "Bakers rise early in the day."),)
    )
    assert not row.is_found
    assert row.passages == ()
    assert [one.excerpt.passages[-1].text for one in row.ranked] == [f"{OVEN}\n\nBakers rise early in the day."]


def test_the_named_source_is_kept_of_two_equal_ones() -> None:
    """Of equal texts, the one of the plan's own source is quoted."""
    named, other = source("stages"), replace(source("stages"), id="a-copy", queries=("x",))
    assert all(one.excerpt.source != "a-copy" for row in find_evidence(brief(), (other, named)) for one in row.ranked)


# --- the subject -------------------------------------------------------------------------------------------------
