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
"""Permanent redirects: use the new URL from now on (https://www.rfc-editor.org/rfc/rfc9110#section-15.4)."""
GOOD = frozenset({200, 203})
"""Statuses of responses whose body is the page."""
_GONE = frozenset({404, 410})
_BLOCKED = frozenset({401, 402, 403, 407, 451, 999})
"""999 is LinkedIn's answer to programs."""
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 529})

_CHALLENGE_HEADERS = {"cf-mitigated": {"challenge"}, "x-amzn-waf-action": {"challenge", "captcha"}}
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

HTML = frozenset({"text/html", "application/xhtml+xml"})
PDF = "application/pdf"
_TEXTUAL = frozenset(
    f"application/{name}"
    for name in (
        *("json", "ld+json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-javascript", "typescript", "sql"),
        *("x-sh", "x-python", "x-ipynb+json", "x-tex", "x-httpd-php", "rss+xml", "atom+xml"),
    )
)
_NO_TEXT = frozenset({"text/css", "text/event-stream", "text/calendar", "text/vcard"})

_GZIP = 16 + zlib.MAX_WBITS
_ERROR_BYTES = 64 * 1024
"""Maximum size of the body of an error response."""

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_AS_IN_BROWSERS = {"ascii": "cp1252", "iso8859-1": "cp1252"}
"""Browsers decode these two as Windows-1252, their superset (https://encoding.spec.whatwg.org/#names-and-labels)."""
_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "unicode-escape", "utf-7"})
"""Python codecs that no browser knows; some fail whatever error handler they are given."""


def checked_body(
    status: int, headers: Mapping[str, str], chunks: Iterable[bytes], max_bytes: int, *, is_api: bool = False
) -> bytes:
    """Return the body of a successful response. Raises :class:`Unfetched`, with the body of an error if it is short."""
    encoding = headers.get("content-encoding", "")
    try:
        body = read_body(chunks, encoding, max_bytes if 200 <= status < 300 else _ERROR_BYTES)
    except Unfetched:
        if 200 <= status < 300:
            raise
        body = b""  # status and headers say what matters
    page = decode(body, None, is_html=True) if media_type_of(headers) in HTML else ""
    trouble = _trouble(status, headers, page, is_api=is_api)
    if trouble:
        trouble.headers, trouble.body = dict(headers), body
        raise trouble
    return body


# --- outcomes ------------------------------------------------------------------------------------------------------


def _trouble(status: int, headers: Mapping[str, str], page: str, *, is_api: bool) -> Unfetched | None:
    """Return the error in a response; ``None`` if it is successful. `page` is its body if that is HTML.

    Some APIs answer 403 instead of 429: GitHub does, with its own headers
    (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
    """
    now = datetime.now(UTC)
    wait_s = retry_after_s(headers.get("retry-after"), now)
    is_used_up = headers.get("x-ratelimit-remaining", "").strip() == "0"
    is_limit = is_api and status in {403, 429} and (is_used_up or "retry-after" in headers)
    reset = headers.get("x-ratelimit-reset", "").strip()
    if is_limit and wait_s is None and re.fullmatch(r"1\d{9}", reset):  # seconds since 1970; others count from now
        wait_s = max(0.0, float(reset) - now.timestamp())
    if not is_limit:
        if is_challenge(headers, page):
            return Unfetched(Outcome.BLOCKED, "it returned a bot check (CAPTCHA) instead of the page", status=status)
        if status in GOOD or (is_api and 200 <= status < 300):
            return None
        if status in _GONE | _BLOCKED:
            outcome = Outcome.GONE if status in _GONE else Outcome.BLOCKED
            return Unfetched(outcome, f"the server returned {status}", status=status)
    is_transient = is_limit or status in _TRANSIENT
    wait_s = wait_s if is_transient else None
    outcome = Outcome.RATE_LIMITED if is_limit or status == 429 else Outcome.FAILED
    reason = f"the server returned {status}" + (f" and asked to wait {wait_s:.0f} s" if wait_s else "")
    return Unfetched(outcome, reason, status=status, is_transient=is_transient, wait_s=wait_s)


