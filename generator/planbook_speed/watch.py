"""Saved files are noticed at once while a site is served.

MkDocs looks for changed files every half second: network folders and mounts in containers report
none. It still does; where the system reports a change, it looks at once, and less often from then
on.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from watchdog import events
from watchdog.observers import Observer
from watchdog.observers.polling import PollingEmitter

from planbook_speed import internals

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer


MIN_PAUSE_S = 2.0
"""The shortest time between two looks at all files, where the system reports changes."""
WOKEN_PAUSES, PAUSES = 20, 5
"""The time between two looks, in times that the last one took, with and without such reports."""
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


def _stop_nothing() -> None:
    """Stop watching where the system does not watch."""


class WokenEmitter(PollingEmitter):
    """Looks for changes regularly, and after an event of the system.

    Only a difference in the files is reported.
    """

    def on_thread_start(self) -> None:
        """Remember the state of the files, and have the system report changes, if it can."""
        super().on_thread_start()
        # It was made as a `PollingEmitter`, so that it has no constructor of its own.
        self._woken = threading.Event()
        self._has_events = False
        """True if the system has reported a change: then it reports others, too."""
        self._took_s = 0.0
        """The time that the last look at all files took."""
        self._stop_native = self._begin_native()

    def _begin_native(self) -> Callable[[], None]:
        """Have the system report changes, if it can; return what ends that."""
        handler = events.FileSystemEventHandler()
        handler.on_any_event = self._wake  # type: ignore[method-assign]
        # OSError: the system can watch no more. TypeError: a watchdog without filters.
        try:
            native = Observer()
            native.schedule(
                handler, self.watch.path, recursive=self.watch.is_recursive, event_filter=CHANGES
            )
            native.start()
        except (OSError, TypeError):
            return _stop_nothing
        return native.stop

    def on_thread_stop(self) -> None:
        """Stop waiting and watching."""
        if self.is_alive():
            self._woken.set()
            self._stop_native()

    def queue_events(self, timeout: float) -> None:
        """Wait for an event or until the time is over, and queue an event for each changed file."""
        # Looking at thousands of files takes long: it must not keep a core busy.
        if self._has_events:
            pause_s = max(MIN_PAUSE_S, WOKEN_PAUSES * self._took_s)
        else:
            pause_s = PAUSES * self._took_s
        self._woken.wait(max(timeout, pause_s))
        self._woken.clear()
        begun = time.monotonic()
        super().queue_events(0.01)  # more events may follow
        self._took_s = time.monotonic() - begun

    def _wake(self, event: events.FileSystemEvent) -> None:
        self._has_events = True
        self._woken.set()


def notice_at_once(server: LiveReloadServer) -> None:
    """Make a server that is not started yet notice changes by the system's events, too."""
    # Seconds without another change. A change during a build makes the next one.
    server.build_delay = 0.03
    if sys.platform == "linux":
        internals.replace_emitters(server, WokenEmitter)
