"""Scratch copies of the last commit, for programs that write pages."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from generator.store.files import work_path, write_atomic
from generator.store.git import Git

_FOLDER = "scratch"


class NotTakenError(Exception):
    """A file of a scratch copy was rejected; the message says why."""


@contextmanager
def scratch_copy(git: Git) -> Iterator[Path]:
    """Yield a copy of the whole last commit in the working folder, and remove it at the end. Raises GitError."""
    folder = work_path(git.root, f"{_FOLDER}/{uuid.uuid4().hex[:12]}").resolve()
    try:
        git.copy_commit(folder)
        yield folder
    finally:
        _remove(folder)


def remove_scratch_copies(root: Path) -> None:
    """Remove the copies of killed runs. Call it only while no run is active."""
    folders = work_path(root, _FOLDER)
    for folder in folders.iterdir() if folders.is_dir() else ():
        _remove(folder)


def stamps(root: Path) -> Mapping[str, tuple[int, int]]:
    """Return the modification time in nanoseconds and the size of each file in `root` except git's own, by path."""
    found: dict[str, tuple[int, int]] = {}
    for place, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for path in (Path(place, name) for name in names):
            with contextlib.suppress(FileNotFoundError):  # the program may still be writing there
                at = path.lstat()
                found[path.relative_to(root).as_posix()] = (at.st_mtime_ns, at.st_size)
    return found


def put_files(root: Path, files: Mapping[str, str]) -> None:
    """Write texts as files in `root`, by path."""
    for path, text in files.items():
        write_atomic(root / path, text.encode("utf-8", errors="replace"))


def take_file(root: Path, path: str, max_bytes: int) -> bytes | None:
    """Return the content of the file at `path` in `root`; ``None`` if there is none.

    Raises:
        NotTakenError: it is not a regular file, is behind a link, or is too large.
    """
    at = root
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or PurePosixPath(path).is_absolute():
        raise NotTakenError(f"{path!r} is not in the project")
    for name in parts:
        at = at / name
        if at.is_symlink():
            raise NotTakenError(f"{at.relative_to(root).as_posix()} is a link")
    if not at.exists():
        return None
    if not at.is_file():
        raise NotTakenError(f"{path} is not a file")
    handle = os.open(at, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise NotTakenError(f"{path} has more than {max_bytes:,} bytes")
    return content


def _remove(folder: Path) -> None:
    """Remove a folder, even if a program took away permissions in it."""
    for place, folders, _ in os.walk(folder):
        for path in (Path(place, name) for name in folders):
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
