"""The benchmark ends in its time, and says what it leaves out."""

from __future__ import annotations

import pytest

from bench.table import ROWS, Report, tell
from bench.time_limit import TimeLimit


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


def test_a_run_begins_only_if_it_will_end_in_time() -> None:
    """It may take as long as others of its kind, and one of a new kind as long as any."""
    clock = Clock()
    limit = TimeLimit(1, clock)
    assert limit.allows("plain")
    limit.record("plain", 40)
    limit.record("edited", 2)
    clock.seconds = 42
    assert not limit.allows("plain")
    assert not limit.allows("cold")
    assert limit.allows("edited")
    clock.seconds = 59
    assert not limit.allows("edited")


def test_no_limit() -> None:
    """With 0 minutes, everything is measured."""
    clock = Clock()
    limit = TimeLimit(0, clock)
    limit.record("plain", 4000)
    clock.seconds = 1e6
    assert limit.allows("plain")


def test_rows_that_are_left_out_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A row needs both of its figures."""
    tell(ROWS[:3], {"plain": [10.0], "whole cold": [4.0, 6.0]}, Report(), has_limits=False)
    text = capsys.readouterr().out
    assert "cold build / plain (5.00 s / 10.00 s)" in text
    assert "Left out, as the time was over: github, unchanged." in text
