"""Expands the demonstration's plan in a temporary copy, offline, builds the site, and opens it where it can."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from pathlib import Path

HERE = Path(__file__).parent
PARTS = ("mkdocs.yml", "docs", "documents", "plans")
BIN = Path(sys.executable).parent


def make_copy(root: Path) -> None:
    """The demonstration's base at `root`, as a repository with one commit, if there is a git."""
    for name in PARTS:
        source = HERE / name
        if source.is_dir():
            shutil.copytree(source, root / name)
        else:
            shutil.copy(source, root / name)
    program = shutil.which("git")
    if program is None:
        return
    (root / ".gitignore").write_text("/site/\n")
    for command in (
        ["init", "--quiet"],
        ["config", "user.name", "Planbook demo"],
        ["config", "user.email", "demo@planbook.example"],
        ["config", "commit.gpgsign", "false"],
        ["add", "."],
        ["commit", "--quiet", "-m", "A plan and its documents"],
    ):
        subprocess.run([program, "-C", root, *command], check=True)


def has_screen() -> bool:
    """Whether a browser could show itself; one that runs in the terminal would only be in the way."""
    return sys.platform in {"darwin", "win32"} or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def main() -> int:
    """Runs it; the exit code."""
    root = Path(tempfile.mkdtemp(prefix="planbook-demo-"))
    make_copy(root)
    print(f"A copy of the demonstration lies in {root}.\n")
    expanded = subprocess.run([BIN / "planbook", "expand", "--root", root], check=False).returncode
    if expanded not in {0, 3}:  # 3: some PARTs failed, and the site shows that
        return expanded
    print()
    built = subprocess.run(
        [BIN / "mkdocs", "build", "--strict", "--quiet", "-f", root / "mkdocs.yml"], check=False, env=dict(os.environ)
    ).returncode
    home = root / "site" / "index.html"
    if built:
        return built
    print(f"The site is ready: {home}")
    if sys.stdout.isatty() and has_screen():
        webbrowser.open(home.as_uri())
    return 0


if __name__ == "__main__":
    sys.exit(main())
