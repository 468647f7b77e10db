"""Pages written by a thread while the next one is rendered: writing takes about as long as rendering a template."""

from __future__ import annotations

import queue
import sys
import threading

from mkdocs.utils import write_file

AHEAD = 4
"""Pages that may wait to be written; with the whole navigation in each, one may exceed a megabyte."""
SWITCH_S = 0.0005
"""The interpreter's switch interval in seconds, so that the thread gets its turn early (the default is 5 ms)."""


class PageWriter:
    """Writes files one by one, in order."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[tuple[str, str] | None] = queue.Queue(AHEAD)
        self._thread: threading.Thread | None = None
        self._error: OSError | None = None
        self._switch_s = 0.0

    def write(self, path: str, text: str) -> None:
        """Queue a page to be written as MkDocs writes it.

        Raises:
            OSError: an earlier page could not be written.
        """
        if self._error is not None:
            raise self._error
        if self._thread is None:
            self._switch_s = sys.getswitchinterval()
            sys.setswitchinterval(SWITCH_S)
            self._thread = threading.Thread(target=self._write, name="planbook-speed", daemon=True)
            self._thread.start()
        self._waiting.put((path, text))

    def finish(self) -> None:
        """Wait until all pages are written; :attr:`error` is set if that failed."""
        if self._thread is not None:
            self._waiting.put(None)
            self._thread.join()
            self._thread = None
            sys.setswitchinterval(self._switch_s)

    @property
    def error(self) -> OSError | None:
        """The reason why a page could not be written; no later page was written either."""
        return self._error

    def _write(self) -> None:
        while (page := self._waiting.get()) is not None:
            if self._error is None:
                path, text = page
                try:
                    write_file(text.encode("utf-8", errors="xmlcharrefreplace"), path)
                except OSError as error:
                    self._error = error
