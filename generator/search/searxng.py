"""SearXNG: a search engine of engines that the user runs or names.

https://docs.searxng.org/dev/search_api.html
"""

from __future__ import annotations

import re

from generator.model import Query
from generator.search.answers import NoHits, entries, looks_like_html, make_hit, plain, read_json, with_address
from generator.search.model import Found, Hit
from generator.search.provider import Api, Service
from generator.search.refusals import check_reply, is_challenged
from generator.search.words import on_its_site
from generator.web.model import Ask, Call, Reply

NAME = "searxng"
_CATEGORIES = {"scholar": "science", "arxiv": "science"}
"""Of its engines; those of an instance are chosen by whoever runs it (https://docs.searxng.org/user/configured_engines.html)."""
_NO_JSON = "it does not answer in JSON: let its settings.yml have `json` below `search:`, `formats:`"
_BLOCKED = re.compile(r"captcha|access denied", re.IGNORECASE)
_LIMITED = re.compile(r"too many requests", re.IGNORECASE)


def provider(ask: Ask, service: Service) -> Api:
    """The provider that asks the instance at `service`."""
    return Api(
        name=NAME,
        engines=frozenset({"web"}),
        stands_in=frozenset({"github", "arxiv", "scholar", "wikipedia"}),
        ask=ask,
        make_call=lambda query, limit: make_call(service, query),
        read=read,
    )


def make_call(service: Service, query: Query) -> Call:
    """The request for a query. How many results a page has is the instance's to say."""
    category = _CATEGORIES.get(query.engine)
    text = query.text if category else on_its_site(query)
    params = (("q", text), ("format", "json"), ("categories", category or "general"))
    return Call(f"{service.url}/search", params=params, is_trusted=service.is_trusted)


def read(reply: Reply) -> tuple[Hit, ...]:
    """The hits in a reply. Raises :class:`NoHits`.

    An instance answers with HTML, or 403, where its settings leave out JSON; its limiter answers 429.
    """
    if not is_challenged(reply) and (reply.status == 403 or (reply.status == 200 and looks_like_html(reply.body))):
        raise NoHits(Found.BLOCKED, _NO_JSON)
    check_reply(reply)
    return read_hits(read_json(reply.body))


def read_hits(answer: object) -> tuple[Hit, ...]:
    """The hits in an answer. Raises :class:`NoHits`, also where there are none because its engines were refused."""
    results = entries(answer, "results")
    hits = with_address(make_hit(entry.get("url"), entry.get("title"), entry.get("content")) for entry in results)
    silent = answer.get("unresponsive_engines") if isinstance(answer, dict) else None
    if hits or not isinstance(silent, list) or not silent:
        return hits
    said = ", ".join(_engine(entry) for entry in silent[:5])
    outcome = Found.BLOCKED if _BLOCKED.search(said) else Found.RATE_LIMITED if _LIMITED.search(said) else Found.FAILED
    raise NoHits(outcome, f"it has no results, and its engines did not all answer ({said})")


def _engine(entry: object) -> str:
    """``duckduckgo: CAPTCHA``, of the pair that stands for it."""
    texts = entry if isinstance(entry, list) else [entry]
    return ": ".join(text for text in (plain(value, 60) for value in texts[:2]) if text) or "?"
