"""Processes for the pure stages of workers: the threads of one Python process share one core."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from typing import ParamSpec, Protocol, TypeVar

from generator.parallel import cores

P = ParamSpec("P")
T = TypeVar("T")
_PRELOADED = ["generator.research.rank", "generator.research.compose.page", "generator.rules.registry"]


class Compute(Protocol):
    """Calls a pure function with values that can be pickled."""

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the function's result, or raise its exception."""


def compute_here(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call the function in this thread."""
    return function(*args, **kwargs)


@contextmanager
def open_processes(count: int) -> Iterator[Compute]:
    """Start `count` processes, at most one per core; fewer than two are not started.

    A killed process, for example when memory runs out, is not an error: its work is done here instead.
    """
    count = min(count, cores())
    if count < 2:
        yield compute_here
        return
    try:
        executor = ProcessPoolExecutor(count, _context(), _prepare_process)
    except (ImportError, NotImplementedError, OSError):  # no semaphores, for example in a container without /dev/shm
        yield compute_here
        return

    def compute(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call the function in a process."""
        try:
            return executor.submit(function, *args, **kwargs).result()
        except BrokenProcessPool:
            return function(*args, **kwargs)

    with executor:
        for _ in range(count):
            executor.submit(os.getpid)  # starts a process while the first requests are under way
        yield compute


def _context() -> BaseContext:
    """Return a context that does not fork: this process has threads and holds the run's lock."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


def _prepare_process() -> None:
    """Ignore Ctrl-C, which the run handles, and exit when the run is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
