"""List a folder's files, and what cannot be read: links out of the base, pipes, missing targets."""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from planbook.model import Problem

LEADS_OUT, UNREADABLE = "K006", "K007"
"""The codes of Problems with entries that are not read."""
MAX_VISITS = 50
"""A folder is listed at most this often: links between folders can multiply without a loop."""
_PRIVATE_FOLDERS = frozenset({".git", ".cache", ".planbook"})
"""Links do not lead into these folders of a base: the configuration of a clone may hold a token,
and what builds and runs keep is no part of the base."""
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class SkippedEntry:
    """A file or folder that is not read."""

    path: str
    """Relative to the folder that was scanned."""
    code: str
    message: str
    """The defect and the fix."""
    is_folder: bool = False
    """True if a program that follows links would look for files in it."""
    is_repeated: bool = False
    """True if another entry has the same cause."""

    @property
    def name(self) -> str:
        """The path for messages."""
        return printable(self.path)

    def problem(self, prefix: str) -> Problem:
        """Return the Problem; `prefix` is the path of the scanned folder in the project."""
        uri = f"{prefix}/{self.name}" if prefix not in {"", "."} else self.name
        return Problem(uri, 1, self.code, self.message)


@dataclass(frozen=True, slots=True)
class FolderScan:
    """The entries of a folder and of all folders below it."""

    files: tuple[str, ...] = ()
    """Readable files, by POSIX path relative to the folder; those of subfolders come last."""
    skipped: tuple[SkippedEntry, ...] = ()
    folders: tuple[str, ...] = ()
    """The folders that were listed, by path relative to the folder, which is an empty path."""

    def has_skipped(self, path: str) -> bool:
        """Return True if the file at `path` was skipped, or a folder that it is in."""
        names = {entry.path for entry in self.skipped}
        return bool(names) and not names.isdisjoint({path, *map(str, Path(path).parents)})


def scan_folder(
    folder: Path,
    bounds: Iterable[Path],
    *,
    has_hidden: bool = False,
    within: str = "the base",
    outputs: Iterable[Path] = (),
) -> FolderScan:
    """Return the files below `folder`, and the entries that are not read.

    Links are followed within `bounds` and the folder itself, but not out of them, nor back to a
    folder that contains the link. Every file returned is a regular one that this process may read.
    A missing folder is empty.

    Args:
        folder: the folder; it may be a link itself.
        bounds: the folders that links may lead into.
        has_hidden: True to include entries whose names begin with a dot.
        within: what messages call the folders that links may lead into.
        outputs: the folders that builds write, which links may not lead into.
    """
    scan = _Scan((folder, *bounds), has_hidden, within, outputs)
    scan.run(folder)
    return FolderScan(tuple(scan.files), tuple(scan.skipped), tuple(scan.folders))


def skip_reason(
    path: Path, bounds: Iterable[Path], outputs: Iterable[Path] = ()
) -> SkippedEntry | None:
    """Return the entry at `path` with the reason why it is not read; ``None`` if it is read."""
    scan = _Scan(bounds, has_hidden=True, within="the base", outputs=outputs)
    reason: str | tuple[str, str] | None = None
    if path.is_symlink():
        reason = scan.target_of(str(path))
    elif not scan.may_read(real_path(path)):
        defect = "a folder above it is a link that leads out of the base; replace it with a copy"
        reason = LEADS_OUT, defect
    if not isinstance(reason, tuple) and not path.is_dir():
        reason = _find_unreadable(str(path))
    return SkippedEntry(str(path), *reason) if isinstance(reason, tuple) else None


def real_path(path: Path) -> str:
    """Return the absolute path without links; as far as they lead somewhere."""
    return os.path.realpath(path)


def printable(name: str) -> str:
    r"""Return a name that any output can show, with escapes such as ``\xff`` if it is not UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is to be listed."""

    path: str
    """Its path."""
    inner: str
    """Its path relative to the scanned folder."""
    reals: tuple[str, ...]
    """Its path without links, last, after those of the folders in which links lead to it."""


