"""State that a process keeps from build to build: `mkdocs serve` makes many, `mkdocs build` one."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from mkdocs.plugins import get_plugin_logger

from planbook_speed import internals
from planbook_speed.kept_pages import KeptPages
from planbook_speed.templates import CompiledTemplates

if TYPE_CHECKING:
    from planbook_speed.reload import EarlyReload
    from planbook_speed.site_files import PreviousBuild, PreviousSite

log = get_plugin_logger("planbook-speed")

CLEAN_AFTER_S = 2.0
"""Seconds between a build while serving and the cleanup after it: the browser gets its page
first."""
CLEAN_AT_ONCE_EVERY = 8
"""The number of builds without a cleanup after which one follows at once: saves in quick succession
cancel cleanups."""


class Session:
    """The state of a process between builds.

    Args:
        is_serving: True for `mkdocs serve`, which builds again after each save.
        is_dirty: True for builds that are `--dirty`, which are left alone.
    """

    def __init__(self, *, is_serving: bool, is_dirty: bool) -> None:
        self.is_serving = is_serving
        self.is_dirty = is_dirty
        self.is_first = True
        """True until a build of this process has come to its templates."""
        self.pages = KeptPages()
        self.previous_build: PreviousBuild | None = None
        """The record of the last build, while serving into a temporary folder."""
        self.compiled = CompiledTemplates()
        """The templates of pages, while serving."""
        self.theme_templates = CompiledTemplates()
        """The templates that are compiled without plugins' extensions of Jinja."""
        self.reload: EarlyReload | None = None
        """The server's browsers, if they can be reloaded before a build ends."""
        self.cleanup = Cleanup()
        self._logged: set[str] = set()

    def log_once(self, message: str) -> None:
        """Log a message, unless an earlier build in the same process did."""
        if message not in self._logged:
            self._logged.add(message)
            log.info(message)

    def log_missing(self, parts: Iterable[internals.PrivatePart]) -> None:
        """Log what a build does without parts of MkDocs that this release does not have."""
        for part in internals.missing_parts(parts):
            self.log_once(f"{part.lost}: {part.why_not}")


class Cleanup:
    """The collection of garbage, and the deletion of old files, after a build while serving."""

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None
        self._builds_since = 0

    def begin(self, previous_site: PreviousSite) -> None:
        """Clean up soon, in a thread."""
        self._builds_since += 1
        delay_s = CLEAN_AFTER_S if self._builds_since < CLEAN_AT_ONCE_EVERY else 0.0
        self._timer = threading.Timer(delay_s, self._clean, [previous_site.drop])
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Wait for a cleanup to finish that has begun; one that has not is left to the next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()

    def _clean(self, drop: Callable[[], object]) -> None:
        self._builds_since = 0
        gc.collect()
        drop()
