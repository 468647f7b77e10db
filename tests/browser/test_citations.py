"""From a citation to its work, its source and back; and what a page tells programs, as a browser holds it."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Reader
from tests.browser.sites import CITED, Site

CITATION = "a[id^='c.']"
"""Selects the citations in a page's text."""
NARROWER = 1200
"""The width of a window in which the evidence of a citation opens at it; in a wider one it stands beside the text."""
GONE = "[id='c.4']"
"""Selects the citation of the work that is gone."""


def tags(page: Page) -> list[tuple[str, str]]:
    """The names and contents of the page's meta tags."""
    found: list[list[str]] = page.evaluate(
        "[...document.head.querySelectorAll('meta[content]')]"
        ".map(tag => [tag.name || tag.getAttribute('property') || '', tag.content])"
    )
    return [(name, content) for name, content in found]


# --- citations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["pointer", "keyboard", "touch"])
def test_a_citation_shows_its_evidence(reader: Reader, cited: Site, by: str) -> None:
    """Under the pointer, with the focus and at a tap: the work, the exact quote, its state and its address."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER, has_touch=by == "touch")
    citation, box = page.locator(CITATION).first, page.get_by_role("note", name="Evidence")
    expect(citation).to_have_text("[1]")
    expect(box).to_have_count(0)
    {"pointer": citation.hover, "keyboard": lambda: tab_to(page, citation), "touch": citation.tap}[by]()
    expect(box).to_contain_text("Steeping, a study")
    expect(box.locator("blockquote")).to_contain_text("keeps the catechins in")
    expect(box.locator(".pb-check")).to_have_text(re.compile("^verified on [0-9]+.[A-Z]"))
    expect(box.get_by_role("link", name="Open at this line")).to_have_attribute("href", re.compile("#:~:text="))
    expect(box).to_be_in_viewport(ratio=1)
    assert page.url == f"{cited.url}{CITED}/"
    if by == "pointer":
        assert Axe().run(page).violations_count == 0
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()


def test_the_evidence_stays_under_the_pointer(reader: Reader, cited: Site) -> None:
    """A reader can move onto it and follow its links; it closes behind them."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    box = page.locator(".pb-evidence")
    page.locator(CITATION).first.hover()
    box.locator("blockquote").hover()
    page.wait_for_timeout(500)
    expect(box).to_be_visible()
    page.mouse.move(5, 5)
    expect(box).to_be_hidden()


def test_a_click_keeps_the_evidence(reader: Reader, cited: Site) -> None:
    """In a narrower window, at its citation, until the next click there; the page stays where it is."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    first, box = page.locator(CITATION).first, page.locator(".pb-evidence")
    first.click()
    page.mouse.move(5, 5)
    page.wait_for_timeout(500)
    expect(box).to_be_visible()
    assert page.url == f"{cited.url}{CITED}/"
    first.click()
    expect(box).to_be_hidden()


def test_on_a_phone_the_evidence_is_a_sheet(reader: Reader, own: Site) -> None:
    """Over the whole width, at the bottom, below its citation; a button closes it."""
    page = reader.open(f"{own.url}cuda/26-mig-in-kubernetes/", 390, has_touch=True)
    citation, box = page.locator(f"article {CITATION}").nth(3), page.locator(".pb-evidence")
    citation.tap()
    expect(box).to_be_visible()
    place, above = box.bounding_box(), citation.bounding_box()
    assert place
    assert above
    assert (place["x"], place["width"]) == (0, 390)
    assert place["y"] + place["height"] == pytest.approx(
        page.viewport_size["height"] if page.viewport_size else 0, abs=1
    )
    assert above["y"] + above["height"] < place["y"]
    button = box.get_by_role("button", name="Close")
    size = button.bounding_box()
    assert size
    assert size["height"] >= 32
    assert Axe().run(page).violations_count == 0
    button.tap()
    expect(box).to_be_hidden()


def test_a_reference_is_copied_as_bibtex(reader: Reader, cited: Site) -> None:
    """From its evidence, and from the list, where the one that is pointed at has the button."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(CITATION).first.hover()
    page.locator(".pb-evidence").get_by_role("button", name="copy BibTeX").click()
    is_entry = "navigator.clipboard.readText().then(text => /^@\\w+\\{[^]*title = \\{+Steeping, a study/.test(text))"
    page.wait_for_function(is_entry)
    page.evaluate("navigator.clipboard.writeText('')")
    page.keyboard.press("Escape")
    works = page.locator(".pb-references > li")
    works.filter(has_text="Steeping, a study").hover()
    expect(works.get_by_role("button", name="copy BibTeX")).to_have_count(1)
    works.get_by_role("button", name="copy BibTeX").click()
    page.wait_for_function(is_entry)


