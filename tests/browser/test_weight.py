"""What a page costs: bytes, elements, and movement while it loads."""

from __future__ import annotations

import lxml.html
import pytest
from lxml import etree

from tests.browser.conftest import Reader
from tests.browser.sites import QUOTES, QUOTING, Site
from tests.browser.test_every_page import MOST_ELEMENTS

CODE = "cuda/12-pytorch-cmake-build-internals/"
FIRST_VISIT_BYTES = {"": 390_000, CODE: 600_000, "404.html": 390_000}
"""Uncompressed, without the search. Of the home page's 380 kB, Material's style and script are 264."""
CITING_BYTES = 100_000
"""Of the HTML of a page of 400 lines with 40 works; it had 91 kB when this was set."""
SHIFTING = ("", CODE, "progress/", "INDEX/", "sources/", "graph/", "glossary/")

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
    """With a thousand works; `test_every_page` counts those of our own pages."""
    html = (many_works.folder / path / "index.html").read_bytes()
    assert sum(1 for _ in lxml.html.document_fromstring(html).iter(etree.Element)) <= MOST_ELEMENTS


@pytest.mark.parametrize("path", FIRST_VISIT_BYTES)
def test_a_first_visit_is_light(reader: Reader, own: Site, path: str) -> None:
    """Everything that is fetched before the reader does anything, but for the search."""
    page, sizes = reader.page(), dict[str, int]()
    page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())}))
    page.goto(own.url + path)
    page.wait_for_load_state("networkidle")
    sizes = {url: size for url, size in sizes.items() if "search" not in url}
    assert sum(sizes.values()) <= FIRST_VISIT_BYTES[path], sizes


@pytest.mark.parametrize(
    ("path", "width"),
    [
        *(("", 390), ("progress/", 1280), (CODE, 390)),
        *(pytest.param(path, width, marks=pytest.mark.nightly) for width in (1280, 390) for path in SHIFTING),
    ],
)
def test_nothing_moves_while_a_page_loads(reader: Reader, own: Site, path: str, width: int) -> None:
    """The cumulative layout shift is 0 in the digits that Lighthouse shows."""
    assert round(reader.open(own.url + path, width).evaluate(SHIFTS), 2) == 0
