"""The progress page and its JSON count what the Library holds, and say the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from planbook.citations.report import SourceStatus
from planbook.library import Library, link_tree
from planbook.model import Tree
from planbook.store import Settings, read_tree
from planbook.views.checks import PageCheck
from planbook.views.index import anchor
from planbook.views.progress import own_progress_pages, plan_pages, progress_page, progress_to_json
from tests.markdown.outline import built
from tests.plugin.conftest import SITE
from tests.views.checked import result


@pytest.fixture(scope="module")
def library() -> Library:
    """The base of the small complete site."""
    return link_tree(read_tree(Settings(SITE)))


def numbers(html: str) -> list[str]:
    """The numbers of the PARTs in the rows of a page."""
    cells = re.findall(r'<t[hd][^>]*data-label="No."[^>]*>(.*?)</t[hd]>', html, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", cell).strip() for cell in cells]


def page_of(library: Library) -> str:
    """The progress page as HTML."""
    return built(progress_page(library, lambda page: str, plan_pages(library), {}).split("---\n", 2)[2])


# ---------------------------------------------------------------------------------------------- JSON


def test_cited_sources_are_counted_by_status() -> None:
    """Of planned pages, from the results of `planbook verify`; a work that nobody checked is counted as such."""
    plan = b"# P\n\n## PART 1: Create a/1-x.md\n\n- [ ] PART 1: Create a/1-x.md\n"
    page = b"# X\n\nText.\n\n## Sources\n\n- [A](https://a.example/)\n- [B](https://b.example/)\n"
    base = link_tree(Tree({"plans/p.md": plan}, {}, {"a/1-x.md": page}))
    (first, _) = base.pages[0].references
    check = PageCheck("2026-11-20", "", 0, {first.id: result(SourceStatus.PINNED)})
    assert progress_to_json(base, {})["totals"]["sources"] == {"unchecked": 2}
    told = progress_to_json(base, {"a/1-x.md": check})
    assert told["totals"]["sources"] == {"pinned": 1, "unchecked": 1}
    assert told["plans"][0]["parts"][0]["pages"][0]["sources"] == told["totals"]["sources"]


def test_headings_with_boxes_lack_no_page() -> None:
    """They count by their boxes, and among the PARTs that have a page only where they name one."""
    tasks = b"# Heat\n\n## 1. Oven\n\n- [x] Buy\n\n## 2. Use\n\n- [ ] Heat\n"
    alone = page_of(link_tree(Tree({"plans/heat.md": tasks}, {}, {})))
    assert "The plans mark <strong>1 of 2 items</strong> as done.</p>" in alone
    assert "page missing" not in alone
    plan = b"# P\n\n## PART 1: Create a/1-x.md\n\n- [x] PART 1: Create a/1-x.md\n"
    both = page_of(link_tree(Tree({"plans/heat.md": tasks, "plans/p.md": plan}, {}, {})))
    assert "<strong>2 of 3 items</strong> as done. 1 item names a page; 0 are written." in both
    assert "1 done, page missing" in both


COLLECTED = b"---\ngenerated: {writer: extract, date: 2026-11-20}\n---\n\n# X\n\nPassages.\n"


def test_collected_passages_are_counted_apart() -> None:
    """In the row of their PART, in the summary and in the data; a page that somebody wrote is none."""
    plan = b"# P\n\n" + b"".join(
        b"## PART %d: Create a/%d.md\n\n- [x] PART %d: Create a/%d.md\n\n" % (n, n, n, n) for n in (1, 2)
    )
    pages = {"a/1.md": COLLECTED, "a/2.md": b"# Y\n\nWritten.\n"}
    library = link_tree(Tree({"plans/p.md": plan}, {}, pages))
    found = page_of(library)
    assert "1 page consists of collected passages: nobody has written it yet." in found
    assert found.count('<span class="pb-path">collected passages</span>') == 1
    data = progress_to_json(library, {})
    assert data["totals"]["collected"] == 1
    assert [part["pages"][0]["collected"] for part in data["plans"][0]["parts"]] == [True, False]
    assert progress_to_json(library.counted(), {})["totals"]["collected"] == 1


def test_the_projection_counts_what_the_library_has() -> None:
    """The data of a build, which counts a projection, is that of `planbook status`, with local documents."""
    plan = b"# P\n\n## PART 1: Create a/1-x.md\n\n- [x] PART 1: Create a/1-x.md\n"
    page = (
        b"---\nreferences:\n- {id: web, title: T, URL: 'https://a.example/'}\n"
        b"- {id: local, title: L, custom: {file: documents/l.pdf}}\n- {id: none, title: N}\n---\n\n"
        b"# X\n\nText [@web; @local; @none].\n"
    )
    library = link_tree(Tree({"plans/p.md": plan}, {}, {"a/1-x.md": page}))
    whole = progress_to_json(library, {})
    assert whole["totals"]["sources"] == {"unchecked": 2, "offweb": 1}
    assert progress_to_json(library.counted(), {}) == whole


def test_an_empty_base() -> None:
    """Nothing is planned, and nothing crashes."""
    empty = link_tree(Tree({}, {}, {}))
    assert progress_to_json(empty, {})["totals"] == {
        **{"plans": 0, "parts": 0, "states": {}, "pages": 0, "lines": 0, "sources": {}, "amiss": 0},
        **{"collected": 0, "problems": 0},
    }
    assert "<h1" in page_of(empty)


# ---------------------------------------------------------------------------------------------- a large base


def large(slugs: Sequence[str]) -> Library:
    """A plan of ten PARTs with thirty tasks each, for each of the paths."""
    tasks = "".join(f"- [ ] Read {n} of `many`\n" for n in range(30))
    plans = {
        f"plans/{slug}.md": f"# Plan {slug}\n\n**Date**: 2024-05-0{n % 9 + 1}\n\n"
        + "".join(
            f"## PART {k}: Create {n}/{k}.md\n\n- [ ] PART {k}: Create {n}/{k}.md\n\n**Step 1: Read**\n{tasks}\n"
            for k in range(1, 11)
        )
        for n, slug in enumerate(slugs)
    }
    return link_tree(Tree({uri: text.encode() for uri, text in plans.items()}, {}, {}))


def test_plans_of_a_large_base_have_pages_of_their_own() -> None:
    """Every PART with its tasks is on its plan's page; the progress page lists the plans, with the anchors they had."""
    library = large([f"p{n}" for n in range(12)])
    own = plan_pages(library)
    views = own_progress_pages(library, lambda page: str, own, {})
    pages = {uri: view() for uri, view in views.items()}
    assert set(pages) == {f"progress/p{n}.md" for n in range(12)}
    for plan in library.plans:
        page = built(pages[own[plan.uri]].split("---\n", 2)[2])
        assert numbers(page) == [str(part.number) for part in plan.parts]
        assert page.count("pb-box") == 300
        assert 'name="pb-filter"' in page
    html = page_of(library)
    assert numbers(html) == []
    assert len(re.findall(r"<[a-z]", html)) < 500
    for plan in library.plans:
        assert re.search(rf'<a href="{own[plan.uri]}" id="{anchor(plan.slug)}">Plan ', html)


