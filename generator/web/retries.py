"""Another attempt at what may pass, as often and as late as the host and the limits say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import stamina
import stamina.instrumentation

from generator.web.connection import Errand
from generator.web.limits import Limits
from generator.web.outcomes import Unfetched

stamina.instrumentation.set_on_retry_hooks(())  # outcomes tell of retries; it would write a line to a log for each

Answer = TypeVar("Answer")


def persist(
    ask: Callable[[], Answer],
    limits: Limits,
    errand: Errand,
    rest: Callable[[float], None],
    *,
    may_repeat: bool = True,
) -> Answer:
    """What `ask` gives in the first attempt that nothing passing spoils. Raises what the last one raises.

    What must not be done twice is repeated only where it has surely not been done. `rest` lets the time pass that a
    host asks for: it may be long, and is cut short where all is to end.
    """
    deadline = errand.deadline
    made = 0

    def attempt() -> Answer:
        """Asks, and counts it."""
        nonlocal made
        made += 1
        errand.retries += made > 1
        return ask()

    def pause_s(error: Exception) -> bool | float:
        """Whether to try again: after the time that the host names, or after ours, which grows."""
        if not isinstance(error, Unfetched) or not error.is_transient or not (may_repeat or error.is_undone):
            return False
        if error.wait_s is None:
            return deadline.left_s > 0
        if error.wait_s > min(limits.max_wait_s, deadline.left_s):
            return False
        if made < limits.attempts:
            rest(error.wait_s)
        return 0.0

    caller = stamina.RetryingCaller(
        attempts=limits.attempts,
        timeout=None,
        wait_initial=limits.backoff_s,
        wait_max=limits.max_wait_s,
        wait_jitter=limits.backoff_s / 2,
    )
    return caller(pause_s, attempt)
