"""Retry transient failures, within the limits and as late as the host asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import stamina
import stamina.instrumentation

from generator.web.connection import RequestContext
from generator.web.limits import Limits
from generator.web.outcomes import Unfetched

stamina.instrumentation.set_on_retry_hooks(())  # outcomes report retries; stamina would log a line for each

Answer = TypeVar("Answer")


def persist(
    ask: Callable[[], Answer],
    limits: Limits,
    context: RequestContext,
    sleep: Callable[[float], None],
    *,
    may_repeat: bool = True,
) -> Answer:
    """Return the result of the first attempt without a transient failure. Raises the error of the last one.

    With `may_repeat` false, only requests that were certainly not processed are retried. `sleep` waits for as long as
    a host asks: that may be long, and ends early if the run stops.
    """
    deadline = context.deadline
    made = 0

    def attempt() -> Answer:
        """Send the request and count it."""
        nonlocal made
        made += 1
        context.retries += made > 1
        return ask()

    def pause_s(error: Exception) -> bool | float:
        """Decide on a retry: 0 after the wait that the host named, else true for our own back-off, false to give up."""
        if not isinstance(error, Unfetched) or not error.is_transient or not (may_repeat or error.is_undone):
            return False
        if error.wait_s is None:
            return deadline.left_s > 0
        if error.wait_s > min(limits.max_wait_s, deadline.left_s):
            return False
        if made < limits.attempts:
            sleep(error.wait_s)
        return 0.0

    caller = stamina.RetryingCaller(
        attempts=limits.attempts,
        timeout=None,
        wait_initial=limits.backoff_s,
        wait_max=limits.max_wait_s,
        wait_jitter=limits.backoff_s / 2,
    )
    return caller(pause_s, attempt)
