"""A repository with one commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.files import git
from tests.files import put as put_files


def put(root: Path, **files: str) -> None:
    """Writes files; `__` in a name stands for a slash, `_md` for its end."""
    put_files(root, {name.replace("__", "/").replace("_md", ".md"): text for name, text in files.items()})


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, and a configuration of its own alone."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    root = tmp_path / "base"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "A person")
    git(root, "config", "user.email", "person@tea.test")
    put(root, a_md="a\n", b_md="b\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "Begin")
    return root
