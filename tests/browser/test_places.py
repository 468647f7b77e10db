"""Places within a page: the way there and back keeps the page, and what it leads to is not covered."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import CITED, Site

CITATION = "a[id^='c.']"
"""Selects the citations in a page's text."""
WAY_BACK = ".pb-references a[href*='#c.']"
"""Selects the links from the references to the citations in the text."""
CONTENTS = ".md-sidebar--secondary .md-nav__link"
"""Selects the entries of the table of contents beside the text."""
COVERED = """place => [...document.querySelectorAll(".md-header, .md-top")].some(cover => {
    const [own, over] = [place, cover].map(each => each.getBoundingClientRect())
    return cover.checkVisibility({visibilityProperty: true, opacityProperty: true})
        && own.left < over.right && over.left < own.right && own.top < over.bottom && over.top < own.bottom
})"""
"""Whether the header or the button that leads to the top lies on a place."""


def keep(page: Page) -> Page:
    """Remember the page's article, once the scripts know which pages the site has."""
    page.wait_for_load_state("networkidle")
    page.evaluate("window.article = document.querySelector('article')")
    return page


def is_kept(page: Page) -> bool:
    """Return true if the article is the one that was there, some time after a click."""
    page.wait_for_timeout(500)
    return bool(page.evaluate("window.article?.isConnected"))


@pytest.mark.parametrize("selector", [WAY_BACK, CONTENTS], ids=["citation", "contents"])
def test_the_first_click_within_a_page_keeps_it(reader: Reader, cited: Site, selector: str) -> None:
    """What is unfolded stays so, and the browser's way back keeps the page and leads to where the reader was."""
    page = keep(reader.open(f"{cited.url}{CITED}/"))
    page.locator(".pb-head > summary").click()
    page.locator(selector).last.click()
    expect(page).to_have_url(re.compile("#"))
    assert is_kept(page)
    expect(page.locator(".pb-head")).to_have_attribute("open", "")
    page.go_back()
    expect(page).to_have_url(f"{cited.url}{CITED}/")
    assert is_kept(page)


def test_places_of_a_page_are_kept_after_another_page_was_visited(reader: Reader, cited: Site) -> None:
    """Instant navigation goes on as ever: there, within the page, and back."""
    page = keep(reader.open(f"{cited.url}{CITED}/"))
    page.evaluate("window.is_the_same = true")
    page.locator(WAY_BACK).first.click()
    page.get_by_role("link", name="Cups").first.click()
    expect(page.locator("h1")).to_contain_text("Cups")
    page.go_back()
    expect(page.locator("h1")).to_contain_text("Water and tea")
    expect(page).to_have_url(re.compile(r"#c\.1$"))
    keep(page).locator(WAY_BACK).last.click()
    assert is_kept(page)
    assert page.evaluate("window.is_the_same"), "a page was loaded anew"


def test_the_first_click_keeps_a_page_of_the_starter(reader: Reader, starter: Site) -> None:
    """Its pages have the same scripts."""
    page = keep(reader.open(f"{starter.url}tea/01-water/"))
    page.locator(WAY_BACK).first.click()
    expect(page).to_have_url(re.compile("#"))
    assert is_kept(page)


@pytest.mark.parametrize("width", [1280, 390])
def test_what_a_link_leads_to_is_below_the_header_and_not_covered(reader: Reader, cited: Site, width: int) -> None:
    """Down to the works and quotes, and up to the citations, where the button that leads to the top appears."""
    page = keep(reader.open(f"{cited.url}{CITED}/", width))
    for n in range(page.locator(CITATION).count()):
        page.locator(CITATION).nth(n).evaluate("link => { location.hash = link.hash }")
        there = page.locator(":target")
        expect(there).to_be_in_viewport()
        page.wait_for_timeout(300)
        assert not there.evaluate(COVERED), n
        page.locator(f".pb-references a[href$='#c.{n + 1}']").first.evaluate("link => link.click()")
        page.wait_for_timeout(300)
        assert not page.locator(":target").evaluate(COVERED), n


@pytest.mark.parametrize("width", [1280, 390])
def test_the_button_to_the_top_covers_no_text(reader: Reader, cited: Site, width: int) -> None:
    """It appears when a reader scrolls up, and leads to the top."""
    page = keep(reader.open(f"{cited.url}guide/expand/", width))
    page.mouse.move(width / 2, 400)
    page.mouse.wheel(0, 3000)
    page.wait_for_timeout(300)
    page.mouse.wheel(0, -400)
    button = page.locator(".md-top")
    expect(button).not_to_have_attribute("hidden", "")
    box, text = button.bounding_box(), page.locator("article").bounding_box()
    assert box
    assert text
    is_beside = box["x"] >= text["x"] + text["width"] or box["y"] >= text["y"] + text["height"]
    assert is_beside, (box, text)
    button.click()
    page.wait_for_function("scrollY === 0")
