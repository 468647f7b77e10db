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
    """Let signals stop the run through `brake` while the block runs."""

    def pull(number: int, frame: FrameType | None) -> None:
        """Stop at the first signal, exit at the second."""
        if brake.why is not None:
            # Results are saved as they come: exiting here loses only the work in progress.
            os._exit(STOPPED)
        brake.pull("interrupted" if number == signal.SIGINT else "asked to end")
        os.write(2, b"\nStopping when what is under way has ended. Once more stops at once.\n")

    before = {number: signal.signal(number, pull) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
