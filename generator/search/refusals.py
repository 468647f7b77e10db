"""Why an API gave no answer: its status, and what it says itself. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable

from generator.search.answers import NoHits, looks_like_html, plain
from generator.search.model import Found
from generator.web.model import Outcome, Reply
from generator.web.outcomes import is_challenge

Verdict = Callable[[Reply, str], Found | None]
"""What a refusal means by one API's own rules, from the reply and what it says; ``None``: as usual."""

_MOST_SAID = 200

_MEANINGS = {
    401: "it does not accept the key",
    402: "its credit is used up",
    407: "it does not accept the key",
    429: "it wants fewer requests",
}
_BY_STATUS = {
    401: Found.BLOCKED,
    402: Found.BLOCKED,
    403: Found.BLOCKED,
    407: Found.BLOCKED,
    429: Found.RATE_LIMITED,
    451: Found.BLOCKED,
}
_BY_OUTCOME = {
    Outcome.BLOCKED: Found.BLOCKED,
    Outcome.DISALLOWED: Found.BLOCKED,
    Outcome.RATE_LIMITED: Found.RATE_LIMITED,
}


def check_reply(reply: Reply, key: str = "", verdict: Verdict | None = None) -> None:
    """Raises :class:`NoHits` where the API did not do as asked. `key` is the variable that holds the key."""
    status = reply.status or 0
    if is_challenged(reply):
        raise NoHits(Found.BLOCKED, "it asks for proof that a person searches")
    if reply.outcome is Outcome.OK and (not status or 200 <= status < 300):
        return
    said = message_in(reply.body)
    outcome = (verdict(reply, said) if verdict else None) or _outcome(reply)
    meaning = _MEANINGS.get(status, "") + (f" in {key}" if key and status in {401, 407} else "")
    answered = plain(reply.reason, _MOST_SAID) or (f"the server answers {status}" if status else "")
    answer = ": ".join(text for text in (answered, said) if text)
    raise NoHits(outcome, f"{meaning} ({answer})" if meaning and answer else meaning or answer or "it refuses")


def _outcome(reply: Reply) -> Found:
    if reply.status == 503 and "retry-after" in reply.headers:
        return Found.RATE_LIMITED
    return _BY_OUTCOME.get(reply.outcome) or _BY_STATUS.get(reply.status or 0, Found.FAILED)


def is_challenged(reply: Reply) -> bool:
    """Whether the answer is a test for people in the place of what was asked for."""
    page = reply.body.decode("utf-8", "replace") if looks_like_html(reply.body) else ""
    return is_challenge(reply.headers, page)


def message_in(body: bytes) -> str:
    """What an error's body says for people, in one line; empty where it says nothing.

    The APIs name it ``message`` (GitHub), ``error`` (Exa), ``error.detail`` (Brave), ``detail.error`` (Tavily),
    ``messageTranslations.en`` and ``httpReason`` (MediaWiki), or send a line of text (Bright Data, SearXNG, arXiv).
    """
    if looks_like_html(body):
        return ""
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        text = body[:2000].decode("utf-8", "replace")
        return "" if text.lstrip().startswith("<") else plain(text, _MOST_SAID)
    for _ in range(4):
        if not isinstance(value, dict):
            break
        names = ("message", "detail", "error", "messageTranslations", "en", "error_code", "httpReason")
        value = next((value[name] for name in names if isinstance(value.get(name), str | dict) and value[name]), None)
    return plain(value, _MOST_SAID)
