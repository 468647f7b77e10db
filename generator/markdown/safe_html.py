"""Markdown of other hands as safe HTML: raw HTML in it is shown as text, and only http(s) links are followed."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from generator.model import Drop

_SAFE = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
_SAFE.validateLink = lambda url: bool(re.match(r"https?://", url, re.IGNORECASE))  # type: ignore[method-assign]
_SAFE.add_render_rule("image", lambda self, tokens, index, *rest: escape(tokens[index].content))  # asks no other host
_MARKED = re.compile(r"[^\w (),./:;+-]|_")
"""Any sign that may be Markdown or HTML: text without them, as most tasks are, is its own HTML."""
_HEADING = re.compile(r"<(/?)h([1-6])>")
_TABLE = re.compile(r"<(/?)table>")


@lru_cache(maxsize=8192)
def inline_html(text: str) -> Markup:
    """Return `text`, inline Markdown, as HTML."""
    return Markup(_SAFE.renderInline(text) if _MARKED.search(text) else text)  # noqa: S704 - rendered with html off


def drop_html(drop: Drop) -> str:
    """A drop's Markdown as HTML whose headings are set as bold paragraphs: they are no part of the page's contents."""
    html = _SAFE.render(drop.body)
    html = _HEADING.sub(lambda m: "</strong></p>" if m[1] else f'<p class="pb-drop-h{m[2]}"><strong>', html)
    html = _TABLE.sub(lambda m: "</table></div>" if m[1] else '<div class="md-typeset__scrollwrap"><table>', html)
    return html
