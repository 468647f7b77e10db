"""While a site is served, a saved page is there soon, and the rest is what it was."""

from __future__ import annotations

import os
import re
import resource
import shutil
import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from urllib.request import urlopen

import pytest
from mkdocs.livereload import LiveReloadServer

from planbook_speed.watch import notice_at_once
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


HELD = """
import pathlib, time
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
class Held(BasePlugin):
    def page_inputs(self, page, files):
        return ()
    def on_page_context(self, context, page, config, nav):
        if page.title == "Late":  # is another page each time
            page.canonical_url, context["unclear"] = f"https://late.example/{time.time_ns()}", object()
    def on_post_build(self, config):
        while pathlib.Path("held").exists():
            time.sleep(0.05)
        if pathlib.Path("failing").exists():
            raise PluginError("no longer")
def on_config(config):
    config.plugins["held"] = Held()
    listeners = config.plugins.events["config"]
    listeners[:] = [listener for listener in listeners if hasattr(listener, "__self__")]  # not this one
"""
"""A hook that adds a plugin which planbook-speed trusts, and which ends no build while there is a file `held`."""


def test_a_page_is_served_before_the_build_ends(site: Site) -> None:
    """A request for the search waits. After an error browsers wait, too, and after another page they reload again."""
    site.config |= {"hooks": ["held.py"]}
    site.write("held.py", HELD)
    site.configure()
    page, held, failing = (site.root / name for name in ("docs/rye/1.md", "held", "failing"))
    with serving(site.root, "speed.yml", "base/") as server:
        page.write_text("# First\n", "utf-8")  # now the files of the site are known
        wait_for(lambda: server.reloads == 1, server)
        held.touch()
        (site.root / "docs/image.svg").unlink()
        page.write_text("---\ndescription: Barley and oats\n---\n# First\n\nOatmeal.\n", "utf-8")
        wait_for(lambda: "Barley and oats" in server.page("rye/1/"), server)
        index = SimpleQueue[str]()
        threading.Thread(target=lambda: index.put(server.page("search/search_index.json"))).start()
        with pytest.raises(Empty):
            index.get(timeout=0.5)
        assert server.reloads == 1
        held.unlink()
        assert "Oatmeal" in index.get(timeout=LIMIT_S)
        assert page_of(server, "image.svg") == ""
        failing.touch()
        page.write_text("# First\n\nSecond\n", "utf-8")
        wait_for(lambda: "no longer" in "".join(server.log), server)
        with pytest.raises(OSError, match="timed out"):
            urlopen(f"{server.url}rye/1/", timeout=0.5)  # noqa: S310 - on loopback
        failing.unlink()
        page.write_text("# Late\n", "utf-8")
        wait_for(lambda: server.reloads == 3, server)
        held.touch()
        page.write_text("# Late\n\nFourth\n", "utf-8")
        wait_for(lambda: "Fourth" in server.page("rye/1/"), server)
        shown = epoch_of(server)
        held.unlink()
        wait_for(lambda: server.reloads == 4, server)
        assert shown < epoch_of(server)


def epoch_of(server: Server) -> int:
    """The version of the site that a page shows, and with which it asks whether there is a later one."""
    found = re.search(r"livereload\((\d+)", server.page(""))
    assert found
    return int(found[1])


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
