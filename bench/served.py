"""How long a saved file takes until a site that is served shows it."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from bench.tree import environment

PATIENCE_S = 3600.0


class SiteServer:
    """A site that an engine serves on loopback while this is entered."""

    def __init__(self, command: Sequence[str], root: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._host = f"127.0.0.1:{free.getsockname()[1]}"
        self._command, self._root = [*command, "-a", self._host], root

    def __enter__(self) -> SiteServer:
        """Start the server."""
        self._process = subprocess.Popen(
            self._command,
            cwd=self._root,
            env=environment() | {"TMPDIR": str(self._root.parent)},  # a server that is ended leaves its site there
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()

    def seconds_until(self, path: str, word: str, begun: float) -> float:
        """Ask for the file at `path` until it has the word; the seconds since `begun`, by `time.perf_counter`."""
        address = f"http://{self._host}/{path}"
        while time.perf_counter() - begun < PATIENCE_S or not begun:
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
                    if word in answer.read().decode():
                        return time.perf_counter() - begun
            except (urllib.error.URLError, OSError):
                pass
            time.sleep(0.02)
        raise SystemExit(f"{' '.join(self._command)} did not show {word!r} at {path}")
