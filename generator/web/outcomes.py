"""Map a response's status and headers to an outcome."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from generator.web.model import Outcome

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PERMANENT = frozenset({301, 308})
"""Permanent redirects: use the new URL from now on (https://www.rfc-editor.org/rfc/rfc9110#section-15.4)."""

GOOD = frozenset({200, 203})
ANSWERED = range(200, 300)
"""Statuses of successful API calls."""
_GONE = frozenset({404, 410})
_BLOCKED = frozenset({401, 402, 403, 407, 451, 999})
"""999 is LinkedIn's answer to programs."""
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_UNDONE = frozenset({403, 408, 425, 429, 503, 529})
"""The transient statuses that say that the request was not processed. 529 is the answer of overloaded APIs."""

_CHALLENGE_HEADERS = (
    ("cf-mitigated", "challenge"),
    ("x-amzn-waf-action", "challenge"),
    ("x-amzn-waf-action", "captcha"),
)
_CHALLENGE_TITLE = re.compile(
    r"<title[^>]{0,200}>\s*(?:just a moment|attention required! \| cloudflare|checking your browser|ddos-guard"
    r"|making sure you(?:'|&#39;|\u2019)re not a bot|verif(?:y|ying) (?:that )?you are (?:a )?human|human verification"
    r"|are you a robot|access to this page has been denied|please wait\.\.\. \| cloudflare|pardon our interruption"
    r"|security check(?:point)?|bot verification|vercel security checkpoint)\b",
    re.IGNORECASE,
)
_CHALLENGE_SCRIPT = re.compile(
    r"_cf_chl_opt|/cdn-cgi/challenge-platform/h/|_Incapsula_Resource|captcha-delivery\.com|px-captcha|anubis_challenge"
    r"|/\.within\.website/x/cmd/anubis|awswaf\.com/[^\"']{0,200}challenge",
    re.IGNORECASE,
)
_SHORT_PAGE = 60_000
"""Maximum length in characters. Challenges are short pages; a longer article that quotes one is not a challenge."""


class Unfetched(Exception):  # noqa: N818 - an outcome on its way up, not an error of the program
    """The reason why there is no text: raised where it is found, returned as a value by :meth:`Fetcher.fetch`."""

    def __init__(
        self,
        outcome: Outcome,
        reason: str,
        *,
        status: int | None = None,
        is_transient: bool = False,
        wait_s: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
        self.status = status
        self.is_transient = is_transient
        """True if the same request may succeed in a moment."""
        self.wait_s = wait_s
        """Seconds that the server asks to wait before the next attempt."""

    @property
    def is_undone(self) -> bool:
        """True if the host has certainly not processed the request."""
        return self.status in _UNDONE


def trouble_of(status: int, headers: Mapping[str, str], page: str, good: Container[int] = GOOD) -> Unfetched | None:
    """Return the error in a response; ``None`` if its body can be read. `page` is the start of an HTML body."""
    if is_challenge(headers, page):
        return Unfetched(Outcome.BLOCKED, "it asks for proof that a person reads", status=status)
    if status in good:
        return None
    if status in _GONE:
        return Unfetched(Outcome.GONE, f"the server answers {status}", status=status)
    if status in _BLOCKED:
        return Unfetched(Outcome.BLOCKED, f"the server answers {status}", status=status)
    outcome = Outcome.RATE_LIMITED if status == 429 else Outcome.FAILED
    wait_s = retry_after_s(headers.get("retry-after"), datetime.now(UTC)) if status in _TRANSIENT else None
    return _waiting(outcome, status, wait_s, is_transient=status in _TRANSIENT)


def api_trouble_of(status: int, headers: Mapping[str, str], page: str) -> Unfetched | None:
    """Return the error in an API's response; ``None`` if the call succeeded.

    Some APIs answer 403 instead of 429: GitHub does, with its own headers
    (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
    """
    is_used_up = headers.get("x-ratelimit-remaining", "").strip() == "0"
    if status in {403, 429} and (is_used_up or "retry-after" in headers):
        now = datetime.now(UTC)
        reset = headers.get("x-ratelimit-reset", "").strip()
        wait_s = retry_after_s(headers.get("retry-after"), now)
        if wait_s is None and re.fullmatch(r"1\d{9}", reset):  # seconds since 1970; others count from now
            wait_s = max(0.0, float(reset) - now.timestamp())
        return _waiting(Outcome.RATE_LIMITED, status, wait_s, is_transient=True)
    return trouble_of(status, headers, page, good=ANSWERED)


def _waiting(outcome: Outcome, status: int, wait_s: float | None, *, is_transient: bool) -> Unfetched:
    asks = f" and asks to wait {wait_s:.0f} s" if wait_s else ""
    return Unfetched(
        outcome,
        f"the server answers {status}{asks}",
        status=status,
        is_transient=is_transient,
        wait_s=wait_s,
    )


def is_challenge(headers: Mapping[str, str], page: str) -> bool:
    """Return whether the response is a bot challenge instead of the page."""
    if any(headers.get(name, "").lower() == value for name, value in _CHALLENGE_HEADERS):
        return True
    if len(page) > _SHORT_PAGE:
        return False
    has_script = bool(_CHALLENGE_SCRIPT.search(page))
    return bool(_CHALLENGE_TITLE.search(page)) and (has_script or len(page) < 6_000 or "captcha" in page.lower())


def retry_after_s(value: str | None, now: datetime) -> float | None:
    """Return the seconds in a ``Retry-After`` header, a number or a date; ``None`` if it is missing or invalid.

    https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
    """
    text = (value or "").strip()
    if re.fullmatch(r"\d{1,9}", text):
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds())
