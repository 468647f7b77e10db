"""Work in forked processes, whose results come back as they are ready.

Shared by `planbook` and `planbook-speed`.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from multiprocessing.sharedctypes import Synchronized

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


def start_forked(
    items: Sequence[T], work: Callable[[T], R | None], *, processes: int = 0, prepare: Callable[[], None] | None = None
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
