"""Rich text in the fields of CSL items.

It has the elements that Zotero and other programs write into titles.

Source: https://www.zotero.org/support/kb/rich_text_bibliography
"""

from __future__ import annotations

import re
from collections.abc import Callable

_ELEMENT = re.compile(
    r"<(?P<name>i|b|sub|sup|sc|em|strong|span)(?P<attributes>(?:\s[^<>]{0,200})?)>"
    r"(?P<text>(?:(?!<(?P=name)[\s>])(?!</(?P=name)>).){0,2000})</(?P=name)>",
    re.IGNORECASE | re.DOTALL,
)
"""An element without another one of its kind in it."""
_DEPTH = 8
"""Maximum number of elements within one another."""
_LATEX = {
    **dict.fromkeys(("i", "em"), r"\textit{{{}}}"),
    **dict.fromkeys(("b", "strong"), r"\textbf{{{}}}"),
    "sub": r"\textsubscript{{{}}}",
    "sup": r"\textsuperscript{{{}}}",
    "sc": r"\textsc{{{}}}",
    "span": "{}",
}


def strip_tags(text: str) -> str:
    """Return a field as plain text: ``CO<sub>2</sub>`` is ``CO2``.

    A tag that is not closed is text.
    """
    if "</" not in text:
        return text
    return _replace_elements(text, lambda _name, _attributes, inner: inner)


def rich_latex(text: str, escape: Callable[[str], str]) -> str:
    """Return a field for BibLaTeX, with commands for its elements.

    Other text is as `escape` returns it.
    """
    if "</" not in text:
        return escape(text)
    commands: list[str] = []

    def mark(name: str, attributes: str, content: str) -> str:
        """Put the places of a command's two ends into the text; no escaping changes NUL."""
        before, after = _latex_of(name, attributes).format("\0").split("\0")
        index = len(commands)
        commands.extend((before, after))
        return f"\0{index}\0{content}\0{index + 1}\0"

    marked = _replace_elements(text.replace("\0", ""), mark).split("\0")
    # Texts and places of commands alternate.
    pieces = [commands[int(piece)] if n % 2 else escape(piece) for n, piece in enumerate(marked)]
    return "".join(pieces)


def _latex_of(name: str, attributes: str) -> str:
    """Return the command for an element, with braces for its text."""
    if name == "span" and "small-caps" in attributes:
        return _LATEX["sc"]
    if name == "span" and "nocase" in attributes:
        return "{{{}}}"
    return _LATEX[name]


def _replace_elements(text: str, replace: Callable[[str, str, str], str]) -> str:
    for _ in range(_DEPTH):
        new = _ELEMENT.sub(
            lambda match: replace(match["name"].lower(), match["attributes"], match["text"]), text
        )
        if new == text:
            break
        text = new
    return text
