"""Connections: the one place that knows httpx, and the guard that every request passes.

The guard is a transport, the lowest seam that httpx offers. Whatever stands above it, a client or a cache, cannot reach
a host that it does not let through, nor hold a connection longer than the errand's deadline.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path

import httpx
from hishel import CacheOptions, SqliteStorage
from hishel.httpx import CacheTransport

from generator import __version__
from generator.web import robots
from generator.web.addresses import Address, Reach, check_address, refused
from generator.web.cut import Cut
from generator.web.model import Outcome
from generator.web.names import Resolver, addresses_of
from generator.web.outcomes import Unfetched
from generator.web.pace import Deadline, Pace

Url = httpx.URL
Response = httpx.Response
Headers = httpx.Headers

_TRIED_ADDRESSES = 3
FETCHED = "planbook-fetched"
"""A header that the guard puts on each answer: when it came. A cache keeps it with the answer."""
_ERRAND = "planbook.errand"
"""The extension of a request that carries its errand to the guard."""

for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)  # below, they tell addresses and headers, which may hold a key
logging.getLogger("hishel").setLevel(logging.CRITICAL)  # an answer that it cannot store is served all the same


@dataclass(slots=True)
class Errand:
    """What one fetch or call may do, and has done so far, over all its requests."""

    deadline: Deadline
    reach: Reach
    step_s: float
    """Seconds for one step: to connect, to wait for the next bytes."""
    requests: int = 0
    retries: int = 0
    spacing_s: float | None = None
    """To the next request to the same host, instead of the usual."""
    is_alone: bool = True
    """Whether the host has no other request of ours at the same time."""
    open_body: GuardedBody | None = field(default=None, repr=False)
    """Of the last answer, until it is closed."""

    def end(self) -> None:
        """Closes what is open still: a host must not wait for its next turn because something failed in between."""
        if self.open_body:
            self.open_body.close()


def parse_url(url: str) -> Url:
    """`url` in its parts, by the one parser that is used. Raises :class:`Unfetched`."""
    try:
        return httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise refused(f"it is no address ({error})") from error


def join_url(url: Url, location: str) -> Url:
    """Where `location` leads from `url`, without fragment. Raises ValueError."""
    try:
        return url.join(location).copy_with(fragment=None)
    except httpx.InvalidURL as error:
        raise ValueError(str(error)) from error


def host_of(url: Url) -> str:
    """Its host as it is looked up: other scripts as IDNA, IPv6 addresses without brackets."""
    return url.raw_host.decode("ascii").strip("[]").lower()


def origin_of(url: Url) -> str:
    """Scheme, host and port."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def user_agent(contact: str) -> str:
    """What we call ourselves, with where to complain."""
    name = f"{robots.TOKEN}/{__version__}"
    plain = "".join(c for c in contact if c.isascii() and c.isprintable() and c not in "()")
    return f"{name} (+{plain})" if plain else name


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that certificates must come from; reading them takes a while."""
    return httpx.create_ssl_context(trust_env=False)


class Guard(httpx.BaseTransport):
    """Asks no host whose addresses are not allowed, waits for the host's turn, and ends at the errand's deadline."""

    def __init__(self, resolver: Resolver, pace: Pace) -> None:
        self._resolver = resolver
        self._pace = pace
        # A connection that stays open is known by its IP address, which many hosts share.
        bounds = httpx.Limits(max_keepalive_connections=0, max_connections=None)
        self._wire = httpx.HTTPTransport(verify=_trusted(), trust_env=False, limits=bounds)

    def close(self) -> None:
        """Ends all connections."""
        self._wire.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer's head; its body is read from the wire as it is asked for. Raises :class:`Unfetched`."""
        errand: Errand = request.extensions[_ERRAND]
        host = host_of(request.url)
        check_address(request.url.scheme, host, request.url.userinfo)
        with ExitStack() as until_closed:
            turn = self._pace.turn(host, errand.spacing_s, is_alone=errand.is_alone)
            errand.deadline.extend(until_closed.enter_context(turn))
            addresses = addresses_of(host, self._resolver, errand.reach, errand.deadline.left_s, self._pace)
            cut = until_closed.enter_context(Cut(errand.deadline))
            until_closed.enter_context(self._pace.until_stopped(cut.stop))
            response = self._first_answer(addresses[:_TRIED_ADDRESSES], request, errand, cut)
            headers = [(name, value) for name, value in response.headers.raw if name.lower() != FETCHED.encode()]
            headers.append((FETCHED.encode(), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").encode()))
            errand.open_body = GuardedBody(response, cut, until_closed.pop_all())
            return httpx.Response(
                response.status_code, headers=headers, stream=errand.open_body, extensions=response.extensions
            )

    def _first_answer(
        self, addresses: tuple[Address, ...], request: httpx.Request, errand: Errand, cut: Cut
    ) -> httpx.Response:
        for address in addresses[:-1]:
            try:
                return self._answer_at(address, request, errand, cut)
            except NotConnected:
                continue
        return self._answer_at(addresses[-1], request, errand, cut)

    def _answer_at(self, address: Address, request: httpx.Request, errand: Errand, cut: Cut) -> httpx.Response:
        """The answer of the host at `address`. The request, and the certificate wanted, name the host itself."""
        left_s = errand.deadline.left_s
        if left_s <= 0:
            raise errand.deadline.missed()
        errand.requests += 1
        step_s = min(errand.step_s, left_s)
        dialled = httpx.Request(
            request.method,
            request.url.copy_with(host=str(address)),
            headers=request.headers,  # with the host's own name
            stream=request.stream,
            extensions={
                "timeout": httpx.Timeout(step_s).as_dict(),
                "sni_hostname": host_of(request.url),
                "trace": cut.trace,
            },
        )
        try:
            return self._wire.handle_request(dialled)
        except httpx.HTTPError as error:
            raise cut.why() if cut.is_cut else trouble_with(error) from error


class GuardedBody(httpx.SyncByteStream):
    """An answer's body on its way. Closing it ends the connection and the host's turn."""

    def __init__(self, response: httpx.Response, cut: Cut, until_closed: ExitStack) -> None:
        self._response = response
        self._cut = cut
        self._until_closed = until_closed

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_raw()
        except httpx.HTTPError as error:
            raise self._cut.why() if self._cut.is_cut else trouble_with(error) from error
        if self._cut.is_cut:  # a body without a length ends where the connection does, as if it were whole
            raise self._cut.why()

    def close(self) -> None:
        """Ends it."""
        with self._until_closed:
            self._response.close()


class Cache(httpx.BaseTransport):
    """Answers from a file what hosts answered before and what is fresh, and asks for the rest through the guard.

    What is stale is asked for with what the host gave to tell its versions apart, and comes from the file if it is
    unchanged. Requests are stored too: only those without secrets go this way. A file that is broken costs no answer.
    """

    def __init__(self, guard: Guard, file: Path, max_bytes: int) -> None:
        self._guard = guard
        storage = SqliteStorage(database_path=file, max_stream_size=max_bytes)
        self._cached = CacheTransport(guard, storage, rfc=CacheOptions(shared=False))

    def close(self) -> None:
        """Closes the file and the guard."""
        self._cached.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer, from the file or from the guard. Raises :class:`Unfetched`."""
        errand: Errand = request.extensions[_ERRAND]
        try:
            response = self._cached.handle_request(request)
        except Unfetched:
            raise
        except Exception:  # noqa: BLE001 - what is wrong with the cache, is not wrong with the answer
            errand.end()
            return self._guard.handle_request(request)
        return httpx.Response(
            response.status_code, headers=response.headers, stream=CachedBody(response), extensions=response.extensions
        )


class CachedBody(httpx.SyncByteStream):
    """A body from the file, or on its way there."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_raw()
        except (Unfetched, httpx.HTTPError):
            raise
        except Exception as error:  # of the cache's file
            raise Unfetched(Outcome.FAILED, f"the cache cannot be read ({type(error).__name__})") from error

    def close(self) -> None:
        """Ends it."""
        self._response.close()


class Client:
    """Sends requests through the guard: no proxies or passwords from the environment, no cookies, no redirects."""

    def __init__(self, agent: str, transport: Guard | Cache) -> None:
        self._httpx = httpx.Client(
            transport=transport,
            trust_env=False,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={
                "User-Agent": agent,
                "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.1",
                "Accept-Encoding": "gzip",
                "Accept-Language": "en,*;q=0.5",
                "Connection": "close",
            },
        )

    def send(
        self,
        url: Url,
        errand: Errand,
        *,
        method: str = "GET",
        headers: tuple[tuple[str, str], ...] = (),
        content: bytes | None = None,
    ) -> Response:
        """The answer's head; the caller reads its body and closes it. Raises :class:`Unfetched`."""
        named = {**dict(headers), "Host": url.netloc.decode("ascii")}
        request = self._httpx.build_request(method, url, headers=named, content=content, extensions={_ERRAND: errand})
        try:
            return self._httpx.send(request, stream=True)
        except httpx.HTTPError as error:
            errand.end()
            raise trouble_with(error) from error
        except BaseException:
            errand.end()
            raise

    def close(self) -> None:
        """Ends all connections."""
        self._httpx.close()


class NotConnected(Unfetched):
    """Nobody answers at the address; another one of the host may."""

    @property
    def is_undone(self) -> bool:
        """It did not reach the host."""
        return True


def trouble_with(error: httpx.HTTPError) -> Unfetched:
    """What a connection's failure means."""
    if isinstance(error, httpx.ConnectTimeout):
        return NotConnected(Outcome.TIMEOUT, "no connection in time", is_transient=True)
    if isinstance(error, httpx.TimeoutException):
        return Unfetched(Outcome.TIMEOUT, "no answer in time", is_transient=True)
    if isinstance(error, httpx.ConnectError):
        is_certificate = "CERTIFICATE" in str(error)
        return NotConnected(Outcome.FAILED, f"no connection ({error})", is_transient=not is_certificate)
    said = " ".join(str(error).split())[:200] or type(error).__name__
    return Unfetched(Outcome.FAILED, f"the connection broke ({said})", is_transient=True)
