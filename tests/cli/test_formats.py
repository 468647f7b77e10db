"""Output for programs and editors: one option for JSON, text on standard input, no colours, completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planbook.cli import main
from planbook.cli.starter_files import starter_files
from tests.cli.terminal import on_terminal
from tests.files import put


def run(*arguments: str, text: str | None = None) -> Result:
    """The command line, in the current folder."""
    return CliRunner().invoke(main, arguments, prog_name="planbook", input=text)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new project, as the current folder."""
    put(tmp_path, starter_files("tea"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [["show"], ["status"], ["cite", "docs"], ["check"], ["expand", "--dry-run"], ["audit", "docs", "--offline"]],
)
@pytest.mark.usefixtures("base")
def test_json_is_one_option(command: list[str]) -> None:
    """`--format json` prints JSON; its hidden name prints the same bytes, and no help shows it."""
    done = run(*command, "--format", "json")
    assert json.loads(done.stdout) is not None
    assert run(*command, "--json").stdout == done.stdout
    assert "--json" not in run(command[0], "--help").stdout


@pytest.mark.parametrize(
    ("name", "text", "codes"),
    [
        ("docs/tea/01-water.md", "# Water\n\n[x](no.md)\n", {"K023", "K020"}),
        ("docs/tea/03-new.md", "# New\n\n[x](no.md)\n", {"K023"}),
        ("plans/tea.md", "# Tea\n\n## PART 1: Flour\n\n- [ ] PART 1: Create\n", {"P015"}),
        ("plans/new.md", "# New\n\n## PART 1: Flour\n\n- [ ] PART 1: Create\n", {"P015"}),
    ],
)
def test_an_editor_checks_text_that_is_not_saved(base: Path, name: str, text: str, codes: set[str]) -> None:
    """Its problems are those of the file with this text, in the base as it is; nothing is written."""
    before = {path: path.read_bytes() for path in base.rglob("*.md")}
    done = run("check", "--format", "json", "--stdin-filename", name, text=text)
    found = json.loads(done.stdout)["problems"]
    assert {problem["uri"] for problem in found} == {name}
    assert codes <= {problem["code"] for problem in found}
    assert {path: path.read_bytes() for path in base.rglob("*.md")} == before
    assert run("check", "--stdin-filename", name, "plans", text=text).exit_code == 2
    assert run("check", "--stdin-filename", name, "--fix", text=text).exit_code == 2


@pytest.mark.parametrize("command", ["status", pytest.param("check", marks=pytest.mark.nightly)])
def test_no_color_leaves_no_codes(base: Path, command: str) -> None:
    """A terminal gets colours, and with `NO_COLOR` no control codes at all."""
    (base / "docs" / "tea" / "03-new.md").write_text("# New\n\nSee:\n- a\n", encoding="utf-8")
    assert "\x1b[" in on_terminal(command, cwd=base)
    assert "\x1b" not in on_terminal(command, cwd=base, environment={"NO_COLOR": "1"})


def test_cite_without_a_page_says_so(tmp_path: Path) -> None:
    """It says so also where there is no project; the JSON is an empty list."""
    done = run("cite", str(tmp_path))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"no pages found in {tmp_path.as_posix()}; name Markdown files, or folders with some\n"
    assert json.loads(run("cite", str(tmp_path), "--format=json").stdout) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documented variable prints a script for the shell."""
    monkeypatch.setenv("_PLANBOOK_COMPLETE", f"{shell}_source")
    assert "_PLANBOOK_COMPLETE" in run().output


@pytest.mark.parametrize(
    ("words", "current", "expected"),
    [
        (["brief"], "", {"tea", "mugs"}),
        (["gather"], "t", {"tea"}),
        (["expand", "--plan"], "mu", {"mugs"}),
        (["finish", "tea"], "", {"1", "2"}),
        (["gather", "tea", "1"], "2", {"2"}),
        (["claim", "nope"], "", set()),
    ],
)
def test_shells_complete_plans_and_parts(base: Path, words: list[str], current: str, expected: set[str]) -> None:
    """The names of the project's plans, and the numbers of the PARTs of the named one."""
    put(base, {"plans/mugs.md": "# Mugs\n\n## PART 1: Create mugs/1.md\n\n- [ ] PART 1: Create mugs/1.md\n"})
    assert completed(base, [*words, current]) == expected


def test_nothing_is_completed_outside_a_project(tmp_path: Path) -> None:
    """Without a message, which a shell would show as a name."""
    assert completed(tmp_path, ["brief", ""]) == set()


def completed(folder: Path, words: list[str]) -> set[str]:
    """The words that Bash offers in place of the last one."""
    line = " ".join(["planbook", *words])
    asked = {"_PLANBOOK_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    command = [Path(sys.executable).with_name("planbook")]
    done = subprocess.run(command, cwd=folder, env=os.environ | asked, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return {offered.partition(",")[2] for offered in done.stdout.splitlines() if offered}
