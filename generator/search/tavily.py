"""Tavily: its search API, with a key.

https://docs.tavily.com/documentation/api-reference/endpoint/search
"""

from __future__ import annotations

from generator.model import Query
from generator.search.answers import NoHits, entries, make_hit, read_json, with_address
from generator.search.model import Found, Hit
from generator.search.provider import ENGINES, Api, Service
from generator.search.refusals import check_reply
from generator.search.words import bare_words, clipped, sites_of
from generator.web.model import Ask, Call, Reply

NAME = "tavily"
KEY = "TAVILY_API_KEY"
_MOST_RESULTS = 20
_MOST_CHARS = 400


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
    """The request for a query. Raises :class:`NoHits` where it holds no words."""
    words = clipped(bare_words(query.text), _MOST_CHARS)
    if not words:
        raise NoHits(Found.FAILED, "the query holds no words")
    sites = sites_of(query)
    return Call(
        f"{service.url}/search",
        method="POST",
        headers=(("Accept", "application/json"), ("Authorization", f"Bearer {key}")),
        body={
            "query": words,
            "max_results": min(limit, _MOST_RESULTS),
            "search_depth": "basic",
            **({"include_domains": sites} if sites else {}),
        },
        is_trusted=service.is_trusted,
    )


def read(reply: Reply) -> tuple[Hit, ...]:
    """The hits in a reply. Raises :class:`NoHits`."""
    check_reply(reply, KEY, _verdict)
    return read_hits(read_json(reply.body))


def read_hits(answer: object) -> tuple[Hit, ...]:
    """The hits in an answer. Raises :class:`NoHits`."""
    return with_address(
        make_hit(entry.get("url"), entry.get("title"), entry.get("content")) for entry in entries(answer, "results")
    )


def _verdict(reply: Reply, said: str) -> Found | None:
    """432 and 433: the plan's, or the account's, limit is used up."""
    return Found.BLOCKED if reply.status in {432, 433} else None
