"""The commands that a placeholder names fill that very page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main
from planbook.library import link_tree
from planbook.store import read_settings, read_tree
from planbook.views.generated import placeholder

PARTS = """# Rye

## PART 1: Create rye/1-open.md

- [ ] PART 1: Create rye/1-open.md

## PART 2: Create rye/2-tried.md

- [/] PART 2: Create rye/2-tried.md (Failed 2026-11-20 10:00 UTC: nothing found)

## PART 3: Create rye/3-lost.md

- [✓] PART 3: Create rye/3-lost.md (Completed 2026-11-20 10:00 UTC)

## PART 4: Create rye/4-unmarked.md

## PART 5: Create rye/5-skipped.md

- [-] PART 5: Create rye/5-skipped.md

## PART 1: Create rye/6-again.md

- [ ] PART 1: Create rye/6-again.md
"""
PLAN = "plans/my rye's plan.md"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose pages lie in another folder than usual, with a plan whose name a shell would split."""
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Rye\ndocs_dir: work/pages\nplugins: [planbook]\n", encoding="utf-8"
    )
    (tmp_path / "plans").mkdir()
    (tmp_path / PLAN).write_text(PARTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def section(root: Path, uri: str) -> str:
    """How to fill the page, as its placeholder says."""
    settings = read_settings(root)
    library = link_tree(read_tree(settings))
    entry = next(entry for entry in library.entries if entry.uri == uri)
    return placeholder(entry, (), settings.docs_dir).partition("## Fill this page")[2]


def commands(text: str) -> list[list[str]]:
    """The commands in a text, as a shell would split them."""
    return [shlex.split(line) for line in re.findall(r"^planbook .*", text, re.MULTILINE)]


def printed(command: list[str], *more: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(main, [*command[1:], *more], prog_name="planbook")
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("page", ["rye/1-open.md", "rye/2-tried.md", "rye/3-lost.md", "rye/4-unmarked.md"])
def test_the_commands_fill_the_page(base: Path, page: str) -> None:
    """`expand` researches it, `brief` says what to write and where, `finish` looks there."""
    text = section(base, page)
    assert f"`work/pages/{page}`" in text
    expand, brief, finish = commands(text)
    assert [command[1] for command in (expand, brief, finish)] == ["expand", "brief", "finish"]
    assert f": {page}\n" in printed(expand, "--dry-run")
    assert f"`{page}` in the documentation folder (`work/pages/`)" in printed(brief)
    done = CliRunner().invoke(main, finish[1:], prog_name="planbook")
    assert (done.exit_code, f"work/pages/{page} does not exist" in done.stderr) == (1, True)


def test_a_skipped_part_is_opened_first(base: Path) -> None:
    """The placeholder says what to change; after that, its commands fill the page."""
    text = section(base, "rye/5-skipped.md")
    assert "The plan skips PART 5. Change its mark in `plans/my rye's plan.md` to `[ ]` first." in text
    plan = base / PLAN
    plan.write_text(plan.read_text("utf-8").replace("[-]", "[ ]"), encoding="utf-8")
    assert ": rye/5-skipped.md\n" in printed(commands(text)[0], "--dry-run")


def test_a_number_that_another_part_has_is_changed_first(base: Path) -> None:
    """Commands name PARTs by number, and two PARTs of one number are told apart by the user alone."""
    assert "has another PART 1. Give this one a unique number first." in section(base, "rye/6-again.md")
    assert "another PART" not in section(base, "rye/1-open.md")
