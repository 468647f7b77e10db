"""Work distributed over all cores by forked processes, which leave their results on disk."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

T = TypeVar("T")

FEWEST = 8
"""The fewest items for which forking pays: it costs about as much as rendering a few pages."""
COLLECT_EVERY = 4
"""The number of items after which a worker frees memory."""


def cores() -> int:
    """Return how many processes can work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def why_not() -> str:
    """Return why this process cannot fork workers; empty if it can."""
    if sys.platform in {"darwin", "win32"} or "fork" not in multiprocessing.get_all_start_methods():
        return "this system cannot fork safely"
    if threading.active_count() > 1:
        return "the process has threads, and may not be forked"
    if multiprocessing.current_process().daemon:
        return "the process may have no children of its own"
    return ""


def run_forked(
    items: Sequence[T], work: Callable[[T], object], *, processes: int = 0, prepare: Callable[[], None] | None = None
) -> bool:
    """Call `work` on every item in forked processes; return False if the caller must do it.

    Results must be left on disk. A worker that fails or dies is not an error: its items are missing afterwards, and the
    caller computes them itself. With few items, one core, or a process that cannot fork, nothing is done.

    Args:
        items: The items, longest first, so that no worker starts a long one at the end.
        work: Called in a worker, which ignores its exceptions.
        processes: The number of workers; 0 for one per core.
        prepare: Called first in each worker.
    """
    processes = min(processes or cores(), len(items))
    if processes < 2 or len(items) < FEWEST or why_not():
        return False
    context = multiprocessing.get_context("fork")
    turn = context.Value("i", 0)
    gc.freeze()  # exempts existing objects from garbage collection in the workers, so that their memory stays shared
    try:
        workers = [
            context.Process(target=_work, args=(turn, items, work, prepare), daemon=True) for _ in range(processes)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        gc.unfreeze()
    return True


def _work(
    turn: Synchronized[int], items: Sequence[T], work: Callable[[T], object], prepare: Callable[[], None] | None
) -> None:
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
            work(items[number])
        done += 1
        if done % COLLECT_EVERY == 0:
            gc.collect()
            gc.freeze()  # what survives is not searched again: it grows with every item
