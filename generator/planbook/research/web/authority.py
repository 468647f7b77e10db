"""The part of a URL that names its host, as written.

It is refused if two programs could read two hosts in it.

A resolver, a browser, a proxy and this client need not agree on `http://8.8.8.8#@127.0.0.1`, on
backslashes, on escapes in a host, or on `0177.1`. Such addresses are refused before anything is
looked up or asked; pages that are worth citing have another one.

Sources: RFC 3986 (URIs), RFC 1123 (host names), https://url.spec.whatwg.org (what browsers do).
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv4Address, IPv6Address

MAX_HOST = 253
"""Maximum length of a host name."""
_SCHEME_PREFIX = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//")
"""Example: ``https://``, or ``//`` in a redirect."""
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Unicode categories of characters that are not seen: controls, joiners, line separators."""
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
"""A part of a host name between dots. Underscores occur in practice."""
_PORT = re.compile(r"[0-9]{0,5}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label by which C libraries and browsers take a host for an IPv4 address."""
_ACE = "xn--"
"""The beginning of a label whose other characters are coded in ASCII."""
_DOTS = frozenset("\u3002\uff0e\uff61")
"""Characters that IDNA reads as dots (https://www.rfc-editor.org/rfc/rfc3490#section-3.1)."""
_DEVIATIONS = frozenset("\u00df\u03c2\u200c\u200d")
"""Characters that versions of IDNA map to different hosts.

https://www.unicode.org/reports/tr46/#Deviations
"""
CLOUD_NAMES = frozenset(
    {
        *("metadata", "metadata.google.internal", "metadata.goog", "instance-data"),
        *("instance-data.ec2.internal", "metadata.azure.internal", "metadata.azure.com"),
        *("metadata.packet.net", "metadata.platformequinix.com", "metadata.tencentyun.com"),
        "api.metadata.cloud.ibm.com",
    }
)
"""Names under which clouds serve a machine's own data, in their documentation."""


def ambiguity(url: str) -> str:
    """Return why programs could read different hosts in `url`; empty if they agree.

    Addresses without an authority, and those of other schemes than http(s), are left to others.
    """
    hidden = next((c for c in url if unicodedata.category(c) in _HIDDEN_CATEGORIES), "")
    if hidden:
        return f"it contains the invisible character U+{ord(hidden):04X}"
    start = _SCHEME_PREFIX.match(url)
    if start is None:
        is_like_one = "\\" in url[:10]
        return "it has backslashes before its host" if is_like_one else ""
    authority, delimiter, rest = _split_authority(url[start.end() :])
    if "@" in authority:
        return "the address contains a user name or password"
    if "\\" in authority:
        return "it has a backslash in its host"
    if delimiter in {"?", "#"} and re.search(r"[@\\]", rest.partition("/")[0]):
        return f"it has `{delimiter}` directly after its host, and another host could follow"
    return _ambiguity_of_authority(authority)


def ambiguity_of_location(location: str) -> str:
    """Return why programs could read different hosts in a redirect's `location`.

    The result is empty if they agree.
    """
    if re.match(r"[/\\]{2}", location) and not location.startswith("//"):
        return "it has backslashes before its host"
    if re.match(r"https?:(?!//[^/\\?#])", location, re.IGNORECASE):
        return "it has no host"
    return ambiguity(location)


def _split_authority(text: str) -> tuple[str, str, str]:
    """Return the authority, the character that ends it, and the rest."""
    end = re.search(r"[/?#]", text)
    if end is None:
        return text, "", ""
    return text[: end.start()], end[0], text[end.end() :]


def _ambiguity_of_authority(authority: str) -> str:
    bracketed = re.fullmatch(r"\[([^\[\]]*)\](?::(.*))?", authority)
    if bracketed:
        return _ambiguity_of_ipv6(bracketed[1]) or _ambiguity_of_port(bracketed[2] or "")
    host, _, port = authority.partition(":")
    if not host:
        return ""  # reported as an address without a host
    return _ambiguity_of_port(port) or _ambiguity_of_host(host)


def _ambiguity_of_port(port: str) -> str:
    is_port = _PORT.fullmatch(port) is not None and (not port or 0 < int(port) < 65_536)
    return "" if is_port else f"{port!a} is not a port"


def _ambiguity_of_ipv6(text: str) -> str:
    if "%" in text:
        return "the address names a network interface"
    try:
        IPv6Address(text)
    except AddressValueError:
        return f"[{text!a}] is not an IPv6 address"
    return ""


def _ambiguity_of_host(host: str) -> str:
    """Return what is wrong with a name or an IPv4 address, in any script."""
    if "%" in host:
        return "its host contains an escape"
    if not host.isascii():
        return _ambiguity_of_script(host)
    name = host.lower()
    if name.endswith("."):
        return "its host ends in a dot"
    *_, top_level = labels = name.split(".")
    if _NUMBER.fullmatch(top_level):
        return _ambiguity_of_ipv4(name)
    if len(name) > MAX_HOST or not all(map(_LABEL.fullmatch, labels)):
        return f"{host!a} is not a host name"
    not_idna = next((label for label in labels if not _is_label_of_idna(label)), "")
    return f"{not_idna} is not a label of IDNA" if not_idna else ""


def _is_label_of_idna(label: str) -> bool:
    """Return False for a label with ``xn--`` that stands for no name in another script.

    A browser refuses it, and a resolver asks for it.
    """
    if not label.startswith(_ACE):
        return True
    coded = label.removeprefix(_ACE)
    try:
        text = coded.encode("ascii").decode("punycode")
        is_same = text.encode("punycode").decode("ascii") == coded
    except ValueError:
        return False
    is_mapped = unicodedata.normalize("NFKC", text.lower()) != text
    has_no_sign = any(unicodedata.category(c) in {"Cc", "Co", "Cs"} for c in text)
    return is_same and not text.isascii() and not is_mapped and not has_no_sign


def _ambiguity_of_ipv4(text: str) -> str:
    try:
        IPv4Address(text)  # four decimal numbers without leading zeros
    except AddressValueError:
        return f"{text} is an obfuscated IP address"
    return ""


def _ambiguity_of_script(host: str) -> str:
    """Return what is wrong with a name that has other characters than ASCII."""
    lower = host.lower()
    # As written, too: in small letters, the sign of the kelvin is a `k`, and \u0130 has an `i`.
    is_mapped = any(unicodedata.normalize("NFKC", text) != text for text in (host, lower))
    has_hidden_ascii = any(c.lower()[0].isascii() for c in host if not c.isascii())
    has_dots = not _DOTS.isdisjoint(host)
    is_by_version = not _DEVIATIONS.isdisjoint(lower)
    if is_mapped or has_hidden_ascii or has_dots or is_by_version:
        return f"{host!a} can be read as several hosts; write it in ASCII, as xn--..."
    return _ambiguity_of_host("".join(c if c.isascii() else "a" for c in lower))
