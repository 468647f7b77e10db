"""A folder that is all ours: written whole, and nothing in it that someone else wrote is touched.

A file in it lists what we wrote. By that list the next run knows what is stale, and what is not its own.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from generator.store.files import remove_empty_folders, write_atomic

MARKER = ".planbook-tree.json"
"""The list, in the folder itself."""


class NotOursError(Exception):
    """A folder or file that is not ours to write; the message says which, and what would be right."""


def write_owned(folder: Path, files: Mapping[str, bytes], *, force: bool = False) -> tuple[int, int]:
    """`files`, by POSIX path, as all that we have in `folder`; how many were written, and how many removed.

    What an earlier run wrote and this one does not is removed. A file that is right already is not written again. With
    `force`, files that someone else wrote are overwritten where one of `files` goes there; others stay in any case.

    Raises :class:`NotOursError`, before anything is written, where the folder holds files and no list, where a file of
    someone else is in the way, or where a path leaves the folder, through a link too; and where the file system takes
    two of the paths for one.
    """
    earlier = _earlier(folder)
    if earlier is None and not force and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "is not empty, and was not made by planbook materialize"
        raise NotOursError(f"{folder} {what}; name a new folder, or pass --force to write into this one")
    known = set(earlier or ())
    for path in sorted({*files, *known}):
        _refuse_to_leave(folder, path)
    for path in sorted(files):
        if (folder / path).exists() and path not in known and not force:
            raise NotOursError(f"{folder / path} is in the way, and someone else wrote it; move it, or pass --force")
    _write_list(folder, {*known, *files})  # a run that is killed has listed what it wrote
    written = _write_all(folder, files)
    stale = sorted(known - files.keys())
    for path in stale:
        (folder / path).unlink(missing_ok=True)
        remove_empty_folders((folder / path).parent, folder)
    _write_list(folder, files)
    return written, len(stale)


def _write_all(folder: Path, files: Mapping[str, bytes]) -> int:
    alike: dict[str, Path] = {}
    written = 0
    for path in sorted(files):
        at = folder / path
        other = alike.setdefault(path.casefold(), at)
        if other != at and at.exists() and at.samefile(other):
            what = f"this file system takes {path} for {other.name}; choose another --index, such as README.md"
            raise NotOursError(what)
        written += _written(at, files[path])
    return written


def _earlier(folder: Path) -> list[str] | None:
    """The paths that an earlier run wrote; ``None`` where there was none."""
    try:
        listed = json.loads((folder / MARKER).read_text(encoding="utf-8"))["files"]
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise NotOursError(f"{folder / MARKER} cannot be read; remove the folder {folder}, or that file") from error
    if not isinstance(listed, list) or not all(isinstance(path, str) for path in listed):
        raise NotOursError(f"{folder / MARKER} is no list of files; remove the folder {folder}, or that file")
    return listed


def _refuse_to_leave(folder: Path, path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or "\\" in path or "\0" in path or PurePosixPath(path).is_absolute():
        raise NotOursError(f"{path!r} does not lie in {folder}")
    at = folder
    for n, name in enumerate(parts, 1):
        at = at / name
        try:
            mode = at.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return
        if stat.S_ISLNK(mode):
            raise NotOursError(f"{at} is a link, and what is written there may lie elsewhere; remove it")
        if n == len(parts) and not stat.S_ISREG(mode):
            raise NotOursError(f"{at} is no file; remove it")
        if n < len(parts) and not stat.S_ISDIR(mode):
            raise NotOursError(f"{at} is no folder; remove it")


def _write_list(folder: Path, paths: Iterable[str]) -> None:
    text = json.dumps({"maker": "planbook materialize", "files": sorted(paths)}, ensure_ascii=False, indent=1)
    _written(folder / MARKER, f"{text}\n".encode())


def _written(path: Path, content: bytes) -> bool:
    """Writes `content`, unless it is there already; whether it was not."""
    if path.is_file() and path.read_bytes() == content:
        return False
    write_atomic(path, content)
    return True
