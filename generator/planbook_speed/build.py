"""One build, which goes through two stages: its pages are read, then its site is written.

Each stage is an object that is made in the event in which all that it needs is known.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from planbook_speed import template_inputs
from planbook_speed.build_setup import BuildSetup, name_of_outputs
from planbook_speed.reading import Reading
from planbook_speed.writing import Writing

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation

    from planbook_speed.templates import CompiledTemplates

MIB = 1 << 20
COLLECTING_THRESHOLD = 100_000
"""The number of new objects after which Python looks for garbage: a build keeps nearly all of
them."""


def spare_objects() -> None:
    """Let Python scan fewer objects for garbage.

    Those of the last build stay while serving: looking at them would take a quarter of the time
    after a save.
    """
    gc.freeze()
    gc.set_threshold(COLLECTING_THRESHOLD)


class CachedBuild:
    """One build, from `on_pre_build` to its end."""

    def __init__(self, setup: BuildSetup) -> None:
        self._setup = setup
        self.reading: Reading | None = None
        """Set from `on_nav` on."""
        self.writing: Writing | None = None
        """Set from `on_env` on."""

    def begin_reading(self, nav: Navigation, files: Files) -> None:
        """Begin the first stage: no page is read yet, and plugins have made all that there are."""
        gc.freeze()
        self.reading = Reading(self._setup, nav, files)
        self.reading.begin()

    def begin_writing(self, env: Environment, files: Files) -> None:
        """Begin the second stage: all pages are read, and no template is rendered yet."""
        if self.reading is None:
            return
        session = self._setup.session
        self.reading.end()
        gc.freeze()
        self.writing = Writing(self._setup, self.reading, env, files)
        self.writing.begin()
        if session.is_first:  # not after each save
            self._store_pages(self.reading)  # while workers build pages
        session.is_first = False

    def _store_pages(self, reading: Reading) -> None:
        """Store the pages for the next build in another process.

        The size of the cache is limited there, too.
        """
        is_new = reading.store_pages()
        if is_new:
            self._setup.disk.prune(self._setup.options.cache_mib * MIB)

    def compiled_templates(self, env: Environment) -> CompiledTemplates | None:
        """Return the templates that earlier builds have compiled; ``None`` if these may differ.

        Plugins may have changed how this environment compiles them.
        """
        if not self._setup.session.is_serving:
            return None
        is_usual = template_inputs.has_usual_settings(env, self._setup.config.theme.get_env())
        return self._setup.session.compiled if is_usual else None

    def record(self) -> None:
        """Record the site for the next build."""
        if self.writing is None:
            return
        setup, record = self._setup, self.writing.record()
        if setup.session.is_serving:
            setup.session.previous_build = record
        else:
            setup.disk.put(name_of_outputs(setup.config), record, is_latest=True)

    def end(self, *, has_failed: bool) -> None:
        """End the build, whether it has failed or not."""
        gc.unfreeze()
        if self.writing is not None:
            self.writing.end(has_failed=has_failed)
        if self._setup.session.is_serving:
            self._setup.session.cleanup.begin(self._setup.previous_site)
        else:
            self._setup.previous_site.drop()
