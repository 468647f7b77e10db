"""`planbook expand` as a shell sees it, against a real web on loopback."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from tests.files import git, put
from tests.research.expand.base import commits
from tests.research.expand.loopback import SearchWeb, expand, start, until


def test_a_dry_run_writes_and_asks_nothing(root: Path, web: SearchWeb) -> None:
    """Nothing is written into the working folder, either; the run tells what would be."""
    before = git(root, "status", "--porcelain", "--ignored")
    done = expand(root, "--dry-run")
    assert done.returncode == 0
    assert "tea PART 2: tea/2.md\n  web: q2 → searxng\n  web: r2 → searxng\n" in done.stdout
    assert "6 searches at searxng\n" in done.stdout
    assert "36 documents read from their hosts" in done.stdout
    assert "commit: main" in done.stdout
    assert (web.seen, web.searched) == ([], {})
    assert (git(root, "status", "--porcelain", "--ignored"), (root / ".planbook").exists()) == (before, False)
    told = json.loads(expand(root, "--dry-run", "--format=json", "--part", "2").stdout)
    assert [page["page"] for page in told["pages"]] == ["tea/2.md"]
    assert (told["searches"], told["commit"], told["refused"]) == ({"searxng": 2}, "main", None)


def test_a_dry_run_says_what_would_be_refused(root: Path) -> None:
    """Staged changes, and nothing to do."""
    put(root, {"mine.txt": "mine\n"})
    git(root, "add", "mine.txt")
    done = expand(root, "--dry-run")
    assert "The run would be refused: the index holds staged changes (mine.txt)" in done.stdout
    refused = expand(root)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "Error: the index holds staged changes (mine.txt)" in refused.stderr
    git(root, "reset", "--quiet")
    put(root, {".gitignore": "docs/tea/\n"})
    done = expand(root, "--dry-run")
    assert "The run would be refused: .gitignore:1: the pattern docs/tea/ excludes docs/tea/1.md" in done.stdout


def test_a_run_that_reached_nobody_is_continued(root: Path, web: SearchWeb) -> None:
    """Failures are not kept as answers: once the host is there, the next run asks it, and fills every PART."""
    config = (root / "mkdocs.yml").read_text()
    put(root, {"mkdocs.yml": config.replace(web.url(""), "http://127.0.0.1:9")})
    done = expand(root)
    assert done.returncode == 6
    assert "Stopped: no host could be reached: nothing was found: " in done.stdout
    assert "No connection. `documents/`, mirrors and `planbook brief` work offline." in done.stdout
    assert (root / "plans/tea.md").read_text().count("- [ ] PART") == 3
    assert commits(root) == []
    assert expand(root).returncode == 6
    put(root, {"mkdocs.yml": config})
    done = expand(root)
    assert (done.returncode, commits(root)) == (0, commits(root)[:1]), done.stdout


@pytest.mark.parametrize(
    "body", [b"<html><p>Just a moment", b'{"results": [], "unresponsive_engines": [["brave", "timeout"]]}']
)
def test_a_search_that_failed_is_asked_again(root: Path, web: SearchWeb, body: bytes) -> None:
    """Also where the failure came with status 200: a page for people, or a search engine whose engines time out."""
    web.failing = body
    # 5 if a PART that reached nobody ended the run before the one that the host refused
    assert expand(root).returncode in {3, 5, 6}
    asked = web.searched.total()
    web.failing = None
    expand(root, "--redo", "--plan", "tea")
    assert web.searched.total() > asked
    assert (root / "docs/tea/1.md").is_file()


def test_a_partial_page_is_not_called_done(root: Path) -> None:
    """Where too few points are answered, the table, the events and the JSON say partial, as the plan does."""
    plan = (root / "plans/tea.md").read_text()
    asks = "    - Which price of gold moved on the exchange of Zurich\n    - Which parliament voted for the budget\n"
    put(root, {"plans/tea.md": plan.replace("leaves\n", f"leaves\n{asks}", 1)})
    git(root, "commit", "--quiet", "-am", "Ask more")
    done = expand(root, "--limit", "1")
    row = next(line for line in done.stdout.splitlines() if "tea/1.md" in line)
    assert (" partial " in row, " done " in row) == (True, False), done.stdout
    assert "tea/1.md is written, and its PART is partial: 1 of 3 points answered" in done.stderr
    assert "- [/] PART 1" in (root / "plans/tea.md").read_text()
    assert "Next:\n  tea PART 1: see its open points with `planbook brief tea 1`;" in done.stdout


def test_json_is_for_programs(root: Path) -> None:
    """Nothing but JSON is on standard output, and nothing on standard error."""
    done = expand(root, "--limit", "1", "--format=json", "--no-commit")
    told = json.loads(done.stdout)
    assert (done.stderr, told["exit"], told["commit"], told["left"]) == ("", 0, None, 0)
    assert [(page["part"], page["end"]) for page in told["pages"]] == [(1, "done")]
    assert [passed["why"] for passed in told["passed"]] == ["--limit 1", "--limit 1"]
    assert told["requests"] >= 5
    assert (root / told["log"]).is_file()


def test_the_log_has_a_line_for_each_event(root: Path) -> None:
    """As JSON, with time, PART, stage and hosts."""
    expand(root, "--limit", "1")
    (log,) = (root / ".planbook/logs").iterdir()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    events = [line["event"] for line in lines]
    assert events[:2] == ["RunStarted", "PartStarted"]
    assert [events.count(name) for name in ("StageStarted", "StageFinished", "PartFinished")] == [5, 5, 1]
    assert {line["host"] for line in lines if line["event"] == "HostRequest"} == {"127.0.0.1", "localhost"}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["time"]) for line in lines)


# --- options and usage -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["coffee"], 2, "there is no plan 'coffee'"),
        (["tea", "9"], 2, "PART 9"),
        (["--part", "9"], 2, "there is no PART 9 in any plan"),
        (["--redo"], 2, "--redo rewrites pages; name the plan: planbook expand PLAN --redo"),
        (["--writer", "llm"], 1, "no language model is configured; set `llm_model`"),
        (["--writer", "command"], 1, "has no program to run: set `expand.command` to a list such as [my-agent"),
        (["--workers", "0"], 2, "0 is not in the range 1<=x<=64"),
    ],
)
def test_what_is_not_understood(root: Path, web: SearchWeb, args: list[str], code: int, told: str) -> None:
    """It is told, nobody is asked, and no plan changes."""
    done = expand(root, *args)
    assert (done.returncode, web.seen) == (code, [])
    assert told in done.stderr
    assert git(root, "status", "--porcelain") == ""


# --- stops -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.nightly), signal.SIGTERM])
def test_a_signal_stops_the_run(root: Path, web: SearchWeb, number: int) -> None:
    """What is ready is written and committed, the rest stays open, and it says how to go on; then it goes on."""
    page = web.hold("/a2")
    run = start(root, "--workers", "1")
    until(lambda: web.asked_for["/a2"] > 0)
    run.send_signal(number)
    out, err = run.communicate()
    page.set()
    assert run.returncode == 5, err
    assert "Stopping after the current step." in err
    assert re.search(r"^Stopped: (interrupted|terminated)\.$", out, re.MULTILINE)
    assert "2 pages left. Run the same command again to continue; the results so far are kept." in out
    assert (root / "docs/tea/1.md").is_file()
    assert (len(commits(root)), git(root, "status", "--porcelain")) == (1, "")
    before = web.searched.copy()
    assert expand(root).returncode == 0
    assert web.searched - before == {"q3": 1, "r3": 1}
    asked = web.pages_asked()
    assert asked.pop("/b2") in {1, 2}  # of another host, and read beside /a2
    assert asked == {f"/{page}": 1 + (page == "a2") for page in ("a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3")}


def test_a_second_signal_ends_it_at_once(root: Path, web: SearchWeb) -> None:
    """It ends though a stage that cannot be cut short is under way."""
    web.hold("/search q1")
    run = start(root)
    until(lambda: web.asked_for["/search q1"] > 0)
    run.send_signal(signal.SIGINT)
    run.send_signal(signal.SIGINT)
    run.communicate()
    assert run.returncode == 5


def test_a_second_run_is_refused_while_one_is_at_work(root: Path, web: SearchWeb) -> None:
    """It is told who is at work; a run that was killed is no obstacle."""
    page = web.hold("/a1")
    first = start(root)
    until(lambda: web.asked_for["/a1"] > 0)
    second = expand(root)
    assert second.returncode == 1
    assert f"another run is active: `planbook expand`, process {first.pid} on " in second.stderr
    first.kill()
    first.communicate()
    page.set()
    assert expand(root).returncode == 0
