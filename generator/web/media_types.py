"""Media types of the bodies that can be read."""

from __future__ import annotations

from generator.web.model import Outcome
from generator.web.outcomes import Unfetched

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


def check_media_type(media_type: str) -> None:
    """Raise :class:`Unfetched` if bodies of this type hold no text."""
    if media_type in HTML or media_type == PDF or media_type in _TEXTUAL:
        return
    if media_type.startswith("text/") and media_type not in _NO_TEXT:
        return
    what = f"it is {media_type[:60]}" if media_type else "it does not say what it is"
    raise Unfetched(Outcome.WRONG_TYPE, f"{what}, and only HTML, PDF and plain text are read")
