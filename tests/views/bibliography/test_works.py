"""Every work that the base cites."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from planbook.citations.references import is_work
from planbook.citations.report import SourceResult, SourceStatus
from planbook.library import Library, link_tree
from planbook.model import Reference, Tree
from planbook.views.bibliography.sources import source_pages, sources_pages
from planbook.views.bibliography.works import (
    CitedWork,
    repository_of,
    site_items,
    site_of,
    works,
)
from planbook.views.checks import PageCheck
from planbook.views.trust import trust
from tests.views.checked import result

RYE = """---
references:
  - id: history
    type: book
    title: Rye, a history
    author: [{family: Miller, given: Ada}]
    URL: https://www.rye.example/a/
---

# Rye

Old [@history]. See [oats](2-oats.md).

## Sources

- Miller: "Our own notes on <b>rye</b>"
- [The field guide](https://github.com/rye/rye/blob/main/GUIDE.md)
"""
OATS = """# Oats

From [Rye](http://rye.example/a) (accessed 2026-11-20), and [Oats](https://oats.example) (accessed 2026-11-19):

- x
"""
BASE = ("bread/1-rye.md", "bread/2-oats.md")


def library(**pages: str) -> Library:
    """Pages by name; without any, two pages that share a work."""
    texts = pages or {"1-rye": RYE, "2-oats": OATS}
    return link_tree(Tree({}, {}, {f"bread/{name}.md": text.encode() for name, text in texts.items()}))


def written(id_: str, title: str, url: str) -> str:
    """A page whose front matter names one work."""
    return f"---\nreferences:\n  - {{id: {id_}, title: {title}, URL: '{url}'}}\n---\n\n# P\n\nA [@{id_}].\n"


def test_a_work_stands_once_with_all_its_pages() -> None:
    """Spellings of one address are one work; title and words are those of who says most, the day is the latest."""
    found = {work.reference.title: work for work in works(library(), BASE)}
    rye = found["Rye, a history"]
    assert [page.uri for page in rye.pages] == list(BASE)
    assert rye.reference.accessed == "2026-11-20"
    assert rye.item["author"] == [{"family": "Miller", "given": "Ada"}]
    assert {work.site for work in found.values()} == {"rye.example", "oats.example", "github.com/rye/rye"}


def test_documents_of_one_title_are_works_of_their_own() -> None:
    """Local documents without an address are told apart by their paths, which readers see beside the titles."""
    item = "  - {{id: {0}, type: document, title: Configuration, custom: {{file: documents/{0}.md}}}}\n"
    one = f"---\nreferences:\n{item.format('tls')}{item.format('jetstream')}---\n\n# P\n\nA [@tls]. B [@jetstream].\n"
    other = f"---\nreferences:\n{item.format('tls')}---\n\n# Q\n\nA [@tls].\n"
    base = library(**{"1-rye": one, "2-oats": other})
    found = works(base, BASE)
    assert [(work.reference.file, len(work.pages)) for work in found] == [
        ("documents/tls.md", 2),
        ("documents/jetstream.md", 1),
    ]
    pages = source_pages(found, frozenset())
    (text,) = sources_pages(found, pages, lambda page: lambda uri: uri).values()
    assert "<cite>Configuration</cite> <code>documents/tls.md</code>" in text


def test_links_within_the_base_are_no_works() -> None:
    """They are drawn on the link graph; a Markdown file on another host is a work all the same."""
    found = [work.reference.url for work in works(library(), BASE)]
    assert "2-oats.md" not in found
    assert "https://github.com/rye/rye/blob/main/GUIDE.md" in found


@pytest.mark.parametrize("url", ["a.md", "../b/a.md#top", "a.md:10-20"])
def test_an_address_in_the_base_is_no_work(url: str) -> None:
    """It is none with an anchor or lines behind it, either."""
    assert not is_work(Reference("a", "A", url))


def test_a_host_that_is_none_stops_nothing() -> None:
    """Addresses come from pages by many hands."""
    assert site_of("http://[::1") == site_of(None) == site_of("notes") == ""
    assert site_of("https://www.rye.example:8000/a") == "rye.example"


# --- ids ------------------------------------------------------------------------------------------------------------


def ids(*pages: tuple[str, str]) -> dict[str, str]:
    """The id in the site's file of each work, by its address; a page says which id it has for which."""
    texts = {f"{n}-p": written(name, "T", f"https://{host}.example/") for n, (name, host) in enumerate(pages)}
    base = [f"bread/{name}.md" for name in texts]
    return {item["URL"].split("//")[1][0]: item["id"] for item in site_items(works(library(**texts), base))}


def test_an_id_that_two_works_have_belongs_to_neither() -> None:
    """Both get signs of their own, which do not depend on the order of the pages."""
    found = ids(("x", "a"), ("x", "b"), ("y", "c"))
    assert found["c"] == "y"
    assert found["a"] != found["b"]
    assert all(name.startswith("x-") and len(name) == 6 for name in (found["a"], found["b"]))
    assert ids(("x", "b"), ("y", "c"), ("x", "a")) == found


def test_an_id_never_comes_to_mean_another_work() -> None:
    """More pages can only take an id from a work, not give it to another one."""
    pages = [("x", "a"), ("z", "a"), ("z", "a"), ("x", "b"), ("y", "b"), ("y", "b"), ("x", "c")]
    seen: dict[str, str] = {}
    for n in range(1, len(pages) + 1):
        for host, name in ids(*pages[:n]).items():
            assert seen.setdefault(name, host) == host


def test_a_work_has_the_id_that_most_pages_have_for_it() -> None:
    """Of two that are as frequent, it has the first in the alphabet."""
    assert ids(("x", "a"), ("y", "a"), ("y", "a")) == {"a": "y"}
    assert ids(("y", "a"), ("x", "a")) == {"a": "x"}


# --- checks -----------------------------------------------------------------------------------------------------------


def shared_work(*found: SourceResult) -> CitedWork:
    """One work of as many pages, each with its own check."""
    texts = {f"{n}-p": written("x", "T", "https://a.example/") for n in range(len(found))}
    base = [f"bread/{name}.md" for name in texts]
    pages = [PageCheck("2026-11-20", "", 0, {"x": check}) for check in found]
    checks = dict(zip(base, pages, strict=True))
    (work,) = works(library(**texts), base, checks)
    return work


def test_whether_a_work_is_there_is_what_was_seen_last() -> None:
    """An older check does not say that it is gone, or that it lives."""
    old, new = result(SourceStatus.GONE, "2026-11-19"), result(SourceStatus.VERIFIED)
    assert shared_work(old, new).check == shared_work(new, old).check == new
    later = result(SourceStatus.GONE, "2026-11-21")
    assert shared_work(new, later).check == later


def test_what_one_page_misses_in_a_work_is_told() -> None:
    """Another page's good check does not take it back."""
    missing, live = result(SourceStatus.MISSING, "2026-11-19"), result(SourceStatus.VERIFIED)
    assert shared_work(live, missing, result(SourceStatus.CHANGED)).check == missing


def test_a_page_that_was_not_checked_says_nothing_of_its_works() -> None:
    """Neither do checks of other ids."""
    (work,) = works(library(**{"1-p": written("x", "T", "https://a.example/")}), ["bread/1-p.md"])
    assert work.check is None


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        ("https://github.com/rye/oven/blob/main/a.py#L3", "github.com/rye/oven"),
        ("https://www.github.com/rye/oven", "github.com/rye/oven"),
        ("https://gitlab.com/rye/oven/-/issues/1", "gitlab.com/rye/oven"),
        ("https://raw.githubusercontent.com/rye/oven/main/a.py", "github.com/rye/oven"),
        ("https://github.com/rye", ""),
        ("https://rye.example/github.com/oven", ""),
        ("http://[", ""),
        (None, ""),
    ],
)
def test_works_of_a_repository_stand_together(url: str | None, repository: str) -> None:
    """Of a host of repositories, the owner and the name are the site."""
    assert repository_of(url) == repository


def test_quotes_that_were_not_compared_are_no_missing_ones() -> None:
    """The home page counts those apart whose source could not be read, or that are newer than its check."""
    quoting = RYE.replace("    URL: https", "    custom: {quotes: {q1: Old rye, q2: Older rye}}\n    URL: https")
    base = link_tree(Tree({}, {}, {"bread/1-rye.md": quoting.encode()}))
    for checked, told in (
        ({"q1": True, "q2": True}, "**2 of 2 quotes** found word for word. No"),
        ({"q1": True}, "**1 of 1 compared quote** found word for word; 1 waits for the next check. No"),
        ({"q1": True, "q2": False}, "**1 of 2 quotes** found word for word. No"),
        ({}, "No quote was compared; 2 are in works that could not be read offline. No"),
    ):
        history = replace(result(SourceStatus.VERIFIED, quotes=checked), offline=not checked)
        checks = {"bread/1-rye.md": PageCheck("2026-11-20", "", 2, {"history": history})}
        assert told in trust(base, ["bread/1-rye.md"], checks)