def test_tab_leads_from_citation_to_citation(reader: Reader, cited: Site) -> None:
    """Without a stop in the evidence, which each shows; back, too."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    first, second = page.locator(CITATION).nth(0), page.locator(CITATION).nth(1)
    box = page.locator(".pb-evidence")
    tab_to(page, first)
    expect(box).to_contain_text("keeps the catechins in")
    page.keyboard.press("Tab")
    expect(second).to_be_focused()
    expect(box).to_contain_text("time draws them out")
    page.keyboard.press("Shift+Tab")
    expect(first).to_be_focused()


def test_enter_leads_into_the_evidence_and_escape_back(reader: Reader, cited: Site) -> None:
    """Its links are the next stops, then comes what follows the citation; the page stays where it is."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    first, box = page.locator(CITATION).nth(0), page.locator(".pb-evidence")
    tab_to(page, first)
    page.keyboard.press("Enter")
    expect(box.locator("p > a[href^=http]")).to_be_focused()
    assert page.url == f"{cited.url}{CITED}/"
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(box.locator("p > a[href^=http]")).to_be_focused()
    stops = box.locator("a, summary, .pb-bibtex").count()
    for _ in range(stops):
        page.keyboard.press("Tab")
    expect(page.locator(CITATION).nth(1)).to_be_focused()
    expect(box).to_contain_text("time draws them out")


def test_a_place_in_a_work_is_in_the_evidence_and_in_the_reference(reader: Reader, cited: Site) -> None:
    """The text has the number alone."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    expect(page.locator(GONE)).to_have_text("[3]")
    page.locator(GONE).hover()
    expect(page.locator(".pb-evidence")).to_contain_text('sec. "Chalk"')
    expect(page.locator("#ref-gone")).to_contain_text('sec. "Chalk"')


@pytest.mark.parametrize("has_touch", [False, True], ids=["pointer", "touch"])
def test_one_marker_opens_the_evidence_of_a_sentence(reader: Reader, cited: Site, has_touch: bool) -> None:
    """Of two works, that of the link itself first; the brackets stand around both numbers."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER, has_touch=has_touch)
    marker, box = page.locator(".pb-cites"), page.locator(".pb-evidence")
    expect(marker).to_have_text("[1, 2]")
    second = marker.locator("a").nth(1)
    second.tap() if has_touch else second.hover()
    expect(box.locator("p > a[href^=http], p > cite").first).to_have_text("An old address")
    expect(box).to_contain_text("Steeping, a study")
    expect(box.locator("blockquote")).to_contain_text(["time draws them out"])
    expect(box).to_be_in_viewport(ratio=1)


