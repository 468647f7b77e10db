"""While a site is served, a saved page is there soon, and the rest is what it was."""

from __future__ import annotations

import functools
import operator
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.plugin.conftest import ENVIRONMENT, command
from tests.speed.conftest import Site
from tests.speed.test_with_planbook import PLAN

PATIENCE_S = 120.0


class Server:
    """`mkdocs serve` of a project."""

    def __init__(self, root: Path, config: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._log = (root / f"{config}.log").open("w+", encoding="utf-8")
        self._root = f"http://127.0.0.1:{port}/base/"
        self._process = subprocess.Popen(
            [command("mkdocs"), "serve", "-f", config, "-a", f"127.0.0.1:{port}"],
            cwd=root,
            env=ENVIRONMENT,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def page(self, uri: str) -> str:
        """A page, without what MkDocs adds to it while serving and without the port; empty if there is none."""
        try:
            with urllib.request.urlopen(self._root + uri, timeout=PATIENCE_S) as answer:  # noqa: S310 - an address of ours
                html = answer.read().decode()
        except (urllib.error.URLError, OSError):
            return ""
        return re.sub(r"<script>\s*var livereload.*?</script>|127\.0\.0\.1:\d+", "", html, flags=re.DOTALL)

    def wait_for(self, uri: str, is_there: Callable[[str], bool]) -> str:
        """The page, when it is as wanted."""
        begun = time.monotonic()
        while time.monotonic() - begun < PATIENCE_S:
            html = self.page(uri)
            if is_there(html):
                return html
            time.sleep(0.1)
        self._log.seek(0)
        raise AssertionError(f"{uri} did not come: {self._log.read()}")

    def stop(self) -> None:
        """End it; by SIGTERM, since a shell has jobs in the background ignore SIGINT, and a child inherits that."""
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        self._log.close()


@pytest.fixture
def served(site: Site) -> Iterator[tuple[Server, Server]]:
    """The site, served without planbook-speed and with it."""
    site.configure()
    servers = Server(site.root, "plain.yml"), Server(site.root, "speed.yml")
    yield servers
    for server in servers:
        server.stop()


def test_saved_pages_are_served(site: Site, served: tuple[Server, Server]) -> None:
    """An edit, a new title, a page more and a page less: each server shows the same, on that page and on others."""
    page = site.root / "docs/rye/1.md"
    text = page.read_text("utf-8")
    for old, new in (("Last words", "Very last words"), ("# Page", "# Sheet")):
        page.write_text(text.replace(old, new), "utf-8")
        word = new.lstrip("# ")
        pages = [server.wait_for("rye/1/", functools.partial(contains, word)) for server in served]
        assert pages[0] == pages[1]
        compare(served)
    site.write("docs/lost.md", "# Found\n")
    (site.root / "docs/wheat/3.md").unlink()
    for server in served:
        server.wait_for("lost/", lambda html: "Found" in html)
        server.wait_for("wheat/3/", lambda html: not html)
    compare(served)


@pytest.fixture
def base(site: Site) -> Site:
    """The site with a plan, works cited, and a page that links to another."""
    site.config["plugins"].append("planbook")
    site.write("plans/ovens.md", PLAN)
    site.write(
        "docs/rye/cited.md", "# Cited\n\nFrom [A mill](https://mill.example/a) (accessed 2025-11-13):\n- flour\n"
    )
    site.write("docs/tags.md", "# Tags\n\n<!-- material/tags -->\n")
    site.write("docs/linking.md", "# Linking\n\n[Cited](rye/cited.md)\n")
    return site


@pytest.mark.nightly
def test_a_base_is_served_as_without_the_plugin(base: Site, served: tuple[Server, Server]) -> None:
    """Pages taken from the last build are as those that are made, after a change of what they show of others."""
    changes = [
        ("docs/wheat/0.md", "Last words", "Very last words", "wheat/0/"),
        ("docs/linking.md", "# Linking", "# Leading", "rye/cited/"),
        ("docs/linking.md", "[Cited](rye/cited.md)", "[Twelve](wheat/2.md)", "wheat/2/"),
        ("plans/ovens.md", "- [ ] PART 1", "- [✓] PART 1", "progress.json"),
        ("docs/rye/cited.md", "A mill", "The mill", "sources/"),
        ("docs/rye/2.md", "tags: [dough, 4]", "tags: [yeast]", "tags/"),
        ("docs/wheat/1.md", "## Second part", "## Third part", "wheat/1/"),
    ]
    uris = [
        "",
        "INDEX/",
        "progress/",
        "graph/",
        "tags/",
        "rye/0/",
        "rye/2/",
        "rye/cited/",
        "rye/new/",
        "linking/",
        "wheat/1/",
    ]
    uris += ["wheat/2/", "wheat/0/", "search/pages.js", "search/all.js", "sitemap.xml", "llms.txt"]
    for n, (uri, old, new, shown) in enumerate(changes):
        before = [server.wait_for(shown, bool) for server in served]
        path = base.root / uri
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")
        for server, last in zip(served, before, strict=True):
            server.wait_for(shown, functools.partial(operator.ne, last))
        for page in uris:
            one, other = (server.page(page) for server in served)
            assert one, page
            assert one == other, (n, page)


def contains(word: str, html: str) -> bool:
    """Whether a page holds a word."""
    return word in html


def compare(served: tuple[Server, Server]) -> None:
    """Both servers show the same."""
    for uri in ("", "rye/", "rye/dark/0/", "wheat/0/", "search/search_index.json", "sitemap.xml"):
        one, other = (server.page(uri) for server in served)
        assert one
        assert one == other
