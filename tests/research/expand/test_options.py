"""The option `expand` of the plugin: what it may say, and where it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planbook.store import RefusedError, Settings, read_settings
from planbook.store.options import Options, describe_choice, read_options

HEAD = "site_name: Tea\nplugins:\n  - planbook:\n      expand:\n"


def options(root: Path, text: str, **given: object) -> Options:
    """What the configuration says, with what is given before it."""
    (root / "mkdocs.yml").write_text(HEAD + "".join(f"        {line}\n" for line in text.splitlines()))
    return read_options(read_settings(root), given)


def test_the_command_line_comes_first(tmp_path: Path) -> None:
    """What is given there counts before the file."""
    assert options(tmp_path, "workers: 2\nsources: 5", workers=7).workers == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("worker: 2", r"mkdocs\.yml:5: `expand\.worker` is not an option; did you mean `workers`\?"),
        (
            "colour: red",
            "`expand.colour` is not an option; the options are workers, writer, sources, min_answered, pause",
        ),
        ("sources: 5\nworkers: two", r"yml:6: `expand\.workers` must be a whole number from 1 to 64"),
        ("workers: 0", "`expand.workers` must be a whole number from 1 to 64"),
        ("pause: -1", "`expand.pause` must be a number from 0 to 3,600"),
        ("command: agent", r"`expand.command` must be a list of strings, such as \[a, b\]"),
        ("command_sandbox: off", "`expand.command_sandbox` must be one of always, never"),
        ("command_sandbox: bwrap", "`expand.command_sandbox` must be one of always, never"),
        ("writer: me", "`expand.writer` must be one of auto, extract, llm, command"),
        ("search: all", "`expand.search` must be a mapping of options, such as `limit: 8`"),
        (
            "search:\n  documents: docs\n  limit: 0",
            r"mkdocs\.yml:7: `expand\.search\.limit` must be a whole number from 1 to 50",
        ),
        (
            "search:\n  provider: [local]",
            r"mkdocs\.yml:6: `expand\.search\.provider` is not an option; did you mean `providers`\?",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """File, line and key, and what would be right."""
    with pytest.raises(RefusedError, match=message):
        options(tmp_path, text)


@pytest.mark.parametrize(
    ("written", "writer", "told"),
    [
        ({}, "extract", "set `expand.llm_model` or `expand.command`"),
        ({"llm_model": "m"}, "llm", "the writer is `llm`"),
        ({"command": ["agent"]}, "command", "the writer is `command`"),
        ({"llm_model": "m", "command": ["agent"]}, "llm", "the writer is `llm`"),
        ({"writer": "extract", "llm_model": "m"}, "extract", ""),
    ],
)
def test_the_writer_is_what_is_configured(written: dict[str, Any], writer: str, told: str) -> None:
    """A model before a program before passages, unless the user names one; a line says what was chosen."""
    settings = Settings(Path(), expand=written)
    options = read_options(settings)
    assert options.writer == writer
    assert told in describe_choice(settings, None, options)
    assert describe_choice(settings, "extract", read_options(settings, {"writer": "extract"})) == ""
