"""Names of hosts: the look-up of their addresses, bounded in time."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Protocol

from generator.web.addresses import Address, Reach, checked, literal
from generator.web.model import Outcome
from generator.web.outcomes import Unfetched
from generator.web.pace import Pace, stopped


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


def addresses_of(host: str, resolver: Resolver, reach: Reach, seconds: float, pace: Pace) -> tuple[Address, ...]:
    """The addresses to connect to, all checked. Raises :class:`Unfetched`.

    They are looked up once and then used as they are: no later look-up can change them.
    """
    given = literal(host)
    return checked(host, [str(given)] if given else look_up(seconds, resolver, host, pace), reach)


def look_up(seconds: float, resolver: Resolver, host: str, pace: Pace) -> Sequence[str]:
    """What the resolver finds in this time. A look-up cannot be stopped, so a slow one is left behind in its thread."""
    answers: SimpleQueue[Sequence[str] | BaseException] = SimpleQueue()

    def resolve() -> None:
        """Puts the answer, or the error, into the queue."""
        try:
            answers.put(resolver.resolve(host))
        except BaseException as error:  # noqa: BLE001 - it belongs to the thread that waits, which raises it
            answers.put(error)

    threading.Thread(target=resolve, daemon=True, name="resolve").start()
    with pace.until_stopped(lambda: answers.put(stopped())):
        try:
            answer = answers.get(timeout=max(seconds, 0.0))
        except Empty as error:
            raise Unfetched(Outcome.TIMEOUT, f"looking up {host} takes too long") from error
    if isinstance(answer, BaseException):
        raise answer
    return answer
