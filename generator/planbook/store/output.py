"""The input files and the output folder of `planbook materialize`.

The output folder contains a list of the files that we wrote; other files in it are never touched.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from planbook.store.files import RefusedError, remove_empty_folders, write_changed, writing
from planbook.store.settings import Settings
from planbook.store.trees import excluded_files, scan_docs

MARKER = ".planbook-tree.json"
"""The name of the list in the folder."""


class _Marker(msgspec.Struct):
    files: list[str]


class NotOursError(RefusedError):
    """A folder or file was not written by Planbook; the message names it and says what to do."""


def write_owned(
    folder: Path, files: Mapping[str, bytes], *, force: bool = False
) -> tuple[int, int]:
    """Make `files`, by POSIX path, all that we have in `folder`.

    Return how many were written and how many removed.

    Files of an earlier run that are not in `files` are removed. Unchanged files are not written
    again. With `force`, files that we did not write are overwritten if one of `files` has the same
    path; all others stay.

    Raises :class:`NotOursError`, before anything is written, if the folder holds files and no list,
    if a file that we did not write would be overwritten, if a path leaves the folder, even through
    a link, and if two of the paths are the same to the file system.
    """
    earlier = _earlier_paths(folder)
    if (
        earlier is None
        and not force
        and folder.exists()
        and (not folder.is_dir() or any(folder.iterdir()))
    ):
        defect = "is not empty, and was not created by planbook materialize"
        raise NotOursError(
            f"{folder} {defect}; choose a new folder, or pass --force to write into this one"
        )
    known_files = set(earlier or ())
    for path in sorted({*files, *known_files}):
        _refuse_to_leave(folder, path)
    for path in sorted(files):
        if (folder / path).exists() and path not in known_files and not force:
            raise NotOursError(
                f"{folder / path} exists, and Planbook did not write it; move it, or pass --force"
            )
    _write_list(
        folder, {*known_files, *files}
    )  # first, so that a killed run has listed what it wrote
    written_count = _write_all(folder, files)
    stale = sorted(known_files - files.keys())
    for path in stale:
        (folder / path).unlink(missing_ok=True)
        remove_empty_folders((folder / path).parent, folder)
    _write_list(folder, files)
    return written_count, len(stale)


def _write_all(folder: Path, files: Mapping[str, bytes]) -> int:
    alike: dict[str, Path] = {}
    written_count = 0
    for path in sorted(files):
        at = folder / path
        other = alike.setdefault(path.casefold(), at)
        if other != at and at.exists() and at.samefile(other):
            defect = (
                f"{path} and {other.name} are one file on this file system; "
                "choose another --index, e.g. README.md"
            )
            raise NotOursError(defect)
        written_count += write_changed(at, files[path], is_durable=False)  # can be made again
    return written_count


def _earlier_paths(folder: Path) -> list[str] | None:
    """Return the paths that an earlier run wrote; ``None`` if there was none."""
    try:
        return msgspec.json.decode((folder / MARKER).read_bytes(), type=_Marker).files
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotOursError(
            f"{folder / MARKER} cannot be read; remove the folder {folder}, or that file"
        ) from error


def _refuse_to_leave(folder: Path, path: str) -> None:
    components = PurePosixPath(path).parts
    if (
        not components
        or ".." in components
        or "\\" in path
        or "\0" in path
        or PurePosixPath(path).is_absolute()
    ):
        raise NotOursError(f"{path!r} is not in {folder}")
    for n in range(1, len(components) + 1):
        at = folder.joinpath(*components[:n])
        is_last = n == len(components)
        if at.is_symlink():
            raise NotOursError(f"{at} is a link and may point elsewhere; remove it")
        if at.exists() and is_last and not at.is_file():
            raise NotOursError(f"{at} is not a file; remove it")
        if at.exists() and not is_last and not at.is_dir():
            raise NotOursError(f"{at} is not a folder; remove it")


def _write_list(folder: Path, paths: Iterable[str]) -> None:
    text = json.dumps(
        {"maker": "planbook materialize", "files": sorted(paths)}, ensure_ascii=False, indent=1
    )
    write_changed(folder / MARKER, f"{text}\n".encode())


def publish(site: Path, target: Path) -> None:
    """Move the files of `site` to `target` in place of those there.

    Hidden ones stay, as in a build of MkDocs.
    """
    with writing(target):
        for old in list(target.iterdir()) if target.is_dir() else ():
            if old.name.startswith("."):
                continue
            if old.is_dir() and not old.is_symlink():
                shutil.rmtree(old)
            else:
                old.unlink()
        shutil.copytree(site, target, dirs_exist_ok=True, copy_function=shutil.move)


# --- the documentation folder ---------------------------------------------------------------------


def other_files(settings: Settings) -> Iterator[tuple[str, bytes]]:
    """Yield files that are not pages, by path in the documentation folder, without hidden ones."""
    excluded = excluded_files(settings)
    docs = settings.root / settings.docs_dir
    for path in scan_docs(settings).files:
        if not path.endswith(".md") and not excluded.match_file(path):
            yield path, (docs / path).read_bytes()
