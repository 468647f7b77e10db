"""The Sources page and the lines of backlinks."""

from __future__ import annotations

import re

from planbook.citations.report import SourceResult, SourceStatus
from planbook.library import SOURCES, Library, link_tree
from planbook.model import PageUri, Reference, Tree
from planbook.views.bibliography.sources import PAGE_ELEMENTS, source_pages, sources_pages
from planbook.views.bibliography.works import CitedWork, CitingPage, Use
from planbook.views.frame import Neighbour, neighbours, neighbours_list
from tests.views.checked import result

RYE = """# Rye

From [Rye, a history](https://www.rye.example/a/) (accessed 2026-01-02):
- old

See [oats](2-oats.md).

## Sources

- [Rye, a history](http://rye.example/a)
- "Our own notes on <b>rye</b>": https://rye.example/notes
"""
OATS = "# Oats\n\nFrom [Rye](https://rye.example/a) (accessed 2026-11-20), and [Oats](https://oats.example):\n\n- x\n"
PLAN = "# Bread\n\n## PART 1: Create bread/2-oats.md\n\n- [ ] PART 1: Create bread/2-oats.md\n"


def elements(html: str) -> int:
    """The number of HTML elements."""
    return len(re.findall(r"<[a-z]", html))


def library() -> Library:
    """Two pages that share a work."""
    pages = {"bread/1-rye.md": RYE.encode(), "bread/2-oats.md": OATS.encode()}
    return link_tree(Tree({"plans/bread.md": PLAN.encode()}, {}, pages))


def page_of(*works: CitedWork) -> str:
    """The Sources page of these works."""
    return sources_pages(works, source_pages(works), lambda page: lambda uri: f"../{uri}")[SOURCES]


def work(title: str, url: str | None, check: SourceResult | None = None, pages: int = 1) -> CitedWork:
    """A work that as many pages cite."""
    reference = Reference("x", title, url)
    uses = tuple(
        Use(CitingPage(PageUri(f"a/{n}.md"), f"Page {n}", (reference,), None), reference, {}, check)
        for n in range(pages)
    )
    return CitedWork(url or title, uses)


def test_a_base_without_works_says_so() -> None:
    """The page of sources says that no works are cited."""
    assert "No works are cited in this base yet." in page_of()


def test_each_site_can_be_chosen_by_its_own_address() -> None:
    """Links lead to anchors that are there, and no two sites share one."""
    page = page_of(*(work(host, f"https://{host}/") for host in ("a-b.example", "a.b.example", "[::1]", "ü.example")))
    links = re.findall(r'href="#([^"]+)"', page)
    assert len(links) == len(set(links)) == 5
    assert set(links) == set(re.findall(r' id="((?:site|all)-[^"]*)"', page))


def test_statuses_can_be_chosen_where_there_are_several() -> None:
    """Each with its number; a base whose works are all alike has nothing to choose."""
    gone, moved = (result(SourceStatus.GONE), result(SourceStatus.MOVED, "2026-11-19", moved_to="https://new.example/"))
    page = page_of(
        work("A", "https://a.example/", gone), work("B", "https://b.example/", moved), work("C", None), work("D", None)
    )
    assert re.findall(r'value="(\w+)".*?<b>(\d+)</b>', page) == [
        ("all", "4"),
        ("moved", "1"),
        ("gone", "1"),
        ("offweb", "2"),
    ]
    assert "1 of 2 works checked from 19\xa0Nov\xa02026 to 20\xa0Nov\xa02026, 1 gone, 2 not on the web." in page
    none = page_of(work("A", "https://a.example/", gone), work("B", "https://b.example/", gone))
    assert "0 of 2 works checked on 20\xa0Nov\xa02026, 2 gone." in none
    assert "<fieldset" not in page_of(work("C", None), work("D", None))


