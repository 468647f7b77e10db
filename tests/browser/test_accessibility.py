"""Every kind of page under axe-core, in both colour schemes, on a desk, a tablet and a phone."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Reader
from tests.browser.sites import CITED, FINISHED, Site

DESK, TABLET, PHONE = 1280, 768, 390
"""Widths in pixels."""
LIGHT = (("light", PHONE, False),)
"""Colour scheme, width, and whether contrast is measured, which takes most of the time."""
BOTH = (("light", DESK, True), ("dark", PHONE, True))
"""For pages with styles of their own in each scheme."""
EVERYTHING = tuple((scheme, width, True) for scheme in ("light", "dark") for width in (DESK, TABLET, PHONE))

SCHEMES = {"light": "default", "dark": "slate"}
"""Material's names for them."""

KINDS = {
    "home": ("own", "", LIGHT),
    "INDEX": ("own", "INDEX/", LIGHT),
    "placeholder": ("lived_in", "cuda/13-memory-leak-profiling-expert/", LIGHT),
    "state": ("lived_in", "status/", BOTH),
    "progress": ("lived_in", "progress/", BOTH[:1]),
    "finished": ("lived_in", f"{FINISHED}/", LIGHT),
    "missing": ("lived_in", "cuda/33-missing/", ()),
    "written page": ("own", "cuda/13-nvidia-container-cuda-packaging/", ()),
    "folder": ("own", "cuda/", ()),
    "tags": ("own", "tags/", ()),
    "reports": ("own", "reports/docker-cuda-profiling/", ()),
    "not found": ("own", "404.html", ()),
    "links": ("own", "graph/", ()),
    "sources": ("lived_in", "sources/", ()),
    "cited page": ("cited", f"{CITED}/", BOTH),
    "checked sources": ("cited", "sources/", LIGHT),
    "one site": ("cited", "sources/#site-127-0-0-1", ()),
    "many sources": ("many_works", "sources/", ()),
    "guide": ("own", "guide/", ()),
    "home of a new base": ("starter", "", BOTH),
    "page of a new base": ("starter", "tea/01-water/", BOTH[:1]),
    "home by Zensical": ("own_zensical", "", ()),
    "not found by Zensical": ("own_zensical", "404.html", ()),
    "tags by Zensical": ("own_zensical", "tags/", ()),
    "page by Zensical": ("own_zensical", "cuda/13-nvidia-container-cuda-packaging/", ()),
    "cited page by Zensical": ("cited_zensical", f"{CITED}/", ()),
    "progress by Zensical": ("own_zensical", "progress/", ()),
    "sources by Zensical": ("cited_zensical", "sources/", ()),
    "real page": ("seeds", "cuda/11-pytorch-profiling-ecosystem/", ()),
    "real progress": ("seeds", "progress/", ()),
}
"""A kind of page: its site, its address there, and the looks under which `make test` checks it."""


@pytest.mark.parametrize("kind", [kind for kind, row in KINDS.items() if row[2]])
def test_axe_finds_nothing(request: pytest.FixtureRequest, reader: Reader, kind: str) -> None:
    """axe-core reports no violation, with everything folded out."""
    check(request, reader, kind, KINDS[kind][2])


@pytest.mark.parametrize("width", [DESK, pytest.param(PHONE, marks=pytest.mark.nightly)])
def test_axe_finds_nothing_in_the_open_search(reader: Reader, own: Site, width: int) -> None:
    """With the card of a message, with pages and their tags, and where no page is about the query."""
    page = reader.open(own.url, width)
    for query in ("an illegal memory access was encountered", "docker multistage", "zxqv plugh"):
        page.goto(own.url)
        page.keyboard.press("/")
        page.locator(".md-search__input").fill(query)
        expect(page.locator(".md-search-result__meta")).to_have_text(re.compile("match|No page"))
        results = Axe().run(page, options={"resultTypes": ["violations"]})
        assert results.violations_count == 0, f"{query}: {results.generate_report()}"


def test_evidence_that_scrolls_is_reached_by_keyboard(reader: Reader, own: Site) -> None:
    """It is a stop in the margin of a window too low for a long quote; there is none for one that fits."""
    page = reader.open(f"{own.url}cuda/22-nccl-hangs-and-faults/", 1440)
    margin = page.locator(".pb-margin")
    expect(margin).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 600})
    expect(margin).to_have_attribute("tabindex", "0")
    page.set_viewport_size({"width": 1440, "height": 2000})
    expect(margin).not_to_have_attribute("tabindex", "0")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.shared] if row[0] == "seeds" else []) for kind, row in KINDS.items()]
)
def test_axe_finds_nothing_under_any_look(request: pytest.FixtureRequest, reader: Reader, kind: str) -> None:
    """Each kind of page holds in both schemes at each width."""
    check(request, reader, kind, EVERYTHING)


def check(request: pytest.FixtureRequest, reader: Reader, kind: str, looks: Sequence[tuple[str, int, bool]]) -> None:
    """Run axe-core on a page under each look."""
    name, path, _ = KINDS[kind]
    site = request.getfixturevalue(name)
    assert isinstance(site, Site)
    page = reader.open(site.url + path, looks[0][1], looks[0][0])
    for scheme, width, has_contrast in looks:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", SCHEMES[scheme])
        page.evaluate("document.querySelectorAll('article details').forEach(details => { details.open = true })")
        rules = {"color-contrast": {"enabled": has_contrast}}
        results = Axe().run(page, options={"resultTypes": ["violations"], "rules": rules})
        assert results.violations_count == 0, f"{scheme}, {width} px: {results.generate_report()}"
