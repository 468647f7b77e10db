"""Extract text from a response body: HTML, PDF, plain text and source code. The same bytes give the same text."""

from __future__ import annotations

import copy
import hashlib
import logging
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import lxml.html
import trafilatura
from lxml.etree import _Element
from lxml.html import HtmlElement

from generator.web.about import author_of, dates_of, is_missing, title_of
from generator.web.charsets import BOMS, decode
from generator.web.main_content import DOCUMENTATION, flatten, keep_main, keep_posts, show_noscript
from generator.web.main_text import read_headings, with_headings, without_torn
from generator.web.markup import drop_hidden, prepare
from generator.web.media_types import HTML, PDF
from generator.web.model import Outcome
from generator.web.outcomes import Unfetched
from generator.web.pdf import read_pdf

for _name in ("htmldate", "trafilatura"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)  # their warnings about pages are outcomes here

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


_DATING = re.compile(r"date|publish|posted|time|byline|modified|updated|meta", re.IGNORECASE)
_LONGEST_DATING = 300
_MUCH_MORE = 1.3
"""Minimum ratio of the words in a page's main element to those of its article for the former to be the main text."""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A text and its metadata."""

    text: str
    """The main text; Markdown if it was HTML."""
    visible: str
    """All text visible to a reader."""
    title: str | None = None
    author: str | None = None
    date: str | None = None
    """Day of publication, as ``YYYY-MM-DD``."""
    language: str | None = None
    updated: str | None = None
    """Day of the last update."""


def read_document(body: bytes, media_type: str, charset: str | None, url: str, pdf_pages: int) -> DocumentText:
    """Return the text of a body of this type. Raises :class:`Unfetched` if it has none or cannot be read."""
    if media_type == PDF:
        document = _read_pdf(body, pdf_pages)
    elif media_type in HTML:
        document = read_html(decode(body, charset, is_html=True), url)
    else:
        document = _read_plain(body, charset)
    if not document.text:
        raise Unfetched(Outcome.FAILED, "it holds no text (it may need scripts, or be a picture)")
    return document


def read_html(html: str, url: str) -> DocumentText:
    """Return the main text as Markdown, all visible text, and the metadata."""
    if not html.strip():
        return DocumentText("", "")
    raw = html.encode("utf-8", "replace")
    tree = lxml.html.document_fromstring(raw, parser=_parser())
    show_noscript(tree)
    drop_hidden(tree)
    visible = tidy("".join(_visible(tree)))
    about = trafilatura.extract_metadata(copy.deepcopy(tree), default_url=url, extensive=False)
    day = _line(about.date)
    day = day if day and any(day[:4] in said for said in _datings(tree, url)) else None
    published, updated = dates_of(tree, day)
    title, author = _line(title_of(tree)), _line(author_of(tree, about.author))
    language = (tree.get("lang") or "").strip()[:35] or None
    # Without an article (a table of links, a page of one sentence), all visible text is the main text.
    main = _main_text(tree, url, visible, f"block{hashlib.sha256(raw).hexdigest()[:12]}n") or visible
    if is_missing(title or "", main):
        raise Unfetched(Outcome.GONE, "it says that there is no such page, though with status 200")
    return DocumentText(main, visible, title, author, published, language, updated)


def _main_text(tree: HtmlElement, url: str, visible: str, stem: str) -> str:
    """Return the main text: the posts of a discussion, else an article, unless the main element holds much more."""
    if keep_posts(tree, url, visible):
        return _extracted(tree, url, stem, is_main=True)
    main = copy.deepcopy(tree)
    keep_main(main)
    article, whole = _extracted(tree, url, stem), _extracted(main, url, stem, is_main=True)
    enough = 1 if DOCUMENTATION.search(url) else _MUCH_MORE
    return whole if len(whole.split()) >= enough * len(article.split()) else article


def _extracted(tree: HtmlElement, url: str, stem: str, *, is_main: bool = False) -> str:
    """Return what trafilatura takes for the main text, as Markdown; with `is_main`, `tree` holds nothing else."""
    placeholders = prepare(tree, stem)
    if is_main:
        flatten(tree)
    headings, lines = read_headings(tree), "".join(_visible(tree))
    text = trafilatura.extract(tree, url=url, output_format="markdown", include_comments=False, favor_recall=is_main)
    return placeholders.put_back(with_headings(without_torn(tidy(text or ""), lines), headings))


def _datings(tree: HtmlElement, url: str) -> Iterator[str]:
    """Yield the texts that may state a page's date of publication; dates elsewhere belong to its content."""
    yield url
    yield from tree.xpath("//meta/@content | //time/@datetime | //script[contains(@type, 'ld+json')]/text()")
    for element in tree.xpath("//time | //*[@class or @id or @itemprop]"):
        named = " ".join(filter(None, map(element.get, ("class", "id", "itemprop"))))
        if element.tag == "time" or _DATING.search(named):
            yield element.text_content()[:_LONGEST_DATING]


def _parser() -> lxml.html.HTMLParser:
    """Return a parser that accepts more than 256 nested elements; the size limit of the body bounds the cost.

    It drops comments: a reader does not see them, and lxml cannot iterate over the text of one.
    """
    return lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)


def tidy(text: str) -> str:
    """Clean `text`, normalize it to NFC, and remove trailing blanks and runs of empty lines."""
    lines = "\n".join(line.rstrip() for line in unicodedata.normalize("NFC", clean(text)).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def clean(text: str) -> str:
    """Normalize line ends, and remove characters that XML forbids (NUL and other control characters)."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "", text)


def _read_pdf(body: bytes, max_pages: int) -> DocumentText:
    found = read_pdf(body, max_pages)
    text = tidy(found.text)
    return DocumentText(text, text, _line(found.title), _line(found.author), _line(found.date))


def _read_plain(body: bytes, charset: str | None) -> DocumentText:
    is_wide = any(body.startswith(bom) for bom, _ in BOMS[1:])
    if b"\x00" in body[:8192] and not is_wide:
        raise Unfetched(Outcome.WRONG_TYPE, "it calls itself text, but is not")
    text = clean(decode(body, charset, is_html=False)).rstrip()  # keeps the line numbers
    return DocumentText(text, text)


def _visible(element: _Element) -> Iterator[str]:
    """Yield the pieces of an element's text, with line ends around block elements."""
    stack: list[_Element | str] = [element]
    while stack:  # not recursive: elements may nest deeper than Python's recursion limit
        current = stack.pop()
        if isinstance(current, str):
            yield current
            continue
        stack.append(current.tail or "" if current is not element else "")
        if not isinstance(current.tag, str) or current.tag in _UNSEEN:
            continue
        edge = "" if current.tag in _INLINE else "\n"
        stack += [edge, *reversed(current), current.text or "", edge]


def _line(value: object) -> str | None:
    """Return one line of text, cut to 300 characters; ``None`` if it is empty."""
    return " ".join(tidy(str(value)).split())[:300] or None if value else None
