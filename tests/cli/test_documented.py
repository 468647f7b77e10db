"""The README and the Quick start print what the commands print today."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.terminal import PLANBOOK

REPOSITORY = Path(__file__).parents[2]
SHOWN = re.compile(r"^```console\n(?P<lines>\$ .*?)^```$", re.MULTILINE | re.DOTALL)
DAY = re.compile(r"\d{4}-\d\d-\d\d(T\w+)?|(?<=logs/)\.\.\.(?=\.jsonl)")
NOT_RUN = ("planbook serve",)
"""Commands that do not end."""


def shown_session(path: Path, heading: str) -> list[tuple[str, list[str]]]:
    """Return each command of the first session below a heading, and the lines that it prints."""
    text = path.read_text("utf-8")
    block = SHOWN.search(text, text.index(heading))
    assert block, f"{path} shows no session below {heading}"
    session: list[tuple[str, list[str]]] = []
    for line in block["lines"].splitlines():
        if line.startswith("$ "):
            session.append((line[2:], []))
        elif line != "...":
            session[-1][1].append(line)
    return session


def without_days(text: str) -> str:
    """Return a text with each day, and the name of a log, as one word."""
    return DAY.sub("DAY", text)


@pytest.mark.parametrize(
    ("path", "heading"),
    [("README.md", "## Try it"), ("docs/guide/quick-start.md", "## Create a site")],
)
def test_a_shown_session_is_as_the_commands_print_it(path: str, heading: str, tmp_path: Path) -> None:
    """Each line that a reader sees below a command is one that the command prints, in this order."""
    folder = tmp_path
    environment = os.environ | {"COLUMNS": "300", "NO_COLOR": "1"}
    for command, lines in shown_session(REPOSITORY / path, heading):
        words = command.split()
        if words[0] == "cd":
            folder = folder / words[1] if words[1] != ".." else folder
        elif command not in NOT_RUN:
            assert words[0] == "planbook"
            done = subprocess.run(
                [PLANBOOK, *words[1:]],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=120,
                check=False,
            )
            printed = iter(without_days(done.stdout).splitlines())
            for line in lines:
                assert without_days(line) in printed, f"{command}: {line}\n{done.stdout}"
