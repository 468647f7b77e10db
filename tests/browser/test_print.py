"""Pages on paper: no buttons and logs, the addresses of references, headings beside their text."""

from __future__ import annotations

import io
import re
from collections import Counter

import pytest
from playwright.sync_api import Page
from pypdf import PdfReader

from tests.browser.conftest import Reader
from tests.browser.sites import CITED, Site

LONG = "cuda/10-docker-multistage-ml-optimization/"


def printed(page: Page) -> list[str]:
    """The text of each sheet."""
    return [sheet.extract_text() for sheet in PdfReader(io.BytesIO(page.pdf(format="A4"))).pages]


def test_addresses_of_references_are_printed(reader: Reader, cited: Site) -> None:
    """Each stands behind the title of a work on the web."""
    page = reader.open(f"{cited.url}{CITED}/")
    page.emulate_media(media="print")
    works = page.locator(".pb-references > li > a[href^=http]")
    shown = works.evaluate_all("links => links.map(a => getComputedStyle(a, '::after').content)")
    assert len(shown) >= 3
    text = "".join("".join(printed(page)).split())
    for address in works.evaluate_all("links => links.map(a => a.getAttribute('href'))"):
        assert f"<{address}>" in text


@pytest.mark.parametrize("path", [pytest.param(LONG, marks=pytest.mark.nightly), "progress/", "sources/"])
def test_no_button_is_printed(reader: Reader, own: Site, path: str) -> None:
    """Nothing else is printed that paper cannot do, either."""
    page = reader.open(own.url + path)
    page.emulate_media(media="print")
    seen = page.locator(
        "button, input:not(.md-toggle, .md-option, [disabled]), .md-clipboard, .headerlink, .pb-near, "
        ".pb-references > li > div, .pb-sites, "
        ".pb-take, .pb-filter, .pb-find, .pb-references summary, .md-top, .md-header, .md-footer, .md-sidebar"
    )
    assert [one.evaluate("e => e.outerHTML") for one in seen.all() if one.is_visible()] == []


def test_references_take_little_paper(reader: Reader, own: Site) -> None:
    """Of a page with a hundred quotes, all of them, on no more sheets than its text; they were 36 of 47."""
    page = reader.open(f"{own.url}cuda/26-mig-in-kubernetes/")
    sheets = printed(page)
    first = next(n for n, text in enumerate(sheets) if re.search(r"^References", text, re.MULTILINE))
    assert len(sheets) - first <= first
    quotes = page.locator(".pb-references blockquote").evaluate_all("all => all.map(e => e.firstChild.textContent)")
    assert len(quotes) > 80
    text = re.sub(r"\W", "", "".join(sheets[first:]))
    missing = [quote for quote in quotes if re.sub(r"\W", "", quote)[:20] not in text]
    assert len(missing) < len(quotes) / 8  # what goes on in the next column is read in another order


def text_by_size(page: Page) -> Counter[float]:
    """The number of printed letters of each size, in points."""
    letters: Counter[float] = Counter()

    def count(text: str, outer: list[float], inner: list[float], _font: object, size: float) -> None:
        letters[round(size * abs(inner[3] * outer[3]), 1)] += len(text.strip())

    for sheet in PdfReader(io.BytesIO(page.pdf(format="A4"))).pages:
        sheet.extract_text(visitor_text=count)
    return letters


def test_nothing_wide_makes_the_print_small(reader: Reader, own: Site) -> None:
    """Its ten columns in a folded box shrank this page to 7 points, and its references to 5."""
    letters = text_by_size(reader.open(f"{own.url}cuda/15-production-deployment-troubleshooting-expert/"))
    assert letters[9.4] + letters[9.5] > 5_000  # prose
    assert sum(number for size, number in letters.items() if size < 7) < letters.total() / 200


def test_paper_has_no_grounds(reader: Reader, own: Site) -> None:
    """Code, tables and boxes have rules instead, and chips are text."""
    page = reader.open(own.url + LONG)
    page.emulate_media(media="print")
    grounds = page.evaluate(
        "[...document.querySelectorAll('article :is(pre, code, table, th, td, .admonition, .pb-check, .pb-head *)')]"
        ".map(e => getComputedStyle(e).backgroundColor)"
    )
    assert len(grounds) > 200
    assert set(grounds) == {"rgba(0, 0, 0, 0)"}
    assert not page.locator(".md-tags").first.is_visible()


def test_no_heading_ends_a_sheet(reader: Reader, own: Site) -> None:
    """The last line of a sheet is text."""
    page = reader.open(own.url + LONG)
    headings = {" ".join(text.replace("¶", "").split()) for text in page.locator("h2, h3, h4").all_text_contents()}
    last = [sheet.split("\n")[-1].strip() for sheet in printed(page)]
    assert len(last) > 3
    assert not set(last) & headings


def test_paper_is_light(reader: Reader, own: Site) -> None:
    """Text is dark, whatever the scheme on the screen."""
    page = reader.open(own.url + LONG, scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    colours = page.evaluate(  # at once: a script may replace an element that was found before
        "[...document.querySelectorAll('article :is(p, li, code, a:not(.headerlink))')].slice(0, 200)"
        ".map(e => getComputedStyle(e).color)"
    )
    assert len(colours) > 50
    light = [one for one in Counter(colours) if sum(map(float, one[one.index("(") + 1 : -1].split(",")[:3])) > 3 * 150]
    assert light == []
