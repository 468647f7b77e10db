"""`planbook runners ended`: what a host's hook is told when a subagent ends."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from planbook.cli import main
from planbook.research.leases import LeaseBook
from planbook.runners.ended import RunnerWork, works_in
from tests.files import put

PLAN = "# Tea\n\n## PART 1: Create tea/1.md\n\n- [ ] PART 1: Create tea/1.md\n"


def called(command: str) -> str:
    """A line of a transcript in which a subagent calls a command in the shell."""
    call = {"type": "tool_use", "name": "Bash", "input": {"command": command}}
    return json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "Now."}, call]}})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A base with an open PART."""
    root = tmp_path / "base"
    put(root, {"mkdocs.yml": "site_name: Tea\n", "docs/index.md": "# Tea\n", "plans/tea.md": PLAN})
    return root


def end(root: Path, transcript: str, **more: Any) -> Result:
    """The hook, for a subagent with this transcript."""
    path = root.parent / "agent.jsonl"
    path.write_text(transcript)
    event = {
        **{"session_id": "s", "hook_event_name": "SubagentStop", "agent_id": "a", "agent_type": "planbook-runner"},
        **{"cwd": str(root / "docs"), "agent_transcript_path": str(path), "stop_hook_active": False},
        **more,
    }
    return CliRunner().invoke(main, ["runners", "ended"], input=json.dumps(event), prog_name="planbook")


def planbook(root: Path, *arguments: str) -> Result:
    """The command line."""
    return CliRunner().invoke(main, [*arguments, "--root", str(root)], prog_name="planbook")


def test_a_runner_with_a_claim_is_told_to_go_on(root: Path) -> None:
    """Once, with the command; then its PART is free, and the user is told."""
    assert planbook(root, "claim", "tea", "1", "--as", "tea-1").exit_code == 0
    transcript = f"{called('cd base && planbook claim tea 1 --as tea-1')}\nnot JSON\n"
    told = json.loads(end(root, transcript).output)
    assert told["decision"] == "block"
    assert "tea PART 1 has no accepted page" in told["reason"]
    assert "planbook finish tea 1 --runner tea-1 --no-commit" in told["reason"]
    assert LeaseBook(root).current(datetime.now(UTC))
    told = json.loads(end(root, transcript, stop_hook_active=True).output)
    assert "tea-1 ended without an accepted page of tea PART 1" in told["systemMessage"]
    assert not LeaseBook(root).current(datetime.now(UTC))


def test_nothing_is_said_of_others(root: Path) -> None:
    """Of a subagent that claimed nothing, whose claim has ended, or whose PART somebody else has."""
    assert planbook(root, "claim", "tea", "1", "--as", "ann").exit_code == 0
    for transcript in (
        "",
        called("ls"),
        called("planbook claim tea 1 --as ben"),
        called("planbook claim no 1 --as ann"),
    ):
        done = end(root, transcript)
        assert (done.exit_code, done.output) == (0, "")
    assert planbook(root, "claim", "tea", "1", "--as", "ann", "--release").exit_code == 0
    assert end(root, called("planbook claim tea 1 --as ann")).output == ""


@pytest.mark.parametrize("given", ["", "[]", "{", '"text"'])
def test_other_input_is_an_error_that_stops_nobody(given: str) -> None:
    """A host goes on at the exit status 1."""
    done = CliRunner().invoke(main, ["runners", "ended"], input=given, prog_name="planbook")
    assert (done.exit_code, "not the JSON of a host" in done.output) == (1, True)


@pytest.mark.parametrize(
    "line",
    [
        called("planbook finish ./plans/tea.md 2 --no-commit --runner 'A B' --note \"it's\""),
        called("planbook finish ./plans/tea.md 2 --note \"an open\nquote\" --runner='A B'").replace("\\n", " "),
        json.dumps(
            {
                "content": [
                    {"name": "mcp__planbook__claim", "input": {"plan": "./plans/tea.md", "part": 2, "name": "A B"}}
                ]
            }
        ),
        json.dumps({"payload": {"arguments": json.dumps({"plan": "./plans/tea.md", "part": 2, "name": "A B"})}}),
        json.dumps({"payload": {"command": ["bash", "-lc", "planbook claim ./plans/tea.md 2 --as 'A B'; ls"]}}),
    ],
)
def test_calls_are_found_in_what_hosts_write(line: str) -> None:
    """In the shell or over MCP, whatever is around them."""
    assert works_in(f"{line}\n{line}\n") == (RunnerWork("./plans/tea.md", 2, "A B"),)
