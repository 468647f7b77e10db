"""The base that the benchmark measures on has the statistics of the real one, and is the same every time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from bench.base import DROPS, FOLDERS, LINKS, PARTS, PERCENTILES, PLANS, REAL_PAGES, make_base
from generator.library import Library, link_tree
from generator.problems import Severity, severity
from generator.store import Settings, read_tree
from tests.plugin.conftest import hashes

pytestmark = pytest.mark.nightly

PAGES = 104
"""An eighth of the real base."""
TOLERANCE = 0.1


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base of an eighth of the real number of pages."""
    root = tmp_path_factory.mktemp("base")
    make_base(root, PAGES)
    return root


@pytest.fixture(scope="module")
def library(base: Path) -> Library:
    """The base, read and linked."""
    return link_tree(read_tree(Settings(base)))


@pytest.fixture(scope="module")
def counts(base: Path) -> Mapping[str, Sequence[int]]:
    """What CommonMark finds on each page, by kind."""
    reader = MarkdownIt("commonmark").enable("table")
    found: dict[str, list[int]] = {name: [] for name in (*PERCENTILES, "tight")}
    for path in pages_of(base):
        text = path.read_text(encoding="utf-8")
        tokens = reader.parse(text)
        number = {kind: sum(token.type == kind for token in tokens) for kind in {token.type for token in tokens}}
        tops = [token for token in tokens if token.level == 0 and token.map]
        ends = {token.map[1] for token in tops if token.type == "paragraph_open" and token.map}
        lists = [token for token in tops if token.type.endswith("list_open")]
        found["size"].append(len(text.encode()))
        found["lines"].append(text.count("\n"))
        found["fences"].append(number.get("fence", 0))
        found["items"].append(number.get("list_item_open", 0))
        found["headings"].append(number.get("heading_open", 0))
        found["rows"].append(number.get("tr_open", 0) - number.get("table_open", 0))
        found["addresses"].append(len(re.findall("https://", re.sub(r"(?ms)^```.*?^```$", "", text))))
        found["tight"].append(any(token.map and token.map[0] in ends for token in lists))
    return found


def pages_of(base: Path) -> list[Path]:
    """The pages but for the home page."""
    return [path for path in sorted((base / "docs").rglob("*.md")) if path.name != "index.md"]


@pytest.mark.parametrize("name", PERCENTILES)
def test_pages_have_the_real_percentiles(counts: Mapping[str, Sequence[int]], name: str) -> None:
    """The 10th percentile, the median and the 90th percentile are those of the real pages, within a tenth or one."""
    values = sorted(counts[name])
    found = [values[round(part * (len(values) - 1))] for part in (0.1, 0.5, 0.9)]
    assert found == [pytest.approx(wanted, rel=TOLERANCE, abs=1) for wanted in PERCENTILES[name]]


def test_lists_stand_directly_under_paragraphs(counts: Mapping[str, Sequence[int]]) -> None:
    """On 94 of 100 pages."""
    assert sum(counts["tight"]) / PAGES == pytest.approx(0.94, abs=0.02)


def test_a_base_has_plans_parts_drops_and_folders(base: Path, library: Library) -> None:
    """As many as the real one, in proportion; plans of 5 to 29 kB, drops of 0.3 to 10 kB; no front matter."""
    part = PAGES / REAL_PAGES
    assert len(library.pages) - 1 == PAGES
    assert len({path.parent for path in pages_of(base)}) == round(FOLDERS * part)
    assert len(library.plans) == round(PLANS * part)
    assert sum(len(plan.parts) for plan in library.plans) == round(PARTS * part)
    assert len(library.drops) == round(DROPS * part)
    sizes = [len(path.read_bytes()) for path in (base / "plans").rglob("ingestion.md")]
    assert min(sizes) >= 4_500
    assert max(sizes) <= 30_000
    sizes = [len(path.read_bytes()) for path in (base / "plans").rglob("KNOWLEDGE-DROP-*.md")]
    assert min(sizes) >= 280
    assert max(sizes) <= 11_000
    assert not [path for path in base.rglob("*.md") if path.read_bytes().startswith(b"---")]


def test_a_third_of_the_links_is_broken(base: Path) -> None:
    """As many links from page to page as in the real base; two in three lead somewhere."""
    links = [
        (path.parent / target).resolve()
        for path in pages_of(base)
        for target in re.findall(r"\]\(([^):#]+\.md)\)", path.read_text(encoding="utf-8"))
    ]
    assert len(links) == round(LINKS * PAGES / REAL_PAGES)
    assert sum(path.exists() for path in links) / len(links) == pytest.approx(2 / 3, abs=0.05)


def test_a_base_is_read_as_one(library: Library) -> None:
    """Most pages are those of PARTs, most drops find theirs, most pages cite works; and no Problem is an error."""
    assert sum(entry.page is not None for entry in library.entries) > 0.6 * PAGES
    assert sum(entry.drop is not None for entry in library.entries) > 0.7 * len(library.drops)
    assert sum(len(page.references) for page in library.pages) > 5 * PAGES
    assert not [p for p in library.problems if severity(p.code) is Severity.ERROR]


def test_no_two_pages_are_alike(base: Path) -> None:
    """Hardly a line of text stands on two pages, but for those that hold little more than marks."""
    lines = [
        line for path in pages_of(base) for line in set(path.read_text(encoding="utf-8").splitlines()) if len(line) > 80
    ]
    assert len(set(lines)) > 0.97 * len(lines)


def test_a_base_is_the_same_every_time(tmp_path: Path) -> None:
    """The same numbers give the same bytes; another size or seed gives others."""
    for name, pages, seed in (("a", 7, 1), ("b", 7, 1), ("c", 8, 1), ("d", 7, 2)):
        make_base(tmp_path / name, pages, seed)
    assert hashes(tmp_path / "a") == hashes(tmp_path / "b")
    assert len({tuple(hashes(tmp_path / name).values()) for name in "acd"}) == 3
