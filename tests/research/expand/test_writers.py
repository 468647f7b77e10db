"""The writers that ask a model or run a program, chosen on the real command line."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from planbook.markdown.front_matter import split_front_matter
from planbook.research.writers.llm_api import Api
from tests.files import git, put
from tests.research.expand.agents import AGENT, make_agent
from tests.research.expand.base import commits, files_of
from tests.research.expand.hand_written import MORE, PAGE, WORDS
from tests.research.expand.loopback import SearchWeb, expand, make_base, planbook, start, until
from tests.research.model_server import KEY, PATHS, Answer, Stub
from tests.research.web.server import Web, typed

MODEL = "        llm_model: stub-1\n"
APIS = pytest.mark.parametrize("api", [Api.ANTHROPIC, pytest.param(Api.OPENAI, marks=pytest.mark.nightly)])
KEY_OF = {Api.OPENAI: "OPENAI_API_KEY", Api.ANTHROPIC: "ANTHROPIC_API_KEY"}
URL_OF = {Api.OPENAI: "OPENAI_BASE_URL", Api.ANTHROPIC: "ANTHROPIC_BASE_URL"}


@pytest.fixture
def server() -> Iterator[Web]:
    """Where the model's server is: not where the pages are."""
    with Web() as web:
        yield web


def access(stub: Stub) -> dict[str, str]:
    """What the environment says of the stub."""
    return {KEY_OF[stub.api]: KEY, URL_OF[stub.api]: stub.url}


def holders(root: Path, secret: str) -> list[Path]:
    """The files that hold a secret; git's own among them."""
    return [path for path in root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


# --- a model -------------------------------------------------------------------------------------------------------


@APIS
def test_a_model_writes_the_pages(tmp_path: Path, web: SearchWeb, server: Web, api: Api) -> None:
    """Its sentences stand on pages that pass the gates; its tokens are counted; its key stands in no file."""
    root = make_base(tmp_path / "base", web, MODEL)
    done = expand(root, "--writer", "llm", "--format=json", **access(Stub(server, api)))
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert [(page["end"], page["tokens"]) for page in told["pages"]] == [("done", 220)] * 3
    assert told["tokens"] == 660
    meta, body = split_front_matter((root / "docs/tea/1.md").read_text(encoding="utf-8"))
    made: Any = meta["generated"]
    assert (made["writer"], made["model"], made["judge"]) == ("llm", "stub-1", "stub-1")
    assert made["confirmed"] == made["sentences"] > 0
    assert re.search(r"\w\. \[@[\w-]+, q\d\]", body)
    assert len(commits(root)) == 1
    drop = next((root / "plans").rglob("KNOWLEDGE-DROP-1-*")).read_text(encoding="utf-8")
    assert "runner: planbook llm" in drop
    assert holders(root, KEY) == []
    assert KEY not in done.stdout


def test_a_model_on_this_machine_needs_no_key(tmp_path: Path, web: SearchWeb, server: Web) -> None:
    """The configuration names it, and keys of the environment do not go there. Without a judge, the PART is partial."""
    stub = Stub(server, Api.OPENAI)
    options = [f"llm_url: {stub.url}", "writer: llm", "judge: none"]
    root = make_base(tmp_path / "base", web, MODEL + "".join(f"        {line}\n" for line in options))
    done = expand(root, "--limit", "1", OPENAI_API_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert "- [/] PART 1" in (root / "plans/tea.md").read_text()
    assert "100 tokens in and 10 out" in " ".join(done.stdout.split())
    sent = [seen.headers for seen in server.seen if seen.path == PATHS[Api.OPENAI]]
    assert sent
    assert all("authorization" not in headers for headers in sent)


def test_a_dry_run_says_which_model_would_be_asked(tmp_path: Path, web: SearchWeb, server: Web) -> None:
    """How often, how long its answers may be; and what is missing, where nobody can be asked."""
    root = make_base(tmp_path / "base", web, f"{MODEL}        llm_tokens: 900\n")
    stub = Stub(server, Api.OPENAI)
    done = expand(root, "--writer", "llm", "--dry-run", **access(stub))
    assert done.stdout.count("6 requests to stub-1, 66,000 tokens in and ") == 2
    assert "5,400 out" in " ".join(done.stdout.split())
    assert re.search(rf"text of the sources.* is sent\sto {stub.model.host}\s", done.stdout)
    assert server.seen == []
    told = json.loads(expand(root, "--writer", "llm", "--dry-run", "--format=json").stdout)
    assert "no language model is available; set OPENAI_API_KEY" in told["refused"]
    assert (told["author"], told["models"]) == (None, [])


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (401, "the key was refused"),
        *(pytest.param(*row, marks=pytest.mark.nightly) for row in ((None, "failed: "), (403, "the key was refused"))),
    ],
)
def test_a_model_that_cannot_be_asked_spoils_no_plan(
    tmp_path: Path, web: SearchWeb, server: Web, status: int | None, why: str
) -> None:
    """No PART is marked, nothing is committed, the status is 6; what was read is kept for the next run."""
    root = make_base(tmp_path / "base", web, MODEL)
    stub = Stub(server, Api.OPENAI)
    if status is None:
        env = {KEY_OF[stub.api]: KEY, URL_OF[stub.api]: "http://127.0.0.1:9/v1"}
    else:
        server.put(PATHS[stub.api], typed(b'{"error": {"message": "no"}}', "application/json", status=status))
        env = access(stub)
    done = expand(root, "--writer", "llm", "--workers", "1", **env)
    assert done.returncode == 6, done.stderr
    assert "no host could be reached: the model stub-1 at 127.0.0.1" in done.stdout
    assert why in done.stdout
    assert (root / "plans/tea.md").read_text().count("- [ ] PART") == 3
    assert commits(root) == []
    before = web.pages_asked()
    Stub(server, Api.OPENAI)
    assert expand(root, "--writer", "llm", "--limit", "1", **access(stub)).returncode == 0
    assert web.pages_asked() == before


