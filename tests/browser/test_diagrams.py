"""Mermaid diagrams: drawn from the site's own file, and only where there is one; text without scripts."""

from __future__ import annotations

import hashlib
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import FINISHED, ROOT, Site

MERMAID = "assets/planbook/mermaid/mermaid.tiny.js"
DRAWN = "cuda/13-nvidia-container-cuda-packaging/"
"""A page with a diagram, some screens below its top."""


def draw(page: Page) -> None:
    """Go to the first diagram."""
    page.locator(".pb-diagram").first.evaluate("diagram => diagram.scrollIntoView({block: 'center'})")
    expect(page.locator("figure.pb-diagram svg").first).to_be_visible()


def test_the_file_is_the_one_of_the_package() -> None:
    """Of `@mermaid-js/tiny` 11.17.2, unchanged, beside its licence."""
    folder = ROOT / "generator" / "planbook" / "theme" / "assets" / "planbook" / "mermaid"
    digest = hashlib.sha256((folder / "mermaid.tiny.js").read_bytes()).hexdigest()
    assert digest == "7a644017d37f93c8359790884e6b67fb1f747c78eb20475952404bd87190a3f8"
    assert "Knut Sveidqvist" in (folder / "LICENSE").read_text("utf-8")
    assert "11.17.2" in (ROOT / "docs" / "decisions" / "0031-mermaid.md").read_text("utf-8")


def test_mermaid_is_fetched_near_a_diagram_only(reader: Reader, own: Site) -> None:
    """Not on a page without one, and not at the top of a page that has one further down."""
    page, fetched = reader.page(), list[str]()
    page.on("request", lambda request: fetched.append(request.url))
    for path in ("", "graph/", "cuda/10-docker-multistage-ml-optimization/"):
        page.goto(own.url + path)
        page.wait_for_load_state("networkidle")
    assert not [url for url in fetched if "mermaid" in url]
    draw(page)
    assert [url for url in fetched if "mermaid" in url] == [own.url + MERMAID]


@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1280, "light", marks=pytest.mark.nightly), (390, "light"), (390, "dark")]
)
def test_a_diagram_is_drawn_in_the_colours_of_the_page(reader: Reader, own: Site, width: int, scheme: str) -> None:
    """With all of its labels, described for screen readers; the page does not scroll sideways."""
    page = reader.open(own.url + DRAWN, width, scheme)
    draw(page)
    drawing = page.locator("figure.pb-diagram svg").first
    assert "cuDNNwithheaders" in re.sub(r"\s+", "", drawing.text_content() or "")
    assert "Each variant" in (drawing.locator("title").first.text_content() or "")
    label = drawing.locator(".node tspan").first
    fill = label.evaluate("text => getComputedStyle(text).fill.match(/\\d+/g).map(Number)")
    assert (sum(fill[:3]) < 3 * 128) == (scheme == "light")
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


def test_a_diagram_is_text_without_scripts(reader: Reader, own: Site) -> None:
    """Without scripts, a reader sees the diagram as its author wrote it."""
    page = reader.open(own.url + DRAWN, has_scripts=False)
    expect(page.locator("pre.pb-diagram")).to_contain_text('base["base: cudart, compat,<br>environment"]')


def test_diagrams_are_drawn_when_no_page_was_loaded(reader: Reader, lived_in: Site) -> None:
    """Material's instant navigation puts the page in place of another one."""
    page = reader.open(lived_in.url + "INDEX/")
    page.evaluate("window.is_the_same = true")
    page.locator(f"article a[href*='{FINISHED.rpartition('/')[2]}']").first.click()
    page.wait_for_url(f"**/{FINISHED}/")
    draw(page)
    assert page.evaluate("window.is_the_same"), "the page was loaded anew: this tests nothing"


@pytest.mark.parametrize("has_scripts", [False, True])
def test_without_scripts_a_diagram_says_what_its_text_is(reader: Reader, own: Site, has_scripts: bool) -> None:
    """Where scripts run, the text is about to be drawn."""
    page = reader.open(own.url + DRAWN, has_scripts=has_scripts)
    text = page.locator("pre.pb-diagram > code").first
    label = text.evaluate("e => getComputedStyle(e, '::before').content")
    assert ("Diagram, as text" in label) is not has_scripts
