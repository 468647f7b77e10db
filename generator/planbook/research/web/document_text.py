"""Extract text from a response body: HTML, PDF, plain text and source code.

The same bytes give the same text.
"""

from __future__ import annotations

import copy
import io
import logging
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlsplit

import trafilatura
from lxml.html import HtmlElement

from planbook.markdown.dialects import common_markdown, strip_front_matter
from planbook.markdown.front_matter import FrontMatterError, split_front_matter
from planbook.markdown.syntax import syntax_tree
from planbook.research.web.doubts import page_doubt, stated_status_code
from planbook.research.web.fixed_layout import join_hyphenated_words
from planbook.research.web.html_to_markdown import parse_html
from planbook.research.web.inline_markdown import INLINE_TAGS, UNSEEN_TAGS, flatten
from planbook.research.web.main_content import main_text
from planbook.research.web.model import Outcome, Unfetched
from planbook.research.web.responses import BOMS, HTML, PDF, clean, decode, tidy

for _name in ("htmldate", "trafilatura"):
    # Their warnings about pages are outcomes here.
    logging.getLogger(_name).setLevel(logging.CRITICAL)

_DATING = re.compile(r"date|publish|posted|time|byline|modified|updated|meta", re.IGNORECASE)
_MAX_DATING_CHARS = 300
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d{4}\)(\S{1,2000})\s*-->", re.IGNORECASE)
"""The comment that browsers write on top of a saved page.

https://learn.microsoft.com/en-us/previous-versions/ms537628(v=vs.85)
"""
_PLAIN_TITLE = re.compile(
    r"""(?:[ \t]*\n)*
        (?:([=\-~*\#])\1{2,}[ \t]*\n)?                       # a line of one sign
        [ \t]*(?P<title>\S[^\n]{2,100}?)(?<![.,;:])[ \t]*\n
        (?:[ \t]*\n|([=\-~*\#])\3{2,}[ \t]*(?:\n|\Z))        # an empty or an underlining one
    """,
    re.VERBOSE,
)
"""The title of plain text: a first line above an empty or an underlining one."""
_PROSE_FILE = re.compile(r"/(?:[^/.]+|[^/]*\.(?:txt|text|rst|asc|adoc|\d))$", re.IGNORECASE)
_MAX_PDF_TEXT = 5_000_000
"""Maximum number of characters taken from one PDF."""

_SEPARATOR = re.compile(r"(?<!\s)\s+[-\u2013\u2014|\u00b7\u2022:\u00bb\u203a\u2039\u00ab/]+\s+|:\s")
"""Separates a page's title from the name of its site."""
_TITLES = ("citation_title", "og:title")
_SITES = ("og:site_name", "application-name")
_HEADING_WORDS = 3
"""Minimum number of words of a heading that is much like the title."""
_MIN_TITLE_SHARE = 0.3
"""Minimum share of its words in the title."""
_SITE_WORDS = 4
"""Maximum number of words of a site's name."""
_PUBLICATION_KEYS = (
    "article:published_time",
    "citation_publication_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.created",
    "datepublished",
    "datecreated",
)
_UPDATE_KEYS = (
    "article:modified_time",
    "og:updated_time",
    "last-modified",
    "dcterms.modified",
    "datemodified",
)
_LINKED_DATA = "//script[contains(@type, 'ld+json')]/text()"
_LD_DATES = re.compile(r'"(date(?:Published|Created|Modified))"\s*:\s*"([^"]+)"')
_FIRST_ERROR = 400
"""The first HTTP status of an error."""
_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_AUTHORS = (
    *("author", "citation_author", "article:author"),
    *("dc.creator", "dcterms.creator", "parsely-author"),
)
_NO_AUTHORS = frozenset(
    {
        *("admin", "administrator", "anonymous", "author", "authors", "contributors", "default"),
        *("editor", "editorial team", "guest", "n/a", "none", "null", "root", "staff", "unknown"),
        *("user", "webmaster", "website", "your name"),
    }
)
"""Words that software writes where an author's name should be."""


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
    body: bytes,
    media_type: str,
    charset: str | None,
    url: str,
    pdf_pages: int,
    *,
    is_local: bool = False,
) -> DocumentText:
    """Return the text of a body of this type.

    Raises :class:`Unfetched` if it has none or cannot be read.

    Of HTML, the main text. A local file also names its source: Markdown in its front matter, a
    saved page in its head.
    """
    if is_local and media_type == "text/markdown":
        document = _read_markdown(decode(body, charset, is_html=False))
    elif media_type == PDF:
        document = _read_pdf(body, pdf_pages)
    elif media_type in HTML:
        document = read_html(decode(body, charset, is_html=True), url)
    else:
        document = _read_plain(body, charset, url)
    if media_type in HTML:
        # The name of the user's own file says nothing on its text, as a page's address does.
        address = _address_in_html(body) if is_local else url
        doubt = _doubt_of_html(decode(body, charset, is_html=True), address or "", document)
        document = replace(document, address=address if is_local else None, doubt=doubt)
    if not document.text:
        raise Unfetched(Outcome.FAILED, "it has no text (it may need JavaScript, or be an image)")
    return document


