"""Saved pages are shown before a build ends."""

from __future__ import annotations

import re
import threading
from queue import Empty, SimpleQueue
from urllib.request import urlopen

import pytest

from tests.plugin.test_serve import LIMIT_S, Server, serving, wait_for
from tests.speed.conftest import Site
from tests.speed.test_session import page_of

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
