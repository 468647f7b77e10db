"""What answers each point of an outline: relevant, honest, balanced, and the same every time."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.drafts import Brief, Evidence, PassageKind, Source
from generator.markdown.words import tokens
from generator.model import DropUri, LineBudget, PageUri, Part, Plan, PlanUri, Section, State
from generator.research.extract import distinct, evidence
from generator.research.extract.ranking import MAX_A_POINT, Index, Point, Unit, choose, point_terms
from tests.research.documents import NAMES, brief, document, source, sources


def outline(*sections: tuple[str, list[str]], lines: int = 60) -> Brief:
    """A brief whose outline is this: titles and points."""
    budget = LineBudget(lines, lines)
    made = tuple(Section(None, title, 1, budget, tuple(points)) for title, points in sections)
    part = Part(1, "Rye", 1, 1, State.OPEN, ("bread/1-rye.md",), sections=made)
    plan = Plan(PlanUri("plans/bread.md"), "Bread", (), (part,), ())
    return Brief(plan, part, PageUri("bread/1-rye.md"), DropUri("plans/KNOWLEDGE-DROP-rye-2026-11-20.md"), "Rye bread")


def page(n: int, *sentences: str, host: str = "") -> Source:
    """A source of its own host with these paragraphs."""
    return document("\n\n".join(sentences), url=f"https://{host or f'h{n}.test'}/{n}", name=f"source-{n}")


def by_point(found: tuple[Evidence, ...]) -> dict[str, list[str]]:
    """The first words of each passage, by point."""
    return {row.point: [passage.text[:24] for passage in row.passages] for row in found}


# --- over whole documents ----------------------------------------------------------------------------------------


def test_each_point_has_its_answers() -> None:
    """Over documents of eight sources: the passage that answers stands first, code stands behind what explains it."""
    found = evidence(brief(), sources())
    assert [(row.section, row.point) for row in found] == [
        (n, point) for n, section in enumerate(brief().part.sections[:3]) for point in section.points
    ]
    assert by_point(found) == {
        "What a builder stage and a runtime stage are each for": [
            "The *builder stage* hold",
            "# Shared libraries of th",
        ],
        "How `COPY --from` joins two stages": ["The following file has a", "FROM kiln/devel:12.4 AS "],
        "What each variant of the runtime image weighs": [
            "We shipped the devel var",
            "The runtime image comes ",
            "| Variant | Compressed |",
        ],
        "Cache mounts for pip and for apt": [
            "A cache mount is a folde",
            "# syntax=kiln/frontend:1",
            "We measured 1,208 builds",
            "With `sharing=locked` a ",
        ],
        "Where an ARG stands so that a changed value rebuilds little": ["An `ARG` counts as chang"],
        "Pinning images by digest": [
            "Projects that pinned the",
            "A tag is a name that som",
            "**What is a digest?** Th",
            "Tags that end in a date,",
        ],
        "Running as an ordinary user": [
            "# Ordinary user: the clu",
            "Our images ran as root b",
            "RUN groupadd --gid 1001 ",
        ],
        "The carbon footprint of idle registries": [],
    }


def test_excerpts_are_whole_and_in_order() -> None:
    """What belongs to an excerpt is directly behind what it follows in the source."""
    found = [passage for row in evidence(brief(), sources()) for passage in row.passages]
    assert any(passage.follows for passage in found)
    for before, passage in itertools.pairwise(found):
        assert passage.follows in {None, before.id}


def test_a_passage_is_used_once() -> None:
    """On the whole page, none twice, and none that says what another says: a mirror adds nothing."""
    found = evidence(brief(), sources())
    ids = [passage.id for row in found for passage in row.passages]
    assert len(ids) == len(set(ids))
    assert "slag-kiln-stages" not in {passage.source for row in found for passage in row.passages}


def test_the_plan_s_own_source_is_kept_of_copies() -> None:
    """The address that the plan names goes before those that a search found."""
    named = replace(source("mirror"), queries=())
    found = evidence(brief(), (named, replace(source("stages"), queries=("x",))))
    answers = found[1].passages
    assert [passage.source for passage in answers if passage.text.startswith("`COPY")] == ["slag-kiln-stages"]


@settings(max_examples=20)
@given(st.permutations(NAMES))
def test_the_order_of_sources_makes_no_difference(names: list[str]) -> None:
    """The same snapshots and the same plan: the same evidence, to the id."""
    assert evidence(brief(), sources(*names)) == evidence(brief(), sources())


def test_no_sources_no_answers() -> None:
    """Every point is told, with nothing; sources without text are none."""
    gone = replace(source("stages"), fetched=replace(source("stages").fetched, text="", visible=""))
    for given_sources in ((), (gone,)):
        found = evidence(brief(), given_sources)
        assert len(found) == 8
        assert not any(row.passages for row in found)


def test_a_section_that_lists_sources_asks_for_nothing() -> None:
    """Its lines are the references themselves."""
    rows = evidence(outline(("Rye", ["flour"]), ("Sources", ["cite them all"]), ("Further reading", [])), ())
    assert [row.point for row in rows] == ["flour"]


def test_a_part_without_outline_is_asked_by_its_points() -> None:
    """Else by its title."""
    bare = outline()
    with_points = replace(bare, part=replace(bare.part, points=("Rye flour and water",)))
    text = page(1, "Rye flour and water make the dough of the north.")
    assert [row.point for row in evidence(bare, (text,))] == ["Rye bread"]
    assert [len(row.passages) for row in evidence(with_points, (text,))] == [1]


# --- the floor ---------------------------------------------------------------------------------------------------

FLOOR = {
    "all words": ("Hydration of rye dough", True),
    "other forms of them": ("How rye doughs are hydrated by hydration", True),
    "one word of one": ("hydration", True),
    "one word of two": ("Hydration of spelt", False),
    "stop words only": ("What it is and how it is used for this", False),
    "a name among other words": ("Which ovens and mills and bakers of Ruritania bake rye", False),
    "the headings alone": ("Northern bakeries", False),
    "nothing": ("Photosynthesis", False),
}


@pytest.mark.parametrize(("point", "is_answered"), FLOOR.values(), ids=FLOOR)
def test_the_floor(point: str, is_answered: bool) -> None:
    """A passage answers if it shares enough of the point's telling words, its own headings' words aside."""
    text = "# Northern bakeries\n\nRye dough takes a hydration of eighty per cent.\n\nWheat is milled in the south.\n\n"
    others = "\n\n".join(f"Paragraph number {n} is about a matter of its own kind." for n in range(8))
    (row,) = evidence(outline(("Section", [point])), (page(1, text + others),))
    assert bool(row.passages) is is_answered


def test_names_in_code_weigh_more() -> None:
    """Of two passages with one of the point's words each, the one with its name comes first."""
    wanted = point_terms("Using `rye-mill` for flour of the north", "Mills", "Bread")
    texts = ["the mill of rye is a rye-mill for people", "flour is made of the north by people", *["other"] * 5]
    index = Index([(tokens(text), "", frozenset()) for text in texts])
    assert index.ranked(wanted)[0][0] == 0
    index.close()


