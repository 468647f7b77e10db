"""The navigation: the author's, the generated tree, and both together."""

from __future__ import annotations

from itertools import permutations

import pytest

from planbook.library import RESERVED_URIS, Library, link_tree
from planbook.library.names import natural_order
from planbook.model import Tree
from planbook.views.folders import folder_indexes
from planbook.views.navigation import Nav, insert_tree, named_pages, pages_beside_subject

PAGES = ("index.md", "about.md", "bread/10-rye.md", "bread/2-wheat.md", "bread/10-oats.md", "bread/deep/er/1-x.md")

BREAD = {
    "Bread": [
        "bread/index.md",
        {"Deep": ["bread/deep/index.md", {"Er": ["bread/deep/er/index.md", "bread/deep/er/1-x.md"]}]},
        *("bread/2-wheat.md", "bread/10-oats.md", "bread/10-rye.md"),
    ]
}
TOP: Nav = [*RESERVED_URIS]
TREE: Nav = [BREAD, "about.md", *TOP]


def library(pages: tuple[str, ...] = PAGES, plan: str = "") -> Library:
    """A base of these pages, and perhaps a plan."""
    return link_tree(Tree({"plans/x.md": plan.encode()} if plan else {}, {}, dict.fromkeys(pages, b"# Title\n")))


def nav_of(nav: Nav | None) -> Nav:
    """The nav as the plugin fills it."""
    return insert_tree(nav, folder_indexes(library(), named_pages(nav)))


def test_without_a_nav_the_tree_is_all_there_is() -> None:
    """Home, folders with their folders and pages in natural order, the loose pages, then INDEX and the views."""
    assert nav_of(None) == ["index.md", *TREE]


@pytest.mark.parametrize(
    ("nav", "expected"),
    [
        (["index.md", "INDEX"], ["index.md", *TREE]),
        ([{"Home": "index.md"}, {"Knowledge": "INDEX"}], [{"Home": "index.md"}, {"Knowledge": TREE}]),
        ([{"Knowledge": ["INDEX"]}], [{"Knowledge": TREE}]),
        ([{"A": [{"B": ["INDEX", "index.md"]}]}], [{"A": [{"B": [*TREE, "index.md"]}]}]),
        ([{"A": [{"B": "INDEX"}]}], [{"A": [{"B": TREE}]}]),
        (["INDEX", {"Web": "https://example.org"}], [*TREE, {"Web": "https://example.org"}]),
        (["index.md"], ["index.md"]),
        ([], []),
    ],
)
def test_the_tree_goes_where_the_nav_says_index(nav: Nav, expected: Nav) -> None:
    """As an entry, as a title's page, in any depth; a nav without a place for it is left as it is."""
    before = repr(nav)
    assert nav_of(nav) == expected
    assert repr(nav) == before


def test_what_the_nav_names_itself_is_not_in_the_tree() -> None:
    """A page stands in one place; a folder that is emptied so is not shown."""
    nav: Nav = ["index.md", {"P": "progress.md"}, {"About": ["about.md", "bread/deep/er/1-x.md"]}, "INDEX"]
    assert nav_of(nav)[3:] == [
        {"Bread": ["bread/index.md", "bread/2-wheat.md", "bread/10-oats.md", "bread/10-rye.md"]},
        *(uri for uri in TOP if uri != "progress.md"),
    ]


def test_every_page_of_the_base_is_in_the_nav() -> None:
    """Each page, written or planned, is there once, and so is the index of its folder."""
    plan = "# P\n\n## PART 1: Create bread/11-planned.md\n\n## PART 2: Create far/away/1-planned.md\n"
    text = repr(insert_tree(None, folder_indexes(library(plan=plan))))
    for uri in (*PAGES, "bread/11-planned.md", "far/away/1-planned.md", "far/index.md", "far/away/index.md"):
        assert text.count(f"'{uri}'") == 1, uri


def test_two_pages_with_one_number_stand_in_a_stable_order() -> None:
    """Numbers by value; where two are the same, the rest of the name decides, whatever order they were found in."""
    names = ["a/10-x.md", "a/10-b.md", "a/9-z.md", "a/100-a.md", "a/10b-a.md", "a/index.md"]
    expected = ["a/9-z.md", "a/10-b.md", "a/10-x.md", "a/10b-a.md", "a/100-a.md", "a/index.md"]
    for found in permutations(names):
        assert sorted(found, key=natural_order) == expected


@pytest.mark.parametrize("uri", ["", "a//b", "1", "1/2/3", "²/x.md", "٣-a.md", "a1b2", "10-½.md"])
def test_natural_order_takes_any_name(uri: str) -> None:
    """Digits of any script, and none at all, can be compared with all others."""
    assert sorted([uri, "a", "1", "z9"], key=natural_order)


def test_a_folder_with_only_its_own_page_is_in_the_tree() -> None:
    """A page `index.md` or `README.md` of a folder without other pages can be reached by the navigation."""
    pages = ("index.md", "blog/index.md", "api/README.md", "named/index.md")
    nav = ["INDEX", {"Named": "named/index.md"}]
    tree = insert_tree(nav, folder_indexes(library(pages), named_pages(nav)))
    assert {"Title": ["blog/index.md"]} in tree
    assert {"Title": ["api/README.md"]} in tree
    assert tree[-1] == {"Named": "named/index.md"}
    assert "named" not in [title for entry in tree if isinstance(entry, dict) for title in entry]


def test_a_tab_without_a_planned_page_is_beside_the_subject() -> None:
    """The tab with the tree of the base is not, planned pages in it or none; nor is a page that is no tab."""
    nav: Nav = [
        "index.md",
        {"Base": ["about.md", "INDEX"]},
        {"Bread": ["bread/2-wheat.md", {"More": ["more.md"]}]},
        {"Sources": "sources.md"},
        {"Guide": ["guide/index.md", {"Deep": [{"X": "guide/deep/x.md"}]}]},
    ]
    assert pages_beside_subject(nav, {"bread/2-wheat.md"}) == {"guide/index.md", "guide/deep/x.md"}
    assert pages_beside_subject(None, {"bread/2-wheat.md"}) == frozenset()
