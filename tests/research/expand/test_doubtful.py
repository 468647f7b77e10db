"""A page that may be none, such as a consent wall, is no evidence: it is reported, and no PART is done by it."""

from __future__ import annotations

from pathlib import Path

from tests import forks
from tests.files import git, put
from tests.plugin.conftest import ENVIRONMENT

PLAN = """# Kilns

**Target Folder**: `kiln/`

## PART 1: Create kiln/01-soda.md

- [ ] PART 1: Create kiln/01-soda.md

**Goal**: How soda vapour reacts with silica

**Step 1: Research**
- [ ] Search: "soda vapour silica"

**Step 2: Write the page**
- [ ] Section 1: Soda (~20 lines)
    - How soda vapour reacts with silica
"""
WALL = """<html><head><title>Soda firing</title></head><body><h2>Bevor Sie weiterlesen</h2>
<p>We use data to show soda vapour and silica services, and how soda vapour reacts with silica for you.</p>
<button>Accept all</button></body></html>"""
ARTICLE = """<html><head><title>Soda</title></head><body><h1>Soda</h1>
<p>Soda vapour reacts with the silica of the clay to a glass, which covers the pot in a thin layer.</p></body></html>"""
SITE = "site_name: Kilns\nplugins:\n  - planbook: {expand: {search: {providers: [local]}}}\n"


def expanded(root: Path, documents: dict[str, str]) -> tuple[int, str, str]:
    """Fill the PART from these documents; return exit code, output and the plan's mark."""
    put(root, {"mkdocs.yml": SITE, "docs/index.md": "# Home\n", "plans/kilns.md": PLAN})
    put(root / "documents", documents)
    git(root, "init", "--quiet")
    git(root, "config", "user.email", "person@tea.test")
    git(root, "config", "user.name", "A person")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "Begin")
    done = forks.run("planbook", "expand", cwd=root, env=ENVIRONMENT, is_merged=True)
    marks = [line[3:4] for line in (root / "plans/kilns.md").read_text("utf-8").splitlines() if "] PART 1" in line]
    return done.returncode, done.stdout, marks[0]


def test_a_consent_wall_is_no_evidence(tmp_path: Path) -> None:
    """Alone, it makes no page; beside a source, it is reported and not quoted."""
    code, output, mark = expanded(tmp_path / "alone", {"wall.html": WALL})
    assert (code, mark) == (3, "/")
    assert "documents/wall.html is doubtful and not quoted: it has only" in output
    assert not (tmp_path / "alone/docs/kiln").exists()

    code, output, mark = expanded(tmp_path / "beside", {"wall.html": WALL, "soda.html": ARTICLE})
    page = (tmp_path / "beside/docs/kiln/01-soda.md").read_text("utf-8")
    assert (code, "covers the pot" in page, "services" in page) == (0, True, False)
    assert "is doubtful and not quoted" in output
    report = next((tmp_path / "beside/plans").glob("KNOWLEDGE-DROP-*")).read_text("utf-8")
    assert "doubtful: it has only" in report
