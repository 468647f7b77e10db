"""A content-addressed disk cache.

An entry is named by the digest of everything its value was computed from, so it is never out of
date: it is found or it is not. Values are decoded into the expected type and checked against it;
nothing that is read is ever executed. Two builds may share a folder: each process appends to files
of its own. An entry of another format is treated as missing; a file in which a part is truncated or
altered is deleted, so that everything in it is computed again, once, and the build says so.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import shutil
import stat
import struct
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar, overload

from planbook_cache.entries import DIGEST_BYTES, UNENCODABLE, decode_or, is_intact, pack

T = TypeVar("T")
D = TypeVar("D")

CACHE_DIR = ".cache/planbook"
"""The default folder, relative to ``mkdocs.yml``."""
MAX_BYTES = 1 << 30
"""The default size limit of the folder."""
FORMAT = "planbook-cache-4"
"""The folder's name; those of other formats are deleted."""
MARKER = "CACHEDIR.TAG"
"""https://bford.info/cachedir/: backup programs skip the folder."""
SIGNATURE = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# Made by Planbook; may be deleted at any time.\n"
)
DATA, INDEX = ".data", ".index"
"""The ends of the names of a process's two files: with its entries, and with the place of each."""
PLACE = struct.Struct("<32sQQL")
"""An entry's key, its offset, its length, and the CRC-32 of these."""
CHECKED_BYTES = PLACE.size - struct.calcsize("<L")
DAMAGED_MARK = "damaged"
"""The name of an empty file that says, for all processes, that a damaged file was deleted."""
MAX_FILES = 400
"""The number of such pairs of files that `prune` leaves."""
REFRESH_S = 3600.0
"""Seconds after which reading an entry renews the time of its file, so that the oldest files are
those not used."""


