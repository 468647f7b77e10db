"""Write files, atomically and durably; read and write the working folder."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
from filelock import FileLock

T = TypeVar("T")
_PREFIX = ".{}.planbook-"
"""The name of a temporary file: hidden, and in the folder of its target."""
_FULL_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FORBIDDEN_ERRORS = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_SQLITE = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EPERM,
    sqlite3.SQLITE_IOERR: errno.EIO,
}
"""SQLite's primary result codes for a file that cannot be written
(https://www.sqlite.org/rescode.html)."""


WORK_DIR = ".planbook"
"""The name of the working folder: fetched documents, reports, and the state of unfinished runs. Git
ignores it."""


class UserError(Exception):
    """An error that the user can correct.

    The command line prints the message, which says how, and exits.
    """

    exit_code = 1


class RefusedError(UserError):
    """A command cannot work with the files or options that it was given.

    The message says why and what to do.
    """


class UnwritableError(UserError):
    """A file cannot be written, for example on a full disk.

    The message names it and suggests a fix.
    """


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Convert errors on reading `path`, or a file in it, to :class:`RefusedError`."""
    try:
        yield
    except OSError as error:
        name, why = error.filename or path, error.strerror or error
        raise RefusedError(
            f"{name}: cannot be read ({why}); make it readable, or remove it"
        ) from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert errors on writing `path`, including SQLite's, to :class:`UnwritableError`."""
    try:
        yield
    except OSError as error:
        raise _unwritable(path, error, error.errno) from error
    except sqlite3.Error as error:
        code = _SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if code is None:
            raise
        raise _unwritable(path, error, code) from error


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold the lock of this file, and wait for whoever has it. Raises UnwritableError."""
    lock = FileLock(path)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def refusal_in(error: Exception, folder: Path) -> UnwritableError | None:
    """Convert an error on writing into `folder` to an :class:`UnwritableError`.

    It is ``None`` if it is of another kind.
    """
    if not isinstance(error, OSError):
        return error if isinstance(error, UnwritableError) else None
    failed_path = error.filename2 or error.filename  # None if an open file cannot grow
    path = Path(os.fsdecode(failed_path)) if failed_path else folder
    is_refused = error.errno in _FULL_DISK_ERRORS or (
        error.errno in _FORBIDDEN_ERRORS and path.is_relative_to(folder)
    )
    return _unwritable(path, error, error.errno) if is_refused else None


def _unwritable(path: Path, error: OSError | sqlite3.Error, code: int | None) -> UnwritableError:
    advice = "check the disk and the folder's permissions"
    if code in _FULL_DISK_ERRORS:
        advice = "free some disk space"
    elif code in _FORBIDDEN_ERRORS:
        advice = "make it and its folder writable"
    reason = getattr(error, "strerror", None) or error
    return UnwritableError(
        f"{path}: cannot be written ({reason}); {advice}, then run the same command again"
    )


def write_atomic(path: Path, content: bytes, *, is_durable: bool = True) -> None:
    """Write `content` to `path` atomically and, if wanted, durably.

    Durable means: on return, both content and name are on disk.

    Raises :class:`UnwritableError`, as all functions that write do.
    """
    with writing(path):
        above = [*path.parents]
        missing = above[: next(n for n, folder in enumerate(above) if folder.exists())]
        path.parent.mkdir(parents=True, exist_ok=True)
        for made in missing if is_durable else ():
            _sync_folder(made.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_PREFIX.format(path.name))
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                if is_durable:
                    os.fsync(file.fileno())
            Path(temporary).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        if is_durable:
            _sync_folder(path.parent)


def write_changed(path: Path, content: bytes, *, is_durable: bool = True) -> bool:
    """Write `content` as `write_atomic` does if the file differs; return whether it did."""
    if path.is_file() and path.read_bytes() == content:
        return False
    write_atomic(path, content, is_durable=is_durable)
    return True


def replace_file(path: Path, content: bytes) -> None:
    """Write an existing file as `write_atomic` does, but keep links to it.

    A file that is read-only is refused.
    """
    path = path.resolve()
    with writing(path), path.open("r+b"):
        write_atomic(path, content)


def remove_unwritten(path: Path) -> None:
    """Remove temporary files that a killed process left next to `path`.

    No other process may be writing it.
    """
    for temporary in (
        path.parent.glob(f"{glob.escape(_PREFIX.format(path.name))}*")
        if path.parent.is_dir()
        else ()
    ):
        with writing(path):
            temporary.unlink(missing_ok=True)


def remove_file(path: Path, top: Path) -> None:
    """Remove a file, and the folders above it and below `top` that are empty then.

    Raises UnwritableError.
    """
    with writing(path):
        path.unlink(missing_ok=True)
    remove_empty_folders(path.parent, top)


def remove_empty_folders(folder: Path, top: Path) -> None:
    """Remove `folder` and its empty parents, up to but not including `top`."""
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        with writing(folder):
            folder.rmdir()
        folder = folder.parent


def link_entries(folder: Path, view: Path, excluded: frozenset[str]) -> None:
    """Fill the empty folder `view` with links to all entries of `folder` but the `excluded`."""
    above = {parent for path in excluded for parent in Path(path).parents}
    made = {"", *map(str, above - {Path()})}
    for folder_within in sorted(made):
        (view / folder_within).mkdir(exist_ok=True)
        for entry in os.scandir(folder / folder_within):
            path = f"{folder_within}/{entry.name}" if folder_within else entry.name
            if path not in excluded and path not in made:
                (view / path).symlink_to(folder / path)


def _sync_folder(folder: Path) -> None:
    """Flush the folder to disk: else a file's content may survive a power cut, but not its name."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- the report of checks -------------------------------------------------------------------------

REPORT = "planbook-verify.json"
"""The report of `planbook verify`, beside the configuration: it belongs to the base, and git keeps
it."""


def read_report(root: Path) -> bytes | None:
    """Return the report of `planbook verify`; ``None`` if there is none."""
    path = root / REPORT
    return path.read_bytes() if path.is_file() else None


# --- the working folder ---------------------------------------------------------------------------


def read_own_json(path: Path, kind: type[T], if_damaged: str) -> T | None:
    """Return what a JSON file of ours holds; ``None`` if there is no such file.

    Args:
        path: the file.
        kind: the type of its content.
        if_damaged: what to do if it cannot be read, for the message.

    Raises:
        RefusedError: the file is there, and cannot be read or holds something else. It is not taken
            for empty: what it held would be lost with the next write.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RefusedError(f"{path} cannot be read ({reason}); {if_damaged}") from error


def read_work(root: Path, name: str) -> bytes | None:
    """Return a file of the working folder by its POSIX path there; ``None`` if there is none."""
    path = root / WORK_DIR / name
    return path.read_bytes() if path.is_file() else None


def write_work(root: Path, name: str, content: bytes) -> None:
    """Write a file of the working folder, unless it has this content already."""
    write_changed(work_path(root, name), content)


def remove_work(root: Path, name: str) -> None:
    """Remove a folder of the working folder, if it is there."""
    shutil.rmtree(root / WORK_DIR / name, ignore_errors=True)


def append_work(root: Path, name: str, line: str) -> None:
    """Append a line to a log in the working folder, without waiting for the disk."""
    path = work_path(root, name)
    with writing(path), path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def work_path(root: Path, name: str) -> Path:
    """Return the path of a file of the working folder, and make its folder, which git ignores."""
    ignore = root / WORK_DIR / ".gitignore"
    if not ignore.exists():
        write_atomic(ignore, b"*\n")
    path = root / WORK_DIR / name
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path
