"""Files that tests write, and git as they call it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path


def put(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by their paths below `root`, byte for byte, and return it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def git(root: Path, *args: str) -> str:
    """Run git in `root` and return what it prints."""
    return subprocess.run(["git", "-C", root, *args], check=True, capture_output=True, text=True).stdout  # noqa: S607
