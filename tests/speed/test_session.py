"""While a site is served, each build has what the last one left, and shows the same as without planbook-speed."""

from __future__ import annotations

import re
from pathlib import Path

from tests.plugin.serving import serving, wait_for
from tests.speed.conftest import Site
from tests.speed.served import page_of

PLACES = ("rye/1/", "", "rye/", "rye/dark/0/", "wheat/0/", "search/search_index.json", "sitemap.xml")


def test_saved_pages_are_served(site: Site) -> None:
    """An edit, a new title, a page more and a page less: each server shows the same, on that page and on others.

    Saves in quick succession leave no files open.
    """
    site.configure()
    page, gone = site.root / "docs/rye/1.md", site.root / "docs/wheat/3.md"
    text = page.read_text("utf-8")
    with serving(site.root, "plain.yml", "base/") as slow, serving(site.root, "speed.yml", "base/") as quick:
        for change, uri, shown in (
            (lambda: page.write_text(text.replace("Last", "Very last"), "utf-8"), "rye/1/", "Very last words"),
            (lambda: page.write_text(text.replace("# Page", "# Sheet"), "utf-8"), "rye/1/", "Sheet"),
            (lambda: site.write("docs/lost.md", "# Found\n"), "lost/", "Found"),
            (lambda: (site.root / "docs/lost.md").replace(site.root / "docs/lost"), "lost", "^# Found"),
            (lambda: (site.root / "docs/lost").replace(site.root / "docs/lost.md"), "lost/", "Found"),
            (gone.unlink, "wheat/3/", "^$"),
        ):
            change()
            for server in (slow, quick):
                wait_for(lambda s=server, u=uri, w=shown: bool(re.search(w, page_of(s, u))), server)  # type: ignore[misc]
            for place in PLACES:
                assert page_of(slow, place) == page_of(quick, place) != ""
    with serving(site.root, "speed.yml") as server:
        for n in range(24):
            site.write("docs/lost.md", f"# Found {n}\n")
            wait_for(lambda n=n: server.reloads > n, server)  # type: ignore[misc]
        assert sum(1 for _ in Path(f"/proc/{server.process.pid}/fd").iterdir()) < 32
