"""What must hold of every page of a site: its links, its console, its requests, its width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from playwright.sync_api import Browser, Error, Page

from tests.browser.conftest import Reader
from tests.browser.sites import FINISHED, Site

DESK, PHONE = 1280, 390
"""Pixels."""

LOOK = """() => ({
    links: [...document.querySelectorAll("a[href]")].map(a => a.href),
    nav: [...document.querySelectorAll(".md-nav a[href], .md-tabs a[href]")].map(a => a.href),
    anchors: [...document.querySelectorAll("[id], a[name]")].flatMap(e => [e.id, e.getAttribute("name")]),
    titles: document.querySelectorAll("h1").length,
    elements: document.querySelectorAll("*").length,
})"""
"""What a loaded page holds: links (absolute), places one can link to, how many titles and elements."""

OPENED = {
    *("", "INDEX/", "progress/", "graph/", "sources/", "glossary/", "tags/", "guide/", "guide/configuration/", "cuda/"),
    *("cuda/12-kernel-debugging-internals-expert/", "cuda/13-nvidia-container-cuda-packaging/"),
}
"""Pages of our own site that are opened at every change: generated ones, and those with the widest tables and code."""
MOST_ELEMENTS = 10_000
"""Of a page."""

OVERHANG = "() => document.documentElement.scrollWidth - window.innerWidth"
"""How many pixels the page is wider than the window."""


READ = f"""async urls => {{
    const look = {LOOK.replace("()", "document")};
    return await Promise.all(urls.map(async url => {{
        const text = (await (await fetch(url)).text()).replace("<head>", `<head><base href="${{url}}">`);
        const page = new DOMParser().parseFromString(text, "text/html");
        return {{url, ...look(page)}};
    }}));
}}"""
"""The same of pages that are fetched, and not opened."""


@dataclass(frozen=True)
class Seen:
    """A page as a reader met it."""

    url: str
    links: tuple[str, ...]
    nav: tuple[str, ...]
    anchors: frozenset[str]
    titles: int
    elements: int
    overhang_px: int = 0
    """How far it reaches beyond the window, on a desk or a phone."""

    @classmethod
    def of(cls, url: str, found: Mapping[str, Any], overhang_px: int = 0) -> Seen:
        """The page at `url`, of which a script found this."""
        anchors = frozenset(name for name in found["anchors"] if name)
        return cls(
            url, tuple(found["links"]), tuple(found["nav"]), anchors, found["titles"], found["elements"], overhang_px
        )


@pytest.mark.parametrize(
    ("name", "is_opened"),
    [
        pytest.param("own", False, id="own"),
        pytest.param("own", True, id="own opened", marks=pytest.mark.nightly),
        pytest.param("own_zensical", False, id="Zensical", marks=pytest.mark.nightly),
        pytest.param("seeds", False, id="seeds", marks=[pytest.mark.shared, pytest.mark.nightly]),
    ],
)
def test_every_page_holds(request: pytest.FixtureRequest, reader: Reader, name: str, is_opened: bool) -> None:
    """Each page loads without a console error or a request to another host; so does each link on it.

    A link with an anchor leads to a place that is there. No page scrolls sideways, on a desk or on a phone. Each has
    one title, and not too many elements. The navigation alone leads to every page but the reports of runs, to which
    pages link. Only one page of each kind is opened, and the others are fetched, unless all pages are to be opened.
    """
    site = request.getfixturevalue(name)
    assert isinstance(site, Site)
    page = reader.page(DESK)
    fetched = [path for path in site.paths if not is_opened and path not in OPENED]
    seen = {one.url: one for one in (look(page, site.url + path) for path in site.paths if path not in fetched)}
    seen |= fetch(page, [site.url + path for path in fetched])
    assert broken(page, site, seen) == []
    assert {one.url: one.overhang_px for one in seen.values() if one.overhang_px > 0} == {}
    assert {one.url: one.titles for one in seen.values() if one.titles != 1} == {}
    assert {one.url: one.elements for one in seen.values() if one.elements > MOST_ELEMENTS} == {}
    assert unreached(site.url, seen) == set()


def test_no_state_makes_a_page_wider_than_its_window(reader: Reader, lived_in: Site) -> None:
    """Pages that our own site does not have yet do not scroll sideways either."""
    page = reader.page(DESK)
    for path in ("progress/", "INDEX/", f"{FINISHED}/", "cuda/30-tried/", "cuda/33-missing/"):
        assert look(page, lived_in.url + path).overhang_px <= 0, path


@pytest.mark.parametrize("url", ["http://example.org/", "https://192.0.2.1/", "http://[2001:db8::1]/"])
def test_the_browser_asks_no_other_host(browser: Browser, url: str) -> None:
    """A page elsewhere is not found, by its name or its address: nothing is looked up or connected to."""
    page = browser.new_page()
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto(url)
    page.close()


def look(page: Page, url: str) -> Seen:
    """The page at `url`, looked at in both widths: first in that of the window, which then keeps the other."""
    answer = page.goto(url)
    assert answer is not None
    assert answer.ok, f"{url} answers {answer.status}"
    found: dict[str, Any] = page.evaluate(LOOK)
    overhang: int = page.evaluate(OVERHANG)
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": DESK if size["width"] == PHONE else PHONE, "height": size["height"]})
    return Seen.of(url, found, max(overhang, page.evaluate(OVERHANG)))


def fetch(page: Page, urls: Sequence[str]) -> dict[str, Seen]:
    """The pages at `urls`, fetched from a page of their site that is open."""
    return {one["url"]: Seen.of(one["url"], one) for one in page.evaluate(READ, urls)}


def broken(page: Page, site: Site, seen: Mapping[str, Seen]) -> list[str]:
    """The links that lead nowhere within the site; files other than pages need only be served."""
    is_served: dict[str, bool] = {}
    found = []
    for one in seen.values():
        for link in dict.fromkeys(one.links):
            url, anchor = urldefrag(link)
            if not link.startswith(site.url):
                continue
            if url in seen:
                is_there = not anchor or unquote(anchor) in seen[url].anchors
            else:
                if url not in is_served:
                    is_served[url] = page.request.head(url).ok
                is_there = is_served[url]
            if not is_there:
                found.append(f"{one.url} -> {link}")
    return found


def unreached(start: str, seen: Mapping[str, Seen]) -> set[str]:
    """The pages to which no navigation leads, without the reports of runs."""
    return {url for url in set(seen) - reached(start, seen) if not url.startswith(f"{start}reports/")}


def reached(start: str, seen: Mapping[str, Seen]) -> set[str]:
    """The pages one comes to from `start` by links of the navigation."""
    waiting, found = [start], set[str]()
    while waiting:
        url = waiting.pop()
        if url in seen and url not in found:
            found.add(url)
            waiting += [urldefrag(link).url for link in seen[url].nav]
    return found
