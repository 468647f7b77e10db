"""A small base with documents, and runs of the command on it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.files import git
from tests.research.expand.loopback import planbook

WORDS = "Green tea is steeped for two minutes in water of 80 degrees, because more makes the cup of green tea bitter."


PLAN = """# Tea

## PART 1: Create tea/1.md

- [ ] PART 1: Create tea/1.md

**Step 1: Research**
- [ ] Search: "steeping green tea"

**Step 2: Write the page**
- [ ] Section 1: Steeping
    - How long green tea is steeped in water
    - Where rooibos leaves are fermented after the harvest
"""


CONFIG = "site_name: Tea\nplugins:\n  - planbook:\n      expand:\n        search: {providers: [local]}\n"


PAGE, DOCUMENT, HELD = "docs/tea/1.md", "documents/rooibos.md", ".planbook/held/docs/tea/1.md"


DOCUMENTS = {"documents/green.md": f"# Steeping green tea\n\n{WORDS}\n"}


def expand(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The command."""
    return planbook("expand", "--root", str(root), *args)


def commit(root: Path) -> None:
    """Commit all changes."""
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "Edit")


def mark(root: Path) -> str:
    """The PART's status line."""
    lines = (root / "plans/tea.md").read_text("utf-8").splitlines()
    return next(line for line in lines if line.startswith("- [") and "PART 1" in line)
