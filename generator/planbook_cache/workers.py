"""Work in forked processes, whose results come back as they are ready.

Shared by `planbook` and `planbook-speed`.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import multiprocessing
import os
import select
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from struct import Struct
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from io import FileIO
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

MIN_ITEMS = 8
"""The fewest items for which forking pays: it costs about as much as rendering a few pages."""
NUMBER = Struct("i")
"""An item's number in the file from which workers take turns."""
COLLECT_EVERY = 4
"""The number of items after which a worker frees memory."""
RENEW_EVERY = 384
"""The number of items after which all workers are replaced."""
MAX_WORKERS = 256
"""The number of workers in one run beyond which they are replaced later."""

# Or the interpreter would take apart all that was read, for a third of a second.
atexit.register(gc.freeze)


def cores() -> int:
    """Return how many processes can work at once."""
    if hasattr(os, "sched_getaffinity"):  # a container or a user may allow fewer than there are
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def why_no_fork() -> str | None:
    """Return why this process cannot fork workers; ``None`` if it can."""
    if sys.platform in {"darwin", "win32"} or "fork" not in multiprocessing.get_all_start_methods():
        return "this system cannot fork safely"
    if threading.active_count() > 1:
        return "the process has threads, and may not be forked"
    if multiprocessing.current_process().daemon:
        return "the process may have no children of its own"
    return None


def start_forked(
    items: Sequence[T],
    work: Callable[[T], R | None],
    *,
    processes: int = 0,
    renews: bool = False,
    prepare: Callable[[], None] | None = None,
) -> Iterator[tuple[T, R]] | None:
    """Begin to call `work` on every item in forked processes.

    Return ``None`` if the caller must do it.

    A worker that fails or dies is not an error: the results of its items are missing afterwards,
    and the caller computes them itself. With few items, one core, or a process that cannot fork,
    nothing is done.

    Args:
        items: The items in the order in which they are begun: a long one at the end would keep the
            others waiting.
        work: Called in a worker, which ignores its exceptions.
        processes: The number of workers; 0 for one per core.
        renews: True if a worker's memory grows with its items: then another soon takes its place.
            The next ones share what was loaded for an item from the middle.
        prepare: Called for the workers that begin with the second item.

    Returns:
        Each item with its result that is not ``None``, as they come; they end when all workers
        have.
    """
    processes = min(processes or cores(), len(items))
    if processes < 2 or len(items) < MIN_ITEMS or why_no_fork():
        return None
    context = multiprocessing.get_context("fork")
    try:
        readers, writers = zip(*(context.Pipe(duplex=False) for _ in range(processes)), strict=True)
        turns = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - workers have it open
        turns.write(b"".join(map(NUMBER.pack, range(len(items)))))
        turns.seek(0)
    except OSError:  # there is no room for what they share
        return None
    workers = _Workers(items, work, len(items), None, turns)
    if renews:
        most = max(RENEW_EVERY // processes, len(items) // MAX_WORKERS)
        workers = _Workers(items, work, most, len(items) // 2, turns)
    # Garbage collection in the workers leaves existing objects alone: their memory stays shared.
    gc.freeze()
    try:
        process = context.Process(target=workers.run, args=(readers, writers, prepare), daemon=True)
        process.start()
    finally:
        gc.unfreeze()
    for end in (turns, *writers):
        end.close()  # reading ends when the workers do
    return _results(items, process, [*readers])


def _results(
    items: Sequence[T], process: BaseProcess, readers: list[Any]
) -> Iterator[tuple[T, Any]]:
    """Yield each item with its result, from one pipe for each worker, and wait for the workers."""
    while readers:
        for reader in cast("list[Any]", wait(readers)):
            try:
                index, result = reader.recv()
            except (EOFError, OSError):
                readers.remove(reader)
                continue
            yield items[index], result
    process.join()


@dataclass(frozen=True, slots=True)
class _Workers:
    """The workers, which take turns."""

    items: Sequence[Any]
    work: Callable[[Any], object]
    most: int
    """The number of items after which a worker is replaced."""
    first: int | None
    """The item that is worked on before most workers are forked, so that they share what it
    loads."""
    turns: FileIO
    """The numbers of all items. Processes share the position in it, so that each number is read
    once."""

    def run(
        self, readers: Sequence[Any], writers: Sequence[Any], prepare: Callable[[], None] | None
    ) -> None:
        """Fork a worker for each pipe, again and again until all items are begun."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the caller reports Ctrl-C
        for reader in readers:
            reader.close()  # so that only the caller reads
        gc.disable()
        # The pipe of each worker, by its process. The first item is the longest: its worker does
        # not wait for what the others share.
        running = {self._fork(writers, 0, 1): 0}
        if prepare is not None:
            prepare()
        if self.first is not None:
            self._do(self.first, writers[1])
            gc.collect()
            gc.freeze()
        running |= {self._fork(writers, n, self.most): n for n in range(1, len(writers))}
        while running:
            process, exit_status = os.wait()
            n = running.pop(process)
            has_items = self.turns.tell() < os.fstat(self.turns.fileno()).st_size
            if exit_status == 0 and has_items and _is_read(writers[n]):
                running[self._fork(writers, n, self.most)] = n
            else:
                # No process has it open: the caller does not wait for the rest of a result.
                writers[n].close()

    def _fork(self, writers: Sequence[Connection], n: int, most: int) -> int:
        """Fork a worker for one pipe and some items; return its process, and in it, never."""
        process = os.fork()
        if process != 0:
            return process
        try:
            for other in {*writers} - {writers[n]}:
                other.close()
            self._do_some(writers[n], most)
            os._exit(0)
        finally:
            os._exit(1)

    def _do_some(self, writer: Connection, most: int) -> None:
        """Work on the next items that no other worker has taken."""
        for done in range(1, most + 1):
            turn = self.turns.read(NUMBER.size)
            if not turn or not _is_read(writer):
                return
            [index] = NUMBER.unpack(turn)
            if index != self.first:
                self._do(index, writer)
            if done % COLLECT_EVERY == 0:
                gc.collect()
                gc.freeze()  # what survives is not searched again: it grows with every item

    def _do(self, index: int, writer: Connection) -> None:
        with contextlib.suppress(Exception):  # the caller will hit it again and report it
            result = self.work(self.items[index])
            if result is not None:
                writer.send((index, result))


def _is_read(writer: Connection) -> bool:
    """Return False if the process at the other end of a pipe has ended."""
    poll = select.poll()
    poll.register(writer, 0)
    return not poll.poll(0)  # an error is always reported
