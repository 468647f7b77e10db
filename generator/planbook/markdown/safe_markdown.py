"""Render plan text as safe Markdown or HTML: basic formatting is kept, raw HTML is not.

Plans are written by many people and programs, so views never insert their text unescaped. Inline
code, emphasis and links to http(s) addresses are kept; raw HTML, attribute lists, images and other
links become text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from planbook.markdown.escape import escape_fragment, inline_text, verbatim
from planbook.model import Drop

_INLINE_PARSER = MarkdownIt("commonmark", {"html": False}).disable(
    ["entity", "autolink", "html_inline"]
)
_INLINE_MARK = re.compile(r"[\\`*_\[\]<>!\n]")
"""Characters of inline Markdown."""

_NO_BACKTICKS = re.compile(r"[`|\\\x00-\x1f]|^#!|^:::")
"""Text that would end inline code or a table cell, or that InlineHilite would read as the code's
language."""


@lru_cache(maxsize=8192)
def inline(text: str) -> str:
    """Return inline Markdown of a plan as Markdown that is safe.

    It may be in running text, lists and table cells.
    """
    if not _INLINE_MARK.search(text):
        return verbatim(text)
    return "".join(_render_inline(_INLINE_PARSER.parseInline(text)[0].children or []))


def code(text: str) -> str:
    """Return `text` as inline code, safe in table cells."""
    text = " ".join(text.split())
    if not text:
        return ""
    if _NO_BACKTICKS.search(text):
        return f"<code>{inline_text(text)}</code>"
    return f"`{text}`"


def bullets(items: Iterable[str], indent: str = "") -> str:
    """Return `items` of Markdown as a list.

    Below an empty one, Python-Markdown would see a heading.
    """
    return "".join(f"{indent}- {item}\n" for item in items if item.strip())


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], align: str = "") -> str:
    """Return a pipe table of Markdown cells. `align` has ``l``, ``r`` or ``c`` for each column."""
    rule = {"r": "---:", "c": ":---:"}
    marks = [rule.get(a, "---") for a in align.ljust(len(head), "l")]
    lines = [head, tuple(marks), *rows]
    return "".join(
        f"| {' | '.join(cell.replace(chr(10), ' ') for cell in row)} |\n" for row in lines
    )


def _render_inline(tokens: list[Token]) -> list[str]:
    """Return the pieces of inline Markdown that show the tokens."""
    out: list[str] = []
    links: list[str] = []
    """The address of each open link; empty for one that is shown as text."""
    tokens = [token for token in tokens if token.type != "text" or token.content]
    has_plain_marks = _has_plain_marks(tokens)
    for token in tokens:
        match token.type:
            case "code_inline":
                out.append(code(token.content))
            case "softbreak" | "hardbreak":
                out.append(" ")
            case "strong_open" | "strong_close" | "em_open" | "em_close":
                out.append(_mark(token, is_plain=has_plain_marks))
            case "link_open":
                href = str(token.attrs.get("href", ""))
                links.append(href if _SAFE_ADDRESS.match(href) else "")
                if not links[-1]:
                    continue
                if out and out[-1].endswith("!"):  # it would turn the link into an image
                    out[-1] = f"{out[-1][:-1]}&#33;"
                out.append("[")
            case "link_close":
                href = links.pop()
                if href:
                    out.append(f"](<{href}>)")
            case _:  # text, an image's description
                out.append(escape_fragment(token.content, is_first=not any(out)))
    return out


_SAFE_ADDRESS = re.compile(r"https?://[^\s<>()\"'{}|]+$")
_MARKS = {"strong": "**", "em": "*"}


def _has_plain_marks(tokens: list[Token]) -> bool:
    """Return True if no two marks of emphasis are adjacent.

    Adjacent asterisks mean different things in CommonMark and Python-Markdown; HTML means the same
    in both.
    """
    marks = [token.tag in _MARKS for token in tokens]
    return not any(is_mark and is_next_mark for is_mark, is_next_mark in pairwise(marks))


def _mark(token: Token, *, is_plain: bool) -> str:
    if is_plain:
        return _MARKS[token.tag]
    return f"</{token.tag}>" if token.nesting < 0 else f"<{token.tag}>"


# --- as HTML --------------------------------------------------------------------------------------

_SAFE_PARSER = (
    MarkdownIt("commonmark", {"html": False}).enable("table").disable(["html_block", "html_inline"])
)


def _is_web_address(url: str) -> bool:
    return re.match(r"https?://", url, re.IGNORECASE) is not None


_SAFE_PARSER.validateLink = _is_web_address  # type: ignore[method-assign]
_SAFE_PARSER.add_render_rule(
    # No requests to other hosts. A `Markup` would escape the HTML that releases before 4.3 add it
    # to.
    "image",
    lambda self, tokens, index, *rest: str(escape(tokens[index].content)),
)
_MARKED_HTML = re.compile(r"[^\w (),./:;+-]|_")
"""Characters that may be Markdown or HTML: text without any, such as most tasks, is already
HTML."""
_HEADING = re.compile(r"<(/?)h([1-6])>")
_TABLE = re.compile(r"<(/?)table>")


@lru_cache(maxsize=8192)
def inline_html(text: str) -> Markup:
    """Return `text`, inline Markdown, as HTML."""
    html = _SAFE_PARSER.renderInline(text) if _MARKED_HTML.search(text) else text
    return Markup(html)  # noqa: S704 - rendered with html off


def drop_html(drop: Drop) -> str:
    """Return a drop's Markdown as HTML with headings as bold paragraphs.

    They stay out of the table of contents.
    """
    html = _SAFE_PARSER.render(drop.body)
    html = _HEADING.sub(
        lambda m: "</strong></p>" if m[1] else f'<p class="pb-drop-h{m[2]}"><strong>', html
    )
    return _TABLE.sub(
        lambda m: "</table></div>" if m[1] else '<div class="md-typeset__scrollwrap"><table>', html
    )
