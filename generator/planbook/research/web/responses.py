"""Read responses: the outcome by status and headers, the body within its limits, and its text."""

from __future__ import annotations

import codecs
import re
import unicodedata
import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from planbook.research.web.model import Outcome, Unfetched

PERMANENT = frozenset({301, 308})
"""Permanent redirects: use the new URL from now on.

https://www.rfc-editor.org/rfc/rfc9110#section-15.4
"""
GOOD_STATUSES = frozenset({200, 203})
"""Statuses of responses whose body is the page."""
_GONE_STATUSES = frozenset({404, 410})
_BLOCKED_STATUSES = frozenset({401, 402, 403, 407, 451, 999})
"""999 is LinkedIn's answer to programs."""
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 529})

_CHALLENGE_HEADERS = {"cf-mitigated": {"challenge"}, "x-amzn-waf-action": {"challenge", "captcha"}}
_CHALLENGE_TITLES = (
    "just a moment",
    r"attention required! \| cloudflare",
    "checking your browser",
    "ddos-guard",
    r"making sure you(?:'|&#39;|\u2019)re not a bot",  # “Making sure you're not a bot!”
    r"verif(?:y|ying) (?:that )?you are (?:a )?human",  # “Verifying you are human”
    "human verification",
    "are you a robot",
    "access to this page has been denied",
    r"please wait\.\.\. \| cloudflare",
    "pardon our interruption",
    "security check(?:point)?",
    "bot verification",
    "vercel security checkpoint",
)
"""Beginnings of titles of bot challenges."""
_CHALLENGE_TITLE = re.compile(
    rf"<title[^>]{{0,200}}>\s*(?:{'|'.join(_CHALLENGE_TITLES)})\b", re.IGNORECASE
)
_CHALLENGE_SCRIPTS = (
    *("_cf_chl_opt", "/cdn-cgi/challenge-platform/h/"),  # Cloudflare
    "_Incapsula_Resource",
    r"captcha-delivery\.com",  # DataDome
    "px-captcha",  # HUMAN, formerly PerimeterX
    *("anubis_challenge", r"/\.within\.website/x/cmd/anubis"),
    r"awswaf\.com/[^\"']{0,200}challenge",
)
"""Names in the scripts of such pages."""
_CHALLENGE_SCRIPT = re.compile("|".join(_CHALLENGE_SCRIPTS), re.IGNORECASE)
_SHORT_PAGE = 60_000
"""Maximum length in characters.

Challenges are short pages; a longer article that quotes one is not a challenge.
"""

_TINY_PAGE = 6_000
"""Maximum length of one that is known by its title alone."""

HTML = frozenset({"text/html", "application/xhtml+xml"})
PDF = "application/pdf"
_TEXTUAL_NAMES = (
    *("json", "ld+json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-javascript"),
    *("typescript", "sql", "x-sh", "x-python", "x-ipynb+json", "x-tex", "x-httpd-php"),
    *("rss+xml", "atom+xml"),
)
_TEXT_TYPES = frozenset(f"application/{name}" for name in _TEXTUAL_NAMES)
"""Media types of text besides those that begin with ``text/``."""
_NO_TEXT = frozenset({"text/css", "text/event-stream", "text/calendar", "text/vcard"})

_GZIP = 16 + zlib.MAX_WBITS
_ERROR_BYTES = 64 * 1024
"""Maximum size of the body of an error response."""

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BROWSER_CHARSETS = {"ascii": "cp1252", "iso8859-1": "cp1252"}
"""Browsers decode these two as Windows-1252, their superset.

https://encoding.spec.whatwg.org/#names-and-labels
"""
_NO_CHARSETS = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "unicode-escape", "utf-7"}
)
"""Python codecs that no browser knows; some fail whatever error handler they are given."""