def test_all_quotes_of_a_work_are_in_one_box(reader: Reader, cited: Site) -> None:
    """In the order of the sentence, each with its address."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    marker, box = page.locator("a[data-also]"), page.locator(".pb-evidence")
    expect(marker).to_have_text("[1]")
    marker.hover()
    expect(box.locator("blockquote")).to_contain_text(["time draws them out", "keeps the catechins in"])
    expect(box.get_by_role("link", name="Open at this line")).to_have_count(2)
    expect(box.get_by_text("Steeping, a study")).to_have_count(1)


def test_a_link_to_another_page_shows_what_it_is_about(reader: Reader, own: Site) -> None:
    """Under the pointer, the title of the section or page and its first words; a click follows the link."""
    page = reader.open(f"{own.url}cuda/17-nvidia-performance-optimization-patterns/")
    link = page.locator("article p > a[href*='/cuda/']:not([href*='/cuda/17'])").first
    link.hover()
    box = page.get_by_role("note", name="Preview")
    expect(box.locator("strong")).to_have_text("Which optimizer is fast?")
    expect(box).to_be_in_viewport(ratio=1)
    link.click()
    expect(page).to_have_url(re.compile("/cuda/31-.*#"))
    expect(box).to_be_hidden()


def test_a_claim_and_the_page_can_be_copied(reader: Reader, cited: Site) -> None:
    """The clipboard has the address of the place with the citation, and the page as Markdown."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    read = "navigator.clipboard.readText()"
    page.locator(CITATION).first.hover()
    page.locator(".pb-evidence").get_by_text("copy link").click()
    page.wait_for_function(f"{read}.then(text => text.endsWith('#c.1'))")
    page.get_by_title("Copy page as Markdown").click()
    page.wait_for_function(f"{read}.then(text => text.includes('# Water and tea') && /^---\\ntitle: Water/.test(text))")


def test_one_button_shows_all_quotes(reader: Reader, own: Site) -> None:
    """All works fold theirs, however few they are; the button is there after instant navigation, too."""
    page = reader.open(f"{own.url}cuda/26-mig-in-kubernetes/")
    works, opened = page.locator(".pb-references > li > details"), page.locator(".pb-references > li > details[open]")
    expect(opened).to_have_count(0)
    page.get_by_role("button", name="Show all quotes").click()
    expect(opened).to_have_count(works.count())
    page.get_by_role("button", name="Hide all quotes").click()
    expect(opened).to_have_count(0)
    page.locator(".md-sidebar--primary").get_by_role("link", name="GPU metrics with dcgm-exporter").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("GPU metrics")
    expect(page.get_by_role("button", name="Show all quotes")).to_have_count(1)


def test_quotes_are_folded_until_a_link_leads_there(reader: Reader, own: Site) -> None:
    """To one of them, or to their work; paper shows them all, without scripts, too."""
    address = f"{own.url}cuda/26-mig-in-kubernetes/"
    page = reader.open(address, has_scripts=False)
    works = page.locator(".pb-references > li:has(> details:not([open]))")
    first, second = (works.nth(n).get_attribute("id") for n in (0, 1))
    quote = works.nth(1).locator("blockquote").last.get_attribute("id")
    quotes = page.locator(f"#{first} blockquote").first
    expect(quotes).to_be_hidden()
    page.emulate_media(media="print")
    expect(quotes).to_be_visible()
    page = reader.open(f"{address}#{first}")
    expect(page.locator(f"#{first} blockquote").first).to_be_in_viewport()
    page.evaluate("id => (location.hash = id)", quote)
    expect(page.locator(f"#{second} [id='{quote}']")).to_be_in_viewport()


def test_pages_stay_small(own: Site) -> None:
    """At most 120 kB of HTML, and what evidence takes.

    That is 400 bytes for each citation above 40, 230 for each quote above 60, and 600 for each paragraph around a
    quote. The markup of code, which is Python-Markdown's, comes on top.
    """
    pages = {path: (own.folder / path / "index.html").read_text("utf-8") for path in own.paths if "cuda/" in path}
    cited = {path: html.count('<a id="c.') for path, html in pages.items()}
    assert sum(n > 40 for n in cited.values()) > 5
    most = {}
    for path, html in pages.items():
        quotes = len(re.findall(r'<blockquote id="r\d', html))
        evidence = 400 * max(0, cited[path] - 40) + 230 * max(0, quotes - 60) + 600 * html.count("in its paragraph")
        most[path] = 120_000 + evidence
    sizes = {path: len(re.sub(r"</?span[^>]*>", "", html).encode()) for path, html in pages.items()}
    assert {path: size for path, size in sizes.items() if size > most[path]} == {}


