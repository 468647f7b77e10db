"""The link graph page: every page is in it, no two labels meet, and the table says what the drawing draws."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.page.links import Edge
from generator.views.arcs import NARROW, TEXT, WIDE, Arc, ArcGroup, Dot, arc_diagram, text_width
from generator.views.graph import MOST_ARCS, MOST_NAMED, TABLE_ROWS, GraphNode, graph_page

SIZES = (2, 25, MOST_NAMED, MOST_NAMED + 1, 200, 1000)
HOSTILE = "</title><script>alert('1')</script> & \"A\" <b>| `x` [y](z) {: #a } \x00\x1b\u202e\ud800 ]]> 漢字 <!-- x -->"
XLINK = "http://www.w3.org/1999/xlink"
WORDS = ("Oven", "dough", "flour", "water", "salt", "CRUST", "crumb", "mill", "MMMM", "starter", "steam", "石臼")


def base(pages: int, folders: int | None = None, links: int = 5) -> tuple[list[GraphNode], list[Edge]]:
    """As many pages, every seventh not written, with about as many edges from each."""
    chance = random.Random(pages)  # noqa: S311 - not for secrets
    folders = folders or max(1, pages // 40)
    nodes = [
        GraphNode(f"folder-{n % folders}/{n:03}-page.md", " ".join(chance.choices(WORDS, k=1 + n % 9)), n % 7 != 6)
        for n in range(pages)
    ]
    edges = [
        Edge(node.uri, chance.choice(nodes).uri, "link" if node.is_written else "plan")
        for node in nodes
        for _ in range(links)
    ]
    return nodes, edges


def page_of(pages: int) -> str:
    """The page of such a base."""
    return graph_page(*base(pages), url_of)


def url_of(uri: str) -> str:
    """An address, as the engine makes them."""
    return f"../{uri.removesuffix('.md')}/"


def html_of(page: str) -> ET.Element:
    """The HTML below the title and the lead, as XML, which it must be."""
    html = page[page.index("<section") :]
    html = html.replace("<section", f'<section xmlns:xlink="{XLINK}"', 1)  # as HTML has it by itself
    return ET.fromstring(html)  # noqa: S314 - our own


def drawings(page: str) -> list[ET.Element]:
    """The drawing of the page for each width, those of the key left out."""
    return [svg for svg in html_of(page).iter("svg") if svg.get("class", "").startswith("pb-graph-drawing")]


def to(link: ET.Element) -> str:
    """Where a link of a drawing leads."""
    assert link.get("href") is None, "Material's scripts end at an SVG link with this attribute"
    return link.get(f"{{{XLINK}}}href", "")


def labels(svg: ET.Element) -> Iterator[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each label, the width estimated."""
    for text in svg.iter("text"):
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        for line in text.iter():
            y += float(line.get("dy", "0"))
            width = text_width((line.text or "").strip(), text.get("class") == "pb-graph-folder")
            yield x, y - TEXT, x + width, y + TEXT * 0.3


def points(svg: ET.Element) -> Iterator[tuple[float, float]]:
    """The corners of everything drawn; a curve lies within its control points' hull, three quarters of the way."""
    for circle in svg.iter("circle"):
        x, y, r = (float(circle.get(name, "")) for name in ("cx", "cy", "r"))
        yield from ((x - r, y - r), (x + r, y + r))
    for rect in svg.iter("rect"):
        x, y, w, h = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
        yield from ((x, y), (x + w, y + h))
    for path in svg.iter("path"):
        d = path.get("d", "")
        for x0, y0, pull, y1 in re.findall(r"M([\d.]+),([\d.]+)C(-?[\d.]+),[\d.]+ \S+,([\d.]+) \S+", d):
            yield from ((float(x0), float(y0)), (float(x0) - 0.75 * (float(x0) - float(pull)), float(y1)))
        for x, y, rise in re.findall(r"M([\d.]+),([\d.]+)v(-[\d.]+)", d):
            yield from ((float(x), float(y)), (float(x), float(y) + float(rise)))
        for x, y in re.findall(r"[ML]([\d.]+),([\d.]+)", d):
            yield float(x), float(y)


