"""Markdown as on GitHub: pyromark (pulldown-cmark) parses pages; Material's blocks come on top.

Read `extension` first: it is the Markdown extension that replaces Python-Markdown's parser, and
nothing else. A page then goes through::

    containers        finds Material's blocks, which CommonMark does not know
    container_bodies  reads each to its end
    source_form       changes what pyromark would read in another way than GitHub
    table_separators  such as tables within a paragraph
    markdown_events   reads pyromark
    renderer          builds the elements of the page, with
    builder           those of CommonMark and GitHub, and
    processors        what the site's extensions make of code, formulas and tables

`line_kinds` and `tags_in_code` serve these. `alerts`, `marks` and `autolinks` find what pyromark
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