def tab_to(page: Page, target: Locator) -> None:
    """Move the focus to `target` as the Tab key does."""
    page.keyboard.press("Tab")
    target.focus()


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.nightly), 390])
def test_a_citation_leads_to_its_work_and_the_work_back(reader: Reader, cited: Site, width: int) -> None:
    """Without scripts, the References come into view, the work stands out; its link leads back to where one was."""
    page = reader.open(f"{cited.url}{CITED}/", width, has_scripts=False)
    first = page.locator(CITATION).first
    work = page.locator("#r1\\.q1")
    expect(first).to_be_in_viewport()
    expect(work).not_to_be_in_viewport()
    plain = work.evaluate("e => getComputedStyle(e).backgroundColor")
    first.click()
    expect(page).to_have_url(re.compile(r"#r1\.q1$"))
    expect(work).to_be_in_viewport()
    expect(page.locator("#ref-steeping")).to_contain_text(re.compile("verified on [0-9]+.[A-Z]"))
    assert work.evaluate("e => getComputedStyle(e).backgroundColor") != plain
    expect(first).not_to_be_in_viewport()
    page.locator("#ref-steeping").get_by_role("link", name="1", exact=True).click()
    expect(page).to_have_url(re.compile(r"#c\.1$"))
    expect(first).to_be_in_viewport()


def test_the_way_there_and_back_is_there_by_keyboard(reader: Reader, cited: Site) -> None:
    """The evidence leads to the reference, and Tab goes on from the work there."""
    page = reader.open(f"{cited.url}{CITED}/", NARROWER)
    tab_to(page, page.locator(GONE))
    page.keyboard.press("Enter")
    reference = page.locator(".pb-evidence").get_by_role("link", name=re.compile("^Reference"))
    expect(page.locator(".pb-evidence a").first).to_be_focused()
    reference.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#ref-gone$"))
    expect(page.locator("#ref-gone")).to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(page.locator("#ref-gone > a")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(GONE)).to_be_in_viewport()


def test_a_page_says_what_was_checked(reader: Reader, cited: Site) -> None:
    """The three statements, in one line that unfolds; and each work in the References what became of it."""
    page = reader.open(f"{cited.url}{CITED}/")
    expect(page.locator(".pb-head > summary > span")).to_have_text(
        [
            "Collected passages",
            "Reviewed by A. Person",
            "2 of 3 sources checked",
            "Sources from 2024",
            "2 quotes",
        ]
    )
    words = page.locator(".pb-head > summary > span").evaluate_all("all => all.map(each => each.title)")
    assert all(words)
    stated = page.get_by_role("list", name="Status of this page").get_by_role("listitem")
    expect(stated.first).to_be_hidden()
    page.locator(".pb-head > summary").click()
    expect(stated).to_have_text(
        [
            "Collected passages of its sources, chosen by a program: nobody has written this page, 18\xa0Nov\xa02026",
            "Reviewed by A. Person, 19\xa0Nov\xa02026",
            re.compile(
                r"^2 of 3 sources checked on [0-9]+.[A-Z][a-z]+.20\d\d, 1 moved, 1 gone, 1 not on the web, "
                r"2 of 2 quotes found$"
            ),
            "Sources from 2024 (1 of 4 sources with a date)",
            "2 quotes from its sources, word for word",
        ]
    )
    expect(page.locator("#ref-old .pb-check")).to_have_text(re.compile(r"^moved \([0-9]+.[A-Z][a-z]+.20\d\d\)$"))
    expect(page.locator("#ref-gone .pb-check")).to_have_text(re.compile(r"^gone\b"))
    expect(page.locator("#ref-kettle .pb-check")).to_have_count(0)


# --- programs ---------------------------------------------------------------------------------------------------------


def test_after_a_click_the_head_is_that_of_the_new_page(reader: Reader, cited: Site) -> None:
    """Pages that follow each other without a full load describe themselves, and only themselves."""
    page = reader.open(f"{cited.url}{CITED}/")
    page.get_by_role("link", name="Cups").first.click()
    expect(page.locator("h1")).to_contain_text("Cups")
    assert [content for name, content in tags(page) if name == "citation_title"] == ["Cups"]
