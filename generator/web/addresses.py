"""Which hosts and addresses may be asked: public ones, and loopback where that is switched on. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched

Address = IPv4Address | IPv6Address


class Reach(StrEnum):
    """Which addresses may be asked."""

    PUBLIC = "public"
    """Those of the public internet: for addresses that stand in pages, plans and results."""
    LOOPBACK = "loopback"
    """And this machine: where that is switched on."""
    TRUSTED = "trusted"
    """And private networks: for hosts that the user named."""


_NAT64 = ip_network("64:ff9b::/96")
"""Networks without IPv4 reach it through these: the last 32 bits count (https://www.rfc-editor.org/rfc/rfc6052)."""

_NEVER = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8",
        "192.0.0.0/24",
        "192.88.99.0/24",  # the relays of 6to4
        "::/96",  # IPv4-compatible: an IPv4 address in disguise
        "64:ff9b:1::/48",  # NAT64 within one network: the IPv4 address may stand anywhere in it
        "100::/64",
        "2001::/23",  # Teredo and other protocols
        "2002::/16",  # 6to4: an IPv4 address in disguise
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",
    )
)
"""Refused whatever this Python's `ipaddress` says of them: its lists grew over the patch releases of 3.11 to 3.13.

https://www.iana.org/assignments/iana-ipv4-special-registry and .../iana-ipv6-special-registry
"""

_PRIVATE = tuple(
    ip_network(block) for block in ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
"""https://www.rfc-editor.org/rfc/rfc1918, rfc6598 (also used by private overlay networks), rfc4193."""

_CREDENTIALS = tuple(ip_network(block) for block in ("100.100.100.200/32", "fd00:ec2::/32"))
"""Where the clouds of Alibaba and Amazon keep credentials, within what would be private networks."""

_LIKE_A_NUMBER = re.compile(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)\.?", re.IGNORECASE)
"""Hosts that C libraries read as IPv4 addresses in other spellings: 2130706433, 127.1, 0x7f.0.0.1."""


def check_address(scheme: str, host: str, userinfo: bytes) -> None:
    """Raises :class:`Unfetched` where the parts of an address alone show that it must not be asked."""
    if scheme not in {"http", "https"}:
        raise refused(f"only http and https are asked, not {scheme or 'an address without a scheme'}")
    if not host:
        raise refused("the address names no host")
    if userinfo:
        raise refused("the address holds a user name or password")
    if literal(host) is None and _LIKE_A_NUMBER.fullmatch(host):
        raise refused(f"{host} is an IP address in disguise")


def literal(host: str) -> Address | None:
    """`host` as an address, where it is written as one in the usual form."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def checked(host: str, found: Iterable[str], reach: Reach) -> tuple[Address, ...]:
    """The addresses `found` for `host`, all of which may be asked; one that may not refuses the host.

    Raises :class:`Unfetched`: a name with a public and a private address is an attack, or a mistake.
    """
    addresses = tuple(ip_address(address) for address in found)
    for address in addresses:
        if not is_within(address, reach):
            where = host if literal(host) else f"{host} is at {address}, which"
            raise refused(f"{where} is not {'an address of a host' if reach is Reach.TRUSTED else 'a public address'}")
    if not addresses:
        raise Unfetched(Outcome.FAILED, f"no address is known for {host}")
    return addresses


def is_within(address: Address, reach: Reach) -> bool:
    """Whether `address` may be asked."""
    if is_public(address):
        return True
    if isinstance(address, IPv6Address) and address.scope_id:
        return False
    if reach is Reach.TRUSTED:
        return is_loopback(address) or is_private(address)
    return reach is Reach.LOOPBACK and is_loopback(address)


def is_public(address: Address) -> bool:
    """Whether the address, and the IPv4 address that may be wrapped in it, is one of the public internet."""
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


def is_loopback(address: Address) -> bool:
    """Whether the address is this machine's own."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def is_private(address: Address) -> bool:
    """Whether the address is one of a private network. Link-local ones, where clouds keep credentials, are none."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    bare = mapped or address
    return any(bare in block for block in _PRIVATE) and not any(bare in block for block in _CREDENTIALS)


def refused(reason: str) -> Unfetched:
    """The outcome of an address that is not asked because that could do harm."""
    return Unfetched(Outcome.REFUSED, reason)
