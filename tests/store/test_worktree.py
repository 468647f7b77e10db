"""Worktrees: a place apart for programs, and what is taken from there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator.store.git import Git, GitError, find_git
from generator.store.worktree import NotTakenError, put_files, remove_worktrees, take_file, worktree
from tests.store.test_git import git, put, repository

__all__ = ["repository"]


def found(root: Path) -> Git:
    """The repository that `root` lies in."""
    there = find_git(root)
    assert isinstance(there, Git)
    return there


def test_a_worktree_holds_the_last_commit(repository: Path) -> None:
    """What was not committed is not there; what is done there does not show in the project, and is gone at the end."""
    put(repository, a_md="changed\n", c_md="new\n")
    with worktree(found(repository)) as folder:
        assert sorted(path.name for path in folder.iterdir()) == [".git", "a.md", "b.md"]
        assert (folder / "a.md").read_text() == "a\n"
        (folder / "b.md").write_text("else\n")
        assert git(repository, "status", "--porcelain") == " M a.md\n?? c.md\n"
    assert not folder.exists()
    assert (repository / "b.md").read_text() == "b\n"
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert git(repository, "branch", "--list").split() == ["*", "main"]


def test_a_project_may_lie_anywhere_in_its_repository(repository: Path) -> None:
    """The folder is then the project's."""
    put(repository, part__x_md="x\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "More")
    with worktree(found(repository / "part")) as folder:
        assert (folder / "x.md").read_text() == "x\n"
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_it_is_removed_whatever_was_done_in_it(repository: Path) -> None:
    """Also where git no longer knows it."""
    with worktree(found(repository)) as folder:
        (folder / ".git").unlink()
        put(folder, more__and__more_md="x\n")
    assert not folder.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_what_a_killed_run_left_is_removed_later(repository: Path) -> None:
    """And worktrees of the user's stay."""
    git(repository, "worktree", "add", "--quiet", "--detach", str(repository.parent / "own"))
    left = worktree(found(repository))
    folder = left.__enter__()
    assert folder.exists()
    remove_worktrees(found(repository))
    assert not folder.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 2


def test_hooks_are_not_run(repository: Path) -> None:
    """A worktree of ours is no check-out of the user's."""
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {repository.parent}/ran\n")
    hook.chmod(0o755)
    with worktree(found(repository)):
        pass
    assert not (repository.parent / "ran").exists()


def test_without_a_commit_there_is_none(tmp_path: Path) -> None:
    """Git says why."""
    git(tmp_path, "init", "--quiet")
    with pytest.raises(GitError, match="git worktree: "), worktree(found(tmp_path)):
        pass


def test_a_file_is_taken(tmp_path: Path) -> None:
    """To the byte; nothing where there is none."""
    put_files(tmp_path, {"docs/a/b.md": "é\n"})
    assert take_file(tmp_path, "docs/a/b.md", 3) == "é\n".encode()
    assert take_file(tmp_path, "docs/a/c.md", 3) is None
    assert take_file(tmp_path, "docs/a/b.md/c.md", 3) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("docs/link.md", "docs/link.md is a link"),
        ("linked/secret.md", "linked is a link"),
        ("docs/pipe.md", "docs/pipe.md is no file"),
        ("docs", "docs is no file"),
        ("docs/large.md", "docs/large.md has more than 10 bytes"),
        ("../secret.md", "does not lie in the project"),
        ("/etc/hostname", "does not lie in the project"),
        ("", "does not lie in the project"),
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
