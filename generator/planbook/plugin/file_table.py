"""The table of all files that a build generates: which, from which values, and when.

Read `FILES`, at the end, first. Nothing is rendered or written here: each row yields groups of
files with the values that they depend on. `generated_files` renders the groups whose values have
changed. The list of pages for programs has no row, as it names what the others have written: `emit`
adds it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from planbook.library import Entry
from planbook.model import PageUri
from planbook.plugin.generated_files import (
    DIGEST_CHARACTERS,
    REPLACED_URIS,
    TWIN,
    GroupToMake,
    site_file,
)
from planbook.plugin.site_addresses import SiteAddresses
from planbook.plugin.site_base import SiteBase
from planbook.plugin.view_digests import ViewDigests
from planbook.store.files import REPORT
from planbook.views import agents, frame
from planbook.views.bibliography.sources import source_pages, sources_pages
from planbook.views.bibliography.works import (
    BIB,
    JSON,
    CitingPage,
    cited_works,
    citing_page,
    site_downloads,
)
from planbook.views.progress import DATA, own_progress_pages, progress_files
from planbook.views.top_views import top_views
from planbook_cache.entries import Incomparable, digest_of
from planbook_cache.functions import FunctionCache

if TYPE_CHECKING:
    from mkdocs.structure.files import File

    from planbook.plugin.build_context import BuildContext

ADDRESSES = "the addresses of files"
NAMES = {
    "graph": "the links between pages",
    "url_from": ADDRESSES,
    "url_of": ADDRESSES,
    "checks": REPORT,
    "folders": "the folders of pages",
    "plan_pages": "the pages of plans",
    "report_pages": "the pages of reports",
}
"""The names of values that are no files', by the parameter of a view."""
WORKS = "works"
"""The group of the pages that list works, and of the downloads of all works."""


@dataclass(frozen=True)
class AuthorFiles:
    """The site's files that are not generated. They take precedence over generated ones.

    Only the pages in `REPLACED_URIS` do not.
    """

    uris: frozenset[str]
    """All of them."""
    taken: frozenset[str]
    """The paths in the site that they have."""
    pages: Mapping[str, File]
    """Those that are published pages."""
    contents: Mapping[str, bytes]
    """The content of each page."""


@dataclass(frozen=True)
class GenerationContext:
    """All that generated files are made from."""

    base: SiteBase
    authors: AuthorFiles
    addresses: SiteAddresses
    """The addresses that pages may contain, besides those of the pages that list works."""
    url_of: Callable[[str], str]
    """Returns the address of a generated page."""
    digests: ViewDigests
    cache: FunctionCache

    def is_with_twin(self, uri: str) -> bool:
        """Return True if a generated file gets a Markdown twin."""
        is_page = uri.endswith(".md")
        return self.base.has_twins and is_page and uri not in self.authors.taken


def generation_context(
    context: BuildContext, base: SiteBase, contents: Mapping[str, bytes]
) -> GenerationContext:
    """Return what a build's generated files are made from.

    Args:
        context: has the site's other files.
        base: the base.
        contents: the content of the site's other pages, by uri.
    """
    files, cache = context.files, context.cache
    published = [f for f in files if f.is_documentation_page() and f.inclusion.is_included()]
    own_uris = contents.keys() - base.generated
    authors = AuthorFiles(
        uris=frozenset(file.src_uri for file in files),
        taken=frozenset({file.dest_uri for file in files} - REPLACED_URIS),
        pages={file.src_uri: file for file in published if file.src_uri in own_uris},
        contents=contents,
    )

    def url_of(uri: str) -> str:
        """Return the address of a generated page."""
        return site_file(uri, "", "", context.config.use_directory_urls).url

    urls: dict[str, str] = {BIB: BIB, JSON: JSON} | {file.src_uri: file.url for file in files}
    urls |= {uri: url_of(uri) for uri in base.generated}
    addresses = cache.from_last_build_once(SiteAddresses, dict(sorted(urls.items())))
    digests = ViewDigests(cache)
    digests.share("listed", base.listed)
    digests.share("counted", base.counted)
    digests.share("folders", base.folders)
    digests.share("checks", base.checks)
    digests.share("addresses", addresses)
    return GenerationContext(base, authors, addresses, url_of, digests, cache)


# --- works ----------------------------------------------------------------------------------------


