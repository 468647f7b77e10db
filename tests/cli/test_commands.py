"""The commands as a shell sees them: what they print, and what they exit with."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planbook.cli import COMMANDS, FORMER_COMMANDS, GROUPS, main
from tests.cli.terminal import on_terminal
from tests.conftest import ROOT

PLAN = """# The rye book

**Topic**: Everything about [red]rye[/] and :bread:
**Date**: 2024-05-06

---

## PART 1: Create bread/10-dark-rye.md (400 lines)

- [✓] PART 1: Create bread/10-dark-rye.md (Completed 2024-05-07 08:09 UTC)

**Step 0: Check existing knowledge**
- [✓] Read INDEX.md
- [ ] Grep for "rye" AND "dark" in bread/

**Step 1: Web research**
- [ ] Search: "dark rye"
- [ ] Search GitHub: "rye recipes"

**Step 3: Write the page**
- [ ] Section 1: Flour (~250 lines)
    - types
    - Cite: the mill
    - Include: a table
- [ ] Section 2: Water (~150 lines)

**Step 4: Leave a KNOWLEDGE DROP**
- [ ] Create KNOWLEDGE-DROP-dark-rye-2024-05-06.md

## PART 2: Create bread/11-[red]-wheat.md (300-500 lines)

- [ ] PART 2: Create bread/11-[red]-wheat.md
"""

LONG = "bread/" + "a-very-long-folder-name-that-no-terminal-shows-in-one-line/" * 3 + "12-page.md"


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a plan, its page and its drop."""
    (tmp_path / "mkdocs.yml").write_text("site_name: Bread\nplugins:\n  - planbook\nother: !ENV [X, y]\n")
    (tmp_path / "docs" / "bread").mkdir(parents=True)
    (tmp_path / "docs" / "bread" / "10-dark-rye.md").write_text("# Dark rye\n" + "Text.\n" * 409)
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "rye.md").write_text(PLAN)
    (tmp_path / "plans" / "KNOWLEDGE-DROP-dark-rye-2024-05-07.md").write_text("# Drop\n\n**Runner**: PART 1\n")
    return tmp_path


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs `planbook` with arguments in the project and gives what came of it."""

    def run_planbook(*arguments: str, cwd: Path = project) -> Done:
        monkeypatch.chdir(cwd)
        result = CliRunner().invoke(main, arguments, prog_name="planbook")
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return Done(result.exit_code, result.stdout, result.stderr)

    return run_planbook


@pytest.fixture
def shell(project: Path) -> Callable[[str], Done]:
    """A function that runs a line of shell in the project, where `planbook` is the installed command."""

    def run_line(line: str) -> Done:
        done = subprocess.run(
            ["bash", "-c", line],  # noqa: S607 - whichever bash there is
            cwd=project,
            env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONUTF8": "1"},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run_line


def json_of(done: Done) -> Any:
    """The JSON that a command printed, and nothing else."""
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


# ---------------------------------------------------------------------------------------------- show


def test_show_takes_files_and_folders_at_once(run: Run, project: Path) -> None:
    """The project's plans come first; a folder gives its plans, but not its drops."""
    (project / "more" / "deep").mkdir(parents=True)
    (project / "more" / "a.md").write_text("# A\n\n## PART 1: Create a.md\n")
    (project / "more" / "deep" / "ingestion.md").write_text("# B\n\n## PART 1: Create b.md\n")
    (project / "more" / "deep" / "notes.md").write_text("# Notes of B\n")
    shown = json_of(run("show", "more", "plans/rye.md", "plans"))
    assert [plan["uri"] for plan in shown] == ["plans/rye.md", "more/a.md", "more/deep/ingestion.md"]


@pytest.mark.parametrize("folder", [".", "plans", "docs/bread"])
def test_show_without_paths_shows_the_project(run: Run, project: Path, folder: str) -> None:
    """From any folder within, the plans of the project around it."""
    (plan,) = json_of(run("show", "--format=json", cwd=project / folder))
    assert plan["uri"] == "plans/rye.md"


def test_status_prints_text_to_the_letter(run: Run) -> None:
    """Text that looks like rich's markup or an emoji's name is printed unchanged."""
    assert "bread/11-[red]-wheat.md" in run("status").stdout


def test_commands_send_no_control_characters(run: Run, project: Path) -> None:
    """A plan cannot make the terminal do anything."""
    (project / "plans" / "rye.md").write_text("# A \x1b[31mred\x1b]0;title\x07 title\n\n## PART 1: Create a.md\n")
    for command in ("show", "status", "check"):
        assert "\x1b" not in run(command).stdout