def checked_body(
    status_code: int,
    headers: Mapping[str, str],
    chunks: Iterable[bytes],
    max_bytes: int,
    *,
    is_api: bool = False,
) -> bytes:
    """Return the body of a successful response.

    Raises :class:`Unfetched`, with the body of an error if it is short.
    """
    encoding = headers.get("content-encoding", "")
    is_success = 200 <= status_code < 300
    try:
        body = read_body(chunks, encoding, max_bytes if is_success else _ERROR_BYTES)
    except Unfetched:
        if is_success:
            raise
        body = b""  # status and headers say what matters
    page = decode(body, None, is_html=True) if media_type_of(headers) in HTML else ""
    trouble = _trouble(status_code, headers, page, is_api=is_api)
    if trouble:
        trouble.headers = dict(headers)
        trouble.body = body
        raise trouble
    return body


# --- outcomes -------------------------------------------------------------------------------------


def _trouble(
    status_code: int, headers: Mapping[str, str], page: str, *, is_api: bool
) -> Unfetched | None:
    """Return the error in a response; ``None`` if it is successful.

    `page` is its body if that is HTML.
    """
    now = datetime.now(UTC)
    if is_api and _is_limit_of_api(status_code, headers):
        return _delayed_response(status_code, _wait_of_api_s(headers, now), Outcome.RATE_LIMITED)
    if is_challenge(headers, page):
        reason = "it returned a bot check (CAPTCHA) instead of the page"
        return Unfetched(Outcome.BLOCKED, reason, status_code=status_code)
    if status_code in GOOD_STATUSES or (is_api and 200 <= status_code < 300):
        return None
    if status_code in _TRANSIENT:
        outcome = Outcome.RATE_LIMITED if status_code == 429 else Outcome.FAILED
        return _delayed_response(
            status_code, retry_after_s(headers.get("retry-after"), now), outcome
        )
    outcome = Outcome.FAILED
    if status_code in _GONE_STATUSES:
        outcome = Outcome.GONE
    elif status_code in _BLOCKED_STATUSES:
        outcome = Outcome.BLOCKED
    return Unfetched(outcome, f"the server returned {status_code}", status_code=status_code)


def _is_limit_of_api(status_code: int, headers: Mapping[str, str]) -> bool:
    """Return whether an API has answered too many requests.

    Some answer 403 instead of 429: GitHub does, with its own headers
    (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
    """
    is_used_up = headers.get("x-ratelimit-remaining", "").strip() == "0"
    return status_code in {403, 429} and (is_used_up or "retry-after" in headers)


def _wait_of_api_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds until an API answers again; ``None`` if it does not say so."""
    wait_s = retry_after_s(headers.get("retry-after"), now)
    reset = headers.get("x-ratelimit-reset", "").strip()
    is_time = re.fullmatch(r"1\d{9}", reset)  # seconds since 1970; those of others count from now
    if wait_s is None and is_time:
        return max(0.0, float(reset) - now.timestamp())
    return wait_s


def _delayed_response(status_code: int, wait_s: float | None, outcome: Outcome) -> Unfetched:
    """Return an error that may be gone after a while."""
    reason = f"the server returned {status_code}"
    if wait_s:
        reason += f" and asked to wait {wait_s:.0f} s"
    return Unfetched(outcome, reason, status_code=status_code, is_transient=True, wait_s=wait_s)


def is_challenge(headers: Mapping[str, str], page: str) -> bool:
    """Return whether the response is a bot challenge instead of the page."""
    if any(headers.get(name, "").lower() in values for name, values in _CHALLENGE_HEADERS.items()):
        return True
    if len(page) > _SHORT_PAGE:
        return False
    if not _CHALLENGE_TITLE.search(page):
        return False
    if len(page) < _TINY_PAGE or "captcha" in page.lower():
        return True
    return _CHALLENGE_SCRIPT.search(page) is not None


def retry_after_s(value: str | None, now: datetime) -> float | None:
    """Return the seconds in a ``Retry-After`` header, a number or a date.

    The result is ``None`` if it is missing or invalid.

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


