"""Quotes from files, as they look to a reader.

The file decides: a quote from a program, a configuration or a log is code, and keeps its lines.
Of Markdown and reStructuredText, the words stay as they are in the source; only the marks of code,
emphasis, links, roles, directives, tags and lists are shown as what they mean, and a quoted block
of code is code. Documentation in a program is read so, too, if it has such marks and next to no
signs of code.
"""

from __future__ import annotations

import html
import re
import textwrap
from urllib.parse import urlsplit

from markupsafe import Markup, escape

_MARKUP_SUFFIXES = (".md", ".markdown", ".mdx", ".rst")
"""Ends of paths of files whose marks are read."""
_HTML_SUFFIXES = (".htm", ".html", ".shtml")
_PROGRAM_SUFFIXES = (".py", ".pyi", ".cmake")
"""Ends of paths of programs whose documentation is reStructuredText."""
_CODE_SUFFIX = re.compile(
    r"""
    \.(?:bzl|c|cc|cfg|cmake|cpp|csv|cuh?|cxx|go|h|hpp|in[il]?|ipp|java|jsonl?|js|m4|mk|proto|ptx)$
    | \.(?:py[ix]?|rb|rs|service|sh|sql|toml|tpl|ts|txt|xml|ya?ml)$
    | (?:^|/)(?:containerfile|dockerfile|makefile|\.bazelrc)[\w.-]*$
    """,
    re.VERBOSE,
)
"""Ends of paths of files whose quotes are code, also comments and messages."""
_TAG = (
    r"</?(?:a|b|br|code|dd|div|dl|dt|em|h[1-6]|i|kbd|li|ol|p|pre|span|strong|su[bp]|t[dhrt]"
    r"|table|ul|var)(?:\s[^<>]*)?/?>"
)
"""A tag of HTML, not ``vector<int>``."""
_MARKS = re.compile(
    rf"""
    (?:(?<![\w:`]):[a-zA-Z][\w:+.-]*:|\{{[\w:+-]+\}})`(?P<role>[^`\n]+)`      # :ref:`x`, {{ref}}`x`
    | (?<!`)`(?P<named>[^`<\n]+?)[ ]*<[^<>`\s]+>`__?                        # `x <https://x>`_
    | (?<!`)(?P<ticks>`+)(?=\S)(?P<code>[^`\n]+)(?<=\S)(?P=ticks)(?!`)      # `x`, ``x``
    | (?<![\w*\\])\*\*(?=[^\s*])(?P<strong>[^*\n]+)(?<=\S)\*\*(?![\w*])   # **x**, not f(**a, **b)
    | (?<![\w!\\\]])\[(?P<link>[^\[\]\n]+)\]\((?:https?:|[./#])[^()\s]*\)  # [x](#x)
    | ^[ \t]*\.\.[ ](?P<directive>[\w:+-]+)::[ \t]*(?P<argument>.*)$\n?       # .. note:: x
    | (?P<tag>{_TAG})
    | ^[ \t]*[-*+][ \t]+(?=\S)                                            # an item of a list
    """,
    re.VERBOSE | re.MULTILINE,
)
_LABELLED_ROLE = re.compile(r"(?P<label>.*?\S)\s*<[^`]+>")
"""``the variable <CMAKE_<LANG>_COMPILER>``, without its ticks."""
_VERSION_WORDS = {
    "versionadded": "Added in",
    "versionchanged": "Changed in",
    "deprecated": "Deprecated since",
}
"""The words of directives whose argument is a version."""
_LISTING_DIRECTIVES = frozenset({"code-block", "code", "sourcecode", "parsed-literal", "highlight"})
"""Directives that a reader sees as the code below them."""
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
    if path.endswith(_PROGRAM_SUFFIXES) and _is_documentation(words):
        return _render_marks(dedent_code(words))
    if _is_code(words, path):
        is_fenced = path.endswith(_MARKUP_SUFFIXES) and bool(_FENCE.search(words))
        code = textwrap.dedent(_FENCE.sub("", words)).strip() if is_fenced else dedent_code(words)
        return Markup('<code class="pb-code">{}</code>').format(code)
    if path.endswith(_HTML_SUFFIXES) and re.search(_TAG, words):
        return html.unescape(re.sub(_TAG, "", words)).strip()
    return _render_marks(words) if path.endswith(_MARKUP_SUFFIXES) else words


def _render_marks(words: str) -> Markup:
    """Return a text of Markdown or reStructuredText with its marks as what they mean."""
    shown = Markup()
    mark_end = 0
    for mark in _MARKS.finditer(words):
        shown += escape(words[mark_end : mark.start()]) + _shown_mark(mark)
        mark_end = mark.end()
    return shown + escape(words[mark_end:])


def _shown_mark(mark: re.Match[str]) -> Markup | str:
    """Return what a mark means."""
    code = _text_of_role(mark["role"]) if mark["role"] else mark["code"]
    if code:
        return Markup("<code>{}</code>").format(code)
    if mark["strong"]:
        return Markup("<strong>{}</strong>").format(mark["strong"])
    if mark["directive"]:
        return _shown_directive(mark["directive"], mark["argument"].strip())
    if mark["tag"]:
        return ""
    return escape(mark["link"] or mark["named"] or "• ")


def _text_of_role(text: str) -> str:
    """Return what a reader sees of a role: the label, or the last name of ``~torch.cuda.Event``."""
    labelled = _LABELLED_ROLE.fullmatch(text)
    if labelled:
        return labelled["label"]
    return text[1:].rpartition(".")[2] if text.startswith("~") else text.removeprefix("!")


def _shown_directive(name: str, argument: str) -> Markup:
    """Return a directive as words: ``Note:``, ``Added in 3.24:``, or its argument as code."""
    if name in _LISTING_DIRECTIVES:
        return Markup()
    if name in _VERSION_WORDS:
        return Markup("{} {}:\n").format(_VERSION_WORDS[name], argument)
    if argument and name not in {"note", "warning", "tip", "important", "caution", "seealso"}:
        return Markup("<code>{}</code>\n").format(argument)
    return Markup("<strong>{}:</strong> {}").format(name.replace("-", " ").capitalize(), argument)


def _is_documentation(words: str) -> bool:
    """Return true for documentation of a program: marks, and else next to no signs of code."""
    prose = _MARKS.sub("", words)
    share = len(_SIGNS.findall(prose)) / max(1, len("".join(prose.split())))
    has_marks = any(mark["role"] or mark["ticks"] == "``" for mark in _MARKS.finditer(words))
    has_directive = any(mark["directive"] for mark in _MARKS.finditer(words))
    return (has_marks or has_directive) and share < SOME_SIGNS


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
