"""Real git repositories, as mirrors of public ones."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

DAY = "2026-10-02"


def git(root: Path, *args: str, stdin: str = "", day: str = DAY) -> str:
    """Run git with a clock that stands still, and return its output."""
    who = {"NAME": "A person", "EMAIL": "person@tea.test", "DATE": f"{day}T12:00:00Z"}
    people = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    env = {**os.environ, **people, **quiet}
    args = ("git", "-C", str(root), *args)
    return subprocess.run(args, check=True, capture_output=True, text=True, env=env, input=stdin).stdout.strip()


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a work tree."""

    root: Path

    def commit(self, files: dict[str, str | bytes | None], day: str = DAY) -> str:
        """Write files, or remove those that are ``None``, commit everything, and return the commit."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        git(self.root, "add", "--all", "--force")
        git(self.root, "commit", "--quiet", "--allow-empty", "-m", "A change", day=day)
        return git(self.root, "rev-parse", "HEAD")

    def mirror(self, path: Path) -> Path:
        """Make a bare mirror at `path`."""
        git(self.root, "clone", "--quiet", "--mirror", "--no-local", str(self.root), str(path))
        return path


def make_repository(root: Path) -> Repository:
    """Return an empty repository with the branch ``main``."""
    root.mkdir(parents=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    return Repository(root)
