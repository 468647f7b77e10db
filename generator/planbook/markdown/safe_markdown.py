"""Render plan text as safe Markdown or HTML: basic formatting is kept, raw HTML is not.

Plans are written by many people and programs, so views never insert their text unescaped. Inline code, emphasis and
links to http(s) addresses are kept; raw HTML, attribute lists, images and other links become text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from planbook.markdown.escape import escape_part, inline_text, verbatim
from planbook.model import Drop

_INLINE = MarkdownIt("commonmark", {"html": False}).disable(["entity", "autolink", "html_inline"])
_MARKED = re.compile(r"[\\`*_\[\]<>!\n]")
"""Characters of inline Markdown."""

_NO_BACKTICKS = re.compile(r"[`|\\\x00-\x1f]|^#!|^:::")
"""Text that would end inline code or a table cell, or that InlineHilite would read as the code's language."""


@lru_cache(maxsize=8192)
def inline(text: str) -> str:
    """Return inline Markdown of a plan as Markdown that is safe in running text, lists and table cells."""
    if not _MARKED.search(text):
        return verbatim(text)
    return "".join(_render(_INLINE.parseInline(text)[0].children or []))


def code(text: str) -> str:
    """Return `text` as inline code, safe in table cells."""
    text = " ".join(text.split())
    if not text:
        return ""
    if _NO_BACKTICKS.search(text):
        return f"<code>{inline_text(text)}</code>"
    return f"`{text}`"


def bullets(items: Iterable[str], indent: str = "") -> str:
    """Return `items` of Markdown as a list; below an empty one, Python-Markdown would see a heading."""
    return "".join(f"{indent}- {item}\n" for item in items if item.strip())


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], align: str = "") -> str:
    """Return a pipe table of Markdown cells. `align` has ``l``, ``r`` or ``c`` for each column."""
    rule = {"r": "---:", "c": ":---:"}
    marks = [rule.get(a, "---") for a in align.ljust(len(head), "l")]
    lines = [head, tuple(marks), *rows]
    return "".join(f"| {' | '.join(cell.replace(chr(10), ' ') for cell in row)} |\n" for row in lines)


def _render(tokens: list[Token]) -> list[str]:
    out: list[str] = []
    links: list[str] = []
    tokens = [token for token in tokens if token.type != "text" or token.content]
    marks = [token.tag if token.tag in {"em", "strong"} else "" for token in tokens]
    # Adjacent asterisks mean different things in CommonMark and Python-Markdown; HTML means the same in both.
    is_plain = not any(a and b for a, b in pairwise(marks))
    for token in tokens:
        match token.type:
            case "code_inline":
                out.append(code(token.content))
            case "softbreak" | "hardbreak":
                out.append(" ")
            case "strong_open" | "strong_close" | "em_open" | "em_close":
                html = f"<{'/' if token.nesting < 0 else ''}{token.tag}>"
                out.append({"strong": "**", "em": "*"}[token.tag] if is_plain else html)
            case "link_open":
                href = str(token.attrs.get("href", ""))
                links.append(href if re.match(r"https?://[^\s<>()\"'{}|]+$", href) else "")
                if links[-1] and out and out[-1].endswith("!"):  # it would turn the link into an image
                    out[-1] = f"{out[-1][:-1]}&#33;"
                out.append("[" if links[-1] else "")
            case "link_close":
                href = links.pop()
                out.append(f"](<{href}>)" if href else "")
            case _:  # text, an image's description
                out.append(escape_part(token.content, is_first=not any(out)))
    return out


# --- as HTML ---------------------------------------------------------------------------------------------------------

_SAFE = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["html_block", "html_inline"])
_SAFE.validateLink = lambda url: bool(re.match(r"https?://", url, re.IGNORECASE))  # type: ignore[method-assign]
_SAFE.add_render_rule(
    # No requests to other hosts. A `Markup` would escape the HTML that releases before 4.3 add it to.
    "image",
    lambda self, tokens, index, *rest: str(escape(tokens[index].content)),
)
_MARKED_HTML = re.compile(r"[^\w (),./:;+-]|_")
"""Characters that may be Markdown or HTML: text without any, such as most tasks, is already HTML."""
_HEADING = re.compile(r"<(/?)h([1-6])>")
_TABLE = re.compile(r"<(/?)table>")


@lru_cache(maxsize=8192)
def inline_html(text: str) -> Markup:
    """Return `text`, inline Markdown, as HTML."""
    return Markup(_SAFE.renderInline(text) if _MARKED_HTML.search(text) else text)  # noqa: S704 - rendered with html off


def drop_html(drop: Drop) -> str:
    """Return a drop's Markdown as HTML with headings as bold paragraphs, which stay out of the table of contents."""
    html = _SAFE.render(drop.body)
    html = _HEADING.sub(lambda m: "</strong></p>" if m[1] else f'<p class="pb-drop-h{m[2]}"><strong>', html)
    return _TABLE.sub(lambda m: "</table></div>" if m[1] else '<div class="md-typeset__scrollwrap"><table>', html)
