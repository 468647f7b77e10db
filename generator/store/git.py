"""Git: what is staged, and one commit of named paths. Configuration, hooks and signing are the user's.

Never ``add -A``, never a push. Paths are relative to the project's folder, which may lie anywhere in a repository.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
"""Files of a repository in which something waits for its end, and a commit of ours would get into the way."""


class GitError(Exception):
    """Git does not do what was asked, and says why."""


@dataclass(frozen=True, slots=True)
class Git:
    """The repository that a project's folder lies in."""

    root: Path
    """The project's folder."""
    prefix: str
    """Its path within the repository: empty, or with a slash at the end."""
    program: str

    def staged(self) -> tuple[str, ...]:
        """What is staged, by path from the project's folder; ``../`` leads to what lies outside of it."""
        top = self._lines("diff", "--cached", "--name-only", "--no-renames", "-z")
        return tuple(os.path.relpath(path, self.prefix or ".") for path in top)

    def changed(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of `paths` that differ from what was committed last, or are not known to git."""
        named = tuple(paths)
        if not named:
            return ()
        lines = self._lines("status", "--porcelain=v1", "--no-renames", "--untracked-files=all", "-z", "--", *named)
        return tuple(os.path.relpath(line[3:], self.prefix or ".") for line in lines)

    def unfinished(self) -> str | None:
        """What waits for its end in this repository, such as ``a merge``."""
        folder = Path(self._text("rev-parse", "--absolute-git-dir"))
        return next((what for name, what in _UNFINISHED.items() if (folder / name).exists()), None)

    def branch(self) -> str | None:
        """The branch that a commit goes to; ``None`` where the head is detached."""
        return self._text("symbolic-ref", "--quiet", "--short", "HEAD", may_fail=True) or None

    def remote(self) -> str:
        """The address of the remote `origin`; empty where there is none."""
        return self._text("remote", "get-url", "origin", may_fail=True)

    def branch_problem(self, name: str) -> str | None:
        """Why a commit cannot go to a new branch `name`; ``None`` where it can, or where it is the present one."""
        if self._run("check-ref-format", "--branch", name).returncode:
            return f"{name!r} is no name for a branch"
        if name != self.branch() and not self._run("rev-parse", "--verify", "--quiet", f"refs/heads/{name}").returncode:
            return f"there is a branch {name} already; switch to it, or name another"
        return None

    def commit(self, paths: Sequence[str], message: str, branch: str | None = None) -> str | None:
        """The new commit's short id: it holds what `paths` are now, or that they are gone, and nothing else.

        ``None`` where nothing has changed. With `branch`, that branch is made and switched to first. Raises
        :class:`GitError` with git's own words, and leaves nothing of `paths` staged.
        """
        if branch and branch != self.branch():
            self._text("switch", "--quiet", "--create", branch)
        tracked = self._tracked(paths)
        there = [path for path in paths if (self.root / path).is_file()]
        gone = [path for path in paths if path in tracked and path not in there]
        named = [*there, *gone]
        try:
            if there:
                self._text("add", "--", *there)
            if gone:
                self._text("rm", "--cached", "--quiet", "--ignore-unmatch", "--", *gone)
            if not named or not self._run("diff", "--cached", "--quiet", "--", *named).returncode:
                return None
            # What someone else has staged in the meantime stays staged, and out of this commit.
            self._text("commit", "--quiet", "--only", "--file=-", "--", *named, stdin=message)
        except GitError:
            self._text("reset", "--quiet", "--", *named, may_fail=True)
            raise
        return self._text("rev-parse", "--short", "HEAD")

    def _tracked(self, paths: Sequence[str]) -> set[str]:
        """Those of `paths` that git knows: in the index, or in the last commit only, where their removal is staged."""
        if not paths:
            return set()
        in_commit = self._run("ls-tree", "-r", "--name-only", "-z", "HEAD", "--", *paths)  # fails before the first one
        return {*self._lines("ls-files", "-z", "--", *paths), *filter(None, in_commit.stdout.split("\0"))}

    def add_worktree(self, folder: Path) -> None:
        """The last commit in a worktree at `folder`, on no branch. Raises :class:`GitError`."""
        # Hooks are for what the user checks out, not for this.
        self._text("-c", f"core.hooksPath={os.devnull}", "worktree", "add", "--quiet", "--detach", str(folder), "HEAD")

    def remove_worktree(self, folder: Path) -> None:
        """Removes the worktree at `folder` with all that is in it, or forgets it where it is gone; others stay."""
        self._text("worktree", "remove", "--force", "--force", str(folder), may_fail=True)

    # --- asking git ------------------------------------------------------------------------------------------------

    def _lines(self, *args: str) -> list[str]:
        return [line for line in self._text(*args).split("\0") if line]

    def _text(self, *args: str, stdin: str = "", may_fail: bool = False) -> str:
        done = self._run(*args, stdin=stdin)
        if done.returncode and not may_fail:
            told = (done.stderr.strip() or done.stdout.strip() or f"it ended with {done.returncode}").rstrip(".")
            raise GitError(f"git {args[2] if args[0] == '-c' else args[0]}: {told}")
        return done.stdout.rstrip("\n")

    def _run(self, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return _run(self.program, self.root, *args, stdin=stdin)


def find_git(root: Path) -> Git | str:
    """The repository that `root` lies in, or why there is none that can be used, in a few words."""
    program = shutil.which("git")
    if program is None:
        return "git is not installed"
    asked = _run(program, root, "rev-parse", "--is-inside-work-tree", "--show-prefix", LC_ALL="C")
    lines = [*asked.stdout.split("\n"), "", ""]
    if asked.returncode or lines[0] != "true":
        told = asked.stderr.strip()
        is_none = not told or "not a git repository" in told
        return "this is not a git repository" if is_none else f"git does not read this repository: {told}"
    return Git(root, lines[1], program)


def _run(program: str, root: Path, *args: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    # Paths are meant to the letter, whatever they hold; what else the user has set stays as it is.
    env = {**os.environ, "GIT_LITERAL_PATHSPECS": "1", **more}
    return subprocess.run(  # noqa: S603 - an argument list; no shell reads it
        [program, "-C", str(root), *args],
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )


def first_commit_days(folder: Path) -> Mapping[str, str]:
    """On which day, as ``YYYY-MM-DD``, each file below `folder` was first committed, by its path from there.

    Empty where git cannot tell. A shallow clone cannot: its oldest commit seems to add every file.
    """
    program = shutil.which("git")
    if program is None or not folder.is_dir():
        return {}
    command = [program, "-C", str(folder), "-c", "core.quotePath=off"]
    if _output([*command, "rev-parse", "--is-shallow-repository"]) != "false":
        return {}
    log = _output([*command, "log", "--diff-filter=A", "--name-only", "--relative", "--format=%x00%cs", "--", "."])
    days: dict[str, str] = {}
    for commit in (log or "").split("\0"):
        day, _, paths = commit.partition("\n")
        days.update(dict.fromkeys(filter(None, paths.split("\n")), day))  # oldest last
    return days


def _output(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
