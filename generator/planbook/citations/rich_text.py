"""Rich text in the fields of CSL items: the elements that Zotero and other programs write into titles.

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
    **{"sub": r"\textsubscript{{{}}}", "sup": r"\textsuperscript{{{}}}", "sc": r"\textsc{{{}}}", "span": "{}"},
}


def without_tags(text: str) -> str:
    """Return a field as plain text: ``CO<sub>2</sub>`` is ``CO2``. A tag that is not closed is text."""
    return _replaced(text, lambda _name, _attributes, inner: inner) if "</" in text else text


def rich_latex(text: str, escape: Callable[[str], str]) -> str:
    """Return a field for BibLaTeX, with commands for its elements, and other text as `escape` returns it."""
    if "</" not in text:
        return escape(text)
    commands: list[str] = []

    def mark(name: str, attributes: str, inner: str) -> str:
        """Put a command's two ends into the text as characters of their own, which no escaping changes."""
        form = _LATEX[name]
        if name == "span":
            form = r"\textsc{{{}}}" if "small-caps" in attributes else "{{{}}}" if "nocase" in attributes else "{}"
        before, after = form.format("\0").split("\0")
        commands.extend((before, after))
        first = len(commands) - 2
        return f"\0{first}\0{inner}\0{first + 1}\0"

    marked = _replaced(text.replace("\0", ""), mark).split("\0")
    pieces = [commands[int(piece)] if n % 2 else escape(piece) for n, piece in enumerate(marked)]
    return "".join(pieces)


def _replaced(text: str, replace: Callable[[str, str, str], str]) -> str:
    for _ in range(_DEPTH):
        new = _ELEMENT.sub(lambda found: replace(found["name"].lower(), found["attributes"], found["text"]), text)
        if new == text:
            break
        text = new
    return text