def table(page: str) -> dict[str, tuple[list[str], int, int]]:
    """Of each row of the table, by its page's address: where links come from, how many do, how many leave."""
    found = {}
    for row in html_of(page).iter("tr"):
        cells = list(row)
        own, *sources = [a.get("href", "") for a in cells[0].iter("a")] or [""]
        if own:
            to_it, from_it = (int((cell.text or "").replace(",", "")) for cell in cells[1:])
            assert own not in found
            found[own] = sources, to_it, from_it
    return found


# --- the laws of the layout --------------------------------------------------------------------------------------


@pytest.mark.parametrize("pages", SIZES)
def test_no_two_labels_meet(pages: int) -> None:
    """By their boxes, in every drawing; and none reaches beyond the drawing."""
    for svg in drawings(page_of(pages)):
        _, _, width, height = map(float, svg.get("viewBox", "").split())
        boxes = sorted(labels(svg), key=lambda box: box[1])
        assert all(upper[3] <= lower[1] for upper, lower in pairwise(boxes))
        assert all(min(x, y) >= 0 and right <= width and bottom <= height for x, y, right, bottom in boxes)


@pytest.mark.parametrize("pages", SIZES)
def test_everything_is_inside_its_drawing(pages: int) -> None:
    """Dots, marks, arrowheads and arcs; one drawing is no wider than a phone."""
    for svg in drawings(page_of(pages)):
        _, _, width, height = map(float, svg.get("viewBox", "").split())
        assert width in {NARROW, WIDE}
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points(svg))


@pytest.mark.parametrize("pages", [pages for pages in SIZES if pages <= MOST_NAMED])
def test_arc_diagram_of_a_small_base_is_drawn_by_its_whole_name(pages: int) -> None:
    """Once for each width; a link that says its title, its state and its numbers."""
    nodes, edges = base(pages)
    titles = {url_of(node.uri): node.title for node in nodes}
    missing = {url_of(node.uri) for node in nodes if not node.is_written}
    for svg in drawings(graph_page(nodes, edges, url_of)):
        places = list(svg.iter("a"))
        assert {to(a): "".join(a.itertext()) for a in places} == titles
        assert len(places) == pages
        assert {to(a) for a in places if "not written yet" in a.get("aria-label", "")} == missing
        dashed = {to(a) for a in places for c in a.iter("circle") if "pb-graph-missing" in c.get("class", "")}
        assert dashed == missing


@pytest.mark.parametrize("pages", [25, 1000])
def test_the_order_of_the_input_does_not_show(pages: int) -> None:
    """The same pages and edges give the same bytes."""
    nodes, edges = base(pages)
    once = graph_page(nodes, edges, url_of)
    assert graph_page(nodes, edges, url_of) == once
    assert graph_page(nodes[::-1], edges[::-1] * 2, url_of) == once


def test_arcs_are_the_edges() -> None:
    """Of a base that is drawn whole, one for each edge from one page to another; those of a plan are dashed."""
    nodes, edges = base(25)
    svg, _ = drawings(graph_page(nodes, edges, url_of))
    pairs = {(edge.source, edge.target, edge.kind) for edge in edges if edge.source != edge.target}
    for kind, name in (("link", None), ("plan", "pb-graph-plan")):
        paths = [path.get("d", "") for path in svg.iter("path") if path.get("class") == name]
        assert sum(d.count("M") for d in paths) == sum(pair[2] == kind for pair in pairs)


def test_focus_goes_down_the_drawing() -> None:
    """The links stand in the order in which they are seen."""
    for pages in (25, 200):
        for svg in drawings(page_of(pages)):
            places = [float(text.get("y", "")) for a in svg.iter("a") for text in a.iter("text")]
            assert places == sorted(places)


