"""Saved files are noticed at once while a site is served.

MkDocs looks for changed files every half second: network folders and mounts in containers report
none. It still does; where the system reports a change, it looks at once, and less often from then
on.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from watchdog import events
from watchdog.observers import Observer
from watchdog.observers.polling import PollingEmitter

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer


def notice_at_once(server: LiveReloadServer) -> None:
    """Make a server that is not started yet notice changes by the system's events, too."""
    # Seconds without another change. A change during a build makes the next one.
    server.build_delay = 0.03
    for emitter in server.observer.emitters:
        if type(emitter) is PollingEmitter and sys.platform == "linux":
            emitter.__class__ = WokenEmitter


CHANGES: list[type[events.FileSystemEvent]] = [
    events.FileCreatedEvent,
    events.FileDeletedEvent,
    events.FileModifiedEvent,
    events.FileMovedEvent,
    events.DirCreatedEvent,
    events.DirDeletedEvent,
    events.DirMovedEvent,
]
"""The events of the system that count; others report that a file or a folder was read."""


class WokenEmitter(PollingEmitter):
    """Looks for changes regularly, and after an event of the system.

    Only a difference in the files is reported.
    """

    def on_thread_start(self) -> None:
        """Remember the state of the files, and have the system report changes, if it can."""
        super().on_thread_start()
        self._woken, self._has_events, self._took_s = threading.Event(), False, 0.0
        handler = events.FileSystemEventHandler()
        handler.on_any_event = self._wake  # type: ignore[method-assign]
        self._stop_native: Callable[[], None] = lambda: None
        with contextlib.suppress(
            OSError, TypeError
        ):  # the system can watch no more; a watchdog without filters
            native = Observer()
            native.schedule(
                handler, self.watch.path, recursive=self.watch.is_recursive, event_filter=CHANGES
            )
            native.start()
            self._stop_native = native.stop

    def on_thread_stop(self) -> None:
        """Stop waiting and watching."""
        if self.is_alive():
            self._woken.set()
            self._stop_native()

    def queue_events(self, timeout: float) -> None:
        """Wait for an event or until the time is over, and queue an event for each changed file."""
        # Thousands of files take long.
        pause = max(2, 20 * self._took_s) if self._has_events else 5 * self._took_s
        self._woken.wait(max(timeout, pause))
        self._woken.clear()
        begun = time.monotonic()
        super().queue_events(0.01)  # more events may follow
        self._took_s = time.monotonic() - begun

    def _wake(self, event: events.FileSystemEvent) -> None:
        self._has_events = True
        self._woken.set()
