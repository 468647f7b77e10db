"""Ctrl-C and SIGTERM: the first stops a run at its next step, the second at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from generator.cli.project import STOPPED
from generator.expand.stop import Brake


@contextmanager
def stopped_by_signals(brake: Brake) -> Iterator[None]:
    """Signals pull `brake` while the block runs."""

    def pull(number: int, frame: FrameType | None) -> None:
        """Takes a signal."""
        if brake.why is not None:
            # Everything is kept as it comes: a run that is cut off here loses no more than what is under way.
            os._exit(STOPPED)
        brake.pull("interrupted" if number == signal.SIGINT else "asked to end")
        os.write(2, b"\nStopping when what is under way has ended. Once more stops at once.\n")

    before = {number: signal.signal(number, pull) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
