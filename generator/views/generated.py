"""The pages that nobody wrote: INDEX pages, a home page, placeholders."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial

from generator.library import Entry, Library
from generator.model import PageUri
from generator.views.index import FOLDER_INDEXES, INDEX, FolderIndex, folder_index, home_page, index_page
from generator.views.metadata import Site
from generator.views.placeholder import placeholder


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """A page to add to the site."""

    make: Callable[[], str]
    """Returns its Markdown."""
    inputs: Callable[[], object]
    """Returns everything that the text depends on besides our code, as values that MessagePack can hold."""


def generated_pages(
    library: Library, folders: Sequence[FolderIndex], existing: Container[str], site: Site, *, is_plain: bool = False
) -> dict[str, GeneratedPage]:
    """Return the pages to add to the `existing` ones, by uri. `is_plain` leaves HTML and admonitions out."""

    def of_all() -> object:
        return [library.plans, folders, site, [page_facts(library, page.uri) for page in library.pages]]

    def of_folder(folder: FolderIndex) -> object:
        below = [(f.path, f.title, f.index_uri, len(f.uris)) for f in folders if f.path.startswith(folder.path)]
        entries = [library.by_uri.get(uri) for uri in folder.uris]
        planned = [e and (e.state, e.is_amiss, e.part.lines_budget, e.plan.uri, e.plan.title) for e in entries]
        return [folder, below, planned, [page_facts(library, uri) for uri in folder.uris]]

    made = {str(INDEX): GeneratedPage(partial(index_page, library, folders, is_plain=is_plain), of_all)}
    if not any(uri in existing for uri in FOLDER_INDEXES):
        home = partial(home_page, library, site.name, site.description, is_plain=is_plain)
        made["index.md"] = GeneratedPage(home, of_all)
    for folder in folders:
        if folder.path and folder.index_uri not in existing:
            make = partial(folder_index, library, folder, folders, is_plain=is_plain)
            made[str(folder.index_uri)] = GeneratedPage(make, partial(of_folder, folder))
    for uri, entry in library.by_uri.items():
        if uri not in existing:
            make = partial(placeholder, library, entry, site.docs_dir, is_plain=is_plain)
            made[str(uri)] = GeneratedPage(make, partial(_of_placeholder, library, entry, site.docs_dir))
    return made


def page_facts(library: Library, uri: str) -> object:
    """Return what lists of pages show of the page `uri`, written or planned."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(PageUri(uri))
    if page is None:
        return [uri, entry and (entry.title, entry.description)]
    about = page.description or (entry.description if entry else "")
    return [uri, page.title, about, page.lines, len(page.references), page.meta_value("created")]


def _of_placeholder(library: Library, entry: Entry, docs_dir: str) -> object:
    part, plan = entry.part, entry.plan
    numbers = [(other.number, other.state, other.line) for other in plan.parts]
    names = [_known_title(library, read.path) for read in part.reads]
    return [part, plan.uri, plan.slug, numbers, entry.uri, entry.title, entry.description, names, docs_dir]


def _known_title(library: Library, path: str) -> tuple[bool, str] | None:
    """Return whether the page at `path` is written, and its title; ``None`` if the base does not have it."""
    page, entry = library.page_by_uri.get(path), library.by_uri.get(PageUri(path))
    return (True, page.title) if page else (False, entry.title) if entry else None