def read_html(html: str, url: str) -> DocumentText:
    """Return the main text as Markdown, all visible text, and the metadata."""
    if not html.strip():
        return DocumentText("", "")
    tree = parse_html(html)
    visible = tidy(_text_of_element(tree))
    about = trafilatura.extract_metadata(copy.deepcopy(tree), default_url=url, extensive=False)
    day = _metadata_line(about.date)
    is_stated = day is not None and any(day[:4] in dating for dating in _datings(tree, url))
    published, updated = dates_of(tree, day if is_stated else None)
    title = _metadata_line(html_title(tree, url))
    author = _metadata_line(author_of(tree, about.author))
    language = (tree.get("lang") or "").strip()[:35] or None
    main = main_text(tree, url, visible)
    if not main:  # no article: a table of links, a page of one sentence
        main = visible
    return DocumentText(main, visible, title, author, published, language, updated)


def _doubt_of_html(html: str, url: str, document: DocumentText) -> str | None:
    """Return why a page may not be the one at its address.

    Raises :class:`Unfetched` if it says so.
    """
    if not html.strip() or not document.text:
        return None
    tree = parse_html(html)
    status_code = stated_status_code(tree)
    if status_code is not None and status_code >= _FIRST_ERROR:
        outcome = Outcome.GONE if status_code in {404, 410} else Outcome.FAILED
        raise Unfetched(outcome, f"the page says that its status is {status_code}")
    return page_doubt(tree, url, document.title or "", document.visible) or None


def _datings(tree: HtmlElement, url: str) -> Iterator[str]:
    """Yield the texts that may state a page's date of publication.

    Dates elsewhere belong to its content.
    """
    yield url
    yield from tree.xpath("//meta/@content | //time/@datetime")
    yield from tree.xpath(_LINKED_DATA)
    for element in tree.xpath("//time | //*[@class or @id or @itemprop]"):
        names = [element.get(attribute) or "" for attribute in ("class", "id", "itemprop")]
        if element.tag == "time" or _DATING.search(" ".join(names)):
            yield element.text_content()[:_MAX_DATING_CHARS]


def _read_pdf(body: bytes, max_pages: int) -> DocumentText:
    import pypdf  # noqa: PLC0415 - most documents are not PDFs

    if b"%PDF-" not in body[:1024]:
        raise Unfetched(Outcome.WRONG_TYPE, "its media type is PDF, but its content is not")
    reader = pypdf.PdfReader(io.BytesIO(body))
    pages = []
    size = 0
    for page in reader.pages[:max_pages]:
        text_of_page = page.extract_text()
        pages.append(text_of_page)
        size += len(text_of_page)
        if size > _MAX_PDF_TEXT:
            break
    text = tidy(join_hyphenated_words("\n\n".join(pages)[:_MAX_PDF_TEXT]))
    # Pages end in form feeds, so that a quote's page is known.
    visible = "\f".join(tidy(join_hyphenated_words(page)) for page in pages)[:_MAX_PDF_TEXT]
    about = reader.metadata
    if about is None:
        return DocumentText(text, visible)
    day = about.creation_date.date().isoformat() if about.creation_date else None
    title = _metadata_line(about.title)
    return DocumentText(text, visible, title, _metadata_line(about.author), day)


def _read_plain(body: bytes, charset: str | None, url: str) -> DocumentText:
    is_wide = any(body.startswith(bom) for bom, _ in BOMS[1:])
    if b"\x00" in body[:8192] and not is_wide:
        raise Unfetched(Outcome.WRONG_TYPE, "its media type is text, but its content is binary")
    text = clean(decode(body, charset, is_html=False)).rstrip()  # keeps the line numbers
    if not _PROSE_FILE.search(urlsplit(url).path):
        return DocumentText(text, text)
    title = _PLAIN_TITLE.match(text)
    prose = join_hyphenated_words(text)
    return DocumentText(prose, prose, _metadata_line(title["title"]) if title else None)


