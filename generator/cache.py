"""A content-addressed disk cache, and a cache of function results on top of it.

Shared by `planbook`, `planbook-speed` and the command line. An entry is named by the digest of everything its value was
computed from, so it is never out of date: it is found or it is not. Values are MessagePack, decoded into the expected
type and checked against it; nothing that is read is ever executed. Two builds may share a folder: an entry is written
beside its place and renamed into it. An entry that is truncated, altered or of another format is treated as missing.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib.metadata
import multiprocessing
import os
import platform
import shutil
import sys
import threading
import time
import typing
from collections.abc import Callable, Hashable, Iterator, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, cast

import msgspec

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from multiprocessing.sharedctypes import Synchronized


# --- work in parallel -------------------------------------------------------------------------------------------------


T = TypeVar("T")
R = TypeVar("R")

FEWEST = 8
"""The fewest items for which forking pays: it costs about as much as rendering a few pages."""
COLLECT_EVERY = 4
"""The number of items after which a worker frees memory."""


def cores() -> int:
    """Return how many processes can work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def why_no_fork() -> str:
    """Return why this process cannot fork workers; empty if it can."""
    if sys.platform in {"darwin", "win32"} or "fork" not in multiprocessing.get_all_start_methods():
        return "this system cannot fork safely"
    if threading.active_count() > 1:
        return "the process has threads, and may not be forked"
    if multiprocessing.current_process().daemon:
        return "the process may have no children of its own"
    return ""


def run_forked(
    items: Sequence[T],
    work: Callable[[T], R | None],
    *,
    receive: Callable[[T, R], object] | None = None,
    processes: int = 0,
    prepare: Callable[[], None] | None = None,
) -> bool:
    """Do as `start_forked`, and wait for the end; return False if the caller must do it.

    `receive` is called in this process with each item and its result, while others are computed.
    """
    results = start_forked(items, work, processes=processes, prepare=prepare)
    for item, result in results or ():
        if receive is not None:
            receive(item, result)
    return results is not None


def start_forked(
    items: Sequence[T],
    work: Callable[[T], R | None],
    *,
    processes: int = 0,
    prepare: Callable[[], None] | None = None,
) -> Iterator[tuple[T, R]] | None:
    """Begin to call `work` on every item in forked processes; return ``None`` if the caller must do it.

    A worker that fails or dies is not an error: the results of its items are missing afterwards, and the caller
    computes them itself. With few items, one core, or a process that cannot fork, nothing is done.

    Args:
        items: The items in the order in which they are begun: a long one at the end would keep the others waiting.
        work: Called in a worker, which ignores its exceptions.
        processes: The number of workers; 0 for one per core.
        prepare: Called first in each worker.

    Returns:
        Each item with its result that is not ``None``, as they come; they end when all workers have.
    """
    processes = min(processes or cores(), len(items))
    if processes < 2 or len(items) < FEWEST or why_no_fork():
        return None
    context = multiprocessing.get_context("fork")
    turn = context.Value("i", 0)
    workers: list[BaseProcess] = []
    readers: list[Any] = []
    gc.freeze()  # exempts existing objects from garbage collection in the workers, so that their memory stays shared
    try:
        for _ in range(processes):
            reader, writer = context.Pipe(duplex=False)
            readers.append(reader)
            workers.append(
                context.Process(target=_work, args=(turn, items, work, readers, writer, prepare), daemon=True)
            )
            workers[-1].start()
            writer.close()  # reading ends when the worker does
    finally:
        gc.unfreeze()
    return _results(items, workers, readers)


def _results(items: Sequence[T], workers: Sequence[BaseProcess], readers: list[Any]) -> Iterator[tuple[T, Any]]:
    while readers:
        for reader in cast("list[Any]", wait(readers)):
            try:
                number, result = reader.recv()
            except (EOFError, OSError):
                readers.remove(reader)
                continue
            yield items[number], result
    for worker in workers:
        worker.join()


def _work(  # noqa: PLR0913, PLR0917 - all that a worker needs
    turn: Synchronized[int],
    items: Sequence[T],
    work: Callable[[T], object],
    readers: Sequence[Connection],
    writer: Connection,
    prepare: Callable[[], None] | None,
) -> None:
    for reader in readers:
        reader.close()  # so that writing ends if the caller dies
    if prepare is not None:
        prepare()
    gc.disable()
    done = 0
    while True:
        with turn.get_lock():
            number = turn.value
            turn.value += 1
        if number >= len(items):
            return
        with contextlib.suppress(Exception):  # the caller will hit it again and report it
            if (result := work(items[number])) is not None:
                writer.send((number, result))
        done += 1
        if done % COLLECT_EVERY == 0:
            gc.collect()
            gc.freeze()  # what survives is not searched again: it grows with every item


# --- the cache --------------------------------------------------------------------------------------------------------


