"""Without anything to search, `expand` and `gather` name each provider and what it lacks, and no PART is marked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.research.expand.base import make_repository
from tests.research.expand.loopback import planbook

PLAN = """# Tea

## PART 1: Create tea/1.md

- [ ] PART 1: Create tea/1.md

**Step 1: Research**
- [ ] Search: "steeping green tea"

**Step 2: Write the page**
- [ ] Section 1: Steeping
    - How long green tea is steeped in water
"""
CONFIG = "site_name: Tea\nplugins:\n  - planbook:\n      expand:\n        search: {providers: [local]}\n"
LACK = "no search provider can be used (local: there is no folder documents/)"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A base whose only provider is a folder of documents that is not there."""
    files = {"mkdocs.yml": CONFIG, "plans/tea.md": PLAN, "docs/index.md": "# Home\n", "documents/a.md": "# A\n"}
    root = make_repository(tmp_path / "base", files)
    shutil.rmtree(root / "documents")
    return root


def test_expand_names_what_is_missing_not_the_connection(root: Path) -> None:
    """The plan stays as it is, and the next run takes the PART again."""
    done = planbook("expand", "--root", str(root), "--no-commit")
    assert done.returncode == 6
    assert f"Stopped: nothing was found: the plan names no address, and {LACK}." in done.stdout
    assert "No connection" not in done.stdout
    assert "no host could be reached" not in done.stdout
    assert "- [ ] PART 1: Create tea/1.md" in (root / "plans/tea.md").read_text("utf-8")


def test_gather_names_what_is_missing(root: Path) -> None:
    """The line on the PART says why no work was read."""
    done = planbook("gather", "--root", str(root))
    assert done.returncode == 3
    assert f"tea PART 1: no work read: the plan names no address, and {LACK}\n" in done.stdout
