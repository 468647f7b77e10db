"""Runners that hold a claim, and the Oracle's one commit: `finish --no-commit`, `finish --failed` and `commit`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from planbook.cli.project import source_reader
from planbook.library import link_tree
from planbook.research.leases import ClaimedError, LeaseBook
from planbook.research.proof.verify import Answers, CitedReference
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.drop import read_notes_in_drop
from planbook.research.submission.submit import submit
from planbook.store import read_settings, read_tree
from tests.cli.terminal import on_terminal
from tests.files import git, put
from tests.research.expand.base import commits, files_of, make_repository
from tests.research.expand.loopback import PLANBOOK, environment
from tests.research.expand.loopback import planbook as run

OPTIONS = "{expand: {search: {providers: [local]}}}"
PART = """\
## PART {n}: Create cups/{n}.md

- [ ] PART {n}: Create cups/{n}.md

- [ ] Search: "warm cup tea hot"
- [ ] Section 1: Warming
    - How long a warm cup keeps tea hot

"""
PAGE = """\
---
title: Cups {n}
description: How cups are warmed.
plan: cups
part: {n}
created: 2026-11-20
reviewed: null
references:
  - id: {work}
    custom:
      quotes: {{q1: A warm cup keeps the tea hot for nine minutes.}}
---

# Cups {n}

## Warming

A warm cup keeps tea hot for nine minutes [@{work}, q1].
"""


def planbook(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """The command, run to its end."""
    return run(*args, "--root", str(root))


@pytest.fixture
def cups(tmp_path: Path) -> Path:
    """A base in a repository, with three open PARTs and a document that answers them."""
    files = {
        "mkdocs.yml": f"site_name: Cups\nplugins:\n  - planbook: {OPTIONS}\n",
        ".gitignore": ".planbook/\n.cache/\n",
        "docs/index.md": "# Cups\n",
        "plans/cups.md": "# Cups\n\n" + "".join(PART.format(n=n) for n in (1, 2, 3)),
        "documents/cups.md": "# Warm cups\n\nA warm cup keeps the tea hot for nine minutes. A cold one does not.\n",
    }
    return make_repository(tmp_path / "base", files)


def work_of(root: Path, document: str, n: int = 1) -> str:
    """Return the id that a document has for a PART."""
    told = planbook(root, "read", document, "--for", "cups", str(n)).stdout
    return str(re.findall(r"(?:- id: |Its id is `)([\w-]+)", told)[0])


def write_page(root: Path, n: int) -> str:
    """Gather for a PART, write its page from the first work that was found, and return the work's id."""
    assert planbook(root, "gather", "cups", str(n)).returncode == 0
    work = work_of(root, "documents/cups.md", n)
    put(root, {f"docs/cups/{n}.md": PAGE.format(n=n, work=work)})
    return work


BY_NUMBER = """\
---
title: Cups {n} # mine
description: How cups are warmed.
plan: cups
part: {n}
created: 2026-11-20
reviewed: null
---

# Cups {n}

## Warming

A warm cup keeps tea hot for {minutes} minutes [@{work}#1].
"""


def test_an_agent_gets_no_more_than_its_host_shows(cups: Path) -> None:
    """Whatever size it asks for, once it holds the claim; the way to the rest is below."""
    text = "# Kettles\n\n" + "".join(
        f"Kettle {n} is for cups of size {n}. " + "It is hot. " * 30 + "\n\n" for n in range(120)
    )
    put(cups, {"documents/kettles.md": text})
    ask = ("read", "documents/kettles.md", "--for", "cups", "1", "--tokens", "20000")
    assert len(planbook(cups, *ask).stdout) > 40_000
    planbook(cups, "claim", "cups", "1", "--as", "ann")
    shown = planbook(cups, *ask).stdout
    assert len(shown) < 25_000
    assert re.search(r"\d+ passages more: planbook read kettles#\d+-120 --for cups 1", shown)
    found = planbook(cups, "find", "cups", "1", "kettle for cups", "--tokens", "20000").stdout
    assert len(found) < 25_000


