"""Markdown as on GitHub: pyromark (pulldown-cmark) parses pages; Material's blocks come on top.

Read `extension` first: it is the Markdown extension that replaces Python-Markdown's parser, and
nothing else. `containers` finds Material's blocks before the parse, `events` reads pyromark,
`renderer` builds the elements with `builder`. `alerts`, `marks` and `autolinks` find what pyromark
does not read: quotes that are alerts, signs such as ``==``, addresses without brackets. `compare`
tells two renderings of a page apart.
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
