"""What must hold of every page of a site: its links, its console, its requests, its width."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Error

from tests.browser.conftest import Reader
from tests.browser.faults import (
    DESK,
    MOST_ELEMENTS,
    broken,
    fetch,
    look,
    unreached,
)
from tests.browser.sites import FINISHED, Site

OPENED = {
    *("", "INDEX/", "progress/", "graph/", "sources/", "glossary/", "tags/", "guide/", "guide/configuration/", "cuda/"),
    *("cuda/12-kernel-debugging-internals-expert/", "cuda/13-nvidia-container-cuda-packaging/"),
}
"""Pages of our own site that are opened at every change: generated ones, and those with the widest tables and code."""


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
