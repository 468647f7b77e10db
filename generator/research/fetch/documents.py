"""A body as text: HTML, PDF, plain text and source code. The same bytes give the same text."""

from __future__ import annotations

import codecs
import logging
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import lxml.html
import trafilatura
from lxml.etree import _Element

from generator.research.fetch.limits import Limits
from generator.research.fetch.outcomes import Unfetched
from generator.research.fetch.pdf import read_pdf
from generator.research.model import Outcome

for _name in ("htmldate", "trafilatura"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)  # what they remark on pages are outcomes here

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

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_AS_IN_BROWSERS = {"ascii": "cp1252", "iso8859-1": "cp1252"}
"""Browsers read these two as Windows' superset (https://encoding.spec.whatwg.org/#names-and-labels)."""

_UNSEEN = frozenset(
    {"script", "style", "noscript", "template", "head", "svg", "iframe", "object", "select", "textarea"}
)
_INLINE = frozenset(
    {
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i"),
        *("ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike"),
        *("strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    }
)


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what it says of itself."""

    text: str
    """The main text; Markdown where it was HTML."""
    visible: str
    """All text that a reader sees."""
    title: str | None = None
    author: str | None = None
    date: str | None = None
    """As ``YYYY-MM-DD``."""
    language: str | None = None


def check_media_type(media_type: str) -> None:
    """Raises :class:`Unfetched` where no text can be had from bodies of this type."""
    if media_type in HTML or media_type == PDF or media_type in _TEXTUAL:
        return
    if media_type.startswith("text/") and media_type not in _NO_TEXT:
        return
    what = f"it is {media_type[:60]}" if media_type else "it does not say what it is"
    raise Unfetched(Outcome.WRONG_TYPE, f"{what}, and only HTML, PDF and plain text are read")


def read_document(body: bytes, media_type: str, charset: str | None, url: str, limits: Limits) -> Document:
    """The text of a body of this type. Raises :class:`Unfetched` where it has none or cannot be read."""
    if media_type == PDF:
        document = _read_pdf(body, limits)
    elif media_type in HTML:
        document = read_html(decode(body, charset, is_html=True), url)
    else:
        document = _read_plain(body, charset)
    if not document.text:
        raise Unfetched(Outcome.FAILED, "it holds no text (it may need scripts, or be a picture)")
    return document


def read_html(html: str, url: str) -> Document:
    """The main text as Markdown, everything visible, and the metadata."""
    if not html.strip():
        return Document("", "")
    try:
        tree = lxml.html.document_fromstring(html.encode("utf-8"), parser=_parser())
        visible = tidy("".join(_visible(tree)))
        text = trafilatura.extract(html, url=url, output_format="markdown", include_comments=False)
        about = trafilatura.extract_metadata(html, default_url=url)
    except Exception as error:  # a parser may fail on hostile input in any way, and that is an outcome
        raise Unfetched(Outcome.FAILED, f"its HTML cannot be read ({type(error).__name__})") from error
    language = (tree.get("lang") or "").strip()[:35] or None
    # Where no article is found (a table of links, a page of one sentence), the page is its own text.
    main = tidy(text or "") or visible
    return Document(main, visible, _line(about.title), _line(about.author), _line(about.date), language)


def _parser() -> lxml.html.HTMLParser:
    """A parser that reads deeper than 256 elements; the body's cap bounds what that can cost."""
    return lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)


def decode(body: bytes, charset: str | None, *, is_html: bool) -> str:
    """The body as text: by its byte order mark, its header, its own ``<meta>``, else UTF-8, else Windows-1252."""
    for bom, encoding in _BOMS:
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


def tidy(text: str) -> str:
    """`text` in NFC, with line feeds as line ends, no blanks at ends of lines and no runs of empty lines.

    What XML cannot hold (NUL and other control characters) is left out.
    """
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]", "", text)
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def _read_pdf(body: bytes, limits: Limits) -> Document:
    found = read_pdf(body, limits.pdf_pages, limits.pdf_timeout_s)
    text = tidy(found.text)
    return Document(text, text, _line(found.title), _line(found.author), _line(found.date))


def _read_plain(body: bytes, charset: str | None) -> Document:
    is_wide = any(body.startswith(bom) for bom, _ in _BOMS[1:])
    if b"\x00" in body[:8192] and not is_wide:
        raise Unfetched(Outcome.WRONG_TYPE, "it calls itself text, but is not")
    text = tidy(decode(body, charset, is_html=False))
    return Document(text, text)


def _codec(name: str | None) -> str | None:
    """The codec of a charset's name; ``None`` for one that is unknown or no text's."""
    try:
        found = codecs.lookup((name or "").strip(" '\""))
        b"".decode(found.name)  # codecs such as `hex` are no encodings of text
    except (LookupError, ValueError):
        return None
    return _AS_IN_BROWSERS.get(found.name, found.name)


def _visible(element: _Element) -> Iterator[str]:
    """The pieces of an element's text, with line ends around what stands in lines of its own."""
    stack: list[_Element | str] = [element]
    while stack:  # not recursive: pages may nest deeper than Python calls
        current = stack.pop()
        if isinstance(current, str):
            yield current
            continue
        stack.append(current.tail or "" if current is not element else "")
        if not isinstance(current.tag, str) or current.tag in _UNSEEN or current.get("hidden") is not None:
            continue
        edge = "" if current.tag in _INLINE else "\n"
        stack += [edge, *reversed(current), current.text or "", edge]


def _line(value: object) -> str | None:
    """One line of text, not too long; ``None`` where there is none."""
    return " ".join(tidy(str(value)).split())[:300] or None if value else None