def test_a_large_base_draws_its_folders_first() -> None:
    """Each leads to its INDEX, and says how many pages it has."""
    nodes, edges = base(1000)
    page = graph_page(nodes, edges, url_of, {f"folder-{n}": f"folder-{n}/index.md" for n in range(25)})
    first, _ = drawings(page)
    indexes = [to(a) for a in first.iter("a") if to(a).endswith("/index/")]
    assert sorted(indexes) == sorted(url_of(f"folder-{n}/index.md") for n in range(25))
    assert sum(int(n) for n in re.findall(r" \((\d+) pages?\)", "".join(first.itertext()))) == 1000
    arcs = [path.get("d", "") for path in first.iter("path") if path.get("class") is None]
    assert sum(d.count("M") for d in arcs) == MOST_ARCS
    assert f"the {MOST_ARCS} thickest are shown" in page


@pytest.mark.parametrize(
    ("pages", "folders", "expected"),
    [(1000, 1, 1), (1000, 1000, 17), (MOST_NAMED + 1, MOST_NAMED + 1, 2), (130, 2, 2)],
)
def test_folders_of_any_size_are_drawn(pages: int, folders: int, expected: int) -> None:
    """A folder is one row, and more folders than one drawing holds are put together."""
    nodes, _ = base(pages, folders)
    svg, _ = drawings(graph_page(nodes, [Edge(nodes[0].uri, nodes[1].uri, "link")], url_of))
    assert sum("pb-graph-row" in g.get("class", "") for g in svg.iter("g")) == expected


def titles_of(nodes: list[GraphNode]) -> list[str]:
    """The names of the groups that are drawn."""
    _, svg = drawings(graph_page(nodes, [Edge(nodes[0].uri, nodes[1].uri, "link")], url_of))
    return ["".join(text.itertext()).rpartition(" (")[0] for text in svg.iter("text")]


def test_neighbours_are_put_together_by_name() -> None:
    """Of more top folders than a drawing holds, each row says from which folder to which it goes."""
    uris = [f"top-{n:03}/{k}.md" for n in range(2 * MOST_NAMED) for k in range(12)]
    nodes = [GraphNode(uri, uri, is_written=True) for uri in uris]
    assert titles_of(nodes)[:2] == ["top-000/ to top-004/", "top-005/ to top-009/"]
    assert len(titles_of(nodes)) == 24


# --- the table ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pages", SIZES)
def test_the_table_says_the_edges(pages: int) -> None:
    """Of each page which pages lead to it, how many they are, and to how many it leads; sorted by these."""
    nodes, edges = base(pages)
    rows = table(graph_page(nodes, edges, url_of))
    shown = len(nodes) if pages <= MOST_NAMED else TABLE_ROWS
    pairs = {(url_of(edge.source), url_of(edge.target)) for edge in edges if edge.source != edge.target}
    assert rows.keys() <= {url_of(node.uri) for node in nodes}
    assert len(rows) == shown
    for own, (sources, to_it, from_it) in rows.items():
        assert Counter(sources) == Counter(source for source, target in pairs if target == own)
        assert to_it == len(sources)
        assert from_it == sum(source == own for source, _ in pairs)
    numbers = [(to_it, from_it) for _, to_it, from_it in rows.values()]
    assert numbers == sorted(numbers, reverse=True)


@pytest.mark.parametrize(("pages", "is_folded"), [(TABLE_ROWS, False), (TABLE_ROWS + 1, True)])
def test_a_long_table_is_folded(pages: int, is_folded: bool) -> None:
    """What is behind its first rows."""
    assert (f"{pages - TABLE_ROWS} more</summary>" in page_of(pages)) == is_folded


def test_what_only_a_plan_says_is_told() -> None:
    """In the table, and in the key of the drawing."""
    nodes = [GraphNode("a.md", "A", is_written=True), GraphNode("b.md", "B", is_written=False)]
    page = graph_page(nodes, [Edge("a.md", "b.md", "plan")], url_of)
    for said in ("(by its plan)", "its plan builds on", "Plans contain 1 reference from", "1 page is not written yet"):
        assert said in page
    assert "links to</li>" not in page
    written = graph_page([nodes[0], GraphNode("b.md", "B", is_written=True)], [Edge("a.md", "b.md", "link")], url_of)
    assert "plan" not in written.lower()
    assert "not written" not in written


