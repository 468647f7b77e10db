"""Downloads of works cited: for each page with references, and for the whole base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.views.bibliography import bibtex, csl_json
from generator.views.works import CitedWork, Use, site_items

BIB, JSON = "references.bib", "references.json"
"""File names of the BibLaTeX and CSL-JSON downloads."""


def downloads(every: Sequence[CitedWork], by_page: Mapping[str, Sequence[Use]]) -> Iterator[tuple[str, str]]:
    """Return each file's text by its path in the site; empty for a base without references.

    In a page's files, works have the ids that the page has for them; in the site's, ids that no other work has.
    """
    if every:
        items = site_items(every)
        yield BIB, bibtex(items)
        yield JSON, csl_json(items)
    for uri, uses in by_page.items():
        items = [use.item for use in uses]
        yield beside(uri, BIB), bibtex(items)
        yield beside(uri, JSON), csl_json(items)


def beside(uri: str, name: str) -> str:
    """Return the path of a page's companion file: ``cuda/10-x/references.bib`` for ``cuda/10-x.md``."""
    return f"{uri.removesuffix('.md')}/{name}"
