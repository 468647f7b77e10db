"""A web on loopback with a search engine in it, and the real command that works on it."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from click.testing import CliRunner

from planbook.cli import main
from tests import forks
from tests.research.expand.base import make_repository
from tests.research.web.server import Web, send, typed

PLANBOOK = Path(sys.executable).with_name("planbook")
HOSTS = ("127.0.0.1", "localhost")


@dataclass
class SearchWeb(Web):
    """A web whose `/search` answers as SearXNG does, and whose pages can be held back."""

    results: dict[str, list[str]] = field(default_factory=dict)
    """Addresses by query."""
    held: dict[str, threading.Event] = field(default_factory=dict)
    """Paths whose answers wait for an event."""

    def add(self, query: str, *paths: str) -> None:
        """Lets a query find these pages, each with a text of its own; `/b` lies on a host of its own."""
        self.results[query] = [self.url(path, HOSTS[path.startswith("/b")]) for path in paths]
        for path in paths:
            paragraphs = text_at(path).split("\n\n")
            body = f"<h1>{paragraphs[0].lstrip('# ')}</h1>" + "".join(f"<p>{words}</p>" for words in paragraphs[1:])
            self.html(path, f"<main>{body}</main>", title=f"Page {path}")

    def hold(self, path: str) -> threading.Event:
        """Lets `path` give no answer until the event is set."""
        return self.held.setdefault(path, threading.Event())

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answers one request; a search is asked for under its query."""
        address = urlsplit(handler.path)
        query = parse_qs(address.query).get("q", [""])[0]
        path = f"/search {query}" if address.path == "/search" else handler.path
        if path in self.held:
            self.asked_for[path] += 1
            self.held[path].wait()
        if address.path != "/search":
            super().answer(handler)
            return
        self.searched[query] += 1
        found = [{"url": url, "title": f"About {url}", "content": ""} for url in self.results.get(query, ())]
        body = self.failing or json.dumps({"query": query, "results": found}).encode()
        try:
            send(handler, typed(body, "application/json"))
        except OSError:
            handler.close_connection = True

    failing: bytes | None = None
    """What each search is answered with, where it is not what it finds."""
    searched: Counter[str] = field(default_factory=Counter)
    """How often each query was answered."""
    asked_for: Counter[str] = field(default_factory=Counter)
    """How often each path that is held back was asked for."""

    def pages_asked(self) -> Counter[str]:
        """How often each page was asked for; robots.txt left aside."""
        return Counter(seen.path for seen in self.seen if seen.path != "/robots.txt")


PAGES = {1: "tea/1.md", 2: "tea/2.md", 3: "tea/3.md"}


def plan_of(pages: dict[int, str]) -> str:
    """A plan with a PART for each page; PART n asks for `qn` and `rn`."""
    return "# Tea\n\n" + "".join(
        f"## PART {n}: Create {page}\n\n- [ ] PART {n}: Create {page}\n\n**Step 1: Web research**\n"
        f'- [ ] Search: "q{n}"\n- [ ] Search: "r{n}"\n\n**Step 2: Write the page**\n'
        "- [ ] Section 1: Water for tea (~60 lines)\n    - Which water keeps the leaves\n\n"
        for n, page in pages.items()
    )


def make_base(root: Path, web: SearchWeb, more: str = "") -> Path:
    """A base whose three PARTs can be filled from `web`."""
    for n in PAGES:
        web.add(f"q{n}", f"/a{n}", f"/b{n}")
        web.add(f"r{n}", f"/c{n}", f"/a{n}")
    config = (
        "site_name: Tea\nsite_url: https://tea.test/\nplugins:\n  - planbook:\n      expand:\n        pause: 0\n"
        f"        allow_loopback: true\n{more}        search:\n          providers: [searxng]\n"
        f"          searxng_url: {web.url('')}\n"
    )
    return make_repository(root, {"mkdocs.yml": config, "plans/tea.md": plan_of(PAGES), "docs/index.md": "# Home\n"})


def environment() -> dict[str, str]:
    """Ours, with no provider's key in it."""
    return {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN", "_ZONE"))}


def expand(root: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The command, run to its end; with `more` in its environment, as a process of its own."""
    if more:
        return forks.run("planbook", "expand", "--root", root, *args, cwd=Path.cwd(), env={**environment(), **more})
    return planbook("expand", "--root", str(root), *args)


def planbook(*args: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command, run to its end in this process, which has imported what it needs; `more` goes into its environment."""
    without = dict.fromkeys(os.environ.keys() - environment().keys())
    done = CliRunner().invoke(main, args, env=without | more)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(args, done.exit_code, done.stdout, done.stderr)


def start(root: Path, *args: str, **more: str) -> subprocess.Popen[str]:
    """The command, begun; `more` goes into its environment."""
    return subprocess.Popen(
        [PLANBOOK, "expand", "--root", root, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), **more},
    )


def until(condition: Callable[[], bool]) -> None:
    """Wait until it is so, or fail after two minutes: a run that ended early must not hold the tests for ever."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "it was waited for in vain"
        time.sleep(0.01)


def text_at(url: str) -> str:
    """What a document says: of water, and of what no other document says."""
    told = random.Random(url).sample(_WORDS, 36)  # noqa: S311 - the same words for the same address
    sentences = (
        f"Water for tea that is drawn from the {told[n]} {told[n + 1]} keeps the {told[n + 2]} of the leaves "
        f"{told[n + 3]}, while the {told[n + 4]} turns {told[n + 5]} within a minute."
        for n in range(0, 36, 6)
    )
    return f"# The water of {told[0]}\n\n" + "\n\n".join(sentences) + "\n"


_WORDS = re.findall(
    r"\w+",
    "amber anchor apple arch arrow autumn basin beacon birch blossom brook canyon cedar cellar chalk cinder cliff "
    "cloud copper coral crystal dawn delta desert dune ember falcon fern field flint forest fountain frost garden "
    "glacier granite grove harbour hazel heather hollow island ivory jasper juniper lantern larch lichen linden "
    "maple marble marsh meadow mill mist moor mountain oak orchard otter pebble pine plain pond quarry quartz "
    "rain raven reed ridge river rose saffron sage sand shore silver slate snow spring spruce stone summit "
    "thistle thunder valley violet well willow winter wren yew ",
)
