"""Extract text from a response body: HTML, PDF, plain text and source code. The same bytes give the same text."""

from __future__ import annotations

import copy
import io
import logging
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import trafilatura
from lxml.html import HtmlElement

from planbook.markdown.dialects import common_markdown, without_front_matter
from planbook.markdown.front_matter import FrontMatterError, split_front_matter
from planbook.research.web.blocks import INLINE, UNSEEN, flatten, parse_html, unhyphenated
from planbook.research.web.doubts import page_doubt, stated_status
from planbook.research.web.main_content import main_text
from planbook.research.web.model import Outcome, Unfetched
from planbook.research.web.responses import BOMS, HTML, PDF, clean, decode, tidy

for _name in ("htmldate", "trafilatura"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)  # their warnings about pages are outcomes here

_DATING = re.compile(r"date|publish|posted|time|byline|modified|updated|meta", re.IGNORECASE)
_LONGEST_DATING = 300
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d{4}\)(\S{1,2000})\s*-->", re.IGNORECASE)
"""The comment that browsers write on top of a saved page: https://learn.microsoft.com/en-us/previous-versions/ms537628(v=vs.85)."""
_MARKDOWN_TITLE = re.compile(r"^#[ \t]+(\S.*)$", re.MULTILINE)
_PLAIN_TITLE = re.compile(
    r"(?:[ \t]*\n)*(?:([=\-~*#])\1{2,}[ \t]*\n)?[ \t]*(?P<title>\S[^\n]{2,100}?)(?<![.,;:])[ \t]*\n"
    r"(?:[ \t]*\n|([=\-~*#])\3{2,}[ \t]*(?:\n|\Z))"
)
"""A first line above an empty or an underlining one."""
_PROSE_FILE = re.compile(r"/(?:[^/.]+|[^/]*\.(?:txt|text|rst|asc|adoc|\d))$", re.IGNORECASE)
_MAX_PDF_TEXT = 5_000_000
"""Maximum number of characters taken from one PDF."""

_SEPARATOR = re.compile(r"(?<!\s)\s+[-\u2013\u2014|\u00b7\u2022:\u00bb\u203a\u2039\u00ab/]+\s+|:\s")
"""Separates a page's title from the name of its site."""
_TITLES = "citation_title", "og:title"
_SITES = "og:site_name", "application-name"
_HEADING_WORDS, _LIKE_TITLE, _SITE_WORDS = 3, 0.3, 4
"""Minimum number of words of a heading, and their share in the title; maximum number of words of a site's name."""
_PUBLISHED = (
    *("article:published_time", "citation_publication_date", "citation_date", "dc.date.issued", "dcterms.created"),
    *("datepublished", "datecreated"),
)
_UPDATED = "article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "datemodified"
_LD_DATES = re.compile(r'"(date(?:Published|Created|Modified))"\s*:\s*"([^"]+)"')
_FIRST_ERROR = 400
"""The first HTTP status of an error."""
_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_AUTHORS = "author", "citation_author", "article:author", "dc.creator", "dcterms.creator", "parsely-author"
_NO_AUTHORS = frozenset(
    {"admin", "administrator", "anonymous", "author", "authors", "contributors", "default", "editor", "editorial team"}
    | {"guest", "n/a", "none", "null", "root", "staff", "unknown", "user", "webmaster", "website", "your name"}
)


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
    address: str | None = None
    """The source that a local file names, unchecked."""
    doubt: str | None = None
    """Why a page may not be the one that its address names, such as an error page."""


def document_text(  # noqa: PLR0913 - one order to a process
    body: bytes, media_type: str, charset: str | None, url: str, pdf_pages: int, *, is_local: bool = False
) -> DocumentText:
    """Return the text of a body of this type. Raises :class:`Unfetched` if it has none or cannot be read.

    Of HTML, the main text. A local file also names its source: Markdown in its front matter, a saved page in its head.
    """
    if is_local and media_type == "text/markdown":
        document = _read_markdown(decode(body, charset, is_html=False))
    elif media_type == PDF:
        document = _read_pdf(body, pdf_pages)
    elif media_type in HTML:
        document = read_html(decode(body, charset, is_html=True), url)
    else:
        document = _read_plain(body, charset, url)
    if is_local and media_type in HTML:
        address = _address_in_html(body)
        # The name of the user's own file says nothing on its text, as the address of a web page does.
        doubt = _doubt_of_html(decode(body, charset, is_html=True), address or "", document)
        document = replace(document, address=address, doubt=doubt)
    elif media_type in HTML:
        document = replace(document, doubt=_doubt_of_html(decode(body, charset, is_html=True), url, document))
    if not document.text:
        raise Unfetched(Outcome.FAILED, "it has no text (it may need JavaScript, or be an image)")
    return document