def test_passages_named_by_their_numbers_are_printed_beyond_the_usual_size(cups: Path) -> None:
    """A work is listed above 2,000 tokens; who names a range has chosen, and gets it in one call."""
    text = "# Kettles\n\n" + "".join(
        f"Kettle {n} is for cups of size {n}. " + "It is hot. " * 30 + "\n\n" for n in range(120)
    )
    put(cups, {"documents/kettles.md": text})
    assert "- `#1-120` Kettles (" in planbook(cups, "read", "documents/kettles.md", "--for", "cups", "1").stdout
    named = planbook(cups, "read", "kettles#11-50", "--for", "cups", "1").stdout
    assert len(named) > 12_000
    assert "Kettle 10 is" in named
    assert "Kettle 49 is" in named
    assert "more:" not in named
    put(cups, {"documents/mugs.md": text.replace("Kettle", "Mug")})
    planbook(cups, "read", "documents/mugs.md", "--for", "cups", "1")
    several = planbook(cups, "read", "kettles#1-60", "mugs#1-2", "--for", "cups", "1", "--tokens", "5000").stdout
    assert "passages more: planbook read kettles#" in several
    assert "Without room here: planbook read mugs#1-2 --for cups 1" in several
    assert "Mug 1 is" not in several


def test_passages_that_are_cited_by_their_numbers_become_quotes(cups: Path) -> None:
    """A refusal names passage and line of the file as it is; only an accepted page is rewritten, in one step."""
    page = cups / "docs/cups/1.md"
    work = write_page(cups, 1)
    wrong = BY_NUMBER.format(n=1, work=work, minutes="ten")
    page.write_bytes(wrong.replace("\n", "\r\n").encode())
    before = page.read_bytes()
    for options in (("--check",), ("--no-commit",)):
        refused = planbook(cups, "finish", "cups", "1", *options)
        assert (refused.returncode, page.read_bytes()) == (1, before)
        line = wrong[: wrong.index("A warm cup")].count("\n") + 1
        assert f"docs/cups/1.md:{line}: failure “A warm cup keeps tea hot for ten minutes”" in refused.stdout
        assert f"“ten minutes” is not in `{work}#1`" in refused.stdout
        assert f"nearest passage, {work}#1: A warm cup keeps the tea hot for nine minutes." in refused.stdout
    addition = b" Glazed mugs shatter on marble counters beside warm cups."
    right = before.replace(b"ten", b"nine")
    cited = f" [@{work}#1].".encode()
    page.write_bytes(right.replace(cited, cited + addition + cited[:-1] + b".\r\n"))
    line = wrong[: wrong.index("A warm cup")].count("\n") + 1
    weak = planbook(cups, "finish", "cups", "1", "--check").stdout
    assert (
        f"- docs/cups/1.md:{line} “Glazed mugs shatter on marble counters beside warm cups.” not in a quote: " in weak
    )
    assert "    “A warm cup keeps the tea hot for nine minutes.”" in weak
    (one,) = json.loads(planbook(cups, "finish", "cups", "1", "--check", "--format=json").stdout)["weak"]
    assert (one["line"], "marble" in one["missing"], one["nearest"]) == (line, True, "")
    page.write_bytes(right)
    checked = planbook(cups, "finish", "cups", "1", "--check")
    assert (checked.returncode, page.read_bytes()) == (0, right)
    assert "docs/cups/1.md: 1 quote of the passages that it cites would be written into it" in checked.stdout
    assert planbook(cups, "finish", "cups", "1").returncode == 0
    written = page.read_bytes().decode()
    assert written.endswith(f"\r\nA warm cup keeps tea hot for nine minutes [@{work}, q1].\r\n")
    assert 'q1: "A warm cup keeps the tea hot for nine minutes."\r\n' in written
    assert "title: Cups 1 # mine\r\n" in written
    again = planbook(cups, "finish", "cups", "1")
    assert (again.returncode, page.read_bytes().decode()) == (0, written)
    assert "is unchanged since it was accepted" in again.stdout


