"""The plugin `planbook`, and the lists by which our repository offers it.

Each list is a marketplace, of Claude Code and of Codex.

::

    .claude-plugin/marketplace.json      .agents/plugins/marketplace.json
    plugins/planbook/
      plugin.json, mcp.json              Agent Plugins 1.0: Codex, Cursor, Copilot and others
      .claude-plugin/plugin.json, .mcp.json
      skills/, agents/, hooks/
    plugins/planbook-gemini/             an extension of Gemini CLI: its subagents differ
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from planbook.runners import description
from planbook.runners.description import RUNNER, SERVER
from planbook.runners.hosts import (
    CLAUDE_AGENT,
    PlanbookFile,
    gemini_command,
    hook,
    server,
    skills,
    subagent,
)

NAME = "planbook"
FOLDER, GEMINI_FOLDER = f"plugins/{NAME}", f"plugins/{NAME}-gemini"
_SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"


def repository_files(version: str) -> Mapping[str, str]:
    """Return the files of the plugins and their lists, by path in the repository."""
    data = {
        ".claude-plugin/marketplace.json": _claude_list(),
        ".agents/plugins/marketplace.json": _codex_list(),
        f"{FOLDER}/plugin.json": {
            "$schema": f"{_SCHEMAS}/plugin.schema.json",
            **_manifest(version),
        },
        f"{FOLDER}/mcp.json": {
            "$schema": f"{_SCHEMAS}/mcp.schema.json",
            "mcpServers": {SERVER: server(type="stdio")},
        },
        f"{FOLDER}/.claude-plugin/plugin.json": _manifest(version),
        f"{FOLDER}/.mcp.json": {"mcpServers": {SERVER: server()}},
        f"{FOLDER}/hooks/hooks.json": {"hooks": {"SubagentStop": [hook()]}},
        f"{GEMINI_FOLDER}/gemini-extension.json": {
            "name": NAME,
            "version": version,
            "mcpServers": {SERVER: server()},
        },
    }
    planbook_files: tuple[PlanbookFile, ...] = (
        *skills(f"{FOLDER}/skills", {"argument-hint": "[plan]"}),
        subagent(f"{FOLDER}/agents/{RUNNER}.md", **CLAUDE_AGENT),
        *skills(f"{GEMINI_FOLDER}/skills")[:1],
        subagent(f"{GEMINI_FOLDER}/agents/{RUNNER}.md", kind="local"),
        gemini_command(f"{GEMINI_FOLDER}/commands"),
    )
    files = {
        path: json.dumps(value, indent=2, ensure_ascii=False) + "\n" for path, value in data.items()
    }
    return files | {file.path: file.text for file in planbook_files}


def _manifest(version: str) -> dict[str, Any]:
    """Return the manifest in the fields that Agent Plugins and Claude Code share."""
    return {
        "name": NAME,
        "version": version,
        "description": description.SUMMARY,
        "author": {"name": "the Planbook authors"},
        "license": "MIT",
        "keywords": ["citations", "research", "documentation"],
    }


def _claude_list() -> dict[str, Any]:
    plugin = {"name": NAME, "source": f"./{FOLDER}", "description": description.SUMMARY}
    return {
        "name": NAME,
        "owner": {"name": "the Planbook authors"},
        "description": "The plugin of Planbook.",
        "plugins": [plugin],
    }


def _codex_list() -> dict[str, Any]:
    plugin = {
        "name": NAME,
        "source": {"source": "local", "path": f"./{FOLDER}"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    return {"name": NAME, "interface": {"displayName": description.TITLE}, "plugins": [plugin]}
