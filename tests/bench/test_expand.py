"""The benchmark of `planbook expand` runs the real command, counts what its web was asked, and tells sound limits."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from bench.expand import Run, Sample, measure, memory_mb, tell
from bench.table import Report

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def small() -> Run:
    """Four PARTs, filled from three hosts with two pages each."""
    return measure(4, hosts=3, pages=2, delay_s=0.05, pause_s=0.1, workers=2)


def test_every_part_is_filled_and_every_request_counted(small: Run) -> None:
    """Each PART asks the search engine once and reads its pages; each host is asked for its robots.txt once."""
    assert (small.parts, small.pages) == (4, 4)
    search, *hosts = small.requests.values()
    assert (search, sum(hosts), len(hosts)) == (4, 3 + 4 * 2, 3)


def test_no_run_is_quicker_than_its_limit(small: Run) -> None:
    """The hosts of the web are kept apart, and each is left alone for the pause: the limit is one."""
    assert len({origin.rpartition(":")[0] for origin in small.requests}) == 4
    assert small.wall_s > small.limit_s >= max(small.requests.values()) * 0.05
    assert small.processor_s > 0


def test_memory_is_that_of_all_processes(small: Run) -> None:
    """The command and those that read documents for it: more than ours has alone without anything to do."""
    assert small.peak_mb() >= small.peak_mb(1) > 20
    assert small.samples[0].pages == 0
    assert memory_mb(os.getpid()) > 20
    assert memory_mb(2**30) == 0


def test_limits_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The limit is the longest chain of one host, or all answers over the workers; what exceeds it is marked."""
    samples = (Sample(1, 50.0), Sample(2, 80.0), Sample(8, 100.0))
    slow = Run(8, 8, 30.0, 4.0, {"a": 10, "b": 4}, samples, delay_s=0.5, pause_s=1.0, workers=2)
    assert (slow.pauses_s, slow.workers_s, slow.limit_s) == (14.0, 3.5, 14.0)
    busy = replace(slow, pause_s=0.0, workers=1, wall_s=7.7)
    assert (busy.pauses_s, busy.workers_s, busy.limit_s) == (5.0, 7.0, 7.0)
    report = Report()
    tell((slow, busy), report.ratio)
    told = [line for line in capsys.readouterr().out.splitlines() if "   limit 1." in line]
    # The larger run's time, its memory over the run, and beside the smaller one's.
    assert [line.endswith("EXCEEDED") for line in told] == [False, True, False]
    assert report.is_exceeded
