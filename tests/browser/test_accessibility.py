"""Every kind of page under axe-core, in both colour schemes, on a desk, a tablet and a phone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Reader
from tests.browser.sites import CITED, FINISHED, Site

DESK, TABLET, PHONE = 1280, 768, 390
"""Widths in pixels."""
LOOKS = (("light", DESK, True), ("dark", TABLET, False), ("dark", PHONE, True))
"""Colour scheme, width, and whether contrast is measured, which takes most of the time: once in each scheme."""
ALL_LOOKS = (*LOOKS, ("dark", DESK, False), ("light", TABLET, False), ("light", PHONE, False))
"""Each scheme at each width."""
EVERYTHING = tuple((scheme, width, True) for scheme, width, _ in ALL_LOOKS)
"""With contrast measured in each."""

REAL_LOOKS = (("light", DESK, True), ("dark", PHONE, False))
"""Of more pages of a kind that is checked above."""

SCHEMES = {"light": "default", "dark": "slate"}
"""Material's names for them."""

KINDS = {
    "home": ("own", "", EVERYTHING),
    "INDEX": ("own", "INDEX/", LOOKS),
    "placeholder": ("lived_in", "cuda/13-memory-leak-profiling-expert/", ALL_LOOKS),
    "progress": ("lived_in", "progress/", LOOKS),
    "finished": ("lived_in", f"{FINISHED}/", LOOKS),
    "missing": ("lived_in", "cuda/33-missing/", LOOKS),
    "written page": ("own", "cuda/13-nvidia-container-cuda-packaging/", ALL_LOOKS),
    "folder": ("own", "cuda/", LOOKS),
    "tags": ("own", "tags/", LOOKS),
    "reports": ("own", "reports/docker-cuda-profiling/", LOOKS),
    "not found": ("own", "404.html", LOOKS),
    "links": ("own", "graph/", LOOKS),
    "sources": ("lived_in", "sources/", LOOKS),
    "cited page": ("cited", f"{CITED}/", LOOKS),
    "checked sources": ("cited", "sources/", LOOKS),
    "one site": ("cited", "sources/#site-127-0-0-1", LOOKS),
    "many sources": ("many_works", "sources/", LOOKS),
    "guide": ("own", "guide/", LOOKS),
    "real page": ("seeds", "cuda/11-pytorch-profiling-ecosystem/", REAL_LOOKS),
    "real progress": ("seeds", "progress/", REAL_LOOKS),
}
"""A kind of page: its site, its address there, and the looks under which it is checked."""


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.shared] if row[0] == "seeds" else []) for kind, row in KINDS.items()]
)
def test_axe_finds_nothing(request: pytest.FixtureRequest, reader: Reader, kind: str) -> None:
    """axe-core reports no violation, with everything folded out, under any look."""
    name, path, looks = KINDS[kind]
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
