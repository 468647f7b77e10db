"""Every kind of page under axe-core, in both colour schemes, on a desk and on a phone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Reader
from tests.browser.sites import CITED, FINISHED, Site

LOOKS = (("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390))
"""Colour scheme and width in pixels."""

KINDS = {
    "home": ("own", "", LOOKS),
    "INDEX": ("own", "INDEX/", LOOKS),
    "placeholder": ("own", "cuda/13-memory-leak-profiling-expert/", LOOKS),
    "progress": ("lived_in", "progress/", LOOKS),
    "finished": ("lived_in", f"{FINISHED}/", LOOKS),
    "missing": ("lived_in", "cuda/33-missing/", LOOKS[::3]),
    "written page": ("own", "cuda/13-nvidia-container-cuda-packaging/", LOOKS),
    "folder": ("own", "cuda/", LOOKS[::3]),
    "links": ("own", "graph/", LOOKS),
    "sources": ("lived_in", "sources/", LOOKS),
    "cited page": ("cited", f"{CITED}/", LOOKS),
    "checked sources": ("cited", "sources/", LOOKS),
    "one site": ("cited", "sources/#site-127-0-0-1", LOOKS[::3]),
    "many sources": ("many_works", "sources/", LOOKS[::3]),
    "guide": ("own", "guide/", LOOKS[::3]),
    "real page": ("seeds", "cuda/11-pytorch-profiling-ecosystem/", LOOKS[::3]),
    "real progress": ("seeds", "progress/", LOOKS[::3]),
}
"""A kind of page: its site, its address there, and the looks under which it is checked."""


@pytest.mark.parametrize(
    ("kind", "scheme", "width"),
    [
        pytest.param(kind, *look, marks=[pytest.mark.shared] if site == "seeds" else [])
        for kind, (site, _, looks) in KINDS.items()
        for look in looks
    ],
)
def test_axe_finds_nothing(request: pytest.FixtureRequest, reader: Reader, kind: str, scheme: str, width: int) -> None:
    """axe-core reports no violation, with everything folded out."""
    name, path, _ = KINDS[kind]
    site = request.getfixturevalue(name)
    assert isinstance(site, Site)
    page = reader.open(site.url + path, width, scheme)
    page.evaluate("document.querySelectorAll('article details').forEach(details => { details.open = true })")
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