def test_an_oracle_commits_all_pages_of_its_runners_at_once(cups: Path) -> None:
    """With the plan, the drops, INDEX.md and SKILL.md; then nothing is left."""
    for n in (1, 2):
        name = f"runner-{n}"
        assert planbook(cups, "claim", "cups", str(n), "--as", name).returncode == 0
        since = LeaseBook(cups).current(datetime.now(UTC))["cups", n].since
        write_page(cups, n)
        notes = ("--note", "One document only.", "--note", "Nothing on *cold* cups.")
        done = planbook(cups, "finish", "cups", str(n), "--runner", name, "--no-commit", *notes)
        assert done.returncode == 0, done.stdout + done.stderr
    assert commits(cups) == []
    done = planbook(cups, "commit")
    assert done.returncode == 0, done.stderr
    assert commits(cups)[0].startswith("Finish cups: 2 pages, ")
    written = set(files_of(cups))
    assert {"A docs/cups/1.md", "A docs/cups/2.md", "M plans/cups.md", "A docs/INDEX.md", "A SKILL.md"} <= written
    assert git(cups, "status", "--porcelain") == ""
    (drop,) = (cups / "plans").glob("KNOWLEDGE-DROP-2-*")
    assert f"started: {since[:10]} {since[11:16]} UTC\n" in drop.read_text()
    assert "## In the runner's words\n\n- One document only.\n- Nothing on \\*cold\\* cups.\n" in drop.read_text()
    again = planbook(cups, "commit")
    assert (again.returncode, "nothing to commit" in again.stderr) == (1, True)


def test_a_page_that_was_changed_since_is_not_committed(cups: Path) -> None:
    """It is named, with what to do; the others are committed."""
    for n in (1, 2):
        write_page(cups, n)
        assert planbook(cups, "finish", "cups", str(n), "--no-commit").returncode == 0
    page = cups / "docs/cups/2.md"
    page.write_text(page.read_text() + "\nIt keeps tea hot for a week.\n")
    done = planbook(cups, "commit")
    assert done.returncode == 1
    assert "docs/cups/2.md was changed since it was accepted; run `planbook finish cups 2` again" in done.stderr
    assert "A docs/cups/1.md" in files_of(cups)
    assert "A docs/cups/2.md" not in files_of(cups)
    assert planbook(cups, "finish", "cups", "2", "--no-commit").returncode == 0
    assert planbook(cups, "commit").returncode == 0
    assert "A docs/cups/2.md" in files_of(cups)


def test_nothing_is_committed_if_every_page_was_changed(cups: Path) -> None:
    """There is no commit of the lists alone; a page that is as it was accepted is committed later."""
    write_page(cups, 1)
    assert planbook(cups, "finish", "cups", "1", "--no-commit").returncode == 0
    page = cups / "docs/cups/1.md"
    accepted = page.read_text()
    page.write_text(f"{accepted}\nIt keeps tea hot for a week.\n")
    done = planbook(cups, "commit")
    assert (done.returncode, commits(cups)) == (1, [])
    assert "run `planbook finish cups 1` again" in done.stderr
    assert "nothing was committed: no accepted page is as it was accepted" in done.stderr
    page.write_text(accepted)
    assert planbook(cups, "commit").returncode == 0
    assert "A docs/cups/1.md" in files_of(cups)


def test_a_committed_page_that_was_changed_is_named(cups: Path) -> None:
    """It is named also if nothing else is left to commit, with the command that has it checked again."""
    write_page(cups, 1)
    assert planbook(cups, "finish", "cups", "1").returncode == 0
    page = cups / "docs/cups/1.md"
    page.write_text(page.read_text() + "\nIt keeps tea hot for a week.\n")
    done = planbook(cups, "commit")
    assert (done.returncode, len(commits(cups))) == (1, 1)
    told = "docs/cups/1.md was changed since it was accepted; run `planbook finish cups 1` again"
    assert f"nothing to commit: {told}" in done.stderr


COMMITTING = {
    "finish": [["finish", "cups", "1"]],
    "commit": [["finish", "cups", "1", "--no-commit"], ["commit"]],
    "expand": [["expand", "cups", "1"]],
}
"""Commands, of which the last one commits a page."""


@pytest.mark.parametrize("commands", COMMITTING.values(), ids=COMMITTING)
def test_files_that_a_clone_needs_are_named(cups: Path, commands: list[list[str]]) -> None:
    """Documents, configuration and pages that git does not have, with the command; not what it has or ignores."""
    git(cups, "rm", "-r", "--quiet", "--cached", "documents", "mkdocs.yml")
    git(cups, "commit", "--quiet", "-m", "Forget them")
    put(cups, {"docs/more.md": "# More\n", "notes.txt": "Mine.\n"})
    if commands[0][0] == "finish":
        write_page(cups, 1)
    *_, done = [planbook(cups, *command) for command in commands]
    assert done.returncode == 0, done.stderr
    said = "not in git yet: docs/more.md, documents/, mkdocs.yml; a clone can neither build the pages nor check"
    assert said in done.stderr
    command = "git add docs/more.md documents/ mkdocs.yml"
    assert command in done.stderr
    git(cups, *command.split()[1:])
    git(cups, "commit", "--quiet", "-m", "Add them")
    write_page(cups, 2)
    assert "not in git" not in planbook(cups, "finish", "cups", "2").stderr


