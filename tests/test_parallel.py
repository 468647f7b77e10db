"""Work in forked processes: its results come back, and what a worker could not do is left to the caller."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

from generator.cache import FEWEST, run_forked

ITEMS = range(5 * FEWEST)
LARGE = 200_000
"""More than a pipe holds."""


def alone(check: Callable[[], None]) -> None:
    """Run `check` in a new process: one that has had a browser, say, has threads, and is not forked."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(check).result()


def test_results_are_received_with_their_items() -> None:
    """Each once, from other processes, and large ones too; without a result nothing is received."""
    alone(receive_results)


def receive_results() -> None:
    """Send large results, and none for one item."""
    found: dict[int, tuple[int, str]] = {}
    assert run_forked(
        ITEMS,
        lambda item: None if item == 3 else (os.getpid(), f"{item}" * LARGE),
        receive=found.setdefault,
        processes=2,
    )
    assert found.keys() == {*ITEMS} - {3}
    assert all(text == f"{item}" * LARGE for item, (_, text) in found.items())
    assert os.getpid() not in {process for process, _ in found.values()}


def test_what_a_worker_could_not_do_is_missing() -> None:
    """It raised an error, its result cannot be sent, or the whole worker died: the others' results are there."""
    alone(lose_results)


def lose_results() -> None:
    """Fail in three ways."""

    def work(item: int) -> object:
        if item == 0:
            raise ValueError
        if item == 2:
            os._exit(1)
        return (lambda: item) if item == 1 else item

    found = []
    assert run_forked(ITEMS, work, receive=lambda item, _: found.append(item), processes=2)
    assert sorted(found) == list(ITEMS)[3:]


def test_few_items_are_left_to_the_caller() -> None:
    """Starting processes would take longer."""
    assert not run_forked(range(FEWEST - 1), lambda item: item, receive=lambda *_: 1 / 0, processes=2)
