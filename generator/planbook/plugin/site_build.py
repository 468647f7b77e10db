"""A build whose files are added: what the events of its pages need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planbook.plugin.page_events import PageEvents
from planbook.views import frame


@dataclass(frozen=True, slots=True)
class SiteBuild:
    """A build, from the moment on that all of its files are known."""

    site: frame.Site
    pages: PageEvents
    shared: Mapping[str, object]
    """The inputs of the events of all pages, by name."""
    shared_digest: str
    """The digest of what the events of all pages depend on; empty if it has none."""
    worker: str
    """The address of our search worker; empty if Material's search has its own."""
