"""Emitting the generated pages costs what there are pages, not their square."""

from __future__ import annotations

import cProfile
from pathlib import Path

import pytest
from mkdocs.config import load_config
from mkdocs.structure.files import get_files

from generator.plugin import PlanbookPlugin
from tests.plugin.conftest import Project

MKDOCS = "site_name: Bread\nplugins: [planbook]\n"
SORTS = 8
"""At most: however many pages there are, all files are sorted a few times."""


@pytest.mark.parametrize("pages", [5, 50])
def test_files_are_sorted_a_few_times(project: Project, pages: int) -> None:
    """As often for a plan of many pages as for one of few."""
    parts = "\n".join(
        f"## PART {n}: Create bread/{n}.md\n\n- [ ] PART {n}: Create bread/{n}.md\n" for n in range(pages)
    )
    root = project({"mkdocs.yml": MKDOCS, "docs/index.md": "# Bread\n", "plans/bread.md": f"# Bread\n\n{parts}"})
    files, sorted_keys = emitted(root)
    assert files > pages
    assert files / 2 < sorted_keys <= SORTS * files


def emitted(root: Path) -> tuple[int, int]:
    """How many files a build has after `on_files`, and how many were sorted by then, again and again."""
    config = load_config(str(root / "mkdocs.yml"))
    config = config.plugins.on_config(config)
    plugin = config.plugins["planbook"]
    assert isinstance(plugin, PlanbookPlugin)
    profile = cProfile.Profile()
    files = profile.runcall(plugin.on_files, get_files(config), config)
    plugin.on_build_error(error=RuntimeError())
    profile.create_stats()
    keys = [calls for (_, _, name), (calls, *_) in profile.stats.items() if name == "file_sort_key"]
    return len(files), sum(keys)
