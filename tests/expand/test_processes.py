"""Processes for pure stages: what they return and raise, and what is left of them when someone is killed."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.cache import cores
from generator.expand.context import open_processes
from generator.expand.worker import Compute, compute_here
from tests.expand.loopback import SearchWeb, start, until

if cores() < 2:
    pytest.skip("there is one core, so nothing is started", allow_module_level=True)


@pytest.fixture(scope="module")
def compute() -> Iterator[Compute]:
    """Two processes."""
    with open_processes(2) as started:
        yield started


def divide(a: int, b: int) -> tuple[int, int]:
    """A quotient, and who computed it."""
    return a // b, os.getpid()


def end_unless(pid: int) -> int:
    """Kills the process, but for one; its number."""
    if os.getpid() != pid:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_another_process_computes(compute: Compute) -> None:
    """With the arguments as they are given."""
    quotient, pid = compute(divide, 7, b=2)
    assert quotient == 3
    assert pid != os.getpid()


def test_an_error_comes_with_its_place(compute: Compute) -> None:
    """The traceback names the function that failed, not only the place that waited for it."""
    with pytest.raises(ZeroDivisionError) as raised:
        compute(divide, 1, 0)
    assert "in divide" in "".join(traceback.format_exception(raised.value))


def test_one_page_at_a_time_needs_no_process() -> None:
    """A single worker computes by itself."""
    with open_processes(1) as compute:
        assert compute is compute_here
        assert compute(divide, 7, 2) == (3, os.getpid())


def test_a_process_that_is_killed_is_done_without() -> None:
    """Its work is done here, and so is all that comes after it."""
    with open_processes(2) as compute:
        assert compute(end_unless, os.getpid()) == os.getpid()
        assert compute(divide, 7, 2) == (3, os.getpid())


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")
def test_processes_end_with_a_run_that_is_killed(root: Path, web: SearchWeb) -> None:
    """`kill -9` of the command leaves no process behind."""
    held = web.hold("/a1")
    run = start(root)
    until(lambda: web.asked_for["/a1"] > 0 and len(below(run.pid)) >= 4)  # a server, a tracker, two that compute
    family = below(run.pid)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    held.set()
    deadline = time.monotonic() + 30
    while any(is_alive(pid) for pid in family):
        assert time.monotonic() < deadline, family
        time.sleep(0.05)


def below(pid: int) -> set[int]:
    """The processes below one, whoever started them, without those that read documents."""
    try:
        children = [
            int(n) for task in Path(f"/proc/{pid}/task").iterdir() for n in (task / "children").read_text().split()
        ]
        mine = {n for n in children if b"web.reader" not in Path(f"/proc/{n}/cmdline").read_bytes()}
    except OSError:
        return set()
    return mine.union(*map(below, mine))


def is_alive(pid: int) -> bool:
    """Whether the process runs: one that has ended, and that nobody has waited for, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return False
