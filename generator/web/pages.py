"""Fetch pages: follow redirects to a document, as robots.txt allows."""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

from protego import Protego  # type: ignore[attr-defined,unused-ignore]

from generator.model import format_time
from generator.web.addresses import Reach, check_address
from generator.web.archive import Exchange
from generator.web.connection import PRODUCT, Client, RequestContext, Response, Url, host_of, origin_of, parse_url
from generator.web.model import Fetched, Outcome, Unfetched
from generator.web.readers import SHARED
from generator.web.responses import GOOD, PERMANENT, check_media_type, check_size, checked_body, decode, media_type_of

_MAX_ROBOTS_BYTES = 500 * 1024
"""The minimum that must be parsed (https://www.rfc-editor.org/rfc/rfc9309#section-2.5)."""
_MAX_DELAY_S = 30.0
"""Longest crawl delay in seconds that is respected; longer ones are cut to it."""


@dataclass(slots=True)
class _Trail:
    """The state of a request as it follows redirects."""

    context: RequestContext
    url: str
    max_bytes: int
    is_page: bool = True
    """False for robots.txt."""
    moved_to: str | None = None
    exchanges: list[Exchange] = field(default_factory=list)

    def add(self, response: Response, body: bytes = b"") -> None:
        """Record a response."""
        headers = tuple(response.headers.multi_items())
        self.exchanges.append(Exchange(str(response.url), response.status_code, headers, body, format_time()))


class PageFetcher:
    """Fetch pages. Thread-safe."""

    def __init__(self, client: Client, reach: Reach) -> None:
        self._client = client
        self._limits = client.limits
        self._reach = reach
        self._robots: dict[str, Protego | Unfetched] = {}
        self._robots_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def read(self, url: str) -> tuple[Fetched, list[Exchange]]:
        """Return the document at `url`, and the responses that led to it. Does not raise for a host's failures."""
        context = RequestContext(self._limits.deadline_s, self._reach, self._limits.timeout_s)
        trail = _Trail(context, url, self._limits.max_bytes)
        found = Fetched(url, Outcome.FAILED, fetched=format_time())
        try:
            response = self._follow(trail)
            last = trail.exchanges[-1]
            media_type = media_type_of(response.headers)
            found = replace(found, status=last.status, media_type=media_type, fetched=last.asked)
            until, charset = self._client.limiter.until_stopped, response.charset_encoding
            document = SHARED.read(last.body, self._limits, until, media_type=media_type, charset=charset, url=last.url)
        except Unfetched as error:
            found = replace(found, outcome=error.outcome, reason=error.reason, status=error.status or found.status)
        else:
            outcome = Outcome.MOVED if trail.moved_to else Outcome.OK
            found = replace(found, outcome=outcome, response=last.sha256, **document)
        return replace(
            found, final_url=trail.url, moved_to=trail.moved_to, requests=context.requests, retries=context.retries
        ), trail.exchanges

    def _follow(self, trail: _Trail) -> Response:
        """Return the head of the response after all redirects."""
        url = parse_url(trail.url)
        return self._client.follow(url, trail.context, partial(self._read, trail), partial(self._allow, trail))

    def _allow(self, trail: _Trail, url: Url, redirect: Response | None) -> None:
        """Raise :class:`Unfetched` for an address that must not be requested, the first one or that of a redirect."""
        if redirect:
            trail.add(redirect)
            trail.url = str(url)
            if all(exchange.status in PERMANENT for exchange in trail.exchanges):
                trail.moved_to = trail.url
            if any(exchange.url == trail.url for exchange in trail.exchanges):
                raise Unfetched(Outcome.FAILED, "it redirects in a loop", status=redirect.status_code)
        check_address(url.scheme, host_of(url), url.userinfo)
        if trail.is_page:
            self._heed_robots(url, trail.context)

    def _read(self, trail: _Trail, response: Response) -> Response:
        """Read a response to its end, and record it. Raises :class:`Unfetched` for one that is an error."""
        status, headers = response.status_code, response.headers
        with closing(response):
            if status in GOOD:
                if trail.is_page:
                    check_media_type(media_type_of(headers))
                length = headers.get("content-length", "")
                check_size(int(length) if length.isascii() and length.isdigit() else 0, trail.max_bytes)
            trail.add(response, checked_body(status, headers, response.iter_raw(), trail.max_bytes))
        return response

    # --- robots.txt ------------------------------------------------------------------------------------------------

    def _heed_robots(self, url: Url, context: RequestContext) -> None:
        """Raise :class:`Unfetched` if the host's robots.txt disallows `url`, or cannot be read.

        Without one (4xx) everything is allowed; with one that fails, nothing is
        (https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1).
        """
        origin = origin_of(url)
        with self._robots_locks[origin]:
            if origin not in self._robots:
                self._robots[origin] = self._read_robots(origin, context)
            rules = self._robots[origin]
        if isinstance(rules, Unfetched):
            # Without a status there was no response: the host failed, not its robots.txt.
            where = "" if rules.status is None else "its host's robots.txt: "
            raise Unfetched(rules.outcome, f"{where}{rules.reason}", status=rules.status)
        if not rules.can_fetch(str(url), PRODUCT):
            raise Unfetched(Outcome.DISALLOWED, "its host's robots.txt disallows it")
        self._client.limiter.set_min_pause(host_of(url), min(rules.crawl_delay(PRODUCT) or 0.0, _MAX_DELAY_S))

    def _read_robots(self, origin: str, context: RequestContext) -> Protego | Unfetched:
        trail = _Trail(context, f"{origin}/robots.txt", _MAX_ROBOTS_BYTES, is_page=False)
        try:
            self._follow(trail)
        except Unfetched as error:
            has_none = error.status is not None and 400 <= error.status < 500 and error.status != 429
            return Protego.parse("") if has_none else error
        return Protego.parse(decode(trail.exchanges[-1].body, None, is_html=False))
