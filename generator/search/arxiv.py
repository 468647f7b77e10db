"""arXiv: its API, which answers in Atom and asks for three seconds between two requests.

https://info.arxiv.org/help/api/user-manual.html and https://info.arxiv.org/help/api/tou.html
"""

from __future__ import annotations

from lxml import etree

from generator.model import Query
from generator.search.answers import NoHits, make_hit, plain, with_address
from generator.search.model import Found, Hit
from generator.search.provider import Api, Service
from generator.search.refusals import check_reply
from generator.search.words import terms
from generator.web.model import Ask, Call, Reply

NAME = "arxiv"
SPACING_S = 3.0
"""Seconds between two requests, of all machines together."""
_ATOM = "{http://www.w3.org/2005/Atom}"
_MOST_TERMS = 8
_MOST_RESULTS = 100


def provider(ask: Ask, service: Service, spacing_s: float = SPACING_S) -> Api:
    """The provider that asks the API at `service`."""
    return Api(
        name=NAME,
        engines=frozenset({"arxiv", "scholar"}),
        stands_in=frozenset({"web"}),
        ask=ask,
        make_call=lambda query, limit: make_call(service, query, limit, spacing_s),
        read=read,
    )


def make_call(service: Service, query: Query, limit: int, spacing_s: float = SPACING_S) -> Call:
    """The request for a query: papers that hold all its terms. Raises :class:`NoHits` where it holds none."""
    wanted = " AND ".join(f'all:"{term}"' for term in terms(query.text)[:_MOST_TERMS])
    if not wanted:
        raise NoHits(Found.FAILED, "the query holds no words")
    params = (
        ("search_query", wanted),
        ("start", "0"),
        ("max_results", str(min(limit, _MOST_RESULTS))),
        ("sortBy", "relevance"),
        ("sortOrder", "descending"),
    )
    return Call(f"{service.url}/api/query", params=params, is_trusted=service.is_trusted, spacing_s=spacing_s)


def read(reply: Reply) -> tuple[Hit, ...]:
    """The hits in a reply. Raises :class:`NoHits`."""
    check_reply(reply)
    return read_hits(reply.body)


def read_hits(body: bytes) -> tuple[Hit, ...]:
    """The hits in a feed. Raises :class:`NoHits`: an error comes as a feed too, with one entry that tells it."""
    feed = _feed(body)
    hits = []
    for entry in feed.iterfind(f"{_ATOM}entry"):
        address, title, summary = (_text(entry, name) for name in ("id", "title", "summary"))
        if "/api/errors" in address:
            raise NoHits(Found.FAILED, f"it says: {plain(summary, 200) or 'error'}")
        hits.append(make_hit(_on_https(address), title, summary))
    return with_address(hits)


def _feed(body: bytes) -> etree._Element:
    # Entities are left alone, and nothing is loaded for a document type: a feed has neither.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NoHits(Found.FAILED, "it answers with what is no Atom feed") from error
    if root is None or root.tag != f"{_ATOM}feed":
        raise NoHits(Found.FAILED, "it answers with what is no Atom feed")
    return root


def _text(entry: etree._Element, name: str) -> str:
    found = entry.find(f"{_ATOM}{name}")
    return "" if found is None else " ".join("".join(str(text) for text in found.itertext()).split())


def _on_https(address: str) -> str:
    """The address of the abstract; the feed writes it with ``http``, from where it redirects."""
    start = "http://arxiv.org/"
    return f"https://arxiv.org/{address.removeprefix(start)}" if address.startswith(start) else address
