"""Lets a Python process reach this machine only. Standard library only: it stands on the path of every child too."""

from __future__ import annotations

import ipaddress
import socket
import sys
from typing import Any

CONNECTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
LOOKS_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname"})
"""https://docs.python.org/3/library/audit_events.html"""


class BeyondLoopbackError(RuntimeError):
    """A test reached for another host.

    Not an OSError: the code under test must not take it for a request that failed.
    """


def install() -> None:
    """Sets the guard, for as long as the process lives."""
    if refuse_other_hosts not in _installed:
        _installed.append(refuse_other_hosts)
        sys.addaudithook(refuse_other_hosts)


def refuse_other_hosts(event: str, args: tuple[Any, ...]) -> None:
    """Raise `BeyondLoopbackError` at a look-up of, or a connection to, a host that is not this machine."""
    if event in CONNECTS:
        sock, address = args
        has_host = sock.family in {socket.AF_INET, socket.AF_INET6} and address is not None
        host = address[0] if has_host else None
    elif event in LOOKS_UP:
        host = args[0]
    elif event == "socket.getnameinfo":
        host = args[0][0]
    else:
        return
    if not is_loopback(host):
        raise BeyondLoopbackError(f"{event} to {host!r}: tests reach loopback only; serve it on 127.0.0.1")


def is_loopback(host: str | bytes | None) -> bool:
    """Whether the host is this machine, by name or address; none at all is."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(str(name)).is_loopback
    except ValueError:
        return False


_installed: list[Any] = []
