"""The setup of what is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from planbook import library, store
from planbook.research.recording.clock import Clock
from planbook.research.recording.events import EventHandler
from planbook_cache.functions import NO_CACHE, FunctionCache

IndexFiles = Callable[[library.Library], Mapping[str, str]]
"""Returns the contents of INDEX.md and SKILL.md, by path from the project's folder."""


@dataclass(frozen=True, slots=True)
class RecordingConfig:
    """The setup of `planbook expand`, `finish` or `commit`, as far as it is about recording."""

    settings: store.Settings
    index_files: IndexFiles
    command: str
    """As the user would type it: ``planbook expand``."""
    commit: bool = True
    waits: bool = False
    """Wait while another run is recording its results, instead of refusing."""
    verb: str = "Expand"
    """The first word of the commit subject."""
    may_be_staged: tuple[str, ...] = ()
    """Paths of files that belong to the commit, so that the user may have staged them."""
    watch: EventHandler = lambda event: None
    clock: Clock = field(default_factory=Clock)
    cache: FunctionCache = NO_CACHE
    """The cache of parsed files, which builds use too."""

    @property
    def docs(self) -> str:
        """The folder of pages, without slashes around it."""
        return self.settings.docs_dir.strip("/")
