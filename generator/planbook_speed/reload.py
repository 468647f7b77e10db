"""Saved pages are shown before a build ends.

Browsers get them before the build has compared all others.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from planbook_speed import internals
from planbook_speed.site_files import SEARCH

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer

    from planbook_speed.site_files import PreviousSite


class EarlyReload:
    """The browsers of a server that is not started yet, which may reload before a build ends.

    The files of the search are written last: a request for one waits until the build ends.
    """

    def __init__(self, server: LiveReloadServer) -> None:
        self._server = server
        self._site_is_whole = threading.Event()
        """Set while all files in the site's folder are of one build."""
        self._site_is_whole.set()
        server.set_app(self._serve)

    def reload_browsers(self) -> None:
        """Have browsers reload, though the build goes on."""
        self._site_is_whole.clear()
        internals.reload_browsers(self._server)

    def end_build(self, *, is_outdated: bool) -> None:
        """Answer all requests again.

        If browsers show what is outdated, they wait for the server's next build, and reload again.
        """
        if is_outdated:
            internals.hold_browsers(self._server)
        self._site_is_whole.set()

    def _serve(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        # An author may have pages in a folder of that name.
        is_page = path.endswith(("/", ".html"))
        if f"/{SEARCH}" in path and not is_page:
            self._site_is_whole.wait(self._server.poll_response_timeout)
        return self._server.serve_request(environ, start_response)


class ChangedPages:
    """The pages of one build whose files have changed, which are built before all others.

    They are shown when MkDocs has copied the static files and comes to its pages. Then they are
    built a second time, in their turn: a page may show what plugins count from page to page.

    Args:
        browsers: Those of the server.
        previous_site: The files of the last build, which are shown beside these pages.
    """

    def __init__(self, browsers: EarlyReload, previous_site: PreviousSite) -> None:
        self._browsers = browsers
        self._previous_site = previous_site
        self._outputs: dict[str, int] = {}
        """The hash of what browsers are shown of each page, by address."""
        self._are_complete = False
        self._are_shown = False
        self._is_other = False

    def add(self, dest_uri: str, output: str) -> None:
        """Record the output of a page, or compare it with what browsers were shown."""
        if not self._are_shown:
            self._outputs[dest_uri] = hash(output)
        elif self._outputs.get(dest_uri) != hash(output):
            self._is_other = True

    def complete(self) -> None:
        """Have the pages be shown soon: all of them are built."""
        self._are_complete = True

    def show(self) -> None:
        """Move the last build's files back, and have browsers reload; once all pages are built."""
        if self._are_complete and not self._are_shown:
            self._are_shown = True
            self._previous_site.restore_all()
            self._browsers.reload_browsers()

    def end(self, *, has_failed: bool) -> None:
        """End the build."""
        is_outdated = self._is_other or has_failed
        self._browsers.end_build(is_outdated=self._are_shown and is_outdated)
