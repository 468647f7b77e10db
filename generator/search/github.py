"""GitHub: its REST API finds repositories for anybody, and code for who has a token.

https://docs.github.com/en/rest/search/search
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generator.model import Query
from generator.search.answers import NoHits, entries, make_hit, plain, read_json, with_address
from generator.search.model import Found, Hit
from generator.search.provider import Api, Service
from generator.search.refusals import check_reply
from generator.search.words import clipped, without_site
from generator.web.model import Ask, Call, Reply

NAME = "github"
CODE_NAME = "github-code"
KEY = "GITHUB_TOKEN"
_MOST_CHARS = 256
"""Of a query, qualifiers left aside."""
_MOST_RESULTS = 100
_WHERE = "in:name,description,readme"
"""Without it, READMEs are not searched, and a query of five words finds nothing."""


def provider(ask: Ask, service: Service, token: str = "") -> Api:
    """The provider that finds repositories."""
    return Api(
        name=NAME,
        engines=frozenset({"github"}),
        stands_in=frozenset({"web"}),
        ask=ask,
        make_call=lambda query, limit: make_call(service, query, limit, token),
        read=lambda reply: read(reply, read_repositories),
        secret=token,
    )


def code_provider(ask: Ask, service: Service, token: str) -> Api:
    """The provider that finds files."""
    return Api(
        name=CODE_NAME,
        engines=frozenset({"github"}),
        stands_in=frozenset(),
        ask=ask,
        make_call=lambda query, limit: make_call(service, query, limit, token, kind="code"),
        read=lambda reply: read(reply, read_code),
        secret=token,
    )


def make_call(service: Service, query: Query, limit: int, token: str, kind: str = "repositories") -> Call:
    """The request for a query; `kind` is what to find. Raises :class:`NoHits` where it holds no words."""
    words = clipped(without_site(query.text), _MOST_CHARS)
    if not words:
        raise NoHits(Found.FAILED, "the query holds no words")
    headers = (("Accept", "application/vnd.github+json"), ("X-GitHub-Api-Version", "2022-11-28"))
    return Call(
        f"{service.url}/search/{kind}",
        params=(
            ("q", words if kind == "code" else f"{words} {_WHERE}"),
            ("per_page", str(min(limit, _MOST_RESULTS))),
        ),
        headers=(*headers, ("Authorization", f"Bearer {token}")) if token else headers,
        is_trusted=service.is_trusted,
    )


def read(reply: Reply, read_hits: Callable[[object], tuple[Hit, ...]]) -> tuple[Hit, ...]:
    """The hits in a reply. Raises :class:`NoHits`."""
    check_reply(reply, KEY, _verdict)
    return read_hits(read_json(reply.body))


def read_repositories(answer: object) -> tuple[Hit, ...]:
    """The repositories in an answer. Raises :class:`NoHits`."""
    return with_address(
        make_hit(entry.get("html_url"), entry.get("full_name"), entry.get("description"))
        for entry in entries(answer, "items")
    )


def read_code(answer: object) -> tuple[Hit, ...]:
    """The files in an answer, each at a commit. Raises :class:`NoHits`."""
    return with_address(
        make_hit(entry.get("html_url"), f"{_repository(entry)}: {plain(entry.get('path'), 200)}", "")
        for entry in entries(answer, "items")
    )


def _repository(entry: Mapping[str, object]) -> str:
    repository = entry.get("repository")
    return plain(repository.get("full_name"), 100) if isinstance(repository, dict) else "?"


def _verdict(reply: Reply, said: str) -> Found | None:
    """GitHub answers 403, too, where it limits the rate."""
    is_used_up = reply.headers.get("x-ratelimit-remaining", "").strip() == "0"
    return Found.RATE_LIMITED if reply.status in {403, 429} and (is_used_up or "rate limit" in said.lower()) else None
