"""A build whose files are added: what the events of its pages need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planbook.markdown.extensions import Syntax
from planbook.plugin.page_events import PageEvents
from planbook.views import frame
from planbook_cache.entries import digest_of


@dataclass(frozen=True, slots=True)
class SharedInputs:
    """All that the events of every page depend on.

    Another value of a field has all pages read again, and its name is in :meth:`named`.
    """

    version: str
    """The version of planbook's code."""
    fixes_pages: bool
    is_vault: bool
    default_mode: str
    """The reader of Markdown."""
    syntax: Syntax
    site: frame.Site
    files: Mapping[str, tuple[str | None, bool]]
    """The address of each file, and True if the base knows it, by uri in order."""

    def digest(self) -> str:
        """Return the digest of all values; empty if they have none."""
        return digest_of(self)

    def named(self) -> dict[str, object]:
        """Return all values by the names that a verbose build says."""
        return {
            **{f"the address of {uri}": address for uri, address in self.files.items()},
            "the version of planbook": self.version,
            "the options of planbook": (self.fixes_pages, self.is_vault, self.default_mode),
            "the options of Markdown extensions": self.syntax,
            "the name or the address of the site": self.site,
        }


@dataclass(frozen=True, slots=True)
class SiteBuild:
    """A build, from the moment on that all of its files are known."""

    pages: PageEvents
    shared: SharedInputs
    shared_digest: str
    """Its digest; empty if it has none."""
    worker: str
    """The address of our search worker; empty if Material's search has its own."""

    @property
    def site(self) -> frame.Site:
        """The site that the pages belong to."""
        return self.shared.site
