"""Parse responses of search APIs; malformed ones raise :class:`Unfetched` with the reason. Pure."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass

from msgspec import ValidationError, convert

from planbook.model import Query
from planbook.research.web.connection import host_of, parse_url
from planbook.research.web.model import Outcome, Reply, Unfetched
from planbook.research.web.reach import check_address
from planbook.research.web.responses import is_challenge


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search: a document that may answer."""

    url: str
    """``http(s)://``, or ``file:///`` of the local folder of documents."""
    title: str


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of one provider for one query."""

    query: Query
    provider: str
    outcome: Outcome
    """``OK`` also without hits; ``BLOCKED`` also for a missing or rejected key.

    ``FAILED`` for most other failures.
    """
    hits: tuple[Hit, ...] = ()
    reason: str = ""
    """Why there are no hits; empty if there are any."""
    requests: int = 0


# --- responses of APIs ----------------------------------------------------------------------------

MAX_URL = 2000
"""Maximum length of an address in characters; longer ones cannot be cited."""
_MAX_TITLE = 300

_ADDRESS = re.compile(r"https?://[^\s/?#@\\<>\"{}|^`]+(?:[/?#][^\s\\<>\"{}|^`]*)?", re.IGNORECASE)
_CONTROL_CHARACTERS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters
    r"\ud800-\udfff"  # lone surrogates
    r"\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"  # of no width, and for the direction of text
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")

_MAX_MESSAGE = 200
_BAD_KEY = "it rejected the key"
_MEANINGS = {401: _BAD_KEY, 402: "its credit is used up", 407: _BAD_KEY, 429: "too many requests"}


def read_json(body: bytes) -> object:
    """Return the body as JSON. Raises :class:`Unfetched`."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        kind = "a web page" if looks_like_html(body) else "something that is not JSON"
        raise Unfetched(Outcome.FAILED, f"the response is {kind}") from error


def looks_like_html(body: bytes) -> bool:
    """Return whether the body is a web page."""
    return bool(
        re.match(
            rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)\b",
            body[:200],
            re.IGNORECASE,
        )
    )


def read_entries(answer: object, *path: str, is_optional: bool = False) -> list[dict[str, object]]:
    """Return the list of objects at `path`.

    Raises :class:`Unfetched` if the answer has another form.

    With `is_optional`, a missing or null key is an empty list: some APIs omit empty lists.
    """
    where = "its answer"
    try:
        for key in path:
            answer = convert(answer, dict[str, object]).get(key)
            if answer is None and is_optional:
                return []
            where = f"`{key}` in the response"
        return convert(answer, list[dict[str, object]])
    except (ValidationError, UnicodeError) as error:  # the latter for lone surrogates
        raise Unfetched(Outcome.FAILED, f"{where} has an unexpected form ({error})") from error


def make_hit(url: object, title: object, *, is_html: bool = False) -> Hit | None:
    """Return one result; ``None`` if it has no usable address.

    A title that is not text becomes empty.
    """
    address = web_address(url)
    try:
        split_url = parse_url(address)
        check_address(split_url.scheme, host_of(split_url), split_url.userinfo)
    except Unfetched:
        return None
    return Hit(address, value_on_line(title, _MAX_TITLE, is_html))


def web_address(value: object) -> str:
    """Return `value` if it is an http(s) address without a user's name, else an empty text."""
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > MAX_URL or _CONTROL_CHARACTERS.search(text) or not _ADDRESS.fullmatch(text):
        return ""
    return text.partition("#:~:")[0]


def value_on_line(value: object, most: int, is_html: bool = False) -> str:
    """Return `value` as one line of at most `most` characters; empty if it is not text."""
    if not isinstance(value, str):
        return ""
    text = value[: most * 20]
    if is_html:
        text = html.unescape(_TAG.sub("", text))
    text = " ".join(_CONTROL_CHARACTERS.sub("", text).split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


# --- refusals -------------------------------------------------------------------------------------


def check_reply(reply: Reply, key: str = "") -> None:
    """Raise :class:`Unfetched` for a reply that is a refusal.

    `key` names the variable that holds the key.
    """
    if is_challenged(reply):
        raise Unfetched(Outcome.BLOCKED, "it returned a bot check (CAPTCHA) instead of results")
    is_success = not reply.status_code or 200 <= reply.status_code < 300
    if reply.outcome is Outcome.OK and is_success:
        return
    message = ""
    if not looks_like_html(reply.body):
        message = value_on_line(reply.body.decode("utf-8", "replace"), _MAX_MESSAGE)
    raise Unfetched(_outcome_of_refusal(reply, message), _describe_refusal(reply, message, key))


def _outcome_of_refusal(reply: Reply, message: str) -> Outcome:
    """Return what a refusal is; `message` is the text in its body."""
    # GitHub, for its secondary limit.
    if reply.status_code == 403 and "rate limit" in message.lower():
        return Outcome.RATE_LIMITED
    if reply.outcome in {Outcome.BLOCKED, Outcome.RATE_LIMITED}:
        return reply.outcome
    return Outcome.FAILED


def _describe_refusal(reply: Reply, message: str, key: str) -> str:
    """Return what a refusal means, and how the server says it."""
    meaning = _MEANINGS.get(reply.status_code or 0, "")
    if meaning == _BAD_KEY and key:
        meaning = f"{meaning} in {key}"
    answered = value_on_line(reply.reason, _MAX_MESSAGE)
    if not answered and reply.status_code:
        answered = f"the server returned {reply.status_code}"
    answer = ": ".join(text for text in (answered, message) if text)
    if meaning and answer:
        return f"{meaning} ({answer})"
    return meaning or answer or "it refuses"


def is_challenged(reply: Reply) -> bool:
    """Return whether the reply is a bot check."""
    page = reply.body.decode("utf-8", "replace") if looks_like_html(reply.body) else ""
    return is_challenge(reply.headers, page)
