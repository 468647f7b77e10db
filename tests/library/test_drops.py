"""KNOWLEDGE-DROP files, as found and as we write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.library.drops import parse_drop
from planbook.model import Drop
from tests.growth import DRAWN, assert_linear

URI = "plans/rye/KNOWLEDGE-DROP-dark-rye-2024-05-06.md"

FOUND = """# KNOWLEDGE DROP: Dark rye

**Runner**: Worker for PART 3
**Timestamp**: 2024-05-06 07:08
**Status**: ✓ COMPLETE

## What was made

**File**: `bread/10-dark-rye.md` (412 lines)
"""


def test_as_found() -> None:
    """Bold keys in the text say who, when, what came of it and which page."""
    drop = parse_drop(FOUND, URI)
    assert drop == Drop(
        uri=drop.uri,
        title="KNOWLEDGE DROP: Dark rye",
        body=FOUND,
        runner="Worker for PART 3",
        timestamp="2024-05-06 07:08",
        outcome="✓ COMPLETE",
        part=3,
        plan=None,
        page="bread/10-dark-rye.md",
    )
    assert drop.name == "KNOWLEDGE-DROP-dark-rye-2024-05-06.md"
    assert drop.folder == "plans/rye"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("**Runner**: PART 4 (rye)", 4),
        ("**Runner**: Worker\n\nThis is PART 12 of the plan.", 12),
        ("**Runner**: PART 4\n\nPART 5 follows.", 4),
        ("No number at all", None),
        ("---\npart: 7\n---\nPART 4", 7),
        ("---\npart: seven\n---\nPART 4", 4),
        ("---\npart: true\n---\nno", None),
    ],
)
def test_part(text: str, part: int | None) -> None:
    """The front matter's number, else the runner's, else the first that the text names."""
    assert parse_drop(text, URI).part == part


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("**File**: bread/10-rye.md", "bread/10-rye.md"),
        ("**Knowledge File**: `bread/10-rye.md` (400 lines)", "bread/10-rye.md"),
        ("**Created**: bread/10-rye.md\n\nSee also a/b.md", "bread/10-rye.md"),
        ("See a/b.md\n\n**File**: bread/10-rye.md", "bread/10-rye.md"),
        ("Wrote bread/10-rye.md.", "bread/10-rye.md"),
        ("Left plans/KNOWLEDGE-DROP-x.md beside rye.md", None),
        ("From https://example.org/a/b.md", None),
    ],
)
def test_page(text: str, page: str | None) -> None:
    """The path that a key names, else the first in the text: with a folder, no drop, no address."""
    assert parse_drop(f"# A\n\n{text}\n", URI).page == page


@given(st.text() | st.text().map("---\npart: {}\n---\n".format))
def test_no_text_crashes(text: str) -> None:
    """Any text is a drop."""
    assert parse_drop(text, URI).title is not None
    assert_linear(lambda more: parse_drop(more, URI), text, DRAWN)


def test_real_drops_say_what_they_are(shared: Path) -> None:
    """Every real drop tells its PART, when it was left, and the page it made."""
    paths = sorted((shared / "samples" / "drops").glob("*.md"))
    drops = [parse_drop(path.read_text(encoding="utf-8"), f"plans/{path.name}") for path in paths]
    assert len(drops) == 4
    assert sorted(drop.part or 0 for drop in drops) == [1, 2, 3, 4]
    assert all(drop.timestamp and drop.timestamp.startswith("2025-11-13") for drop in drops)
    pages = {path.relative_to(shared / "samples" / "pages").as_posix() for path in shared.rglob("pages/**/*.md")}
    assert {drop.page for drop in drops} <= pages
