"""`planbook check --markdown` lists what the mode `github` would change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT

CONFIG = "site_name: T\ntheme: {name: material, font: false}\nplugins: [planbook]\n"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A base with a page that both readers read alike, and one that they do not."""
    page = "---\ntitle: T\n---\n# T\n\nText.\n\n#tag\n"
    files = {"mkdocs.yml": CONFIG, "docs/index.md": "# Home\n", "docs/a/page.md": page}
    return put(tmp_path, files)


def test_differences_have_their_place_and_both_readings(base: Path) -> None:
    """The line is the file's; the pages are counted, and no file changes."""
    done = forks.run("planbook", "check", "--markdown", cwd=base, env=ENVIRONMENT)
    expected = "docs/a/page.md:8: GitHub: paragraph “#tag”; Python-Markdown: heading 1 “tag”\n"
    assert (done.returncode, done.stdout) == (0, expected)
    assert "1 of 2 pages differ" in done.stderr


def test_paths_select_and_json_has_the_same(base: Path) -> None:
    """Named pages only; a program reads the values."""
    done = forks.run("planbook", "check", "--markdown", "--format", "json", "docs/a", cwd=base, env=ENVIRONMENT)
    assert json.loads(done.stdout) == [
        {
            "file": "docs/a/page.md",
            "line": 8,
            "github": "paragraph “#tag”",
            "python": "heading 1 “tag”",
        }
    ]
    done = forks.run("planbook", "check", "--markdown", "docs/index.md", cwd=base, env=ENVIRONMENT)
    assert "0 of 1 page differ" in done.stderr


def test_a_site_that_only_python_markdown_reads_is_refused(base: Path) -> None:
    """The message names the extension that has the syntax."""
    config = f"{CONFIG}markdown_extensions: [pymdownx.escapeall]\n"
    (base / "mkdocs.yml").write_text(config)
    done = forks.run("planbook", "check", "--markdown", cwd=base, env=ENVIRONMENT)
    assert done.returncode != 0
    assert "pymdownx.escapeall" in done.stderr
    assert "mkdocs.yml" in done.stderr
