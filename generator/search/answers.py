"""What APIs answer, read with care: any bytes give values, or one :class:`NoHits` that says what is wrong. Pure."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping

from generator.search.model import Found, Hit
from generator.web.addresses import check_address
from generator.web.connection import host_of, parse_url
from generator.web.outcomes import Unfetched

MAX_URL = 2000
"""Characters. Longer addresses are none that a page can cite."""
_MAX_TITLE = 300
_MAX_SNIPPET = 600

_ADDRESS = re.compile(r"https?://[^\s/?#@\\<>\"{}|^`]+(?:[/?#][^\s\\<>\"{}|^`]*)?", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Control characters, halves of surrogate pairs, and marks that turn the direction of a text."""
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")


class NoHits(Exception):  # noqa: N818 - it is an outcome on its way up, not an error of the program
    """Why a search has no hits: carried from where it shows to the provider, which makes a value of it."""

    def __init__(self, outcome: Found, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


def read_json(body: bytes) -> object:
    """The body as JSON. Raises :class:`NoHits`."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        what = "a web page" if looks_like_html(body) else "what is no JSON"
        raise NoHits(Found.FAILED, f"it answers with {what}") from error


def looks_like_html(body: bytes) -> bool:
    """Whether the body is a web page."""
    return bool(re.match(rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)\b", body[:200], re.IGNORECASE))


def entries(answer: object, *path: str, may_lack: bool = False) -> list[Mapping[str, object]]:
    """The list of objects at `path`. Raises :class:`NoHits` where the answer is made in another way.

    With `may_lack` a key that is missing or null is an empty list: some APIs leave out what they have nothing of.
    """
    value, where = answer, "its answer"
    for key in path:
        if not isinstance(value, dict):
            raise NoHits(Found.FAILED, f"{where} is {_kind(value)}, not an object")
        if value.get(key) is None and may_lack:
            return []
        value, where = value.get(key), f"`{key}` in its answer"
    if not isinstance(value, list):
        raise NoHits(Found.FAILED, f"{where} is {_kind(value)}, not a list")
    for entry in value:
        if not isinstance(entry, dict):
            raise NoHits(Found.FAILED, f"an entry of {where} is {_kind(entry)}, not an object")
    return value


def make_hit(url: object, title: object, snippet: object, *, is_html: bool = False) -> Hit | None:
    """One result; ``None`` where it has no address that could be asked. What is no text is left empty."""
    address = web_address(url)
    try:
        parts = parse_url(address)
        check_address(parts.scheme, host_of(parts), parts.userinfo)
    except Unfetched:
        return None
    return Hit(address, plain(title, _MAX_TITLE, is_html), plain(snippet, _MAX_SNIPPET, is_html))


def with_address(made: Iterable[Hit | None]) -> tuple[Hit, ...]:
    """The results that have an address. Raises :class:`NoHits` where there are results, but none has."""
    results = list(made)
    hits = tuple(hit for hit in results if hit is not None)
    if results and not hits:
        raise NoHits(Found.FAILED, f"none of its {len(results)} results has an address")
    return hits


def web_address(value: object) -> str:
    """`value` as an http(s) address without a user's name; empty where it is none."""
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > MAX_URL or _UNSEEN.search(text) or not _ADDRESS.fullmatch(text):
        return ""
    return text.partition("#:~:")[0]


def plain(value: object, most: int, is_html: bool = False) -> str:
    """`value` as one line of at most `most` characters; empty where it is no text."""
    if not isinstance(value, str):
        return ""
    text = value[: most * 20]
    text = html.unescape(_TAG.sub("", text)) if is_html else text
    text = " ".join(_UNSEEN.sub("", text).split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "nothing"}
    return names.get(type(value), "a number")
