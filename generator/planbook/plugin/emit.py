"""The generated pages and files of a build with their inputs.

Unchanged ones are not rendered again.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import Files
from mkdocs.utils import get_relative_url

from planbook.library import Entry
from planbook.model import PageUri
from planbook.plugin.digests import ViewDigests
from planbook.plugin.generated_files import (
    REPLACED,
    TWIN,
    GeneratedFiles,
    GroupToMake,
    StoredFile,
    site_file,
)
from planbook.plugin.site_base import SiteBase
from planbook.views import agents, frame
from planbook.views.progress import DATA, own_progress_pages, progress_files
from planbook.views.sources import source_pages, sources_pages
from planbook.views.top_pages import top_views
from planbook.views.works import (
    BIB,
    JSON,
    CitingPage,
    cited_works,
    citing_page,
    site_downloads,
)
from planbook_speed.cache import FunctionCache, digest_of

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

WORKS = "works"
"""The group of the pages that list works, and of the downloads of all works."""


@dataclass(frozen=True, slots=True)
class SiteAddresses:
    """The address of each file of the site, by uri."""

    urls: Mapping[str, str]

    def __call__(self, page: str) -> Callable[[str], str]:
        """Return a function that returns each page's address relative to `page`."""
        page_url = self.urls.get(page)
        return lambda uri: (
            uri
            if page_url is None or uri not in self.urls
            else get_relative_url(self.urls[uri], page_url)
        )


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
    input: object
    """A value that is another one if its title or description may be."""
    read_about: Callable[[], tuple[str, str]]
    """Returns its title and description; called if the list is rendered."""


