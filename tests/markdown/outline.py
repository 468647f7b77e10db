"""What two renderers make of a Markdown text, in a form that can be compared: its lists."""

from __future__ import annotations

import re
from functools import lru_cache
from html.parser import HTMLParser

import markdown
from markdown_it import MarkdownIt
from mkdocs.utils.yaml import yaml_load

from tests.conftest import ROOT

Lists = tuple["Item", ...]
Item = tuple[str, str, Lists]
"""The kind of its list (``ul``, or ``ol`` with its first number), the words of its own text, the lists in it."""

_COMMONMARK = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_BOX = re.compile(r"^\s*\[[ xX]\](?=\s)")


class _Reader(HTMLParser):
    """Reads the items of all lists from HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[Item] = []
        self._kinds: list[str] = []
        self._open: list[tuple[str, list[str], list[Item]]] = []
        self._is_first = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a list or an item."""
        if tag in {"ul", "ol"}:
            self._kinds.append(tag if tag == "ul" else f"ol {dict(attrs).get('start') or 1}")
            self._is_first = True
        elif tag == "li":
            self._open.append((("first of " if self._is_first else "next of ") + self._kinds[-1], [], []))
            self._is_first = False
        elif tag in {"div", "pre"}:
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        """Close a list or an item."""
        if tag in {"ul", "ol"}:
            self._kinds.pop()
            self._is_first = False
        elif tag == "li":
            kind, text, inner = self._open.pop()
            words = " ".join(re.findall(r"\w+", _BOX.sub("", "".join(text))))
            (self._open[-1][2] if self._open else self.items).append((kind, words, tuple(inner)))

    def handle_data(self, data: str) -> None:
        """Take the text for the innermost item."""
        if self._open:
            self._open[-1][1].append(data)


def lists_of(html: str) -> Lists:
    """The items of all lists in `html`, each within the one it stands in."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return tuple(reader.items)


def commonmark(text: str) -> str:
    """`text` as HTML by CommonMark's rules."""
    return str(_COMMONMARK.render(text))


def built(text: str) -> str:
    """`text` as HTML by Python-Markdown with the extensions of our `mkdocs.yml`."""
    return _converter().reset().convert(text)


@lru_cache(maxsize=1)
def _converter() -> markdown.Markdown:
    names: list[str] = []
    options: dict[str, dict[str, object]] = {}
    for entry in yaml_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["markdown_extensions"]:
        for name, option in entry.items() if isinstance(entry, dict) else [(entry, None)]:
            names.append(name)
            options[name] = option or {}
    return markdown.Markdown(extensions=names, extension_configs=options)