def test_what_was_found_out_stands_beside_the_work() -> None:
    """The day, the quotes that stand in it, the new address; "not checked" where nobody asked."""
    check = result(SourceStatus.MISSING, quotes={"q1": True, "q2": False}, moved_to="https://new.example/")
    page = page_of(work("A", "https://a.example/", check), work("B", "https://b.example/"))
    assert page.count('<span class="pb-check">') == 2
    assert '<span class="pb-check">not checked</span>' in page
    assert "quote not found (20\xa0Nov\xa02026)</span> 1 of 2 quotes found · now at <a" in page
    assert "None of them was checked yet" not in page
    assert "None of them was checked yet" in page_of(work("B", "https://b.example/"))


def test_a_new_address_that_is_none_is_no_link() -> None:
    """What a host answers is anybody's."""
    check = result(SourceStatus.MOVED, moved_to="javascript:alert(1)")
    assert "javascript" not in page_of(work("A", "https://a.example/", check))


def test_many_sites_and_many_pages_stand_folded() -> None:
    """The first few are in sight; a large base has its sites folded."""
    few = page_of(*(work(f"W{n}", f"https://s{n}.example/", pages=6) for n in range(20)))
    assert "<summary><b>12</b> more sites</summary>" in few
    assert few.count("<summary>and 2 more pages</summary>") == 20
    assert "<summary>and 1 more page</summary>" in page_of(work("W", "https://s.example/", pages=5))
    assert few.count('<details class="pb-site" open>') == 20
    assert '<details class="pb-site" open>' not in page_of(
        *(work(f"W{n}", f"https://s.example/{n}") for n in range(61))
    )


def test_a_page_shows_its_neighbours() -> None:
    """With the pages that link to it, and those that it links to; nothing where there are none."""
    to, of = (
        neighbours_list(neighbours(library().linked(), uri, str)) for uri in ("bread/2-oats.md", "bread/1-rye.md")
    )
    assert '<strong>Linked from</strong> <a href="bread/1-rye.md">' in to
    assert '<strong>Links to</strong> <a href="bread/2-oats.md">' in of
    assert neighbours_list(((), ())) == ""


def test_a_hub_folds_its_neighbours() -> None:
    """Those beyond the first twenty of each kind; each is a link, with what a reader must know of it."""
    rows = tuple(Neighbour(f"Page {n}", f"../{n}/", "plan", is_written=False) for n in range(100))
    html = neighbours_list((rows[:20], rows[20:]))
    assert html.count("<a href=") == html.count("</a> (by its plan) (not written yet)") == 100
    assert html.count("<details") == html.count("</details>") == 1
    assert "<summary>60 more</summary>" in html


# --- a large base -----------------------------------------------------------------------------------------------------

MANY = [work(f"W{n}", f"https://s{n % 90}.example/{n}" if n % 3 else f"https://big.example/{n}") for n in range(1_200)]


def test_works_of_a_large_base_are_on_numbered_pages() -> None:
    """Each work once, no page heavier than it may be, and the first page leads to each site's works."""
    pages = source_pages(MANY)
    texts = sources_pages(MANY, pages, lambda page: lambda uri: uri)
    assert list(texts) == [SOURCES, *(f"sources/{n}.md" for n in range(1, len(pages) + 1))]
    listed = [
        title for uri in pages for title in re.findall(r'<li data-check="\w+"[^>]*><span><a [^>]*>(W\d+)<', texts[uri])
    ]
    assert sorted(listed) == sorted(work.reference.title for work in MANY)
    assert all(elements(text) < PAGE_ELEMENTS + 100 for text in texts.values())
    links = re.findall(r'<li><a href="(sources/\d+\.md)#([^"]+)"[^>]*>(\S+)', texts[SOURCES])
    assert len({site for _, _, site in links}) == len(links) == len({work.site for work in MANY})
    assert all(f'id="{anchor}"' in texts[PageUri(uri)] for uri, anchor, _ in links)
    assert f"1,200 works at {len(links)} sites" in texts[SOURCES]
    assert "Page 2 of" in texts[PageUri("sources/2.md")]


def test_an_authors_page_is_not_overwritten() -> None:
    """A numbered page steps aside."""
    assert next(iter(source_pages(MANY, ["sources/1.md"]))) == "sources/1-2.md"
