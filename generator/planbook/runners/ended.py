"""Read the report of a subagent's end: the PARTs that it was at.

Claude Code and Codex give it to the hook `SubagentStop`.

The host sends an object with `cwd`, `agent_type`, `stop_hook_active` and `agent_transcript_path`.
The transcript has a JSON object a line; what the subagent called is in it, whatever else the host's
version writes around it.
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

_CALL = re.compile(r"\bplanbook\s+(?:claim|finish)\s+(?P<arguments>[^;&|\n]*)")
"""A call in a shell command: ``planbook claim tea 2 --as tea-2``."""
_NAME_OPTIONS = ("--as", "--runner")


@dataclass(frozen=True, slots=True)
class RunnerWork:
    """A PART that a runner was at."""

    plan: str
    """As the runner named it: a path, slug or file name."""
    part: int
    runner: str
    """Its name."""


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
    folder = Path(str(event.get("cwd") or "."))
    transcript = event.get("agent_transcript_path") or event.get("transcript_path")
    works = works_in(_read_transcript(Path(transcript))) if isinstance(transcript, str) else ()
    return Ended(folder, works, is_again=bool(event.get("stop_hook_active")))


def works_in(transcript: str) -> tuple[RunnerWork, ...]:
    """Return the PARTs that a subagent claimed or submitted, each once, by its first call."""
    works: dict[RunnerWork, None] = {}
    for line in transcript.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        works |= dict.fromkeys(_works_in_value(value))
    return tuple(works)


def _works_in_value(value: Any) -> Iterator[RunnerWork]:
    """Yield the PARTs in the arguments of calls, wherever in `value` they are."""
    if isinstance(value, dict):
        plan, part, runner = (value.get(key) for key in ("plan", "part", "name"))
        if isinstance(plan, str) and isinstance(part, int) and isinstance(runner, str):
            yield RunnerWork(plan, part, runner)
        for item in value.values():
            yield from _works_in_value(item)
    elif isinstance(value, list):
        for item in value:
            yield from _works_in_value(item)
    elif isinstance(value, str):
        yield from _works_in_text(value)


def _works_in_text(text: str) -> Iterator[RunnerWork]:
    """Yield the PARTs in a shell command, or in the JSON of a call's arguments."""
    if text.startswith("{"):
        with suppress(ValueError):
            yield from _works_in_value(json.loads(text))
    for call in _CALL.finditer(text):
        work = _work_in_arguments(call["arguments"])
        if work:
            yield work


def _work_in_arguments(arguments: str) -> RunnerWork | None:
    """Return the PART that the arguments of `claim` or `finish` name.

    The result is ``None`` if they are not complete.
    """
    try:
        words = shlex.split(arguments)
    except ValueError:  # a quote that is closed on a later line
        words = arguments.split()
    halves: list[str] = []
    for word in words:
        if word.startswith("--"):
            halves += word.split("=", 1)
        else:
            halves.append(word)
    names = [value for option, value in pairwise(halves) if option in _NAME_OPTIONS]
    has_plan_and_part = len(halves) > 1 and halves[1].isdecimal()
    if not (has_plan_and_part and names):
        return None
    plan, part = halves[:2]
    return RunnerWork(plan, int(part), names[0])


def _read_transcript(path: Path) -> str:
    """Return a transcript; empty if there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
