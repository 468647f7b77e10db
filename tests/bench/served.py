"""How long a saved page takes until `mkdocs serve` shows it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.bench.tree import QUIET

PATIENCE_S = 3600.0


def save_to_served_s(root: Path, config: str, times: int) -> list[float]:
    """The seconds from a save to the page that shows it, as often as asked, on one server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mkdocs = str(Path(sys.executable).with_name("mkdocs"))
    command = [mkdocs, "serve", "--quiet", "-f", f"{config}.yml", "-a", f"127.0.0.1:{port}"]
    page = next((root / "docs").glob("*-0/*.md"))
    address = f"http://127.0.0.1:{port}/{page.relative_to(root / 'docs').with_suffix('').as_posix()}/"
    found = []
    with subprocess.Popen(command, cwd=root, env=os.environ | QUIET, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(address, "")
            for turn in range(times):
                word = f"word-{config}-{turn}"
                begun = time.perf_counter()
                with page.open("a", encoding="utf-8") as text:
                    text.write(f"\n{word}\n")
                _wait_for(address, word)
                found.append(time.perf_counter() - begun)
        finally:
            server.terminate()
    return found


def _wait_for(address: str, word: str) -> None:
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE_S:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:  # noqa: S310 - our own server
                if word in answer.read().decode():
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.05)
    raise SystemExit(f"{address} did not come")
