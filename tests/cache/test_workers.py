"""Work in forked processes, whose results come back as they are ready."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from subprocess import PIPE, Popen, run

import pytest

from planbook_cache.workers import MIN_ITEMS, RENEW_EVERY, start_forked

ITEMS = range(5 * MIN_ITEMS)


LARGE = 200_000
"""More than a pipe holds."""


def alone(check: Callable[[], None]) -> None:
    """Run `check` in a new process: one that has had a browser, say, has threads, and is not forked."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(check).result()


def test_results_are_received_with_their_items() -> None:
    """Each once, from other processes, and large ones too; without a result nothing is received."""
    alone(receive_results)


def receive_results() -> None:
    """Send large results, and none for one item."""
    ended = start_forked(ITEMS, lambda item: None if item == 3 else (os.getpid(), f"{item}" * LARGE), processes=2)
    found = dict(ended or ())
    assert found.keys() == {*ITEMS} - {3}
    assert all(text == f"{item}" * LARGE for item, (_, text) in found.items())
    assert os.getpid() not in {process for process, _ in found.values()}


def test_workers_whose_memory_grows_are_replaced() -> None:
    """Each item is done once, none does many, and all but the first know one item from the middle."""
    alone(replace_workers)


def replace_workers() -> None:
    """Work on more items than two processes may."""
    items, known = range(4 * RENEW_EVERY), list[int]()

    def work(item: int) -> tuple[int, int]:
        known.append(item)
        time.sleep(item == 2 * RENEW_EVERY)
        return os.getpid(), known[0]

    found = dict(start_forked(items, work, processes=2, renews=True) or ())
    assert max(Counter(process for process, _ in found.values()).values()) <= RENEW_EVERY // 2
    assert (len(found), found[0][1], found[items[-1]][1]) == (len(items), 0, 2 * RENEW_EVERY)


def test_what_a_worker_could_not_do_is_missing() -> None:
    """It raised an error, its result cannot be sent, or its worker died, perhaps while sending it; others are there."""
    alone(lose_results)


def lose_results() -> None:
    """Fail in four ways."""
    signal.alarm(60)

    def work(item: int) -> object:
        if item == 0:
            raise ValueError
        if item in {2, 3}:
            signal.setitimer(signal.ITIMER_REAL, item - 2 or 0.001)  # the process ends
            time.sleep(item == 2)
        return (lambda: item) if item == 1 else LARGE * "x"

    ended = start_forked(ITEMS, work, processes=3)
    time.sleep(2)
    assert sorted(item for item, _ in ended or ()) == list(ITEMS)[4:]


def test_a_worker_that_dies_as_it_takes_an_item_stops_no_other() -> None:
    """All items are begun, whenever a process is killed, and all whose numbers a full disk has room for."""
    alone(kill_a_worker)


def kill_a_worker() -> None:
    """Kill one of two workers, again and again; then leave room for a part of the numbers."""
    signal.alarm(60)
    items = range(2000)

    def work(item: int) -> None:
        if item == 100:
            signal.setitimer(signal.ITIMER_REAL, 0.001)

    for _ in range(30):
        assert list(start_forked(items, work, processes=2) or ()) == []
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    assert len(list(start_forked(ITEMS, str, processes=2) or ())) == 25


@pytest.mark.parametrize(("stop", "by", "tracebacks"), [(os.killpg, "SIGINT", 1), (os.kill, "SIGKILL", 0)])
def test_workers_end_with_their_caller(stop: Callable[[int, int], None], by: str, tracebacks: int) -> None:
    """They end long before their work would, and print no traceback of their own."""
    ended = "w.start_forked([0.1] * 600, lambda s: time.sleep(s) or s, processes=2)"
    heeds = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # in the background, a shell has it ignored
    script = f"import planbook_cache.workers as w, signal, time\n{heeds}\nfor n in {ended}: print(n, flush=True)"
    with Popen([sys.executable, "-c", script], stdout=PIPE, stderr=PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        stop(process.pid, getattr(signal, by))
        assert process.communicate(timeout=15)[1].count("Traceback") == tracebacks


def test_a_process_ends_without_a_search_for_cycles() -> None:
    """The objects of a build are not taken apart one by one when the process ends."""
    kept = "class Kept:\n    def __del__(self): print('freed')\n\nkept = Kept()\nkept.own = kept"
    assert run([sys.executable, "-c", kept], capture_output=True, check=True).stdout
    with_work = f"import planbook_cache.workers\n{kept}"
    assert not run([sys.executable, "-c", with_work], capture_output=True, check=True).stdout
