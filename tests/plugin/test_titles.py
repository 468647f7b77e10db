"""Titles by many hands: whatever they hold is text on every page of the site."""

from __future__ import annotations

import json
from pathlib import Path

import lxml.html
import pytest

from tests.files import put
from tests.plugin.conftest import Built, built_strictly

EVIL = (
    "<x-evil data-evil=1>i</x-evil> & AT&amp;T \\" + '" onfocus=' + "\\" + '"evil() '
    "<img src=x onerror=evil()> <script>evil()</script>"
)
"""As it stands in quotes of YAML."""
PLAN = """# Tea <x-evil data-evil=1>plan</x-evil> & more

## PART 1: Water <x-evil data-evil=1>w</x-evil> & `vector<x-evil>` a < b &lt;x-evil&gt;

- [ ] PART 1: Create tea/01.md

## PART 2: Leaf

- [✓] PART 2: Create tea/02.md

### Section 1: Of <x-evil data-evil=1>s</x-evil> & co

## PART 3: Third

- [✓] PART 3: Create tea/03.md
"""
FILES = {
    "plans/tea.md": PLAN,
    "docs/tea/02.md": f'---\ntitle: "Two {EVIL}"\n---\n\n# Leaf\n\nSee [water](01.md).\n',
    "docs/tea/03.md": "# Third `vector<x-evil>` & a < b\n\n## Below `<x-evil>` & co\n\nText.\n",
    "docs/t&a/list.md": "---\ntitle: [a, <x-evil>]\n---\n\nText.\n",
    "docs/beside.md": f'---\ntitle: "Beside {EVIL}"\n---\n\nText without a heading.\n',
    "docs/closing.md": "# Rye \\</title>\\<script>evil()\\</script>\n\nText.\n",
    "docs/said.md": "---\ntitle: Rye &amp; ash\n---\n\n# Rye\n\nText.\n",
}
MATERIAL = "{name: material, font: false, features: [navigation.path, navigation.footer, navigation.tabs]}"


@pytest.fixture(scope="module", params=[MATERIAL, "readthedocs", "mkdocs"], ids=["material", "readthedocs", "mkdocs"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site of these titles, built strictly with each theme."""
    root: Path = tmp_path_factory.mktemp("titles")
    config = f"site_name: Tea\ntheme: {request.param}\nplugins: [search, planbook]\n"
    put(root, {**FILES, "mkdocs.yml": config})
    return built_strictly(root)


def test_no_title_becomes_an_element(built: Built) -> None:
    """On no page is there an element or an attribute that only a title has."""
    pages = sorted(built.site.rglob("*.html"))
    assert len(pages) > 10
    for page in pages:
        tree = lxml.html.fromstring(page.read_bytes())
        assert tree.xpath("//x-evil | //*[@data-evil or @onfocus or @onerror]") == [], page
        assert [script for script in tree.xpath("//script/text()") if script.startswith("evil(")] == [], page


def test_titles_are_read_to_the_letter(built: Built) -> None:
    """Readers see what the author wrote, on the page itself and in the navigation of others."""
    own = lxml.html.fromstring(built.html("beside"))
    assert "Beside <x-evil data-evil=1>i</x-evil> & AT&T" in own.findtext(".//title")
    other = lxml.html.fromstring(built.html("said"))
    text = " ".join(" ".join(other.itertext()).split())
    assert "Two <x-evil data-evil=1>i</x-evil> & AT&T" in text
    assert other.findtext(".//title").startswith("Rye & ash")


def test_titles_in_the_search_are_text(built: Built) -> None:
    """What the search shows as HTML holds no tag of a title."""
    found = json.loads((built.site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert [entry["title"] for entry in found["docs"] if "<x-evil" in entry["title"]] == []
