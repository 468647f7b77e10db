"""Saved pages are shown before a build ends."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from urllib.request import urlopen

import pytest

from tests.plugin.serving import LIMIT_S, Server, serving, wait_for
from tests.speed.conftest import Site
from tests.speed.served import page_of

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


@dataclass(frozen=True, slots=True)
class Held:
    """A server whose builds the test can hold before their end, and let fail."""

    server: Server
    root: Path

    @property
    def builds(self) -> Path:
        """The file that holds each build as long as it is there."""
        return self.root / "held"

    @property
    def failing(self) -> Path:
        """The file with which each build fails."""
        return self.root / "failing"

    def save(self, text: str) -> None:
        """Save the page."""
        (self.root / "docs/rye/1.md").write_text(text, "utf-8")

    def shows(self, words: str) -> None:
        """Wait until the page is served with these words."""
        wait_for(lambda: words in self.server.page("rye/1/"), self.server)

    def has_reloaded(self, times: int) -> None:
        """Wait until this number of builds have come to their end after the first."""
        wait_for(lambda: self.server.reloads == times, self.server)


@pytest.fixture
def held(site: Site) -> Iterator[Held]:
    """A server that has built twice, and so knows the files of its site."""
    with holding(site) as held:
        yield held


@contextmanager
def holding(site: Site) -> Iterator[Held]:
    """Serve a site as `held` does."""
    site.config |= {"hooks": ["held.py"]}
    site.write("held.py", HELD)
    site.configure()
    with serving(site.root, "speed.yml", "base/") as server:
        held = Held(server, site.root)
        held.save("# First\n")
        held.has_reloaded(1)
        yield held
        held.builds.unlink(missing_ok=True)


def test_a_saved_page_is_served_before_the_build_ends(held: Held) -> None:
    """The page is there while the build is held, which is not counted as ended."""
    held.builds.touch()
    held.save("---\ndescription: Barley and oats\n---\n# First\n\nOatmeal.\n")
    held.shows("Barley and oats")
    assert held.server.reloads == 1


def test_a_request_for_the_search_waits_for_the_build(held: Held) -> None:
    """It is answered when the build ends, with the saved words; a file that was removed is gone by then."""
    held.builds.touch()
    (held.root / "docs/image.svg").unlink()
    held.save("# First\n\nOatmeal.\n")
    held.shows("Oatmeal")
    index = SimpleQueue[str]()
    threading.Thread(target=lambda: index.put(held.server.page("search/search_index.json"))).start()
    with pytest.raises(Empty):
        index.get(timeout=0.5)
    held.builds.unlink()
    assert "Oatmeal" in index.get(timeout=LIMIT_S)
    assert page_of(held.server, "image.svg") == ""


def test_a_page_below_search_is_no_index(site: Site) -> None:
    """It is served while the build is held, and the index stays when such a page is saved."""
    site.write("docs/search/terms.md", "# Terms\n\nOats.\n")
    with holding(site) as held:
        held.builds.touch()
        site.write("docs/search/terms.md", "---\ndescription: Words of millers\n---\n# Terms\n\nOats.\n")
        wait_for(lambda: "Words of millers" in held.server.page("search/terms/"), held.server)
        held.builds.unlink()
        held.has_reloaded(2)
        assert "Oats" in held.server.page("search/search_index.json")


def test_browsers_wait_after_an_error(held: Held) -> None:
    """No page is served of a build that failed, until one succeeds."""
    held.failing.touch()
    held.save("# First\n\nSecond\n")
    wait_for(lambda: "no longer" in "".join(held.server.log), held.server)
    with pytest.raises(OSError, match="timed out"):
        urlopen(f"{held.server.url}rye/1/", timeout=0.5)  # noqa: S310 - on loopback
    held.failing.unlink()
    held.save("# First\n\nThird\n")
    held.has_reloaded(2)
    held.shows("Third")


def test_browsers_reload_again_if_another_page_than_shown_is_built(held: Held) -> None:
    """The page Late is another one at each rendering: the version that was shown early is followed by a later one."""
    held.save("# Late\n")
    held.has_reloaded(2)
    held.builds.touch()
    held.save("# Late\n\nFourth\n")
    held.shows("Fourth")
    shown = epoch_of(held.server)
    held.builds.unlink()
    held.has_reloaded(3)
    assert shown < epoch_of(held.server)


def test_a_saved_page_is_rendered_once(site: Site) -> None:
    """Its template gives another number each time, and the build ends with the one that browsers were shown."""
    site.write(
        "theme/main.html", '{% extends "base.html" %}{% block footer %}{{ range(10**9) | random }}{% endblock %}'
    )
    with holding(site) as held:
        held.builds.touch()
        held.save("# First\n\nOatmeal.\n")
        held.shows("Oatmeal")
        shown = epoch_of(held.server)
        held.builds.unlink()
        held.has_reloaded(2)
        assert shown == epoch_of(held.server)


def epoch_of(server: Server) -> int:
    """The version of the site that a page shows, and with which it asks whether there is a later one."""
    found = re.search(r"livereload\((\d+)", server.page(""))
    assert found
    return int(found[1])
