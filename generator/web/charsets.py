"""Decode bytes to text as browsers do."""

from __future__ import annotations

import codecs
import re

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_AS_IN_BROWSERS = {"ascii": "cp1252", "iso8859-1": "cp1252"}
"""Browsers decode these two as Windows-1252, their superset (https://encoding.spec.whatwg.org/#names-and-labels)."""

_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "unicode-escape", "utf-7"})
"""Python codecs that no browser knows; some fail whatever error handler they are given."""


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
    if found.name in _NO_CHARSETS:
        return None
    return _AS_IN_BROWSERS.get(found.name, found.name)
