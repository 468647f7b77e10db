"""Python-Markdown with the extensions of a site of Material's, with and without ours."""

from __future__ import annotations

from typing import Any

import markdown

from planbook.markdown.github import NAME
from planbook.plugin.configuration import DIAGRAM, EXTENSIONS

SITE = (
    *("toc", "tables", *EXTENSIONS, "def_list", "abbr", "planbook.markdown.elements"),
    *("pymdownx.arithmatex", "pymdownx.details", "pymdownx.emoji", "pymdownx.highlight"),
    *("pymdownx.inlinehilite", "pymdownx.keys", "pymdownx.mark", "pymdownx.tabbed"),
    *("pymdownx.tilde", "pymdownx.blocks.admonition", "pymdownx.blocks.caption"),
    *("pymdownx.blocks.details", "pymdownx.blocks.tab"),
)
OPTIONS: dict[str, dict[str, Any]] = {
    "pymdownx.arithmatex": {"generic": True},
    "pymdownx.blocks.tab": {"alternate_style": True},
    "pymdownx.quotes": {"callouts": True},
    "pymdownx.superfences": {"custom_fences": [DIAGRAM]},
    "pymdownx.tabbed": {"alternate_style": True},
}


def plain(text: str) -> str:
    """The HTML of CommonMark and what GitHub always adds, without any other extension."""
    return markdown.markdown(text, extensions=[NAME])


def github(text: str, *extensions: str) -> str:
    """The HTML of a page in the mode `github`."""
    return engine(*extensions, NAME).convert(text)


def python(text: str) -> str:
    """The HTML of a page as Python-Markdown reads it."""
    return engine().convert(text)


def engine(*extensions: str) -> markdown.Markdown:
    """The engine of a site, with further extensions."""
    return markdown.Markdown(extensions=[*SITE, *extensions], extension_configs=OPTIONS)
