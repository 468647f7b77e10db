"""Code of a page of HTML as fenced code, and its language."""

from __future__ import annotations

import re
from itertools import islice

from lxml.html import HtmlElement

from planbook.research.web.inline_markdown import flatten

_LANGUAGE_PREFIX = r"language-|lang-|highlight-source-|highlight-text-|highlight-|brush:\s*|src-"
_LANGUAGE = re.compile(
    rf"(?:^|\s)(?:{_LANGUAGE_PREFIX})(?P<name>[\w+#.-]{{1,20}})"
    r"|(?:^|\s)(?:sourceCode|hljs|prettyprint)\s+(?P<bare>[a-z][\w+#-]{0,19})(?:\s|$)"
)
"""Classes that name the language of code: Sphinx, GitHub, MDN, Prism, Pandoc."""
_NO_LANGUAGE = frozenset({"default", "none", "notranslate", "plain", "plaintext", "text", "txt"})
_NAMING_ATTRIBUTES = ("data-lang", "data-language", "syntax")
_DEPTH_OF_LANGUAGE = 3
_LINES_IN_CODE = frozenset({"div", "li", "p", "tr"})


def code_markdown(pre: HtmlElement) -> str:
    """Return the code in a fence with its language, every line as displayed."""

    def inner(element: HtmlElement) -> list[HtmlElement | str]:
        """Return the contents of an element, with NUL for the end of a block."""
        if element.tag == "br":
            return ["\n"]
        if element.tag in {"script", "style"}:
            return []
        is_line = element.tag in _LINES_IN_CODE and element is not pre
        return [element.text or "", *element, "\x00" if is_line else ""]

    # Highlighters end lines with line feeds, with <br>, or with blocks.
    text = re.sub(r"\n?\x00+", "\n", "".join(flatten(pre, inner)))
    text = text.replace("\r\n", "\n").replace("\u00a0", " ").replace("\u200b", "")
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)
    code = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language_of(pre)}\n{code}\n{fence}" if code else ""


def language_of(pre: HtmlElement) -> str:
    """Return the language of a code block as its highlighter names it; empty if it is not named."""
    ancestors = islice(pre.iterancestors("div", "figure", "devsite-code"), _DEPTH_OF_LANGUAGE)
    for element in (pre, *pre.iterdescendants("code"), *ancestors):
        for name in _language_names(element):
            plain = name.strip().lower()
            if plain in _NO_LANGUAGE:
                return ""
            if re.fullmatch(r"[a-z][\w+#.-]{0,19}", plain):
                return plain
    return ""


def _language_names(element: HtmlElement) -> list[str]:
    """Return what an element names as the language of its code: an attribute, else its classes."""
    for attribute in _NAMING_ATTRIBUTES:
        value = element.get(attribute)
        if value:
            return [value]
    classes = _LANGUAGE.finditer(element.get("class") or "")
    return [match["name"] or match["bare"] for match in classes]
