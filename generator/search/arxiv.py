"""arXiv's API, which answers in Atom.

https://info.arxiv.org/help/api/user-manual.html and https://info.arxiv.org/help/api/tou.html
"""

from __future__ import annotations

from lxml import etree

from generator.model import Query
from generator.search.answers import NoHits, plain
from generator.search.model import Found
from generator.search.provider import WEB, SearchApi
from generator.search.words import terms

SPACING_S = 3.0
"""Seconds between two requests, of all machines together."""
_ATOM = "{http://www.w3.org/2005/Atom}"
_HTTP, _HTTPS = "http://arxiv.org/", "https://arxiv.org/"
_MAX_TERMS = 8


def _require_terms(query: Query) -> str:
    return " AND ".join(f'all:"{term}"' for term in terms(query.text)[:_MAX_TERMS])


def _parse_feed(body: bytes) -> dict[str, object]:
    """Return the entries of a feed. Raises :class:`NoHits`: arXiv reports an error as a feed with one entry."""
    # Entities stay as they are, and no document type is loaded: a feed has neither.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None or root.tag != f"{_ATOM}feed":
        raise NoHits(Found.FAILED, "it answers with what is no Atom feed")
    found = []
    for entry in root.iterfind(f"{_ATOM}entry"):
        told = {name: _text(entry, name) for name in ("id", "title", "summary")}
        if "/api/errors" in told["id"]:
            raise NoHits(Found.FAILED, f"it says: {plain(told['summary'], 200) or 'error'}")
        if told["id"].startswith(_HTTP):  # redirects to HTTPS
            told["id"] = _HTTPS + told["id"].removeprefix(_HTTP)
        found.append(told)
    return {"entries": found}


def _text(entry: etree._Element, name: str) -> str:
    found = entry.find(f"{_ATOM}{name}")
    return "" if found is None else " ".join("".join(str(text) for text in found.itertext()).split())


API = SearchApi(
    name="arxiv",
    cost="free, one in 3 seconds",
    url="https://export.arxiv.org",
    engines=frozenset({"arxiv", "scholar"}),
    stands_in=WEB,
    path="/api/query",
    query="search_query",
    limit="max_results",
    constants={"start": 0, "sortBy": "relevance", "sortOrder": "descending"},
    spacing_s=SPACING_S,
    text=_require_terms,
    parse=_parse_feed,
    results=("entries",),
    fields=("id", "title", "summary"),
)