def test_notes_stay_until_others_replace_them(cups: Path) -> None:
    """A page that is submitted again keeps what its author said of it."""
    write_page(cups, 1)
    note = "One *document* only: `cups.md` & no other."
    for more, shown in (((), ()), (("--note", note), (note,)), ((), (note,)), (("--note", "Two."), ("Two.",))):
        page = cups / "docs/cups/1.md"
        page.write_text(page.read_text().replace("# Cups 1\n", "# Cups 1\n\nWarm cups.\n", 1))
        assert planbook(cups, "finish", "cups", "1", *more).returncode == 0
        (drop,) = (cups / "plans").glob("KNOWLEDGE-DROP-*")
        assert read_notes_in_drop(drop.read_text()) == shown


def test_the_brief_ends_with_the_command_of_its_reader(cups: Path) -> None:
    """The holder of a claim finishes without a commit, under its name; anybody else as ever."""
    assert "Run `planbook finish plans/cups.md 1`." in planbook(cups, "brief", "cups", "1").stdout
    assert planbook(cups, "claim", "cups", "1", "--as", "A B").returncode == 0
    told = planbook(cups, "brief", "cups", "1").stdout
    assert "Run `planbook finish plans/cups.md 1 --runner 'A B' --no-commit`." in told
    assert "`planbook commit` commits all pages later" in told


def test_a_runner_cites_only_what_it_read(cups: Path) -> None:
    """A work that is in no dossier of the PART is refused, with the command that reads it; a person may cite it."""
    work = write_page(cups, 1)
    page = cups / "docs/cups/1.md"
    book = f"  - {{id: book, type: book, title: Cups}}\n  - id: {work}\n"
    cited = page.read_text().replace(f"  - id: {work}\n", book)
    page.write_text(f"{cited}\nCups are old [@book].\n")
    assert planbook(cups, "claim", "cups", "1", "--as", "ann").returncode == 0
    refused = planbook(cups, "finish", "cups", "1", "--runner", "ann", "--no-commit")
    assert refused.returncode == 1
    assert "@book was not read for this PART; run `planbook read ADDRESS --for cups 1`" in refused.stdout
    assert planbook(cups, "claim", "cups", "1", "--as", "ann", "--release").returncode == 0
    assert planbook(cups, "finish", "cups", "1", "--runner", "ann", "--no-commit").returncode == 0


def test_a_claim_is_given_up_without_the_name_of_its_holder(cups: Path) -> None:
    """Who has it is said; another name gives up nothing, and a claim needs one."""
    assert planbook(cups, "claim", "cups", "1", "--as", "ann").returncode == 0
    other = planbook(cups, "claim", "cups", "1", "--as", "ben", "--release")
    assert other.stdout == "cups PART 1: not claimed by ben, but by ann: --as ann\n"
    assert planbook(cups, "claim", "cups", "1", "--release").stdout == "cups PART 1: free; ann had claimed it\n"
    assert planbook(cups, "claim", "cups", "1", "--release").stdout == "cups PART 1: not claimed\n"
    nameless = planbook(cups, "claim", "cups", "1")
    assert (nameless.returncode, "Missing option '--as'" in nameless.stderr) == (2, True)


def test_a_runner_that_gives_up_leaves_a_drop(cups: Path) -> None:
    """It says why; the PART stays open and is free again, and no page is there."""
    assert planbook(cups, "claim", "cups", "3", "--as", "ann").returncode == 0
    other = planbook(cups, "finish", "cups", "3", "--runner", "ben", "--failed", "no", "--no-commit")
    assert (other.returncode, "claimed by ann" in other.stderr) == (1, True)
    done = planbook(
        cups, "finish", "cups", "3", "--runner", "ann", "--failed", "The only source is gone", "--no-commit"
    )
    assert done.returncode == 0, done.stderr
    (drop,) = (cups / "plans").glob("KNOWLEDGE-DROP-3-*")
    assert "outcome: failed\n" in drop.read_text()
    assert "has no page: The only source is gone." in drop.read_text()
    assert "- [ ] PART 3" in (cups / "plans/cups.md").read_text()
    assert "claimed" not in planbook(cups, "status").stdout
    assert planbook(cups, "commit").returncode == 0
    assert commits(cups)[0].startswith("Finish cups: no page, 1 PART failed")


