"""Exa: its search API, with a key.

https://exa.ai/docs/reference/search
"""

from __future__ import annotations

from generator.model import Query
from generator.search.answers import NoHits, entries, make_hit, read_json, with_address
from generator.search.model import Found, Hit
from generator.search.provider import ENGINES, Api, Service
from generator.search.refusals import check_reply
from generator.search.words import bare_words, sites_of
from generator.web.model import Ask, Call, Reply

NAME = "exa"
KEY = "EXA_API_KEY"
_MOST_RESULTS = 100


def provider(ask: Ask, service: Service, key: str) -> Api:
    """The provider that asks with `key`."""
    return Api(
        name=NAME,
        engines=frozenset({"web"}),
        stands_in=ENGINES - {"web"},
        ask=ask,
        make_call=lambda query, limit: make_call(service, query, limit, key),
        read=read,
        secret=key,
    )


def make_call(service: Service, query: Query, limit: int, key: str) -> Call:
    """The request for a query. Raises :class:`NoHits` where it holds no words.

    Contents are not asked for: they cost more, and what a page says is read from the page.
    """
    words = bare_words(query.text)
    if not words:
        raise NoHits(Found.FAILED, "the query holds no words")
    sites = sites_of(query)
    return Call(
        f"{service.url}/search",
        method="POST",
        headers=(("Accept", "application/json"), ("x-api-key", key)),
        body={
            "query": words,
            "type": "auto",
            "numResults": min(limit, _MOST_RESULTS),
            **({"includeDomains": sites} if sites else {}),
        },
        is_trusted=service.is_trusted,
    )


def read(reply: Reply) -> tuple[Hit, ...]:
    """The hits in a reply. Raises :class:`NoHits`."""
    check_reply(reply, KEY)
    return read_hits(read_json(reply.body))


def read_hits(answer: object) -> tuple[Hit, ...]:
    """The hits in an answer; a page may have no title. Raises :class:`NoHits`."""
    return with_address(
        make_hit(entry.get("url"), entry.get("title"), entry.get("text")) for entry in entries(answer, "results")
    )
