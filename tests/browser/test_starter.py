"""The site of a new base, as its owner sees it first."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Reader
from tests.browser.sites import Site

PAGES = ("", "tea/01-water/", "tea/02-time/", "tea/03-pot/", "sources/", "status/", "INDEX/", "documents/hardness/")


def test_a_source_opens_from_the_references_and_from_the_margin(reader: Reader, starter: Site) -> None:
    """The source opens on the site itself, at the quote."""
    page = reader.open(f"{starter.url}tea/01-water/")
    page.locator(".pb-references summary", has_text="6 quotes").click()
    quote = page.locator("#works-cited ~ ol blockquote").nth(2)
    expect(quote).to_contain_text("two things from the water")
    assert "/documents/hardness/#:~:text=The%20dark%20film" in str(quote.locator("> a").get_attribute("href"))
    quote.locator("> a").click()
    expect(page).to_have_url(re.compile("/documents/hardness/"))
    expect(page.locator(".pb-document")).to_contain_text("The dark film that floats on some cups needs two things")
    page.get_by_role("link", name="Water", exact=True).last.click()
    expect(page).to_have_url(re.compile("/tea/01-water/$"))
    page.goto(f"{starter.url}sources/")
    page.get_by_role("link", name="How long to steep tea").click()
    expect(page.locator("article h1")).to_contain_text("How long to steep tea")


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_fit_to_be_published(reader: Reader, starter: Site, path: str) -> None:
    """Nothing on it waits for its author, or for a command."""
    page = reader.open(f"{starter.url}{path}")
    text = page.locator("main").inner_text()
    for unfinished in ("Not verified", "not checked", "Replace", "My base", "undefined", "None", "PART 1"):
        assert unfinished not in text


def test_its_diagram_is_whole_on_a_phone(reader: Reader, starter: Site) -> None:
    """It becomes smaller before it scrolls."""
    page = reader.open(f"{starter.url}tea/01-water/", 390)
    page.evaluate("document.querySelector('.pb-diagram').scrollIntoView()")
    expect(page.locator("figure.pb-diagram svg")).to_be_visible()
    assert page.locator("figure.pb-diagram").evaluate("e => e.scrollWidth <= e.clientWidth + 1")


def test_its_search_names_what_it_has(reader: Reader, starter: Site, own: Site) -> None:
    """Error messages only where some are explained; and a key only in a window that has a keyboard beside it."""
    page = reader.open(starter.url)
    expect(page.locator(".pb-open-search")).to_contain_text("a word, a name, a question")
    expect(page.locator(".pb-open-search kbd").first).to_be_visible()
    page.goto(own.url)
    expect(page.locator(".pb-open-search")).to_contain_text("an error message, a name, a question")
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator(".pb-open-search kbd").first).to_be_hidden()


def test_it_shows_what_the_tool_can(reader: Reader, starter: Site) -> None:
    """It has a diagram, a table, evidence in the margin, an open question, a page by an agent and one by hand."""
    page = reader.open(f"{starter.url}tea/01-water/")
    page.evaluate("document.querySelector('.pb-diagram').scrollIntoView()")  # it is drawn there, by another element
    expect(page.locator("figure.pb-diagram svg")).to_be_visible()
    expect(page.locator("article table").first).to_be_visible()
    expect(page.locator("article em", has_text="(not found)")).to_be_visible()
    expect(page.locator(".pb-head > summary")).to_contain_text("Written by an agent")
    page.goto(f"{starter.url}tea/03-pot/")
    expect(page.locator(".pb-head > summary")).to_contain_text("Written by hand")
    assert page.locator(".pb-head [data-by=hand]").count() == 1  # its sign is a person, not a cog


def test_a_source_is_as_wide_as_one_reads_it(reader: Reader, starter: Site) -> None:
    """A page of a source is text as any other."""
    page = reader.open(f"{starter.url}tea/01-water/", 1440)
    page.set_viewport_size({"width": 1440, "height": 900})
    of_page = page.locator("article > p").first.evaluate("e => getComputedStyle(e).maxWidth")
    page.goto(f"{starter.url}documents/hardness/")
    widths = page.locator(".pb-document > p").evaluate_all("all => all.map(e => getComputedStyle(e).maxWidth)")
    assert set(widths) == {of_page}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_notes_have_the_colours_of_the_look(reader: Reader, starter: Site, scheme: str) -> None:
    """Border and icon are those of links, not Material's blue."""
    page = reader.open(f"{starter.url}tea/03-pot/", scheme=scheme)
    colour = "element => getComputedStyle(element).borderLeftColor"
    link = page.locator("article p a").first.evaluate("element => getComputedStyle(element).color")
    assert page.locator("article .admonition").evaluate(colour) == link


@pytest.mark.parametrize(
    ("path", "count"), [("", "2 of 3 pages are"), ("INDEX/", "2 of 3 pages are"), ("status/", "2 of 3")]
)
def test_its_pages_are_counted_once(starter: Site, path: str, count: str) -> None:
    """The page that no plan names is one of them, on each page that counts them."""
    text = (starter.folder / path / "index.html").read_text("utf-8")
    assert count in text.replace("</b>", "")
    assert "1 of 2 planned" not in text


def test_the_home_page_names_its_subject(reader: Reader, starter: Site) -> None:
    """Beside the search and one sentence on trust, without a word on how the site is made."""
    page = reader.open(starter.url)
    expect(page.locator("article")).to_contain_text("How water, time and temperature decide")
    expect(page.locator(".pb-open-search")).to_be_in_viewport()
    expect(page.locator("article")).to_contain_text("15 of 15 quotes found word for word")
    expect(page.locator("h1")).to_contain_text("Brewing tea")
    cards = page.locator(".look-cards:not(.look-planned) li")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("A pot of tea")
    ends = page.locator(".look-planned, .pb-open-search").evaluate_all(
        "all => all.map(e => Math.round((e.querySelector('li:last-child') ?? e).getBoundingClientRect().right))"
    )
    assert len(set(ends)) == 1  # however few the cards are, they fill the width
    expect(page.locator(".look-planned li")).to_contain_text("Time")
    expect(page.locator(".pb-legend").first).to_contain_text("2 written")