def test_a_watcher_sees_what_happens(cups: Path) -> None:
    """A pipe gets a line for each claim, refusal, page and PART that is given up; it ends when none is left."""
    put(cups, {"plans/cups.md": "# Cups\n\n" + "".join(PART.format(n=n) for n in (1, 2))})
    command = [str(PLANBOOK), "status", "--watch", "--root", str(cups)]
    assert planbook(cups, "claim", "cups", "2", "--as", "cups-0").returncode == 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**environment()}) as watcher:
        assert watcher.stdout
        seen = [watcher.stdout.readline()]

        def wait_for(words: str) -> None:
            """Read on until a line has these words."""
            while words not in seen[-1]:
                seen.append(watcher.stdout.readline() if watcher.stdout else "")
                assert seen[-1], seen

        wait_for("0 of 2 PARTs accepted, 1 in work, 1 left")
        assert planbook(cups, "claim", "cups", "2", "--as", "cups-0", "--release").returncode == 0
        wait_for("cups PART 2: free again: cups-0 ended without an accepted page")
        assert planbook(cups, "claim", "cups", "1", "--as", "cups-1").returncode == 0
        wait_for("cups PART 1: claimed by cups-1")
        write_page(cups, 1)
        page = cups / "docs/cups/1.md"
        right = page.read_text()
        page.write_text(right.replace("nine", "eight"))
        assert planbook(cups, "finish", "cups", "1", "--runner", "cups-1", "--no-commit").returncode == 1
        wait_for("cups PART 1: refused, cups-1: ")
        page.write_text(right)
        assert planbook(cups, "finish", "cups", "1", "--runner", "cups-1", "--no-commit").returncode == 0
        wait_for("cups PART 1: accepted, done; cups/1.md")
        assert planbook(cups, "claim", "cups", "2", "--as", "cups-2").returncode == 0
        wait_for("cups PART 2: claimed by cups-2")
        assert planbook(cups, "claim", "cups", "2", "--as", "cups-2", "--release").returncode == 0
        wait_for("cups PART 2: free again: cups-2 ended without an accepted page")
        assert planbook(cups, "finish", "cups", "2", "--runner", "cups-2", "--failed", "no source").returncode == 0
        wait_for("cups PART 2: given up; plans/KNOWLEDGE-DROP-2-")
        wait_for("1 of 2 PARTs accepted, 0 in work, 0 left, 1 given up")
        assert watcher.wait(timeout=30) == 0


def test_a_pipe_is_told_that_nobody_is_at_work(cups: Path) -> None:
    """At once, with what begins the work: who reads it would wait for ever."""
    done = planbook(cups, "status", "--watch")
    assert done.returncode == 0
    first, second = done.stdout.splitlines()
    assert first.endswith("0 of 3 PARTs accepted, 0 in work, 3 left")
    assert "nobody is at work (`planbook claim PLAN N --as NAME` begins)" in second


def test_a_terminal_shows_a_block(cups: Path) -> None:
    """With the runner, its tries and what is left; it ends when nothing is."""
    put(cups, {"plans/cups.md": "# Cups\n\n" + PART.format(n=1)})
    assert planbook(cups, "finish", "cups", "1", "--failed", "no source", "--no-commit").returncode == 0
    shown = on_terminal("status", "--watch", cwd=cups)
    assert "cups PART 1" in shown
    assert "given up" in shown
    assert "0 of 1 PART accepted, 0 in work, 0 left, 1 given up" in shown


