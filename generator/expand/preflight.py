"""Checks before a run: problems with writing or committing are found before any request is sent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from generator.drafts import Brief
from generator.expand.options import RunConfig
from generator.expand.record import completed_place
from generator.library import Library
from generator.model import State
from generator.store import RefusedError, Settings
from generator.store.git import Git, GitError, left_out

_NO_COMMIT = "or run with --no-commit"


def check_repository(config: RunConfig, git: Git, claimed: Iterable[str] = ()) -> None:
    """Raise :class:`RefusedError` if a commit would fail, or mix with changes that the user is about to commit.

    Args:
        config: the setup of the run.
        git: the repository.
        claimed: files that an interrupted run wrote.
    """
    try:
        staged = [path for path in git.staged() if path not in {*claimed, *config.may_be_staged}]
        left = left_out(git)
    except GitError as error:
        raise RefusedError(f"{error}; {_NO_COMMIT}") from error
    if staged:
        more = f" and {len(staged) - 3} more" if len(staged) > 3 else ""
        raise RefusedError(
            f"the index holds staged changes ({', '.join(staged[:3])}{more}); commit or unstage them first "
            f"(git restore --staged .), {_NO_COMMIT}"
        )
    if left:
        raise RefusedError(
            f"{', '.join(left)}: changed by another program during a run and still not committed; review "
            f"the changes (git diff), then commit or undo them first, {_NO_COMMIT}"
        )
    waits = git.unfinished()
    if waits:
        raise RefusedError(f"{waits} is in progress; finish or abort it first, {_NO_COMMIT}")
    problem = git.branch_problem(config.branch) if config.branch else None
    if problem:
        raise RefusedError(problem)
    problem = git.identity_problem()
    if problem:
        raise RefusedError(f"{problem}, {_NO_COMMIT}")


def check_pages(config: RunConfig, git: Git, briefs: Iterable[Brief]) -> None:
    """Raise :class:`RefusedError` if `--redo` would overwrite a page with uncommitted changes."""
    paths = [f"{config.docs}/{brief.page}" for brief in briefs]
    changed = git.changed([path for path in paths if (config.settings.root / path).is_file()])
    if changed:
        raise RefusedError(f"{changed[0]} has uncommitted changes, which --redo would overwrite")


def check_files(config: RunConfig, git: Git | None, briefs: Sequence[Brief], library: Library) -> None:
    """Raise :class:`RefusedError` if a file that filling `briefs` writes could not be written or committed."""
    paths = _written_files(config, briefs, library)
    for path in paths:
        _check_path(config.settings, path, is_committed=git is not None)
    refused = git.add_problem(paths) if git and paths else None
    if refused:
        raise RefusedError(f"{refused}, {_NO_COMMIT}")


def _written_files(config: RunConfig, briefs: Sequence[Brief], library: Library) -> tuple[str, ...]:
    """Return the files that filling `briefs` writes, by path from the project's folder."""
    plans = config.settings.plans_dir.strip("/")
    found = [path for brief in briefs for path in (f"{config.docs}/{brief.page}", str(brief.drop), brief.plan.uri)]
    for plan in {brief.plan.uri: brief.plan for brief in briefs}.values():
        taken = {brief.part.line for brief in briefs if brief.plan.uri == plan.uri}
        closed = {State.DONE, State.SKIPPED, State.DISABLED}
        if all(part.line in taken or part.state in closed for part in plan.parts):
            found.append(completed_place(str(plan.uri), plans))  # the plan moves there when its last PART is done
    return tuple(dict.fromkeys([*found, *config.index_files(library)] if briefs else []))


def _check_path(settings: Settings, path: str, *, is_committed: bool) -> None:
    """Raise :class:`RefusedError` if the file at `path` could not be written, or git would not add it."""
    tops = (settings.docs_dir.strip("/"), settings.plans_dir.strip("/"))
    top = next((top for top in tops if path.startswith(f"{top}/")), "")
    folder, at = ".", settings.root
    names = PurePosixPath(path).parts
    for n, name in enumerate(names, 1):
        at, shown, is_last = at / name, "/".join(names[:n]), n == len(names)
        if name == "..":  # `docs_dir: ../pages`: git decides whether that is inside the repository
            continue
        if at.is_symlink():
            what = f"{shown}: it is a symbolic link"
            if is_last:
                raise RefusedError(f"{what}, which would be replaced by a file; replace it with the file itself")
            if is_committed:
                fix = f"replace it with the folder itself, {_NO_COMMIT}"
                raise RefusedError(f"{what}, and git adds no files through one; {fix}")
            if len(shown) > len(top) and not at.resolve().is_relative_to((settings.root / top).resolve()):
                raise RefusedError(f"{what} that points outside {top}/; replace it with the folder itself")
        if not at.exists():
            break
        if at.is_dir() == is_last:
            kinds = ("a folder", "a file") if is_last else ("a file", "a folder")
            raise RefusedError(f"{shown}: it is {kinds[0]}, but {kinds[1]} is needed; move it away")
        if is_committed and (at / ".git").exists():
            what = "it is a separate git repository, which a commit here cannot include"
            raise RefusedError(f"{shown}: {what}; run planbook there, or with --no-commit")
        folder = folder if is_last else shown
    if not os.access(settings.root / folder, os.W_OK | os.X_OK):
        raise RefusedError(f"{folder}: it is not writable; change its permissions")