# --- edges -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([], "There are no pages yet"),
        ([GraphNode("a.md", "A", is_written=True)], "1 page, and no links between them yet"),
        (base(25)[0], "25 pages, and no links between them yet"),
    ],
)
def test_without_links_nothing_is_drawn(nodes: list[GraphNode], said: str) -> None:
    """And the page says so; edges to pages that are not in the graph, and to the page itself, are no links of it."""
    page = graph_page(nodes, [Edge("a.md", "gone.md", "link"), Edge("a.md", "a.md", "link")], url_of)
    assert said in page
    assert "<" not in page


# --- any base ----------------------------------------------------------------------------------------------------


def test_a_hostile_title_is_text() -> None:
    """It makes no element, and the HTML stays well formed."""
    nodes = [GraphNode("a.md", HOSTILE, is_written=True), GraphNode(f"{HOSTILE}/b.md", "", is_written=False)]
    page = graph_page(
        nodes, [Edge("a.md", nodes[1].uri, "link"), Edge(nodes[1].uri, "a.md", "plan")], lambda uri: uri[:1]
    )
    assert not {"script", "b"} & {element.tag for element in html_of(page).iter()}
    assert "<script" not in page
    assert "<!--" not in page
    page.encode()


def test_a_drawing_says_what_it_is() -> None:
    """A group with a label, lists of links, no script and nothing of another host."""
    for pages in (25, 200):
        page = page_of(pages)
        ids = [element.get("id") for element in html_of(page).iter() if element.get("id")]
        assert len(set(ids)) == len(ids)
        for svg in drawings(page):
            assert svg.get("role") == "group"
            assert re.match(r"(Pages and their|Folders and the) links.*: \d+ pages in \d+ ", svg.get("aria-label", ""))
            for listed in (group for group in svg.iter("g") if group.get("role") == "list"):
                assert listed.get("aria-label")
                assert {child.get("role") for child in listed} == {"listitem"}
        assert "http" not in page
        assert not {"script", "style", "image", "use"} & {element.tag for element in html_of(page).iter()}


@given(
    st.lists(st.tuples(st.text("ab/1.é ", min_size=1, max_size=8), st.text(max_size=60), st.booleans()), max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.booleans()), max_size=30),
)
def test_any_base_makes_a_well_formed_page(
    pages: list[tuple[str, str, bool]], pairs: list[tuple[int, int, bool]]
) -> None:
    """Whatever the pages are called and however they are linked."""
    nodes = [GraphNode(f"{uri}.md", title, is_written) for uri, title, is_written in pages]
    edges = [
        Edge(nodes[a].uri, nodes[b].uri, "link" if is_link else "plan")
        for a, b, is_link in pairs
        if max(a, b) < len(nodes)
    ]
    page = graph_page(nodes, edges, url_of)
    if "<div" in page:
        html_of(page)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=300))
def test_a_label_is_whole_and_fits(text: str) -> None:
    """In as many lines as it needs, none of which reaches beyond the drawing."""
    svg = ET.fromstring(  # noqa: S314 - our own
        arc_diagram([ArcGroup("", [Dot(text, "x", "", 0, is_written=True)])], [], "t", "d", [NARROW]).replace(
            "<svg", f'<svg xmlns:xlink="{XLINK}"', 1
        )
    )
    assert "".join("".join(svg.itertext()).split()) == "".join(text.split())
    assert all(right <= NARROW for _, _, right, _ in labels(svg))


def test_a_page_alone_has_no_arcs() -> None:
    """And the page that a drawing is on is no link."""
    svg = arc_diagram([ArcGroup("", [Dot("Here", "", "", 0, is_written=True)])], [], "t", "d", [NARROW])
    assert "<a" not in svg
    assert "<path" not in svg
    linked = arc_diagram([ArcGroup("", [Dot("A", "a", "A", 0, is_written=True)] * 2)], [Arc(0, 1)], "t", "d")
    assert linked.count("pb-graph-arrow") == 2  # one for each width
