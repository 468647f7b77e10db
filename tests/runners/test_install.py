"""`planbook runners`: installed twice, edited, and taken away again, beside what others wrote."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from planbook.cli import COMMANDS, main
from planbook.runners import json_text, toml_text
from planbook.runners.description import text
from planbook.runners.hosts import HOSTS, PlanbookFile, Scope
from planbook.runners.install import Installation, _name_in_record, _sha256
from tests.files import put

MOST_WORDS = 900
"""Of what an agent has to read before it works."""
SETTINGS = {
    ".mcp.json": '{"mcpServers": {"other": {"command": "x", "args": []}}}\n',
    ".claude/settings.json": '{\n    "permissions": {\n\t"allow": ["Bash(ls:*)"],  "deny": []\n    }, "model": "m"\n}',
    ".codex/config.toml": 'model = "m" # mine\n\n[features]\nhooks = true\n',
    ".codex/hooks.json": '{"hooks": {"SubagentStop": []}}',
    ".cursor/mcp.json": "{}",
    ".gemini/settings.json": '{\r\n\t"mcpServers": {\r\n\t\t"é": {"command": "x"}\r\n\t}\r\n}\r\n',
    ".github/workflows/ci.yml": "on: push\n",
}
"""Files of others, in several forms."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base, of somebody whose home folder is empty."""
    root, home = tmp_path / "base", tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    put(root, {"mkdocs.yml": "site_name: Tea\n", "docs/index.md": "# Tea\n", "plans/tea.md": "# Tea\n"})
    return root


def planbook(root: Path, *arguments: str) -> Result:
    """The command line."""
    return CliRunner().invoke(main, ["runners", *arguments, "--root", str(root)], prog_name="planbook")


