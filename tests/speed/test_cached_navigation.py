"""Entries of the navigation are rendered once, with the addresses of each page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
from jinja2.runtime import Context
from mkdocs.structure.files import File

from planbook_speed.cached_navigation import ADDRESS_END, ADDRESS_START, MarkedHtml, _folders_above, is_tree
from planbook_speed.internals import url_filter

PAGES = ("", "rye/", "rye/1/", "rye/dark/0/", "wheat/0/", "wheat/light.html", "a/b/c/d/")
ADDRESSES = (".", "rye/", "rye/1/", "rye/dark/0/", "wheat/light.html", "a/b/", "../up/", "?q=1", "a//b/", "./x/")


def context_of(url: str) -> Context:
    """Return the context of a page, as far as the filter for addresses reads it."""
    file = File("index.md", "docs", "site", use_directory_urls=True)
    file.url = url
    env = jinja2.Environment(autoescape=True)
    return env.context_class(env, {"page": SimpleNamespace(url=url, file=file), "base_url": "."}, "main.html", {})


@pytest.mark.parametrize("pages", [PAGES, PAGES[::-1]])
def test_addresses_are_those_of_each_page(pages: tuple[str, ...]) -> None:
    """One entry, shown on page after page: each address is what MkDocs' filter gives there."""
    marked = {address: MarkedHtml(f"<a href={ADDRESS_START}{address}{ADDRESS_END}>", []) for address in ADDRESSES}
    for url in pages:
        context = context_of(url)
        for address, entry in marked.items():
            expected = f"<a href={url_filter(context, address)}>"
            assert entry.for_folder(context, _folders_above(url)) == expected


def section(*children: Any) -> Any:
    """Return a section with entries."""
    made = SimpleNamespace(children=[*children], parent=None)
    for child in children:
        child.parent = made
    return made


def test_an_entry_in_two_sections_makes_no_tree() -> None:
    """It is active in one of them only, so that the navigation is not cached."""
    page = SimpleNamespace(children=None, parent=None)
    assert is_tree([section(section(page))])
    assert not is_tree([section(page), section(page)])
