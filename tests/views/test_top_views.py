"""The table of the pages at the top of the site."""

from __future__ import annotations

from planbook.library import INDEX, RESERVED_URIS, TAGS, TOP_PAGES, link_tree
from planbook.model import Tree
from planbook.views.frame import Site
from planbook.views.top_views import TOP_VIEWS, made_top_pages


def test_each_page_has_a_view() -> None:
    """The two tables have the same pages, in the order of the navigation."""
    assert [top.uri for top in TOP_VIEWS] == [page.uri for page in TOP_PAGES]


def test_reserved_pages_are_made_in_place_of_an_authors() -> None:
    """Others are made if there is need, unless an author has them."""
    library = link_tree(Tree({}, {}, {"a.md": b"# A\n"}))
    assert set(made_top_pages(library, Site("T"), ())) == set(RESERVED_URIS)
    assert INDEX in made_top_pages(library, Site("T"), {INDEX})
    with_tags = Site("T", lists_tags=True)
    assert set(made_top_pages(library, with_tags, ())) == {*RESERVED_URIS, TAGS}
    assert TAGS not in made_top_pages(library, with_tags, {TAGS})
