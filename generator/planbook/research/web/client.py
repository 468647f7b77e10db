"""The client that fetches pages and calls APIs."""

from __future__ import annotations

import codecs
import io
import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from protego import Protego  # type: ignore[attr-defined,unused-ignore]

from planbook.model import format_time
from planbook.research.web import connection
from planbook.research.web.archive import Archive, Exchange, reply_name
from planbook.research.web.github import (
    GitHubClient,
    GitHubEndpoints,
    add_named_lines,
    find_endpoints,
)
from planbook.research.web.model import Call, Fetched, Limits, Outcome, Reply, Unanswered, Unfetched
from planbook.research.web.rate_limits import RateLimiter
from planbook.research.web.reach import Reach, check_address, refusal_error
from planbook.research.web.readers import SHARED_READERS
from planbook.research.web.responses import (
    GOOD_STATUSES,
    PERMANENT,
    check_media_type,
    check_size,
    checked_body,
    decode,
    media_type_of,
)
from planbook.store import Settings
from planbook.store.options import Options

T = TypeVar("T")
_MAX_ROBOTS_BYTES = 500 * 1024
"""The minimum that must be parsed (https://www.rfc-editor.org/rfc/rfc9309#section-2.5)."""
_MAX_DELAY_S = 30.0
"""Longest crawl delay in seconds that is respected; longer ones are cut to it."""


@dataclass(slots=True)
class _Trail:
    """The state of a request as it follows redirects."""

    context: connection.RequestContext
    url: str
    max_bytes: int
    is_page: bool = True
    """False for robots.txt."""
    moved_to: str | None = None
    exchanges: list[Exchange] = field(default_factory=list)

    def add(self, response: connection.Response, body: bytes = b"") -> None:
        """Record a response."""
        headers = tuple(response.headers.multi_items())
        self.exchanges.append(
            Exchange(str(response.url), response.status_code, headers, body, format_time())
        )


class PageFetcher:
    """Fetch pages. Thread-safe."""

    def __init__(self, client: connection.Client, reach: Reach) -> None:
        self._client = client
        self._reach = reach
        self._robots: dict[str, Protego | Unfetched] = {}
        self._robots_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def read(self, url: str) -> tuple[Fetched, list[Exchange]]:
        """Return the document at `url`, and the responses that led to it.

        Does not raise for a host's failures.
        """
        context = connection.RequestContext(
            self._client.limits.deadline_s, self._reach, self._client.limits.timeout_s
        )
        trail = _Trail(context, url, self._client.limits.max_bytes)
        fetched = Fetched(url, Outcome.FAILED, fetched=format_time())
        try:
            response = self._follow(trail)
            last_exchange = trail.exchanges[-1]
            media_type = media_type_of(response.headers)
            fetched = replace(
                fetched,
                status_code=last_exchange.status_code,
                media_type=media_type,
                fetched=last_exchange.asked,
            )
            document = SHARED_READERS.read(
                last_exchange.body,
                self._client.limits,
                self._client.limiter.until_stopped,
                media_type=media_type,
                charset=response.charset_encoding,
                url=last_exchange.url,
            )
        except Unfetched as error:
            fetched = replace(
                fetched,
                outcome=error.outcome,
                reason=error.reason,
                status_code=error.status_code or fetched.status_code,
            )
        else:
            outcome = Outcome.MOVED if trail.moved_to else Outcome.OK
            fetched = replace(fetched, outcome=outcome, response=last_exchange.sha256, **document)
        return replace(
            fetched, final_url=trail.url, moved_to=trail.moved_to, requests=context.requests
        ), trail.exchanges

    def _follow(self, trail: _Trail) -> connection.Response:
        """Return the head of the response after all redirects."""
        url = connection.parse_url(trail.url)
        return self._client.follow(
            url, trail.context, partial(self._read, trail), partial(self._allow, trail)
        )

    def _allow(
        self, trail: _Trail, url: connection.Url, redirect: connection.Response | None
    ) -> None:
        """Raise :class:`Unfetched` for an address that must not be requested.

        That may be the first one, or the one of a redirect.
        """
        if redirect:
            trail.add(redirect)
            trail.url = str(url)
            if all(exchange.status_code in PERMANENT for exchange in trail.exchanges):
                trail.moved_to = trail.url
            if any(exchange.url == trail.url for exchange in trail.exchanges):
                reason = "it redirects in a loop"
                raise Unfetched(Outcome.FAILED, reason, status_code=redirect.status_code)
        check_address(url.scheme, connection.host_of(url), url.userinfo)
        if trail.is_page:
            self._heed_robots(url, trail.context)

    def _read(self, trail: _Trail, response: connection.Response) -> connection.Response:
        """Read a response to its end, and record it.

        Raises :class:`Unfetched` for one that is an error.
        """
        status_code, headers = response.status_code, response.headers
        with closing(response):
            if status_code in GOOD_STATUSES:
                if trail.is_page:
                    check_media_type(media_type_of(headers))
                length = headers.get("content-length", "")
                if length.isascii() and length.isdigit():
                    check_size(int(length), trail.max_bytes)
            trail.add(
                response, checked_body(status_code, headers, response.iter_raw(), trail.max_bytes)
            )
        return response

    # --- robots.txt -------------------------------------------------------------------------------

    def _heed_robots(self, url: connection.Url, context: connection.RequestContext) -> None:
        """Raise :class:`Unfetched` if the host's robots.txt disallows `url`, or cannot be read.

        Without one (4xx) everything is allowed; with one that fails, nothing is
        (https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1).
        """
        origin = connection.origin_of(url)
        with self._robots_locks[origin]:
            if origin not in self._robots:
                self._robots[origin] = self._read_robots(origin, context)
            rules = self._robots[origin]
        if isinstance(rules, Unfetched):
            # Without a status there was no response: the host failed, not its robots.txt.
            where = "" if rules.status_code is None else "its host's robots.txt: "
            raise Unfetched(rules.outcome, f"{where}{rules.reason}", status_code=rules.status_code)
        if not rules.can_fetch(str(url), connection.PRODUCT):
            raise Unfetched(Outcome.DISALLOWED, "its host's robots.txt disallows it")
        delay_s = rules.crawl_delay(connection.PRODUCT) or 0.0
        host = connection.host_of(url)
        self._client.limiter.set_min_pause(host, min(delay_s, _MAX_DELAY_S))

    def _read_robots(self, origin: str, context: connection.RequestContext) -> Protego | Unfetched:
        """Return the rules of a host, or why they cannot be read; none allow everything."""
        trail = _Trail(context, f"{origin}/robots.txt", _MAX_ROBOTS_BYTES, is_page=False)
        try:
            self._follow(trail)
        except Unfetched as error:
            status_code = error.status_code
            has_none = status_code is not None and 400 <= status_code < 500 and status_code != 429
            return Protego.parse("") if has_none else error
        return Protego.parse(decode(trail.exchanges[-1].body, None, is_html=False))


