"""The addresses that a request may connect to, and why others are refused. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from planbook.research.web.authority import CLOUD_NAMES
from planbook.research.web.model import Outcome, Unfetched

Address = IPv4Address | IPv6Address


class Reach(StrEnum):
    """The range of IP addresses that a request may connect to."""

    PUBLIC = "public"
    """The public internet: for URLs found in pages, plans and results."""
    LOOPBACK = "loopback"
    """The public internet and this machine: if loopback is enabled."""
    TRUSTED = "trusted"
    """The public internet, this machine and private networks: for hosts of the user's choice."""


_NAT64 = ip_network("64:ff9b::/96")
"""NAT64 gateways to IPv4; the last 32 bits are the IPv4 address.

https://www.rfc-editor.org/rfc/rfc6052
"""
_REFUSED_NETWORKS = tuple(
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
"""Always refused, whatever this Python's `ipaddress` says.

Its lists grew over the patch releases of 3.11 to 3.13.

https://www.iana.org/assignments/iana-ipv4-special-registry and .../iana-ipv6-special-registry
"""
_PRIVATE_NETWORKS = tuple(
    ip_network(block)
    for block in ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
"""Private networks: https://www.rfc-editor.org/rfc/rfc1918, rfc4193, and rfc6598.

The last is also used by private overlay networks.
"""
_CLOUD = tuple(
    ip_network(block)
    for block in (
        "168.63.129.16/32",  # Azure: the host's agent, DNS, DHCP
        *("199.36.153.4/30", "199.36.153.8/30"),  # Google: its interfaces, from its networks only
        *("161.26.0.0/16", "166.8.0.0/14"),  # IBM: DNS, mirrors and services, in its networks
        *("183.60.82.98/32", "183.60.83.19/32"),  # Tencent: DNS
        "192.80.8.124/32",  # Equinix Metal: metadata
        *("100.100.100.200/32", "fd00:100::/32"),  # Alibaba: metadata
        "fd00:ec2::/32",  # AWS: metadata, DNS, time, credentials of pods
        "fd20:ce::/32",  # Google: metadata
        "fd00:c1::/32",  # Oracle: metadata
        "fd00:42::/32",  # Scaleway: metadata
        "fd00:a9fe:a9fe::/48",  # Akamai: metadata
    )
)
"""Addresses outside 169.254.0.0/16 at which clouds serve the machines in their networks.

They are refused for every reach: some are public by their number, others look like those of a
private network. From the clouds' documentation: "What is IP address 168.63.129.16?" (Azure),
"Private Google Access", "Metadata server" (Google), "Service endpoints" (IBM), "Instance metadata"
(AWS, Alibaba, Akamai, Equinix, Oracle, Scaleway), "DNS" (Tencent).
"""


def check_address(scheme: str, host: str, userinfo: bytes) -> None:
    """Raise :class:`Unfetched` if the parts of a URL alone show that it must not be requested."""
    if scheme not in {"http", "https"}:
        scheme_name = scheme or "an empty scheme"
        raise refusal_error(f"{scheme_name} is not supported; expected http:// or https://")
    if not host:
        raise refusal_error("the address has no host")
    if userinfo:
        raise refusal_error("the address contains a user name or password")
    if host.removesuffix(".") in CLOUD_NAMES:
        raise refusal_error(f"{host} is a service of a cloud for its own machines")


def parse_ip(host: str) -> Address | None:
    """Return `host` as an IP address if it is one in the usual notation, else ``None``."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def require_reachable(host: str, resolved: Iterable[str], reach: Reach) -> tuple[Address, ...]:
    """Return the addresses `resolved` for `host`, if all of them may be contacted.

    Raises:
        Unfetched: An address is not allowed: a name with a public and a private address is an
            attack or a mistake.
    """
    addresses = tuple(ip_address(address) for address in resolved)
    for address in addresses:
        if not is_within(address, reach):
            where = host if parse_ip(host) else f"{host} is at {address}, which"
            is_trusted = reach is Reach.TRUSTED
            kind = "an address of a host" if is_trusted else "a public address"
            raise refusal_error(f"{where} is not {kind}")
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
    if address.is_loopback and reach is not Reach.PUBLIC:
        return True
    is_private = any(address in block for block in _PRIVATE_NETWORKS)
    is_of_cloud = any(address in block for block in _CLOUD)
    return reach is Reach.TRUSTED and is_private and not is_of_cloud


def is_public(address: Address) -> bool:
    """Return whether the address, or the IPv4 address embedded in it, is on the public internet."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address.scope_id or address.is_site_local:
            return False
    if address.is_multicast or address.is_reserved:
        return False
    if any(address in block for block in (*_REFUSED_NETWORKS, *_CLOUD)):
        return False
    return address.is_global


def refusal_error(reason: str) -> Unfetched:
    """Return the error for a URL that is not requested because that could do harm."""
    return Unfetched(Outcome.REFUSED, reason)
