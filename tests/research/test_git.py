"""Commits of named paths, with real git in real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from planbook.research.git import GitError, NoGit, find_git, shared_folder
from tests.files import found, git
from tests.research.small_repository import put, repository

__all__ = ["repository"]


def test_a_commit_holds_the_named_paths_only(repository: Path) -> None:
    """New, changed and deleted ones; what else has changed stays as it is, staged or not."""
    put(repository, a_md="a2\n", docs__new_md="new\n", other_md="other\n", staged_md="staged\n")
    (repository / "b.md").unlink()
    git(repository, "add", "staged.md")
    commit = found(repository).commit(["a.md", "docs/new.md", "b.md"], "Do it\n\n- a line\n")
    assert git(repository, "rev-parse", "--short", "HEAD").strip() == commit
    assert git(repository, "log", "-1", "--format=%B").strip() == "Do it\n\n- a line"
    assert git(repository, "show", "--format=", "--name-status", "HEAD") == "M\ta.md\nD\tb.md\nA\tdocs/new.md\n"
    assert git(repository, "status", "--porcelain").split("\n") == ["A  staged.md", "?? other.md", ""]


def test_paths_are_meant_to_the_letter(repository: Path) -> None:
    """A name that looks like a pattern names one file."""
    (repository / "*.md").write_text("star\n")
    put(repository, a_md="a2\n", **{":(top)b_md": "x\n"})
    assert found(repository).commit(["*.md", ":(top)b.md"], "Stars")
    assert git(repository, "-c", "core.quotepath=off", "status", "--porcelain") == " M a.md\n"


def test_a_project_in_a_folder_of_a_repository(repository: Path) -> None:
    """Paths are told and taken from the project's folder."""
    put(repository, sub__base__x_md="x\n", top_md="t\n")
    there = found(repository / "sub" / "base")
    assert there.prefix == "sub/base/"
    assert there.changed(["x.md"]) == ("x.md",)
    assert there.commit(["x.md"], "X")
    put(repository, sub__base__x_md="x2\n")
    git(repository, "add", ".")
    assert sorted(there.staged()) == ["../../top.md", "x.md"]


def test_ignored_paths_are_told(repository: Path) -> None:
    """A page that git is told to pass over cannot be committed; nothing else is then."""
    put(repository, **{".gitignore": "docs/\n"}, docs__new_md="n\n", a_md="a2\n")
    with pytest.raises(GitError, match="ignored"):
        found(repository).commit(["a.md", "docs/new.md"], "No")
    assert found(repository).staged() == ()


def test_the_users_configuration_counts(repository: Path) -> None:
    """Who commits, and whether it has to be signed: a signature that cannot be made is an error, not left out."""
    put(repository, a_md="a2\n")
    found(repository).commit(["a.md"], "Who")
    assert git(repository, "log", "-1", "--format=%an <%ae>") == "A person <person@tea.test>\n"
    git(repository, "config", "commit.gpgsign", "true")
    git(repository, "config", "gpg.program", "false")
    put(repository, a_md="a3\n")
    with pytest.raises(GitError, match="git commit"):
        found(repository).commit(["a.md"], "Signed")


def test_no_repository_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is in none; one whose repository git does not trust; a machine without git."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert find_git(tmp_path) == NoGit("this is not a git repository")
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    told = find_git(tmp_path)
    assert isinstance(told, NoGit)
    assert "git" in told.reason
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_git(tmp_path) == NoGit("git is not installed")


# --- what git is not run with --------------------------------------------------------------------------------------


