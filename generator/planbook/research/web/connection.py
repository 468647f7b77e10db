"""HTTP connections: the only module that uses httpx, and the guard that every request passes.

The guard is a transport, the lowest layer of httpx. Whatever is built on it, a client or a cache,
cannot reach a host that the guard refuses, nor keep a connection past the deadline of the request
context.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from queue import Empty, SimpleQueue
from random import uniform
from typing import Any, TypeVar, cast

import httpx

from planbook import __version__
from planbook.research.web.authority import ambiguity, ambiguity_of_location
from planbook.research.web.model import Limits, Outcome, Unfetched
from planbook.research.web.rate_limits import RateLimiter, stop_error
from planbook.research.web.reach import (
    Address,
    Reach,
    check_address,
    parse_ip,
    refusal_error,
    require_reachable,
)

Resolver = Callable[[str], Sequence[str]]
"""Returns the IP addresses of a host, best first; none if there are none."""

Url = httpx.URL
Response = httpx.Response
Answer = TypeVar("Answer")

PRODUCT = "planbook"
"""Our name in the User-Agent header and in robots.txt."""
_TRIED_ADDRESSES = 3
_CONTEXT = "planbook.context"
"""The request extension that carries the request context to the guard."""

for _name in ("httpx", "httpcore"):
    # Lower levels log URLs and headers, which may hold a key.
    logging.getLogger(_name).setLevel(logging.WARNING)


@dataclass(slots=True)
class RequestContext:
    """Limits, counters and content of one fetch or call, shared by all its requests."""

    deadline_s: float
    """Seconds after which to give up, not counting the wait for the host's turn."""
    reach: Reach
    step_s: float
    """Timeout in seconds of one step: connecting, or waiting for the next bytes."""
    requests: int = 0
    spacing_s: float | None = None
    """Seconds before the next request to the same host; ``None`` for the host's usual pause."""
    is_alone: bool = True
    """True if no other request of ours may reach the host at the same time."""
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    """Headers that not all requests have."""
    content: bytes | None = None
    end: float = field(init=False)
    """The deadline, on the monotonic clock."""

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.deadline_s

    @property
    def remaining_s(self) -> float:
        """Seconds left; negative after the deadline."""
        return self.end - time.monotonic()

    def missed_error(self) -> Unfetched:
        """Return the error for a missed deadline."""
        return Unfetched(Outcome.TIMEOUT, f"it took longer than {self.deadline_s:g} s")


def parse_url(url: str) -> Url:
    """Parse `url` with the one parser in use.

    Raises :class:`Unfetched`, also for an ambiguous host.
    """
    if reason := ambiguity(url):
        raise refusal_error(reason)
    try:
        return httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise refusal_error(f"it is not an address ({error})") from error


def host_of(url: Url) -> str:
    """Return the host as it is looked up.

    Other scripts are in IDNA, and IPv6 addresses have no brackets.
    """
    return url.raw_host.decode("ascii").strip("[]").lower()