class DiskCache:
    """The entries in one folder.

    Each process appends to two files of its own, as creating a file costs more. Threads may use the
    same cache.
    """

    def __init__(self, folder: Path, *, is_read_only: bool = False) -> None:
        """Use `folder`, which is created with the first entry."""
        self.folder = folder / FORMAT
        self.is_read_only = is_read_only
        self.failure = ""
        """Why the last entry could not be written, if one could not."""
        self._top = folder
        self._lock = threading.Lock()
        """Guards `_process_files` and what is written."""
        self._process_files: _ProcessFiles | None = None
        """The files that this process appends to; ``None`` before its first entry."""
        self._begun = f"{time.time_ns():016x}"
        """The time as a name: the names of files that are made from now on are later."""
        self._read_bytes: dict[str, int] = {}
        """The number of bytes read of each index, by its name."""
        self._used: set[bytes] = set()
        """The keys of entries that were asked for or written."""
        self._renewed: set[str] = set()
        """The names of files whose times are renewed, or need not be."""
        self._has_logged_damage = False

    @functools.cached_property
    def _places(self) -> dict[bytes, tuple[str, int, int]]:
        """The file, the offset and the length of each entry."""
        places: dict[bytes, tuple[str, int, int]] = {}
        self._find(places)
        return places

    def refresh(self) -> None:
        """Find the entries that other processes have written."""
        self._find(self._places)

    def has(self, key: str) -> bool:
        """Return whether there is an entry, intact or not, which is used from now on."""
        name = bytes.fromhex(key)
        self._used.add(name)
        return name in self._places

    @overload
    def get(self, key: str, kind: type[T]) -> T | None: ...

    @overload
    def get(self, key: str, kind: type[T], default: D) -> T | D: ...

    def get(self, key: str, kind: type[T], default: D | None = None) -> T | D | None:
        """Return the entry's value; `default` if it is missing, damaged or not a `kind`."""
        raw = self._bytes(bytes.fromhex(key))
        if raw is None:
            return default
        if not is_intact(key, raw):
            name, *_ = self._places.get(bytes.fromhex(key), (key,))
            self._discard(name)
            return default
        return decode_or(memoryview(raw)[DIGEST_BYTES:], kind, default)

    def put(self, key: str, value: object, *, is_latest: bool = False) -> None:
        """Write an entry. If the disk is full or read-only, set :attr:`failure` and carry on.

        An entry with the same key and another value in each build (`is_latest`) has a file of its
        own.
        """
        if self.is_read_only:
            return
        try:
            raw = pack(key, value)
        except UNENCODABLE:  # computed every time
            return
        try:
            if is_latest:
                self._replace(f"{self.folder}/{key}{DATA}", raw)
                self._used.add(bytes.fromhex(key))
            else:
                self._append(bytes.fromhex(key), raw)
        except OSError as error:
            self.failure = str(error)

    def prune(self, max_bytes: int = MAX_BYTES) -> None:
        """Delete the files used longest ago until the rest fits.

        What was used or made since this process began stays, whatever its size, and as much again,
        as workers use more: this build or the next one would make it again.
        """
        for folder in self._top.glob("planbook-*"):
            if folder != self.folder:
                shutil.rmtree(folder, ignore_errors=True)
        self._process_files = None
        self.refresh()
        needed: dict[str, list[bytes]] = defaultdict(list)
        """The keys of entries that stay, by the name of their files."""
        needed_bytes = 0
        for key, (name, _, size) in self._places.items():
            if key in self._used or name >= self._begun:
                needed[name].append(key)
                needed_bytes += size
        used_alone = {key.hex() for key in self._used}  # the names of files with one entry
        files: list[tuple[os.stat_result, str]] = []
        for path in self.folder.glob(f"*{DATA}"):
            if path.stem not in used_alone:
                with contextlib.suppress(OSError):  # another build may delete it first
                    files.append((path.stat(), path.stem))
        excess_bytes = sum(file_stat.st_size for file_stat, _ in files)
        excess_bytes -= max(max_bytes, 2 * needed_bytes)
        files.sort(key=lambda file: file[0].st_mtime, reverse=True)
        while files and (excess_bytes > 0 or len(files) > MAX_FILES):
            file_stat, name = files.pop()  # the oldest
            excess_bytes -= file_stat.st_size - self._move(name, needed[name])

    def record_damage(self) -> None:
        """Record for `log_damage`, also in another process, that a part was damaged."""
        with contextlib.suppress(OSError):  # a full or read-only disk: the build goes on
            (self.folder / DAMAGED_MARK).touch()

    def log_damage(self, log: logging.LoggerAdapter[logging.Logger], *, is_strict: bool) -> None:
        """Log once if a part of the cache was damaged.

        In a strict build it is no warning, as the site is intact.
        """
        try:
            (self.folder / DAMAGED_MARK).unlink()
        except OSError:
            return
        if not self._has_logged_damage:
            self._has_logged_damage = True
            level = logging.INFO if is_strict else logging.WARNING
            log.log(
                level, "the cache in %s was damaged: what was damaged was computed again", self._top
            )

    def prepare(self) -> None:
        """Create the folder, marked as a cache."""
        if not os.path.isdir(self.folder):
            self._top.mkdir(parents=True, exist_ok=True)
            (self._top / MARKER).write_text(SIGNATURE, encoding="utf-8")
            (self._top / ".gitignore").write_text("*\n", encoding="utf-8")
            self.folder.mkdir(exist_ok=True)  # last: where it is, all are

    def _find(self, places: dict[bytes, tuple[str, int, int]]) -> None:
        # By age: an entry that is written again was damaged, so that the last one counts.
        for path in sorted(self.folder.glob(f"*{INDEX}")):
            with contextlib.suppress(OSError):  # another build may delete it first
                self._read_index(path, places)

    def _read_index(self, path: Path, places: dict[bytes, tuple[str, int, int]]) -> None:
        """Add the places of a process's entries that are new since the last call.

        If its files are damaged, they are deleted.
        """
        name = path.stem
        start = self._read_bytes.get(name, 0)
        with open(path, "rb", opener=open_regular) as file:
            file.seek(start)
            raw = file.read()
        raw = raw[: len(raw) // PLACE.size * PLACE.size]  # the process may be writing the next one
        if not raw:
            return
        # Data are written before their place.
        data_bytes = os.stat(f"{self.folder}/{name}{DATA}").st_size
        added: dict[bytes, tuple[str, int, int]] = {}
        checked = memoryview(raw)
        for n, (key, at, size, crc) in enumerate(PLACE.iter_unpack(raw)):
            begin = n * PLACE.size
            if crc != zlib.crc32(checked[begin : begin + CHECKED_BYTES]) or at + size > data_bytes:
                self._discard(name)
                return
            added[key] = (name, at, size)
        self._read_bytes[name] = start + len(raw)
        places.update(added)

    def _discard(self, name: str) -> None:
        """Delete a process's files, in which a part is damaged.

        All that they hold will be computed again.
        """
        places = vars(self).get("_places", {})
        with self._lock:
            for key in [key for key, location in places.items() if location[0] == name]:
                del places[key]
            if self._process_files is not None and name == self._process_files.name:
                self._process_files = None
        if self.is_read_only:
            return
        self.record_damage()
        self._delete(name)

    def _bytes(self, key: bytes) -> bytes | None:
        """Return the bytes of an entry, intact or not; ``None`` if there are none."""
        # Without a place, the entry may have a file of its own.
        location = self._places.get(key) or (key.hex(), 0, -1)
        name, at, size = location
        self._used.add(key)
        try:
            path = f"{self.folder}/{name}{DATA}"
            with open(path, "rb", buffering=0, opener=open_regular) as file:
                file.seek(at)
                raw = file.read(size)
                if name not in self._renewed:
                    self._renewed.add(name)
                    if time.time() - os.fstat(file.fileno()).st_mtime > REFRESH_S:
                        os.utime(file.name)
        except (OSError, OverflowError):
            if key in self._places:
                self.refresh()  # another process may have moved it
            is_moved = self._places.get(key, location) != location
            return self._bytes(key) if is_moved else None
        return raw

    def _append(self, key: bytes, raw: bytes) -> None:
        """Append an entry to the two files of this process. Raises OSError."""
        with self._lock:
            process_files = self._process_files
            if process_files is None or process_files.is_gone():
                self.prepare()
                process_files = self._process_files = _ProcessFiles(self.folder)
            self._places[key] = process_files.append(key, raw)
            self._used.add(key)

    def _replace(self, path: str, raw: bytes) -> None:
        """Write a file whole: another process never reads half of it. Raises OSError."""
        self.prepare()
        beside = f"{path}.{os.getpid()}"
        with open(beside, "wb") as file:
            file.write(raw)
        os.replace(beside, path)

    def _move(self, name: str, keys: Sequence[bytes]) -> int:
        """Delete a process's files, except for some entries, which are appended to our own.

        Return their length.
        """
        moved = {key: self._bytes(key) for key in keys}
        with contextlib.suppress(OSError):  # the disk is full: what is not moved is made again
            for key, raw in moved.items():
                self._append(key, raw or b"")
        self._delete(name)
        return sum(len(raw or b"") for raw in moved.values())

    def _delete(self, name: str) -> None:
        """Delete a process's two files."""
        for end in (INDEX, DATA):
            with contextlib.suppress(OSError):  # another build deletes them, too
                Path(f"{self.folder}/{name}{end}").unlink()


class _ProcessFiles:
    """The two files of one process, which stay open: opening them takes longer than an entry."""

    def __init__(self, folder: Path) -> None:
        """Create the files. Raises OSError."""
        self.name = f"{time.time_ns():016x}-{os.urandom(4).hex()}"
        self._pid = os.getpid()
        self._end = 0
        path = f"{folder}/{self.name}"
        self._data = open(f"{path}{DATA}", "xb", buffering=0)  # noqa: SIM115 - it stays open
        try:
            self._index = open(f"{path}{INDEX}", "xb", buffering=0)  # noqa: SIM115 - as above
        except OSError:
            self._data.close()
            raise

    def __del__(self) -> None:
        """Close the files."""
        for name in ("_data", "_index"):
            if name in vars(self):
                vars(self)[name].close()

    def is_gone(self) -> bool:
        """Return True if these are the files of another process, or somebody has deleted them."""
        return self._pid != os.getpid() or os.fstat(self._index.fileno()).st_nlink == 0

    def append(self, key: bytes, raw: bytes) -> tuple[str, int, int]:
        """Append an entry, and return its place. Raises OSError."""
        at = self._end
        self._end += self._data.write(raw)
        record = PLACE.pack(key, at, len(raw), 0)[:CHECKED_BYTES]
        self._index.write(record + struct.pack("<L", zlib.crc32(record)))
        return self.name, at, len(raw)


_CACHES: dict[Path, DiskCache] = {}


def disk_cache(folder: Path) -> DiskCache:
    """Return the one cache of this process in a folder, with what others have written."""
    cache = _CACHES.setdefault(folder, DiskCache(folder))
    cache.refresh()
    return cache


def open_regular(path: str, flags: int) -> int:
    """Open a file of the cache; an ``opener`` of ``open``.

    A link may lead to a device without an end, and a pipe is waited for. Raises OSError for
    anything but a regular file.
    """
    for name in ("O_NOFOLLOW", "O_NONBLOCK"):  # not on Windows
        flags |= getattr(os, name, 0)
    opened = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(f"{path} is not a regular file")
    return opened


def stamp_of_source(path: str) -> list[int] | None:
    """Return size, times of the last change of content and of the last change at all, and inode.

    ``None`` if missing.

    No program can set the time of the last change at all: a file with the same size and
    modification time is known to be another one, or to have been written since.
    """
    try:
        file_stat = os.stat(path)
    except OSError:
        return None
    return [file_stat.st_size, file_stat.st_mtime_ns, file_stat.st_ctime_ns, file_stat.st_ino]