Ts = TypeVarTuple("Ts")

Raw = msgspec.Raw
"""The type of a part of a value that is not needed, and not decoded."""
CACHE_DIR = ".cache/planbook"
"""The default folder, relative to ``mkdocs.yml``."""
MAX_BYTES = 1 << 30
"""The default size limit of the folder."""
FORMAT = "planbook-cache-1"
"""Part of every entry and of the folder's name; entries of other formats are deleted."""
MARKER = "CACHEDIR.TAG"
"""https://bford.info/cachedir/: backup programs skip the folder."""
SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by Planbook; may be deleted at any time.\n"
SMALL_BYTES = 8_192
"""The size up to which a function's result is also kept in one entry with all others of a build."""
PACK_KEY = hashlib.sha256(b"small results of the last build").hexdigest()
"""The name of that entry."""
REFRESH_S = 3600.0
"""Seconds after which reading an entry renews its time, so that the oldest entries are those not used."""
DEPENDENCIES = ("jinja2", "markdown-it-py", "markupsafe", "msgspec", "pyromark", "python-frontmatter", "pyyaml")
"""Packages whose version may change what a cached function returns."""


class DiskCache:
    """The entries in one folder."""

    def __init__(self, folder: Path, *, is_read_only: bool = False) -> None:
        """Use `folder`, which is created with the first entry."""
        self.folder = folder / FORMAT
        self.is_read_only = is_read_only
        self.failure = ""
        """Why the last entry could not be written, if one could not."""
        self._top = folder
        self._is_ready = False

    def has(self, key: str) -> bool:
        """Return whether there is an entry, intact or not."""
        return os.path.exists(self._path(key))  # noqa: PTH110 - for thousands of files

    def get(self, key: str, kind: type[T]) -> T | None:
        """Return the entry's value; ``None`` if it is missing, damaged or not a `kind`."""
        path = self._path(key)
        try:
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123
                written_s = os.fstat(file.fileno()).st_mtime
                raw = file.read()
            if time.time() - written_s > REFRESH_S:
                os.utime(path)
        except OSError:
            return None
        return unpack(raw, kind)

    def put(self, key: str, value: object) -> None:
        """Write an entry. If the disk is full or read-only, set :attr:`failure` and carry on."""
        if self.is_read_only:
            return
        try:
            raw = pack(value)
        except (UnicodeEncodeError, OverflowError, TypeError):  # lone surrogates, huge integers: computed every time
            return
        try:
            self._write(self._path(key), raw)
        except OSError as error:
            self.failure = str(error)

    def prune(self, max_bytes: int = MAX_BYTES) -> None:
        """Delete the least recently used entries until the rest fits, and all entries of other versions."""
        for folder in self._top.glob("planbook-*"):
            if folder != self.folder:
                shutil.rmtree(folder, ignore_errors=True)
        found = []
        for folder in self.folder.glob("??"):
            with contextlib.suppress(OSError):  # another build may delete an entry first
                found += [(entry.stat(), entry.path) for entry in os.scandir(folder)]
        excess = sum(stat.st_size for stat, _ in found) - max_bytes
        for stat, name in sorted(found, key=lambda entry: entry[0].st_mtime) if excess > 0 else ():
            if excess <= 0:
                break
            with contextlib.suppress(OSError):
                Path(name).unlink()
            excess -= stat.st_size

    def _path(self, key: str) -> str:
        return f"{self.folder}/{key[:2]}/{key[2:]}"

    def prepare(self) -> None:
        """Create the folder, marked as a cache."""
        if not self._is_ready:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self._top / MARKER).write_text(SIGNATURE, encoding="utf-8")
            (self._top / ".gitignore").write_text("*\n", encoding="utf-8")
            self._is_ready = True

    def _write(self, path: str, raw: bytes) -> None:
        self.prepare()
        beside = f"{path}.{os.getpid()}"
        try:
            file = open(beside, "wb")  # noqa: PTH123, SIM115
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
            file = open(beside, "wb")  # noqa: PTH123, SIM115
        with file:
            file.write(raw)
        os.replace(beside, path)  # noqa: PTH105


def pack(value: object) -> bytes:
    """Return an entry's bytes: the format, the digest of the body, the body."""
    body = msgspec.msgpack.encode(value)
    return FORMAT.encode() + hashlib.sha256(body).digest() + body


def unpack(raw: bytes, kind: type[T]) -> T | None:
    """Return the value that `pack` wrote; ``None`` if the bytes are damaged or not a `kind`."""
    start = len(FORMAT)
    body = raw[start + 32 :]
    if raw[:start] != FORMAT.encode() or raw[start : start + 32] != hashlib.sha256(body).digest():
        return None
    return _decoded(body, kind)


def _decoded(body: bytes | msgspec.Raw, kind: type[T]) -> T | None:
    try:
        value: T = _decoder(cast("Hashable", kind)).decode(body)
    except msgspec.DecodeError:
        return None
    return value