def origin_of(url: Url) -> str:
    """Return scheme, host and port."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def user_agent(contact: str) -> str:
    """Return the User-Agent header, with a contact address."""
    name = f"{PRODUCT}/{__version__}"
    plain = "".join(c for c in contact if c.isascii() and c.isprintable() and c not in "()")
    return f"{name} (+{plain})" if plain else name


def ask_system(host: str) -> Sequence[str]:
    """Look up a host by the operating system, a :data:`Resolver`."""
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # no such host, or an invalid name
        return ()
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in rows))


def _look_up(seconds: float, resolve: Resolver, host: str, limiter: RateLimiter) -> Sequence[str]:
    """Return the resolver's result within this time.

    A slow lookup cannot be cancelled: it is left in its thread.
    """
    answers: SimpleQueue[Sequence[str] | BaseException] = SimpleQueue()

    def look_up() -> None:
        """Put the result, or the error, into the queue."""
        try:
            answers.put(resolve(host))
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            answers.put(error)

    threading.Thread(target=look_up, daemon=True, name="resolve").start()
    with limiter.until_stopped(lambda: answers.put(stop_error())):
        try:
            answer = answers.get(timeout=max(seconds, 0.0))
        except Empty as error:
            raise Unfetched(Outcome.TIMEOUT, f"looking up {host} takes too long") from error
    if isinstance(answer, BaseException):
        raise answer
    return answer


class ConnectionTimer:
    """Close a connection at its deadline, even if the server sends a byte now and then.

    Use it in a ``with``.
    """

    def __init__(self, context: RequestContext) -> None:
        self.error: Callable[[], Unfetched] | None = None
        """Returns the reason why this has closed the connection."""
        self._stream: Any = None
        self._timer = threading.Timer(
            max(context.remaining_s, 0.0), self.close, [context.missed_error]
        )
        self._timer.daemon = True

    def __enter__(self) -> ConnectionTimer:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def trace(self, event: str, details: dict[str, Any]) -> None:
        """Remember the connection; httpx calls this.

        https://www.python-httpx.org/advanced/extensions/#trace
        """
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            self._stream = details["return_value"]
            if self.error:
                self.close(self.error)

    def close(self, error: Callable[[], Unfetched]) -> None:
        """Close the connection: at the deadline, or because the run is stopping."""
        self.error = error
        sock = self._stream.get_extra_info("socket") if self._stream else None
        with suppress(OSError):  # it is already closed
            if sock is not None:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def error_for(self, error: httpx.HTTPError) -> Unfetched:
        """Return the reason why the connection failed."""
        return self.error() if self.error else trouble_with(error)


class Guard(httpx.BaseTransport):
    """Refuses hosts with forbidden addresses, and waits for the host's turn.

    It stops at the request's deadline.
    """

    def __init__(self, resolver: Resolver, limiter: RateLimiter) -> None:
        self._resolver = resolver
        self._limiter = limiter
        # An idle connection is pooled by its IP address, which many hosts share.
        bounds = httpx.Limits(max_keepalive_connections=0, max_connections=None)
        self._wire = httpx.HTTPTransport(trust_env=False, limits=bounds)

    def close(self) -> None:
        """Close all connections."""
        self._wire.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response's head; its body is streamed. Raises :class:`Unfetched`."""
        context: RequestContext = request.extensions[_CONTEXT]
        host = host_of(request.url)
        check_address(request.url.scheme, host, request.url.userinfo)
        with ExitStack() as until_closed:
            turn = self._limiter.turn(host, context.spacing_s, is_alone=context.is_alone)
            context.end += until_closed.enter_context(turn)
            # They are looked up once and used as they are: no later lookup can change them.
            resolved: Sequence[str] = [host]
            if not parse_ip(host):
                resolved = _look_up(context.remaining_s, self._resolver, host, self._limiter)
            addresses = require_reachable(host, resolved, context.reach)
            timer = until_closed.enter_context(ConnectionTimer(context))
            until_closed.enter_context(
                self._limiter.until_stopped(partial(timer.close, stop_error))
            )
            response = self._connect(addresses[:_TRIED_ADDRESSES], request, context, timer)
            body = cast("httpx.SyncByteStream", response.stream)
            response.stream = GuardedBody(body, timer, until_closed.pop_all())
            return response

    def _connect(
        self,
        addresses: tuple[Address, ...],
        request: httpx.Request,
        context: RequestContext,
        timer: ConnectionTimer,
    ) -> httpx.Response:
        """Return the response of the first address that accepts a connection.

        The request and the certificate name the host itself.
        """
        step_s = min(context.step_s, context.remaining_s)
        if step_s <= 0:
            raise context.missed_error()
        context.requests += 1
        dialled = httpx.Request(
            request.method,
            request.url.copy_with(host=str(addresses[0])),
            headers=request.headers,  # with the host's own name
            stream=request.stream,
            extensions={
                "timeout": httpx.Timeout(step_s).as_dict(),
                "sni_hostname": host_of(request.url),
                "trace": timer.trace,
            },
        )
        try:
            return self._wire.handle_request(dialled)
        except httpx.HTTPError as error:
            trouble = timer.error_for(error)
            if len(addresses) > 1 and trouble.is_undone:
                return self._connect(addresses[1:], request, context, timer)
            raise trouble from error


class GuardedBody(httpx.SyncByteStream):
    """The body of a response being streamed. Closing it ends the connection and the host's turn."""

    def __init__(
        self, body: httpx.SyncByteStream, timer: ConnectionTimer, until_closed: ExitStack
    ) -> None:
        self._body = body
        self._timer = timer
        self._until_closed = until_closed

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._body
        except httpx.HTTPError as error:
            raise self._timer.error_for(error) from error
        if self._timer.error:  # without a length, a body cut short looks complete
            raise self._timer.error()

    def close(self) -> None:
        """Close the connection and release the host."""
        with self._until_closed:
            self._body.close()


_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.1"


