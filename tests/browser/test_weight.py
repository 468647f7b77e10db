"""What a page costs: bytes, elements, and movement while it loads."""

from __future__ import annotations

import re
from pathlib import Path

import lxml.html
import pytest
from lxml import etree

from planbook.plugin.asset_files import compact_script, compact_style
from planbook.plugin.configuration import THEME
from tests.browser.conftest import Reader
from tests.browser.faults import MOST_ELEMENTS
from tests.browser.sites import QUOTES, QUOTING, Site

CODE = "cuda/12-pytorch-cmake-build-internals/"
FIRST_VISIT_BYTES = {"": 300_000, CODE: 545_000, "404.html": 325_000}
"""Uncompressed. Of the home page's 300 kB, which change with its pages, Material's styles and script are 218."""
OF_LISTS, OF_SOURCES, OF_CITATIONS, OF_DIAGRAMS = "lists.css", "sources.css", "citations.js", "diagrams.js"
NEEDED = {
    "": set(),
    "sources/": {OF_LISTS, OF_SOURCES},
    "progress/": {OF_LISTS},
    "404.html": {OF_LISTS},
    "overview/what-broke/": {OF_CITATIONS},
    CODE: {OF_CITATIONS},
    "cuda/10-docker-multistage-ml-optimization/": {OF_CITATIONS, OF_DIAGRAMS},
}
"""What a page loads of the files that not all pages need, before its reader does anything."""
ASSETS = THEME / "assets" / "planbook"
CITING_BYTES = 100_000
"""Of the HTML of a page of 400 lines with 40 works; it had 91 kB when this was set."""
SHIFTING = ("", CODE, "progress/", "INDEX/", "sources/", "graph/", "glossary/")

RULES = """text => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    return [...sheet.cssRules].map(rule => rule.cssText).join("\\n")
}"""

SHIFTS = """() => new Promise(resolve => {
    let sum = 0
    new PerformanceObserver(list => { for (const one of list.getEntries()) sum += one.value })
        .observe({type: "layout-shift", buffered: true})
    requestAnimationFrame(() => setTimeout(() => resolve(sum), 300))
})"""


def test_a_page_with_forty_citations_is_small(many_works: Site) -> None:
    """With 400 lines of prose, 40 quoted works, their metadata, and what a theme puts around."""
    html = (many_works.folder / QUOTING / "index.html").read_bytes()
    assert html.count(b'<li id="ref-') == QUOTES
    assert html.count(b"<blockquote") == QUOTES
    assert len(html) <= CITING_BYTES


@pytest.mark.parametrize("path", ["sources/", "graph/", "INDEX/", "progress/"])
def test_no_list_has_too_many_elements(many_works: Site, path: str) -> None:
    """A base with a thousand works is counted here, our own pages by `test_every_page`."""
    html = (many_works.folder / path / "index.html").read_bytes()
    assert sum(1 for _ in lxml.html.document_fromstring(html).iter(etree.Element)) <= MOST_ELEMENTS


@pytest.mark.parametrize("path", FIRST_VISIT_BYTES)
def test_a_first_visit_is_light(reader: Reader, own: Site, path: str) -> None:
    """Everything that is fetched before the reader does anything."""
    page, sizes = reader.page(), dict[str, int]()
    page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())}))
    page.goto(own.url + path)
    page.wait_for_load_state("networkidle")
    assert sum(sizes.values()) <= FIRST_VISIT_BYTES[path], sizes


@pytest.mark.parametrize("path", NEEDED)
def test_a_page_loads_what_it_needs(reader: Reader, own: Site, path: str) -> None:
    """Scripts of citations and diagrams, and the style of lists, where there are some; the search when it is used."""
    page, asked = reader.page(), set[str]()
    page.on("request", lambda request: asked.add(request.url.partition("?")[0].rpartition("/")[2]))
    page.goto(own.url + path)
    page.wait_for_load_state("networkidle")
    assert asked & {OF_LISTS, OF_SOURCES, OF_CITATIONS, OF_DIAGRAMS} == NEEDED[path]
    assert "search.js" not in asked
    page.mouse.move(300, 300)
    page.mouse.move(310, 310)
    page.wait_for_function("document.querySelectorAll('link[rel=prefetch]').length === 3")
    # Previews of links are shown from now on; their scripts follow their style sheet.
    page.wait_for_function("typeof planbook === 'object'")


@pytest.mark.parametrize("path", sorted(ASSETS.glob("*.css")), ids=lambda path: path.name)
def test_a_small_style_sheet_has_the_same_rules(reader: Reader, path: Path) -> None:
    """The browser reads the same rules from both."""
    page, text = reader.page(), path.read_text("utf-8")
    full, small = (page.evaluate(RULES, style) for style in (text, compact_style(text)))
    assert re.sub(r",\s+", ",", small) == re.sub(r",\s+", ",", full) != ""
    assert len(compact_style(text)) < 0.9 * len(text)


@pytest.mark.parametrize("path", sorted(ASSETS.glob("*.js")), ids=lambda path: path.name)
def test_a_small_script_has_the_same_statements(reader: Reader, path: Path) -> None:
    """Only lines that are a comment go, and the white space around lines; the browser can read what is left."""
    page, text = reader.page(), path.read_text("utf-8")
    small = compact_script(text)
    page.evaluate("text => { new Function(text) }", small)
    left = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith(("//", "/*"))]
    assert [line for line in small.splitlines() if not line.startswith("/*")] == left


@pytest.mark.parametrize(
    ("path", "width"),
    [
        *(("", 390), ("progress/", 1280), (CODE, 390), ("sources/", 390)),
        *(pytest.param(path, width, marks=pytest.mark.nightly) for width in (1280, 390) for path in SHIFTING),
    ],
)
def test_nothing_moves_while_a_page_loads(reader: Reader, own: Site, path: str, width: int) -> None:
    """The cumulative layout shift is 0 in the digits that Lighthouse shows."""
    assert round(reader.open(own.url + path, width).evaluate(SHIFTS), 2) == 0
