"""Each command that writes names the file that the system refuses to write; `expand` has tests of its own."""

from __future__ import annotations

import resource
import shlex
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from planbook.cli.starter_files import starter_files
from tests.files import put
from tests.modes import obey_modes
from tests.plugin.conftest import ENVIRONMENT, command

PAGE = "# Water\n\n## Counts (~9 lines)\n\nFrom [Water for tea](https://water.example/tea) (accessed 2026-11-20).\n"
OWN = """---
references:
  - {id: own, title: Water, custom: {file: documents/water.md, quotes: {q1: Soft water keeps the leaves bright.}}}
---

# Leaves

It keeps them bright [@own, q1].
"""
CITED = {"docs/tea/02-leaves.md": OWN, "documents/water.md": "Soft water keeps the leaves bright.\n"}
COMMANDS = {
    "planbook check --fix": "docs/tea/01-water.md",
    "planbook cite --write docs/tea/01-water.md": "docs/tea/01-water.md",
    "planbook index": "docs/INDEX.md",
    "planbook materialize out": "out/.planbook-tree.json",
    "planbook init": ".gitignore",
    "planbook init sub": "sub/mkdocs.yml",
    "planbook finish --offline plans/tea.md 1": "/.planbook/",
    "planbook verify --offline": "planbook-verify.json",
    "mkdocs build": "/base/site",
    "properdocs build": "/base/site",
}
"""Each command, and the file or folder that it cannot write first."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A new project with a page, and without a `.gitignore`."""
    root = tmp_path / "base"
    files = {**starter_files("tea"), "docs/tea/01-water.md": PAGE, **CITED}
    put(root, {name: text.replace("  - tags\n", "") for name, text in files.items()})
    (root / ".gitignore").unlink()
    return root


def tried(root: Path, line: str, limit: Callable[[], object]) -> str:
    """The last line that a command prints under a limit; it must end with 1 and without a traceback."""
    name, *arguments = shlex.split(line)
    done = subprocess.run(
        [command(name), *arguments],
        cwd=root,
        env=ENVIRONMENT | {"COLUMNS": "400"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
        preexec_fn=limit,
    )
    assert (done.returncode, "Traceback" in done.stdout) == (1, False), done.stdout
    return done.stdout.strip().splitlines()[-1]


BY_DAY = ("planbook check --fix", "planbook index", "planbook verify --offline", "mkdocs build")
"""Those that `make test` tries; the others share their ways of writing."""


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[] if line in BY_DAY else [pytest.mark.nightly]) for line in COMMANDS]
)
def test_a_full_disk(root: Path, line: str) -> None:
    """The file is named, with the reason and what to do."""
    room = 20_000 if "build" in line else 0  # enough for a temporary file, and not for a page
    said = tried(root, line, partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY)))
    assert COMMANDS[line] in said
    assert "cannot be written (File too large); free some disk space, then run the same command again" in said


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[] if line in BY_DAY else [pytest.mark.nightly]) for line in COMMANDS]
)
def test_a_folder_that_may_only_be_read(root: Path, line: str) -> None:
    """So is a folder in which the user may not write."""
    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        said = tried(root, line, obey_modes)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    if line.startswith("planbook finish"):  # before anything is read
        assert said == "Error: docs/tea: it is not writable; change its permissions"
        return
    assert COMMANDS[line] in said
    assert "cannot be written (Permission denied); make it and its folder writable" in said


def test_a_page_that_may_only_be_read(root: Path) -> None:
    """`--fix` does not replace it, although its folder may be written."""
    page = root / "docs" / "tea" / "01-water.md"
    page.chmod(0o400)
    said = tried(root, "planbook check --fix", obey_modes)
    assert "docs/tea/01-water.md: cannot be written (Permission denied); make it and its folder writable" in said
    assert page.read_text("utf-8") == PAGE


def test_no_room_for_temporary_files(root: Path) -> None:
    """A build says where it looked for some."""
    no_room = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    said = tried(root, "mkdocs build", no_room)
    assert "a temporary folder: cannot be written (No usable temporary directory found in [" in said
