"""The end of a subagent, as Claude Code and Codex report it to the hook `SubagentStop`: which PARTs it was at.

The host sends an object with `cwd`, `agent_type`, `stop_hook_active` and `agent_transcript_path`. The transcript has a
JSON object a line; what the subagent called is in it, whatever else the host's version writes around it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

_CALL = re.compile(r"\bplanbook\s+(claim|finish)\s+([^;&|\n]*)")
"""A call in a shell command: ``planbook claim tea 2 --as tea-2``."""
_NAMES = ("--as", "--runner")


@dataclass(frozen=True, slots=True)
class RunnerWork:
    """A PART that a runner was at."""

    plan: str
    """As the runner named it: a path, slug or file name."""
    part: int
    name: str
    """The runner's name."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A subagent that wants to end."""

    folder: Path
    """The folder that it worked in."""
    works: tuple[RunnerWork, ...]
    is_again: bool
    """True if it was told to go on before."""


def read_event(text: str) -> Ended:
    """Return what a host reports. Raises ValueError if it is no such report."""
    event = json.loads(text)
    if not isinstance(event, dict):
        raise ValueError("the host's report is not an object")
    transcript = event.get("agent_transcript_path") or event.get("transcript_path")
    works = works_in(_read(Path(transcript))) if isinstance(transcript, str) else ()
    return Ended(Path(str(event.get("cwd") or ".")), works, bool(event.get("stop_hook_active")))


def works_in(transcript: str) -> tuple[RunnerWork, ...]:
    """Return the PARTs that a subagent claimed or submitted, each once, in the order of its first call."""
    found: dict[RunnerWork, None] = {}
    for line in transcript.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        found |= dict.fromkeys(_works(value))
    return tuple(found)


def _works(value: Any) -> Iterator[RunnerWork]:
    """Yield the PARTs in the arguments of calls, wherever in `value` they are."""
    if isinstance(value, dict):
        plan, part, name = (value.get(key) for key in ("plan", "part", "name"))
        if isinstance(plan, str) and isinstance(part, int) and isinstance(name, str):
            yield RunnerWork(plan, part, name)
        for inner in value.values():
            yield from _works(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _works(inner)
    elif isinstance(value, str):
        yield from _works_in_text(value)


def _works_in_text(text: str) -> Iterator[RunnerWork]:
    """Yield the PARTs in a shell command, or in the JSON of a call's arguments."""
    if text.startswith("{"):
        with suppress(ValueError):
            yield from _works(json.loads(text))
    for match in _CALL.finditer(text):
        work = _work_of(match[2])
        if work:
            yield work


def _work_of(arguments: str) -> RunnerWork | None:
    """Return the PART that the arguments of `claim` or `finish` name; ``None`` if they are not complete."""
    try:
        words = shlex.split(arguments)
    except ValueError:  # a quote that is closed on a later line
        words = arguments.split()
    words = [half for word in words for half in (word.split("=", 1) if word.startswith("--") else [word])]
    names = [after for word, after in pairwise(words) if word in _NAMES]
    is_complete = len(words) > 1 and words[1].isdecimal() and names
    return RunnerWork(words[0], int(words[1]), names[0]) if is_complete else None


def _read(path: Path) -> str:
    """Return a transcript; empty if there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