def test_a_run_passes_over_what_others_have_claimed(cups: Path) -> None:
    """It says who has it and until when, writes the others, and a limit counts those that it can take."""
    assert planbook(cups, "claim", "cups", "1", "--as", "ann").returncode == 0
    [lease] = LeaseBook(cups).current(datetime.now(UTC)).values()
    why = f"claimed by ann until {lease.until}"
    planned = json.loads(planbook(cups, "expand", "cups", "--dry-run", "--json").stdout)
    assert [(part["part"], part["why"]) for part in planned["passed"]] == [(1, why)]
    done = planbook(cups, "expand", "cups", "--limit", "1", "--writer", "extract", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    passed = json.loads(done.stdout)["passed"]
    assert [(part["part"], part["why"]) for part in passed] == [(1, why), (3, "--limit 1")]
    assert [path.name for path in (cups / "docs/cups").iterdir()] == ["2.md"]
    asked = planbook(cups, "expand", "cups", "1", "--writer", "extract")
    assert why in asked.stdout
    assert not (cups / "docs/cups/1.md").exists()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("claims.json", ("expand", "cups")),
        ("claims.json", ("finish", "cups", "1")),
        ("claims.json", ("claim", "cups", "1", "--as", "ben")),
        ("uncommitted.json", ("finish", "cups", "1", "--no-commit")),
        ("uncommitted.json", ("commit",)),
        ("attempts", ("finish", "cups", "1")),
    ],
)
def test_damaged_files_of_ours_are_refused(cups: Path, name: str, command: tuple[str, ...]) -> None:
    """The message has the file's name and what to do: nothing is taken for empty and written over."""
    write_page(cups, 1)
    page = cups / "docs/cups/1.md"
    right = page.read_text()
    assert planbook(cups, "claim", "cups", "2", "--as", "ann").returncode == 0
    page.write_text(right.replace("nine", "eight"))
    assert planbook(cups, "finish", "cups", "1").returncode == 1
    page.write_text(right + "\n")
    if name == "uncommitted.json":
        assert planbook(cups, "finish", "cups", "1", "--no-commit").returncode == 0
        page.write_text(right)
    files = [path for path in cups.rglob("*.json") if name in path.relative_to(cups).as_posix()]
    assert len(files) == 1
    files[0].write_text("[{")
    refused = planbook(cups, *command)
    assert refused.returncode == 1
    assert f"{files[0].name} cannot be read" in refused.stderr
    assert "delete it" in refused.stderr
    assert files[0].read_text() == "[{"


def test_a_claim_of_another_is_seen_when_the_page_is_written(cups: Path) -> None:
    """A check may take long: whoever has the PART when it ends keeps it, and nothing is written."""
    write_page(cups, 1)
    settings = read_settings(cups)
    config = RecordingConfig(settings, lambda library: {}, "planbook finish")
    plan = (cups / "plans/cups.md").read_bytes()
    library = link_tree(read_tree(settings))

    def claim_meanwhile(cited: Iterable[CitedReference]) -> Answers:
        """Read the works, and let another runner claim the PART."""
        LeaseBook(cups).claim(library.plans[0], library.plans[0].parts[0], "ben", datetime.now(UTC), 60)
        return source_reader(settings, {}).read_cited(cited, may_be_old=True)

    with pytest.raises(ClaimedError, match="claimed by ben"):
        submit(config, "cups", 1, claim_meanwhile, runner="ann")
    assert (cups / "plans/cups.md").read_bytes() == plan
    assert list((cups / "plans").glob("KNOWLEDGE-DROP-*")) == []


def test_a_drop_has_two_notes_at_most(cups: Path) -> None:
    """A third one is refused before anything is read."""
    notes = [word for n in range(3) for word in ("--note", str(n))]
    refused = planbook(cups, "finish", "cups", "1", *notes)
    assert (refused.returncode, "--note may be given twice" in refused.stderr) == (2, True)


# --- documents with an address ---------------------------------------------------------------------------------------

ADDRESS = "https://www.cups.example/warm.html"
NAMED = {
    "canonical.html": f'<html><head><link rel="canonical" href="{ADDRESS}"></head><body><h1>Warm</h1>{{text}}</body>',
    "saved.html": f"<!-- saved from url=(0034){ADDRESS} -->\n<html><body><h1>Warm</h1>{{text}}</body></html>",
    "front.md": f"---\nsource_url: {ADDRESS}\n---\n\n# Warm\n\n{{text}}\n",
}
TRUE = "A warm cup keeps the tea hot for nine minutes."


def write_out(root: Path, extra: str = "", *, name: str = "warm", quote: str = TRUE) -> None:
    """Write the page of PART 1 with its reference written out, as an author does who knows the form."""
    item = f"  - id: {name}\n    type: webpage\n    title: Warm\n    URL: {ADDRESS}\n    custom:\n{extra}"
    page = PAGE.format(n=1, work=name).replace(f"  - id: {name}\n    custom:\n", item)
    put(root, {"docs/cups/1.md": page.replace(f"q1: {TRUE}", f'q1: "{quote}"')})


