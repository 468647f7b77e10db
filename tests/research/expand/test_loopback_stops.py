"""Ctrl-C, while everything that a run can wait for lets it wait: it ends soon and clean, and is gone on with."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.files import git
from tests.research.expand.base import commits, make_repository
from tests.research.expand.ferry import CONFIG, child_environment, files, run
from tests.research.expand.loopback import PLANBOOK
from tests.research.expand.web_of_pages import HTML, HostedWeb, html
from tests.research.web.server import HERE, Reply, typed

WAITS = {
    "silent.test/page": "a host that says nothing",
    "drips.test/page": "a body that comes byte by byte",
    "mute.test/page": "a robots.txt that does not come",
    "lost.test/page": "a look-up that does not end",
    "busy.test/page": "a host that asks to wait",
    "slow.test/page": "a host whose robots.txt wants a pause",
    "deep.test/page": "a document that takes long to read",
}
LONG_S = 28
"""Seconds that hosts let us wait: less than where we give up by ourselves, more than a stop may take."""
SOON_S = 20
"""Seconds in which a stop has to be done, on a machine however busy."""
PLAN = "# Halts\n\n" + "".join(
    f'## PART {n}: Create halts/{n}.md\n\n- [ ] PART {n}: Create halts/{n}.md\n\n- [ ] Search: "halt {n}"\n'
    f"- [ ] Read http://{place.replace('/', ':PORT/')}\n\n**Step 1: Write**\n- [ ] Section 1: Clocks\n"
    "    - Which clock measures a lease\n\n"
    for n, place in enumerate(WAITS, 1)
)


class HaltingWeb(HostedWeb):
    """A web in which every PART waits for something else, until `let_go`."""

    @property
    def names(self) -> dict[str, list[list[str] | None]]:
        """The addresses of its hosts; one is not found out as long as everything waits."""
        hosts = {"search.test", *(place.partition("/")[0] for place in WAITS)}
        return {**{host: [[HERE]] for host in hosts}, **({} if self.held.is_set() else {"lost.test": [None]})}

    def fill(self) -> None:
        """Puts everything there."""
        good = typed(html("cafe").encode(), HTML)
        for n, place in enumerate(WAITS, 1):
            self.finds(f"halt {n}", *(["slow.test/first"] if place.startswith("slow") else []))
            self.put(place, good)
        self.put("silent.test/page", self.hang)
        self.put("drips.test/page", self.drip)
        self.put("mute.test/robots.txt", self.hang)
        self.put("busy.test/page", Reply(429, b"", (("Retry-After", str(LONG_S)),)))
        wish = f"User-agent: *\nCrawl-delay: {LONG_S}\n".encode()
        self.put("slow.test/robots.txt", typed(wish, "text/plain", ("Cache-Control", "no-store")))
        self.put("slow.test/first", good)
        words = "<p>" + "<i>word</i> " * 400 + "</p>\n"
        self.put("deep.test/page", typed(f"<html><body>{words * 1_900}</body></html>".encode(), HTML))

    def let_go(self) -> None:
        """From now on everything answers."""
        self.held.set()
        for place in (*WAITS, "slow.test/first"):
            self.put(place, typed(html("cafe").encode(), HTML))
            self.pages.pop(f"{place.partition('/')[0]}/robots.txt", None)

    def drip(self, handler: BaseHTTPRequestHandler) -> None:
        """A byte now and then."""
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
        while not self.held.wait(0.1):
            handler.wfile.write(b"x")
        handler.close_connection = True


@pytest.fixture
def web() -> Iterator[HaltingWeb]:
    """On loopback."""
    running = HaltingWeb()
    with running:
        running.fill()
        yield running


def test_ctrl_c_ends_every_wait(web: HaltingWeb, tmp_path: Path) -> None:
    """It says how to go on, no plan is marked, nothing is half written; gone on with, all pages come, by one commit."""
    more = f"        workers: {len(WAITS)}\n"
    config = CONFIG.format(pause=0, more=more, search=web.url("", "search.test"), tavily=web.url("", "tavily.test"))
    config = config.replace("timeout: 3", "timeout: 600").replace("tavily, searxng", "searxng")
    plan = PLAN.replace("PORT", str(web.port))
    root = make_repository(tmp_path / "base", {"mkdocs.yml": config, "plans/halts.md": plan, "docs/index.md": "# H\n"})
    trace = tmp_path / "trace"
    before = files(root)
    command: list[str | Path] = [PLANBOOK, "expand", "--root", root]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=child_environment(web, trace),
        start_new_session=True,
    )
    waited_for = {"silent.test/page", "drips.test/page", "mute.test/robots.txt", "busy.test/page", "slow.test/page"}
    while not (waited_for | {"deep.test/page"}) <= {seen.path for seen in web.seen}:
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    time.sleep(0.5)  # so that the last of them waits for what comes next; where it does not, it stops all the same
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: everything that the command has started gets it too
    out, err = running.communicate(timeout=SOON_S)

    assert running.returncode == 5, out + err
    assert "Stopping after the current step." in err
    assert "Traceback" not in err
    assert "Stopped: interrupted." in out
    assert f"{len(WAITS)} pages left. Run the same command again to continue; the results so far are kept." in out
    assert (files(root), commits(root), git(root, "status", "--porcelain")) == (before, [], "")
    asked = [seen.path for seen in web.seen]
    assert (asked.count("slow.test/first"), asked.count("lost.test/page"), asked.count("busy.test/page")) == (0, 0, 1)

    web.let_go()
    done = run(root, web)
    assert done.code == 0, done.out + done.err
    pages = [(root / f"docs/halts/{n}.md").read_text() for n in range(1, len(WAITS) + 1)]
    assert all("“Notes from a café”" in page for page in pages)
    searches = [place for place in web.places() if place.startswith("search.test/")]
    assert len(searches) == len(set(searches)) == len(WAITS)
    assert len(commits(root)) == 1
    log = re.findall(r"log: (\S+)", done.out)[0]
    stages = [
        json.loads(line).get("stage") for line in (root / log).read_text().splitlines() if '"stage_begun"' in line
    ]
    assert "search" not in stages
