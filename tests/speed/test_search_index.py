"""The search index is Material's, with entries that are kept from build to build."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import pytest
from material.plugins.search import plugin as material
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from planbook_cache.disk import DiskCache
from planbook_speed.search_index import PageIndex

CONFIG = {"lang": ["en"], "separator": " ", "pipeline": ["stemmer"], "fields": {}}


@pytest.mark.parametrize("word", ["Käse & <b>", "x" * 50_000])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_page_is_read_once(tmp_path: Path, word: str, is_damaged: bool) -> None:
    """The index is Material's, the first time and from the cache, which may be damaged."""
    html = f'<h1 id="a">Title</h1><p>{escape(word)}</p><h2 id="b">Else</h2><h2 id="c" data-search-exclude>Not</h2>'
    page = Page(None, File("a/b.md", "docs", "site", use_directory_urls=True), MkDocsConfig())
    page.markdown, page.content, page.meta = "", html, {"tags": ["x", 1], "search": {"boost": 2}}
    wanted = material.SearchIndex(**CONFIG)
    wanted.add_entry_from_context(page)
    for _ in range(3):
        index = PageIndex(CONFIG, DiskCache(tmp_path))
        index.add_entry_from_context(page)
        assert index.generate_search_index(None) == wanted.generate_search_index(None)
        entries = list(tmp_path.rglob("*.data"))
        assert entries
        for entry in entries if is_damaged else ():
            entry.write_bytes(entry.read_bytes()[:-1])


def test_entries_are_there_for_other_plugins(tmp_path: Path) -> None:
    """A plugin that takes entries out of the index sees those of all pages, and what it leaves is written."""
    index = PageIndex(CONFIG, DiskCache(tmp_path))
    for name in ("a", "b"):
        page = Page(None, File(f"{name}.md", "docs", "site", use_directory_urls=True), MkDocsConfig())
        page.markdown, page.content = "", f'<h1 id="{name}">Title</h1><p>Text {name}</p>'
        index.add_entry_from_context(page)
    assert [entry["location"] for entry in index.entries] == ["a/", "b/"]
    assert not index.digest()
    index.entries = index.entries[1:]
    index.add_entry_from_context(page)
    written = json.loads(index.generate_search_index(None))
    assert [entry["location"] for entry in written["docs"]] == ["b/", "b/"]
