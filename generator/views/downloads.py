"""Downloads of works cited: for each page with references, and for the whole base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.model import Page
from generator.views.bibliography import Item, bibtex, csl_json
from generator.views.works import CitedWork, page_works, site_items

BIB, JSON = "references.bib", "references.json"
"""File names of the BibLaTeX and CSL-JSON downloads."""


def site_downloads(every: Sequence[CitedWork]) -> Iterator[tuple[str, str]]:
    """Return the files of all works, with ids that no other work has; empty for a base without references."""
    if every:
        yield from _files(site_items(every), BIB, JSON)


def page_downloads(page: Page) -> Iterator[tuple[str, str]]:
    """Return the files of a page's works, with the ids that the page has for them; empty if it cites none."""
    items = [item for item, _ in page_works(page)]
    if items:
        yield from _files(items, beside(page.uri, BIB), beside(page.uri, JSON))


def beside(uri: str, name: str) -> str:
    """Return the path of a page's companion file: ``cuda/10-x/references.bib`` for ``cuda/10-x.md``."""
    return f"{uri.removesuffix('.md')}/{name}"


def _files(items: Sequence[Item], bib: str, json: str) -> Iterator[tuple[str, str]]:
    yield bib, bibtex(items)
    yield json, csl_json(items)
