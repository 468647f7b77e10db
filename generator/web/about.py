"""Read a page's own metadata: its title, author and dates, and a notice that it does not exist."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

_SEPARATOR = re.compile(r"\s+[-\u2013\u2014|\u00b7\u2022:\u00bb\u203a\u2039\u00ab/]+\s+|:\s")
"""Separates a page's title from the name of its site."""
_TITLES = "citation_title", "og:title"
_SITES = "og:site_name", "application-name"
_HEADING_WORDS, _LIKE_TITLE, _SITE_WORDS = 3, 0.3, 4
"""Minimum number of words of a heading, and their share in the title; maximum number of words of a site's name."""
_PERMALINK = " ¶#§🔗\u200b"
_PUBLISHED = (
    *("article:published_time", "citation_publication_date", "citation_date", "dc.date.issued", "dcterms.created"),
    *("datepublished", "datecreated"),
)
_UPDATED = "article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "datemodified"
_LD_DATES = re.compile(r'"(date(?:Published|Created|Modified))"\s*:\s*"([^"]+)"')
_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")
_AUTHORS = "author", "citation_author", "article:author", "dc.creator", "dcterms.creator", "parsely-author"
_NO_AUTHORS = frozenset(
    {"admin", "administrator", "anonymous", "author", "authors", "contributors", "default", "editor", "editorial team"}
    | {"guest", "n/a", "none", "null", "root", "staff", "unknown", "user", "webmaster", "website", "your name"}
)
_MISSING = re.compile(
    r"(?:^|[.!?\n]\s*|\b(?:sorry|oops|uh[- ]oh|whoops)\b[^.\n]{0,20})(?:but )?"
    r"(?:(?:we|i) (?:could(?: not|n't|n\u2019t)|can(?:not|'t|\u2019t)|were unable to|are unable to) (?:find|locate)"
    r"|(?:the|this|that)?\s?(?:(?:requested )?(?:page|document|article|url|address)|requested (?:file|resource))"
    r"(?: (?:that )?(?:you(?:'re|\u2019re| are|'ve| have| were)? [\w ]{3,40}|requested))?,? "
    r"(?:(?:could not|couldn't|couldn\u2019t|can ?not|can't|can\u2019t) be|was not|wasn't|is not|not|(?:is )?no longer)"
    r" (?:be )?(?:found|located|available|exists?)"
    r"|(?:the|this|that) (?:requested )?(?:page|document|url|article)(?: (?:that )?you [\w ]{3,40})?"
    r" (?:does not|doesn't|doesn\u2019t|no longer) exists?|there(?:'s|\u2019s| is) (?:nothing here|no (?:such )?page)"
    r"|nothing (?:was )?found here|(?:page|file|document|object) not found)",
    re.IGNORECASE,
)
"""A sentence by which a site says that the requested page does not exist."""
_MISSING_TITLE = re.compile(
    r"\b404\b|\bnot found\b|\b(?:missing|no such) page\b|\bpage (?:missing|unavailable)\b", re.I
)
_MOST_WORDS, _MOST_WORDS_TITLED = 80, 250
"""Maximum number of words in the main text of such a page; the second applies if its title says so, too."""


def title_of(tree: HtmlElement) -> str | None:
    """Return a page's title without its site's name: a heading that the title in the head has, or is much like it."""
    site = _words(next(iter(_meta(tree, _SITES)), ""))
    head = next((" ".join(found.text_content().split()) for found in tree.xpath("//head/title")), "")
    shared = next(iter(_meta(tree, _TITLES)), "")
    every = [" ".join(found.text_content().split()).strip(_PERMALINK) for found in tree.iter("h1")]
    headings = [one for one in every if one and _words(one) != site and (one == head or not head.endswith(one))]
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


def is_missing(title: str, text: str) -> bool:
    """Return whether a page served with a success status says that it does not exist (a soft 404)."""
    words = len(text.split())
    if words > _MOST_WORDS_TITLED or not _MISSING.search(f"{title}\n{text}"):
        return False
    return words <= _MOST_WORDS or bool(_MISSING_TITLE.search(title))


def _meta(tree: HtmlElement, names: tuple[str, ...]) -> list[str]:
    """Return the contents of the page's meta elements with these names, in the order of the names."""
    metas = [
        ((meta.get("name") or meta.get("property") or "").lower(), meta.get("content")) for meta in tree.iter("meta")
    ]
    return [" ".join(content.split()) for wanted in names for name, content in metas if name == wanted and content]