_BEGINNING = 20_000
"""Number of characters in which the title of Markdown is looked for."""


def _first_heading(markdown: str) -> str | None:
    """Return the first heading of the first level; a comment in code is none."""
    for node in syntax_tree(markdown[:_BEGINNING]).children:
        if node.name == "Heading" and node.level == 1:
            return _metadata_line(node.all_text())
    return None


def _read_markdown(markdown: str) -> DocumentText:
    """Return the text below the front matter, and the metadata in it; none if that is not valid."""
    text = tidy(markdown)
    meta: Mapping[str, Any] = {}
    # Without its line of dashes, what MkDocs takes for metadata is a title: ``spy: a profiler``.
    if text.startswith("---"):
        try:
            meta, text = split_front_matter(text)
        except FrontMatterError:
            meta = {}
    text = strip_front_matter(text)

    body = tidy(common_markdown(text))
    title = _first_value(meta, "title")
    if title is None:
        title = _first_heading(body)
    addresses = [value for key in ("source_url", "url") if isinstance(value := meta.get(key), str)]
    return DocumentText(
        body,
        tidy(text),
        title=title,
        author=_first_value(meta, "author"),
        date=_first_value(meta, "date"),
        language=_first_value(meta, "lang", "language"),
        address=addresses[0] if addresses else None,
    )


def _first_value(meta: Mapping[str, object], *keys: str) -> str | None:
    """Return the value of the first of the keys that has one, the entries of a list in one line."""
    for key in keys:
        value = meta.get(key)
        entries = value if isinstance(value, list) else [value]
        line = _metadata_line(", ".join(str(entry) for entry in entries if entry is not None))
        if line:
            return line
    return None


def _address_in_html(body: bytes) -> str | None:
    """Return the source of a saved page: its canonical link, else the browser's comment."""
    tree = parse_html(decode(body, None, is_html=True))
    links = [str(link).strip() for link in tree.xpath("//link[@rel='canonical']/@href")]
    saved_from = _SAVED_FROM.search(body[:4096])
    if saved_from:
        links.append(saved_from[1].decode("ascii", "replace").strip())
    for link in links:
        if link.lower().startswith(("http://", "https://")):
            return link
    return None


def _text_of_element(element: HtmlElement) -> str:
    """Return an element's text, with line ends around block elements."""
    return "".join(flatten(element, _contents_shown))


def _contents_shown(element: HtmlElement) -> list[HtmlElement | str]:
    """Return the contents of an element as far as they are shown."""
    if element.tag in UNSEEN_TAGS:
        return []
    if element.tag == "br":
        return ["\n"]
    edge = "" if element.tag in INLINE_TAGS else "\n"
    return [edge, element.text or "", *element, edge]


def _metadata_line(value: object) -> str | None:
    """Return one line of text without invisible characters, cut to 300; ``None`` if it is empty."""
    if not value:
        return None
    seen = [char for char in tidy(str(value)) if char.isspace() or not _is_invisible(char)]
    return " ".join("".join(seen).split())[:300] or None


def _is_invisible(char: str) -> bool:
    """Return whether a character is a control or says how others are shown."""
    return unicodedata.category(char) in {"Cc", "Cf"}


# --- metadata of a page ---------------------------------------------------------------------------


def html_title(tree: HtmlElement, url: str = "") -> str | None:
    """Return a page's title without its site's name.

    It is a heading that the title in the head has, or that is much like it; else that title. If its
    last part is the name of the file at `url`, the title is whole: other files share the first one.
    """
    head = next(map(_text_in_line, tree.xpath("//head/title")), "")
    shared = next(iter(_meta_contents(tree, _TITLES)), "")
    site = _title_words(next(iter(_meta_contents(tree, _SITES)), ""))
    written = [heading for heading in map(_text_in_line, tree.iter("h1")) if heading]
    of_page = [heading for heading in written if not _NUMBER_OF_CHAPTER.match(heading)]
    headings = [heading for heading in of_page if _title_words(heading) != site]
    heading = _heading_like(headings, head, shared)
    if heading:
        return heading
    is_shared_better = shared and (not head or shared in head)
    title = shared if is_shared_better else head
    own_title = title if _ends_in_name_of_file(title, url) else _strip_site_name(title)
    if own_title:
        return own_title
    return headings[0] if len(headings) == 1 else None


