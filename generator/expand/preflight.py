"""Preflight: what would keep a run from writing or committing its files, found before anyone is asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from generator.drafts import Brief
from generator.expand.finished import completed_place
from generator.model import State
from generator.store import Settings
from generator.store.git import Git

_NO_COMMIT = "or run with --no-commit"


def places_of(settings: Settings, briefs: Sequence[Brief], generated: Iterable[str]) -> tuple[str, ...]:
    """Return the files that filling `briefs` writes, by path from the project's folder, with the `generated` ones."""
    docs, plans = settings.docs_dir.strip("/"), settings.plans_dir.strip("/")
    found = [path for brief in briefs for path in (f"{docs}/{brief.page}", str(brief.drop), str(brief.plan.uri))]
    for plan in {brief.plan.uri: brief.plan for brief in briefs}.values():
        taken = {brief.part.line for brief in briefs if brief.plan.uri == plan.uri}
        closed = {State.DONE, State.SKIPPED, State.DISABLED}
        if all(part.line in taken or part.state in closed for part in plan.parts):
            found.append(completed_place(str(plan.uri), plans))  # it moves there when its last PART is done
    return tuple(dict.fromkeys([*found, *generated] if briefs else []))


def problem_with(settings: Settings, git: Git | None, paths: Sequence[str]) -> str | None:
    """Return why a file at one of `paths` could not be written, or committed by `git`; ``None`` where all could."""
    found = (_problem_at(settings, path, is_committed=git is not None) for path in paths)
    problem = next(filter(None, found), None)
    if problem or git is None or not paths:
        return problem
    refused = git.add_problem(paths)
    return f"{refused}, {_NO_COMMIT}" if refused else None


def _problem_at(settings: Settings, path: str, *, is_committed: bool) -> str | None:
    tops = (settings.docs_dir.strip("/"), settings.plans_dir.strip("/"))
    top = next((top for top in tops if path.startswith(f"{top}/")), "")
    folder, at = ".", settings.root
    names = PurePosixPath(path).parts
    for n, name in enumerate(names, 1):
        at, shown = at / name, "/".join(names[:n])
        if name == "..":  # `docs_dir: ../pages`: git says whether that is within the repository
            continue
        if at.is_symlink():
            is_inside = len(shown) <= len(top) or at.resolve().is_relative_to((settings.root / top).resolve())
            problem = _link_problem(top, is_last=n == len(names), is_committed=is_committed, is_inside=is_inside)
            if problem:
                return f"{shown}: it is a symbolic link{problem}"
        if not at.exists():
            break
        if at.is_dir() == (n == len(names)):
            kinds = ("a folder", "a file") if at.is_dir() else ("a file", "a folder")
            return f"{shown}: it is {kinds[0]} where {kinds[1]} is to be; move it away"
        if is_committed and (at / ".git").exists():
            what = "it is a git repository of its own, and this one commits nothing in it"
            return f"{shown}: {what}; run planbook there, or with --no-commit"
        folder = shown if at.is_dir() else folder
    if not os.access(settings.root / folder, os.W_OK | os.X_OK):
        return f"{folder}: nothing can be written there; make the folder writable"
    return None


def _link_problem(top: str, *, is_last: bool, is_committed: bool, is_inside: bool) -> str | None:
    if is_last:
        return ", which would be replaced by a file; put the file itself there"
    if is_committed:
        return f", and git adds nothing that lies behind one; put the folder itself there, {_NO_COMMIT}"
    return None if is_inside else f" that leads out of {top}/; put the folder itself there"
