"""The hosts: where each looks for a skill, a command, a subagent, a hook and an MCP server.

Each reads them in a form of its own, which is here, too.

The pages that document these formats, and when they were read, are in
docs/decisions/0052-formats-of-hosts.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from planbook.runners import description
from planbook.runners.description import ORACLE, RUNNER, SERVER, SKILL, text
from planbook.runners.toml_text import table_text


class Scope(StrEnum):
    """For whom a host finds the files."""

    PROJECT = "project"
    """Everybody who works on the base; git keeps them."""
    USER = "user"
    """One person, in all projects."""


@dataclass(frozen=True, slots=True)
class PlanbookFile:
    """A file that is ours alone."""

    path: str
    """Relative to the project's folder or the home folder, with slashes."""
    text: str


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """A member of an object, or an item of a list, in a JSON file that others write to as well."""

    path: str
    keys: tuple[str, ...]
    value: Any
    is_item: bool = False
    """True if `keys` lead to a list, and the value is an item of it."""


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table in a TOML file that others write to as well."""

    path: str
    keys: tuple[str, ...]
    text: str


Piece = PlanbookFile | JsonEntry | TomlTable


@dataclass(frozen=True, slots=True)
class Host:
    """A program that runs coding agents."""

    name: str
    """As on the command line."""
    title: str
    folder: str
    """The folder of its settings; the record of what was installed lies in it."""
    pieces: Callable[[Scope, str], tuple[Piece, ...]]
    """Returns what it gets; the second argument is the folder of the pages."""
    start: str
    """The words by which a user starts an Oracle in it."""
    is_tried: bool = False
    """True if the files were read by the host itself, in the version that decision 0052 names."""
    hint: Mapping[Scope, str] | None = None
    """The step that no file can take for the user."""
    home_variable: str = ""
    """The environment variable that names another place for `folder` in the home folder."""


# --- forms ----------------------------------------------------------------------------------------


def render_front_matter(fields: Mapping[str, str | Sequence[str]], body: str) -> str:
    """Return Markdown with front matter: JSON's strings and lists are YAML's, too."""
    lines = [f"{key}: {_yaml(value)}" for key, value in fields.items()]
    return "\n".join(["---", *lines, "---", "", body])


def _yaml(value: str | Sequence[str]) -> str:
    """Return a value as YAML: plain if it is a name, in quotes otherwise."""
    if isinstance(value, str) and value.replace("-", "").replace("_", "").isalnum():
        return value
    return json.dumps(value, ensure_ascii=False)


def skills(folder: str, oracle: Mapping[str, str] | None = None) -> tuple[PlanbookFile, ...]:
    """Return the skill and the command as skills in `folder`.

    `oracle` has further fields of the command.
    """
    skill = {"name": SKILL, "description": description.SKILL_WHEN}
    command = {"name": ORACLE, "description": description.ORACLE_WHEN, **(oracle or {})}
    return (
        PlanbookFile(f"{folder}/{SKILL}/SKILL.md", render_front_matter(skill, text("skill"))),
        PlanbookFile(f"{folder}/{ORACLE}/SKILL.md", render_front_matter(command, text("oracle"))),
    )


def subagent(path: str, **fields: str | Sequence[str]) -> PlanbookFile:
    """Return the subagent as Markdown with front matter."""
    head = {"name": RUNNER, "description": description.RUNNER_WHEN}
    return PlanbookFile(path, render_front_matter(head | fields, text("runner")))


def server(**more: object) -> dict[str, Any]:
    """Return the entry of the MCP server, as most hosts write it."""
    return {**more, "command": description.COMMAND, "args": [*description.ARGUMENTS]}


def hook() -> dict[str, Any]:
    """Return the hook for the end of a subagent, as Claude Code and Codex write it.

    A plugin's subagent has the plugin's name in front of its own.
    """
    return {
        "matcher": f".*{RUNNER}",
        "hooks": [{"type": "command", "command": description.HOOK, "timeout": 30}],
    }


# --- the hosts ------------------------------------------------------------------------------------

CLAUDE_AGENT: Mapping[str, Any] = {
    "skills": [SKILL],
    "disallowedTools": "WebSearch, WebFetch, NotebookEdit, Agent",
}
"""A runner of Claude Code finds the skill loaded. It searches with Planbook, which keeps what it
reads."""


def _claude(scope: Scope, docs: str) -> tuple[Piece, ...]:
    settings = ".claude/settings.json"
    allowed = ["Bash(planbook:*)", f"mcp__{SERVER}__*"]
    pieces: list[Piece] = [
        *skills(".claude/skills", {"argument-hint": "[plan]"}),
        subagent(f".claude/agents/{RUNNER}.md", **CLAUDE_AGENT),
        JsonEntry(settings, ("hooks", "SubagentStop"), hook(), is_item=True),
    ]
    if scope is Scope.PROJECT:
        allowed.append(f"Edit(/{docs}/**)")
        pieces.append(JsonEntry(".mcp.json", ("mcpServers", SERVER), server()))
    pieces += [
        JsonEntry(settings, ("permissions", "allow"), rule, is_item=True) for rule in allowed
    ]
    return tuple(pieces)


def _codex(scope: Scope, docs: str) -> tuple[Piece, ...]:
    agent = "\n".join(
        [
            f"name = {json.dumps(RUNNER)}",
            f"description = {json.dumps(description.RUNNER_WHEN)}",
            'sandbox_mode = "workspace-write"',
            "developer_instructions = '''",
            f"{text('runner')}\n{description.CODEX_TOOLS}'''",
        ]
    )
    return (
        *skills(".agents/skills"),
        PlanbookFile(f".codex/agents/{RUNNER}.toml", f"{agent}\n"),
        TomlTable(
            ".codex/config.toml",
            ("mcp_servers", SERVER),
            table_text(("mcp_servers", SERVER), server()),
        ),
        JsonEntry(".codex/hooks.json", ("hooks", "SubagentStop"), hook(), is_item=True),
    )


def _cursor(scope: Scope, docs: str) -> tuple[Piece, ...]:
    return (
        *skills(".cursor/skills"),
        subagent(f".cursor/agents/{RUNNER}.md", model="inherit"),
        JsonEntry(".cursor/mcp.json", ("mcpServers", SERVER), server()),
    )


def gemini_command(folder: str) -> PlanbookFile:
    """Return the command of Gemini CLI, which has what the user typed after its name."""
    prompt = f"{text('oracle')}\n{{{{args}}}}\n"
    command = f"description = {json.dumps(description.ORACLE_WHEN)}\nprompt = '''\n{prompt}'''\n"
    return PlanbookFile(f"{folder}/{ORACLE}.toml", command)


def _gemini(scope: Scope, docs: str) -> tuple[Piece, ...]:
    return (
        *skills(".gemini/skills")[:1],
        gemini_command(".gemini/commands"),
        subagent(f".gemini/agents/{RUNNER}.md", kind="local"),
        JsonEntry(".gemini/settings.json", ("mcpServers", SERVER), server()),
    )


def _copilot(scope: Scope, docs: str) -> tuple[Piece, ...]:
    top = ".github" if scope is Scope.PROJECT else ".copilot"
    entry = json.dumps({SERVER: server(type="local", tools=["*"])})
    agent = subagent(f"{top}/agents/{RUNNER}.agent.md").text
    # Copilot reads servers from the front matter of the agent that uses them.
    agent = agent.replace("\n---\n", f"\nmcp-servers: {entry}\n---\n", 1)
    return (*skills(f"{top}/skills"), PlanbookFile(f"{top}/agents/{RUNNER}.agent.md", agent))


_TRUST = (
    "Codex reads .codex/ of a project only if you trust it, and asks before it runs a new hook: "
    "see /hooks."
)
_USER_SERVER = (
    "For the MCP server in all projects: claude mcp add --scope user planbook -- planbook mcp "
    "--write"
)
HOSTS: Mapping[str, Host] = {
    host.name: host
    for host in (
        Host(
            "claude",
            "Claude Code",
            ".claude",
            _claude,
            f"/{ORACLE} PLAN",
            is_tried=True,
            hint={Scope.USER: _USER_SERVER},
            home_variable="CLAUDE_CONFIG_DIR",
        ),
        Host(
            "codex",
            "Codex",
            ".codex",
            _codex,
            f"${ORACLE} PLAN",
            is_tried=True,
            hint={Scope.PROJECT: _TRUST},
            home_variable="CODEX_HOME",
        ),
        Host("cursor", "Cursor", ".cursor", _cursor, f"/{ORACLE} PLAN"),
        Host("gemini", "Gemini CLI", ".gemini", _gemini, f"/{ORACLE} PLAN"),
        Host("copilot", "GitHub Copilot", ".github", _copilot, f"/{ORACLE} PLAN"),
    )
}
"""The hosts, by name."""
