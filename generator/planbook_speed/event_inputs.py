"""Inputs of a page's events: digests of all that it is read from, and the names of those changed.

While they are those of the last build, plugins' events would do the same again. Plugins declare
theirs with :class:`~planbook_speed.protocols.CacheablePlugin`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from planbook_cache.entries import digest_of
from planbook_speed.digests import UnclearError
from planbook_speed.protocols import CacheablePlugin
from planbook_speed.reasons import Reason, changed_names

if TYPE_CHECKING:
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

RENDERING = "the Markdown extensions or their options"
"""The name of the inputs that the rendering of all pages shares."""


class EventInputs(NamedTuple):
    """The digest of each input of a page's events; they are stored by position."""

    rendering: str
    source: str
    """Of the page's file."""
    address: str
    plugins: tuple[tuple[str, str], ...]
    """Of what each plugin declares, by its name, in the order of their listeners."""

    def changed_names(self, previous: EventInputs) -> list[str]:
        """Return the names of those that differ: that of a plugin stands for what it declares."""
        names = changed_names(previous.by_name(), self.by_name())
        is_other_order = not names and previous.plugins != self.plugins
        return ["the order of the plugins"] if is_other_order else names

    def texts(self) -> tuple[str, ...]:
        """Return all digests, and the names of plugins, for a digest of them."""
        plugins = (text for name_and_digest in self.plugins for text in name_and_digest)
        return (self.rendering, self.source, self.address, *plugins)

    def by_name(self) -> dict[str, str]:
        """Return the digests by name."""
        return {
            RENDERING: self.rendering,
            "its file": self.source,
            "its address": self.address,
            **dict(self.plugins),
        }


def read_event_inputs(
    page: Page,
    files: Files,
    rendering_digest: str,
    source_digest: str,
    declaring: Mapping[str, CacheablePlugin],
) -> EventInputs:
    """Return digests of all that a page is read from.

    Args:
        page: the page.
        files: all files of the site.
        rendering_digest: the digest of all that the rendering of every page depends on.
        source_digest: the digest of the page's file; empty if it cannot be read.
        declaring: the plugins that declare inputs, by name.

    Raises:
        UnclearError: an input has no digest; the message is a reason to read the page again.
    """
    address = digest_of(page.file.url, page.file.inclusion.is_excluded())
    plugins = tuple(
        (name, digest_of(plugin.page_inputs(page, files))) for name, plugin in declaring.items()
    )
    for name, digest in plugins:
        if not digest:
            raise UnclearError(Reason.NO_DIGEST.of(name))
    if not source_digest:
        raise UnclearError(Reason.NO_SOURCE.of())
    return EventInputs(rendering_digest, source_digest, address, plugins)
