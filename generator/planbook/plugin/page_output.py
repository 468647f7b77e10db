"""Insertions into a page's HTML as the theme has rendered it."""

from __future__ import annotations

import re

from planbook.markdown.edits import apply_edits

MATERIALS_WORKER = "assets/javascripts/workers/search."
"""The beginning of the address of Material's worker, in the settings that each page ends with."""

_STYLE_LINK = re.compile(r"<link\b[^<>]*\bassets/planbook/planbook\.css\b[^<>]*>")
_LISTS = re.compile(r' class="pb-(?:drop|filter|find|parts|plan|problems|sources|status|steps)[" ]')
"""An element of a list that `lists.css` styles."""
_SOURCES = ' class="pb-sources"'
"""The element that `sources.css` styles."""
_PAGE = re.compile(
    r' class="(?:[^"]* )?(?:pb-(?:banner|check|chip|head|near|references)|md-status)[" ]|<table\b'
)
"""An element that `page.css` styles, besides those of lists."""
_PRINTED_ELEMENT = re.compile(r'<table\b|<pre\b|<details\b| class="pb-references"')
"""An element that `print.css` styles, besides those of lists."""


def has_head(html: str) -> bool:
    """Return True if tags may be added to a page."""
    return "</head>" in html


def add_tags(html: str, tags: str, worker: str) -> str:
    """Return a page with `tags` at the end of its head, and with `worker` for its search.

    A page with a list of ours gets the style sheet of lists, behind the one that it completes, and
    so does one with more than prose the style sheet of paper.
    A page of Material's ends with settings that have the address of its own worker.
    """
    edits: list[tuple[int, int, str]] = []
    head = html.find("</head>")
    if head >= 0:
        edits.append((head, head, tags))
    style = _STYLE_LINK.search(html, 0, max(head, 0))
    if style:
        edits.append((style.end(), style.end(), _style_links(html, head, style[0])))
    at = html.rfind(MATERIALS_WORKER) if worker else -1
    if at >= 0:
        begin, end = html.rfind('"', 0, at) + 1, html.find('"', at)
        if html.endswith(('"search": "', '"search":"'), 0, begin):
            edits.append((at, end, worker))
    return apply_edits(html, sorted(edits))


def _style_links(html: str, head: int, link: str) -> str:
    """Return the links to the style sheets that a page needs besides the one that has this link."""
    has_list = _LISTS.search(html, head) is not None
    has_signs = has_list or _PAGE.search(html, head) is not None
    has_sources = html.find(_SOURCES, head) >= 0
    is_printed = has_list or _PRINTED_ELEMENT.search(html, head) is not None
    sheets = {"page": has_signs, "lists": has_list, "sources": has_sources, "print": is_printed}
    return "".join(
        link.replace("/planbook.css", f"/{name}.css") for name, is_used in sheets.items() if is_used
    )
