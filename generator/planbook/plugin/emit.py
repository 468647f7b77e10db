"""Adds a build's generated files to the site: those of `file_table`, and the list that names them.

Unchanged ones are not rendered again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import Files

from planbook.model import PageUri
from planbook.plugin.file_table import WORKS, GenerationContext, collect_groups
from planbook.plugin.generated_files import TWIN, GeneratedFiles, GroupToMake, StoredFile
from planbook.plugin.site_addresses import SiteAddresses
from planbook.plugin.site_base import SiteBase
from planbook.views import agents, frame

if TYPE_CHECKING:
    from planbook.plugin.build_context import BuildContext


@dataclass(frozen=True, slots=True)
class Emitted:
    """The site's files with those that are generated, and what the site's pages need of them."""

    files: Files
    """All files of the site."""
    base: SiteBase
    """The base, with the pages that list works."""
    for_agents: frozenset[str]
    """The paths of the list of pages for programs and of the twins."""
    addresses: SiteAddresses
    """The addresses that pages may contain."""


@dataclass(frozen=True, slots=True)
class _OtherPage:
    """A page outside the base, in the list of pages for programs."""

    uri: str
    digest: object
    """A value that is another one if its title or description may be."""
    read_about: Callable[[], tuple[str, str]]
    """Returns its title and description; called if the list is rendered."""


@dataclass(frozen=True)
class Emitter:
    """Adds a build's generated files to the site."""

    generation: GenerationContext
    """The values that they are made from."""
    generated: GeneratedFiles
    context: BuildContext

    def emit(self) -> Emitted:
        """Render the files that have changed, and return all files of the site."""
        self.generated.tables = self.generation.digests.tables
        added = self.generated.add_all(collect_groups(self.generation))
        works_pages = tuple(PageUri(uri) for uri in added[WORKS] if uri.endswith(".md"))
        base = self.generation.base.with_source_pages(works_pages)
        # The list names what was written.
        for_agents = self._add_list(self.context.site) if base.has_twins else frozenset[str]()
        files = self._all_files(base)
        return Emitted(files, base, for_agents, self.generation.addresses)

    def _add_list(self, site: frame.Site) -> frozenset[str]:
        """Add the list of pages for programs.

        An author's file at the same path takes precedence.

        Returns:
            The list's path in the site, and those of the twins.
        """
        base, authors = self.generation.base, self.generation.authors
        stored = self.generated.files_so_far()
        twins = {uri.removesuffix(TWIN) for uri in stored if uri.endswith(TWIN)}
        if agents.LLMS in authors.taken:
            return frozenset(twins)
        uris = sorted({*(uri for uri in stored if uri.endswith(".md")), *authors.pages})
        other_pages = [
            self._other_page(uri, stored.get(uri)) for uri in uris if uri not in base.uris
        ]
        libraries = [
            self.generation.digests.of(value, (agents.LLMS, n))
            for n, value in enumerate((base.listed, base.folders))
        ]
        inputs = [*libraries, site, uris, [other.digest for other in other_pages]]

        def render() -> Iterator[tuple[str, str]]:
            """Yield the list."""
            about = {other.uri: other.read_about() for other in other_pages}
            yield agents.LLMS, agents.llms_txt(base.listed, base.folders, site, uris, about)

        def digest_inputs() -> dict[str, str]:
            """Return the start of the digest of each input by its name."""
            digests = self.generation.digests
            folders = digests.named(base.folders, "the folders of pages")
            return {**digests.named(base.listed, ""), **folders, **dict.fromkeys(uris, "listed")}

        group = GroupToMake(agents.LLMS, inputs, render, digest_inputs)
        added = self.generated.add_all([group])
        return frozenset({*twins, *added})

    def _other_page(self, uri: str, stored: StoredFile | None) -> _OtherPage:
        """Return a page that is not of the base, for the list; `stored` if it is generated."""
        if stored is not None:
            return _OtherPage(uri, stored.about, lambda: stored.about)
        authors, cache = self.generation.authors, self.generation.cache
        file = authors.pages[uri]
        digest = self.generation.digests.of(authors.contents[uri], ("text", uri))

        def read_about() -> tuple[str, str]:
            """Return the title and the description in an author's page."""
            batch = (agents.title_and_description, [(file.content_string, uri)])
            [[about]] = cache.from_disk(batch)
            return about[0], about[1]

        return _OtherPage(uri, digest, read_about)

    def _all_files(self, base: SiteBase) -> Files:
        """Return all files of the site, once everything is added."""
        files = self.generated.finish()
        by_uri = files.src_uris
        plans = {str(uri): str(entry.plan.uri) for uri, entry in base.library.by_uri.items()}
        docs = self.context.config.docs_dir
        edited = {
            plan: Path(os.path.relpath(self.context.setup.root / plan, docs)).as_posix()
            for plan in set(plans.values())
        }
        for uri in base.generated:
            file = by_uri.get(uri)
            if file is not None:  # "edit this page" links to its plan
                file.edit_uri = edited[plans[uri]] if uri in plans else None
        for uri in base.outside_nav:
            file = by_uri.get(uri)
            if file is not None:
                file.inclusion = type(file.inclusion).NOT_IN_NAV
        return files