def test_what_a_point_asks_for_comes_first() -> None:
    """A table where it asks for sizes, code where it asks for a command."""
    sizes, command = (
        point_terms("What rye flour weighs", "", ""),
        point_terms("The command that grinds rye flour", "", ""),
    )
    assert (sizes.kinds, command.kinds) == (frozenset({PassageKind.TABLE}), frozenset({PassageKind.CODE}))
    texts = [(tokens("rye flour grinds and weighs"), "", kinds) for kinds in (frozenset(), sizes.kinds, command.kinds)]
    index = Index([*texts, *[(("other",), "", frozenset[PassageKind]())] * 9])
    assert [index.ranked(wanted)[0][0] for wanted in (sizes, command)] == [1, 2]
    index.close()


def test_numbers_are_whole_words() -> None:
    """``12.4`` is not found by a text that holds 12 and 4."""
    texts = ("release 12 has 4 variants", "release 12.4 has variants")
    index = Index([(tokens(text), "", frozenset()) for text in texts])
    assert [n for n, _ in index.ranked(point_terms("12.4", "", ""))] == [1]
    index.close()


# --- duplicates --------------------------------------------------------------------------------------------------


def test_near_duplicates() -> None:
    """Of texts that share most runs of words the first stays, also where one is within the other."""
    text = "the rye loaf of the north needs a day and a half before it can be cut and eaten"
    texts = [text, f"{text} with butter", text.replace("day", "week"), "the oat loaf of the south", "rye", "rye", ""]
    assert distinct([tokens(text) for text in texts]) == (0, 3, 4, 6)
    half = "the rye loaf of the north needs a day " + "but here it is told in words of our own that differ much"
    assert distinct([tokens(text), tokens(half)]) == (0, 1)


