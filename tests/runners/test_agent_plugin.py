"""The plugins in our repository are those of the package, and what the hosts' formats ask for."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from planbook import __version__
from planbook.runners.agent_plugin import FOLDER, GEMINI_FOLDER, repository_files
from tests.conftest import ROOT


@pytest.mark.parametrize("path", repository_files(__version__))
def test_the_repository_offers_what_the_package_has(path: str, golden: Callable[[Path, str], None]) -> None:
    """`make golden` writes the files."""
    golden(ROOT / path, repository_files(__version__)[path])


def test_no_other_file_is_in_the_plugins() -> None:
    """A file that the package no longer has is gone."""
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "plugins").rglob("*") if path.is_file()}
    assert there == {path for path in repository_files(__version__) if path.startswith("plugins/")}


def test_the_manifest_is_one_of_agent_plugins() -> None:
    """Of its fields only, with a name of the form that the specification gives."""
    files = repository_files(__version__)
    manifest = json.loads(files[f"{FOLDER}/plugin.json"])
    assert manifest["$schema"] == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    assert re.fullmatch(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?", manifest["name"])
    optional = {"version", "description", "author", "homepage", "repository", "license", "keywords", "extensions"}
    assert manifest.keys() <= {"$schema", "name", *optional}
    servers = json.loads(files[f"{FOLDER}/mcp.json"])["mcpServers"]
    assert servers == {"planbook": {"type": "stdio", "command": "planbook", "args": ["mcp", "--write"]}}
    claude = json.loads(files[f"{FOLDER}/.claude-plugin/plugin.json"])
    assert claude == {key: value for key, value in manifest.items() if key != "$schema"}


@pytest.mark.parametrize("path", [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"])
def test_a_marketplace_lists_a_folder_that_is_there(path: str) -> None:
    """Its path starts with a dot, below the repository's folder."""
    (plugin,) = json.loads((ROOT / path).read_text(encoding="utf-8"))["plugins"]
    source = plugin["source"] if isinstance(plugin["source"], str) else plugin["source"]["path"]
    assert source == "./plugins/planbook"
    assert (ROOT / source / "plugin.json").is_file()


def test_a_plugin_asks_for_no_more_than_a_plugin_may() -> None:
    """Claude Code ignores hooks, servers and permissions of a plugin's subagent: they lie beside it."""
    files = repository_files(__version__)
    fields = yaml.safe_load(files[f"{FOLDER}/agents/planbook-runner.md"].split("---\n")[1])
    assert not fields.keys() & {"hooks", "mcpServers", "permissionMode"}
    assert json.loads(files[f"{FOLDER}/hooks/hooks.json"]).keys() == {"hooks"}
    command = tomllib.loads(files[f"{GEMINI_FOLDER}/commands/planbook-oracle.toml"])
    assert "{{args}}" in command["prompt"]
