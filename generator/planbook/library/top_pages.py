"""The generated pages at the top of the site, of which a base has one each.

Each has a row here, and one in the table of `views.top_views`, which renders it.
"""

from __future__ import annotations

from dataclasses import dataclass

from planbook.model import PageUri


@dataclass(frozen=True, slots=True)
class TopPage:
    """A generated page at the top of the site."""

    uri: PageUri
    is_always_made: bool = True
    """True if every site has it, in place of an author's. Else it is made if there is need, unless
    an author has."""
    may_be_outside_nav: bool = False
    """True if other pages link to it, so that a nav of the author's need not have it."""


INDEX = PageUri("INDEX.md")
MESSAGES = PageUri("messages.md")
TAGS = PageUri("tags.md")
OVERVIEW = PageUri("status.md")
PROGRESS = PageUri("progress.md")
SOURCES = PageUri("sources.md")
GRAPH = PageUri("graph.md")

TOP_PAGES = (
    TopPage(INDEX),
    TopPage(MESSAGES, is_always_made=False),
    TopPage(TAGS, is_always_made=False),
    TopPage(OVERVIEW),
    TopPage(PROGRESS, may_be_outside_nav=True),
    TopPage(SOURCES),
    TopPage(GRAPH),
)
"""All such pages, in the order of the navigation, which is made from this table; so are the
reserved names."""

RESERVED_URIS = tuple(page.uri for page in TOP_PAGES if page.is_always_made)
"""Pages that are always generated."""
