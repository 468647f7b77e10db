"""Pauses between requests to one host."""

from __future__ import annotations

import threading
import time

import pytest

from planbook.research.web.model import Outcome, Unfetched
from planbook.research.web.rate_limits import RateLimiter


def waited(limiter: RateLimiter, host: str = "tea.test") -> float:
    """The seconds that a request to a host has waited for its turn."""
    with limiter.turn(host) as seconds:
        return seconds


def test_a_second_request_to_a_host_waits_and_one_to_another_does_not() -> None:
    """The pause begins when the first request is over."""
    limiter = RateLimiter(0.5, 10)
    assert waited(limiter) < 0.4
    assert waited(limiter, "rye.test") < 0.4
    assert waited(limiter) > 0.05  # whatever this thread has lost meanwhile


def test_workers_that_share_a_host_share_its_pauses() -> None:
    """Ten workers pause ten times as long each, so that the host sees the same."""
    limiter = RateLimiter(0.05, 10)
    limiter.share(10)
    waited(limiter)
    assert waited(limiter) > 0.1


def test_a_host_that_asks_for_a_longer_pause_than_a_run_waits_is_given_up() -> None:
    """At once, with the reason; other hosts are not concerned."""
    limiter = RateLimiter(0, 1)
    limiter.back_off("tea.test", Unfetched(Outcome.RATE_LIMITED, "too many requests", wait_s=60))
    with pytest.raises(Unfetched):
        waited(limiter)
    assert waited(limiter, "rye.test") < 0.5


def test_a_run_that_stops_ends_the_wait() -> None:
    """A thread in its pause gets an error at once, not at the end of the pause."""
    limiter = RateLimiter(30, 60)
    waited(limiter)
    stopping = threading.Timer(0.05, limiter.stop)
    stopping.start()
    begun = time.monotonic()
    with pytest.raises(Unfetched, match="the run was stopped"):
        waited(limiter)
    stopping.join()
    assert time.monotonic() - begun < 10
