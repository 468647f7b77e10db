"""The link graph page: a table of the most linked pages, with the links of the base."""

from __future__ import annotations

import re

from planbook.library import Library, link_tree
from planbook.model import Tree
from planbook.views.folders import folder_indexes
from planbook.views.generated import MAX_NAMED_PAGES, MAX_ROWS, graph_page, link_graph

HOSTILE = "</title><script>alert('1')</script> & \"A\" <b>| `x` [y](z) {: #a } ]]> 漢字 <!-- x -->"


def base(pages: dict[str, str], plan: str = "") -> Library:
    """A base with these pages."""
    plans = {"plans/bread.md": plan.encode()} if plan else {}
    return link_tree(Tree(plans, {}, {uri: text.encode() for uri, text in pages.items()}))


def page_of(library: Library) -> str:
    """The page of the base."""
    return graph_page(link_graph(library.linked(), folder_indexes(library)))


def rows(page: str) -> list[list[str]]:
    """The cells of each row of the table."""
    return [re.split(r" (?<!\\)\| ", line.strip("| \n")) for line in page.splitlines() if line.startswith("| [")]


def test_a_large_base_has_a_short_table() -> None:
    """The most linked pages, each with a bounded number of names; what is left out is counted."""
    count = MAX_ROWS + 50
    pages = {f"a/{n}.md": f"# Page {n}\n\n[hub](0.md) and [next]({n + 1}.md)\n" for n in range(count)}
    page = page_of(base(pages))
    found = rows(page)
    assert len(found) == MAX_ROWS
    assert found[0][1].startswith(f"{count - 1}: [Page 1](a/1.md), ")
    assert found[0][1].endswith(f" and {count - 1 - MAX_NAMED_PAGES} more")
    assert page.endswith("\n50 pages with fewer links left out.\n")


def test_a_hostile_title_is_text() -> None:
    """It makes no HTML, and no other cell."""
    pages = {"a.md": f"---\ntitle: {HOSTILE!r}\n---\n\n[b](b.md)\n", "b.md": "# B\n\n[a](a.md)\n"}
    page = page_of(base(pages))
    assert "<" not in page.partition("# Link graph")[2]
    assert [len(row) for row in rows(page)] == [3, 3]
