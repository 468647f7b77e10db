"""What a page tells programs in its head, read back by an HTML parser and a JSON-LD processor."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyld import jsonld

from generator.library import link_tree
from generator.model import Page, PageUri, Tree
from generator.views.frame import Metadata, Site, describe, meta_tags, page_head, with_head

SCHEMA = "https://schema.org/"
CONTEXT = {
    "@vocab": SCHEMA,
    **{name: {"@id": f"{SCHEMA}{name}", "@type": "@id"} for name in ("url", "sameAs")},
    **{name: {"@id": f"{SCHEMA}{name}", "@type": f"{SCHEMA}Date"} for name in ("datePublished", "dateModified")},
}
"""Of schema.org's own context, what our terms need."""

SITE = Site("The tea book", "https://tea.example/book/", "The tea people", "en")
WORKS = (
    {
        "id": "hard",
        "type": "webpage",
        "title": "Hard water",
        "publisher": "The Water Board",
        "URL": "https://water.example/hard",
        "issued": {"date-parts": [[2024, 8]]},
    },
    {
        "id": "leaf",
        "type": "article-journal",
        "title": "Of leaves",
        "author": [{"family": "Miller", "given": "Ada"}, {"literal": "The Leaf Group"}],
        "container-title": "Journal of Tea",
        "DOI": "10.1000/leaf",
        "URL": "https://journal.example/leaf",
    },
    {"id": "notes", "type": "document", "title": "Our notes"},
)
WATER = Metadata(
    "Water",
    SITE,
    "https://tea.example/book/tea/01-water/",
    "What water does to tea.",
    ("A. Person",),
    "2026-11-20",
    "2026-11-21",
    ("tea", "water"),
    WORKS,
)


def json_ld(metadata: Metadata) -> str:
    """The JSON-LD in a page's head."""
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', page_head(metadata), re.DOTALL)
    assert found
    return found[1]


def expanded(text: str) -> dict[str, Any]:
    """The one node that a JSON-LD processor finds, every term spelled out; it asks nobody for the context."""

    def load(url: str, options: object) -> dict[str, Any]:
        assert url == "https://schema.org"
        return {"contextUrl": None, "documentUrl": url, "document": {"@context": CONTEXT}}

    (node,) = jsonld.expand(json.loads(text), {"documentLoader": load})
    assert isinstance(node, dict)
    return node


def values(node: dict[str, Any], term: str) -> list[Any]:
    """What a node says for a term of schema.org: texts, addresses, or nodes."""
    return [value.get("@value") or value.get("@id") or value for value in node.get(f"{SCHEMA}{term}", [])]


# --- what is known of a page ------------------------------------------------------------------------------------------


def page(**meta: object) -> Page:
    """A page with this front matter."""
    return Page(PageUri("tea/01-water.md"), "Water", 3, "What water does to tea.", tuple(meta.items()))


def dates(page_: Page, completed: str = "") -> tuple[str, str]:
    """When a page was published and changed, if its PART was completed at this time."""
    mark = f"[✓] PART 1: Create tea/01-water.md (Completed {completed})" if completed else "[ ] PART 1: x"
    plan = f"# Tea\n\n## PART 1: Create tea/01-water.md\n\n- {mark}\n"
    (entry,) = link_tree(Tree({"plans/tea.md": plan.encode()}, {}, {})).entries
    found = describe(page_, entry, SITE, "")
    return found.published, found.modified


@pytest.mark.parametrize(
    ("meta", "completed", "expected"),
    [
        ({}, "", ("", "")),
        ({}, "2026-11-19 10:00 UTC", ("2026-11-19", "")),
        ({"created": date(2026, 11, 18)}, "2026-11-19", ("2026-11-18", "")),
        ({"created": "2026-11-18", "updated": "2026-11-20"}, "", ("2026-11-18", "2026-11-20")),
        ({"created": "2026-11-18", "updated": "2026-11-17"}, "", ("2026-11-18", "")),
        ({"generated": {"date": "2026-11-20"}}, "2026-11-21", ("2026-11-20", "")),
        ({"created": "2026-11-18", "generated": {"date": "2026-11-20"}}, "", ("2026-11-18", "2026-11-20")),
        ({"created": "last week"}, "", ("", "")),
        ({"reviewed": "2026-11-20"}, "", ("", "")),
    ],
)
def test_dates_are_those_that_are_named(meta: dict[str, object], completed: str, expected: tuple[str, str]) -> None:
    """By the page or its plan; never the day of the build, and nothing where there is none."""
    assert dates(page(**meta), completed) == expected


@pytest.mark.parametrize(
    ("meta", "authors"),
    [
        ({}, ("The tea people",)),
        ({"author": "A. Person"}, ("A. Person",)),
        ({"authors": ["A. Person", {"name": "B.  Person"}, None]}, ("A. Person", "B. Person")),
    ],
)
def test_authors_are_the_pages_own_or_the_sites(meta: dict[str, object], authors: tuple[str, ...]) -> None:
    """As themes read them."""
    assert describe(page(**meta), None, SITE, "").authors == authors
    assert describe(page(), None, Site("Tea"), "").authors == ()


