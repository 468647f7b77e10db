"""Signs that a page with status 200 is not the page that its address names.

It may be a consent wall, or an error page.

No sentence of any language decides, but what the page says of itself to programs, its size, its
controls, and whether the words of its address occur on it. Only short pages are doubted: a page
with an article on it is one, whatever else it says.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import unquote, urljoin, urlsplit

from lxml.html import HtmlElement

from planbook.research.web.model import Fetched, Outcome

MAX_WORDS = 200
"""Maximum number of words on a page that is doubted."""
_MAX_WORDS_WITH_SIGN = 120
"""The same, if its controls or the words of its address are the only sign."""
_MAX_WORDS_OF_ADDRESS = 60
"""The same, if the words of its address are on the page, but not in its title."""
_MAX_WORDS_OF_OTHER_TITLE = 30
"""The same, if its title shares a word with its address, but has more others."""
_STATUS_NAMES = frozenset({"prerender-status-code", "status", "status-code", "http-status"})
_STATUS = re.compile(r"\s*([1-5]\d\d)\b")
_STATUS_IN_TITLE = re.compile(r"(?<![\w.-])(?:40[0-9]|410|429|451|50[0-4])(?![\w.-])")
"""A title such as ``404 - Seite nicht gefunden``."""
_CONTROLS = (
    "//button[normalize-space()] | //input[@type='submit' or @type='button' or @type='password']"
    " | //*[@role='button'][normalize-space()]"
)
_REPEATED_REASON = "other addresses of its host have the same few words"
_WORD = re.compile(r"[^\W\d_]{3,}")
_NO_SLUG = frozenset(
    {
        *("index", "html", "htm", "php", "asp", "aspx", "jsp", "cgi", "default", "home", "main"),
        *("www", "article", "document", "entry", "item", "node", "page", "post", "read", "show"),
        *("story", "view"),
    }
)
"""Pieces of addresses that name no page."""


def stated_status_code(tree: HtmlElement) -> int | None:
    """Return the HTTP status that a page states in its head instead of its response.

    The result is ``None`` if it states none.
    """
    for meta in tree.iter("meta"):
        name = (meta.get("name") or meta.get("http-equiv") or "").lower()
        if name not in _STATUS_NAMES:
            continue
        stated = _STATUS.match(meta.get("content") or "")
        if stated:
            return int(stated[1])
    return None


def page_doubt(tree: HtmlElement, url: str, title: str, visible: str) -> str:
    """Return why a page may not be the one at its address; empty if there is no doubt.

    Args:
        tree: the page, before its main text is chosen.
        url: its address; empty if it is not known.
        title: its title.
        visible: all text that a reader sees.
    """
    size = len(visible.split())
    if size > MAX_WORDS:
        return ""  # most pages end here: what follows reads the tree several times
    titles = " ".join([title, *tree.xpath("//title//text()")])
    headings = " ".join(heading.text_content() for heading in tree.iter("h1", "h2"))
    is_untitled = _lacks_slug(url, _strip_address(f"{titles} {headings}", url), 2)
    elsewhere = _named_elsewhere(tree, url)
    text = _strip_address(f"{titles} {visible}", url)
    signs = (  # each with the size up to which a page that has it is doubted
        (MAX_WORDS, _is_excluded(tree), "it asks search engines not to list it"),
        (MAX_WORDS, _has_error_number(titles, url), "its title has the number of an error"),
        (MAX_WORDS, bool(elsewhere), f"it names another address as its own ({elsewhere})"),
        (MAX_WORDS, _has_refresh(tree), "it leads on to another page"),
        (_MAX_WORDS_WITH_SIGN, _has_controls(tree), "it asks for an answer"),
        (_MAX_WORDS_WITH_SIGN, _lacks_slug(url, text, 2), "no word of its address is on it"),
        (_MAX_WORDS_OF_ADDRESS, _lacks_slug(url, text, 1), "no word of its address is on it"),
        (_MAX_WORDS_OF_ADDRESS, is_untitled, "its title has no word of its address"),
        (
            _MAX_WORDS_WITH_SIGN,
            is_untitled and _names_once(url, text),
            "its title has no word of its address",
        ),
        (
            _MAX_WORDS_OF_OTHER_TITLE,
            _names_in_passing(tree, url, title),
            "most words of its title are not of its address",
        ),
    )
    for limit, is_seen, reason in signs:
        if is_seen and size <= limit:
            return f"it has only {size} words, and {reason}"
    return ""


def repeated_on_host(fetched: Iterable[Fetched]) -> frozenset[str]:
    """Return the addresses of short pages whose text other addresses of their host have, too.

    Two addresses may be names of one page; three, or two of a page with hardly any text, are not.
    """
    by_text: dict[tuple[str, str], list[Fetched]] = defaultdict(list)
    for document in fetched:
        is_page = "html" in document.media_type and 0 < len(document.visible.split()) <= MAX_WORDS
        if is_page and urlsplit(document.url).scheme in {"http", "https"}:
            by_text[urlsplit(document.url).netloc, " ".join(document.visible.split())].append(
                document
            )
    repeated = (pages for (_, text), pages in by_text.items() if _has_many_names(text, pages))
    return frozenset(page.url for pages in repeated for page in pages)


def doubt_repeated(fetched: Iterable[Fetched]) -> tuple[Fetched, ...]:
    """Return the documents, with a doubt on those that repeat another address of their host."""
    documents = tuple(fetched)
    repeated = repeated_on_host(documents)
    doubted = []
    for page in documents:
        is_doubted = page.url in repeated and not page.doubt
        doubted.append(replace(page, doubt=_REPEATED_REASON) if is_doubted else page)
    return tuple(doubted)


def _has_many_names(text: str, pages: Iterable[Fetched]) -> bool:
    """Return whether pages with the same text have too many names for one page."""
    # `/v1/install` and `/v2/install` are one page by this name, and may have one text.
    names = {_page_name(page) for page in pages}
    most = 1 if len(text.split()) <= _MAX_WORDS_OF_ADDRESS else 2
    return len(names) > most


def _page_name(fetched: Fetched) -> str:
    """Return the name of the page, the end of its address.

    Versions of one documentation share it.
    """
    path = urlsplit(fetched.final_url or fetched.url).path.rstrip("/")
    return re.sub(r"(?:/index)?\.\w+$", "", path).rpartition("/")[2]


def _is_excluded(tree: HtmlElement) -> bool:
    """Return whether a page asks search engines not to list it."""
    for meta in tree.iter("meta"):
        if (meta.get("name") or "").lower() in {"robots", "googlebot"}:
            orders = re.split(r"[\s,]+", (meta.get("content") or "").lower())
            if not {"noindex", "none"}.isdisjoint(orders):
                return True
    return False


def _named_elsewhere(tree: HtmlElement, url: str) -> str:
    """Return the address that the page names as its own, if that is another one.

    It must be a folder above the page's, or an error page.
    """
    if not url:
        return ""
    # A page that is gone often shows its section, or an error page, under the old address.
    other_names = [
        *tree.xpath("//link[@rel='canonical']/@href"),
        *tree.xpath("//meta[@property='og:url']/@content"),
    ]
    page_path = urlsplit(url).path.rstrip("/")
    for address in map(str, other_names):
        path = urlsplit(urljoin(url, address.strip())).path.rstrip("/")
        is_above = page_path.startswith(f"{path}/")
        if page_path != path and (is_above or _STATUS_IN_TITLE.search(_words_apart(path))):
            return address.strip()
    return ""


def _has_error_number(title: str, url: str) -> bool:
    """Return whether a title has the number of an error that the address does not have."""
    return bool(_STATUS_IN_TITLE.search(title)) and not _STATUS_IN_TITLE.search(_words_apart(url))


def _has_refresh(tree: HtmlElement) -> bool:
    """Return whether a page sends the browser to another one after a while."""
    metas = list(tree.iter("meta"))
    refreshes = [meta for meta in metas if (meta.get("http-equiv") or "").lower() == "refresh"]
    return any("url" in (meta.get("content") or "").lower() for meta in refreshes)


def _has_controls(tree: HtmlElement) -> bool:
    """Return whether the page's content has buttons, and few links.

    Navigation and search are not of the content.
    """
    controls = [element for element in tree.xpath(_CONTROLS) if not _is_beside_content(element)]
    links = [element for element in tree.xpath("//a[@href]") if not _is_beside_content(element)]
    # A consent wall has two buttons and a link to its terms; an article has more links.
    return bool(controls) and len(links) <= 3 * len(controls)


_NAMES_OF_CONTROLS = re.compile("search|copy|toggle|theme|menu|nav|toolbar|clipboard|lang")
"""Parts of the names, in lower case, of elements around the content."""


def _is_beside_content(element: HtmlElement) -> bool:
    """Return whether an element is in what stands around the content."""
    for above in (element, *element.iterancestors()):
        if above.tag in {"nav", "header", "footer", "aside"}:
            return True
        if above.get("role") in {"search", "navigation", "banner"}:
            return True
        names = [above.get(attribute) or "" for attribute in ("class", "id", "action")]
        if _NAMES_OF_CONTROLS.search(" ".join(names).lower()):
            return True
    return False


def _lacks_slug(url: str, text: str, least: int) -> bool:
    """Return whether `text` has no word of the last piece of an address.

    That piece must have at least so many words.
    """
    words = _slug_words(urlsplit(url).path) if url else ()
    if len(words) < least:
        return False
    # Without blanks, as `data-base` in an address may be `database` or `data base` in the text.
    plain = re.sub(r"[\W_]+", "", _fold_text(text))
    return not any(word in plain for word in words)


def _strip_address(text: str, url: str) -> str:
    """Return `text` without the places where it repeats the page's address, as error pages do."""
    pieces = [piece for piece in urlsplit(url).path.split("/") if piece]
    if not pieces:
        return text
    final_pieces = {_fold_text(pieces[-1]), _fold_text(unquote(pieces[-1]))}
    tokens = (
        token for token in text.split() if not _is_address_of_page(_fold_text(token), final_pieces)
    )
    return " ".join(tokens)