def test_piped_output_is_whole(shell: Callable[[str], Done], project: Path) -> None:
    """Where no terminal is, no line is cut or folded, whatever its length and that of the terminal."""
    (project / "plans" / "rye.md").write_text(f"# Rye\n\n## PART 1: Create {LONG}\n\n- [✓] PART 1: Create {LONG}\n")
    done = shell("export COLUMNS=40; planbook status | cat; planbook check | cat")
    assert done.stderr == ""
    assert "…" not in done.stdout
    assert done.stdout.count(LONG) == 2  # a row, and a Problem
    assert max(map(len, done.stdout.splitlines())) < 500


def test_an_empty_folder_has_no_plan(run: Run, project: Path) -> None:
    """Nothing found is told, with how a plan looks; it is no error."""
    (project / "none").mkdir()
    done = run("show", "none")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "[]\n")


@pytest.mark.parametrize("command", ["show", "status", "check"])
def test_a_path_that_is_not_there(run: Run, command: str) -> None:
    """The command is not understood: exit code 2, and the path is named."""
    done = run(command, "plans/none.md")
    assert done.returncode == 2
    assert "plans/none.md" in done.stderr
    assert done.stdout == ""


# ---------------------------------------------------------------------------------------------- status


def test_status_shows_claim_and_disk(run: Run, project: Path) -> None:
    """A page that is marked done and missing is told apart."""
    text = run("status").stdout
    assert "410 of 400 lines (+2 %)" in text
    assert "not written" in text
    assert "1 of 2 PARTs have a page. Marked: 1 done, 1 open." in text
    (project / "docs" / "bread" / "10-dark-rye.md").unlink()
    assert "done ≠ disk" in run("status").stdout


def test_status_reads_where_the_configuration_says(run: Run, project: Path) -> None:
    """`docs_dir` and the plugin's `plans_dir` count."""
    (project / "mkdocs.yml").write_text("docs_dir: pages\nplugins:\n  - planbook:\n      plans_dir: work/open\n")
    shutil.move(project / "docs", project / "pages")
    (project / "work").mkdir()
    shutil.move(project / "plans", project / "work" / "open")
    status = json_of(run("status", "--format=json"))
    assert status["plans"][0]["uri"] == "work/open/rye.md"
    assert status["totals"]["pages"] == 1
    assert run("status").stdout.splitlines()[1].split()[0] == "rye"


# ---------------------------------------------------------------------------------------------- check


def test_check_of_a_sound_base(run: Run, project: Path) -> None:
    """Remarks do not count: exit code 0."""
    done = run("check")
    assert (done.returncode, done.stderr) == (0, "")
    assert " error" not in done.stdout
    shutil.rmtree(project / "plans")
    (project / "plans").mkdir()
    assert run("check").stdout == "no problems found\n"


def test_check_tells_errors_with_file_and_line(run: Run, project: Path) -> None:
    """A line each, `file:line:column: severity message code`, as editors read it; exit code 1."""
    plan = project / "plans" / "rye.md"
    plan.write_text(PLAN.replace("bread/11-[red]-wheat.md", "../wheat.md"))
    (project / "docs" / "bad.md").write_text("---\ntitle: [x\n---\n# Bad\n")
    done = run("check")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert any(line.startswith("plans/rye.md:32:1: error PART 2's page") and line.endswith("P020") for line in lines)
    assert any(line.startswith("docs/bad.md:2:1: error ") and line.endswith("K001") for line in lines)
    assert lines[-1].startswith("2 errors")


BAD_PAGE = "# Dark rye\n\n[Wheat](11-none.md), [rye](10-dark-rye.md)\n"


@pytest.fixture
def crowded(project: Path) -> Path:
    """The project with something wrong in each of four pages and two plans."""
    bread = project / "docs" / "bread"
    for name in ("12-oats.md", "13-barley.md"):
        (bread / name).write_text(BAD_PAGE)
    (project / "docs" / "top.md").write_text(BAD_PAGE)
    (project / "plans" / "empty.md").write_text("# Nothing\n")
    return project


def told_of(done: Done) -> dict[str, set[str]]:
    """The codes told, by file."""
    found: dict[str, set[str]] = {}
    for problem in json.loads(done.stdout)["problems"]:
        found.setdefault(problem["uri"], set()).add(problem["code"])
    return found


@pytest.mark.parametrize(
    ("paths", "files"),
    [
        (["docs/bread/12-oats.md"], {"docs/bread/12-oats.md"}),
        (["./docs/../docs/top.md"], {"docs/top.md"}),
        (["docs/bread"], {"docs/bread/10-dark-rye.md", "docs/bread/12-oats.md", "docs/bread/13-barley.md"}),
        (["plans/empty.md"], {"plans/empty.md"}),
        (["plans/empty.md", "docs/top.md"], {"plans/empty.md", "docs/top.md"}),
        (["plans"], {"plans/empty.md", "plans/rye.md"}),
    ],
    ids=["a page", "a crooked path", "pages", "a plan", "both", "plans"],
)
def test_check_tells_of_the_named_files_only(run: Run, crowded: Path, paths: list[str], files: set[str]) -> None:
    """A path below the pages' folder is a page, one below the plans' a plan; a folder stands for what it holds."""
    every = told_of(run("check", "--format", "json"))
    named = told_of(run("check", "--format", "json", *paths))
    assert named == {file: every[file] for file in files}
    assert all(code[0] == "K" for file in files if file.startswith("docs") for code in named[file])


