"""Checks before anything is written: files and repository must take what is to be recorded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from planbook.library import Library
from planbook.research import drafts
from planbook.research.git import Git, GitError
from planbook.research.recording.config import RecordingConfig
from planbook.store import RefusedError, Settings

_NO_COMMIT = "or run with --no-commit"
_MAX_LISTED_FILES = 3
"""Number of staged files that a message names."""


def check_repository(config: RecordingConfig, git: Git, run_paths: Iterable[str] = ()) -> None:
    """Raise :class:`RefusedError` if a commit would fail, or mix with staged changes.

    Args:
        config: the setup of the run.
        git: the repository.
        run_paths: files that an interrupted run wrote.
    """
    try:
        staged = [path for path in git.staged() if path not in {*run_paths, *config.may_be_staged}]
    except GitError as error:
        raise RefusedError(f"{error}; {_NO_COMMIT}") from error
    if staged:
        staged_names = ", ".join(staged[:_MAX_LISTED_FILES])
        other_count = len(staged) - _MAX_LISTED_FILES
        more = f" and {other_count} more" if other_count > 0 else ""
        raise RefusedError(
            f"the index holds staged changes ({staged_names}{more}); commit or unstage them first "
            f"(git restore --staged .), {_NO_COMMIT}"
        )
    waits = git.unfinished()
    if waits:
        raise RefusedError(f"{waits} is in progress; finish or abort it first, {_NO_COMMIT}")
    problem = git.identity_problem()
    if problem:
        raise RefusedError(f"{problem}, {_NO_COMMIT}")


def check_pages(config: RecordingConfig, git: Git, briefs: Iterable[drafts.Brief]) -> None:
    """Raise :class:`RefusedError` if `--redo` would overwrite a page with uncommitted changes."""
    paths = [f"{config.docs}/{brief.page}" for brief in briefs]
    changed = git.changed([path for path in paths if (config.settings.root / path).is_file()])
    if changed:
        raise RefusedError(f"{changed[0]} has uncommitted changes, which --redo would overwrite")


def check_files(
    config: RecordingConfig, git: Git | None, briefs: Sequence[drafts.Brief], library: Library
) -> None:
    """Raise :class:`RefusedError` if a file could not be written or committed.

    The files are those that filling `briefs` writes.
    """
    written: list[str] = []
    for brief in briefs:
        written += [f"{config.docs}/{brief.page}", str(brief.drop), brief.plan.uri]
    if briefs:
        written += config.index_files(library)
    paths = tuple(dict.fromkeys(written))
    for path in paths:
        _check_path(config.settings, path, is_committed=git is not None)
    refused = git.add_problem(paths) if git and paths else None
    if refused:
        raise RefusedError(f"{refused}, {_NO_COMMIT}")


def _check_path(settings: Settings, path: str, *, is_committed: bool) -> None:
    """Raise :class:`RefusedError` if a file could not be written, or git would not add it."""
    tops = (settings.docs_dir.strip("/"), settings.plans_dir.strip("/"))
    top = next((top for top in tops if path.startswith(f"{top}/")), "")
    folder = "."
    ancestor = settings.root
    names = PurePosixPath(path).parts
    for n, name in enumerate(names, 1):
        ancestor /= name
        is_last = n == len(names)
        if name == "..":  # `docs_dir: ../pages`: git decides whether that is inside the repository
            continue
        checked_path = "/".join(names[:n])
        if ancestor.is_symlink():
            _check_link(ancestor, checked_path, settings.root, top, is_last=is_last)
        if not ancestor.exists():
            break
        _check_kind(ancestor, checked_path, is_last=is_last)
        if is_committed and (ancestor / ".git").exists():
            defect = "it is a separate git repository, which a commit here cannot include"
            raise RefusedError(f"{checked_path}: {defect}; run planbook there, or with --no-commit")
        if not is_last:
            folder = checked_path
    if not os.access(settings.root / folder, os.W_OK | os.X_OK):
        raise RefusedError(f"{folder}: it is not writable; change its permissions")


def _check_link(link: Path, path: str, root: Path, top: str, *, is_last: bool) -> None:
    """Raise :class:`RefusedError` if a symbolic link would be replaced, or leads elsewhere.

    Args:
        link: the link.
        path: its path from the project's folder.
        root: the project's folder.
        top: the path of the folder of pages or plans, which may itself be a link.
        is_last: whether it is the file to write, not a folder above it.
    """
    defect = f"{path}: it is a symbolic link"
    if is_last:
        fix = "which would be replaced by a file; replace it with the file itself"
        raise RefusedError(f"{defect}, {fix}")
    is_below_top = len(path) > len(top)
    if is_below_top and not link.resolve().is_relative_to((root / top).resolve()):
        fix = f"that points outside {top}/; replace it with the folder itself"
        raise RefusedError(f"{defect} {fix}")


def _check_kind(file: Path, path: str, *, is_last: bool) -> None:
    """Raise :class:`RefusedError` for a folder in place of a file, or the other way."""
    is_folder = file.is_dir()
    if is_folder == is_last:
        kind, needed = ("a folder", "a file") if is_folder else ("a file", "a folder")
        raise RefusedError(f"{path}: it is {kind}, but {needed} is needed; move it away")
