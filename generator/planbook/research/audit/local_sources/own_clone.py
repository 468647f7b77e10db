"""Files of the repository that an audited folder is in, which its pages cite by their addresses.

A wiki on code often lies beside the code, and links to it on GitHub. If the folder is in a clone of
that repository, the files are read there: on a branch as of the commit that is checked out, else at
the commit in the address.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path, PurePosixPath

from planbook.citations.repository_files import GITHUB, RepositoryFile
from planbook.research.mirrors import Mirror, MirrorError
from planbook.research.search.document_folder import read_file
from planbook.research.web.model import Fetched

_REMOTE = re.compile(
    r"^\s*url\s*=\s*(?:\w+://)?(?:[^@/\s]+@)?"
    r"(?P<host>[\w.-]+)(?::\d+)?[:/](?P<name>[^\s:]+?)(?:\.git)?/?\s*$",
    re.MULTILINE,
)
"""A remote in git's settings: ``url = https://github.com/leaf/tea``, ``git@a.test:leaf/tea``."""
_LEAST_FILES = 3
_LEAST_SHARE = 0.8
"""Cited files, and the share of them that are there, from which a clone without such a remote is
one of their repository."""


def read_own_clone(
    folder: Path, files: Collection[RepositoryFile]
) -> dict[RepositoryFile, Fetched]:
    """Return those of `files` whose repository is the one that a folder is in.

    The result is empty if the folder is in no clone, or git cannot read it.
    """
    top = _top_of(folder)
    if top is None or not files:
        return {}
    try:
        with closing(Mirror(top)) as mirror:
            return dict(_read(mirror, files, set(_remotes_of(top))))
    except MirrorError:  # nothing is known of the files then
        return {}


def _read(
    mirror: Mirror, files: Collection[RepositoryFile], remotes: Collection[str]
) -> Iterator[tuple[RepositoryFile, Fetched]]:
    """Yield the files of the clone's repository with their texts, or why they have none."""
    head = mirror.checked_out
    if head is None:
        return
    of_repositories: dict[str, list[RepositoryFile]] = defaultdict(list)
    for file in files:
        of_repositories[file.key].append(file)
    for key, cited in of_repositories.items():
        if key not in remotes and not _fits(mirror, head, {file.path for file in cited}):
            continue
        for file in cited:
            is_at_commit = file.is_pinned or file.is_abbreviated
            commit = mirror.resolve(file.ref) if is_at_commit else head
            if commit:
                yield file, read_file(mirror, replace(file, ref=commit))


def _fits(mirror: Mirror, commit: str, paths: Collection[str]) -> bool:
    """Return whether a clone whose remotes are others has the files that pages cite."""
    files = {file.path for file in mirror.files(commit)}
    folders = {above.as_posix() for path in files for above in PurePosixPath(path).parents}
    in_clone = (files | folders).intersection(paths)
    return len(paths) >= _LEAST_FILES and len(in_clone) >= _LEAST_SHARE * len(paths)


def _top_of(folder: Path) -> Path | None:
    """Return the folder with ``.git`` that a folder is in."""
    path = folder.resolve()
    return next((above for above in (path, *path.parents) if (above / ".git").is_dir()), None)


def _remotes_of(top: Path) -> Iterable[str]:
    """Yield the names of a clone's remotes, as in `RepositoryFile.key`."""
    settings = top / ".git" / "config"
    text = settings.read_text("utf-8", "replace") if settings.is_file() else ""
    for remote in _REMOTE.finditer(text):
        host, name = remote["host"].lower().removeprefix("www."), remote["name"].lower()
        yield name if host == GITHUB else f"{host}/{name}"