@pytest.fixture
def addressed(cups: Path) -> Path:
    """The base, with a claimed PART whose one work is a saved page; its host cannot be reached."""
    (cups / "documents/cups.md").unlink()
    put(cups, {"documents/warm.html": NAMED["canonical.html"].format(text=f"<p>{TRUE} A cold one does not.</p>")})
    assert planbook(cups, "claim", "cups", "1", "--as", "ann").returncode == 0
    assert planbook(cups, "gather", "cups", "1").returncode == 0
    return cups


@pytest.mark.parametrize("name", ["example-warm", "other"])
@pytest.mark.parametrize("extra", ["", f"      sha256: '{'0' * 64}'\n"])
@pytest.mark.parametrize("is_there", [True, False], ids=["document", "dossier"])
def test_a_false_quote_of_a_gathered_work_is_refused(addressed: Path, name: str, extra: str, *, is_there: bool) -> None:
    """Also if its reference is written out, with an id of its own or the hash of another text; a true one is accepted.

    Without the document, the quotes are judged by what was gathered.
    """
    if not is_there:
        (addressed / "documents/warm.html").unlink()
    write_out(addressed, extra, name=name, quote="A warm cup keeps the tea hot for nine minutes. It explodes.")
    options = ("--runner", "ann", *(() if is_there else ("--offline",)))
    refused = planbook(addressed, "finish", "cups", "1", "--check", *options)
    assert (refused.returncode, " D040 " in refused.stdout) == (1, True), refused.stdout
    write_out(addressed, extra, name=name)
    done = planbook(addressed, "finish", "cups", "1", "--no-commit", *options)
    assert (done.returncode, "was not read" in done.stdout) == (0, False), done.stdout
    assert ("has changed since the page was written" in done.stdout) is bool(extra)


def test_a_work_is_meant_by_its_text_or_id(addressed: Path) -> None:
    """A document that lost its address since is known by its hash; a mistyped address does not hide a false quote."""
    text = f"<html><body><h1>Warm</h1><p>{TRUE} A cold one does not.</p></body></html>"
    put(addressed, {"documents/warm.html": text})
    assert planbook(addressed, "gather", "cups", "1").returncode == 0
    work = work_of(addressed, "documents/warm.html")
    write_out(addressed, name=work, quote="A warm cup explodes after nine minutes.")
    refused = planbook(addressed, "finish", "cups", "1", "--check", "--runner", "ann", "--offline")
    assert (refused.returncode, " D040 " in refused.stdout) == (1, True), refused.stdout


@pytest.mark.parametrize("document", NAMED)
def test_a_document_is_verified_by_its_address(cups: Path, document: str) -> None:
    """What `finish` accepted holds in `verify`, in `--changes` and in a clone, without a request or an index."""
    (cups / "documents/cups.md").unlink()
    put(cups, {f"documents/{document}": NAMED[document].format(text=f"<p>{TRUE} A cold one does not.</p>")})
    assert planbook(cups, "gather", "cups", "1").returncode == 0
    work = work_of(cups, f"documents/{document}")
    put(cups, {"docs/cups/1.md": PAGE.format(n=1, work=work)})
    assert planbook(cups, "finish", "cups", "1").returncode == 0
    page = (cups / "docs/cups/1.md").read_text()
    assert (f"URL: {ADDRESS}" in page, "accessed" in page) == (True, False)
    shutil.rmtree(cups / ".planbook")
    for args in (("verify",), ("verify", "--offline"), ("verify", "--changes")):
        done = planbook(cups, *args)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 quote found" in planbook(cups, "verify").stdout
    put(cups, {"docs/cups/1.md": page.replace(TRUE, f"{TRUE} It explodes.")})
    assert planbook(cups, "verify").returncode == 1


def test_a_commit_that_fails_is_told_when_a_part_is_given_up(cups: Path) -> None:
    """The message has git's own words, and the exit code is that of a page that is not recorded."""
    hook = cups / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not on a Friday >&2\nexit 1\n")
    hook.chmod(0o755)
    told = planbook(cups, "finish", "cups", "1", "--failed", "no source")
    assert told.returncode == 1
    assert "is given up" in told.stdout
    assert "not on a Friday" in told.stderr
