"""Broken sites: each file in `broken/` is one with one defect, and says what a command line tells of it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import forks
from tests.files import put
from tests.plugin.conftest import ENVIRONMENT

BROKEN = sorted((Path(__file__).parent / "broken").glob("*.yaml"))

NO_THEME: dict[str, str | bytes] = {"theme/main.html": "{{ page.content }}", "theme/404.html": ""}
"""A theme of one line: what goes wrong here does so before one is needed."""


def written(case: dict[str, Any], root: Path) -> None:
    """Write the site of a case."""
    files: dict[str, str | bytes] = NO_THEME | case["files"]
    files["mkdocs.yml"] = (
        case["files"]["mkdocs.yml"] + "theme: {name: null, custom_dir: theme}\nvalidation: {omitted_files: info}\n"
    )
    put(root, files)


@pytest.mark.parametrize("path", BROKEN, ids=[path.stem for path in BROKEN])
def test_a_defect_is_told(path: Path, tmp_path: Path) -> None:
    """The command exits as the case says, and its output holds each message, with file and line where it has one."""
    case = yaml.safe_load(path.read_text(encoding="utf-8"))
    written(case, tmp_path / "root")
    name, *arguments = shlex.split(case["run"])
    env = ENVIRONMENT | {"COLUMNS": "400", "TMPDIR": str(tmp_path)}
    done = forks.run(name, *arguments, cwd=tmp_path / "root", env=env, is_merged=True)
    assert done.returncode == case["exit"], done.stdout
    for message in case["log"]:
        assert message in done.stdout
    assert "Traceback" not in done.stdout
    assert sorted(os.listdir(tmp_path)) == ["root"]  # noqa: PTH208 - neither a page outside nor a temporary folder


def test_every_case_has_all_its_parts() -> None:
    """No case is without files, a command, its exit code and a message."""
    assert len(BROKEN) > 10
    for path in BROKEN:
        case = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert set(case) == {"files", "run", "exit", "log"}
        assert case["log"]