def files(root: Path) -> dict[str, bytes]:
    """All files of a base with their contents."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("others", [{}, SETTINGS], ids=["bare", "beside others"])
def test_what_is_installed_goes_without_a_trace(root: Path, host: str, others: dict[str, str]) -> None:
    """A second install changes nothing; after uninstall, each byte of others is as it was."""
    put(root, others)
    before = files(root)
    done = planbook(root, "install", host)
    assert (done.exit_code, ": kept" in done.output) == (0, False)
    installed = files(root)
    assert set(before) < set(installed)
    again = planbook(root, "install", host)
    assert (again.exit_code, ": written" in again.output, files(root)) == (0, False, installed)
    assert re.search(rf"^{host} .*\s\sinstalled\s+not installed", planbook(root, "list").output, re.MULTILINE)
    assert planbook(root, "uninstall", host).exit_code == 0
    assert files(root) == before


def test_settings_of_others_are_kept(root: Path) -> None:
    """Our entries are added to theirs, and all is as the hosts read it."""
    put(root, SETTINGS)
    assert planbook(root, "install", *HOSTS).exit_code == 0
    servers = json.loads((root / ".mcp.json").read_text())["mcpServers"]
    assert servers == {
        "other": {"command": "x", "args": []},
        "planbook": {"command": "planbook", "args": ["mcp", "--write"]},
    }
    settings = json.loads((root / ".claude/settings.json").read_text())
    allowed = ["Bash(ls:*)", "Bash(planbook:*)", "mcp__planbook__*", "Edit(/docs/**)"]
    assert settings["permissions"] == {"allow": allowed, "deny": []}
    assert settings["hooks"]["SubagentStop"][0]["hooks"][0]["command"] == "planbook runners ended"
    config = tomllib.loads((root / ".codex/config.toml").read_text())
    assert config["mcp_servers"]["planbook"] == servers["planbook"]
    assert config["features"] == {"hooks": True}
    agent = tomllib.loads((root / ".codex/agents/planbook-runner.toml").read_text())
    assert {"name", "description", "developer_instructions"} <= agent.keys()
    assert set(json.loads((root / ".gemini/settings.json").read_bytes())["mcpServers"]) == {"é", "planbook"}


def test_what_was_edited_is_kept_and_reported(root: Path) -> None:
    """By install and by uninstall, with the file and what to do; the rest goes."""
    assert planbook(root, "install", "claude").exit_code == 0
    skill, server = root / ".claude/skills/planbook/SKILL.md", root / ".mcp.json"
    skill.write_text("# Mine\n")
    server.write_text(server.read_text().replace('"--write"', '"--http"'))
    for command in ("install", "uninstall"):
        done = planbook(root, command, "claude")
        assert done.exit_code == 1
        assert f"{skill}: kept: it is not as Planbook wrote it; keep it, or move it away" in done.output
        assert f"{server}: kept: its entry mcpServers.planbook is not as Planbook wrote it" in done.output
    assert set(files(root / ".claude")) == {"skills/planbook/SKILL.md", "planbook-runners.json"}
    assert "--http" in server.read_text()
    assert " edited " in planbook(root, "list").output


def test_older_files_are_updated(root: Path) -> None:
    """If they are as an older version wrote them, which the record says."""
    assert planbook(root, "install", "claude", "codex").exit_code == 0
    now = files(root)
    changed = {
        ".claude/skills/planbook/SKILL.md": ("# Write the pages", "# Write pages"),
        ".codex/config.toml": ('"--write"', '"--old"'),
        ".mcp.json": ('"--write"', '"--old"'),
    }
    for path, (new, old) in changed.items():
        (root / path).write_text((root / path).read_text().replace(new, old))
    for host in ("claude", "codex"):
        _sign(root, host)
    assert " outdated " in planbook(root, "list").output
    done = planbook(root, "install", "claude", "codex")
    assert (done.exit_code, done.output.count(": updated")) == (0, 3)
    assert files(root) == now


def _sign(root: Path, host: str) -> None:
    """Write the record as if this version had written the pieces as they are now."""
    installation = Installation(HOSTS[host], Scope.PROJECT, root)
    record = root / HOSTS[host].folder / "planbook-runners.json"
    read = json.loads(record.read_text())
    for piece in installation.pieces:
        there = installation._there(piece)
        assert there is not None
        read["pieces"][_name_in_record(piece)]["sha256"] = _sha256(there)
    record.write_text(json.dumps(read, indent=2, ensure_ascii=False) + "\n")


@pytest.mark.parametrize(
    ("host", "path", "broken"),
    [
        ("claude", ".mcp.json", '{"mcpServers": {} // mine\n}'),
        ("claude", ".mcp.json", '{"mcpServers": []}'),
        ("claude", ".claude/settings.json", '{"hooks": {"SubagentStop": {}}, "permissions": []}'),
        ("codex", ".codex/config.toml", "model = \n"),
    ],
)
def test_a_file_that_cannot_be_read_is_kept(root: Path, host: str, path: str, broken: str) -> None:
    """And reported, by install and by uninstall; the other files are written."""
    put(root, {path: broken})
    done = planbook(root, "install", host)
    assert (done.exit_code, f"{root / path}: kept: it cannot be read" in done.output) == (1, True)
    assert (root / path).read_text() == broken
    assert ": written" in done.output
    planbook(root, "uninstall", host)
    assert (root / path).read_text() == broken


def test_an_item_that_was_taken_out_stays_out(root: Path) -> None:
    """A permission that a user removed is not given again by the next install."""
    assert planbook(root, "install", "claude").exit_code == 0
    settings = root / ".claude/settings.json"
    settings.write_text(json_text.remove(settings.read_text(), ("permissions", "allow"), "Bash(planbook:*)"))
    done = planbook(root, "install", "claude")
    assert (done.exit_code, "stays out" in done.output) == (1, True)
    assert "Bash(planbook:*)" not in settings.read_text()


def test_a_user_has_them_in_the_home_folder(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are there or where the host's variable says; nothing is written into the project."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    monkeypatch.setenv("CODEX_HOME", str(elsewhere))
    done = planbook(root, "install", "claude", "codex", "--user")
    assert done.exit_code == 0, done.output
    assert "claude mcp add --scope user planbook" in done.output
    assert (home / ".claude/skills/planbook/SKILL.md").is_file()
    assert "Edit(" not in (home / ".claude/settings.json").read_text()
    assert set(files(elsewhere)) == {
        *("agents/planbook-runner.toml", "config.toml", "hooks.json", "planbook-runners.json"),
    }
    assert not (root / ".claude").exists()
    assert planbook(root, "uninstall", "claude", "codex", "--user").exit_code == 0
    assert (files(home), files(elsewhere)) == ({}, {})


# --- the texts -------------------------------------------------------------------------------------------------------


def test_the_texts_are_short() -> None:
    """An agent that works for an hour reads them in a minute."""
    assert len(text("skill").split()) <= MOST_WORDS
    assert len((text("oracle") + text("runner")).split()) <= MOST_WORDS // 3


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("scope", Scope)
def test_each_skill_has_what_the_standard_asks_for(host: str, scope: Scope) -> None:
    """A name like its folder's, of at most 64 letters, and a description of at most 1,024 characters."""
    own = [piece for piece in HOSTS[host].pieces(scope, "docs") if isinstance(piece, PlanbookFile)]
    skills = [piece for piece in own if piece.path.endswith("/SKILL.md")]
    assert skills
    for piece in (*skills, *(piece for piece in own if "/agents/" in piece.path and piece.path.endswith(".md"))):
        fields = yaml.safe_load(piece.text.split("---\n")[1])
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fields["name"])
        assert 0 < len(fields["description"]) <= 1024
    assert {piece.path.split("/")[-2] for piece in skills} == {
        yaml.safe_load(piece.text.split("---\n")[1])["name"] for piece in skills
    }


