"""Host name lookup, bounded in time."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Protocol

from generator.web.addresses import Address, Reach, checked, literal
from generator.web.model import Outcome
from generator.web.outcomes import Unfetched
from generator.web.rate_limiter import RateLimiter, stopped


class Resolver(Protocol):
    """Look up the IP addresses of a host."""

    def resolve(self, host: str) -> Sequence[str]:
        """Return the IP addresses of `host`, best first; none if there are none."""


class SystemResolver:
    """Use the operating system's resolver."""

    def resolve(self, host: str) -> Sequence[str]:
        """See :class:`Resolver`."""
        try:
            found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):  # no such host, or an invalid name
            return ()
        return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def addresses_of(
    host: str, resolver: Resolver, reach: Reach, seconds: float, limiter: RateLimiter
) -> tuple[Address, ...]:
    """Return the addresses to connect to, all checked. Raises :class:`Unfetched`.

    They are looked up once and used as they are: no later lookup can change them.
    """
    given = literal(host)
    return checked(host, [str(given)] if given else look_up(seconds, resolver, host, limiter), reach)


def look_up(seconds: float, resolver: Resolver, host: str, limiter: RateLimiter) -> Sequence[str]:
    """Return the resolver's result within this time. A slow lookup cannot be cancelled: it is left in its thread."""
    answers: SimpleQueue[Sequence[str] | BaseException] = SimpleQueue()

    def resolve() -> None:
        """Put the result, or the error, into the queue."""
        try:
            answers.put(resolver.resolve(host))
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            answers.put(error)

    threading.Thread(target=resolve, daemon=True, name="resolve").start()
    with limiter.until_stopped(lambda: answers.put(stopped())):
        try:
            answer = answers.get(timeout=max(seconds, 0.0))
        except Empty as error:
            raise Unfetched(Outcome.TIMEOUT, f"looking up {host} takes too long") from error
    if isinstance(answer, BaseException):
        raise answer
    return answer
