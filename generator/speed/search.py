"""Material's search index, with each page's HTML read once."""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any

from material.plugins.search import plugin as material

from generator.cache import DiskCache
from generator.speed.fingerprint import digest
from generator.speed.sections import SearchSection, sections

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page
    from mkdocs.utils.templates import TemplateContext

KNOWN_INDEX = frozenset({"eba0b32e402a5f965c9d5d2ef9f6fe2a9bc7d92e45c4e600883def582ba3ce1b"})
"""Digests of the code in Material that :class:`Entries` replaces; with other code, nothing is replaced."""
KNOWN_PARSER = frozenset({"266bdba30ce6d67f7ee17f990dc98dd9f84f58be7bc00d64310d5fb1a6b555b4"})
"""Digests of the code in Material that :mod:`.sections` reimplements; other code is run, and its result cached."""
FOR_SEARCH = re.compile(r"\s?data-search-\w+=\"[^\"]+\"")
"""The pattern in Material's plugin."""


@functools.cache
def _code_of_index() -> str:
    parts = (material.SearchPlugin.on_page_context, material.SearchIndex.add_entry_from_context)
    return digest(*map(inspect.getsource, parts))


@functools.cache
def _code_of_parser() -> str:
    parts = (material.Parser, material.Section, material.Element)
    return digest(*map(inspect.getsource, parts), repr(sorted(material.void)))


class Entries:
    """Adds pages to the index of a search plugin."""

    def __init__(self, index: Any, cache: DiskCache) -> None:
        self._index, self._cache = index, cache

    def on_page_context(self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
        """Add a page to the index, and remove search attributes from its HTML, as Material's plugin does."""
        self.add(page)
        if page.content and "data-search-" in page.content:  # looked for first: the pattern is slow to find nothing
            page.content = FOR_SEARCH.sub("", page.content)

    def add(self, page: Page) -> None:
        """Add the entries of a page."""
        if (page.meta.get("search") or {}).get("exclude"):
            return
        for section in self.read(page.content or ""):
            self._index.create_entry_for_section(section, page.toc, page.url, page)

    def read(self, content: str) -> list[SearchSection]:
        """Return the sections of a page that belong in the index, from the cache if it was read before."""
        key = digest("sections", _code_of_parser(), content)
        facts = self._cache.get(key, list[tuple[str | None, str | None, str]])
        if facts is None:
            found = [section for section in read_sections(content) if not section.is_excluded]
            facts = [(s.id, "".join(s.title) if s.title else None, "".join(s.text)) for s in found]
            self._cache.put(key, facts)
        return [
            SearchSection("", 0, id=anchor, title=[] if title is None else [title], text=[text])
            for anchor, title, text in facts
        ]


def read_sections(content: str) -> list[SearchSection]:
    """Return all sections of a page's HTML, by our own parser if it is certain to match Material's."""
    found = sections(content) if _code_of_parser() in KNOWN_PARSER else None
    if found is not None:
        return found
    parser = material.Parser()
    parser.feed(content)
    parser.close()
    return [SearchSection("", 0, s.is_excluded(), s.id, s.title, s.text) for s in parser.data]


def take_over(config: MkDocsConfig, cache: DiskCache) -> list[Entries]:
    """Replace the indexing of pages in each of Material's search plugins, if their code is known."""
    taken = []
    methods = config.plugins.events["page_context"]
    for place, method in enumerate(methods):
        plugin: Any = getattr(method, "__self__", None)
        is_search = type(plugin) is material.SearchPlugin and plugin.config.enabled
        if is_search and type(plugin.search_index) is material.SearchIndex and _code_of_index() in KNOWN_INDEX:
            taken.append(Entries(plugin.search_index, cache))
            methods[place] = taken[-1].on_page_context
            config.plugins._event_origins[methods[place]] = config.plugins._event_origins.get(method, "")
    return taken