def test_pages_of_plans_are_unlike_each_other_and_the_authors() -> None:
    """A plan that moved to ``completed/`` has the slug that it had, and an author may have such a page."""
    slugs = ["a", "completed/a", "b"] + [f"c{n}" for n in range(9)]
    uris = list(plan_pages(large(slugs), ["progress/b.md"]).values())
    assert sorted(uris)[:3] == ["progress/a-2.md", "progress/a.md", "progress/b-2.md"]
    assert len(set(uris)) == len(slugs)


def test_a_small_base_has_one_page(library: Library) -> None:
    """No plan has a progress page of its own: all are on one."""
    assert plan_pages(library) == {}


# ---------------------------------------------------------------------------------------------- placeholder


@pytest.mark.parametrize(
    ("mark", "task", "shown"),
    [
        ("✓", " ", "1 step, 1 task"),
        ("✓", "x", "1 step, 1 of 1 task done"),
        (" ", " ", "1 step, 0 of 1 task done"),
        *((" ", mark, "1 step, 0 of 1 task done") for mark in "~-?!>/*y"),
    ],
)
def test_ticks_are_counted_where_they_tell_something(mark: str, task: str, shown: str) -> None:
    """They are not counted below a PART that is done although nobody ticked its boxes."""
    status = f"- [{mark}] PART 1: Create a/1-x.md"
    plan = f"# P\n\n## PART 1: Create a/1-x.md\n\n{status}\n\n### Step 1: Search\n\n- [{task}] Look\n"
    library = link_tree(Tree({"plans/p.md": plan.encode()}, {}, {"a/1-x.md": b"# X\n"}, "plans", {}))
    assert f">{shown}<" in progress_page(library, lambda page: str, plan_pages(library), {})
