"""The Sources page and the lines of backlinks."""

from __future__ import annotations

import re

from generator.library import Library, link_tree
from generator.model import Tree
from generator.views.banner import backlinks_line
from generator.views.sources import NO_SITE, sources_page, works

RYE = """# Rye

From [Rye, a history](https://www.rye.example/a/) (accessed 2026-01-02):
- old

See [oats](2-oats.md).

## Sources

- [Rye, a history](http://rye.example/a)
- Our own notes on <b>rye</b>
"""
OATS = "# Oats\n\nFrom [Rye](https://rye.example/a) (accessed 2026-11-20), and [Oats](https://oats.example):\n\n- x\n"
PLAN = "# Bread\n\n## PART 1: Create bread/2-oats.md\n\n- [ ] PART 1: Create bread/2-oats.md\n"


BASE = ("bread/1-rye.md", "bread/2-oats.md")


def library() -> Library:
    """Two pages that share a work."""
    pages = {"bread/1-rye.md": RYE.encode(), "bread/2-oats.md": OATS.encode()}
    return link_tree(Tree({"plans/bread.md": PLAN.encode()}, {}, pages))


def test_a_work_stands_once_with_all_its_pages() -> None:
    """Spellings of one address are one work; the access date is the latest."""
    found = {work.reference.title: work for work in works(library(), BASE)}
    rye = found["Rye, a history"]
    assert [page.uri for page in rye.pages] == ["bread/1-rye.md", "bread/2-oats.md"]
    assert rye.reference.accessed == "2026-11-20"
    assert found["Oats"].site == "oats.example"
    assert {work.site for work in found.values()} == {"rye.example", "oats.example", NO_SITE}


def test_links_within_the_base_are_no_works() -> None:
    """They are drawn on the link graph."""
    assert not any((work.reference.url or "").endswith(".md") for work in works(library(), BASE))


def test_the_page_names_every_work_and_escapes_it() -> None:
    """By site, with links to the pages that cite."""
    page = sources_page(library(), BASE, lambda uri: f"../{uri}")
    assert re.findall(r"<summary>([^ ]+)", page) == ["oats.example", "rye.example", "without"]
    assert 'href="../bread/1-rye.md"' in page
    assert "<b>rye</b>" not in page
    assert "**3 works** at 3 sites, cited by 2 pages." in page


def test_pages_beside_the_base_do_not_count() -> None:
    """A guide that names works is no page of the base."""
    assert len(works(library(), BASE[1:])) == 2


def test_a_base_without_works_says_so() -> None:
    """No empty list."""
    assert "No page of this base cites a work yet." in sources_page(link_tree(Tree({}, {}, {})), (), str)


def test_a_page_that_links_and_reads_counts_once() -> None:
    """Of two ways from one page to another, the link is kept."""
    plan = PLAN + "\n## PART 2: Create bread/1-rye.md\n\n- [ ] PART 2: Create bread/1-rye.md\n\n"
    plan += "**Step 0: Check existing knowledge**\n- [ ] Read bread/2-oats.md\n"
    pages = {"bread/1-rye.md": RYE.encode(), "bread/2-oats.md": OATS.encode()}
    linked = link_tree(Tree({"plans/bread.md": plan.encode()}, {}, pages))
    assert [(e.source, e.kind) for e in linked.backlinks["bread/2-oats.md"]] == [("bread/1-rye.md", "link")]


def test_backlinks_name_the_pages_that_lead_here() -> None:
    """A line with a link to each; nothing where none leads."""
    assert ">Rye</a>" in backlinks_line(library(), "bread/2-oats.md", str)
    assert backlinks_line(library(), "bread/1-rye.md", str) == ""
