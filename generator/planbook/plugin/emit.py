"""The generated pages and files of a build with their inputs; unchanged ones are not rendered again."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import Files
from mkdocs.utils import get_relative_url

from planbook.citations.references import is_work
from planbook.library import GRAPH, Entry, Library
from planbook.model import Drop, Page, PageUri
from planbook.views import agents, frame
from planbook.views.generated import graph_page, link_graph
from planbook.views.progress import DATA, progress_files, progress_pages
from planbook.views.works import BIB, JSON, site_downloads, source_pages, sources_pages, works
from planbook_speed.cache import FunctionCache, digest_of

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
from planbook.plugin.build import Build
from planbook.plugin.generated_files import REPLACED, TWIN, FilesToMake, GeneratedFiles, site_file

WORKS = "works"
"""The group of the pages that list works, and of the downloads of all works."""


@dataclass(frozen=True, slots=True)
class SiteAddresses:
    """The address of each file of the site, by uri."""

    urls: Mapping[str, str]

    def __call__(self, page: str) -> Callable[[str], str]:
        """Return a function that returns each page's address relative to `page`."""
        here = self.urls.get(page)
        return lambda uri: uri if here is None or uri not in self.urls else get_relative_url(self.urls[uri], here)


class Emitter:
    """Adds a build's generated files to the site.

    Args:
        files: the site's other files.
        config: MkDocs' configuration.
        generated: the generated files.
        build: the base.
        pages: the content of the site's other pages, by uri.
        root: the project's folder.
        calls: keeps what is computed of values that are the last build's.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is an input of its own
        self,
        files: Files,
        config: MkDocsConfig,
        generated: GeneratedFiles,
        build: Build,
        pages: Mapping[str, bytes],
        root: Path,
        calls: FunctionCache,
    ) -> None:
        self._others, self._config, self._generated = files, config, generated
        self._build, self._pages, self._root, self._calls = build, pages, root, calls
        self._taken = {file.dest_uri for file in files} - REPLACED
        of_author = [f for f in files if f.is_documentation_page() and f.inclusion.is_included()]
        own = pages.keys() - build.generated
        self._own = {file.src_uri: file for file in of_author if file.src_uri in own}
        self._digests: dict[int, tuple[object, object]] = {}
        """The digest of each value, by its identity, with the value."""
        self._url: Callable[[str], str] = lambda uri: site_file(uri, "", "", config.use_directory_urls).url
        self._urls = {BIB: BIB, JSON: JSON} | {file.src_uri: file.url for file in files}
        self._urls |= {uri: self._url(uri) for uri in build.generated}
        self.addresses = calls.equal("addresses", SiteAddresses(dict(sorted(self._urls.items()))))
        """The addresses that pages may contain, besides those of the pages that list works."""

    def pages(self) -> tuple[PageUri, ...]:
        """Add all generated pages, the progress as data, and the downloads; an author's file takes precedence.

        Returns:
            The uris of the pages that list works.
        """
        added = self._generated.add_all(self._groups())
        pages = tuple(PageUri(uri) for uri in added[WORKS] if uri.endswith(".md"))
        self._urls |= {uri: self._url(uri) for uri in pages}
        return pages

    def _groups(self) -> list[FilesToMake]:
        """Return all generated pages, the twins of all pages, and the files of progress and works."""
        build = self._build
        library = build.library
        of_base = [page for page in library.pages if page.uri in build.base]
        cited = tuple(page for page in self._calls.of_each(_citing, of_base) if page)
        taken = sorted(file.src_uri for file in self._others if file.src_uri.startswith(("references.", "sources/")))
        inputs = [self._digest(self.addresses), taken, self._digest(cited), self._digest(build.checks), build.has_twins]
        groups: list[FilesToMake] = [(WORKS, inputs, lambda: self._with_twins(self._works(cited)))]  # takes longest
        counted = library.counted(self._calls)
        progress = progress_pages(counted, self.addresses, build.plan_pages, build.report_pages)
        graph = partial(graph_page, self._calls.of_same(link_graph, build.linked, build.folders))
        views: dict[str, partial[str]] = {**build.made, **progress, GRAPH: graph}
        for (uri, view), entry, is_written in zip(views.items(), *self._planned(views), strict=True):
            inputs = [*self._values(view), self._build.has_twins and _of_twin(b"", entry, is_written)]
            groups.append((uri, inputs, lambda uri=uri, view=view: self._with_twins([(uri, view())])))  # type: ignore[misc]
        data = partial(progress_files, counted, build.checks)
        groups.append((DATA, self._values(data), lambda: data(self._calls).items()))
        own = sorted(self._own.keys() - self._taken) if self._build.has_twins else []
        of_twins = self._calls.of_each(_of_twin, [self._pages[u] for u in own], *self._planned(own))
        return groups + [
            (f"{uri}{TWIN}", of_twin, lambda uri=uri: [self._twin(uri, _text_of(self._pages[uri]))])
            for uri, of_twin in zip(own, of_twins, strict=True)
        ]

    def _planned(self, uris: Iterable[str]) -> tuple[list[Entry | None], list[bool]]:
        """Return the entry of each page, and True if it is written."""
        planned, written = self._build.library.by_uri, self._build.library.page_by_uri
        return [planned.get(PageUri(uri)) for uri in uris], [uri in written for uri in uris]

    def _with_twins(self, made: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield files, each page followed by its twin, if it gets one."""
        for uri, text in made:
            yield uri, text
            if self._build.has_twins and uri.endswith(".md") and uri not in self._taken:
                yield self._twin(uri, text)

    def _twin(self, uri: str, text: str) -> tuple[str, str]:
        """Return the name and the text of a page's twin."""
        entry = self._build.entry(uri)
        planned = frame.completed_meta(entry) if entry else {}
        return f"{uri}{TWIN}", agents.twin(text, self._build.page(uri), planned)

    def _values(self, view: partial[Any]) -> tuple[object, ...]:
        """Return the name of a view and the digests of the values that it renders, which many views share."""
        return view.func.__qualname__, [self._digest(value) for value in view.args]

    def _digest(self, value: object) -> object:
        known = self._digests.get(id(value))
        if known is None:
            parts: tuple[object, ...] = ()
            if isinstance(value, Library):
                parts = *value.plans, value.pages, value.drops, value.problems
            elif isinstance(value, Entry):
                parts = value.plan, value.part, value.uri, value.title, value.page, value.drop
            if parts:
                digest = digest_of(*map(self._digest, parts))
            elif isinstance(value, tuple) and isinstance(next(iter(value), None), Page | Drop):
                digest = digest_of(self._calls.of_each(digest_of, value))
            else:
                digest = self._calls.of_same(digest_of, value)
            self._digests[id(value)] = known = value, digest or object()  # no value can be equal to what has none
        return known[1]

    def for_agents(self, site: frame.Site) -> frozenset[str]:
        """Add the list of pages for programs; return its path in the site, and those of the twins.

        An author's file at the same path takes precedence.
        """
        build, generated = self._build, self._generated
        stored = generated.stored()
        made = {uri for uri in stored if uri.endswith(".md")}
        listed, uris = build.listed, sorted({*made, *self._own})
        others = [uri for uri in uris if uri not in build.base]

        def listing() -> Iterator[tuple[str, str]]:
            own = {uri: (self._own[uri].content_string, uri) for uri in others if uri not in made}
            about = {uri: self._calls.call(agents.title_and_description, *own[uri]) for uri in own}
            every = {uri: about.get(uri) or stored[uri].about for uri in others}
            yield agents.LLMS, agents.llms_txt(listed, build.folders, site, uris, every)

        same = self._calls.of_same
        of_others = [stored[uri].about if uri in made else same(digest_of, self._pages[uri]) for uri in others]
        inputs = [self._digest(listed), site, self._digest(build.folders), uris, of_others]
        groups = [(agents.LLMS, inputs, listing)] if agents.LLMS not in self._taken else []
        twins = {uri.removesuffix(TWIN) for uri in stored if uri.endswith(TWIN)}
        return frozenset({*twins, *generated.add_all(groups)})

    def finish(self, build: Build) -> Files:
        """Return all files of the site, once everything is added."""
        files = self._generated.finish()
        known = files.src_uris
        plans = {str(uri): str(entry.plan.uri) for uri, entry in build.library.by_uri.items()}
        docs = self._config.docs_dir
        edited = {plan: Path(os.path.relpath(self._root / plan, docs)).as_posix() for plan in set(plans.values())}
        for uri in build.generated:
            if (file := known.get(uri)) is not None:  # "edit this page" links to its plan
                file.edit_uri = edited[plans[uri]] if uri in plans else None
        for uri in (*build.late[2:], *build.report_pages.values()):  # other pages link to these
            if (file := known.get(uri)) is not None:
                file.inclusion = type(file.inclusion).NOT_IN_NAV
        return files

    def _works(self, cited: tuple[Page, ...]) -> Iterator[tuple[str, str]]:
        """Return the pages that list works, and the downloads of all works."""
        library = Library((), cited, (), (), ())
        every = works(library, self._build.base, self._build.checks)
        pages = source_pages(every, {file.src_uri for file in self._others})
        urls = SiteAddresses({**self._urls, **{uri: self._url(uri) for uri in pages}})
        yield from sources_pages(every, pages, urls).items()
        yield from ((uri, text) for uri, text in site_downloads(every) if uri not in self._taken)  # by an author's


def _text_of(raw: bytes) -> str:
    """Return a page's text as MkDocs reads it. Raises UnicodeDecodeError."""
    return io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8-sig").read()


def _of_twin(raw: bytes, entry: Entry | None, is_written: bool) -> object:
    """Return the digest of all that the twin of a page depends on; what has none is equal to nothing."""
    return digest_of(raw, frame.completed_meta(entry) if entry else {}, is_written) or object()


def _citing(page: Page) -> Page | None:
    """Return a page that cites works, without what a few more words on it would change."""
    meta = tuple(m for m in page.meta if m[0] == "references")
    is_citing = any(map(is_work, page.references))
    return Page(page.uri, page.title, 0, meta=meta, references=page.references) if is_citing else None
