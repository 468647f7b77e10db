"""While a site is served, a saved page is there soon, and the rest is what it was."""

from __future__ import annotations

import os
import re
import resource
import shutil
import threading
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest
from mkdocs.livereload import LiveReloadServer

from generator.speed.watch import notice_at_once
from tests.plugin.test_serve import LIMIT_S, Server, plain, serving, wait_for
from tests.speed.conftest import Site

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


def page_of(server: Server, uri: str) -> str:
    """A page without what MkDocs adds to it while serving; empty if there is none."""
    try:
        return plain(server.page(uri))
    except OSError:
        return ""


@pytest.mark.parametrize(("interval_s", "most_files"), [(9e3, 1024), (0.1, 0)])
def test_a_save_is_noticed_at_once(tmp_path: Path, interval_s: float, most_files: int) -> None:
    """Each change makes one build, long before the next poll, reading none; a poll notices what no event reports."""
    page, beside, builds = tmp_path / "docs/page.md", tmp_path / "docs/.page.tmp", SimpleQueue[None]()
    page.parent.mkdir()
    server = LiveReloadServer(lambda: builds.put(None), "127.0.0.1", 0, str(tmp_path), polling_interval=interval_s)
    server.watch(str(page.parent))
    notice_at_once(server)
    os.close(free := os.dup(0))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files or free + 1, limits[1]))  # a folder can be read, not watched
    try:
        server.observer.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    server.observer.start = lambda: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve).start()
    for change in (
        lambda: page.write_text("in place", "utf-8"),
        lambda: (beside.write_text("whole", "utf-8"), beside.replace(page)),
        lambda: [(page.parent / name).write_text("one of two", "utf-8") for name in ("1.md", "2.md")],
        lambda: shutil.copytree(page.parent, page.parent / "b"),
        page.unlink,
    ):
        change()
        builds.get(timeout=LIMIT_S)
        [path.read_bytes() for path in page.parent.rglob("*.md")]
        with pytest.raises(Empty):
            builds.get(timeout=0.5)
    server.shutdown(wait=True)
