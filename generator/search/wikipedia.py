"""Wikipedia: the search of MediaWiki's REST API, without a key.

https://www.mediawiki.org/wiki/API:REST_API/Reference#Search_pages
"""

from __future__ import annotations

from urllib.parse import quote

from generator.model import Query
from generator.search.answers import NoHits, entries, make_hit, read_json, with_address
from generator.search.model import Found, Hit
from generator.search.provider import Api, Service
from generator.search.refusals import check_reply
from generator.search.words import bare_words, clipped
from generator.web.model import Ask, Call, Reply

NAME = "wikipedia"
_MOST_RESULTS = 100
_MOST_CHARS = 300
"""Of a query (https://www.mediawiki.org/wiki/Help:CirrusSearch)."""


def provider(ask: Ask, service: Service) -> Api:
    """The provider that asks the Wikipedia at `service`."""
    return Api(
        name=NAME,
        engines=frozenset({"wikipedia"}),
        stands_in=frozenset({"web"}),
        ask=ask,
        make_call=lambda query, limit: make_call(service, query, limit),
        read=lambda reply: read(reply, service),
    )


def make_call(service: Service, query: Query, limit: int) -> Call:
    """The request for a query. Raises :class:`NoHits` where it holds no words."""
    words = clipped(bare_words(query.text), _MOST_CHARS)
    if not words:
        raise NoHits(Found.FAILED, "the query holds no words")
    params = (("q", words), ("limit", str(min(limit, _MOST_RESULTS))))
    return Call(f"{service.url}/w/rest.php/v1/search/page", params=params, is_trusted=service.is_trusted)


def read(reply: Reply, service: Service) -> tuple[Hit, ...]:
    """The hits in a reply. Raises :class:`NoHits`."""
    check_reply(reply)
    return read_hits(read_json(reply.body), service.url)


def read_hits(answer: object, url: str) -> tuple[Hit, ...]:
    """The hits in an answer of the Wikipedia at `url`. Raises :class:`NoHits`."""
    return with_address(
        make_hit(_address(entry.get("key"), url), entry.get("title"), entry.get("excerpt"), is_html=True)
        for entry in entries(answer, "pages")
    )


def _address(key: object, url: str) -> str:
    """Where the article stands: its key is its title as it stands in addresses."""
    return f"{url}/wiki/{quote(key, safe='/:(),!*', errors='replace')}" if isinstance(key, str) and key else ""
