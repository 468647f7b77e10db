"""Pages whose names have signs of addresses or of Markdown are found by every generated link."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote

import pytest

from planbook.library import link_tree
from planbook.library.links import rebase_links, resolve_link
from planbook.markdown.escape import link_path
from planbook.model import Tree
from planbook.views.progress import MAX_ELEMENTS
from tests import forks
from tests.plugin.conftest import ENVIRONMENT, Project, built_strictly
from tests.plugin.reading import Reading, broken_links

NAMES = (
    "C#",
    "What?",
    "100%",
    "%23",
    "a&b",
    "x;y",
    "[x]",
    "(y)",
    "a: b",
    "`t`",
    "p|q",
    "{z}",
    "_m_",
    "t~",
    "Über",
    "e'f",
)
NFD = unicodedata.normalize("NFD", "Übung")
NFC = unicodedata.normalize("NFC", NFD)


def test_every_link_finds_a_page_with_an_odd_name(project: Project) -> None:
    """INDEX, folders, the graph, progress, sources, neighbours, twins and wikilinks lead to files that are there."""
    pages = {"docs/index.md": "# Home\n\n" + "\n\n".join(f"[[{name}]]" for name in NAMES if name not in {"[x]", "p|q"})}
    parts = ""
    for number, name in enumerate((*NAMES, NFD)):
        work = f"[Work](https://work.example/{number}) (accessed 2026-01-02)"
        pages[f"docs/odd {name}/{name}.md"] = f"# Page {name}\n\nFrom {work}. See [home](../index.md).\n"
    for number, name in enumerate(("C#", "100%", "a&b", NFC), 1):
        parts += f"## PART {number}: X\n\n- [✓] PART {number}: Create `odd {name}/{name}.md`\n\n"
    config = "site_name: T\nsite_url: https://t.example/\ntheme: {name: material, font: false}\nplugins: [planbook]\n"
    built = built_strictly(project({"mkdocs.yml": config, "plans/a#b.md": f"# Plan\n\n{parts}", **pages}))
    broken = {
        page: broken_links(built.site, page, Reading(page.read_text("utf-8"))) for page in built.site.rglob("*.html")
    }
    assert {page: links for page, links in broken.items() if links} == {}
    listed = (built.site / "llms.txt").read_text("utf-8")
    twins = [line.partition("](https://t.example/")[2].partition(")")[0] for line in listed.splitlines()]
    assert len([twin for twin in twins if twin]) > len(NAMES)
    assert [twin for twin in twins if twin and not (built.site / unquote(twin)).is_file()] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_quoted_path_is_the_path(name: str) -> None:
    """An address of a link names the file alone: nothing in it is a fragment, a query, a protocol or Markdown."""
    path = f"a/{name}.md"
    assert unquote(link_path(path)) == path
    assert not set(link_path(path)) & set("#?: ()[]<>\"'`{}|")


def test_paths_in_another_normal_form_lead_to_the_page() -> None:
    """Links of pages, and pages of PARTs, find a file whose name is decomposed; one that is there as written is it."""
    known = frozenset({f"a/{NFD}.md", "a/b.md"})
    assert resolve_link(f"{NFC}.md", "a/b.md", known) == f"a/{NFD}.md"
    assert rebase_links([f"{NFC}.md#x", f"{NFD}.md"], "a/b.md", known) == {f"{NFC}.md#x": f"{NFD}.md#x"}
    plan = f"## PART 1: X\n\n- [✓] PART 1: Create a/{NFC}.md\n".encode()
    library = link_tree(Tree({"plans/x.md": plan}, {}, {f"a/{NFD}.md": b"# X\n"}))
    assert [entry.is_written for entry in library.entries] == [True]
    both = frozenset({f"{NFC}.md", f"{NFD}.md"})
    assert resolve_link(f"{NFC}.md", "b.md", both) == f"{NFC}.md"


def test_a_backslash_ends_no_build_by_zensical(project: Project) -> None:
    """It cannot build a page with one in its path: those are left out with a warning; a plan's page has a hyphen."""
    config = "site_name: T\ntheme: {name: material, font: false}\nplugins: [planbook]\n"
    tasks = "\n".join(["- [ ] Stir"] * (MAX_ELEMENTS // 2))  # so that each plan has a page of its own
    plan = f"## PART 1: Create new/1.md\n\n- [ ] PART 1: Create new/1.md\n\n**Step 1: Do**\n\n{tasks}\n"
    pages = {"docs/index.md": "# Home\n", "docs/a\\b.md": "# Ours\n", "docs/c\\d/x.md": "# Below\n"}
    root = project({"mkdocs.yml": config, **pages, "plans/p\\q.md": plan})
    built = forks.run("planbook", "build", "--engine", "zensical", cwd=root, env=ENVIRONMENT, is_merged=True)
    assert (built.returncode, "Traceback" in built.stdout) == (0, False), built.stdout
    for path in ("index.html", "new/1/index.html", "progress/p-q/index.html"):
        assert (root / "site" / path).is_file()
    for left_out in ("a\\b.md", "c\\d/x.md"):
        assert f"{left_out}: left out: Zensical cannot build a file with a backslash in its path" in built.stdout
