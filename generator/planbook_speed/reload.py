"""Saved pages are shown before a build ends.

Browsers get them before it has compared all others.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from planbook_speed import internals
from planbook_speed.outputs import SEARCH

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer


class EarlyReload:
    """Shows the pages of a build before it ends, on a server that is not started yet.

    The files of the search are written last: a request for one waits until the build ends.
    """

    def __init__(self, server: LiveReloadServer) -> None:
        self._server, self._is_whole = server, threading.Event()
        self._is_whole.set()
        server.set_app(self._serve)
        sys.setswitchinterval(0.0005)  # sending a page takes as many turns as it has blocks

    def begin(self) -> EarlyReload:
        """Begin a build."""
        self._pages, self._is_other, self.is_due = dict[str, int](), False, False
        return self

    def note(self, uri: str, output: str) -> None:
        """Note a page's output, and whether browsers have another."""
        if self._is_whole.is_set():
            self._pages[uri] = hash(output)
        else:
            self._is_other |= self._pages.get(uri) != hash(output)

    def show(self) -> None:
        """Have browsers reload: all pages of changed files are written."""
        self.is_due = False
        self._is_whole.clear()
        internals.reload_browsers(self._server)

    def end(self, has_failed: bool) -> None:
        """End the build.

        If a page is another than shown, browsers wait for the server to show it, and reload again.
        """
        if not self._is_whole.is_set() and (self._is_other or has_failed):
            internals.hold_browsers(self._server)
        self._is_whole.set()

    def _serve(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if f"/{SEARCH}" in environ["PATH_INFO"]:
            self._is_whole.wait(self._server.poll_response_timeout)
        return self._server.serve_request(environ, start_response)