def read_html(html: str, url: str) -> DocumentText:
    """Return the main text as Markdown, all visible text, and the metadata."""
    if not html.strip():
        return DocumentText("", "")
    tree = parse_html(html)
    visible = tidy(_visible(tree))
    about = trafilatura.extract_metadata(copy.deepcopy(tree), default_url=url, extensive=False)
    day = _line(about.date)
    day = day if day and any(day[:4] in said for said in _datings(tree, url)) else None
    published, updated = dates_of(tree, day)
    title, author = _line(html_title(tree)), _line(author_of(tree, about.author))
    language = (tree.get("lang") or "").strip()[:35] or None
    # Without an article (a table of links, a page of one sentence), all visible text is the main text.
    main = main_text(tree, url, visible) or visible
    return DocumentText(main, visible, title, author, published, language, updated)


def _doubt_of_html(html: str, url: str, document: DocumentText) -> str | None:
    """Return why a page may not be the one at its address. Raises :class:`Unfetched` if it says so."""
    if not html.strip() or not document.text:
        return None
    tree = parse_html(html)
    status = stated_status(tree)
    if status is not None and status >= _FIRST_ERROR:
        outcome = Outcome.GONE if status in {404, 410} else Outcome.FAILED
        raise Unfetched(outcome, f"the page says that its status is {status}")
    return page_doubt(tree, url, document.title or "", document.visible) or None


def _datings(tree: HtmlElement, url: str) -> Iterator[str]:
    """Yield the texts that may state a page's date of publication; dates elsewhere belong to its content."""
    yield url
    yield from tree.xpath("//meta/@content | //time/@datetime | //script[contains(@type, 'ld+json')]/text()")
    for element in tree.xpath("//time | //*[@class or @id or @itemprop]"):
        named = " ".join(filter(None, map(element.get, ("class", "id", "itemprop"))))
        if element.tag == "time" or _DATING.search(named):
            yield element.text_content()[:_LONGEST_DATING]


def _read_pdf(body: bytes, max_pages: int) -> DocumentText:
    import pypdf  # noqa: PLC0415 - most documents are not PDFs

    if b"%PDF-" not in body[:1024]:
        raise Unfetched(Outcome.WRONG_TYPE, "its media type is PDF, but its content is not")
    reader = pypdf.PdfReader(io.BytesIO(body))
    pages, size = [], 0
    for page in reader.pages[:max_pages]:
        pages.append(page.extract_text())
        size += len(pages[-1])
        if size > _MAX_PDF_TEXT:
            break
    text = tidy(unhyphenated("\n\n".join(pages)[:_MAX_PDF_TEXT]))
    visible = "\f".join(tidy(unhyphenated(page)) for page in pages)[:_MAX_PDF_TEXT]  # so that a quote's page is known
    about = reader.metadata
    if about is None:
        return DocumentText(text, visible)
    day = about.creation_date.date().isoformat() if about.creation_date else None
    return DocumentText(text, visible, _line(about.title), _line(about.author), day)


def _read_plain(body: bytes, charset: str | None, url: str) -> DocumentText:
    is_wide = any(body.startswith(bom) for bom, _ in BOMS[1:])
    if b"\x00" in body[:8192] and not is_wide:
        raise Unfetched(Outcome.WRONG_TYPE, "its media type is text, but its content is binary")
    text = clean(decode(body, charset, is_html=False)).rstrip()  # keeps the line numbers
    if not _PROSE_FILE.search(urlsplit(url).path):
        return DocumentText(text, text)
    title, text = _PLAIN_TITLE.match(text), unhyphenated(text)
    return DocumentText(text, text, _line(title["title"]) if title else None)


def _read_markdown(markdown: str) -> DocumentText:
    """Return the text below the front matter, and the metadata in it; none if that is not valid."""
    text = tidy(markdown)
    try:
        meta, text = split_front_matter(text)
    except FrontMatterError:
        meta = {}
    text = without_front_matter(text)

    def said(*keys: str) -> str | None:
        values = (value if isinstance(value, list) else [value] for value in map(meta.get, keys))
        texts = (", ".join(str(one) for one in each if one is not None) for each in values)
        return next(filter(None, map(_line, texts)), None)

    body = tidy(common_markdown(text))
    heading = _MARKDOWN_TITLE.search(body)
    address = next((value for key in ("source_url", "url") if isinstance(value := meta.get(key), str)), None)
    title = said("title") or (_line(heading[1]) if heading else None)
    return DocumentText(
        body, tidy(text), title, said("author"), said("date"), said("lang", "language"), address=address
    )


