"""Add a table to a TOML text and take it away again; all else stays, byte for byte."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any


def table_text(path: Sequence[str], values: Mapping[str, str | Sequence[str]]) -> str:
    """Return a table as TOML; JSON's strings and lists of strings are TOML's, too."""
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join([f"[{'.'.join(path)}]", *lines]) + "\n"


def table_at(text: str, path: Sequence[str]) -> Any:
    """Return the table at `path`; ``None`` if there is none.

    Raises ValueError if the text is not TOML.
    """
    value: Any = tomllib.loads(text)
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def block_at(text: str, path: Sequence[str]) -> str | None:
    """Return the lines of the table at `path`, from its heading to the next one.

    The result is ``None`` if it has no heading.
    """
    heading = re.escape(f"[{'.'.join(path)}]")
    block = re.search(rf"^{heading}[ \t]*\n(?:(?!\[).*\n?)*", text, re.MULTILINE)
    return f"{block[0].rstrip()}\n" if block else None


def add_table(text: str, table: str) -> str:
    """Return the text with a table at its end, below a blank line."""
    if not text:
        return table
    if not text.endswith("\n"):
        text += "\n"
    return f"{text}\n{table}"


def remove_table(text: str, path: Sequence[str]) -> str:
    """Return the text without the table at `path`, and without the blank line above it."""
    block = block_at(text, path)
    if block is None:
        return text
    above, _, below = text.partition(block.rstrip("\n"))
    above = above.removesuffix("\n") if above.endswith("\n\n") else above
    return above + below.removeprefix("\n")