def _works_groups(context: GenerationContext) -> Iterator[GroupToMake]:
    """Yield the pages that list works, and the downloads of all works."""
    base = context.base
    of_base = [page for page in base.library.pages if page.uri in base.uris]
    citing = context.cache.from_last_build(citing_page, {page.uri: (page,) for page in of_base})
    cited = tuple(page for page in citing if page)
    # Files of the author that may have the name of one of these.
    similar = [uri for uri in context.authors.uris if uri.startswith(("references.", "sources/"))]
    values = (context.addresses, cited, base.checks, base.documents)
    digests = [context.digests.of(value, (WORKS, n)) for n, value in enumerate(values)]
    digest = [*digests, sorted(similar), base.has_twins]
    names = (ADDRESSES, "the works that pages cite", REPORT, "the documents that are cited")
    yield GroupToMake(
        WORKS,
        digest,
        lambda: _add_twins(context, _render_works(context, cited)),
        lambda: _digests_by_name(context.digests, zip(values, names, strict=True)),
    )


def _render_works(
    context: GenerationContext, cited: tuple[CitingPage, ...]
) -> Iterator[tuple[str, str]]:
    """Yield the pages that list works, and the downloads of all works."""
    base, authors = context.base, context.authors
    all_works = cited_works(cited, base.checks)
    uris = source_pages(all_works, set(authors.uris))
    urls = dict(context.addresses.urls) | {str(uri): context.url_of(uri) for uri in uris}
    yield from sources_pages(all_works, uris, SiteAddresses(urls), base.documents).items()
    for uri, text in site_downloads(all_works):
        if uri not in authors.taken:
            yield uri, text


# --- views ----------------------------------------------------------------------------------------


def _listed_view_groups(context: GenerationContext) -> Iterator[GroupToMake]:
    return _view_groups(context, context.base.view_by_uri)


def _top_page_groups(context: GenerationContext) -> Iterator[GroupToMake]:
    base = context.base
    projections = base.projections(context.addresses, context.cache)
    return _view_groups(context, top_views(base.top_pages, projections))


def _progress_page_groups(context: GenerationContext) -> Iterator[GroupToMake]:
    base = context.base
    views = own_progress_pages(base.counted, context.addresses, base.plan_pages, base.report_pages)
    return _view_groups(context, views)


def _view_groups(
    context: GenerationContext, views: Mapping[str, partial[str]]
) -> Iterator[GroupToMake]:
    """Yield each of the pages that have a view, with its twin.

    A view is a function with the values that it renders: its digest is made of these.
    """
    entries, are_written = _planned_entries(context.base, views)
    for (uri, view), entry, is_written in zip(views.items(), entries, are_written, strict=True):
        twin_digest = _twin_digest(b"", entry, is_written) if context.base.has_twins else None
        yield GroupToMake(
            name=uri,
            inputs=[*_view_digest(context.digests, uri, view), twin_digest],
            render=partial(_render_view, context, uri, view),
            digest_inputs=partial(_digest_view_inputs, context, view, entry),
        )


def _render_view(
    context: GenerationContext, uri: str, view: partial[str]
) -> Iterator[tuple[str, str]]:
    return _add_twins(context, [(uri, view())])


def _digest_view_inputs(
    context: GenerationContext, view: partial[Any], entry: Entry | None = None
) -> dict[str, str]:
    """Return the digests of what a view renders, by name."""
    names = [NAMES.get(name, f"the value {name!r}") for name in signature(view.func).parameters]
    values = [*zip(view.args, names, strict=False)]
    if entry is not None and context.base.has_twins:
        values.append((entry, ""))
    return _digests_by_name(context.digests, values)


def _digests_by_name(digests: ViewDigests, values: Iterable[tuple[object, str]]) -> dict[str, str]:
    """Return the digests of what values consist of; one that several have counts with each."""
    digest_of_name: dict[str, str] = {}
    for value, value_name in values:
        for name, digest in digests.named(value, value_name).items():
            digest_of_name[name] = digest_of_name.get(name, "") + digest
    return digest_of_name


def _view_digest(digests: ViewDigests, uri: str, view: partial[Any]) -> tuple[object, ...]:
    """Return the name of a page's view and the digests of the values that it renders.

    Raises:
        TypeError: the view has a value by keyword, of which nothing would tell that it changed.
    """
    if view.keywords:
        fix = f"give the values of {view.func.__qualname__} by position"
        raise TypeError(f"{uri}: {fix}: their digests decide if the page is rendered again")
    of_values = [digests.of(value, (uri, n)) for n, value in enumerate(view.args)]
    return view.func.__qualname__, of_values


