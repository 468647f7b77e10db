"""Documents on the product of a page come before those on others."""

from __future__ import annotations

from planbook.model import Query
from planbook.research.expand.worker import own_folder_first
from planbook.research.search.api_answers import Hit, Searched
from planbook.research.web.model import Outcome
from planbook.store.options import LOCAL


def searched(*paths: str, provider: str = LOCAL) -> Searched:
    """A search with these results."""
    hits = tuple(Hit(f"file:///documents/{path}", "") for path in paths)
    return Searched(Query("web", "what blocks an upgrade"), provider, Outcome.OK, hits)


def paths(search: Searched) -> list[str]:
    """The paths of its results."""
    return [hit.url.partition("/documents/")[2] for hit in search.hits]


def test_a_folder_named_like_the_subject_comes_first() -> None:
    """A point of a plan does not name its product. The order is kept otherwise."""
    found_local = searched("mill/upgrade.md", "kiln/upgrade.md", "oven/kiln.md", "kiln-docs/faq.md")
    (sorted_search,) = own_folder_first([found_local], {"kiln"})
    assert paths(sorted_search) == ["kiln/upgrade.md", "kiln-docs/faq.md", "mill/upgrade.md", "oven/kiln.md"]


def test_other_searches_keep_their_order() -> None:
    """So do those of the web, and those in a folder on one product."""
    for search in (searched("mill/a.md", "kiln/b.md", provider="web"), searched("b.md", "kiln.md")):
        assert own_folder_first([search], {"kiln"}) == (search,)
