"""`mkdocs serve`: a change in a plan is seen after one build, and no build makes another."""

from __future__ import annotations

import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.plugin.conftest import ENVIRONMENT, command, copied_site, hashes

LIMIT_S = 60
QUIET_S = 2.5
"""How long no build may follow: MkDocs waits a quarter of a second for more changes, then builds in less than one."""


@dataclass
class Server:
    """A server that runs, what it has logged, and where it serves."""

    root: Path
    url: str
    process: subprocess.Popen[str]
    log: list[str] = field(default_factory=list)

    @property
    def builds(self) -> int:
        """How many builds were begun."""
        return sum("Building documentation" in line for line in self.log)

    @property
    def reloads(self) -> int:
        """How many builds came to their end after the first ("Documentation built" is told once for one duration)."""
        return sum("Reloading browsers" in line for line in self.log)

    def page(self, uri: str) -> str:
        """A page as it is served."""
        with urlopen(f"{self.url}{uri}", timeout=LIMIT_S) as response:  # noqa: S310 - on loopback
            return str(response.read().decode("utf-8"))


def wait_for(condition: Callable[[], bool], server: Server) -> None:
    """Wait until the condition holds; the server must live as long."""
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert server.process.poll() is None, "".join(server.log)
        assert time.monotonic() < end, "".join(server.log)
        time.sleep(0.05)


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def serving(root: Path, config: str = "mkdocs.yml", below: str = "") -> Iterator[Server]:
    """A real server of the site at `root`, whose address has the path `below`; stopped at the end."""
    text = (root / config).read_text("utf-8").replace("  - search\n  - tags\n", "")
    (root / config).write_text(text.replace("https://bread.example/book/", ""), "utf-8")
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [command("mkdocs"), "serve", "--config-file", config, "--dev-addr", address],
        cwd=root,
        env=ENVIRONMENT | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    server = Server(root, f"http://{address}/{below}", process)
    stdout = process.stdout
    assert stdout
    reader = threading.Thread(target=lambda: server.log.extend(iter(stdout.readline, "")), daemon=True)
    reader.start()
    try:
        wait_for(lambda: any("Serving on" in line for line in server.log), server)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=LIMIT_S)
        reader.join(timeout=LIMIT_S)
        stdout.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server of the small complete site."""
    with serving(copied_site(tmp_path / "site")) as running:
        yield running


def states(html: str) -> dict[str, str]:
    """The state of each PART of the bread plan on the progress page, by its number."""
    plan = html.partition("plans/bread.md")[2].partition("</table>")[0]
    return {number: state for state, number in re.findall(r'data-state="(\w+)"[^>]*>\s*<th[^>]*>(\d+)', plan)}


def test_a_mark_is_seen_after_one_build(server: Server) -> None:
    """One build at the start, one after the mark, and none after that; nobody's file changes but the plan."""
    assert server.builds == 1
    assert states(server.page("progress/"))["5"] == "open"
    plan = server.root / "plans" / "bread.md"
    plan.write_text(plan.read_text("utf-8").replace("- [ ] PART 5:", "- [✓] PART 5:"), "utf-8")
    before = hashes(server.root / "docs"), hashes(server.root / "plans")
    wait_for(lambda: server.reloads > 0, server)
    assert states(server.page("progress/"))["5"] == "done"
    time.sleep(QUIET_S)
    assert server.builds == 2, "".join(server.log)
    assert (hashes(server.root / "docs"), hashes(server.root / "plans")) == before


def test_a_new_page_and_a_broken_plan(server: Server) -> None:
    """A plan of any bytes does not end the server, and what is written after it is shown."""
    (server.root / "plans" / "odd.md").write_bytes(b"\xff\xfe\x00# ```\n## PART 1: Create ../../x.md\n<!--")
    wait_for(lambda: server.reloads > 0, server)
    assert "plans/odd.md" in server.page("progress/")
    assert "Nobody has written" in server.page("bread/13-barley/") or "Not written yet" in server.page(
        "bread/13-barley/"
    )
    (server.root / "docs" / "bread" / "13-barley.md").write_text("# Barley at last\n", "utf-8")
    wait_for(lambda: server.reloads > 1, server)
    assert "Barley at last" in server.page("bread/13-barley/")
    assert "Traceback" not in "".join(server.log)


def plain(html: str) -> str:
    """A page without what MkDocs adds to it while serving, and without the port."""
    return re.sub(r"<script>\s*var livereload.*?</script>|127\.0\.0\.1:\d+", "", html, flags=re.DOTALL)