class Emitter:
    """Adds a build's generated files to the site.

    Args:
        files: the site's other files.
        config: MkDocs' configuration.
        generated: the generated files.
        base: the base.
        pages: the content of the site's other pages, by uri.
        root: the project's folder.
        cache: keeps what is computed of values that are the last build's.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is an input of its own
        self,
        files: Files,
        config: MkDocsConfig,
        generated: GeneratedFiles,
        base: SiteBase,
        pages: Mapping[str, bytes],
        root: Path,
        cache: FunctionCache,
    ) -> None:
        self._others, self._config, self._generated = files, config, generated
        self._base, self._pages, self._root, self._cache = base, pages, root, cache
        self._taken = {file.dest_uri for file in files} - REPLACED
        of_author = [f for f in files if f.is_documentation_page() and f.inclusion.is_included()]
        own = pages.keys() - base.generated
        self._own = {file.src_uri: file for file in of_author if file.src_uri in own}
        self._digests = ViewDigests(cache)
        self._digests.share("listed", base.listed)
        self._digests.share("counted", base.counted)
        self._digests.share("folders", base.folders)
        self._digests.share("checks", base.checks)
        self._url: Callable[[str], str] = lambda uri: (
            site_file(uri, "", "", config.use_directory_urls).url
        )
        self._urls = {BIB: BIB, JSON: JSON} | {file.src_uri: file.url for file in files}
        self._urls |= {uri: self._url(uri) for uri in base.generated}
        urls = dict(sorted(self._urls.items()))
        self._addresses = cache.from_last_build_once(SiteAddresses, urls)
        """The addresses that pages may contain, besides those of the pages that list works."""
        self._digests.share("addresses", self._addresses)

    def emit(self, site: frame.Site, *, has_list: bool) -> Emitted:
        """Write all generated files, and return them with the site's others.

        Args:
            site: the site.
            has_list: true to write the list of pages for programs, too.
        """
        base = replace(self._base, source_pages=self._write_pages())
        # The list names what was written.
        for_agents = self._write_list(site) if has_list else frozenset[str]()
        files = self._all_files(base)
        return Emitted(files, base, for_agents, self._addresses)

    def _write_pages(self) -> tuple[PageUri, ...]:
        """Add all generated pages, the progress as data, and the downloads.

        An author's file takes precedence.

        Returns:
            The uris of the pages that list works.
        """
        added = self._generated.add_all(self._groups())
        pages = tuple(PageUri(uri) for uri in added[WORKS] if uri.endswith(".md"))
        self._urls |= {uri: self._url(uri) for uri in pages}
        return pages

    def _groups(self) -> list[GroupToMake]:
        """Return all generated pages, the twins of pages, and the files of progress and works."""
        base = self._base
        top = top_views(base.top_pages, base.view_inputs(self._addresses, self._cache))
        of_plans = own_progress_pages(
            base.counted, self._addresses, base.plan_pages, base.report_pages
        )
        data = partial(progress_files, base.counted, base.checks)
        return [
            self._group_of_works(),  # takes longest
            *self._groups_of_views({**base.views, **top, **of_plans}),
            GroupToMake(DATA, self._inputs_of(DATA, data), lambda: data(self._cache).items()),
            *self._groups_of_twins(),
        ]

    def _group_of_works(self) -> GroupToMake:
        """Return the pages that list works, and the downloads of all works."""
        base = self._base
        of_base = [page for page in base.library.pages if page.uri in base.uris]
        citing = self._cache.from_last_build(citing_page, {page.uri: (page,) for page in of_base})
        cited = tuple(page for page in citing if page)
        others = (file.src_uri for file in self._others)
        taken = sorted(uri for uri in others if uri.startswith(("references.", "sources/")))
        values = (self._addresses, cited, base.checks, base.documents)
        digests = [self._digests.of(value, (WORKS, n)) for n, value in enumerate(values)]
        inputs = [*digests, taken, base.has_twins]
        return GroupToMake(WORKS, inputs, lambda: self._with_twins(self._works(cited)))

    def _groups_of_views(self, views: Mapping[str, partial[str]]) -> Iterator[GroupToMake]:
        """Yield each of the pages that have a view, with its twin."""
        for (uri, view), entry, is_written in zip(
            views.items(), *self._planned(views), strict=True
        ):
            twin = _of_twin(b"", entry, is_written) if self._base.has_twins else None
            inputs = [*self._inputs_of(uri, view), twin]
            yield GroupToMake(uri, inputs, partial(self._rendered, uri, view))

    def _rendered(self, uri: str, view: partial[str]) -> Iterator[tuple[str, str]]:
        return self._with_twins([(uri, view())])

    def _groups_of_twins(self) -> Iterator[GroupToMake]:
        """Yield the twin of each page that is not generated, if pages get twins."""
        if not self._base.has_twins:
            return
        uris = sorted(self._own.keys() - self._taken)
        texts = [self._pages[uri] for uri in uris]
        rows = zip(texts, *self._planned(uris), strict=True)
        inputs = self._cache.from_last_build(_of_twin, dict(zip(uris, rows, strict=True)))
        for uri, of_twin in zip(uris, inputs, strict=True):
            yield GroupToMake(f"{uri}{TWIN}", of_twin, partial(self._own_twin, uri))

    def _own_twin(self, uri: str) -> list[tuple[str, str]]:
        return [self._twin(uri, _text_of(self._pages[uri]))]

    def _planned(self, uris: Iterable[str]) -> tuple[list[Entry | None], list[bool]]:
        """Return the entry of each page, and True if it is written."""
        planned, written = self._base.library.by_uri, self._base.library.page_by_uri
        return [planned.get(PageUri(uri)) for uri in uris], [uri in written for uri in uris]

    def _with_twins(self, rendered: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield files, each page followed by its twin, if it gets one."""
        for uri, text in rendered:
            yield uri, text
            if self._base.has_twins and uri.endswith(".md") and uri not in self._taken:
                yield self._twin(uri, text)

    def _twin(self, uri: str, text: str) -> tuple[str, str]:
        """Return the name and the text of a page's twin."""
        entry = self._base.entry(uri)
        planned = frame.completed_meta(entry) if entry else {}
        return f"{uri}{TWIN}", agents.twin(text, self._base.page(uri), planned)

    def _inputs_of(self, uri: str, view: partial[Any]) -> tuple[object, ...]:
        """Return the name of a page's view and the digests of the values that it renders.

        Raises:
            TypeError: the view has a value by keyword, of which nothing would tell that it changed.
        """
        if view.keywords:
            fix = f"give the values of {view.func.__qualname__} by position"
            raise TypeError(f"{uri}: {fix}: their digests decide if the page is rendered again")
        digests = [self._digests.of(value, (uri, n)) for n, value in enumerate(view.args)]
        return view.func.__qualname__, digests

    def _write_list(self, site: frame.Site) -> frozenset[str]:
        """Add the list of pages for programs.

        An author's file at the same path takes precedence.

        Returns:
            The list's path in the site, and those of the twins.
        """
        written = self._generated.files_so_far()
        uris = sorted({*(uri for uri in written if uri.endswith(".md")), *self._own})
        others = [
            self._other_page(uri, written.get(uri)) for uri in uris if uri not in self._base.uris
        ]
        twins = {uri.removesuffix(TWIN) for uri in written if uri.endswith(TWIN)}
        if agents.LLMS in self._taken:
            return frozenset(twins)
        base = self._base
        libraries = [
            self._digests.of(value, (agents.LLMS, n))
            for n, value in enumerate((base.listed, base.folders))
        ]
        inputs = [*libraries, site, uris, [other.input for other in others]]

        def render() -> Iterator[tuple[str, str]]:
            about = {other.uri: other.read_about() for other in others}
            yield agents.LLMS, agents.llms_txt(base.listed, base.folders, site, uris, about)

        added = self._generated.add_all([GroupToMake(agents.LLMS, inputs, render)])
        return frozenset({*twins, *added})

    def _other_page(self, uri: str, written: StoredFile | None) -> _OtherPage:
        """Return a page that is not of the base, for the list; `written` if it is generated."""
        if written is not None:
            return _OtherPage(uri, written.about, lambda: written.about)
        file, digest = self._own[uri], self._digests.of(self._pages[uri], ("text", uri))

        def read_about() -> tuple[str, str]:
            batch = (agents.title_and_description, [(file.content_string, uri)])
            [[about]] = self._cache.from_disk(batch)
            return about[0], about[1]

        return _OtherPage(uri, digest, read_about)

    def _all_files(self, base: SiteBase) -> Files:
        """Return all files of the site, once everything is added."""
        files = self._generated.finish()
        known = files.src_uris
        plans = {str(uri): str(entry.plan.uri) for uri, entry in base.library.by_uri.items()}
        docs = self._config.docs_dir
        edited = {
            plan: Path(os.path.relpath(self._root / plan, docs)).as_posix()
            for plan in set(plans.values())
        }
        for uri in base.generated:
            file = known.get(uri)
            if file is not None:  # "edit this page" links to its plan
                file.edit_uri = edited[plans[uri]] if uri in plans else None
        for uri in base.outside_nav:
            file = known.get(uri)
            if file is not None:
                file.inclusion = type(file.inclusion).NOT_IN_NAV
        return files

    def _works(self, cited: tuple[CitingPage, ...]) -> Iterator[tuple[str, str]]:
        """Return the pages that list works, and the downloads of all works."""
        every = cited_works(cited, self._base.checks)
        pages = source_pages(every, {file.src_uri for file in self._others})
        urls = SiteAddresses({**self._urls, **{uri: self._url(uri) for uri in pages}})
        yield from sources_pages(every, pages, urls, self._base.documents).items()
        # An author's file takes precedence.
        yield from ((uri, text) for uri, text in site_downloads(every) if uri not in self._taken)


def _text_of(raw: bytes) -> str:
    """Return a page's text as MkDocs reads it. Raises UnicodeDecodeError."""
    return io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8-sig").read()


def _of_twin(raw: bytes, entry: Entry | None, is_written: bool) -> object:
    """Return the digest of all that the twin of a page depends on.

    What has none is equal to nothing.
    """
    return digest_of(raw, frame.completed_meta(entry) if entry else {}, is_written) or object()