def test_fix_changes_the_named_files_only(run: Run, crowded: Path) -> None:
    """`--fix` with a page leaves all others as they are; a link to a file stays one, and the file keeps its mode."""
    top, kept, other = crowded / "docs" / "top.md", crowded / "kept.md", crowded / "docs" / "bread" / "12-oats.md"
    other.write_text("# Oats (~9 lines)\n")
    kept.write_text("# Oats (~9 lines)\n")
    kept.chmod(0o640)
    top.unlink()
    top.symlink_to(kept)
    done = run("check", "--fix", "docs/top.md")
    assert (done.stderr, done.stdout) == ("1 file fixed\n", "no problems found\n")
    assert kept.read_text() == '# Oats <a id="oats-9-lines"></a>\n'
    assert (top.is_symlink(), kept.stat().st_mode & 0o777) == (True, 0o640)
    assert other.read_text() == "# Oats (~9 lines)\n"


def test_fix_of_a_plan_elsewhere_leaves_the_one_of_its_name(run: Run, crowded: Path) -> None:
    """Paths are relative to the current folder; the base's plan at the same path is another file."""
    plan = "# Rye\n\n## PART 1: Oats\n\n- [x] PART 1: Create bread/12-oats.md (Completed 2026-11-20)\n"
    (crowded / "docs" / "deep").mkdir()
    (crowded / "docs" / "bread").rename(crowded / "docs" / "deep" / "bread")
    before = (crowded / "plans" / "empty.md").read_bytes()
    own = crowded / "sub" / "plans" / "empty.md"
    own.parent.mkdir(parents=True)
    own.write_text(plan)
    run("check", "--fix", "--root", str(crowded), "plans/empty.md", cwd=crowded / "sub")
    assert own.read_text() == plan.replace("Create bread", "Create deep/bread")
    assert (crowded / "plans" / "empty.md").read_bytes() == before


def test_check_of_the_whole_project_by_its_folder(run: Run, crowded: Path) -> None:
    """`planbook check .` says what `planbook check` says: a README beside the plans' folder is no plan."""
    (crowded / "README.md").write_text("# Not a plan\n")
    assert run("check", ".").stdout == run("check").stdout