_NUMBER_OF_CHAPTER = re.compile(r"\d+(?:\.\d+)*\.?\s")
"""“1. The database file” is the title of a chapter."""


def _text_in_line(element: HtmlElement) -> str:
    """Return the text of an element in one line."""
    return " ".join(element.text_content().split())


def _heading_like(headings: Sequence[str], head: str, shared: str) -> str | None:
    """Return the heading that one of a page's titles has, else one with many of their words."""
    for title in (head, shared):
        places = [(title.lower().find(heading.lower()), heading) for heading in headings]
        within = [(offset, heading) for offset, heading in places if offset >= 0]
        if within:
            return min(within)[1]
    wanted = set(_title_words(f"{head} {shared}"))
    for heading in headings:
        words = _title_words(heading)
        alike = sum(word in wanted for word in words)
        if len(words) >= _HEADING_WORDS and alike >= _MIN_TITLE_SHARE * len(words):
            return heading
    return None


def _strip_site_name(title: str) -> str:
    """Return a title without its last part if that is short enough to be the name of a site."""
    ends = list(_SEPARATOR.finditer(title))
    if not ends:
        return title
    separator = ends[-1]
    if len(title[separator.end() :].split()) > min(
        _SITE_WORDS, len(title[: separator.start()].split())
    ):
        return title
    return title[: separator.start()]


def _ends_in_name_of_file(title: str, url: str) -> bool:
    """Return whether the last part of a title names its file, as ``kiln(1)`` does ``kiln.1.html``.

    A manual page may have its section in the one and not in the other.
    """
    stem = re.sub(r"\.html?$", "", unquote(urlsplit(url).path).rpartition("/")[2])
    name, site_name = ("".join(_title_words(text)) for text in (stem, _SEPARATOR.split(title)[-1]))
    return len(name) > 1 and re.fullmatch(rf"{re.escape(name)}\d?", site_name) is not None


def _title_words(text: str) -> list[str]:
    """Return the words of a title, to compare."""
    return re.findall(r"\w+", text.lower())


def dates_of(tree: HtmlElement, extracted: str | None) -> tuple[str | None, str | None]:
    """Return the days on which the page says that it was published and updated, as ``YYYY-MM-DD``.

    `extracted` is the day detected on the page, which counts unless the page names it as that of an
    update.
    """
    days = []
    for name, value in _named_dates(tree):
        day = _DAY.match(value.strip())
        if day:
            days.append((name, day[0]))
    updated = [day for name, day in days if name in _UPDATE_KEYS]
    published = next(
        (day for wanted in _PUBLICATION_KEYS for name, day in days if name == wanted), None
    )
    if published is None and extracted not in updated:
        published = extracted
    return published, max(updated, default=None)


def _named_dates(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    """Yield what a page may have as dates, each with its name in lower case."""
    for name in (*_PUBLICATION_KEYS, *_UPDATE_KEYS):
        for value in _meta_contents(tree, (name,)):
            yield name, value
    for script in tree.xpath(_LINKED_DATA):
        for name, value in _LD_DATES.findall(script):
            yield name.lower(), value
    for element in tree.xpath("//*[@itemprop]"):
        value = element.get("content") or element.get("datetime") or ""
        yield element.get("itemprop").lower(), value


def author_of(tree: HtmlElement, extracted: str | None) -> str | None:
    """Return `extracted`, the author detected on a page, if the page marks them as its author."""
    if not extracted or extracted.strip().lower() in _NO_AUTHORS:
        return None
    marked = [*_meta_contents(tree, _AUTHORS), *tree.xpath(_LINKED_DATA)]
    marked += [element.text_content() for element in tree.xpath(_AUTHOR_XPATH)]
    names = [name.strip() for name in extracted.split(";")]
    are_marked = all(any(name in text for text in marked) for name in names)
    return extracted if are_marked else None


_AUTHOR_XPATH = "//*[@rel='author' or contains(@itemprop, 'author') or contains(@class, 'byline')]"


def _meta_contents(tree: HtmlElement, names: tuple[str, ...]) -> list[str]:
    """Return the contents of a page's meta elements with these names, in the names' order."""
    contents: dict[str, list[str]] = defaultdict(list)
    for meta in tree.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        content = meta.get("content")
        if content:
            contents[name].append(" ".join(content.split()))
    return [content for name in names for content in contents[name]]