class Client:
    """Sends requests through the guard.

    There are no proxies or passwords from the environment, no cookies, and no redirects.
    """

    def __init__(self, agent: str, transport: Guard, limits: Limits, limiter: RateLimiter) -> None:
        self.limits = limits
        self.limiter = limiter
        self._httpx = httpx.Client(
            transport=transport,
            trust_env=False,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={
                "User-Agent": agent,
                "Accept": _ACCEPT,
                "Accept-Encoding": "gzip",
                "Accept-Language": "en,*;q=0.5",
                "Connection": "close",
            },
        )

    def _ask(
        self, url: Url, context: RequestContext, read: Callable[[Response], Answer]
    ) -> tuple[Response, Answer | None]:
        """Return a response, and the result of `read` on it unless it is a redirect.

        Transient failures are retried.

        Other methods than GET and HEAD are retried only if the request was certainly not processed.

        Raises:
            Unfetched: The failure of the last attempt.
        """
        headers = {**dict(context.headers), "Host": url.netloc.decode("ascii")}
        is_harmless = context.method in {"GET", "HEAD"}
        attempt = 0
        while True:
            attempt += 1
            request = self._httpx.build_request(
                context.method,
                url,
                headers=headers,
                content=context.content,
                extensions={_CONTEXT: context},
            )
            try:
                return self._send(request, read)
            except Unfetched as error:
                self.limiter.back_off(host_of(url), error)
                may_repeat = error.is_transient and (is_harmless or error.is_undone)
                if not may_repeat or attempt == self.limits.attempts:
                    raise
                wait_s = self._wait_s(attempt) if error.wait_s is None else error.wait_s
                if wait_s > min(self.limits.max_wait_s, context.remaining_s):
                    raise
            self.limiter.sleep(wait_s)

    def _wait_s(self, attempt: int) -> float:
        """Return the seconds to wait after an attempt, longer each time, if the host names none."""
        doubled_s: float = self.limits.backoff_s * 2 ** (attempt - 1)
        some_s = self.limits.backoff_s * uniform(0, 0.5)  # noqa: S311 - no secret
        return min(doubled_s + some_s, self.limits.max_wait_s)

    def follow(
        self,
        url: Url,
        context: RequestContext,
        read: Callable[[Response], Answer],
        allow: Callable[[Url, Response | None], None],
    ) -> Answer:
        """Return the result of `read`, which closes the response, on the one after all redirects.

        `allow` gets each address before it is requested, with the response that redirects there, if
        any.
        """
        redirect: Response | None = None
        for _ in range(self.limits.max_redirects + 1):
            allow(url, redirect)
            redirect, answer = self._ask(url, context, read)
            if redirect.next_request is None:
                return cast("Answer", answer)
            if reason := ambiguity_of_location(redirect.headers.get("location", "")):
                raise refusal_error(f"it redirects to an ambiguous address: {reason}")
            url = redirect.next_request.url.copy_with(fragment=None)
        raise Unfetched(Outcome.FAILED, f"it redirects more than {self.limits.max_redirects} times")

    def _send(
        self, request: httpx.Request, read: Callable[[Response], Answer]
    ) -> tuple[Response, Answer | None]:
        """Return the response to one request, and the result of `read` unless it is a redirect."""
        try:
            response = self._httpx.send(request, stream=True)
        except httpx.InvalidURL as error:
            raise Unfetched(Outcome.FAILED, "it redirects to an invalid address") from error
        except httpx.HTTPError as error:
            raise trouble_with(error) from error
        try:
            if response.next_request is None:
                return response, read(response)
        except BaseException:
            response.close()
            raise
        response.close()
        return response, None

    def close(self) -> None:
        """Close all connections."""
        self._httpx.close()


def trouble_with(error: httpx.HTTPError) -> Unfetched:
    """Convert a connection failure to an outcome."""
    if isinstance(error, httpx.ConnectTimeout):
        return Unfetched(Outcome.TIMEOUT, "connecting timed out", is_transient=True, is_undone=True)
    if isinstance(error, httpx.TimeoutException):
        return Unfetched(Outcome.TIMEOUT, "waiting for the response timed out", is_transient=True)
    if isinstance(error, httpx.ConnectError):
        is_certificate = "CERTIFICATE" in str(error)
        reason = f"no connection ({error})"
        return Unfetched(Outcome.FAILED, reason, is_transient=not is_certificate, is_undone=True)
    message = " ".join(str(error).split())[:200] or type(error).__name__
    return Unfetched(
        Outcome.FAILED, f"the connection was interrupted ({message})", is_transient=True
    )
