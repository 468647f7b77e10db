"""Our own site, and one with real plans and pages, are the same with planbook-speed and without it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.site.conftest import Built, build, hashes, real_site


def both(root: Path, engine: str = "mkdocs", *, edits: int = 0) -> None:
    """Build a copy of our project strictly, without planbook-speed and twice with it; and again after each edit."""
    plain = re.sub(r"^  - planbook-speed.*\n", "", (root / "mkdocs.yml").read_text("utf-8"), flags=re.MULTILINE)
    (root / "plain.yml").write_text(plain, "utf-8")
    (root / "speed.yml").write_bytes((root / "mkdocs.yml").read_bytes())
    for edit in range(edits + 1):
        if edit:
            with (root / "docs/guide/safety.md").open("a", encoding="utf-8") as page:
                page.write("\nMore.\n")
        without = strictly(root, "plain.yml", "site-plain", engine)
        for _ in range(1 if edit else 2):
            quick = strictly(root, "speed.yml", "site", engine)
            assert lines(quick) == lines(without)
            assert hashes(root / "site") == hashes(root / "site-plain")


def strictly(root: Path, config: str, site: str, engine: str) -> Built:
    """What comes of a strict build."""
    built = build(root, "--strict", "-f", str(root / config), "-d", str(root / site), engine=engine)
    assert built.returncode == 0, built.log
    return built


def lines(built: Built) -> list[str]:
    """What a build says, but for its folder and its time."""
    return re.sub(r"(directory: |built in ).*", "", built.log).splitlines()


@pytest.mark.parametrize("engine", ["mkdocs", "properdocs"])
def test_our_own_site(tmp_path: Path, engine: str) -> None:
    """Both engines build the same of our plans and pages, cold and unchanged, MkDocs after an edit too; and say so."""
    root = tmp_path / "project"
    for name in ("docs", "plans"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "mkdocs.yml", root)
    both(root, engine, edits=1 if engine == "mkdocs" else 0)


def test_real_pages(shared: Path, tmp_path: Path) -> None:
    """Pages by many hands, which planbook mends and adds to, come out the same."""
    both(real_site(tmp_path / "project", shared))
