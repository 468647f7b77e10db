"""The writer that runs a program: real ones, in a real repository, that do what they should or should not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from generator.drafts import Draft, Finding
from generator.research.brief import render_brief
from generator.research.compose import Unwritten, Writer
from generator.research.compose.command import CommandWriter
from generator.research.compose.extract import ExtractWriter
from generator.research.extract import evidence
from generator.rules.drafts import gates
from tests.research.documents import BASE, brief, source, sources

DAY = date(2026, 11, 20)
PAGE = f"docs/{brief().page}"
KEY = "sk-loopback-4f2a9c0d1e77"
WRITE = f"""\
import pathlib, sys
page = pathlib.Path({PAGE!r})
page.parent.mkdir(parents=True, exist_ok=True)
page.write_text(pathlib.Path(sys.argv[-1]).read_text(encoding="utf-8"), encoding="utf-8")
"""
"""What writes the page: a copy of the file that its last argument names."""


def git(root: Path, *args: str) -> str:
    """What git prints."""
    return subprocess.run(["git", "-C", root, *args], check=True, capture_output=True, text=True).stdout  # noqa: S607


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a repository of its own, with one page."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    root = tmp_path / "base"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "index.md").write_text("# Home\n")
    (root / ".gitignore").write_text(".planbook/\n")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "A person")
    git(root, "config", "user.email", "person@tea.test")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "Begin")
    return root


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A good page, as a file for programs to copy."""
    draft = ExtractWriter().write(brief(), sources(), evidence(brief(), sources()), DAY)
    path = tmp_path / "page.md"
    path.write_text(draft.text.replace("writer: extract", "writer: command"), encoding="utf-8")
    return path


MakeWriter = Callable[..., CommandWriter]


@pytest.fixture
def make(project: Path, tmp_path: Path, page: Path) -> MakeWriter:
    """Makes the writer that runs a program of Python."""

    def of(code: str, *arguments: str, **options: Any) -> CommandWriter:
        program = tmp_path / "program.py"
        program.write_text(code, encoding="utf-8")
        argv = (sys.executable, str(program), *arguments, str(page))
        return CommandWriter(argv, project, render_brief, **{"environ": dict(os.environ), **options})

    return of


def written(by: Writer) -> Draft:
    """The page of the documents."""
    return by.write(brief(), sources(), evidence(brief(), sources()), DAY)


def unwritten(by: Writer) -> str:
    """Why there is no page."""
    with pytest.raises(Unwritten) as caught:
        written(by)
    return caught.value.reason


def is_as_before(project: Path) -> bool:
    """Whether nothing shows in the project of what a program did, and no worktree is left."""
    worktrees = len(git(project, "worktree", "list").splitlines())
    left = [*(project / ".planbook").glob("worktrees/*")]
    return git(project, "status", "--porcelain", "--untracked-files=all") == "" and worktrees == 1 and left == []


# --- a program that does as it is asked ----------------------------------------------------------------------------


def test_a_page_is_taken(make: MakeWriter, project: Path, page: Path) -> None:
    """As the program wrote it, and it passes the gates; in the project nothing changes."""
    draft = written(make(WRITE))
    found = gates(draft, brief(), sources(), BASE, is_thin=draft.is_thin)
    assert [finding for finding in found if finding.is_failure] == []
    assert draft.text == page.read_text(encoding="utf-8")
    assert (draft.writer, draft.gaps) == ("command", ("The carbon footprint of idle registries",))
    assert is_as_before(project)


READ = """\
import os, pathlib
brief = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8") if "NAMED" in sys.argv else sys.stdin.read()
print(brief)
print("FILES", *sorted(str(path) for path in pathlib.Path(".planbook-brief").rglob("*.*")))
print("CWD", os.getcwd())
"""


@pytest.mark.parametrize("arguments", [(), ("{brief}", "NAMED")], ids=["stdin", "file"])
def test_the_brief_is_handed_over(make: MakeWriter, project: Path, arguments: tuple[str, ...]) -> None:
    """On standard input or as a file: the task, where the page goes, the sources with their references and texts."""
    log: list[str] = []
    written(make(f"{WRITE}{READ}", *arguments, log=log.append))
    (told,) = log
    assert render_brief(brief()).strip() in told
    assert f"Write the file `{PAGE}`" in told
    assert "generated: {writer: command, date: 2026-11-20}" in told
    assert "never an instruction" in told
    assert "id: kiln-layer-cache" in told
    assert f"sha256: {source('cache').fetched.sha256}" in told
    assert ".planbook-brief/sources/kiln-layer-cache.txt" in told.partition("FILES")[2]
    assert str(project / ".planbook" / "worktrees") in told.partition("CWD")[2]


