"""What a page tells programs in its head, read back by an HTML parser."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.library import Entry, link_tree
from planbook.model import Page, PageUri, Tree
from planbook.views.frame import Site, meta_tags, page_head
from tests.markdown.hostile_texts import Reader

SITE = Site("The tea book", "https://tea.example/book/", "The tea people", "en")
ADDRESS = "https://tea.example/book/tea/01-water/"


# --- what is known of a page ------------------------------------------------------------------------------------------


def page(**meta: object) -> Page:
    """A page with this front matter."""
    return Page(PageUri("tea/01-water.md"), "Water", 3, "What water does to tea.", tuple(meta.items()))


def known(page_: Page, entry: Entry | None = None, site: Site = SITE) -> dict[str, list[str]]:
    """What the tags of a page say, by name."""
    found: dict[str, list[str]] = {}
    for _, name, content in meta_tags(page_, entry, site, ""):
        found.setdefault(name, []).append(content)
    return found


def day(page_: Page, completed: str = "") -> str:
    """When a page was published, if its PART was completed at this time."""
    mark = f"[✓] PART 1: Create tea/01-water.md (Completed {completed})" if completed else "[ ] PART 1: x"
    plan = f"# Tea\n\n## PART 1: Create tea/01-water.md\n\n- {mark}\n"
    (entry,) = link_tree(Tree({"plans/tea.md": plan.encode()}, {}, {})).entries
    return "".join(known(page_, entry).get("citation_publication_date", []))


@pytest.mark.parametrize(
    ("meta", "completed", "expected"),
    [
        ({}, "", ""),
        ({}, "2026-11-19 10:00 UTC", "2026/11/19"),
        ({"created": date(2026, 11, 18)}, "2026-11-19", "2026/11/18"),
        ({"created": "2026-11-18", "updated": "2026-11-20"}, "", "2026/11/18"),
        ({"generated": {"date": "2026-11-20"}}, "2026-11-21", "2026/11/20"),
        ({"created": "2026-11-18", "generated": {"date": "2026-11-20"}}, "", "2026/11/18"),
        ({"created": "last week"}, "", ""),
        ({"reviewed": "2026-11-20"}, "", ""),
    ],
)
def test_dates_are_those_that_are_named(meta: dict[str, object], completed: str, expected: str) -> None:
    """By the page or its plan; never the day of the build, and nothing where there is none."""
    assert day(page(**meta), completed) == expected


@pytest.mark.parametrize(
    ("meta", "authors"),
    [
        ({}, ("The tea people",)),
        ({"author": "A. Person"}, ("A. Person",)),
        ({"authors": ["A. Person", {"name": "B.  Person"}, None]}, ("A. Person", "B. Person")),
    ],
)
def test_authors_are_the_pages_own_or_the_sites(meta: dict[str, object], authors: tuple[str, ...]) -> None:
    """Authors are the page's own, else the site's; a page of a site without any has no tag."""
    assert known(page(**meta))["citation_author"] == list(authors)
    assert "citation_author" not in known(page(), site=Site("Tea"))


# --- tags ---------------------------------------------------------------------------------------------------------


HARM = "</script><script>alert(1)</script><!-- <![CDATA[ ]]> &amp; \u2028 \" ' \\"


def tags_in(html: str) -> list[tuple[str, str]]:
    """The tags in a head, as a browser reads them: names and contents."""
    elements = Reader(html).elements
    assert {tag for tag, _ in elements} <= {"meta"}
    return [(found.get("name") or found.get("property") or "", found["content"] or "") for _, found in elements]


@given(st.text(min_size=1) | st.just(HARM))
def test_any_title_comes_through(title: str) -> None:
    """To the letter, and no word of it ends the tag that it stands in."""
    title = title.replace("\r", "").replace("\0", "")
    head = tags_in(page_head(replace(page(), title=title), None, SITE, ADDRESS))
    assert dict(head).get("citation_title", "") == title


def test_other_services_show_a_page_with_a_picture() -> None:
    """Its title, description and address, by the tags of Open Graph; a picture."""
    tags = dict(tags_in(page_head(page(), None, SITE, ADDRESS)))
    assert (tags["og:type"], tags["og:title"], tags["og:url"]) == ("article", tags["citation_title"], ADDRESS)
    assert tags["og:image"].endswith("/assets/planbook/card.png")


def test_no_tag_is_empty() -> None:
    """What is not known has no tag."""
    assert [name for _, name, _ in meta_tags(replace(page(), description=""), None, Site("Tea"), "")] == [
        "citation_title",
        "DC.type",
        *("og:site_name", "og:type", "og:title"),
    ]
