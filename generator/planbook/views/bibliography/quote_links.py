"""Addresses that lead a browser to a quote in its work."""

from __future__ import annotations

from dataclasses import replace

from planbook.citations.identifiers import is_web
from planbook.citations.quotes import directive_of, fragment_link, has_fragments
from planbook.citations.quotes import words as visible_words
from planbook.citations.report import QuotedParagraph
from planbook.citations.repository_files import parse_file_url
from planbook.model import Reference


def quote_link(
    reference: Reference, key: str, words: str, passage: QuotedParagraph | None = None
) -> str:
    """Return the address at which a browser finds an exact quote.

    Of a repository's file, its lines, which the page records or `passage` names; else the words in
    the plain file. Of a PDF, its page. Of other works, the words, by the fragment that the page
    stores. It is empty for a work without a web address, and for one that none of them leads into.
    """
    url, file = reference.url or "", parse_file_url(reference.url or "")
    lines = dict(reference.line_links).get(key)
    if lines:
        return lines
    if passage and passage.lines and file and file.is_pinned:
        return replace(file, lines=passage.lines).url
    if passage and passage.page and is_web(url):
        return f"{url.partition('#')[0]}#page={passage.page}"
    if not has_fragments(url):
        return ""
    stored = dict(reference.fragments).get(key)
    if file:
        return fragment_link(file.raw_url, stored or directive_of(words))
    return fragment_link(url, stored or directive_of(_words_on_page(words)))


def link_into_document(reference: Reference, words: str, page: str) -> str:
    """Return the address at which a browser finds a quote on the `page` of a local document."""
    is_shown = bool(page and reference.file)
    return fragment_link(page, directive_of(_words_on_page(words))) if is_shown else ""


def _words_on_page(quoted: str) -> str:
    """Return a quote as a web page shows it: without marks of Markdown, which code has none of."""
    is_code = "\n" in quoted.strip()
    return quoted if is_code else visible_words(quoted) or quoted