class _Scan:
    """One walk through a folder."""

    def __init__(
        self, bounds: Iterable[Path], has_hidden: bool, within: str, outputs: Iterable[Path]
    ) -> None:
        self._bounds, self._has_hidden = tuple(dict.fromkeys(map(real_path, bounds))), has_hidden
        places = dict.fromkeys(map(real_path, outputs))
        self._outputs = frozenset(
            folder
            for folder in places
            if not any(_is_within(bound, folder) for bound in self._bounds)
        )
        self._within = within
        self._visits = Counter[str]()
        self.files: list[str] = []
        self.folders: list[str] = []
        self.skipped: list[SkippedEntry] = []

    def run(self, top: Path) -> None:
        """List the folder, and the folders below it in the order of their paths."""
        waiting = [_Folder(str(top), "", (real_path(top),))] if top.is_dir() else []
        while waiting:
            waiting += reversed(list(self._list(waiting.pop())))

    def _list(self, folder: _Folder) -> Iterator[_Folder]:
        """List one folder, and return its subfolders."""
        try:
            with os.scandir(folder.path) as unordered:
                entries = sorted(unordered, key=lambda entry: entry.name)
        except OSError as error:
            defect = f"the folder cannot be read ({error.strerror}); make it readable, or remove it"
            self._skip(folder.inner, UNREADABLE, defect, is_folder=True)
            return
        self.folders.append(folder.inner)
        for entry in entries:
            if self._has_hidden or not entry.name.startswith("."):
                yield from self._list_entry(entry, folder)

    def _list_entry(self, entry: os.DirEntry[str], folder: _Folder) -> Iterator[_Folder]:
        """List an entry of a folder, and yield it if it is a folder to list."""
        inner = f"{folder.inner}/{entry.name}" if folder.inner else entry.name
        is_plain = entry.is_file(follow_symlinks=False) and entry.name.isascii()
        if is_plain and os.access(entry.path, os.R_OK):
            self.files.append(inner)  # nearly all
        elif not _is_utf8(entry.name):
            defect = "the name is not UTF-8; rename it"
            self._skip(inner, UNREADABLE, defect, is_folder=entry.is_dir())
        elif entry.is_symlink():
            yield from self._follow(entry.path, inner, folder.reals)
        elif entry.is_dir():
            *above, real = folder.reals
            below = _Folder(entry.path, inner, (*above, f"{real}/{entry.name}"))
            if above and not self.may_read(below.reals[-1]):
                defect = f"the folder is not part of {self._within}, and a link leads to it"
                self._skip(inner, LEADS_OUT, f"{defect}; remove the link", is_folder=True)
            else:
                yield below
        else:
            self._take(entry.path, inner)

    def _follow(self, path: str, inner: str, reals: tuple[str, ...]) -> Iterator[_Folder]:
        """Take the file that a link leads to, or return the folder."""
        target = self.target_of(path)
        if isinstance(target, tuple):
            self._skip(inner, *target, is_folder=os.path.isdir(path))  # noqa: PTH112 - a string
        elif not os.path.isdir(target):  # noqa: PTH112
            self._take(path, inner)
        elif any(_is_within(real, target) for real in reals):
            link = f"the link to {_linked_path(path)}"
            defect = f"{link} leads back to a folder that contains it; remove it"
            self._skip(inner, UNREADABLE, defect, is_folder=True)
        elif self._visits[target] >= MAX_VISITS:
            is_repeated = self._visits[target] > MAX_VISITS
            folder = _linked_path(path)
            defect = f"more than {MAX_VISITS} links lead to the folder {folder}; remove some"
            self._visits[target] += 1
            self._skip(inner, UNREADABLE, defect, is_folder=True, is_repeated=is_repeated)
        else:
            self._visits[target] += 1
            yield _Folder(path, inner, (*reals, target))

    def target_of(self, link: str) -> str | tuple[str, str]:
        """Return the path that a link leads to, or code and message if it is not followed."""
        try:
            target = os.path.realpath(link, strict=True)
        except OSError as error:
            defect = f"the link to {_linked_path(link)} {_describe_broken_link(error)}"
            return UNREADABLE, f"{defect}; correct it, or remove it"
        if not self.may_read(target):
            where = f"leads out of {self._within}"
            if any(_is_within(target, bound) for bound in self._bounds):
                where = f"leads to what is not part of {self._within}"
            defect = f"the link to {_linked_path(link)} {where} and is not followed"
            return LEADS_OUT, f"{defect}; replace it with a copy, or remove it"
        return target

    def may_read(self, target: str) -> bool:
        """Return True if links may lead to `target`, a path without links."""
        if any(_is_within(target, output) for output in self._outputs):
            return False
        return any(
            _is_within(target, bound)
            and _PRIVATE_FOLDERS.isdisjoint(Path(target[len(bound) :]).parts)
            for bound in self._bounds
        )

    def _take(self, path: str, inner: str) -> None:
        reason = _find_unreadable(path)
        if reason is None:
            self.files.append(inner)
        else:
            self._skip(inner, *reason)

    def _skip(
        self,
        inner: str,
        code: str,
        message: str,
        *,
        is_folder: bool = False,
        is_repeated: bool = False,
    ) -> None:
        self.skipped.append(SkippedEntry(inner, code, message, is_folder, is_repeated))


def _linked_path(link: str) -> str:
    return printable(os.readlink(link))  # noqa: PTH115 - a string


def _describe_broken_link(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "leads back to itself"
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return "leads to nothing"
    return f"cannot be followed ({error.strerror})"


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _find_unreadable(path: str) -> tuple[str, str] | None:
    """Return code and message if what is at `path` is no file that this process may read."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - for thousands of files
    except OSError as error:
        return (
            UNREADABLE,
            f"the file cannot be read ({error.strerror}); make it readable, or remove it",
        )
    if stat.S_ISREG(mode):
        if os.access(path, os.R_OK):
            return None
        return (
            UNREADABLE,
            "the file cannot be read (Permission denied); make it readable, or remove it",
        )
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
    return UNREADABLE, f"this is {kind}, not a file; remove it"