def test_check_of_what_is_no_markdown(run: Run, crowded: Path) -> None:
    """A file that no build reads is refused with a word on why: exit code 2."""
    (crowded / "docs" / "top.png").write_bytes(b"x")
    done = run("check", "docs/top.png")
    assert (done.returncode, done.stdout) == (2, "")
    assert "docs/top.png is neither a page nor a plan" in done.stderr
    (crowded / "documents").mkdir()
    (crowded / "documents" / "tea.html").write_text("<h1>Tea</h1>")
    done = run("check", "documents/tea.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert "documents/tea.html is a document, and neither a plan nor a page" in done.stderr


def test_check_shows_progress_on_a_terminal(run: Run, project: Path) -> None:
    """It is on a line of standard error that is cleared at the end; elsewhere nothing is shown."""
    shown = on_terminal("check", cwd=project, only="stderr")
    assert shown.startswith("\r\x1b[Kchecking plans and pages")
    assert shown.endswith("\r\x1b[K")
    assert run("check").stderr == ""


# ---------------------------------------------------------------------------------------------- cite, verify


@pytest.mark.parametrize("command", [["cite"], ["verify", "--offline"]], ids=["cite", "verify"])
def test_a_folder_stands_for_its_pages(run: Run, crowded: Path, command: list[str]) -> None:
    """`cite` and `verify` take folders: all pages below, but for those that the generator replaces, each once."""
    source = "\n## Sources\n\n- [Rye](https://rye.example/) (accessed 2024-05-06)\n"
    for name in ("top.md", "INDEX.md", "bread/12-oats.md", "bread/13-barley.md"):
        (crowded / "docs" / name).write_text(BAD_PAGE + source)

    def pages(*paths: str) -> list[str]:
        printed = json.loads(run(*command, "--format=json", *paths).stdout)
        return [page["uri"].removeprefix("docs/") for page in printed] if command[0] == "cite" else [*printed["pages"]]

    bread = ["bread/12-oats.md", "bread/13-barley.md"]
    assert [uri for uri in pages("docs/bread", "docs/bread/12-oats.md") if "rye" not in uri] == bread
    assert [uri for uri in pages("docs") if "rye" not in uri] == ["top.md", *bread]


def test_verify_takes_a_plan_for_the_pages_of_its_parts(run: Run, crowded: Path) -> None:
    """The other commands do the same; a name that is neither is answered with the plans that there are."""
    source = "\n## Sources\n\n- [Rye](https://rye.example/) (accessed 2024-05-06)\n"
    for page in ("top.md", "bread/10-dark-rye.md"):
        (crowded / "docs" / page).write_text(BAD_PAGE + source)
    checked = json.loads(run("verify", "--offline", "--format=json", "rye").stdout)
    assert [*checked["pages"]] == ["bread/10-dark-rye.md"]
    done = run("verify", "rie")
    assert (done.returncode, "did you mean rye" in done.stderr) == (2, True)


# ---------------------------------------------------------------------------------------------- itself


def test_a_reader_who_leaves(shell: Callable[[str], Done]) -> None:
    """`planbook show | head` ends without a traceback."""
    done = shell("planbook show | head -c 1")
    assert (done.returncode, done.stdout) == (0, "[")
    assert "Traceback" not in done.stderr


def test_exit_codes_reach_the_shell(shell: Callable[[str], Done]) -> None:
    """The installed command exits as the tests above say."""
    done = shell("planbook check; echo $?; printf '\\xff' > plans/odd.md; planbook check > /dev/null; echo $?")
    assert done.stdout.splitlines()[-2:] == ["0", "1"]
    assert done.stderr == ""


def test_help_imports_no_command(shell: Callable[[str], Done]) -> None:
    """The list of commands comes from a table, which names each command, and starts without their imports."""
    code = "import sys; from planbook.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    modules = shell(f'python -c "{code}"').stdout.split()
    assert "planbook.cli" in modules
    assert not {"yaml", "markdown_it", "msgspec", "planbook.library"} & set(modules)
    modules_of_commands = (ROOT / "generator" / "planbook" / "cli").rglob("*.py")
    defined = r"@click\.(?:command\(|group\(\)).*?^def (\w+?)(?:_command)?\("
    texts = (path.read_text("utf-8") for path in modules_of_commands)
    found = {name for text in texts for name in re.findall(defined, text, re.DOTALL | re.MULTILINE)}
    assert found == set(COMMANDS)


def test_help_and_the_guide_list_commands_in_the_order_of_their_groups() -> None:
    """First those that start a base, then those that write, prove, and publish; the Guide has a section for each."""
    shown = CliRunner().invoke(main, ["--help"]).output
    lines = iter(shown.splitlines())
    assert list(GROUPS) == ["Start", "Write", "Prove", "Read and publish"]
    for title, commands in GROUPS.items():
        assert f"{title}:" in lines
        for name, (_, text) in commands.items():
            assert any(re.fullmatch(rf"  {name} +{re.escape(text)}", line) for line in lines), name
    guide = (ROOT / "docs" / "guide" / "cli.md").read_text(encoding="utf-8")
    assert re.findall(r"^## planbook (\w+)$", guide, re.MULTILINE) == [
        name for name in COMMANDS if name not in FORMER_COMMANDS
    ]


def test_former_names_work_and_are_not_listed() -> None:
    """Scripts that have them go on; nobody learns them."""
    runner = CliRunner()
    assert FORMER_COMMANDS
    for name in FORMER_COMMANDS:
        assert runner.invoke(main, [name, "--help"]).exit_code == 0
        assert not re.search(rf"\b{name}\b", runner.invoke(main, ["--help"]).output)


def test_the_nearest_command_is_named() -> None:
    """A slip is answered so; a word that is like no command is not."""
    runner = CliRunner()
    assert "Did you mean 'status'?" in runner.invoke(main, ["statsu"]).output
    assert runner.invoke(main, ["statsu"]).exit_code == 2
    assert "Did you mean" not in runner.invoke(main, ["xyz"]).output


def test_help_is_a_command_too() -> None:
    """`planbook help` prints what `planbook --help` does, and `planbook help check` what `check --help` does."""
    runner = CliRunner()
    for words, options in ((["help"], ["--help"]), (["help", "check"], ["check", "--help"])):
        assert (done := runner.invoke(main, words)).exit_code == 0
        assert done.output == runner.invoke(main, options).output


@pytest.mark.parametrize("command", ["brief", "claim", "gather", "finish", "expand"])
def test_a_part_before_its_plan_is_told_the_order(command: str) -> None:
    """The plan comes first, then the number of the PART."""
    done = CliRunner().invoke(main, [command, "1", "rye"])
    assert done.exit_code == 2
    assert "'rye' is not the number of a PART; the plan comes first" in done.output
    assert f"{command} PLAN 1" in done.output
