"""The words of queries, in the forms that APIs take."""

from __future__ import annotations

import pytest

from planbook.model import Query
from planbook.research.search.provider import add_site, bare_words, sites_of, terms


@pytest.mark.parametrize(
    ("engine", "text", "asked", "sites"),
    [
        ("web", "green tea", "green tea", []),
        ("scholar", "green tea", "green tea", []),
        ("github", "green tea", "green tea site:github.com", ["github.com"]),
        ("arxiv", "green tea", "green tea site:arxiv.org", ["arxiv.org"]),
        ("github", "tea site:gitlab.com", "tea site:gitlab.com", ["gitlab.com"]),
        ("web", "tea -site:tea.example", "tea -site:tea.example", []),
        (
            "web",
            "tea site:a.example OR site:b.example",
            "tea site:a.example OR site:b.example",
            ["a.example", "b.example"],
        ),
    ],
)
def test_sites(engine: str, text: str, asked: str, sites: list[str]) -> None:
    """A query's engine says where to look, unless the query does."""
    query = Query(engine, text)
    assert (add_site(query), sites_of(query)) == (asked, sites)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('"green tea" AND water', "green tea water"),
        ("green tea site:tea.example filetype:pdf", "green tea pdf"),
        ("std::vector C++17 a:b", "std::vector C++17 a:b"),
        ("nvcc -O3 --use_fast_math", "nvcc O3 --use_fast_math"),
        ("(tea OR coffee) NOT cocoa*", "tea coffee cocoa"),
        ("ANDROID NOTES", "ANDROID NOTES"),
        ("site:tea.example", ""),
    ],
)
def test_bare_words(text: str, bare: str) -> None:
    """Operators go, words and the signs within them stay."""
    assert bare_words(Query("web", text)) == bare


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How to brew the best green tea", ("brew", "green", "tea")),
        ('"multi-stage build" docker Docker', ("multi-stage build", "docker")),
        ("C++17 std::vector x.y.", ("c++17", "std", "vector", "x.y")),
        ("what is it", ("what", "is", "it")),
        ("tea AND 绿茶", ("tea", "绿茶")),
        ("…", ()),
    ],
)
def test_terms(text: str, found: tuple[str, ...]) -> None:
    """Telling words and phrases, each once; common words only where there are no others."""
    assert terms(text) == found
