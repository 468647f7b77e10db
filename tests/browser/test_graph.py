"""The link graph in a real browser: legible on a desk and on a phone, and usable with the keyboard."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import Site

WIDTHS = (1280, 390)
"""Of a desk and of a phone, in pixels."""

NEIGHBOURS = "cuda/13-nvidia-container-cuda-packaging/"
"""A page that others link to, and that links to others."""

LABELS = """svg => [...svg.querySelectorAll("text")].map(text => {
    const box = text.getBoundingClientRect(), all = svg.getBoundingClientRect()
    const size_px = parseFloat(getComputedStyle(text).fontSize) * all.width / svg.viewBox.baseVal.width
    return {said: text.textContent, size_px, top: box.top, bottom: box.bottom, left: box.left,
            over_px: Math.max(box.right - all.right, all.left - box.left, all.top - box.top, box.bottom - all.bottom)}
})"""
"""Of each label of a drawing: its words, the size of its letters, its box, how far it reaches beyond the drawing."""

FOCUSED = """() => {
    const link = document.activeElement, hit = link.querySelector("rect"), row = link.closest(".pb-graph-row")
    const arc = row && row.querySelector("path:not([class]), .pb-graph-plan")
    return {said: link.getAttribute("aria-label"), ring: hit && getComputedStyle(hit).stroke,
            arc: arc && getComputedStyle(arc).opacity, top: link.getBoundingClientRect().top + scrollY}
}"""


def labels(page: Page, n: int = 0) -> list[dict[str, Any]]:
    """The labels of the drawing number `n`, from top to bottom."""
    found: list[dict[str, Any]] = page.locator(".pb-graph-drawing:visible").nth(n).evaluate(LABELS)
    return sorted(found, key=lambda label: label["top"])


def assert_legible(found: list[dict[str, Any]]) -> None:
    """At least 11 px high, inside the drawing, and none upon another."""
    assert found
    assert min(label["size_px"] for label in found) >= 11
    assert [label for label in found if label["over_px"] > 0.5] == []
    # Boxes hold the room above and below the letters too: a tenth of it may be shared.
    assert all(upper["bottom"] - lower["top"] < 2 for upper, lower in pairwise(found))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_small_base_is_legible(reader: Reader, own: Site, width: int) -> None:
    """Every page by name, with the fonts of this machine."""
    assert_legible(labels(reader.open(own.url + "graph/", width)))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_large_base_is_legible(reader: Reader, many_works: Site, width: int) -> None:
    """By its folders; nothing makes the page scroll sideways."""
    page = reader.open(many_works.url + "graph/", width)
    assert_legible(labels(page))
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


def test_the_keyboard_goes_down_the_pages(reader: Reader, own: Site) -> None:
    """Each Tab goes to the next page of the drawing, with a ring around it and its arcs in front; Enter opens it."""
    page = reader.open(own.url + "graph/")
    links = page.locator(".pb-graph-drawing a:visible")
    links.first.focus()
    page.keyboard.press("Shift+Tab")
    seen = []
    for _ in range(links.count()):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
    assert [one["said"] for one in seen] == links.evaluate_all("links => links.map(a => a.getAttribute('aria-label'))")
    assert [one["top"] for one in seen] == sorted(one["top"] for one in seen)
    assert all(one["ring"] not in {None, "none"} for one in seen)
    assert {one["arc"] for one in seen} <= {None, "1"}
    assert "1" in {one["arc"] for one in seen}
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text(seen[-1]["said"].rpartition(":")[0].partition(", not written")[0])


def test_a_folder_leads_to_its_index(reader: Reader, many_works: Site) -> None:
    """A press of Enter on it opens the list of its pages."""
    page = reader.open(many_works.url + "graph/")
    page.locator(".pb-graph-drawing a:visible", has_text="crowd-0/").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/crowd-0/")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_drawing_uses_the_width_and_keeps_labels_whole(reader: Reader, own: Site, width: int) -> None:
    """Each page by its whole title; beside the table the drawing is wider than it, on a phone as wide as the text."""
    page = reader.open(own.url + "graph/", width)
    drawing = page.locator(".pb-graph-drawing:visible").first
    rows = drawing.locator(".pb-graph-row").all()
    for row in rows:
        title = (row.locator("a").get_attribute("aria-label") or "").rpartition(":")[0].partition(", not written")[0]
        assert row.locator("text").text_content() == title
    box, table = drawing.bounding_box(), page.locator(".pb-graph-table").first.bounding_box()
    assert box
    assert table
    assert box["width"] >= (table["width"] * 1.5 if width > 1000 else table["width"] - 1)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_page_shows_its_neighbours(reader: Reader, own: Site, width: int, scheme: str) -> None:
    """Legible, without scripts; each is a link, and the page itself is not."""
    page = reader.open(own.url + NEIGHBOURS, width, scheme, has_scripts=False)
    graph = page.locator(".pb-near")
    assert_legible(labels(page))
    own_title = page.locator("h1").inner_text().removesuffix("¶").strip()
    assert graph.locator(".pb-graph-row:not(:has(a)) text").text_content() == own_title
    assert graph.locator("a").count() >= 4
    assert len(graph.evaluate("figure => figure.outerHTML")) < 10_000


def test_a_neighbour_opens(reader: Reader, own: Site) -> None:
    """A click on it leads to its page."""
    page = reader.open(own.url + NEIGHBOURS)
    there = page.locator(".pb-near a").first
    title = there.get_attribute("aria-label") or there.text_content() or "-"
    there.click()
    expect(page.locator("h1")).to_contain_text(title.partition(", not written")[0])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_needs_no_script_and_follows_the_colours(reader: Reader, own: Site, scheme: str) -> None:
    """The drawing is there without JavaScript; its lettering is dark on light, or light on dark."""
    page = reader.open(own.url + "graph/", has_scripts=False)
    expect(page.locator(".pb-graph-drawing:visible").first).to_be_visible()
    page = reader.open(own.url + "graph/", scheme=scheme)
    fill = page.locator(".pb-graph-drawing a > text").first.evaluate(
        "text => getComputedStyle(text).fill.match(/\\d+/g).map(Number)"
    )
    assert (sum(fill[:3]) < 3 * 128) == (scheme == "light")


def test_what_leads_to_a_page_is_told_below_its_name(reader: Reader, own: Site) -> None:
    """The most linked page comes first; unfolded, it names the pages that lead to it, as many as its number says."""
    page = reader.open(own.url + "graph/")
    row = page.locator(".pb-graph-table tbody tr").first
    row.locator("summary").click()
    sources = row.locator("li a")
    expect(sources.first).to_be_visible()
    assert str(sources.count()) == row.locator("td").first.inner_text()


def test_links_lead_right_when_no_page_was_loaded(reader: Reader, many_works: Site) -> None:
    """Material's instant navigation puts the page in place of another one; its drawing leads to the same pages."""
    page = reader.open(many_works.url + "progress/")
    page.evaluate("window.is_the_same = true")
    page.locator(".md-tabs a, .md-nav a").filter(has_text="Link").first.click()
    page.wait_for_url("**/graph/")
    folder = page.locator(".pb-graph-row:visible").first
    expect(folder).to_be_visible()
    assert page.evaluate("window.is_the_same"), "the page was loaded anew: this tests nothing"
    folder.locator("a").last.click()
    page.wait_for_url("**/crowd-0/**")
    expect(page.locator("h1")).to_be_visible()
