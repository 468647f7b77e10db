"""Look up hosts, and decide which IP addresses may be contacted: public ones, and loopback if enabled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from generator.web.model import Outcome, Unfetched

Address = IPv4Address | IPv6Address
Resolver = Callable[[str], Sequence[str]]
"""Returns the IP addresses of a host, best first; none if there are none."""


class Reach(StrEnum):
    """The range of IP addresses that a request may connect to."""

    PUBLIC = "public"
    """The public internet: for URLs found in pages, plans and results."""
    LOOPBACK = "loopback"
    """The public internet and this machine: if loopback is enabled."""
    TRUSTED = "trusted"
    """The public internet, this machine and private networks: for hosts that the user configured."""


_NAT64 = ip_network("64:ff9b::/96")
"""NAT64 gateways to IPv4; the last 32 bits are the IPv4 address (https://www.rfc-editor.org/rfc/rfc6052)."""

_NEVER = tuple(
    ip_network(block)
    for block in (
        *("0.0.0.0/8", "192.0.0.0/24", "100::/64", "3fff::/20", "5f00::/16", "fec0::/10"),
        "192.88.99.0/24",  # 6to4 relays
        "::/96",  # IPv4-compatible: an embedded IPv4 address
        "64:ff9b:1::/48",  # NAT64 within one network: the IPv4 address may be embedded anywhere
        "2001::/23",  # Teredo and other protocols
        "2002::/16",  # 6to4: an embedded IPv4 address
    )
)
"""Always refused, whatever this Python's `ipaddress` says: its lists grew over the patch releases of 3.11 to 3.13.

https://www.iana.org/assignments/iana-ipv4-special-registry and .../iana-ipv6-special-registry
"""

_PRIVATE = tuple(
    ip_network(block) for block in ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
"""https://www.rfc-editor.org/rfc/rfc1918, rfc6598 (also used by private overlay networks), rfc4193."""

_CREDENTIALS = tuple(ip_network(block) for block in ("100.100.100.200/32", "fd00:ec2::/32"))
"""Metadata services of Alibaba Cloud and AWS, which hold credentials, inside ranges that count as private networks."""

_LIKE_A_NUMBER = re.compile(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)\.?", re.IGNORECASE)
"""Hosts that C libraries parse as IPv4 addresses in other notations: 2130706433, 127.1, 0x7f.0.0.1."""


def check_address(scheme: str, host: str, userinfo: bytes) -> None:
    """Raise :class:`Unfetched` if the parts of a URL alone show that it must not be requested."""
    if scheme not in {"http", "https"}:
        raise refused(f"{scheme or 'an empty scheme'} is not supported; expected http:// or https://")
    if not host:
        raise refused("the address has no host")
    if userinfo:
        raise refused("the address contains a user name or password")
    if literal(host) is None and _LIKE_A_NUMBER.fullmatch(host):
        raise refused(f"{host} is an obfuscated IP address")


def literal(host: str) -> Address | None:
    """Return `host` as an IP address if it is one in the usual notation, else ``None``."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def checked(host: str, found: Iterable[str], reach: Reach) -> tuple[Address, ...]:
    """Return the addresses `found` for `host` if all of them may be contacted; one that may not refuses the host.

    Raises:
        Unfetched: An address is not allowed: a name with a public and a private address is an attack or a mistake.
    """
    addresses = tuple(ip_address(address) for address in found)
    for address in addresses:
        if not is_within(address, reach):
            where = host if literal(host) else f"{host} is at {address}, which"
            raise refused(f"{where} is not {'an address of a host' if reach is Reach.TRUSTED else 'a public address'}")
    if not addresses:
        raise Unfetched(Outcome.FAILED, f"{host} cannot be resolved")
    return addresses


def is_within(address: Address, reach: Reach) -> bool:
    """Return whether connections to `address` are allowed within `reach`.

    Link-local addresses, where clouds serve credentials, count as no private network.
    """
    if is_public(address):
        return True
    if isinstance(address, IPv6Address):
        if address.scope_id:
            return False
        address = address.ipv4_mapped or address
    is_private = any(address in block for block in _PRIVATE) and not any(address in block for block in _CREDENTIALS)
    return (reach is not Reach.PUBLIC and address.is_loopback) or (reach is Reach.TRUSTED and is_private)


def is_public(address: Address) -> bool:
    """Return whether the address, or the IPv4 address embedded in it, is on the public internet."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address.scope_id or address.is_site_local:
            return False
    if address.is_multicast or address.is_reserved or any(address in block for block in _NEVER):
        return False
    return address.is_global


def refused(reason: str) -> Unfetched:
    """Return the error for a URL that is not requested because that could do harm."""
    return Unfetched(Outcome.REFUSED, reason)