def test_another_model_writes_anew(tmp_path: Path, web: SearchWeb, server: Web) -> None:
    """What a run that was stopped kept of one model is not taken for another one's."""
    root = make_base(tmp_path / "base", web, MODEL)
    stub = Stub(server, Api.OPENAI)
    assert expand(root, "--writer", "llm", "--limit", "1", "--no-commit", **access(stub)).returncode == 0
    config = (root / "mkdocs.yml").read_text()
    put(root, {"mkdocs.yml": config.replace("stub-1", "stub-2")})
    asked = len(server.seen)
    done = expand(root, "--writer", "llm", "--part", "1", "--plan", "tea", "--redo", "--no-commit", **access(stub))
    assert done.returncode == 0, done.stderr + done.stdout
    assert len(server.seen) == asked + 2
    assert "model: stub-2" in (root / "docs/tea/1.md").read_text()


def test_a_budget_of_tokens_stops_the_run(tmp_path: Path, web: SearchWeb, server: Web) -> None:
    """Between two pages; it says which budget, and the rest stays open."""
    root = make_base(tmp_path / "base", web, MODEL)
    stub = Stub(server, Api.OPENAI)
    done = expand(root, "--writer", "llm", "--workers", "1", "--budget-tokens", "100", **access(stub))
    assert done.returncode == 5
    assert "Stopped: the budget of 100 tokens is spent." in done.stdout
    assert (root / "plans/tea.md").read_text().count("- [ ] PART") >= 2


def test_a_signal_while_a_model_thinks(tmp_path: Path, web: SearchWeb, server: Web) -> None:
    """The run ends without waiting for the answer, and the PART has not failed."""
    root = make_base(tmp_path / "base", web, MODEL)
    stub = Stub(server, Api.OPENAI)
    held = SearchWeb()
    with held:
        held.put(PATHS[stub.api], typed(b"{}", "application/json"))
        answer = held.hold(PATHS[stub.api])
        run = start(root, "--writer", "llm", "--workers", "1", OPENAI_API_KEY=KEY, OPENAI_BASE_URL=held.url("/v1"))
        until(lambda: held.asked_for[PATHS[stub.api]] > 0)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate()
        answer.set()
    assert run.returncode == 5, err
    assert "Stopped: interrupted." in out
    assert (root / "plans/tea.md").read_text().count("- [ ] PART") == 3


# --- a program -----------------------------------------------------------------------------------------------------


def test_a_program_writes_the_page(tmp_path: Path, web: SearchWeb) -> None:
    """Of what it did its page is taken alone; it gets the variables that are named, and no others."""
    more = make_agent(tmp_path) + "        command_env: [AGENT_KEY]\n        writer: command\n"
    root = make_base(tmp_path / "base", web, more)
    config = (root / "mkdocs.yml").read_text()
    done = expand(root, "--limit", "1", AGENT_KEY="agent-secret-1", TAVILY_API_KEY="tvly-secret-2")
    assert done.returncode == 0, done.stderr + done.stdout
    meta, body = split_front_matter((root / "docs/tea/1.md").read_text(encoding="utf-8"))
    made: Any = meta["generated"]
    assert made["writer"] == "command"
    assert "which water keeps the leaves [@" in body
    assert (root / "mkdocs.yml").read_text() == config
    assert {line.split()[1] for line in files_of(root)} >= {"docs/tea/1.md", "plans/tea.md"}
    assert git(root, "status", "--porcelain") == ""
    assert list((root / ".planbook/scratch").iterdir()) == []
    (log,) = (root / ".planbook/logs").iterdir()
    printed = [event["text"] for event in map(json.loads, log.read_text().splitlines()) if event["event"] == "Output"]
    assert len(printed) == 1
    assert "reading brief.md [hidden] None" in printed[0]
    assert not any(path in log.read_text() for path in (sys.executable, str(tmp_path)))
    assert "reading brief.md" not in done.stderr + done.stdout
    assert holders(root, "agent-secret-1") == []


