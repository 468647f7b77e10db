"""Charts: well-formed SVG that says in words what it shows."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.model import LineBudget, State
from generator.views.template import LABELS, Day, Length, budget_chart, burn_up, page_length, state_bar

HOSTILE_NAME = "A & B <script>\"'</title>"
DAYS = (Day(date(2024, 5, 6), 4, 0), Day(date(2024, 5, 9), 4, 3), Day(date(2024, 6, 1), 9, 7))
ROWS = (Length(HOSTILE_NAME, 1612, LineBudget(400, 400)), Length("Rye", 310, LineBudget(300, 500)))


def tree(markup: str) -> ET.Element:
    """The markup as XML, which it must be."""
    return ET.fromstring(markup)  # noqa: S314 - our own


def words(element: ET.Element, name: str) -> str:
    """The text of the child of this name."""
    child = element.find(name)
    assert child is not None
    return "".join(child.itertext())


@pytest.mark.parametrize("markup", [burn_up(DAYS), burn_up(DAYS[:1]), budget_chart(ROWS), budget_chart(ROWS[1:])])
def test_a_chart_is_an_image_with_title_and_description(markup: str) -> None:
    """`role="img"`, named by its title and its description, without script or another host's anything."""
    svg = tree(markup)
    assert svg.tag == "svg"
    assert svg.get("role") == "img"
    ids = {element.get("id") for element in svg.iter() if element.get("id")}
    named = f"{svg.get('aria-labelledby', '')} {svg.get('aria-describedby', '')}".split()
    assert named
    assert set(named) <= ids
    assert words(svg, "title")
    assert words(svg, "desc")
    assert not {"script", "image", "use", "a", "foreignObject"} & {element.tag for element in svg.iter()}
    assert "http" not in markup
    assert not [name for element in svg.iter() for name in element.attrib if name.startswith("on")]
    assert not [element for element in svg.iter() if element.get("fill") or element.get("stroke")]


def test_burn_up_says_its_numbers() -> None:
    """From when to when, how many planned, how many done; a point for each day with something done."""
    svg = tree(burn_up(DAYS))
    for said in ("2024-05-06", "2024-06-01", "9 PARTs", "7 marked done"):
        assert said in words(svg, "desc")
    points = [words(point, "title") for point in svg.iter("circle")]
    assert points == ["2024-05-09: 3 of 4 done", "2024-06-01: 7 of 9 done"]


def test_budget_chart_says_its_numbers() -> None:
    """Each page with its lines and its budget, names to the letter."""
    described = words(tree(budget_chart(ROWS)), "desc")
    assert HOSTILE_NAME in described
    assert "310 lines, 300-500 planned" in described


def test_state_bar_says_its_numbers() -> None:
    """The image is named by what it counts, the legend says it again, and the widths add up to the whole."""
    markup = state_bar({State.DONE: 3, State.OPEN: 1, State.SKIPPED: 0}, HOSTILE_NAME)
    bar = tree(markup)
    svg = bar.find("svg")
    assert svg is not None
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == f"{HOSTILE_NAME}: 3 done, 1 open"
    legend = ["".join(item.itertext()) for item in bar.iter("li")]
    assert legend == ["3 done", "1 open"]
    assert [element.get("data-state") for element in svg if element.get("data-state")] == ["done", "open"]


def test_state_bar_of_nothing() -> None:
    """A plan without PARTs has a bar too, and says that there is nothing in it."""
    assert "no PARTs" in "".join(tree(state_bar({}, "x")).itertext())


@given(
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 5000), st.integers(0, 5000)), min_size=1, max_size=12),
    st.text(),
    st.dictionaries(st.sampled_from(list(State)), st.integers(0, 10**6)),
)
def test_any_numbers_and_names_make_well_formed_charts(
    numbers: list[tuple[int, int, int]], name: str, counts: dict[State, int]
) -> None:
    """Whatever is counted, and whatever it is called."""
    name = "".join(character for character in name if character.isprintable())
    days = sorted((date(2020, 1, 1) + timedelta(days=day) for day, _, _ in numbers))
    tree(burn_up([Day(day, a, b) for day, (_, a, b) in zip(days, numbers, strict=True)]))
    tree(budget_chart([Length(name, a, LineBudget(min(b, c), max(b, c))) for a, b, c in numbers]))
    bar = tree(state_bar(counts, name))
    assert len(list(bar.iter("li"))) == sum(counts.get(state, 0) > 0 for state in LABELS)


@pytest.mark.parametrize(
    ("lines", "text"), [(0, "0 lines"), (18, "18 lines"), (672, "about 670 lines"), (1_174, "about 1,200 lines")]
)
def test_lists_give_a_length_with_two_digits(lines: int, text: str) -> None:
    """An edit that adds a line leaves the pages that list others as they are."""
    assert page_length(lines) == text