def make_script(path: Path, text: str) -> Path:
    """An executable script of the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_git_gets_no_keys(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do the user's hooks: they get what programs need, who commits, and what signing needs."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-loopback-1")
    monkeypatch.setenv("AGENT_TOKEN", "token-loopback-2")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Another person")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/nowhere/agent")
    make_script(repository / ".git/hooks/pre-commit", f"env > {repository.parent}/env")
    put(repository, a_md="a2\n")
    found(repository).commit(["a.md"], "Do it")
    env = (repository.parent / "env").read_text()
    assert "loopback" not in env
    assert "SSH_AUTH_SOCK=/nowhere/agent" in env
    assert git(repository, "log", "-1", "--format=%an") == "Another person\n"


def test_variables_of_git_lead_nowhere_else(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook that starts Planbook has its repository in the environment; settings there count no more than such."""
    script = make_script(tmp_path / "spy.sh", f"touch {tmp_path}/ran; exit 1")
    git(tmp_path, "init", "--quiet", "other")
    variables = {
        **{"GIT_DIR": str(tmp_path / "other/.git"), "GIT_WORK_TREE": str(tmp_path / "other")},
        **{"GIT_INDEX_FILE": str(tmp_path / "index"), "GIT_EXEC_PATH": str(tmp_path)},
        **{"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "gpg.program", "GIT_CONFIG_VALUE_0": str(script)},
        "GIT_CONFIG_PARAMETERS": "'commit.gpgsign=true'",
    }
    put(repository, a_md="a2\n")
    with monkeypatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        assert found(repository).commit(["a.md"], "Do it")
    assert git(repository, "log", "-1", "--format=%s") == "Do it\n"
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "index").exists()


def test_changed_settings_and_hooks_are_not_used(repository: Path) -> None:
    """They are named, without their values; the next run uses them as they are then."""
    there = found(repository)
    git(repository, "config", "user.signingkey", "value-loopback")
    make_script(repository / ".git/hooks/pre-commit", f"touch {repository.parent}/ran")
    put(repository, a_md="a2\n")
    match = r"nothing is committed: hooks/pre-commit \(new\), user.signingkey \(new\);"
    with pytest.raises(GitError, match=match) as caught:
        there.staged()
    assert "value-loopback" not in str(caught.value)
    with pytest.raises(GitError, match=match):
        there.changed(["a.md"])
    with pytest.raises(GitError, match=match):
        there.commit(["a.md"], "No")
    assert not (repository.parent / "ran").exists()
    assert found(repository).commit(["a.md"], "Yes")


def test_a_hook_that_becomes_executable_is_a_change(repository: Path) -> None:
    """It lay there, and was not run."""
    hook = make_script(repository / ".git/hooks/pre-commit", "exit 0")
    hook.chmod(0o644)
    there = found(repository)
    hook.chmod(0o755)
    with pytest.raises(GitError, match="hooks/pre-commit;"):
        there.staged()


def test_hooks_in_a_folder_of_the_project_are_looked_at(repository: Path) -> None:
    """As `core.hooksPath` names it: from the top of the repository, wherever the project lies in it."""
    git(repository, "config", "core.hooksPath", "hooks")
    make_script(repository / "hooks/pre-commit", "exit 0")
    put(repository, part__x_md="x\n")
    there = found(repository / "part")
    assert there.commit(["x.md"], "X")
    make_script(repository / "hooks/pre-commit", "exit 1")
    with pytest.raises(GitError, match="hooks/pre-commit;"):
        there.staged()


def test_what_worktrees_share_moves_into_a_new_repository(tmp_path: Path) -> None:
    """Claims and dossiers of a project survive its `git init`, and what git's folder has by then is kept."""
    outside = shared_folder(tmp_path)
    put(outside, **{"claims.json": "[]", "dossiers/tea.json": "{}"})
    git(tmp_path, "init", "--quiet")
    put(tmp_path / ".git/planbook", **{"claims.json": "newer"})
    inside = shared_folder(tmp_path)
    assert inside == tmp_path / ".git/planbook"
    assert (inside / "dossiers/tea.json").read_text() == "{}"
    assert (inside / "claims.json").read_text() == "newer"
    assert shared_folder(tmp_path) == inside


def test_a_link_in_place_of_what_worktrees_share_moves_nothing(tmp_path: Path) -> None:
    """Whoever put it there would have files of another folder moved."""
    put(tmp_path / "elsewhere", **{"claims.json": "[]"})
    base = tmp_path / "base"
    (base / ".planbook").mkdir(parents=True)
    (base / ".planbook/shared").symlink_to(tmp_path / "elsewhere")
    git(base, "init", "--quiet")
    assert list(shared_folder(base).glob("*")) == []
    assert (tmp_path / "elsewhere/claims.json").exists()
