"""Bytes as text."""

from __future__ import annotations

import codecs
import re

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_AS_IN_BROWSERS = {"ascii": "cp1252", "iso8859-1": "cp1252"}
"""Browsers read these two as Windows' superset (https://encoding.spec.whatwg.org/#names-and-labels)."""

_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "unicode-escape", "utf-7"})
"""Codecs of Python that no browser knows; some fail whatever they are told to do with errors."""


def decode(body: bytes, charset: str | None, *, is_html: bool) -> str:
    """The body as text: by its byte order mark, its header, its own ``<meta>``, else UTF-8, else Windows-1252."""
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
    """The codec of a charset's name; ``None`` for one that is unknown or no text's."""
    try:
        found = codecs.lookup((name or "").strip(" '\""))
        b"x".decode(found.name, "replace")  # codecs such as `hex` are no encodings of text
    except (LookupError, ValueError):
        return None
    if found.name in _NO_CHARSETS:
        return None
    return _AS_IN_BROWSERS.get(found.name, found.name)
