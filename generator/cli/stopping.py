"""Signals: the first Ctrl-C or SIGTERM stops a run at its next step, the second at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from generator.cli.project import STOPPED
from generator.expand.cancellation import CancelToken


@contextmanager
def stopped_by_signals(token: CancelToken) -> Iterator[None]:
    """Cancel `token` on Ctrl-C and SIGTERM while the block runs."""

    def cancel(number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if token.reason is not None:
            # Finished stages are on disk: only the stages under way are lost.
            os._exit(STOPPED)
        token.cancel("interrupted" if number == signal.SIGINT else "asked to end")
        os.write(2, b"\nStopping when what is under way has ended. Once more stops at once.\n")

    before = {number: signal.signal(number, cancel) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