# --- calls to APIs --------------------------------------------------------------------------------

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[\x20-\x7e]*")
"""https://www.rfc-editor.org/rfc/rfc9110#section-5.5, without characters that few hosts accept."""
_CLIENT_HEADERS = frozenset(
    {"accept-encoding", "connection", "content-length", "host", "transfer-encoding", "user-agent"}
)
"""Headers that the client sets; a call must not."""
_PUBLIC_HEADERS = frozenset({"accept", "accept-language", "content-type"})
"""Headers that hold no secret; any other may be a key."""
_SCHEMES = frozenset({"basic", "bearer", "token"})
"""Authentication schemes that precede a key.

https://www.rfc-editor.org/rfc/rfc9110#section-11.4
"""
_MIN_SECRET_CHARS = 6


class ApiClient:
    """Make API calls through the client. Thread-safe."""

    def __init__(self, client: connection.Client, reach: Reach) -> None:
        self._client = client
        self._reach = reach

    def call(self, call: Call) -> Reply:
        """Return the API's reply, or the reason why there is none."""
        context = self._context(call, is_stream=False)
        try:
            reply = self._answer(call, context, self._read)
        except Unfetched as error:
            return _failed_reply(call, error, context)
        return replace(reply, requests=context.requests)

    def stream(self, call: Call) -> Iterator[str]:
        """Yield the lines of the response as they arrive.

        It is a :data:`~planbook.research.web.model.Stream`.
        """
        context = self._context(call, is_stream=True)
        try:
            with closing(self._answer(call, context, self._read_head)) as response:
                yield from _lines_of_stream(response.iter_raw(), self._client.limits.max_bytes)
        except Unfetched as error:
            reply = _failed_reply(call, error, context)
            raise Unanswered(reply) from None  # its cause may quote secrets

    def _context(self, call: Call, *, is_stream: bool) -> connection.RequestContext:
        """Return the limits and the content of a call's requests."""
        limits = self._client.limits
        content = None
        if call.body is not None:
            text = json.dumps(dict(call.body), ensure_ascii=False)
            content = text.encode("utf-8", "replace")
        return connection.RequestContext(
            call.timeout_s or limits.deadline_s,
            Reach.TRUSTED if call.is_trusted else self._reach,
            call.timeout_s or limits.timeout_s,
            spacing_s=call.spacing_s,
            is_alone=not is_stream,
            method=call.method,
            headers=_headers(call, is_stream=is_stream),
            content=content,
        )

    def _answer(
        self,
        call: Call,
        context: connection.RequestContext,
        read: Callable[[connection.Response], T],
    ) -> T:
        """Return the result of `read` on the response after all redirects."""
        url = connection.parse_url(call.url)
        _check_call(call, url, self._reach)
        if call.params:
            url = url.copy_merge_params(call.params)
        return self._client.follow(url, context, read, partial(_check_redirect, call))

    def _read(self, response: connection.Response) -> Reply:
        """Read a response to its end. Raises :class:`Unfetched` for one that is an error."""
        with closing(response):
            status_code, headers = response.status_code, response.headers
            body = checked_body(
                status_code,
                headers,
                response.iter_raw(),
                self._client.limits.max_bytes,
                is_api=True,
            )
            return Reply(Outcome.OK, "", status_code, dict(headers), body)

    def _read_head(self, response: connection.Response) -> connection.Response:
        """Return a response whose lines can be read; the caller closes it."""
        if not response.is_success:
            self._read(response)
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise Unfetched(Outcome.WRONG_TYPE, "the stream is compressed, which was not requested")
        return response


