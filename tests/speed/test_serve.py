"""While a site is served, a saved page is there soon, and the rest is what it was."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import pytest

from tests.plugin.test_serve import Server, plain, serving, wait_for
from tests.speed.conftest import Site


@pytest.fixture
def served(site: Site) -> Iterator[tuple[Server, Server]]:
    """The site, served without planbook-speed and with it."""
    site.configure()
    with serving(site.root, "plain.yml", "base/") as plain, serving(site.root, "speed.yml", "base/") as quick:
        yield plain, quick


def test_saved_pages_are_served(site: Site, served: tuple[Server, Server]) -> None:
    """An edit, a new title, a page more and a page less: each server shows the same, on that page and on others."""
    page = site.root / "docs/rye/1.md"
    text = page.read_text("utf-8")
    for old, new in (("Last words", "Very last words"), ("# Page", "# Sheet")):
        page.write_text(text.replace(old, new), "utf-8")
        word = new.lstrip("# ")
        pages = [seen(server, "rye/1/", functools.partial(contains, word)) for server in served]
        assert pages[0] == pages[1]
        compare(served)
    site.write("docs/lost.md", "# Found\n")
    (site.root / "docs/wheat/3.md").unlink()
    for server in served:
        seen(server, "lost/", lambda html: "Found" in html)
        seen(server, "wheat/3/", lambda html: not html)
    compare(served)


def seen(server: Server, uri: str, is_there: Callable[[str], bool]) -> str:
    """The page, when it is as wanted, without what MkDocs adds to it while serving; empty if there is none."""
    found: list[str] = []

    def is_shown() -> bool:
        try:
            found[:] = [plain(server.page(uri))]
        except OSError:
            found[:] = [""]
        return is_there(found[0])

    wait_for(is_shown, server)
    return found[0]


def contains(word: str, html: str) -> bool:
    """Whether a page holds a word."""
    return word in html


def compare(served: tuple[Server, Server]) -> None:
    """Both servers show the same."""
    for uri in ("", "rye/", "rye/dark/0/", "wheat/0/", "search/search_index.json", "sitemap.xml"):
        one, other = (plain(server.page(uri)) for server in served)
        assert one
        assert one == other