@functools.cache
def _decoder(kind: Hashable) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)


class FunctionCache:
    """Calls pure functions; a subclass may return their cached results instead.

    A function's parameters and its return type must be annotated with types that MessagePack can hold. Nothing that a
    cache returns may be modified.
    """

    def call(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Return ``function(*arguments)``."""
        return function(*arguments)

    def map(self, function: Callable[[*Ts], T], calls: Sequence[tuple[*Ts]]) -> list[T]:
        """Return what `function` gives for each tuple of arguments."""
        return [function(*arguments) for arguments in calls]


UNCACHED = FunctionCache()


class CachedCalls(FunctionCache):
    """Caches results on disk, and those of the current and the last build in memory.

    Threads may make different calls at once.
    """

    def __init__(self, disk: DiskCache, *, in_parallel: bool = True, keeps_values: bool = True) -> None:
        """Use the entries in `disk`. Without `keeps_values`, each result is read again by every call."""
        self.disk = disk
        self._in_parallel, self._keeps_values = in_parallel, keeps_values
        self._last: dict[str, Any] = {}
        self._current: dict[str, Any] = {}
        self._pack: dict[str, msgspec.Raw] = {}
        self._used: dict[str, msgspec.Raw] = {}

    def begin_build(self) -> None:
        """Forget the results in memory that the last build did not use; read the small ones of an earlier process."""
        self._last, self._current = self._current, {}
        if not self._pack:
            self._pack = self.disk.get(PACK_KEY, dict[str, msgspec.Raw]) or {}
        self._used = {}

    def end_build(self) -> None:
        """Write the small results of this build into one entry, for the next build."""
        if self._used.keys() != self._pack.keys():
            self._pack = self._used
            self.disk.put(PACK_KEY, self._pack)

    def call(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        """Return ``function(*arguments)``."""
        key = call_key(function, arguments)
        return function(*arguments) if key is None else self._look_up(key, function, arguments)

    def map(self, function: Callable[[*Ts], T], calls: Sequence[tuple[*Ts]]) -> list[T]:
        """Return the result of `function` for each tuple of arguments; use all cores if many are missing."""
        keys = [call_key(function, arguments) for arguments in calls]
        if self._in_parallel:
            missing = {key: arguments for key, arguments in zip(keys, calls, strict=True) if key and not self._has(key)}
            run_forked(
                sorted(missing.items(), key=lambda item: _size(item[1]), reverse=True),
                lambda item: self.disk.put(item[0], function(*item[1])),
            )
        return [
            function(*arguments) if key is None else self._look_up(key, function, arguments)
            for key, arguments in zip(keys, calls, strict=True)
        ]

    def _has(self, key: str) -> bool:
        return key in self._current or key in self._last or key in self._pack or self.disk.has(key)

    def _look_up(self, key: str, function: Callable[[*Ts], T], arguments: tuple[*Ts]) -> T:
        packed = self._pack.get(key)
        value: T | None = self._current.get(key, self._last.get(key))
        if value is None and packed is not None:
            value = _decoded(packed, return_type(function))
        if value is None:
            value = self.disk.get(key, return_type(function))
        if value is None:
            value = function(*arguments)
            self.disk.put(key, value)
        if self._keeps_values:
            self._current[key] = value
        if packed is None:
            with contextlib.suppress(UnicodeEncodeError, OverflowError, TypeError):
                encoded = msgspec.msgpack.encode(value)
                packed = msgspec.Raw(encoded) if len(encoded) <= SMALL_BYTES else None
        if packed is not None:
            self._used[key] = packed
        return value


def call_key(function: Callable[..., object], arguments: tuple[object, ...]) -> str | None:
    """Return the name of a call's entry; ``None`` if the arguments cannot be encoded."""
    try:
        encoded = msgspec.msgpack.encode(arguments)
    except (UnicodeEncodeError, OverflowError, TypeError):
        return None
    name = f"{function.__module__}.{function.__qualname__}\n{code_version()}\n"
    return hashlib.sha256(name.encode() + encoded).hexdigest()


@functools.cache
def return_type(function: Callable[..., T]) -> type[T]:
    """Return the annotated return type of a function."""
    kind: type[T] = typing.get_type_hints(function)["return"]
    return kind


@functools.cache
def code_version() -> str:
    """Return a digest of everything besides arguments that a result depends on: our code, Python, packages."""
    folder = Path(__file__).parent
    made = hashlib.sha256(platform.python_version().encode())
    for name in DEPENDENCIES:
        made.update(importlib.metadata.version(name).encode())
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".py" or path.parent.name == "templates":
            made.update(path.read_bytes())
    return made.hexdigest()


def _size(arguments: tuple[object, ...]) -> int:
    return sum(len(argument) for argument in arguments if isinstance(argument, str | bytes))
