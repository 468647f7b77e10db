"""The works that a page may cite: of the documents that were read, each once, with an id. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from planbook.citations.identifiers import free_name, work_id, work_key
from planbook.research.drafts import Source
from planbook.research.search.chain import Candidate
from planbook.research.web.model import Fetched


def make_sources(fetched: Iterable[Fetched], candidates: Iterable[Candidate]) -> tuple[Source, ...]:
    """Return the documents that were read, with ids.

    Of duplicates (the same work or text), only the first has one.
    """
    by_url: Mapping[str, Candidate] = {
        candidate.url.partition("#")[0]: candidate for candidate in candidates
    }
    sources: dict[str, Source] = {}
    works: set[str] = set()
    texts: set[str | None] = set()
    for document in fetched:
        address = document.moved_to or document.url
        addresses = (document.url, document.final_url or document.url, address)
        keys = {work_key(url) for url in addresses}
        is_duplicate = bool(works & keys) or document.sha256 in texts
        if is_duplicate or not document.is_usable:
            continue
        works |= keys
        texts.add(document.sha256)
        source = make_source(document, sources, by_url.get(document.url))
        sources[source.id] = source
    return tuple(sources.values())


def make_source(
    document: Fetched, sources: Mapping[str, Source], candidate: Candidate | None = None
) -> Source:
    """Return a document that was read, with an id that none of `sources` has."""
    found_title = candidate.title if candidate else ""
    title = document.title or found_title or document.url
    address = document.moved_to or document.url
    name = _id_of_export(document, sources) or work_id(address, title, sources)
    return Source(name, document, candidate.queries if candidate else ())


_ID = re.compile(r"[A-Za-z][\w:.-]{0,60}\w")
"""An id that citations can name."""


def _id_of_export(document: Fetched, taken_ids: Collection[str]) -> str:
    """Return the id that a reference manager gives a document; empty if there is none."""
    name = document.work["id"] if document.work else ""
    return free_name(name, dict.fromkeys(taken_ids, 2)) if _ID.fullmatch(name) else ""
