"""Bright Data: its SERP API asks a search engine for its page of results and gives them as JSON; with a key and a zone.

https://docs.brightdata.com/scraping-automation/serp-api/introduction
"""

from __future__ import annotations

from urllib.parse import urlencode

from generator.model import Query
from generator.search.answers import NoHits, entries, looks_like_html, make_hit, plain, read_json, with_address
from generator.search.model import Found, Hit
from generator.search.provider import ENGINES, Api, Service
from generator.search.refusals import check_reply
from generator.search.words import on_its_site
from generator.web.model import Ask, Call, Reply

NAME = "brightdata"
KEY = "BRIGHTDATA_API_KEY"
ZONE = "BRIGHTDATA_SERP_ZONE"
_TIMEOUT_S = 60.0
"""It asks again for us until it is let in, which takes a while."""
_MOST_RESULTS = 100


def provider(ask: Ask, service: Service, key: str, zone: str) -> Api:
    """The provider that asks with `key`, through `zone`."""
    return Api(
        name=NAME,
        engines=frozenset({"web"}),
        stands_in=ENGINES - {"web"},
        ask=ask,
        make_call=lambda query, limit: make_call(service, query, limit, key, zone),
        read=read,
        secret=key,
    )


def make_call(service: Service, query: Query, limit: int, key: str, zone: str) -> Call:
    """The request for a query; ``brd_json=1`` is what makes JSON of the page."""
    page = urlencode({"q": on_its_site(query), "num": min(limit, _MOST_RESULTS), "hl": "en", "brd_json": 1})
    return Call(
        f"{service.url}/request",
        method="POST",
        headers=(("Authorization", f"Bearer {key}"),),
        body={"zone": zone, "url": f"https://www.google.com/search?{page}", "format": "raw"},
        is_trusted=service.is_trusted,
        timeout_s=_TIMEOUT_S,
    )


def read(reply: Reply) -> tuple[Hit, ...]:
    """The hits in a reply. Raises :class:`NoHits`: what it could not get is told in headers, also with status 200."""
    said = next((reply.headers[name] for name in ("x-brd-err-msg", "x-brd-error") if reply.headers.get(name)), "")
    if said and not reply.body.lstrip().startswith(b"{"):
        raise NoHits(Found.BLOCKED if reply.status in {401, 403, 407} else Found.FAILED, f"it says: {plain(said, 200)}")
    check_reply(reply, KEY)
    if looks_like_html(reply.body):
        raise NoHits(Found.FAILED, "it answers with the search engine's page: its zone must be one of the SERP API")
    return read_hits(read_json(reply.body))


def read_hits(answer: object) -> tuple[Hit, ...]:
    """The hits in an answer; one without results has no ``organic``. Raises :class:`NoHits`."""
    return with_address(
        make_hit(entry.get("link"), entry.get("title"), entry.get("description"))
        for entry in entries(answer, "organic", may_lack=True)
    )
