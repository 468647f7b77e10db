"""The generated pages and files of a build with their inputs; unchanged ones are not rendered again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

from generator.cache import FunctionCache
from generator.library import RESERVED
from generator.model import Page, PageUri, Plan
from generator.plugin.build import Build
from generator.plugin.generated import GeneratedFiles, digest_of
from generator.views.agents import (
    FEED,
    LLMS,
    LLMS_FULL,
    SitePage,
    feed_entries,
    listing_files,
    title_and_description,
    twin,
    whole_text,
)
from generator.views.banner import completed_meta
from generator.views.generated import page_facts
from generator.views.graph import graph_page, link_graph
from generator.views.index import GRAPH
from generator.views.progress import progress_pages
from generator.views.progress_json import DATA, SCHEMA, progress_files
from generator.views.sources import source_pages, sources_pages
from generator.views.works import BIB, JSON, site_downloads, works

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

    from generator.views.metadata import Site

REPLACED = frozenset({*map(str, RESERVED), DATA, SCHEMA})
"""Generated files that replace an author's."""

WORKS = "works"
"""The group of the pages that list works, and of the downloads of all works."""
TWIN = ".twin"
"""The suffix of a Markdown twin until it is published: MkDocs would treat the file as a page."""


class Emitter:
    """Adds a build's generated files to the site.

    Args:
        files: the site's other files.
        config: MkDocs' configuration.
        generated: the generated files.
        build: the base.
        pages: the content of the site's other pages, by uri.
        root: the project's folder.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is an input of its own
        self,
        files: Files,
        config: MkDocsConfig,
        generated: GeneratedFiles,
        build: Build,
        pages: Mapping[str, bytes],
        root: Path,
    ) -> None:
        self._others, self._config, self._generated = files, config, generated
        self._build, self._pages, self._root = build, pages, root
        self._taken = {file.dest_uri for file in files} - REPLACED
        self._twins: dict[str, str] = {}
        self._urls = {BIB: BIB, JSON: JSON} | {file.src_uri: file.url for file in files}
        self._urls |= {uri: self._url(uri) for uri in build.generated}
        self.addresses = digest_of(sorted(self._urls.items()))
        """The digest of all addresses that pages may contain, besides those of the pages that list works."""

    def pages(self) -> tuple[PageUri, ...]:
        """Add all generated pages, the progress as data, and the downloads; an author's file takes precedence.

        Returns:
            The uris of the pages that list works.
        """
        added = self._generated.add_all(self._groups())
        pages = tuple(PageUri(uri) for uri in added[WORKS] if uri not in {BIB, JSON})
        self._urls |= {uri: self._url(uri) for uri in pages}
        return pages

    def _groups(self) -> Iterator[tuple[str, object, Callable[[], Iterable[tuple[str, str]]]]]:
        """Yield the name, the inputs and the renderer of each group of files."""
        build = self._build
        library = build.library
        checks = sorted(build.checks.items())
        taken = sorted(file.src_uri for file in self._others if file.src_uri.startswith(("references.", "sources/")))
        listed = [(p.uri, p.title, p.references, p.meta_value("references")) for p in build.cited.values()]
        yield WORKS, [self.addresses, taken, listed, checks], self._works  # first, since it takes longest
        for uri, page in build.made.items():
            yield uri, page.inputs(), lambda uri=uri, page=page: [(uri, page.make())]  # type: ignore[misc]
        shown = [page_facts(library, page.uri) for page in library.pages]
        drops = [entry.drop and (entry.drop.uri, entry.drop.timestamp) for entry in library.entries]
        inputs = [library.plans, shown, [page.lines for page in library.pages], drops, library.problems]
        cited = [(page.uri, [(work.id, work.url) for work in page.references]) for page in library.pages]
        yield DATA, [*inputs, cited, checks], lambda: progress_files(library, build.checks).items()
        progress = progress_pages(library, self._url_from, build.plan_pages, build.report_pages)
        plans = {build.plan_pages.get(plan.uri): plan for plan in library.plans}
        for uri, make in progress.items():
            of_page = self._plan_inputs(plans[uri]) if uri in plans else inputs
            yield uri, [self.addresses, of_page], lambda uri=uri, make=make: [(uri, make())]  # type: ignore[misc]
        graph = link_graph(library, build.folders)
        yield GRAPH, graph, lambda: [(GRAPH, graph_page(graph))]

    def for_agents(self, site: Site, committed: Callable[[str], str | None], calls: FunctionCache) -> frozenset[str]:
        """Add the files for programs and return their paths in the site.

        An author's file at the same path takes precedence.
        """
        build, generated = self._build, self._generated
        own = {f.src_uri: f for f in self._others if f.is_documentation_page() and f.inclusion.is_included()}
        digests = {uri: digest for uri, digest in generated.text_digests().items() if uri.endswith(".md")}
        made = frozenset(digests)
        digests |= {uri: hashlib.sha256(self._pages[uri]).hexdigest() for uri in own if uri not in made}

        def text(uri: str) -> str:
            return generated.text(uri) if uri in made else own[uri].content_string

        self._twins = {uri: f"{uri}{TWIN}" for uri in sorted(digests) if uri not in self._taken}

        def new_twin(uri: str) -> str:
            return twin(text(uri), *self._facts(uri))

        def twin_text(uri: str) -> str:
            return generated.text(self._twins[uri]) if uri in self._twins else new_twin(uri)

        def about(uri: str) -> tuple[str, str]:
            return calls.call(title_and_description, text(uri), uri)

        urls = [(uri, self._urls[uri]) for uri in sorted(digests)]
        pages = [SitePage(uri, url, partial(about, uri), partial(twin_text, uri)) for uri, url in urls]
        finished = feed_entries(build.library, committed)
        shown = [[page_facts(build.library, page.uri), page.url] for page in pages]
        inputs = [
            *(site, build.library.plans, build.folders, shown, sorted(self._taken & {LLMS, LLMS_FULL, FEED})),
            [(entry.uri, day) for entry, day in finished],
        ]

        def groups() -> Iterator[tuple[str, object, Callable[[], Iterable[tuple[str, str]]]]]:
            beside = [(uri, digest) for uri, digest in digests.items() if uri not in build.base]
            yield (
                *(LLMS, [inputs, beside]),
                lambda: self._new(listing_files(build.library, build.folders, site, pages, finished)),
            )
            for uri, path in self._twins.items():
                page, planned = self._facts(uri)
                of_page = [digests[uri], page is None, planned]
                yield path, of_page, lambda uri=uri, path=path: [(path, new_twin(uri))]  # type: ignore[misc]

        listings = generated.add_all(groups())[LLMS]
        twins = [(uri, digest) for uri, digest in generated.text_digests().items() if uri.endswith(TWIN)]
        whole = (LLMS_FULL, [inputs, twins], lambda: self._new([whole_text(build.library, build.base, site, pages)]))
        return frozenset({*self._twins, *listings, *generated.add_all([whole])[LLMS_FULL]})

    def finish(self, build: Build) -> Files:
        """Return all files of the site, once everything is added."""
        files = self._generated.finish()
        plans = {str(uri): str(entry.plan.uri) for uri, entry in build.library.by_uri.items()}
        edited = {plan: _relative(self._root / plan, self._config.docs_dir) for plan in set(plans.values())}
        for uri in build.generated:
            if (file := files.get_file_from_path(uri)) is not None:  # "edit this page" links to its plan
                file.edit_uri = edited[plans[uri]] if uri in plans else None
        for uri in (*build.late[3:], *build.report_pages.values()):  # other pages link to these
            if (file := files.get_file_from_path(uri)) is not None:
                file.inclusion = type(file.inclusion).NOT_IN_NAV
        for path, name in self._twins.items():
            if (file := files.get_file_from_path(name)) is not None:
                file.dest_uri = path
        return files

    def _works(self) -> Iterator[tuple[str, str]]:
        """Return the pages that list works, and the downloads of all works."""
        build = self._build
        every = works(build.library, build.base, build.checks)
        pages = source_pages(every, {file.src_uri for file in self._others})
        urls = self._urls | {uri: self._url(uri) for uri in pages}
        yield from sources_pages(every, pages, lambda page: self._url_from(page, urls)).items()
        yield from self._new(site_downloads(every))

    def _facts(self, uri: str) -> tuple[Page | None, dict[str, object]]:
        """Return the page and the metadata that its plan adds."""
        entry = self._build.entry(uri)
        return self._build.page(uri), completed_meta(entry) if entry else {}

    def _plan_inputs(self, plan: Plan) -> object:
        library = self._build.library
        entries = [entry for part in plan.parts for entry in library.of(plan, part)]
        shown = [(e.uri, e.title, e.page and e.page.lines, e.drop and (e.drop.uri, e.drop.timestamp)) for e in entries]
        return [plan, shown, library.problems_by_uri.get(plan.uri)]

    def _new(self, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Remove generated files that an author's file replaces."""
        return ((uri, text) for uri, text in texts if uri not in self._taken)

    def _url(self, uri: str) -> str:
        return File(uri, None, self._config.site_dir, self._config.use_directory_urls).url

    def _url_from(self, page: str, urls: Mapping[str, str] | None = None) -> Callable[[str], str]:
        known = urls or self._urls
        return lambda uri: get_relative_url(known[uri], known[page]) if uri in known else uri


def url_from(page: str, files: Files) -> Callable[[str], str]:
    """Return a function that returns each page's address relative to `page`."""
    by_uri = files.src_uris
    here = by_uri.get(page)

    def url_of(uri: str) -> str:
        """Return the address of the page `uri`."""
        there = by_uri.get(uri)
        return there.url_relative_to(here) if there and here else uri

    return url_of


def _relative(path: Path, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")