def _check_call(call: Call, url: connection.Url, reach: Reach) -> None:
    """Raise :class:`Unfetched` if the call itself must not be made."""
    for name, value in call.headers:
        if not _NAME.fullmatch(name) or name.lower() in _CLIENT_HEADERS:
            raise refusal_error(f"{name[:40]!r} is not a header that a call may set")
        if not _VALUE.fullmatch(value):  # the value is not reported: it may be a key
            invalid = "a line end, an accented letter or another invalid character"
            raise refusal_error(f"its header {name[:40]} contains {invalid}")
    is_of_the_internet = not call.is_trusted and reach is Reach.PUBLIC
    if call.headers and url.scheme == "http" and is_of_the_internet:
        raise refusal_error("its headers may contain keys, which are sent over https only")


def _headers(call: Call, *, is_stream: bool) -> tuple[tuple[str, str], ...]:
    """Return the headers to send."""
    header_names = {name.lower() for name, _ in call.headers}
    ours = {"accept": "application/json, */*;q=0.1"}
    if is_stream:
        ours["accept"] = "text/event-stream, application/json"
    if call.body is not None:
        ours["content-type"] = "application/json"
    if is_stream:
        ours["accept-encoding"] = "identity"
    return (
        *call.headers,
        *((name, value) for name, value in ours.items() if name not in header_names),
    )


def _check_redirect(call: Call, url: connection.Url, redirect: connection.Response | None) -> None:
    """Raise :class:`Unfetched` for a redirect to another host.

    The headers may hold keys meant for this host alone.
    """
    if not redirect:
        return
    is_elsewhere = connection.origin_of(url) != connection.origin_of(redirect.url)
    if is_elsewhere or call.method not in {"GET", "HEAD"}:
        where = connection.host_of(url)[:100] or "nowhere"
        reason = f"it redirects to {where}, where a call is not followed"
        raise Unfetched(Outcome.REFUSED, reason, status_code=redirect.status_code)


def _failed_reply(call: Call, error: Unfetched, context: connection.RequestContext) -> Reply:
    """Return the reply for a failure, without the secrets of the call."""
    reason = error.reason
    for word in _secrets(call):  # a host may echo them
        reason = reason.replace(word, "[hidden]")
    return Reply(
        error.outcome, reason, error.status_code, error.headers, error.body, context.requests
    )


def _echoes_secret(reply: Reply, call: Call) -> bool:
    """Return whether the reply echoes a secret of the call: such a reply must not be cached."""
    return any(word.encode("ascii", "replace") in reply.body for word in _secrets(call))


def _secrets(call: Call) -> list[str]:
    """Return the words of the call's headers that may be secret, longest first."""
    values = [value for name, value in call.headers if name.lower() not in _PUBLIC_HEADERS]
    words = {word for value in values for word in (value, *value.split())}
    long = {word for word in words if len(word) >= _MIN_SECRET_CHARS}
    secrets = {word for word in long if word.lower() not in _SCHEMES}
    return sorted(secrets, key=len, reverse=True)


