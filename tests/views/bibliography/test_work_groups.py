"""Works by kind and organisation, and those that are quoted most."""

from __future__ import annotations

import pytest

from planbook.model import PageUri, Reference
from planbook.views.bibliography.work_groups import (
    MAX_MUCH_QUOTED,
    MIN_SITES,
    MIN_WORKS,
    kind_of,
    most_quoted,
    organisation_of,
    organisations,
)
from planbook.views.bibliography.works import NO_SITE, CitedWork, CitingPage, Use

COMMIT = "0" * 40


def work(url: str, csl_type: str = "webpage", quotes: int = 0, title: str = "T") -> CitedWork:
    """A work that one page cites with some quotes."""
    texts = tuple((f"q{n}", f"quote {n}") for n in range(quotes))
    reference = Reference("x", title, url, quotes=texts)
    page = CitingPage(PageUri("a/1.md"), "A", (reference,), None)
    return CitedWork(url, (Use(page, reference, {"type": csl_type}, None),))


@pytest.mark.parametrize(
    ("url", "csl_type", "kind"),
    [
        (f"https://github.com/rye/oven/blob/{COMMIT}/oven.py", "webpage", "code"),
        (f"https://github.com/rye/oven/blob/{COMMIT}/docs/oven.rst", "software", "documentation"),
        ("https://github.com/rye/oven", "software", "code"),
        ("https://github.com/rye/oven/issues/7", "webpage", "discussion"),
        ("https://forums.example/t/7", "webpage", "discussion"),
        ("https://rye.example/7", "post", "discussion"),
        ("https://rye.example/7", "post-weblog", "documentation"),
        ("https://rye.example/paper.pdf", "article-journal", "paper"),
        ("https://docs.rye.example/", "webpage", "documentation"),
    ],
)
def test_a_work_has_a_kind(url: str, csl_type: str, kind: str) -> None:
    """Its address says more than its type."""
    assert kind_of(work(url, csl_type)) == kind


@pytest.mark.parametrize(
    ("site", "organisation"),
    [
        ("github.com/Rye/oven", "rye"),
        ("docs.rye.example", "rye"),
        ("rye.example", "rye"),
        ("www.rye.co.uk", "rye"),
        ("rye.github.io", "rye"),
        ("localhost", "localhost"),
        (NO_SITE, ""),
    ],
)
def test_a_site_belongs_to_an_organisation(site: str, organisation: str) -> None:
    """Its repositories and its hosts have one."""
    assert organisation_of(site) == organisation


def test_organisations_with_several_sites_come_first() -> None:
    """Those with most works, below the name that they write; then the others, and few sites have no groups."""
    names = ["github.com/Rye/oven", "docs.rye.example", "b.oats.example", "a.oats.example", NO_SITE]
    names += [f"s{n}.example" for n in range(MIN_SITES)]
    sites = [(name, f"site-{name}", [work(f"https://{name}/")] * (3 if "oats" in name else 1)) for name in names]
    groups = organisations(sites)
    assert [(group.name, len(group.sites)) for group in groups] == [
        ("oats.example", 2),
        ("Rye", 2),
        ("", MIN_SITES + 1),
    ]
    assert groups[0].checked == 0
    assert groups[0].last_check == ""
    assert [group.name for group in organisations(sites[:4])] == [""]


def test_the_works_that_are_quoted_most_come_first() -> None:
    """Of a base with many works; one quote is no reason."""
    works = [work(f"https://s{n}.example/", quotes=n % 12) for n in range(MIN_WORKS)]
    counts = [len(each.quotes) for each in most_quoted(works)]
    assert counts == sorted(counts, reverse=True)
    assert len(counts) == MAX_MUCH_QUOTED
    assert most_quoted(works[:-1]) == []
    assert most_quoted([work(f"https://s{n}.example/", quotes=1) for n in range(MIN_WORKS)]) == []
