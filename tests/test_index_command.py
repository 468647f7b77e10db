"""`planbook index` as a shell sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from generator.cli import main

PLAN = "# Tea\n\n## PART 1: Create tea/01-water.md\n\n- [ ] PART 1: Create tea/01-water.md\n"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base with one plan and one page, as the current folder."""
    for name, text in {
        "mkdocs.yml": "site_name: Tea\nsite_description: All of tea.\ntheme: {name: material}\nplugins: [planbook]\n",
        "plans/tea.md": PLAN,
        "docs/tea/01-water.md": "# Water\n\nSoft water is best.\n",
        "docs/tea/02-more.md": "# More\n\nSee [water](01-water.md).\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def index(*args: str) -> Result:
    """The command."""
    return CliRunner().invoke(main, ["index", *args])


def test_both_files_are_written_once(base: Path) -> None:
    """A second run finds them up to date, and so does --check."""
    first = index()
    assert (first.exit_code, first.output) == (0, "docs/INDEX.md: written\nSKILL.md: written\n")
    written = {name: (base / name).stat().st_mtime_ns for name in ("docs/INDEX.md", "SKILL.md")}
    second = index()
    assert (second.exit_code, second.output) == (0, "docs/INDEX.md: up to date\nSKILL.md: up to date\n")
    assert {name: (base / name).stat().st_mtime_ns for name in written} == written
    assert index("--check").exit_code == 0


def test_check_fails_when_a_file_is_stale(base: Path) -> None:
    """It says which, and writes nothing."""
    done = index("--check")
    assert (done.exit_code, (base / "SKILL.md").exists()) == (1, False)
    index()
    (base / "docs/tea/01-water.md").write_text("# Well water\n\nHard water is worst.\n")
    before = (base / "docs/INDEX.md").read_bytes()
    done = index("--check")
    assert done.exit_code == 1
    assert done.output == "docs/INDEX.md: not up to date; run planbook index\nSKILL.md: up to date\n"
    assert (base / "docs/INDEX.md").read_bytes() == before


def test_what_someone_else_wrote_stays(base: Path) -> None:
    """It is told, and a SKILL.md that no agent would read fails."""
    (base / "SKILL.md").write_text("---\nname: tea\ndescription: Mine.\n---\n")
    (base / "docs/INDEX.md").write_text("# My own\n")
    done = index()
    assert done.exit_code == 0
    assert done.output.count("someone else wrote it; left as it is") == 2
    assert (base / "docs/INDEX.md").read_text() == "# My own\n"
    (base / "SKILL.md").write_text("---\nname: Tea Base\ndescription: Mine.\n---\n")
    done = index("--check")
    assert done.exit_code == 1
    assert "its name is 'Tea Base'" in done.output


def test_a_home_page_of_the_same_name_stays(base: Path) -> None:
    """On file systems that take INDEX.md and index.md for one file, the author's home page is not overwritten."""
    home = base / "docs/index.md"
    home.write_text("# Home\n")
    (base / "docs/INDEX.md").hardlink_to(home)  # what such a file system looks like from here
    done = index()
    assert "docs/INDEX.md: this file system takes it for index.md; left as it is" in done.output
    assert home.read_text() == "# Home\n"


def build(base: Path) -> dict[str, bytes]:
    """The site's files, after a strict build."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    subprocess.run(command, cwd=base, check=True, capture_output=True)
    files = {path.relative_to(base / "site").as_posix(): path for path in (base / "site").rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.startswith("sitemap")}


def test_the_site_does_not_change_by_it(base: Path) -> None:
    """The plugin shows its own INDEX in the place of the one in the repository: no page, link or warning more."""
    without = build(base)
    index()
    assert build(base) == without