@pytest.mark.parametrize("name", ["skill", "oracle", "runner"])
def test_every_command_in_the_texts_is_there(name: str) -> None:
    """Each command that a text tells an agent to run exists, with the options that the text gives it."""
    assert isinstance(main, click.Group)
    calls = re.findall(r"`planbook ([a-z]+)([^`]*)`", text(name))
    assert calls or name == "runner"
    for command, arguments in calls:
        assert command in COMMANDS
        found = main.get_command(click.Context(main), command)
        assert found
        known = {option for parameter in found.params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", arguments)) <= known


# --- edits of texts --------------------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(), VALUES, max_size=4),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.text(),
    VALUES,
)
def test_an_entry_can_be_put_and_removed(
    others: dict[str, object], indent: int | None, key: str, value: object
) -> None:
    """All else in the file stays as it is, to the byte, whatever form the file has."""
    others = {name: other for name, other in others.items() if name not in {key, "list"}}
    others |= {"list": [1, {"a": "]}"}]} if key != "list" else {}
    before = json.dumps(others, indent=indent)
    put_in = json_text.put(before, (key,), value)
    assert json.loads(put_in) == {**others, key: value}
    assert json.loads(json_text.remove(put_in, (key,))) == others
    if others:
        assert json_text.remove(put_in, (key,)) == before
    if "list" in others:
        longer = json_text.append(before, ("list",), "new")
        assert json.loads(longer)["list"] == [1, {"a": "]}"}, "new"]
        assert json_text.remove(longer, ("list",), "new") == before


def test_a_table_can_be_added_and_removed() -> None:
    """It is added at the end of the file, and removed from where somebody moved it to."""
    table = toml_text.table_text(("mcp_servers", "planbook"), {"command": "planbook", "args": ["mcp"]})
    before = '[mcp_servers.other]\ncommand = "x"\n'
    added = toml_text.add_table(before, table)
    assert tomllib.loads(added)["mcp_servers"]["planbook"] == {"command": "planbook", "args": ["mcp"]}
    assert toml_text.remove_table(added, ("mcp_servers", "planbook")) == before
    moved = f"{table}\n{before}"
    assert tomllib.loads(toml_text.remove_table(moved, ("mcp_servers", "planbook"))) == tomllib.loads(before)
