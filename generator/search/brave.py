"""Brave: its web search API, with a key.

https://api-dashboard.search.brave.com/documentation
"""

from __future__ import annotations

from generator.model import Query
from generator.search.answers import entries, make_hit, read_json, with_address
from generator.search.model import Found, Hit
from generator.search.provider import ENGINES, Api, Service
from generator.search.refusals import check_reply
from generator.search.words import clipped, on_its_site
from generator.web.model import Ask, Call, Reply

NAME = "brave"
KEY = "BRAVE_API_KEY"
_MOST_RESULTS = 20
_MOST_CHARS, _MOST_WORDS = 400, 50


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
    """The request for a query."""
    return Call(
        f"{service.url}/res/v1/web/search",
        params=(
            ("q", clipped(on_its_site(query), _MOST_CHARS, _MOST_WORDS)),
            ("count", str(min(limit, _MOST_RESULTS))),
            ("result_filter", "web"),
            ("text_decorations", "false"),
        ),
        headers=(("Accept", "application/json"), ("X-Subscription-Token", key)),
        is_trusted=service.is_trusted,
    )


def read(reply: Reply) -> tuple[Hit, ...]:
    """The hits in a reply. Raises :class:`NoHits`."""
    check_reply(reply, KEY, _verdict)
    return read_hits(read_json(reply.body))


def read_hits(answer: object) -> tuple[Hit, ...]:
    """The hits in an answer; one without results has no ``web``. Raises :class:`NoHits`."""
    return with_address(
        make_hit(entry.get("url"), entry.get("title"), entry.get("description"), is_html=True)
        for entry in entries(answer, "web", "results", may_lack=True)
    )


def _verdict(reply: Reply, said: str) -> Found | None:
    """A key that it does not know gets 422, as a query that it cannot read does."""
    return Found.BLOCKED if reply.status == 422 and "token" in said.lower() else None