def _is_address_of_page(token: str, final_pieces: set[str]) -> bool:
    """Return whether a token is an address or a path that ends in one of the pieces."""
    return "/" in token and any(f"/{piece}" in token for piece in final_pieces)


def _names_once(url: str, text: str) -> bool:
    """Return whether no word of the last piece of an address is more than once in `text`."""
    plain = re.sub(r"[\W_]+", "", _fold_text(text))
    return all(plain.count(word) <= 1 for word in _slug_words(urlsplit(url).path))


_TITLE_ENDS = re.compile(r"\s[|·•–—:-]+\s|: ")
"""The signs that part a page's title from the name of its site."""


def _names_in_passing(tree: HtmlElement, url: str, title: str) -> bool:
    """Return whether fewer than half of the words of each title are in the page's address.

    An error page may share one by chance: *Seite nicht gefunden* at ``/seite.html``.
    """
    slug = "".join(_slug_words(urlsplit(url).path)) if url else ""
    titles = [
        title,
        *tree.xpath("//title//text()"),
        *(heading.text_content() for heading in tree.iter("h1")),
    ]
    # Of `Installing | Kiln`, one piece is enough to name the page.
    pieces = [piece for title_text in titles for piece in _TITLE_ENDS.split(_fold_text(title_text))]
    of_pieces = [words for words in map(_WORD.findall, pieces) if words]
    if not slug or not of_pieces:
        return False
    return all(2 * sum(word in slug for word in words) < len(words) for words in of_pieces)


def _slug_words(path: str) -> Sequence[str]:
    """Return the words of the last piece of a path that names a page."""
    for piece in reversed(_fold_text(unquote(path)).split("/")):
        stem = re.sub(r"\.\w{1,5}$", "", piece)
        if stem and stem not in _NO_SLUG:
            return [word for word in _WORD.findall(_words_apart(stem)) if word not in _NO_SLUG]
    return ()


def _words_apart(text: str) -> str:
    """Return a path or slug with its words apart."""
    return re.sub(r"[/_.+-]", " ", text)


def _fold_text(text: str) -> str:
    """Return a text without case and accents, to compare."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def add_doubts(fetched: Iterable[Fetched]) -> tuple[Fetched, ...]:
    """Return the documents of a run, those with a doubt as not read.

    The doubt is then the reason.
    """
    return tuple(_refused_if_doubtful(document) for document in doubt_repeated(fetched))


def _refused_if_doubtful(document: Fetched) -> Fetched:
    if not document.doubt or not document.is_read:
        return document
    return replace(document, outcome=Outcome.FAILED, reason=f"doubtful: {document.doubt}")