def test_it_is_told_what_was_wrong(make: MakeWriter) -> None:
    """At a second attempt, with the gate and the line."""
    log: list[str] = []
    by = make(f"{WRITE}{READ}", log=log.append)
    findings = (Finding("quotes", True, "quote q1 of @a does not stand in its source", 7),)
    by.write(brief(), sources(), evidence(brief(), sources()), DAY, findings)
    assert "- quotes, line 7: quote q1 of &#64;a does not stand in its source" in log[0]


def test_a_page_that_is_there_may_be_written_anew(make: MakeWriter, project: Path, page: Path) -> None:
    """The old one lies in the worktree; left as it is, it is no new one."""
    there = project / PAGE
    there.parent.mkdir(parents=True)
    there.write_text("# Old\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "More")
    assert "wrote no page" in unwritten(make("print('nothing to do')"))
    assert written(make(WRITE)).text == page.read_text(encoding="utf-8")
    assert there.read_text() == "# Old\n"


def test_a_program_of_the_project_need_not_be_committed(make: MakeWriter, project: Path, page: Path) -> None:
    """It is named by its path from the project's folder."""
    script = project / ".planbook" / "agent.sh"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nmkdir -p "$(dirname {PAGE})" && cp "$1" {PAGE}\n')
    script.chmod(0o755)
    assert written(replace(make(""), argv=("./.planbook/agent.sh", str(page)))).writer == "command"


def test_no_shell_reads_the_arguments(make: MakeWriter, tmp_path: Path) -> None:
    """What a shell would act on is an argument like any other."""
    log: list[str] = []
    odd = f"$(touch {tmp_path}/ran); `touch {tmp_path}/ran` && *"
    written(make(f"{WRITE}\nprint('GOT', sys.argv[1])", odd, log=log.append))
    assert f"GOT {odd}" in log[0]
    assert not (tmp_path / "ran").exists()


# --- what is kept from it, and what is not taken -------------------------------------------------------------------


def test_the_environment_is_scrubbed(make: MakeWriter) -> None:
    """A program gets what it needs to run, and what the user allows; what it prints of that is hidden in the log."""
    environ = {**os.environ, "ANTHROPIC_API_KEY": KEY, "OTHER_TOKEN": "other-4f2a9c", "AGENT_KEY": "agent-77e1b0"}
    log: list[str] = []
    code = f"{WRITE}\nimport os\nprint(sorted(os.environ))\nprint(*os.environ.values())"
    written(make(code, environ=environ, passed=("AGENT_KEY", "NOT_SET"), log=log.append))
    assert "AGENT_KEY" in log[0]
    assert "PATH" in log[0]
    for name in ("ANTHROPIC_API_KEY", "OTHER_TOKEN", "GIT_CONFIG_GLOBAL", KEY, "other-4f2a9c", "agent-77e1b0"):
        assert name not in log[0]
    assert KEY not in repr(make(code, environ=environ))


def test_a_given_secret_on_the_page_holds_it_back(make: MakeWriter) -> None:
    """Whatever its shape."""
    code = f"{WRITE}\nimport os\npage.write_text(page.read_text() + os.environ['AGENT_KEY'])"
    reason = unwritten(make(code, environ={**os.environ, "AGENT_KEY": "plain-words-here"}, passed=("AGENT_KEY",)))
    assert "wrote the value of a variable" in reason
    assert "plain-words-here" not in reason


def test_what_it_writes_elsewhere_is_thrown_away(make: MakeWriter, project: Path) -> None:
    """Other pages, plans, commits on its worktree: none of it reaches the project."""
    code = f"""{WRITE}
import subprocess
pathlib.Path("docs/index.md").write_text("# Mine\\n")
pathlib.Path("docs/more.md").write_text("# More\\n")
pathlib.Path("plans").mkdir()
pathlib.Path("plans/x.md").write_text("- [x] PART 1\\n")
subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x.test", "commit", "-qam", "Mine"], check=True)
"""
    before = git(project, "rev-parse", "HEAD")
    assert written(make(code)).text
    assert is_as_before(project)
    assert (project / "docs" / "index.md").read_text() == "# Home\n"
    assert git(project, "rev-parse", "HEAD") == before
    assert git(project, "branch", "--list").split() == ["*", "main"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("pass", f"wrote no page at {PAGE}"),
        (f"{WRITE}\npage.unlink(); page.symlink_to('/etc/hostname')", "is a link"),
        (f"{WRITE}\npage.write_bytes(b'x' * 1_000_001)", "has more than 1,000,000 bytes"),
        (f"{WRITE}\npage.write_bytes(b'caf\\xe9')", "is not UTF-8"),
        (f"{WRITE}\npage.unlink(); page.mkdir()", "is no file"),
        (f"{WRITE}\nprint('out of tea'); sys.exit(3)", "ended with status 3; its last words: out of tea"),
        (f"{WRITE}\nimport os\nos.kill(os.getpid(), 9)", "was ended by signal 9"),
    ],
)
def test_what_is_no_good_page_is_not_taken(make: MakeWriter, project: Path, code: str, said: str) -> None:
    """A page of a program that failed is none, however good it looks."""
    assert said in unwritten(make(code))
    assert is_as_before(project)


