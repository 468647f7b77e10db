"""Search engines without an API, through the package ddgs (extra ``[ddgs]``). Best effort.

Only the package's engine definitions are used: requests and result parsers. Its HTTP client is not: it imitates a
browser, bypasses our guard, and does not distinguish a refusal from an empty result page. See
docs/decisions/0012-search-providers.md.
"""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Mapping
from typing import Any

from generator.citations.identifiers import is_search_page
from generator.extras import describe_missing
from generator.model import Query
from generator.search.answers import NoHits, check_reply, make_hit
from generator.search.model import Found, Hit, Searched
from generator.search.provider import ENGINES, on_its_site
from generator.web.connection import Url, origin_of, parse_url
from generator.web.model import Ask, Call, Outcome, Reply
from generator.web.pages import Rules, is_without_rules

NAME = "ddgs"
BACKENDS = ("duckduckgo", "mojeek", "brave", "startpage", "yahoo")
"""The engines of the package that search the whole web."""
_CHALLENGES = ("anomaly-modal", "anomaly.js", "captcha", "unusual traffic", "are you a robot")
"""Markers of the bot checks that these engines return instead of results."""
_NOTHING = re.compile(
    r"\bno (?:more |web |other )?(?:results|pages|matches)\b|\bnothing (?:was )?found\b|\bnot match any\b"
    r"|\b(?:did not|didn.{1,6}t|could not|couldn.{1,6}t) find any\b"
)
"""Phrases on pages without results. A page without them may just have a new layout."""


def missing_package() -> str:
    """Return what must be installed; empty if the package can be imported."""
    try:
        importlib.import_module("ddgs.engines")
    except ImportError as error:
        return describe_missing(error, "research,ddgs")
    return ""


class Ddgs:
    """Asks these engines, one after another, until one has results. Thread-safe."""

    name = NAME
    engines = frozenset({"web"})
    fallback_for = ENGINES - {"web"}

    def __init__(self, ask: Ask, backends: tuple[str, ...], *, obeys_robots: bool = True, url: str = "") -> None:
        self._ask = ask
        self._backends = backends
        self._heeds_robots = obeys_robots
        self._gateway = url
        self._rules: dict[str, Rules] = {}
        self._lock = threading.Lock()

    def search(self, query: Query, limit: int) -> Searched:
        """See :class:`~generator.search.provider.Provider`."""
        reasons: list[tuple[Found, str]] = []
        requests = 0
        for backend in self._backends:
            session = _Session(self)
            try:
                hits = _hits(backend, on_its_site(query), query.text, session)[:limit]
            except NoHits as error:
                reasons.append((error.outcome, f"{backend}: {error.reason}"))
                hits = ()
            requests += session.requests
            if hits:
                return Searched(query, self.name, Found.FOUND, hits, "", requests)
        order = (Found.EMPTY, Found.RATE_LIMITED, Found.BLOCKED, Found.FAILED)
        outcome = min((outcome for outcome, _ in reasons), key=order.index, default=Found.FAILED)
        return Searched(query, self.name, outcome, (), "; ".join(reason for _, reason in reasons), requests)

    def ask(self, url: Url, session: _Session, spacing_s: float | None = None) -> Reply:
        """Ask an engine, or the configured gateway."""
        address = f"{self._gateway}{url.raw_path.decode('ascii')}" if self._gateway else str(url)
        reply = self._ask(Call(address, is_trusted=bool(self._gateway), spacing_s=spacing_s))
        session.requests += reply.requests
        return reply

    def rules_of(self, url: Url, session: _Session) -> Rules:
        """Return the host's robots.txt, read once. Raises :class:`NoHits` if that fails: then nothing is allowed."""
        if not self._heeds_robots:
            return Rules()
        origin = origin_of(url)
        with self._lock:
            if origin not in self._rules:
                reply = self.ask(url.join("/robots.txt"), session)
                if reply.outcome is not Outcome.OK and not is_without_rules(reply.status):
                    raise NoHits(Found.FAILED, f"its robots.txt cannot be read ({reply.reason})")
                text = reply.body.decode("utf-8", "replace") if reply.outcome is Outcome.OK else ""
                self._rules[origin] = Rules(text)
            return self._rules[origin]


class _Session:
    """The HTTP client passed to the package's engines: no cookies, no browser imitation."""

    def __init__(self, provider: Ddgs) -> None:
        self._provider = provider
        self.requests = 0
        self.status: int | None = None
        self.status_code = 200
        self.text = ""
        self.client = self

    def set_cookies(self, url: str, cookies: Mapping[str, str]) -> None:
        """Keeps none."""

    def request(self, method: str, url: str, *, params: Any = None, data: Any = None) -> _Session:
        """Return the response; engines that use POST accept GET parameters too. Raises :class:`NoHits`."""
        page = parse_url(url).copy_merge_params({**(params or {}), **(data or {})})
        rules = self._provider.rules_of(page, self)
        if not rules.allows(str(page)):
            raise NoHits(Found.BLOCKED, "its robots.txt disallows searching")
        reply = self._provider.ask(page, self, rules.delay_s or None)
        self.status = reply.status
        check_reply(reply)
        self.text = reply.body.decode("utf-8", "replace")
        return self


def _hits(backend: str, text: str, query: str, session: _Session) -> tuple[Hit, ...]:
    """Return the hits of one engine. Raises :class:`NoHits`."""
    kinds: dict[str, Any] = importlib.import_module("ddgs.engines").ENGINES["text"]
    if backend not in kinds:
        raise NoHits(Found.FAILED, "the package no longer has this engine; it has " + ", ".join(sorted(kinds)))
    engine = kinds[backend](timeout=None)
    engine.http_client = session
    try:
        results = engine.search(text) or []
    except NoHits:
        raise
    except Exception as error:  # the package fails on pages other than results
        raise NoHits(*_without_results(session, f"its page cannot be read ({type(error).__name__})")) from error
    made = (make_hit(result.href, result.title, result.body) for result in results)
    hits = tuple(
        Hit(hit.url, hit.title, hit.snippet, NAME, query) for hit in made if hit and not is_search_page(hit.url)
    )
    if not hits:
        raise NoHits(*_without_results(session, ""))
    return hits


def _without_results(session: _Session, trouble: str) -> tuple[Found, str]:
    """Classify a page without results: it counts as empty only if it says so."""
    page = session.text.lower()
    if session.status == 202 or any(mark in page for mark in _CHALLENGES):
        return Found.BLOCKED, "it returned a bot check (CAPTCHA) instead of results"
    if not trouble and _NOTHING.search(page):
        return Found.EMPTY, "no results"
    return Found.FAILED, trouble or "the package finds no results on its page"
