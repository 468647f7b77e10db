"""Finding a page and reading it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import FINISHED, Site

REPOSITORY = "https://github.com/planbook/planbook/edit/main/"


def test_search_finds_a_page_by_a_word_in_it(reader: Reader, lived_in: Site) -> None:
    """A word that stands on one page only leads to that page."""
    page = reader.open(lived_in.url)
    search(page, "quincunx")
    found = page.locator(".md-search-result__item a").first
    expect(found).to_contain_text("Docker multi-stage builds for ML images")
    found.click()
    expect(page).to_have_url(re.compile(f"{re.escape(FINISHED)}/"))
    expect(page.locator("mark").first).to_contain_text("quincunx")


def test_search_finds_what_is_only_planned(reader: Reader, own: Site) -> None:
    """The outline of a page that nobody has written yet is found too."""
    page = reader.open(own.url)
    search(page, "racecheck")
    expect(page.locator(".md-search-result__item a").first).to_contain_text("Debugging CUDA kernels")


def test_search_puts_the_page_before_the_lists_that_name_it(reader: Reader, own: Site) -> None:
    """Neither an INDEX nor the progress page stands above a page that is about the word."""
    page = reader.open(own.url)
    search(page, "kineto")
    expect(page.locator(".md-search-result__item a").first).to_have_attribute("href", re.compile(r"/cuda/\d"))


def test_search_suggests_how_a_word_goes_on(reader: Reader, own: Site) -> None:
    """While one types, the rest of a word is suggested, and the right arrow key takes it."""
    page = reader.open(own.url)
    search(page, "profil")
    expect(page.locator(".md-search__suggest")).to_have_text(re.compile(r"^profil\w+"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".md-search__input")).to_have_value(re.compile(r"^profil\w+"))


def test_a_page_is_edited_where_it_stands(reader: Reader, lived_in: Site) -> None:
    """The edit link of a page leads to its file."""
    page = reader.open(f"{lived_in.url}{FINISHED}/")
    assert edit_link(page) == f"{REPOSITORY}docs/{FINISHED}.md"


def test_a_placeholder_is_edited_in_its_plan(reader: Reader, own: Site) -> None:
    """The edit link of a page that nobody has written yet leads to the plan that asks for it."""
    page = reader.open(f"{own.url}cuda/13-memory-leak-profiling-expert/")
    assert edit_link(page) == f"{REPOSITORY}plans/cuda-troubleshooting-deep.md"


def test_code_can_be_copied(reader: Reader, lived_in: Site) -> None:
    """A code block has a button that copies it."""
    page = reader.open(f"{lived_in.url}{FINISHED}/")
    block = page.locator(".highlight")
    block.hover()
    expect(block.get_by_role("button", name="Copy to clipboard")).to_be_visible()


def test_a_list_under_a_line_of_text_is_a_list(reader: Reader, lived_in: Site) -> None:
    """Bullets directly below a paragraph, as plans and pages have them, come out as a list."""
    page = reader.open(f"{lived_in.url}{FINISHED}/")
    expect(page.locator("article li", has_text="stops at a stage")).to_be_visible()


def test_a_finished_page_shows_its_state_and_its_drop(reader: Reader, lived_in: Site) -> None:
    """Above the text stands the page's PART, below it the runner's report, which opens by keyboard."""
    page = reader.open(f"{lived_in.url}{FINISHED}/")
    expect(page.locator(".pb-banner")).to_contain_text("PART 1 of Docker images")
    expect(page.locator(".pb-banner .pb-chip")).to_have_text("done")
    drop = page.locator(".pb-drop")
    expect(drop).to_contain_text("KNOWLEDGE DROP")
    drop.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(drop.get_by_text("One page was written.")).to_be_visible()


@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_colours_follow_the_system_until_the_reader_chooses(reader: Reader, own: Site, system: str) -> None:
    """At first the scheme is the system's; the button goes to light, to dark and back; a reload keeps the choice."""
    page = reader.open(own.url, scheme=system)
    seen = [scheme_of(page)]
    for _ in range(3):
        page.locator("form.md-header__option label:not([hidden])").click()
        seen.append(scheme_of(page))
    of_system = "slate" if system == "dark" else "default"
    assert seen == [of_system, "default", "slate", of_system]
    page.locator("form.md-header__option label:not([hidden])").click()
    page.reload()
    assert scheme_of(page) == "default"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_logo_and_the_icon_are_ours(reader: Reader, own: Site, scheme: str) -> None:
    """The logo in the header and the icon in the tab are our own drawings, and they load."""
    page = reader.open(own.url, scheme=scheme)
    logo = page.locator(".md-header .md-logo img")
    expect(logo).to_be_visible()
    assert logo.evaluate("e => e.naturalWidth") > 0
    icon = page.locator("link[rel=icon]").evaluate("e => e.href")
    assert icon == f"{own.url}assets/favicon.svg"
    assert page.request.get(icon).ok


def test_the_home_page_says_what_there_is(reader: Reader, own: Site) -> None:
    """A stranger sees without scrolling what this is, and how far it has come."""
    page = reader.open(own.url)
    expect(page.locator(".look-lead")).to_be_in_viewport()
    expect(page.locator(".look-state .pb-legend")).to_be_in_viewport()


@pytest.mark.parametrize("width", [1280, 390])
def test_without_scripts_pages_can_be_read(reader: Reader, lived_in: Site, width: int) -> None:
    """Text, state and INDEX rows are there for a reader whose browser runs no scripts."""
    page = reader.open(f"{lived_in.url}{FINISHED}/", width, has_scripts=False)
    expect(page.get_by_text("The word to search for is quincunx")).to_be_visible()
    page.goto(f"{lived_in.url}INDEX/")
    expect(page.locator(".pb-chip").filter(visible=True)).to_have_count(page.locator(".pb-chip").count())


def search(page: Page, words: str) -> None:
    """Type `words` into the search field, which `/` opens."""
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    page.keyboard.type(words)


def edit_link(page: Page) -> str:
    """Where the button beside the title leads."""
    href = page.locator("a.md-content__button[rel=edit]").evaluate("e => e.href")
    return str(href)


def scheme_of(page: Page) -> str:
    """The colour scheme in use."""
    return str(page.evaluate("document.body.getAttribute('data-md-color-scheme')"))
