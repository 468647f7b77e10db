"""Whatever front matter, names of files, plans, drops, references and reports contain, none of it runs as a script."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import forks
from tests.browser.hostile import HARMLESS, PAYLOADS, write_hostile_project
from tests.browser.sites import QUIET, Site, served
from tests.conftest import Once

FEW = PAYLOADS[::9]
"""Payloads of different kinds, for a site that is swept at every change."""

HARM = r"""() => {
    const found = [], address = /^(href|src|action|formaction|data|xlink:href)$/i;
    const script = /^[\s\0-\x20]*(j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t\s*:|data:)/i;
    for (const element of document.querySelectorAll("*")) {
        for (const {name, value} of element.attributes) {
            const isHandler = /^on/i.test(name), isAddress = address.test(name) && script.test(value);
            if (value.includes("pwned") && (isHandler || isAddress || name === "srcdoc"))
                found.push(`${element.tagName} ${name}`);
        }
        if (element.tagName === "SCRIPT" && element.textContent.includes("pwned")) found.push("script");
    }
    return [...new Set(found)];
}"""
"""Returns what would run a payload's call on a page: scripts, handlers of events, addresses with a protocol."""


def build_hostile(folder: Path, payloads: Sequence[str], engine: str) -> None:
    """Build the project of these payloads; its Problems are warnings."""
    root = write_hostile_project(folder / "project", payloads)
    command = {"mkdocs": ("mkdocs", "build", "--quiet")}.get(engine, ("planbook", "build", "--engine", engine))
    built = forks.run(*command, "--site-dir", folder / "site", cwd=root, env=os.environ | QUIET, is_merged=True)
    assert built.returncode == 0, built.stdout


OF_MKDOCS = pytest.param(("mkdocs", FEW), id="few")
AT_NIGHT = (
    pytest.param(("mkdocs", PAYLOADS), id="all", marks=pytest.mark.nightly),
    pytest.param(("zensical", PAYLOADS), id="all by Zensical", marks=pytest.mark.nightly),
)


@pytest.fixture(params=[OF_MKDOCS, pytest.param(("zensical", FEW), id="few by Zensical"), *AT_NIGHT])
def hostile(request: pytest.FixtureRequest, once: Once) -> Iterator[Site]:
    """The site of the payloads, by both engines."""
    engine, payloads = request.param
    name = f"hostile-{engine}-{len(payloads)}"
    with served(name, once(name, lambda folder: build_hostile(folder, payloads, engine)) / "site") as site:
        yield site


ELEMENTS = r"""async paths => {
    const found = {}, parser = new DOMParser();
    for (const path of paths) {
        const text = await (await fetch(path)).text();
        for (const element of parser.parseFromString(text, "text/html").querySelectorAll("*"))
            for (const name of ["", ...element.getAttributeNames()])
                found[`${element.localName} ${name}`] = path;
    }
    return found;
}"""
"""Returns the names of elements and attributes on pages as the browser reads them, with a page of each."""


def elements_of(site: Site, page: Page) -> dict[str, str]:
    """The elements and attributes on all pages of a site, with a page that has each."""
    page.goto(site.url)
    found: dict[str, str] = page.evaluate(ELEMENTS, [f"/{quote(path)}" for path in site.paths])
    return found


@pytest.fixture
def harmless(hostile: Site, once: Once) -> Iterator[Site]:
    """A site with the same pages by the same engine, whose values are text and Markdown that plans may have."""
    engine = hostile.name.split("-")[1]
    name = f"harmless-{engine}"
    with served(name, once(name, lambda folder: build_hostile(folder, HARMLESS, engine)) / "site") as site:
        yield site


@pytest.fixture
def victim(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """An empty page, and the addresses at which a payload was run."""
    page, called = browser.new_page(), list[str]()
    page.expose_function("pwned", lambda *_: called.append(page.url))
    yield page, called
    page.close()


# By day, `test_no_value_of_a_file_becomes_an_element` reads every page of Zensical's.
@pytest.mark.parametrize("hostile", [OF_MKDOCS, *AT_NIGHT], indirect=True)
def test_no_value_of_a_file_runs_as_a_script(hostile: Site, victim: tuple[Page, list[str]]) -> None:
    """On no page of the site is a payload run, nor is there an element that would run it if it was used."""
    page, called = victim
    harmful, asked = dict[str, list[str]](), set[str]()
    page.on("request", lambda request: asked.add(request.url))
    for path in hostile.paths:
        page.goto(hostile.url + quote(path))
        if found := page.evaluate(HARM):
            harmful[path] = found
    assert harmful == {}
    assert called == []
    assert [url for url in asked if not url.startswith((hostile.url, "data:", "blob:"))] == []
    assert len(hostile.paths) > 40


def test_no_value_of_a_file_becomes_an_element(hostile: Site, harmless: Site, victim: tuple[Page, list[str]]) -> None:
    """A site of payloads has the elements and attributes of one whose values are harmless, and no others."""
    page, _ = victim
    known = elements_of(harmless, page)
    found = elements_of(hostile, page)
    assert {name: path for name, path in found.items() if name not in known} == {}


def test_no_value_of_a_file_runs_in_search(hostile: Site, victim: tuple[Page, list[str]]) -> None:
    """Results show titles, tags and texts of hostile pages without running them; so does the page for no address."""
    page, called = victim
    page.goto(hostile.url)
    for words in ("pwned", "heading", "plain", "script"):
        page.keyboard.press("/")
        page.keyboard.type(words)
        if words == "heading" and hostile.name.startswith("hostile-mkdocs"):  # on pages without one
            expect(page.locator(".md-search-result__item").first).to_be_visible()
        page.wait_for_timeout(1_000)
        assert page.evaluate(HARM) == []
        page.goto(hostile.url)
    for path in ("pwned/", "0/script pwned/", "%3Cscript%3Epwned()%3C/script%3E/"):
        page.goto(f"{hostile.url}404.html?{path}#{path}")
        page.wait_for_timeout(500)
        assert page.evaluate(HARM) == []
    assert called == []