def media_type_of(headers: Mapping[str, str]) -> str:
    """Return the media type of a body, such as ``text/html``."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def check_media_type(media_type: str) -> None:
    """Raise :class:`Unfetched` if bodies of this type hold no text."""
    is_text = media_type.startswith("text/") and media_type not in _NO_TEXT
    if not (is_text or media_type in HTML or media_type == PDF or media_type in _TEXT_TYPES):
        stated = f"it is {media_type[:60]}" if media_type else "it does not say what it is"
        raise Unfetched(Outcome.WRONG_TYPE, f"{stated}, and only HTML, PDF and plain text are read")


# --- bodies ---------------------------------------------------------------------------------------


def read_body(chunks: Iterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """Return the decompressed body.

    It is decompressed in chunks of limited size, so that a decompression bomb is never held in
    memory.

    Raises:
        Unfetched: The body is longer than `max_bytes`, or its encoding is not supported.
    """
    coding = encoding.strip().lower()
    if coding in {"gzip", "x-gzip"}:
        chunks = _unpack_body(chunks, max_bytes)
    elif coding not in {"", "identity"}:
        raise Unfetched(
            Outcome.WRONG_TYPE, f"it is compressed as {coding[:40]!r}, but only gzip was requested"
        )
    body = bytearray()
    for chunk in chunks:
        body += chunk
        check_size(len(body), max_bytes)
    return bytes(body)


def _unpack_body(chunks: Iterable[bytes], max_bytes: int) -> Iterable[bytes]:
    """Yield chunks of at most `max_bytes` + 1 bytes."""
    unpacker = zlib.decompressobj(_GZIP)
    is_empty = True
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                is_empty = False
                if unpacker.eof:  # a gzip stream may have several members
                    unpacker = zlib.decompressobj(_GZIP)
                yield unpacker.decompress(rest, max_bytes + 1)
                rest = unpacker.unconsumed_tail or unpacker.unused_data
    except zlib.error as error:
        raise Unfetched(
            Outcome.FAILED, f"its gzip data is corrupt ({error})", is_transient=True
        ) from error
    if not (unpacker.eof or is_empty):
        raise Unfetched(Outcome.FAILED, "its gzip data is truncated", is_transient=True)


def check_size(size: int, max_bytes: int) -> None:
    """Raise :class:`Unfetched` if a body is longer than `max_bytes`."""
    if size > max_bytes:
        raise Unfetched(Outcome.TOO_LARGE, f"it is longer than {max_bytes:,} bytes")


def decode(body: bytes, charset: str | None, *, is_html: bool) -> str:
    """Decode the body by its byte order mark, its header, or its own ``<meta>``.

    Else as UTF-8, else as Windows-1252.
    """
    for bom, encoding in BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(encoding, errors="replace")
    codec = _codec(charset)
    declared = _META_CHARSET.search(body[:4096]) if is_html else None
    if codec is None and declared:
        codec = _codec(declared[1].decode("ascii", "replace"))
    if codec:
        return body.decode(codec, errors="replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")


def _codec(name: str | None) -> str | None:
    """Return the codec for a charset name; ``None`` if it is unknown or not a text encoding."""
    try:
        codec = codecs.lookup((name or "").strip(" '\""))
        b"x".decode(codec.name, "replace")  # codecs such as `hex` are not text encodings
    except (LookupError, ValueError):
        return None
    return None if codec.name in _NO_CHARSETS else _BROWSER_CHARSETS.get(codec.name, codec.name)


def tidy(text: str) -> str:
    """Clean `text`, normalize it to NFC, and remove trailing blanks and runs of empty lines."""
    normalized = unicodedata.normalize("NFC", clean(text))
    tidied = "\n".join(line.rstrip() for line in normalized.split("\n"))
    if "\n\n\n" in tidied:
        tidied = re.sub(r"\n{3,}", "\n\n", tidied)
    return tidied.strip()


def clean(text: str) -> str:
    """Normalize line ends, and remove characters that XML forbids.

    Those are NUL and other control characters.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "", text)
