"""Markdown as plain text."""

from __future__ import annotations

import re

from generator.markdown.line_kinds import ENTRY_NUMBER

_MARKUP = re.compile(r"[*`_<]|\]\(")
_EMPHASIS = re.compile(
    r"\*+|`+|(?<![\w/])_{1,3}(?!\w*\.\w)|_{1,3}(?!\w|/|\.\w)|</?(?:sup|sub|b|i|em|strong|br|a)\b[^<>]{0,80}>"
)
"""``_so_``, but not ``torch/_inductor`` nor ``__init__.py``."""
_CODE_SPAN = re.compile(r"(`{1,9})(.{1,2000}?)\1")
_INLINE = re.compile(
    r"!?\[([^\]]{0,400})\](?:\([^)]{0,2000}\)|\[[^\]]{0,400}\])|\*+|~~|(?<!\w)_+|(?<!_)_++(?!\w)"
    r"|</?[a-zA-Z][^>]{0,2000}>| ?\[-?@[^\]]{0,2000}\]"
)
"""Bounded: otherwise each sign that nothing closes would be looked at up to the end of the text."""
_MARKER = re.compile(
    r"^\s*(?:>\s?){0,3}(?:#{1,6}\s+)?(?:(?:[-*+•–]|\*{0,2}\d{1,3}[.)]"
    rf"|\*{{0,2}}{ENTRY_NUMBER}\*{{0,2}}:?"
    r"|\(\d{1,3}\))\s+)?(?:\[[ xX✓/]\]\s+)?"
)


def plain_text(markdown: str) -> str:
    """Inline Markdown as plain text; what stands in code is kept to the letter."""
    pieces, at = [], 0
    for code in _CODE_SPAN.finditer(markdown):
        pieces += [_INLINE.sub(lambda m: m[1] or "", markdown[at : code.start()]), code[2].strip()]
        at = code.end()
    return "".join([*pieces, _INLINE.sub(lambda m: m[1] or "", markdown[at:])]).strip()


def line_text(markdown: str) -> str:
    """The words of a line of Markdown without its emphasis, code marks, images and links."""
    if not _MARKUP.search(markdown):
        return " ".join(markdown.split())
    text = re.sub(r"!?\[([^\[\]]{0,400})\]\([^()\s]{0,2000}\)", r"\1", markdown)
    return " ".join(_EMPHASIS.sub(" ", text).split())


def unmarked(line: str) -> str:
    """The line without what makes it a list item, a quote, a heading or a numbered entry."""
    return _MARKER.sub("", line, count=1).strip()
