"""Scratch copies: a place apart for programs, and what is taken from there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from planbook.research.git import GitError, NotTakenError, put_files, remove_scratch_copies, scratch_copy, take_file
from tests.files import found, git
from tests.research.small_repository import put, repository

__all__ = ["repository"]


def test_a_copy_holds_the_last_commit(repository: Path) -> None:
    """What was not committed is not there; what is done there does not show in the project, and is gone at the end."""
    put(repository, a_md="changed\n", c_md="new\n")
    with scratch_copy(found(repository)) as folder:
        assert sorted(path.name for path in folder.iterdir()) == [".git", "a.md", "b.md"]
        assert (folder / "a.md").read_text() == "a\n"
        assert git(folder, "status", "--porcelain") == ""
        (folder / "b.md").write_text("else\n")
        assert git(repository, "status", "--porcelain") == " M a.md\n?? c.md\n"
    assert not folder.exists()
    assert (repository / "b.md").read_text() == "b\n"


def test_a_copy_is_a_repository_of_its_own(repository: Path) -> None:
    """It has the history; commits, branches, settings and hooks made there stay there."""
    config = (repository / ".git/config").read_bytes()
    with scratch_copy(found(repository)) as folder:
        assert git(folder, "log", "--format=%s") == "Begin\n"
        git(folder, "config", "user.name", "A program")
        git(folder, "config", "user.email", "program@tea.test")
        git(folder, "switch", "--quiet", "--create", "mine")
        (folder / "a.md").write_text("mine\n")
        git(folder, "commit", "--quiet", "-am", "Mine")
        assert not list((folder / ".git").glob("hooks/*"))
    assert (repository / ".git/config").read_bytes() == config
    assert git(repository, "branch", "--all", "--list").split() == ["*", "main"]
    assert git(repository, "log", "--format=%s") == "Begin\n"
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_a_copy_of_a_shallow_clone(repository: Path, tmp_path: Path) -> None:
    """CI makes such clones: the history ends where that of the clone does."""
    put(repository, a_md="a2\n")
    git(repository, "commit", "--quiet", "-am", "More")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository}", "shallow")
    with scratch_copy(found(tmp_path / "shallow")) as folder:
        assert git(folder, "log", "--format=%s") == "More\n"
        assert (folder / "a.md").read_text() == "a2\n"


def test_it_is_removed_whatever_was_done_in_it(repository: Path) -> None:
    """Also where a folder was locked, or git's own is gone."""
    with scratch_copy(found(repository)) as folder:
        shutil.rmtree(folder / ".git")
        put(folder, more__and__more_md="x\n")
        (folder / "more").chmod(0o000)
        (folder / "up").symlink_to(repository)
    assert not folder.exists()
    assert (repository / "a.md").exists()


def test_what_a_killed_run_left_is_removed_later(repository: Path) -> None:
    """The next run removes the copy that a killed run has left."""
    left = scratch_copy(found(repository))
    folder = left.__enter__()
    assert folder.exists()
    remove_scratch_copies(repository)
    assert not folder.exists()


def test_without_a_commit_there_is_none(tmp_path: Path) -> None:
    """A repository without a commit has no copy, and the error says what git answered."""
    git(tmp_path, "init", "--quiet")
    with pytest.raises(GitError, match="git rev-parse: "), scratch_copy(found(tmp_path)):
        pass


def test_a_file_is_taken(tmp_path: Path) -> None:
    """It is taken to the byte; there is nothing where there is none."""
    put_files(tmp_path, {"docs/a/b.md": "é\n"})
    assert take_file(tmp_path, "docs/a/b.md", 3) == "é\n".encode()
    assert take_file(tmp_path, "docs/a/c.md", 3) is None
    assert take_file(tmp_path, "docs/a/b.md/c.md", 3) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("docs/link.md", "docs/link.md is a link"),
        ("linked/secret.md", "linked is a link"),
        ("docs/pipe.md", "docs/pipe.md is not a file"),
        ("docs", "docs is not a file"),
        ("docs/large.md", "docs/large.md has more than 10 bytes"),
        ("../secret.md", "is not in the project"),
        ("/etc/hostname", "is not in the project"),
        ("", "is not in the project"),
    ],
)
def test_what_is_no_file_of_its_own_is_not_taken(tmp_path: Path, path: str, said: str) -> None:
    """A link leads anywhere, a pipe never ends."""
    (tmp_path / "secret.md").write_text("secret\n")
    root = tmp_path / "root"
    put_files(root, {"docs/large.md": "12345678901"})
    (root / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "linked").symlink_to(tmp_path)
    os.mkfifo(root / "docs" / "pipe.md")
    with pytest.raises(NotTakenError, match=said):
        take_file(root, path, 10)
