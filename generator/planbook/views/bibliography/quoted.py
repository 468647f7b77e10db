"""Quotes from files, as they look to a reader.

The file decides: a quote from a program, a configuration or a log is code, and keeps its lines.
Of Markdown and reStructuredText, the words stay as they are in the source; only the marks of code,
emphasis, links and lists are shown as what they mean, and a quoted block of code is code.
"""

from __future__ import annotations

import re
import textwrap
from urllib.parse import urlsplit

from markupsafe import Markup, escape

_MARKUP_SUFFIXES = (".md", ".markdown", ".mdx", ".rst")
"""Ends of paths of files whose marks are read."""
_CODE_SUFFIX = re.compile(
    r"""
    \.(?:bzl|c|cc|cfg|cmake|cpp|csv|cuh?|cxx|go|h|hpp|in[il]?|ipp|java|jsonl?|js|m4|mk|proto|ptx)$
    | \.(?:py[ix]?|rb|rs|service|sh|sql|toml|tpl|ts|txt|xml|ya?ml)$
    | (?:^|/)(?:containerfile|dockerfile|makefile|\.bazelrc)[\w.-]*$
    """,
    re.VERBOSE,
)
"""Ends of paths of files whose quotes are code, also comments and messages."""
_MARKS = re.compile(
    r"""
    (?<!`)(?P<ticks>`+)(?=\S)(?P<code>[^`\n]+)(?<=\S)(?P=ticks)(?!`)      # `x`, ``x``
    | (?<![\w*\\])\*\*(?=[^\s*])(?P<strong>[^*\n]+)(?<=\S)\*\*(?![\w*])   # **x**, not f(**a, **b)
    | (?<![\w!\\\]])\[(?P<link>[^\[\]\n]+)\]\((?:https?:|[./#])[^()\s]*\)  # [x](#x)
    | ^[ \t]*[-*+][ \t]+(?=\S)                                            # an item of a list
    """,
    re.VERBOSE | re.MULTILINE,
)
_SIGNS = re.compile(r"[{}()\[\];=<>_|\\$&*#@^~]|::|->|--")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
"""The first and the last line of a block of code in Markdown."""
SOME_SIGNS = 0.04
"""The least share of signs in a block of code in a text."""
_CONTINUED_ENDS = (":", "{", "(", "[", "\\")
"""Ends of a line that is continued further in."""
_CLOSING_BRACKETS = (")", "]", "}")


def quote_html(words: str, address: str) -> Markup | str:
    """Return a quote as HTML if its source is code or a text with marks, else the words themselves.

    Args:
        words: the quote, as it is in the source.
        address: the source's address or path, whose end tells what it is.
    """
    path = urlsplit(address).path.lower()
    if _is_code(words, path):
        is_fenced = path.endswith(_MARKUP_SUFFIXES) and bool(_FENCE.search(words))
        code = textwrap.dedent(_FENCE.sub("", words)).strip() if is_fenced else dedent_code(words)
        return Markup('<code class="pb-code">{}</code>').format(code)
    if not path.endswith(_MARKUP_SUFFIXES):
        return words
    html = Markup()
    mark_end = 0
    for mark in _MARKS.finditer(words):
        html += escape(words[mark_end : mark.start()])
        if mark["code"]:
            html += Markup("<code>{}</code>").format(mark["code"])
        elif mark["strong"]:
            html += Markup("<strong>{}</strong>").format(mark["strong"])
        elif mark["link"]:
            html += escape(mark["link"])
        else:
            html += "• "
        mark_end = mark.end()
    return html + escape(words[mark_end:])


def _is_code(words: str, path: str) -> bool:
    """Return true for a quote from a file of code, or of a block of code in a text."""
    if not path.endswith(_MARKUP_SUFFIXES):
        return bool(_CODE_SUFFIX.search(path))
    lines = [line for line in words.splitlines() if line.strip()]
    if _FENCE.match(lines[0]) or _FENCE.match(lines[-1]):
        return True
    share = len(_SIGNS.findall(words)) / max(1, len("".join(words.split())))
    is_indented = all(line.startswith(("   ", "\t")) for line in lines)
    return is_indented and share >= SOME_SIGNS


def dedent_code(words: str) -> str:
    """Return code without the indentation that its lines share.

    A quote begins with a word, so the indentation of its first line is often lost: then the other
    lines begin at the edge, or further in if the first line opens a block.
    """
    lines = words.strip("\n").expandtabs(4)
    lines = re.sub(r"\n(?:[ ]*\n)+", "\n\n", lines)
    first, line_end, rest = lines.partition("\n")
    if first[:1].isspace() or not rest:
        return textwrap.dedent(lines).strip()
    rest = textwrap.dedent(rest)
    is_closed = any(line.startswith(_CLOSING_BRACKETS) for line in rest.splitlines())
    if first.rstrip().endswith(_CONTINUED_ENDS) and not is_closed:
        rest = textwrap.indent(rest, "    ")
    return f"{first}{line_end}{rest}".rstrip()