def _progress_data_groups(context: GenerationContext) -> Iterator[GroupToMake]:
    data = partial(progress_files, context.base.counted, context.base.checks)
    digest = _view_digest(context.digests, DATA, data)
    digest_inputs = partial(_digest_view_inputs, context, data)
    yield GroupToMake(DATA, digest, lambda: data(context.cache).items(), digest_inputs)


# --- twins ----------------------------------------------------------------------------------------


def _twin_groups(context: GenerationContext) -> Iterator[GroupToMake]:
    """Yield the twin of each page that is not generated, if pages get twins."""
    if not context.base.has_twins:
        return
    authors = context.authors
    uris = sorted(authors.pages.keys() - authors.taken)
    contents = [authors.contents[uri] for uri in uris]
    rows = zip(contents, *_planned_entries(context.base, uris), strict=True)
    digests = context.cache.from_last_build(_twin_digest, dict(zip(uris, rows, strict=True)))
    for uri, digest in zip(uris, digests, strict=True):
        digest_inputs = partial(_digest_twin_inputs, context, uri)
        yield GroupToMake(
            f"{uri}{TWIN}", digest, partial(_render_twin, context, uri), digest_inputs
        )


def _render_twin(context: GenerationContext, uri: str) -> list[tuple[str, str]]:
    return [_twin(context.base, uri, _read_text(context.authors.contents[uri]))]


def _digest_twin_inputs(context: GenerationContext, uri: str) -> dict[str, str]:
    entry = context.base.entry(uri)
    of_entry = context.digests.named(entry, "") if entry is not None else {}
    return {**of_entry, uri: digest_of(context.authors.contents[uri])[:DIGEST_CHARACTERS]}


def _add_twins(
    context: GenerationContext, rendered: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield files, each page followed by its twin, if it gets one."""
    for uri, text in rendered:
        yield uri, text
        if context.is_with_twin(uri):
            yield _twin(context.base, uri, text)


def _twin(base: SiteBase, uri: str, text: str) -> tuple[str, str]:
    """Return the name and the text of a page's twin."""
    entry = base.entry(uri)
    planned = frame.completed_meta(entry) if entry else {}
    return f"{uri}{TWIN}", agents.twin(text, base.page(uri), planned)


def _planned_entries(base: SiteBase, uris: Iterable[str]) -> tuple[list[Entry | None], list[bool]]:
    """Return the entry of each page, and True if it is written."""
    entries, written_pages = base.library.by_uri, base.library.page_by_uri
    return [entries.get(PageUri(uri)) for uri in uris], [uri in written_pages for uri in uris]


def _read_text(raw: bytes) -> str:
    """Return a page's text as MkDocs reads it. Raises UnicodeDecodeError."""
    return io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8-sig").read()


def _twin_digest(raw: bytes, entry: Entry | None, is_written: bool) -> str | Incomparable:
    """Return the digest of all that the twin of a page depends on."""
    completed_meta = frame.completed_meta(entry) if entry else {}
    return digest_of(raw, completed_meta, is_written) or Incomparable()


# --- the table ------------------------------------------------------------------------------------

FILES: tuple[Callable[[GenerationContext], Iterable[GroupToMake]], ...] = (
    # sources.md, sources/* if there are too many works for one page, references.bib and .json.
    # They take longest, so they are begun first.
    _works_groups,
    # index.md, */index.md, the pages of PARTs, reports/* and documents/*, if there is no such page:
    # see `list_views`.
    _listed_view_groups,
    # The pages at the top: see `library.top_pages` and `views.top_views`.
    _top_page_groups,
    # progress/*, if progress.md would be too large with all plans.
    _progress_page_groups,
    # progress.json and progress.schema.json.
    _progress_data_groups,
    # The Markdown of authors' pages, with the option `agents`. Generated pages have theirs in their
    # own groups.
    _twin_groups,
)
"""Each row yields files in groups: one is rendered again if one of its values has changed."""


def collect_groups(context: GenerationContext) -> list[GroupToMake]:
    """Return all groups of the table."""
    return [group for groups in FILES for group in groups(context)]
