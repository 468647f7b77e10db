"""A page for reference managers: the Highwire ``citation_*`` tags, which Zotero and Google Scholar read.

Zotero takes what has a ``citation_title`` for an article in a journal, unless it is told otherwise. ``DC.type`` says
that this is a web page, and ``og:site_name`` of which site (https://www.zotero.org/support/dev/exposing_metadata).
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.views.metadata import Metadata


def meta_tags(metadata: Metadata) -> tuple[tuple[str, str, str], ...]:
    """The tags as ``(attribute, name, content)``, the attribute being ``name`` or ``property``; none is empty."""
    return tuple(tag for tag in _tags(metadata) if tag[2])


def _tags(metadata: Metadata) -> Iterator[tuple[str, str, str]]:
    day = metadata.published.replace("-", "/")
    yield "name", "citation_title", metadata.title
    for author in metadata.authors:
        yield "name", "citation_author", author
    yield "name", "citation_publication_date", day
    yield "name", "citation_online_date", day
    yield "name", "citation_public_url", metadata.url
    yield "name", "citation_abstract", metadata.description
    yield "name", "citation_language", metadata.site.language
    yield "name", "citation_keywords", "; ".join(metadata.tags)
    yield "name", "DC.type", "webpage"
    yield "property", "og:site_name", metadata.site.name
