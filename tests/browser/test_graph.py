"""The link graph in a real browser: the table, and the links at the end of each page."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Reader
from tests.browser.sites import Site

NEIGHBOURS = "cuda/13-nvidia-container-cuda-packaging/"
"""A page that others link to, and that links to others."""


def test_a_page_shows_its_neighbours(reader: Reader, own: Site) -> None:
    """Without scripts, as links with their titles; a click opens one."""
    page = reader.open(own.url + NEIGHBOURS, 390, has_scripts=False)
    near = page.get_by_role("complementary", name="Neighbours of this page")
    expect(near).to_contain_text("Linked from")
    expect(near).to_contain_text("Links to")
    there = near.locator("a").first
    title = there.text_content() or "-"
    there.click()
    expect(page.locator("h1")).to_contain_text(title)
