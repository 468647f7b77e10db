"""Read a page's own metadata: its title, its author, and a notice that it does not exist."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

_SEPARATOR = re.compile(r"\s+[-\u2013\u2014|\u00b7\u2022:\u00bb\u203a\u2039\u00ab/]+\s+|:\s")
"""Separates a page's title from the name of its site."""
_TITLES = "citation_title", "og:title"
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
    """Return the title from the page's head, without the site's name; without one, its only `<h1>`."""
    headings = [" ".join(found.text_content().split()) for found in tree.iter("h1")]
    named = next((" ".join(found.text_content().split()) for found in tree.xpath("//head/title")), "")
    if not named:
        named = next(iter(_meta(tree, _TITLES)), "")
    if not named:
        return headings[0] if len(headings) == 1 else None
    starts = [named[: match.start()] for match in _SEPARATOR.finditer(named)]
    return next((heading for heading in headings if heading and heading in starts), named)


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