def _address_in_html(body: bytes) -> str | None:
    """Return the source of a saved page: its canonical link, else the browser's comment."""
    links = parse_html(decode(body, None, is_html=True)).xpath("//link[@rel='canonical']/@href")
    noted = _SAVED_FROM.search(body[:4096])
    named = [*map(str, links), noted[1].decode("ascii", "replace") if noted else ""]
    return next((link.strip() for link in named if link.strip().lower().startswith(("http://", "https://"))), None)


def _visible(element: HtmlElement) -> str:
    """Return an element's text, with line ends around block elements."""

    def inner(element: HtmlElement) -> list[HtmlElement | str]:
        """Return the contents of an element that is shown."""
        if element.tag in UNSEEN:
            return []
        if element.tag == "br":
            return ["\n"]
        edge = "" if element.tag in INLINE else "\n"
        return [edge, element.text or "", *element, edge]

    return "".join(flatten(element, inner))


def _line(value: object) -> str | None:
    """Return one line of text without invisible characters, cut to 300; ``None`` if it is empty."""
    seen = (char for char in tidy(str(value)) if char.isspace() or unicodedata.category(char) not in {"Cc", "Cf"})
    return " ".join("".join(seen).split())[:300] or None if value else None


# --- metadata of a page --------------------------------------------------------------------------------------------


def html_title(tree: HtmlElement) -> str | None:
    """Return a page's title without its site's name: a heading that the title in the head has, or is much like it."""
    site = _words(next(iter(_meta(tree, _SITES)), ""))
    head = next((" ".join(found.text_content().split()) for found in tree.xpath("//head/title")), "")
    shared = next(iter(_meta(tree, _TITLES)), "")
    every = (" ".join(found.text_content().split()) for found in tree.iter("h1"))
    # "1. The database file" is the title of a chapter.
    headings = [one for one in every if one and _words(one) != site and not _NUMBERED.match(one)]
    for named in (head, shared):
        within = [(named.lower().find(heading.lower()), heading) for heading in headings]
        found = min((pair for pair in within if pair[0] >= 0), default=None)
        if found:
            return found[1]
    wanted = set(_words(f"{head} {shared}"))
    like = (heading for heading in headings if len(_words(heading)) >= _HEADING_WORDS)
    for heading in like:
        if sum(word in wanted for word in _words(heading)) >= _LIKE_TITLE * len(_words(heading)):
            return heading
    named = _without_site(shared if shared and (not head or shared in head) else head)
    return named or (headings[0] if len(headings) == 1 else None)


_NUMBERED = re.compile(r"\d+(?:\.\d+)*\.?\s")


def _without_site(title: str) -> str:
    """Return a title without its last part if that is short enough to be the name of a site."""
    ends = list(_SEPARATOR.finditer(title))
    if not ends:
        return title
    last = ends[-1]
    if len(title[last.end() :].split()) > min(_SITE_WORDS, len(title[: last.start()].split())):
        return title
    return title[: last.start()]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def dates_of(tree: HtmlElement, found: str | None) -> tuple[str | None, str | None]:
    """Return the days on which the page says that it was published and updated, as ``YYYY-MM-DD``.

    `found` is the day detected on the page, which counts unless the page names it as that of an update.
    """
    named = [(name, value) for name in (*_PUBLISHED, *_UPDATED) for value in _meta(tree, (name,))]
    for script in tree.xpath("//script[contains(@type, 'ld+json')]/text()"):
        named += [(name.lower(), value) for name, value in _LD_DATES.findall(script)]
    for element in tree.xpath("//*[@itemprop]"):
        named.append((element.get("itemprop").lower(), element.get("content") or element.get("datetime") or ""))
    days = [(name, day[0]) for name, value in named if (day := _DAY.match(value.strip()))]
    published = next((day for wanted in _PUBLISHED for name, day in days if name == wanted), None)
    updated = [day for name, day in days if name in _UPDATED]
    return published or (None if found in updated else found), max(updated, default=None)


def author_of(tree: HtmlElement, found: str | None) -> str | None:
    """Return `found`, the author detected on a page, if the page itself marks them as its author."""
    if not found or found.strip().lower() in _NO_AUTHORS:
        return None
    marked = [*_meta(tree, _AUTHORS), *tree.xpath("//script[contains(@type, 'ld+json')]/text()")]
    marked += [
        element.text_content()
        for element in tree.xpath("//*[@rel='author' or contains(@itemprop, 'author') or contains(@class, 'byline')]")
    ]
    names = [name.strip() for name in found.split(";")]
    return found if all(any(name in text for text in marked) for name in names) else None


def _meta(tree: HtmlElement, names: tuple[str, ...]) -> list[str]:
    """Return the contents of the page's meta elements with these names, in the order of the names."""
    metas = [
        ((meta.get("name") or meta.get("property") or "").lower(), meta.get("content")) for meta in tree.iter("meta")
    ]
    return [" ".join(content.split()) for wanted in names for name, content in metas if name == wanted and content]
