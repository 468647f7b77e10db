"""What is wrong on a page that a browser shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urldefrag

from playwright.sync_api import Page

from tests.browser.sites import Site

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
