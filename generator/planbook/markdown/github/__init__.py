"""Markdown as on GitHub: pyromark (pulldown-cmark) parses pages; Material's blocks come on top.

Read `extension` first: it is the Markdown extension that replaces Python-Markdown's parser, and
nothing else. `containers` finds Material's blocks before the parse, `events` reads pyromark,
`renderer` builds the elements, `autolinks` finds addresses without brackets.
"""

from planbook.markdown.github.extension import (
    KEY,
    MODES,
    NAME,
    PYTHON,
    makeExtension,
    site_engine,
    unknown_syntax,
)

__all__ = ["KEY", "MODES", "NAME", "PYTHON", "makeExtension", "site_engine", "unknown_syntax"]
