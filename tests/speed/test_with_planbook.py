"""A site with plans, built with planbook-speed: the same files, and a page that did not change is not made again."""

from __future__ import annotations

import pytest

from tests.speed.conftest import Site, kept

PLAN = """# Ovens

## PART 1: Create rye/0.md (20 lines)

- [ ] PART 1: Create rye/0.md

**Step 1: Web research**
- [ ] Search: "ovens of rye"
- [ ] Create KNOWLEDGE-DROP-rye-<date>.md

## PART 2: Create rye/new.md

- [ ] PART 2: Create rye/new.md
"""
DROP = "# KNOWLEDGE DROP: Rye\n\n**Runner**: PART 1\n**File**: `rye/0.md`\n\n- Found a `mill`\n"


@pytest.fixture
def base(site: Site) -> Site:
    """The site with a plan for a page that is there and one that is not, a drop, and works cited."""
    site.config["plugins"].append("planbook")
    site.write("plans/ovens.md", PLAN)
    site.write("plans/KNOWLEDGE-DROP-rye-2025-11-13.md", DROP)
    site.write(
        "docs/rye/cited.md", "# Cited\n\nFrom [A mill](https://mill.example/a) (accessed 2025-11-13):\n- flour\n"
    )
    return site


def test_an_unchanged_page_is_neither_made_nor_read(base: Site) -> None:
    """Each keeps its file; only that of missing addresses is in the cache as a whole, as contexts tell all of heads."""
    _, new = kept(base)
    assert new == set()
    entries = [path for path in (base.root / ".cache").rglob("*") if path.is_file()]
    assert sum(path.read_bytes().count(b"</head>") for path in entries) == 1


def test_generated_files_are_copied_and_never_changed_in_place(base: Site) -> None:
    """A file in the site is its own: an edit reaches no other; a later build replaces it, and other links keep it."""
    base.assert_same()
    twin, kept_twin = base.root / "site" / "rye" / "cited.md", base.root / "kept.md"
    assert twin.stat().st_nlink == 1
    kept_twin.hardlink_to(twin)
    text = kept_twin.read_text("utf-8")
    page = base.root / "docs/rye/cited.md"
    page.write_text(page.read_text("utf-8").replace("flour", "grain"), "utf-8")
    base.assert_same()
    assert kept_twin.read_text("utf-8") == text
    assert "grain" in twin.read_text("utf-8")