# --- the choice --------------------------------------------------------------------------------------------------


def answers(count: int, host: str, topic: str, start: int = 0) -> Source:
    """A source with so many paragraphs on a topic, none like another."""
    letters = "abcdefghijklmnop"
    names = [[f"{host}{letters[start]}{letters[n]}{letters[m]}" for m in range(8)] for n in range(count)]
    words = [f"{topic} {' '.join(row)}." for row in names]
    return document("\n\n".join(words), url=f"https://{host}.test/{start}", name=f"{host}-{start}")


def shares(found: tuple[Evidence, ...]) -> Counter[str]:
    """How many passages of each source."""
    return Counter(passage.source.split("-")[0] for row in found for passage in row.passages)


POINTS = [("Grains", ["rye flour", "oat flour"]), ("Ovens", ["stone ovens", "steel ovens"])]


def test_three_sites_where_three_answer() -> None:
    """Although one source has more and better answers, three have a say, and none has more than half."""
    rich = [answers(6, "rich", topic, n) for n, topic in enumerate(("rye flour", "oat flour", "stone ovens"))]
    poor = [answers(1, "poor", "rye and flour"), answers(2, "lean", "steel ovens of a kind")]
    found = evidence(outline(*POINTS, lines=200), (*rich, *poor))
    count = shares(found)
    assert set(count) == {"rich", "poor", "lean"}
    assert 2 * count["rich"] <= count.total()


def test_where_one_source_alone_answers_it_may() -> None:
    """With fewer than three sites nothing gives way."""
    found = evidence(outline(*POINTS), (answers(9, "rich", "rye flour and oat flour and stone ovens and steel ovens"),))
    assert all(row.passages for row in found)


def test_what_gives_way_is_named() -> None:
    """A point that only a dominating source answers says where the answer is, and quotes nothing."""
    topics = ("rye flour", "oat flour", "stone ovens", "steel ovens")
    rich = [answers(1, "rich", topic, n) for n, topic in enumerate(topics)]
    poor = [answers(1, "poor", "rye flour"), answers(1, "lean", "oat flour")]
    found = evidence(outline(*POINTS, lines=6), (*rich, *poor))
    count = shares(found)
    assert set(count) == {"rich", "poor", "lean"}
    assert 2 * count["rich"] <= count.total()
    left = [row for row in found if row.elsewhere]
    assert all(not row.passages and set(row.elsewhere) <= {source.id for source in rich} for row in left)
    assert len(left) == 4 - len([row for row in found if row.passages])


def test_a_section_has_room_for_so_many() -> None:
    """A small budget takes the three sites alone, a larger one more, and none more than a reader wants."""
    many = tuple(answers(9, f"h{n}", "rye flour") for n in range(4))
    counts = [
        len(evidence(outline(("Grains", ["rye flour"]), lines=lines), many)[0].passages) for lines in (5, 20, 500)
    ]
    assert counts == [3, 4, MAX_A_POINT]


UNITS = st.lists(
    st.tuples(st.sampled_from("abcde"), st.integers(1, 3), st.floats(0.3, 1.5), st.integers(0, 5)), max_size=30
)


@given(UNITS, st.integers(1, 6), st.lists(st.integers(0, 60), min_size=2, max_size=2))
def test_any_choice_keeps_the_rules(units: list[tuple[str, int, float, int]], count: int, room: list[int]) -> None:
    """Each unit once, among those that answer; no site above half where there are three; best first; it ends."""
    every = [(Unit(n, f"{site}-x", site, size, 4), score, at) for n, (site, size, score, at) in enumerate(units)]
    points = [
        Point(
            n % 2,
            tuple(sorted(((u, s) for u, s, at in every if n in {at, at % 3}), key=lambda a: (-a[1], a[0].number))),
        )
        for n in range(count)
    ]
    choose(points, room)
    chosen = [unit for point in points for unit, _ in point.chosen]
    assert len({unit.number for unit in chosen}) == len(chosen)
    for point in points:
        assert set(point.chosen) <= set(point.answers)
        assert [score for _, score in point.chosen] == sorted((score for _, score in point.chosen), reverse=True)
    sites: Counter[str] = Counter()
    for unit in chosen:
        sites[unit.site] += unit.size
    if len(sites) >= 3:
        assert 2 * max(sites.values()) <= sites.total()
