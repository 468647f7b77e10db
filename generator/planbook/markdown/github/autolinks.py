"""Addresses without brackets, which GitHub links: ``https://``, ``www.``, and those for email.

The rules are those of https://github.github.com/gfm/#autolinks-extension-.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from planbook.markdown.github.markdown_events import protected_character, restore_characters

_ADDRESS = re.compile(
    r"(?:(?P<url>(?:https?|ftp)://[^\s<]+)"
    r"|(?P<www>www\.[^\s<]+)"
    r"|(?P<mail>(?<![A-Za-z0-9._+-])[A-Za-z0-9._+-]+@[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+))",
    re.IGNORECASE,
)
_PREFIXES = {"www": "http://", "mail": "mailto:"}
_HINTS = ("://", "@", "www.")
"""Text without one of them, in lower case, has no address."""
_CHARACTERS_BEFORE = frozenset("*_~(")
"""Characters that may stand before an address, besides white space."""
_TRAILING_PUNCTUATION = "?!.,:*_~'\""
_DOMAIN = re.compile(r"[^/?#:]*")
_LABEL = re.compile(r"\w[\w-]*\Z")


_BEGINNING = r"(?<![^\s*_~])(?:https?://|www\.)"
_ADDRESS_WITH_SIGNS = re.compile(rf"{_BEGINNING}(?=[^\s<>`]*[*_~])[^\s<>`]+", re.IGNORECASE)
"""An address in running text with signs that could be those of emphasis."""
_SIGNED_URL = re.compile(r"://[^\s<>`*_~]*[*_~]")
_SIGNED_WWW = re.compile(r"\.(?<=[wW]{3}\.)[^\s<>`*_~]*[*_~]")
"""Quick tests for such an address: they begin with a sign."""
_SIGN = re.compile(r"[*_~]")
_DEFINITION = re.compile(r"^[ >\t]*\[[^\]\n]+\]:[ \t]*$")
"""The line of a link's definition, before its address."""


class Address(NamedTuple):
    """An address in a text."""

    start: int
    end: int
    href: str


def find_addresses(text: str, text_before: str = "") -> Iterator[Address]:
    """Yield the addresses in `text`, in order.

    Args:
        text: text without other links, whose escaped characters are marked.
        text_before: the character before the text; empty at the start of a line.
    """
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return
    for match in _ADDRESS.finditer(text):
        start = match.start()
        previous = text[start - 1] if start else text_before
        if match["mail"] is not None:
            address = _mail(match["mail"])
        elif previous and not previous.isspace() and previous not in _CHARACTERS_BEFORE:
            continue
        else:
            address = _trim_address(match[0])
            address = address if _has_domain(address) else ""
        if address:
            prefix = _PREFIXES.get(match.lastgroup or "", "")
            yield Address(start, start + len(address), prefix + restore_characters(address))


def has_signed_address(text: str) -> bool:
    """Return True for a text that `protect_addresses` may change."""
    may_have = _SIGNED_URL.search(text) or _SIGNED_WWW.search(text)
    return bool(may_have and _ADDRESS_WITH_SIGNS.search(text))


def protect_addresses(text: str) -> str:
    """Return text without code in which no sign of an address without brackets is emphasis."""
    return _ADDRESS_WITH_SIGNS.sub(_protected_address, text)


def _protected_address(match: re.Match[str]) -> str:
    text, start = match.string, match.start()
    if _DEFINITION.match(text[text.rfind("\n", 0, start) + 1 : start]):
        return match[0]
    address = _trim_address(match[0])
    signs = _SIGN.sub(lambda sign: protected_character(sign[0]), address)
    return signs + match[0][len(address) :]


def _mail(address: str) -> str:
    """Return the address without a period at its end; empty if no letter ends it.

    That is narrower than the rules say, and as GitHub does: ``SLURM@22.05.09`` is a version.
    """
    address = address.rstrip(".")
    return address if address[-1:].isalpha() else ""


def _trim_address(address: str) -> str:
    """Return the address without the punctuation at its end that belongs to the sentence."""
    end = len(address)
    unopened = address.count(")") - address.count("(")
    while end:
        last_char = address[end - 1]
        entity = address.rfind("&", 0, end) if last_char == ";" else -1
        if last_char == ")" and unopened > 0:
            unopened -= 1
            end -= 1
        elif last_char in _TRAILING_PUNCTUATION:
            end -= 1
        elif entity >= 0 and address[entity + 1 : end - 1].isalnum():
            end = entity
        else:
            break
    return address[:end]


def _has_domain(address: str) -> bool:
    """Return whether a valid domain follows the scheme: no underscore in its last two labels."""
    _, scheme, rest = address.partition("://")
    match = _DOMAIN.match(rest if scheme else address)
    labels = match[0].split(".") if match else []
    is_complete = bool(scheme) or len(labels) > 1
    is_named = is_complete and all(_LABEL.match(label) for label in labels)
    return is_named and not any("_" in label for label in labels[-2:])
