"""Fetch pages: follow redirects to a document, as robots.txt allows."""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from generator.web import robots
from generator.web.addresses import Reach, check_address
from generator.web.body import peek, read_body, too_large
from generator.web.charsets import decode
from generator.web.connection import (
    FETCHED,
    Client,
    Headers,
    RequestContext,
    Response,
    Url,
    host_of,
    join_url,
    origin_of,
    parse_url,
)
from generator.web.deadline import Deadline
from generator.web.limits import Limits
from generator.web.media_types import HTML, check_media_type
from generator.web.model import Fetched, Outcome
from generator.web.outcomes import GOOD, PERMANENT, REDIRECTS, Unfetched, trouble_of
from generator.web.rate_limiter import RateLimiter
from generator.web.readers import SHARED
from generator.web.retries import persist
from generator.web.warc import Exchange


@dataclass(frozen=True, slots=True)
class PageResponse:
    """The response to one request: a body, or a redirect."""

    url: Url
    status: int
    headers: Headers
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The media type, such as ``text/html``."""
        return str(self.headers.get("content-type", "")).partition(";")[0].strip().lower()

    @property
    def exchange(self) -> Exchange:
        """The response in the form that is archived."""
        headers = tuple((name, value) for name, value in self.headers.multi_items() if name.lower() != FETCHED)
        return Exchange(str(self.url), self.status, headers, self.body, self.headers[FETCHED])


@dataclass(slots=True)
class Trail:
    """The state of a request as it follows redirects."""

    context: RequestContext
    url: str
    moved_to: str | None = None
    exchanges: list[Exchange] = field(default_factory=list)


class PageFetcher:
    """Fetch pages. Thread-safe."""

    def __init__(self, client: Client, limiter: RateLimiter, limits: Limits, reach: Reach) -> None:
        self._client = client
        self._limiter = limiter
        self._limits = limits
        self._reach = reach
        self._robots: dict[str, robots.Rules | Unfetched] = {}
        self._robots_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def read(self, url: str) -> tuple[Fetched, list[Exchange]]:
        """Return the document at `url`, and the responses that led to it. Does not raise for a host's failures."""
        context = RequestContext(Deadline(self._limits.deadline_s), self._reach, self._limits.timeout_s)
        trail = Trail(context, url)
        found = Fetched(url, Outcome.FAILED, fetched=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        try:
            answer = self._follow(url, trail, is_page=True)
            found = replace(found, status=answer.status, media_type=answer.media_type, fetched=answer.headers[FETCHED])
            document = SHARED.read(
                answer.body,
                self._limits.reading_s,
                self._limiter.until_stopped,
                media_type=answer.media_type,
                charset=answer.headers.get("content-type", "").lower().partition("charset=")[2].partition(";")[0],
                url=str(answer.url),
                pdf_pages=self._limits.pdf_pages,
            )
        except Unfetched as error:
            found = replace(found, outcome=error.outcome, reason=error.reason, status=error.status or found.status)
        else:
            outcome = Outcome.MOVED if trail.moved_to else Outcome.OK
            found = replace(found, outcome=outcome, response=trail.exchanges[-1].sha256, **document)
        return replace(
            found, final_url=trail.url, moved_to=trail.moved_to, requests=context.requests, retries=context.retries
        ), trail.exchanges

    # --- hops ------------------------------------------------------------------------------------------------------

    def _follow(self, start: str, trail: Trail, *, is_page: bool) -> PageResponse:
        """Return the response after all redirects; each of them is checked like the first URL."""
        url, is_permanent, seen = parse_url(start), True, set()
        for _ in range(self._limits.max_redirects + 1):
            check_address(url.scheme, host_of(url), url.userinfo)
            if is_page:
                self._heed_robots(url, trail)
            answer = self._ask(url, trail.context, is_page=is_page)
            if is_page:
                trail.exchanges.append(answer.exchange)
            if answer.status not in REDIRECTS:
                return answer
            seen.add(str(url))
            url = _next_hop(answer)
            is_permanent = is_permanent and answer.status in PERMANENT
            if is_page:
                trail.url = str(url)
                trail.moved_to = str(url) if is_permanent else trail.moved_to
            if str(url) in seen:
                raise Unfetched(Outcome.FAILED, "its redirects lead in a circle", status=answer.status)
        raise Unfetched(Outcome.FAILED, f"it redirects more than {self._limits.max_redirects} times")

    def _heed_robots(self, url: Url, trail: Trail) -> None:
        """Raise :class:`Unfetched` if the host's robots.txt disallows `url`, or cannot be read.

        Without one (4xx) everything is allowed; with one that fails, nothing is
        (https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1).
        """
        origin = origin_of(url)
        with self._robots_locks[origin]:
            if origin not in self._robots:
                self._robots[origin] = self._read_robots(origin, trail)
            rules = self._robots[origin]
        if isinstance(rules, Unfetched):
            # Without a status there was no response: the host failed, not its robots.txt.
            where = "" if rules.status is None else "its host's robots.txt: "
            raise Unfetched(rules.outcome, f"{where}{rules.reason}", status=rules.status)
        if not rules.allows(str(url)):
            raise Unfetched(Outcome.DISALLOWED, "its host's robots.txt asks programs not to read it")
        self._limiter.set_min_pause(host_of(url), rules.delay_s)

    def _read_robots(self, origin: str, trail: Trail) -> robots.Rules | Unfetched:
        try:
            answer = self._follow(f"{origin}/robots.txt", trail, is_page=False)
        except Unfetched as error:
            is_missing = error.status is not None and 400 <= error.status < 500 and error.status != 429
            return robots.Rules() if is_missing else error
        return robots.parse_rules(decode(answer.body, None, is_html=False))

    # --- one hop ---------------------------------------------------------------------------------------------------

    def _ask(self, url: Url, context: RequestContext, *, is_page: bool) -> PageResponse:
        """Return the response to the first attempt without a transient failure."""

        def ask() -> PageResponse:
            """Send the request once."""
            with closing(self._client.send(url, context)) as response:
                try:
                    return self._read(response, url, is_page=is_page)
                except Unfetched as error:
                    self._limiter.back_off(host_of(url), error)
                    raise

        return persist(ask, self._limits, context, self._limiter.sleep)

    def _read(self, response: Response, url: Url, *, is_page: bool) -> PageResponse:
        answer = PageResponse(url, response.status_code, response.headers)
        if answer.status in REDIRECTS and "location" in answer.headers:
            return answer
        encoding = response.headers.get("content-encoding", "")
        if answer.status not in GOOD:
            page = peek(response.iter_raw(), encoding) if answer.media_type in HTML else b""
            shown = decode(page, None, is_html=True)
            raise trouble_of(answer.status, response.headers, shown) or Unfetched(
                Outcome.FAILED, f"the server answers {answer.status}", status=answer.status
            )
        max_bytes = self._limits.max_bytes if is_page else robots.MAX_BYTES
        if is_page:
            check_media_type(answer.media_type)
        length = response.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > max_bytes:
            raise too_large(max_bytes)
        body = read_body(response.iter_raw(), encoding, max_bytes)
        page_text = decode(body, None, is_html=True) if answer.media_type in HTML else ""
        trouble = trouble_of(answer.status, response.headers, page_text)
        if trouble:
            raise trouble
        return replace(answer, body=body)


def _next_hop(answer: PageResponse) -> Url:
    try:
        return join_url(answer.url, answer.headers["location"])
    except ValueError as error:
        raise Unfetched(Outcome.FAILED, "it redirects to what is no address", status=answer.status) from error