def test_what_the_rules_found_reaches_the_second_draft(tmp_path: Path, web: SearchWeb) -> None:
    """A page that is held back is written again by one who knows why."""
    code = AGENT + (
        "if 'The previous page was rejected' not in brief:\n"
        "    page.write_text(page.read_text().replace('## Water for tea', '## Something else'))\n"
    )
    root = make_base(tmp_path / "base", web, make_agent(tmp_path, code))
    done = expand(root, "--writer", "command", "--limit", "1", "--format=json")
    assert done.returncode == 0, done.stdout
    (page,) = json.loads(done.stdout)["pages"]
    assert page["end"] == "done"
    assert "\nretries: 1\n" in next((root / "plans").glob("KNOWLEDGE-DROP-*")).read_text()


def test_what_a_killed_run_left_of_its_copies_is_removed(tmp_path: Path, web: SearchWeb) -> None:
    """The next run removes the copies that a killed run has left."""
    code = "import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(5)\n"
    more = make_agent(tmp_path, code)
    root = make_base(tmp_path / "base", web, more)
    run = start(root, "--writer", "command", "--workers", "1", "--limit", "1")
    until(lambda: any((root / ".planbook/scratch").glob("*/begun")))
    run.kill()
    run.communicate()
    assert len(list((root / ".planbook/scratch").iterdir())) == 1
    make_agent(tmp_path)
    done = expand(root, "--writer", "command", "--limit", "1")
    assert done.returncode == 0, done.stderr + done.stdout
    assert list((root / ".planbook/scratch").iterdir()) == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("        command: [no-such-agent]\n", "'no-such-agent' was not found"),
        ("        command: [./agent]\n", "'./agent' was not found"),
    ],
)
def test_a_program_that_is_not_there(tmp_path: Path, web: SearchWeb, more: str, told: str) -> None:
    """It is told before anybody is asked."""
    root = make_base(tmp_path / "base", web, more)
    done = expand(root, "--writer", "command")
    assert (done.returncode, web.seen) == (1, [])
    assert told in done.stderr


def test_a_program_needs_a_repository(tmp_path: Path, web: SearchWeb) -> None:
    """Where there is none, that is told before anybody is asked."""
    root = make_base(tmp_path / "base", web, make_agent(tmp_path))
    (root / ".git").rename(tmp_path / "git-elsewhere")
    done = expand(root, "--writer", "command")
    assert (done.returncode, web.seen) == (1, [])
    assert "works in a git checkout of the project, and " in done.stderr


# --- a judge of pages by hand ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        ("supported", ""),
        ("not supported", "“Soft water keeps leaves green”: it says bright"),
        ("maybe", "the verdict is malformed"),
    ],
)
def test_finish_asks_the_judge(tmp_path: Path, web: SearchWeb, server: Web, verdict: str, told: str) -> None:
    """What it does not confirm is told with its line; the page is recorded."""
    root = make_base(tmp_path / "base", web, "        judge: stub-1\n")
    url = web.html("/spring", f"<main><h1>The spring</h1><p>{WORDS}</p></main>")
    put(
        root,
        {
            "docs/tea/1.md": PAGE.format(
                url=url, words=WORDS, more=f"\nSoft water keeps leaves green [@spring, q1].\n{MORE}"
            )
        },
    )

    def judge(given: Mapping[str, Any]) -> Answer:
        rows = [{"id": one["id"], "reason": "it says bright", "verdict": verdict} for one in given["items"]]
        return {"verdicts": rows}

    done = planbook("finish", "tea", "1", "--root", str(root), **access(Stub(server, Api.OPENAI, judge=judge)))
    assert done.returncode == 0, done.stdout + done.stderr
    line = 1 + (root / "docs/tea/1.md").read_text(encoding="utf-8").partition("Soft water keeps leaves green")[0].count(
        "\n"
    )
    found = [row for row in done.stderr.splitlines() + done.stdout.splitlines() if "D049" in row or "judge" in row]
    assert (told in "\n".join(found), bool(found)) == (True, bool(told)), done.stdout + done.stderr
    assert verdict != "not supported" or any(f":{line}:" in row for row in found), found
