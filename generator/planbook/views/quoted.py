"""Quotes from files of Markdown or reStructuredText, as they look to a reader.

The words stay as they are in the source; only the marks of code, emphasis and lists are shown as
what they mean.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from markupsafe import Markup, escape

_OF_MARKUP = (".md", ".markdown", ".mdx", ".rst")
"""Ends of paths of files whose marks are read."""
_MARKS = re.compile(
    r"""
    (?P<ticks>`+)(?=\S)(?P<code>[^`\n]+)(?<=\S)(?P=ticks)(?!`)            # `x`, ``x``
    | (?<![\w*\\])\*\*(?=[^\s*])(?P<strong>[^*\n]+)(?<=\S)\*\*(?![\w*])   # **x**, not f(**a, **b)
    | ^[ \t]*[-*+][ \t]+(?=\S)                                            # an item of a list
    """,
    re.VERBOSE | re.MULTILINE,
)


def quote_html(words: str, address: str) -> Markup | str:
    """Return a quote as HTML if its source is a text with marks, else the words themselves.

    Args:
        words: the quote, as it is in the source.
        address: the source's address or path, whose end tells what it is.
    """
    if not urlsplit(address).path.lower().endswith(_OF_MARKUP):
        return words
    html = Markup()
    last = 0
    for mark in _MARKS.finditer(words):
        html += escape(words[last : mark.start()])
        if mark["code"]:
            html += Markup("<code>{}</code>").format(mark["code"])
        elif mark["strong"]:
            html += Markup("<strong>{}</strong>").format(mark["strong"])
        else:
            html += "• "
        last = mark.end()
    return html + escape(words[last:])
