"""Without a project, each command says what is missing and how to start, and exits with 2."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from planbook.cli import main

COMMANDS: dict[str, list[str]] = {
    "show": [],
    "status": [],
    "check": [],
    "verify": ["--offline"],
    "index": ["--check"],
    "materialize": ["out"],
    "mcp": ["--http"],
    "refresh": [],
    "expand": ["--dry-run"],
    "brief": ["tea", "1"],
    "gather": [],
    "claim": ["tea", "1", "--as", "me"],
    "find": ["tea", "1", "water"],
    "read": ["documents/tea.md"],
    "finish": ["tea", "1"],
    "commit": [],
    "new": ["rye"],
    "runners": ["list"],
    "build": [],
    "serve": [],
}
"""Each command that works on a project, with arguments that it understands."""


def run(*arguments: str) -> Result:
    """The command line, in the current folder."""
    return CliRunner().invoke(main, arguments, prog_name="planbook")


def test_every_command_is_tried() -> None:
    """All but those that need no project: `audit` and `cite` read what they are given, and `init` makes one."""
    assert isinstance(main, click.Group)
    assert set(main.list_commands(click.Context(main))) - set(COMMANDS) <= {"audit", "cite", "init"}


@pytest.mark.parametrize("command", COMMANDS)
def test_outside_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """The message names the folder and `planbook init`; nothing is written."""
    monkeypatch.chdir(tmp_path)
    done = run(command, *COMMANDS[command])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{tmp_path}: no project: no mkdocs.yml here or in a folder above" in done.stderr
    assert "run `planbook init`" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_without_the_folder_that_it_works_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """The message names the configuration, the folder as configured, and how to make it."""
    (tmp_path / "mkdocs.yml").write_text("docs_dir: pages\nplugins:\n- planbook: {plans_dir: work}\n", encoding="utf-8")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    done = run(command, *COMMANDS[command])
    assert (done.exit_code, done.stdout) == (2, "")
    folder = "pages" if command in {"build", "mcp", "refresh", "serve", "verify"} else "work"
    assert f"{tmp_path / 'mkdocs.yml'}: the project has no folder {folder}/; create it, name another" in done.stderr
    assert f"`planbook init {tmp_path}`" in done.stderr


@pytest.mark.parametrize("command", ["show", "status", "check"])
def test_a_plan_needs_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """A file that is named is read wherever it lies."""
    monkeypatch.chdir(tmp_path)
    Path("tea.md").write_text(
        "# Tea\n\n## PART 1: Create tea/1.md\n\n- [ ] PART 1: Create tea/1.md\n", encoding="utf-8"
    )
    done = run(command, "tea.md")
    assert done.exit_code == 0
    assert "tea" in done.stdout


@pytest.mark.parametrize("command", ["show", "status", "check"])
def test_plans_need_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """A folder of plans is a project for the command line, before there is a site."""
    monkeypatch.chdir(tmp_path)
    Path("plans").mkdir()
    assert run(command).exit_code == 0


def test_nothing_checked_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that found no file does not say that all is well."""
    monkeypatch.chdir(tmp_path)
    Path("plans").mkdir()
    Path("none").mkdir()
    for done in (run("check"), run("check", "none")):
        assert (done.exit_code, done.stdout) == (0, "nothing to check: no plans or pages found\n")
    assert "No plan found" in run("status").stdout
    Path("plans/tea.md").write_text("# Tea\n", encoding="utf-8")
    assert "nothing to check" not in run("check").stdout
