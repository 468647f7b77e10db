"""Mends that are certain: each changes only the lines it must, and done twice changes nothing the second time."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from generator.model import Part, State
from generator.plan.mark import mark
from generator.plan.parse import parse
from generator.plan.status import speaks_of_state
from generator.problems import read_ignored
from generator.rules.lists import with_room_for_lists, without_budgets
from generator.rules.selection import Selection

_LINE_END = re.compile(r"\r\n|\r|\n")
_NAMED = re.compile(r"\b(?:PARTS?|Parts?)\s+#?(\d{1,9})\b")


def fix_page(text: str, selection: Selection) -> str:
    """A page's `text` without budgets in headings, and with a blank line before each list."""
    ignored = read_ignored(text).everywhere
    if selection.has("K029") and "K029" not in ignored:
        text = without_budgets(text)
    if selection.has("K031") and "K031" not in ignored:
        text = with_room_for_lists(text)
    return text


def fix_plan(text: str, uri: str, selection: Selection, moved: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a plan's `text` with status lines and right paths.

    Each PART that has a page and that nothing in the plan marks or dates gets a status line; paths that are keys of
    `moved` become their values.
    """
    ignored = read_ignored(text).everywhere
    if any(selection.has(code) and code not in ignored for code in ("P030", "P033")):
        for path, page in moved.items():
            text = re.sub(rf"(?<![\w./@+~-]){re.escape(path)}(?![\w/-]|\.\w)", lambda _, page=page: page, text)  # type: ignore[misc]
    if not selection.has("P010") or "P010" in ignored:
        return text
    for part in reversed(_silent_parts(text, uri)):  # from the end, so that the lines of those before stay
        text = mark(text, part, State.OPEN)
    return text


def _silent_parts(text: str, uri: str) -> list[Part]:
    """The PARTs that are certainly open: no line of theirs, none that names them, none outside speaks of a state."""
    parts = parse(text, uri)[0].parts
    lines = _LINE_END.split(text)
    inside = {n for part in parts for n in range(part.line, part.end_line + 1)}
    if any(n not in inside and speaks_of_state(line, with_times=False) for n, line in enumerate(lines, 1)):
        return []
    telling = [n for n, line in enumerate(lines, 1) if n in inside and speaks_of_state(line)]
    named = {int(number) for n in telling for number in _NAMED.findall(lines[n - 1])}
    return [
        part
        for part in parts
        if part.status_line is None
        and part.state is State.UNMARKED
        and part.targets
        and part.number not in named
        and bisect_left(telling, part.line) == bisect_right(telling, part.end_line)
        and not _is_indented(lines[part.line :])
    ]


def _is_indented(lines: Sequence[str]) -> bool:
    """Return whether the first text of `lines` is indented: below a status line it would be a part of that item."""
    return next((line[:1].isspace() for line in lines if line.strip()), False)