# --- JSON-LD ----------------------------------------------------------------------------------------------------------


def test_a_page_is_a_technical_article_with_what_it_cites() -> None:
    """Every fact is where schema.org has it."""
    node = expanded(json_ld(WATER))
    assert node["@type"] == [f"{SCHEMA}TechArticle"]
    assert {term: values(node, term) for term in ("headline", "description", "url", "inLanguage", "keywords")} == {
        "headline": ["Water"],
        "description": ["What water does to tea."],
        "url": ["https://tea.example/book/tea/01-water/"],
        "inLanguage": ["en"],
        "keywords": ["tea", "water"],
    }
    assert (values(node, "datePublished"), values(node, "dateModified")) == (["2026-11-20"], ["2026-11-21"])
    assert [values(author, "name") for author in node[f"{SCHEMA}author"]] == [["A. Person"]]
    (site,) = node[f"{SCHEMA}isPartOf"]
    assert (site["@type"], values(site, "name")) == ([f"{SCHEMA}WebSite"], ["The tea book"])


def test_each_work_is_cited_by_its_address() -> None:
    """The DOI if it has one; a work without one by its title. What else is known is in the page's downloads."""
    assert expanded(json_ld(WATER))[f"{SCHEMA}citation"] == [
        {"@id": "https://water.example/hard"},
        {"@id": "https://doi.org/10.1000/leaf"},
        {f"{SCHEMA}name": [{"@value": "Our notes"}]},
    ]


def test_a_site_without_an_address_claims_none() -> None:
    """Nor dates, people or works that nobody named."""
    node = expanded(json_ld(Metadata("Water", Site("Tea"))))
    assert set(node) == {"@type", f"{SCHEMA}headline", f"{SCHEMA}isPartOf"}


def test_an_address_that_is_none_of_the_web_is_not_given() -> None:
    """Programs follow what stands there."""
    work = {"id": "x", "title": "X", "URL": "javascript:alert(1)"}
    assert "javascript" not in json_ld(replace(WATER, works=(work,)))


HARM = "</script><script>alert(1)</script><!-- <![CDATA[ ]]> &amp; \u2028 \" ' \\"


class Head(HTMLParser):
    """What a browser makes of the tags in a head."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, str]] = []
        self.scripts: list[str] = []
        self.starts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag."""
        self.starts.append(tag)
        found = dict(attrs)
        if tag == "meta":
            self.tags.append((found.get("name") or found.get("property") or "", found["content"] or ""))
        else:
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        """Take what a script says."""
        if self.scripts:
            self.scripts[-1] += data


def test_no_word_of_a_page_ends_the_script() -> None:
    """Whatever a title says, there is one script, and it says the title to the letter."""
    head = Head(page_head(replace(WATER, title=HARM, description=HARM, works=({"id": "x", "title": HARM},))))
    assert head.starts == ["meta"] * len(head.tags) + ["script"]
    node = expanded(head.scripts[0])
    assert values(node, "headline") == [HARM]
    assert ("citation_title", HARM) in head.tags
    assert "<!--" not in head.scripts[0]


@given(st.text(min_size=1))
def test_any_title_comes_through(title: str) -> None:
    """As JSON that cannot end what it stands in."""
    text = json_ld(Metadata(title, Site("Tea")))
    assert json.loads(text)["headline"] == title
    assert not set("<>&") & set(text)


def test_the_tags_stand_in_the_head_of_any_theme() -> None:
    """At its end; a document without one is left alone."""
    assert with_head("<head><title>x</title></head><body></head>", "<meta>") == (
        "<head><title>x</title><meta></head><body></head>"
    )
    assert with_head("no document", "<meta>") == "no document"


# --- Highwire ---------------------------------------------------------------------------------------------------------


def zotero(tags: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What Zotero's "Embedded Metadata" takes from the tags of a page, by its rules: the type, and the fields."""
    found = dict(tags)
    guess = "journalArticle" if "citation_title" in found else "webpage"
    return {
        "type": found.get("DC.type", guess),
        "title": found["citation_title"],
        "authors": [content for name, content in tags if name == "citation_author"],
        "date": found.get("citation_publication_date") or found.get("citation_online_date"),
        "url": found.get("citation_public_url"),
        "site": found.get("og:site_name"),
        "language": found.get("citation_language"),
    }


def test_zotero_saves_a_page_as_the_web_page_that_it_is() -> None:
    """With its title, people, date, address and site."""
    head = Head(page_head(WATER))
    assert zotero(head.tags) == {
        "type": "webpage",
        "title": "Water",
        "authors": ["A. Person"],
        "date": "2026/11/20",
        "url": "https://tea.example/book/tea/01-water/",
        "site": "The tea book",
        "language": "en",
    }
    assert ("citation_abstract", "What water does to tea.") in head.tags
    assert ("citation_keywords", "tea; water") in head.tags


def test_no_tag_is_empty() -> None:
    """What is not known has no tag."""
    assert [name for _, name, _ in meta_tags(Metadata("Water", Site("Tea")))] == [
        "citation_title",
        "DC.type",
        "og:site_name",
    ]
