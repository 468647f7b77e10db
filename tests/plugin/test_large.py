"""A base so large that its progress page and its Sources are split over several pages."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from planbook.plugin.configuration import MAX_SITEMAP_PAGES
from tests.plugin.conftest import Project, built_strictly
from tests.plugin.reading import Reading, broken_links

CONFIG = """\
site_name: Many
site_url: https://many.example/
theme: {name: material, font: false, features: [navigation.prune]}
plugins: [planbook]
validation: {nav: {omitted_files: warn}, links: {not_found: warn, anchors: warn, absolute_links: warn}}
nav:
  - Home: index.md
  - INDEX
"""
BARE = "{name: null, custom_dir: theme}"
"""A theme of one line."""
TASKS = "".join(f"- [ ] Task {n}\n" for n in range(40))


def plan(name: str) -> str:
    """A plan of eight PARTs with forty tasks each, in three states."""
    parts = (
        f"## PART {k}: Create {name}/{k}.md\n\n- [{mark}] PART {k}: Create {name}/{k}.md\n\n**Step 1: Read**\n{TASKS}"
        for k, mark in zip(range(1, 9), " x-/ x-/", strict=True)
    )
    return f"# Plan of {name}\n\n" + "\n".join(parts)


@pytest.mark.parametrize("engine", ["mkdocs", pytest.param("properdocs", marks=pytest.mark.nightly)])
def test_a_large_base_has_light_pages(project: Project, engine: str) -> None:
    """Under 10,000 elements each, every link and anchor holds, and only the first pages are in the navigation."""
    works = "".join(f"- [Work {n}](https://s{n % 70}.example/{n}) (accessed 2026-11-20)\n" for n in range(800))
    root = project(
        {
            "mkdocs.yml": CONFIG,
            "docs/index.md": "# Home\n\n<!-- planbook:plans -->\n",
            "docs/a/1.md": f"# A\n\nText.\n\n## Sources\n\n{works}",
            **{f"plans/{name}.md": plan(name) for name in "abcdefgh"},
        }
    )
    site = built_strictly(root, engine=engine).site
    split = {"progress": [f"progress/{name}" for name in "abcdefgh"], "sources": []}
    split["sources"] = [f"sources/{path.name}" for path in (site / "sources").iterdir() if path.is_dir()]
    assert len(split["sources"]) > 3
    for first, others in split.items():
        nav = (
            (site / first / "index.html").read_text("utf-8").partition('<nav class="md-nav')[2].partition("<article")[0]
        )
        for uri in (first, *others):
            path = site / uri / "index.html"
            html = path.read_text("utf-8")
            assert len(re.findall(r"<[a-z]", html)) < 10_000
            page = Reading(html.partition("<article")[2].partition("</article")[0])
            assert broken_links(site, path, page) == []
            assert uri == first or f"{uri.partition('/')[2]}/" not in re.findall(r'href="([^"]+)"', nav)


def read_xml(path: Path) -> ElementTree.Element:
    """The root of a well-formed file."""
    return ElementTree.fromstring(path.read_text("utf-8"))  # noqa: S314 - we wrote it


@pytest.mark.parametrize("is_large", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_the_sitemap_of_a_large_site_is_short(project: Project, is_large: bool) -> None:
    """It leads to the list of all pages, and is fetched with the first page by themes with instant navigation."""
    pages = [f"docs/folder-{n % 20}/{n}.md" for n in range(MAX_SITEMAP_PAGES + 1 if is_large else 9)]
    root = project(
        {
            "mkdocs.yml": CONFIG.replace("{name: material, font: false, features: [navigation.prune]}", BARE).replace(
                "[planbook]", "[planbook, planbook-speed]"
            ),
            "theme/main.html": "{{ page.content }}",
            "docs/index.md": "# Home\n",
            "plans/one.md": "# One\n\n## PART 1: Create folder-1/1.md\n",
            **dict.fromkeys(pages, "# A page\n"),
        }
    )
    site = built_strictly(root).site
    first = read_xml(site / "sitemap.xml")
    found = [loc.text for loc in first.iterfind(".//{*}loc")]
    assert first.tag.endswith("}sitemapindex" if is_large else "}urlset")
    assert (site / "sitemap-pages.xml").exists() == is_large
    if is_large:
        assert found == ["https://many.example/sitemap-pages.xml"]
        found = [loc.text for loc in read_xml(site / "sitemap-pages.xml").iterfind(".//{*}loc")]
    assert {f"https://many.example/{page.removeprefix('docs/').removesuffix('.md')}/" for page in pages} < set(found)
    assert gzip.decompress((site / "sitemap.xml.gz").read_bytes()) == (site / "sitemap.xml").read_bytes()