def is_challenge(headers: Mapping[str, str], page: str) -> bool:
    """Return whether the response is a bot challenge instead of the page."""
    if any(headers.get(name, "").lower() in values for name, values in _CHALLENGE_HEADERS.items()):
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


def media_type_of(headers: Mapping[str, str]) -> str:
    """Return the media type of a body, such as ``text/html``."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def check_media_type(media_type: str) -> None:
    """Raise :class:`Unfetched` if bodies of this type hold no text."""
    is_text = media_type.startswith("text/") and media_type not in _NO_TEXT
    if not (is_text or media_type in HTML or media_type == PDF or media_type in _TEXTUAL):
        what = f"it is {media_type[:60]}" if media_type else "it does not say what it is"
        raise Unfetched(Outcome.WRONG_TYPE, f"{what}, and only HTML, PDF and plain text are read")


# --- bodies --------------------------------------------------------------------------------------------------------


def read_body(chunks: Iterable[bytes], encoding: str, max_bytes: int) -> bytes:
    """Return the decompressed body.

    It is decompressed in chunks of limited size, so that a decompression bomb is never held in memory.

    Raises:
        Unfetched: The body is longer than `max_bytes`, or its encoding is not supported.
    """
    coding = encoding.strip().lower()
    if coding in {"gzip", "x-gzip"}:
        chunks = _unpacked(chunks, max_bytes)
    elif coding not in {"", "identity"}:
        raise Unfetched(Outcome.WRONG_TYPE, f"it is compressed as {coding[:40]!r}, but only gzip was requested")
    body = bytearray()
    for chunk in chunks:
        body += chunk
        check_size(len(body), max_bytes)
    return bytes(body)


def _unpacked(chunks: Iterable[bytes], max_bytes: int) -> Iterable[bytes]:
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
        raise Unfetched(Outcome.FAILED, f"its gzip data is corrupt ({error})", is_transient=True) from error
    if not (unpacker.eof or is_empty):
        raise Unfetched(Outcome.FAILED, "its gzip data is truncated", is_transient=True)


def check_size(size: int, max_bytes: int) -> None:
    """Raise :class:`Unfetched` if a body is longer than `max_bytes`."""
    if size > max_bytes:
        raise Unfetched(Outcome.TOO_LARGE, f"it is longer than {max_bytes:,} bytes")


def decode(body: bytes, charset: str | None, *, is_html: bool) -> str:
    """Decode the body by its byte order mark, its header, its own ``<meta>``, else as UTF-8, else as Windows-1252."""
    for bom, encoding in BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(encoding, errors="replace")
    declared = _META_CHARSET.search(body[:4096]) if is_html else None
    named = _codec(charset) or (_codec(declared[1].decode("ascii", "replace")) if declared else None)
    if named:
        return body.decode(named, errors="replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")


def _codec(name: str | None) -> str | None:
    """Return the codec for a charset name; ``None`` if it is unknown or not a text encoding."""
    try:
        found = codecs.lookup((name or "").strip(" '\""))
        b"x".decode(found.name, "replace")  # codecs such as `hex` are not text encodings
    except (LookupError, ValueError):
        return None
    return None if found.name in _NO_CHARSETS else _AS_IN_BROWSERS.get(found.name, found.name)


def tidy(text: str) -> str:
    """Clean `text`, normalize it to NFC, and remove trailing blanks and runs of empty lines."""
    lines = "\n".join(line.rstrip() for line in unicodedata.normalize("NFC", clean(text)).split("\n"))
    return (re.sub(r"\n{3,}", "\n\n", lines) if "\n\n\n" in lines else lines).strip()


def clean(text: str) -> str:
    """Normalize line ends, and remove characters that XML forbids (NUL and other control characters)."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "", text)