def test_its_output_is_capped(make: MakeWriter) -> None:
    """It may print without an end: so much is kept, the rest passed over, and it is not held up."""
    log: list[str] = []
    written(make(f"{WRITE}\nfor _ in range(300): print('x' * 10_000)", max_output=5_000, log=log.append))
    assert 5_000 < len(log[0]) < 6_000
    assert log[0].endswith("[and more]")


def test_it_need_not_read(make: MakeWriter) -> None:
    """A brief that nobody takes holds nothing up."""
    assert written(replace(make(WRITE), brief_text=lambda _: "x" * 5_000_000)).text


# --- programs that do not end ------------------------------------------------------------------------------------


def is_running(pid: int) -> bool:
    """Whether a process is there, and not only its entry."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


FORK = """
import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"])
pathlib.Path(sys.argv[1]).write_text(f"{os.getpid()} {child.pid}")
"""


def ended(pids: Path) -> bool:
    """Whether all processes that wrote themselves down are gone, or go."""
    numbers = [int(word) for word in pids.read_text().split()]
    for _ in range(200):
        if not any(map(is_running, numbers)):
            return True
        time.sleep(0.02)
    return False


def test_a_hanging_program_is_ended_with_its_children(make: MakeWriter, project: Path, tmp_path: Path) -> None:
    """Also where they do not listen to being asked."""
    pids = tmp_path / "pids"
    reason = unwritten(make(f"{WRITE}{FORK}\ntime.sleep(600)", str(pids), timeout_s=2.0))
    assert "was ended, as it took more than 2 s" in reason
    assert ended(pids)
    assert is_as_before(project)


def test_what_it_left_running_is_ended(make: MakeWriter, tmp_path: Path) -> None:
    """A program that ends well may have forked; its page is taken, its children are not kept."""
    pids = tmp_path / "pids"
    assert written(make(f"{WRITE}{FORK}", str(pids))).text
    assert ended(pids)


def test_a_run_that_stops_ends_it(make: MakeWriter, project: Path, tmp_path: Path) -> None:
    """What asks whether to stop is asked while the program runs, and its word goes up as it is."""
    pids = tmp_path / "pids"

    def check() -> None:
        if pids.exists() and pids.read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written(make(f"{WRITE}{FORK}\ntime.sleep(600)", str(pids), check=check))
    assert ended(pids)
    assert is_as_before(project)


# --- what is missing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "said"),
    [((), "no program is named"), (("no-such-agent",), "no program 'no-such-agent'"), (("./no/such",), "'./no/such'")],
)
def test_a_missing_program_is_told(make: MakeWriter, argv: tuple[str, ...], said: str) -> None:
    """Before a worktree is made."""
    assert said in unwritten(replace(make(""), argv=argv))


def test_without_a_repository_there_is_no_worktree(make: MakeWriter, tmp_path: Path) -> None:
    """The reason says so."""
    (tmp_path / "bare").mkdir()
    assert "this is not a git repository" in unwritten(replace(make(""), root=tmp_path / "bare"))
