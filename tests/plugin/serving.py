"""A server of a site, as a browser sees it."""

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

from tests.plugin.conftest import ENVIRONMENT, command

LIMIT_S = 60


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
def serving(
    root: Path, config: str = "mkdocs.yml", below: str = "", *arguments: str, **environment: str
) -> Iterator[Server]:
    """A real server of the site at `root`, whose address has the path `below`; stopped at the end.

    It gets further arguments of the command line, and further variables.
    """
    text = (root / config).read_text("utf-8").replace("  - search\n  - tags\n", "")
    (root / config).write_text(text.replace("https://bread.example/book/", ""), "utf-8")
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [command("mkdocs"), "serve", "--config-file", config, "--dev-addr", address, *arguments],
        cwd=root,
        env=ENVIRONMENT | environment | {"PYTHONUNBUFFERED": "1", "TMPDIR": str(root.parent)},
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


def plain(html: str) -> str:
    """A page without what MkDocs adds to it while serving, and without the port."""
    return re.sub(r"<script>\s*var livereload.*?</script>|127\.0\.0\.1:\d+", "", html, flags=re.DOTALL)
