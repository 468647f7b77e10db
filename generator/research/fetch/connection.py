"""Connections: the client in its one place, the look-up of hosts, and how a connection ends."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Protocol

import httpx

from generator import __version__
from generator.research.fetch import robots
from generator.research.fetch.addresses import refused
from generator.research.fetch.outcomes import Unfetched
from generator.research.model import Outcome


def parse_url(url: str) -> httpx.URL:
    """`url` in its parts, by the one parser that is used. Raises :class:`Unfetched`."""
    try:
        return httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise refused(f"it is no address ({error})") from error


def host_of(url: httpx.URL) -> str:
    """Its host as it is looked up: other scripts as IDNA, IPv6 addresses without brackets."""
    return url.raw_host.decode("ascii").strip("[]").lower()


class Resolver(Protocol):
    """Finds the addresses of a host."""

    def resolve(self, host: str) -> Sequence[str]:
        """The IP addresses of `host`, best first; none where it has none."""


class SystemResolver:
    """Asks the operating system."""

    def resolve(self, host: str) -> Sequence[str]:
        """See :class:`Resolver`."""
        try:
            found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):  # no such host; a name that no host can have
            return ()
        return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def look_up(seconds: float, resolver: Resolver, host: str) -> Sequence[str]:
    """What the resolver finds in this time. A look-up cannot be stopped, so a slow one is left behind in its thread."""
    found: Future[Sequence[str]] = Future()

    def resolve() -> None:
        try:
            found.set_result(resolver.resolve(host))
        except BaseException as error:  # noqa: BLE001 - it belongs to the thread that waits, which raises it
            found.set_exception(error)

    threading.Thread(target=resolve, daemon=True, name="resolve").start()
    try:
        return found.result(max(seconds, 0.0))
    except TimeoutError as error:
        raise Unfetched(Outcome.TIMEOUT, f"looking up {host} takes too long") from error


def user_agent(contact: str) -> str:
    """What we call ourselves, with where to complain."""
    name = f"{robots.TOKEN}/{__version__}"
    plain = "".join(c for c in contact if c.isascii() and c.isprintable() and c not in "()")
    return f"{name} (+{plain})" if plain else name


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that certificates must come from; reading them takes a while."""
    return httpx.create_ssl_context(trust_env=False)


def make_client(agent: str) -> httpx.Client:
    """No proxies or passwords from the environment, no cookies, no redirects, one connection a request."""
    return httpx.Client(
        verify=_trusted(),
        trust_env=False,
        follow_redirects=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        # A connection that stays open is known by its IP address, which many hosts share.
        limits=httpx.Limits(max_keepalive_connections=0),
        headers={
            "User-Agent": agent,
            "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.1",
            "Accept-Encoding": "gzip",
            "Accept-Language": "en,*;q=0.5",
            "Connection": "close",
        },
    )


class Cut:
    """Ends a connection when called, also one whose server sends a byte now and then."""

    def __init__(self) -> None:
        self.is_cut = False
        self._stream: Any = None

    def trace(self, event: str, details: dict[str, Any]) -> None:
        """Remembers the connection; httpx calls this (https://www.python-httpx.org/advanced/extensions/#trace)."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            self._stream = details["return_value"]
            if self.is_cut:
                self()

    def __call__(self) -> None:
        """Cuts."""
        self.is_cut = True
        sock = self._stream.get_extra_info("socket") if self._stream else None
        if sock is not None:
            try:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                return  # it has ended by itself


class NotConnected(Unfetched):
    """Nobody answers at the address; another one of the host may."""


def trouble_with(error: httpx.HTTPError) -> Unfetched:
    """What a connection's failure means."""
    if isinstance(error, httpx.ConnectTimeout):
        return NotConnected(Outcome.TIMEOUT, "no connection in time", is_transient=True)
    if isinstance(error, httpx.TimeoutException):
        return Unfetched(Outcome.TIMEOUT, "no answer in time", is_transient=True)
    if isinstance(error, httpx.ConnectError):
        is_certificate = "CERTIFICATE" in str(error)
        return NotConnected(Outcome.FAILED, f"no connection ({error})", is_transient=not is_certificate)
    return Unfetched(Outcome.FAILED, f"the connection broke ({str(error) or type(error).__name__})", is_transient=True)
