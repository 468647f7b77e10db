"""Which excerpts answer each point of an outline: ranked by their words, whole, and the same every time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.model import DropUri, LineBudget, PageUri, Part, Plan, PlanUri, Query, Section, State
from planbook.research.drafts import Brief, Evidence, Excerpt, Passage, Source
from planbook.research.evidence.rank import PointQuery, find_evidence, rank, subject_words, without_repetition
from tests.research.documents import brief, document, source


def outline(*sections: tuple[str, list[str]], title: str = "Rye bread", queries: tuple[str, ...] = ()) -> Brief:
    """A brief whose outline is this: titles and points."""
    made = tuple(Section(name, LineBudget(60, 60), tuple(points)) for name, points in sections)
    asked = tuple(Query("web", text) for text in queries)
    part = Part(1, "Rye", 1, 1, State.OPEN, ("bread/1-rye.md",), sections=made, queries=asked)
    plan = Plan(PlanUri("plans/bread.md"), "Bread", (), (part,), ())
    return Brief(plan, part, PageUri("bread/1-rye.md"), DropUri("plans/KNOWLEDGE-DROP-rye-2026-11-20.md"), title)


def page(n: int, *paragraphs: str) -> Source:
    """A source of its own host with these paragraphs."""
    return document("\n\n".join(paragraphs), url=f"https://h{n}.test/{n}", name=f"source-{n}")


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


def test_another_product_is_no_answer() -> None:
    """A document that a search found counts if it is about the page's subject; one that somebody chose always does."""
    text = "A queue keeps its messages until a consumer acknowledges each of them."
    other = replace(page(1, "# KiwiMQ\n\n" + text), queries=("queues",))
    own = replace(page(2, "# RabbitMQ\n\nA durable queue keeps its messages in RabbitMQ."), queries=("queues",))
    wanted = outline(("Queues", ["how a queue keeps messages"]), title="Queues in RabbitMQ")
    (row,) = find_evidence(wanted, (other, own))
    assert {one.excerpt.source for one in row.ranked} == {"source-2"}
    (row,) = find_evidence(wanted, (replace(other, queries=()), own))
    assert {one.excerpt.source for one in row.ranked} == {"source-1", "source-2"}
    of_the_folder = document(other.fetched.text, url="file:///documents/kiwi.md", name="source-1")
    (row,) = find_evidence(wanted, (replace(of_the_folder, queries=("queues",)), own))
    assert {one.excerpt.source for one in row.ranked} == {"source-1", "source-2"}, "it is in a small folder"
    (row,) = find_evidence(wanted, (other,))
    assert row.is_found, "without any document on the subject, all count"


def test_the_own_manual_need_not_repeat_the_product_on_each_page() -> None:
    """What all queries share is asked of the web only; a name in the title, of all but a small folder."""
    text = "Upgrade the servers of a cluster one at a time, and wait until each of them is healthy again."
    own = replace(document(text, url="file:///documents/upgrade.md", name="own"), queries=("kiwimq upgrade",))
    web = replace(page(1, text), queries=("kiwimq upgrade",))
    about = replace(page(2, "A cluster of KiwiMQ has servers."), queries=("kiwimq upgrade",))
    queries = ("kiwimq upgrade", "kiwimq cluster")
    points = ("Operation", ["In which order to upgrade the servers of a cluster"])
    (row,) = find_evidence(outline(points, title="Clusters", queries=queries), (own, about))
    assert row.ranked[0].excerpt.source == "own"
    (row,) = find_evidence(outline(points, title="Clusters", queries=queries), (web, about))
    assert {one.excerpt.source for one in row.ranked} == {"source-2"}
    folder = [
        replace(own, id=f"own-{n}", fetched=replace(own.fetched, url=f"file:///documents/{n}.md")) for n in range(13)
    ]
    wanted = outline(points, title="Clusters of KiwiMQ", queries=queries)
    (row,) = find_evidence(wanted, (*folder, about))
    assert {one.excerpt.source for one in row.ranked} == {"source-2"}
    (row,) = find_evidence(wanted, (own, about))
    assert {one.excerpt.source for one in row.ranked} == {"own", "source-2"}, "a small folder was chosen as a whole"


def test_in_a_folder_on_several_products_those_of_the_subject_come_first() -> None:
    """The queries name the product, and its folder does, though not each of its pages; others are not left out."""

    def own(path: str, text: str) -> Source:
        found = document(text, url=f"file:///documents/{path}", name=path.replace("/", "-"))
        return replace(found, queries=("kiwimq queue",))

    other = [own(f"owlproxy/{n}.md", "# OwlProxy\n\nThe router with the longest rule wins.") for n in range(9)]
    answer = own("kiwimq/rules.md", "# Rules\n\nIf none is set, the weight of a rule is its length.")
    asks = own("owlproxy/rank.md", "# OwlProxy\n\nThe weight of a rule is computed from its words, if none is set.")
    manual = [own(f"kiwimq/{n}.md", f"# KiwiMQ: step {n}\n\nKiwiMQ has queues.") for n in range(6)]
    queries = ("kiwimq rule weight", "kiwimq queue", "kiwimq dead letters")
    wanted = outline(("Rules", ["How the weight of a rule is computed if none is set"]), title="Rules", queries=queries)
    (row,) = find_evidence(wanted, (*other, asks, answer, *manual))
    assert row.ranked[0].excerpt.source == "kiwimq-rules.md"
    assert row.ranked[0].factor == 1
    assert "owlproxy-rank.md" in {one.excerpt.source for one in row.ranked}
    plain = outline(("Rules", ["How the weight of a rule is computed if none is set"]), title="Rules")
    (row,) = find_evidence(plain, (*other, asks, answer, *manual))
    assert row.ranked[0].excerpt.source == "owlproxy-rank.md", "nothing tells the subject"


def test_the_subject_of_a_page() -> None:
    """The names in its title, and what most of its queries share."""
    assert subject_words(outline(title="Seeking in FFmpeg")) == {"ffmpeg"}
    queries = ("nginx proxy timeout", "nginx buffering", "worker processes of nginx", "upstream keepalive")
    assert subject_words(outline(title="Timeouts", queries=queries)) == {"nginx"}
    assert subject_words(outline(title="Timeouts", queries=("nginx proxy timeout",))) == set()
