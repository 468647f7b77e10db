"""What a page costs: bytes, elements, and movement while it loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Reader
from tests.browser.sites import Site, build, copy_with_many_works

MOST_ELEMENTS = 10_000
FIRST_VISIT_BYTES = 600_000
"""Uncompressed, without the search."""
CITING_BYTES = 100_000
"""Of the HTML of a page of 400 lines with 40 works; it had 91 kB when this was set."""

SHIFTS = """() => new Promise(resolve => {
    let sum = 0
    new PerformanceObserver(list => { for (const one of list.getEntries()) sum += one.value })
        .observe({type: "layout-shift", buffered: true})
    requestAnimationFrame(() => setTimeout(() => resolve(sum), 300))
})"""


def test_a_page_with_forty_citations_is_small(tmp_path: Path) -> None:
    """With 400 lines of prose, 40 quoted works, their metadata, and what a theme puts around."""
    project = copy_with_many_works(tmp_path / "project", "https://tea.example/")
    works = "".join(
        f"- {{id: work-{n}, type: webpage, title: Work {n} on water and time and leaf, publisher: The Leaf Group, "
        f"URL: 'https://s{n}.example/a/path/of/usual/length/{n}', accessed: 2026-11-20, "
        f"custom: {{quotes: {{q1: 'keeps the catechins in the leaf for the time of {n} minutes'}}}}}}\n"
        for n in range(40)
    )
    lines = "".join(
        f"## Section {n}\n\n" * (n % 5 == 0)
        + "Heat decides what a cup of tea holds, and so does time; " * 16
        + f"[@work-{n}, q1].\n\n"
        for n in range(40)
    )
    (project / "docs" / "many" / "forty.md").write_text(f"---\nreferences:\n{works}---\n\n# Forty\n\n{lines}", "utf-8")
    build(project, tmp_path / "site")
    html = (tmp_path / "site" / "many" / "forty" / "index.html").read_bytes()
    assert html.count(b'<li id="ref-') == 40
    assert html.count(b"<blockquote") == 40
    assert len(html) <= CITING_BYTES


def test_no_page_has_too_many_elements(reader: Reader, own: Site, many_works: Site) -> None:
    """On our site, and with a thousand works."""
    page = reader.page()
    for site in (own, many_works):
        for path in site.paths if site is own else ("sources/", "graph/", "INDEX/", "progress/"):
            page.goto(site.url + path, wait_until="domcontentloaded")
            assert page.evaluate("document.querySelectorAll('*').length") <= MOST_ELEMENTS, path


@pytest.mark.parametrize("path", ["", "cuda/12-pytorch-cmake-build-internals/", "sources/", "404.html"])
def test_a_first_visit_is_light(reader: Reader, own: Site, path: str) -> None:
    """Everything that is fetched before the reader does anything, but for the search."""
    page, sizes = reader.page(), dict[str, int]()
    page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())}))
    page.goto(own.url + path)
    page.wait_for_load_state("networkidle")
    sizes = {url: size for url, size in sizes.items() if "search" not in url}
    assert sum(sizes.values()) <= FIRST_VISIT_BYTES, sizes


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "path", ["", "INDEX/", "progress/", "sources/", "graph/", "glossary/", "cuda/12-pytorch-cmake-build-internals/"]
)
def test_nothing_moves_while_a_page_loads(reader: Reader, own: Site, path: str, width: int) -> None:
    """The cumulative layout shift is 0 in the digits that Lighthouse shows."""
    assert round(reader.open(own.url + path, width).evaluate(SHIFTS), 2) == 0
