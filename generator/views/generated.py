"""The pages that nobody wrote: INDEX pages, a home page, placeholders."""

from __future__ import annotations

from collections.abc import Container, Sequence

from generator.library import Library
from generator.views.index import FOLDER_INDEXES, INDEX, FolderIndex, folder_index, home_page, index_page
from generator.views.metadata import Site
from generator.views.placeholder import placeholder


def generated_pages(
    library: Library, folders: Sequence[FolderIndex], existing: Container[str], site: Site, *, is_plain: bool = False
) -> dict[str, str]:
    """Return the pages to add to the `existing` ones, by uri. `is_plain` leaves HTML and admonitions out."""
    made = {str(INDEX): index_page(library, folders, is_plain=is_plain)}
    if not any(uri in existing for uri in FOLDER_INDEXES):
        made["index.md"] = home_page(library, site.name, site.description, is_plain=is_plain)
    for folder in folders:
        if folder.path and folder.index_uri not in existing:
            made[str(folder.index_uri)] = folder_index(library, folder, folders, is_plain=is_plain)
    for uri, entry in library.by_uri.items():
        if uri not in existing:
            made[str(uri)] = placeholder(library, entry, site.docs_dir, is_plain=is_plain)
    return made