def _lines_of_stream(chunks: Iterator[bytes], max_bytes: int) -> Iterator[str]:
    """Yield the lines of a stream, ended by CR, LF or both.

    https://html.spec.whatwg.org/#parsing-an-event-stream
    """
    decoder = io.IncrementalNewlineDecoder(
        codecs.getincrementaldecoder("utf-8")("replace"), translate=True
    )
    size = 0
    rest = ""
    for chunk in chunks:
        size += len(chunk)
        check_size(size, max_bytes)
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from whole
    *whole, rest = (rest + decoder.decode(b"", final=True)).split("\n")
    yield from whole
    if rest:
        yield rest


# --- the client -----------------------------------------------------------------------------------


class Fetcher(ApiClient):
    """Fetch pages and call APIs, with an archive.

    Close it with :meth:`close`, or use it in a ``with``. Thread-safe.
    """

    def __init__(  # noqa: PLR0913 - the options of a run, each by name
        self,
        limits: Limits | None = None,
        *,
        contact: str = "",
        resolver: connection.Resolver = connection.ask_system,
        allow_loopback: bool = False,
        archive: Archive | None = None,
        github: GitHubEndpoints | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.user_agent = connection.user_agent(contact)
        reach = Reach.LOOPBACK if allow_loopback else Reach.PUBLIC
        self.limiter = limiter = RateLimiter(self.limits.spacing_s, self.limits.max_wait_s)
        """Stops requests under way, and divides the rate among workers."""
        self._archive = archive
        guard = connection.Guard(resolver, limiter)
        super().__init__(connection.Client(self.user_agent, guard, self.limits, limiter), reach)
        self._pages = PageFetcher(self._client, reach)
        self._github = GitHubClient(github or GitHubEndpoints(), self.call, self._pages.read)
        self._once: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def call(self, call: Call) -> Reply:
        """Return the archived reply, else the API's: an :data:`~.model.Ask`, which never raises."""
        if self._archive is None or call.accepts is None:
            return super().call(call)
        with self._once[reply_name(call)]:
            reply = self._archive.get_reply(call)
            if reply is None:
                reply = super().call(call)
                if call.accepts(reply) and not _echoes_secret(reply, call):
                    self._archive.put_reply(call, reply)
        return reply

    def fetch(self, url: str) -> Fetched:
        """Return the text at the URL, or the reason why there is none.

        Does not raise for a host's failures.

        An archived text needs no request. If two threads want the same URL at once, one of them
        requests it.
        """
        try:
            connection.parse_url(url)
        except Unfetched as error:
            return Fetched(url, error.outcome, error.reason, fetched=format_time(), final_url=url)
        asked, _, fragment = url.partition("#")
        with self._once[asked] if self._archive else nullcontext():
            saved = self._archive.get(asked) if self._archive else None
            fetched = replace(saved, requests=0) if saved else self._ask(asked)
        return add_named_lines(fetched, fragment)

    def _ask(self, url: str) -> Fetched:
        fetched, exchanges = self._github.read(url) or self._pages.read(url)
        if self._archive:
            self._archive.put(fetched, exchanges)
        return fetched


def read_by_host(
    urls: Iterable[str], read: Callable[[str], T], workers: int = 8
) -> Iterator[tuple[str, T]]:
    """Yield the result of `read` for each URL as it arrives.

    Hosts are read in parallel, the URLs of one host one by one.
    """
    by_host: dict[str, list[str]] = defaultdict(list)
    for url in dict.fromkeys(urls):
        by_host[url.partition("://")[2].partition("/")[0].lower()].append(url)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="fetch")
    try:
        waiting = {pool.submit(read, group[0]): group for group in by_host.values()}
        while waiting:
            done = next(as_completed(waiting))
            url, *group = waiting.pop(done)
            if group:
                waiting[pool.submit(read, group[0])] = group
            yield url, done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def open_fetcher(
    settings: Settings, options: Options, environ: Mapping[str, str], since: str = ""
) -> Fetcher:
    """Return the client that requests and archives documents.

    Those that were stored `since` then are not requested again.
    """
    return Fetcher(
        Limits(
            timeout_s=options.timeout,
            deadline_s=max(60.0, 4 * options.timeout),
            spacing_s=options.pause,
        ),
        contact=options.contact or settings.site_url,
        allow_loopback=options.allow_loopback,
        archive=Archive(settings.root, max_age_s=options.max_age_days * 86_400, since=since),
        github=find_endpoints(environ),
    )
