"""Mark a PART by changing exactly one line of its plan, and no other byte."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime

from planbook.model import Part, State
from planbook.plan.timestamps import TIMESTAMP

MARKS = {State.OPEN: " ", State.DONE: "✓", State.PARTIAL: "/", State.SKIPPED: "-"}
"""The character in the checkbox for each state."""

_BOX = re.compile(r"\[[^\[\]]{0,12}\]")
_WORDS = r"(?:completed?|failed|partial|done|finished|skipped|disabled|actual)"
_STAMP = re.sub(r"\?P<\w+>", "?:", TIMESTAMP.pattern)
_NOTE = re.compile(
    r"\s?(?:"
    rf"\((?:[^()]|\([^()]*\))*?\b{_WORDS}\b(?:[^()]|\([^()]*\))*\)"  # (Completed (late) on Monday)
    rf"|\[[^\[\]]*\b{_WORDS}\b[^\[\]]*\]"  # [done on Monday]
    rf"|[(\[]{_STAMP}[)\]]"  # (2026-11-20 14:05)
    r")",
    re.IGNORECASE,
)
_TAIL = re.compile(
    rf"\s?(?:[-–—:|]\s?)?[✅✓✔☑⏭]{{0,2}}\s?"
    rf"\b(?:(?:Completed|Done|Finished)\b:?\s?(?:on |at )?(?:{_STAMP})?|SKIPPED\b.*)\s*$"
    rf"|\s[-–—]\s?{_STAMP}\s*$",
    re.IGNORECASE,
)
_EARLIER_TIME = re.compile(
    r"^(\s*)[*_]{0,2}(?:(?:Completed|Done|Finished)\b:?\s?(?:on |at )?)?"
    rf"(?:{_STAMP})?[*_]{{0,2}}\s?[-–—:,]?\s?"
    r"(?=\W{0,4}PART\b)",
    re.IGNORECASE,
)
"""An older time before the PART's name: ``Done 2026-11-20 - PART 1``."""
_TEXT = re.compile(r"[ \t]*(?![-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|```|~~~|-{3,}[ \t]*$|>)\S")
"""A line that would continue the list item above it."""


def mark(  # noqa: PLR0913 - a PART, its state, and what the note says
    text: str, part: Part, state: State, when: datetime, reason: str = "", *, has_page: bool = False
) -> str:
    """Return `text` with `part` marked as `state`, done or partial.

    ``[✓]`` gets ``(Completed YYYY-MM-DD HH:MM UTC)``, ``[/]`` gets ``(Failed YYYY-MM-DD HH:MM UTC:
    reason)``, or ``(Partial ...)`` if there is a page, in place of an older note. A PART without a
    status line gets one below its heading, followed by a blank line if the next line would
    otherwise continue it; no other byte changes.

    A group of boxes has the state of its boxes, which are its author's: `text` is returned as it
    is.

    Raises ValueError for a `part` from another text.
    """
    if part.is_group:
        return text
    note = _status_note(state, when, reason, has_page=has_page)
    lines = io.StringIO(text, newline="").readlines()  # each with its own line end
    if part.status_line is None:
        return "".join(_add_status_line(lines, part, state, note))
    index = part.status_line - 1
    body, line_end = _split_line_end(lines[index])
    box = _BOX.search(body)
    if box is None:
        where = f"line {part.status_line} has no checkbox"
        raise ValueError(f"{where}: the PART belongs to another text")
    task = _strip_older_note(body[box.end() :])
    lines[index] = f"{body[: box.start()]}[{MARKS[state]}]{task}{note}{line_end}"
    return "".join(lines)


def _status_note(state: State, when: datetime, reason: str, *, has_page: bool) -> str:
    """Return the note behind a status line: `` (Failed 2026-11-20 14:05 UTC: the reason)``."""
    if state is State.DONE:
        word = "Completed"
    elif has_page:
        word = "Partial"
    else:
        word = "Failed"
    one_line = re.sub(r"[\s()]+", " ", reason).strip()  # a note has no parentheses of its own
    why = f": {one_line}" if one_line else ""
    return f" ({word} {when.astimezone(UTC):%Y-%m-%d %H:%M} UTC{why})"


def _strip_older_note(task: str) -> str:
    """Return the text behind a box without the time and outcome of an earlier run."""
    task = _NOTE.sub("", task)
    task = _EARLIER_TIME.sub(r"\1", task)
    return _TAIL.sub("", task).rstrip()


def _add_status_line(lines: list[str], part: Part, state: State, note: str) -> list[str]:
    """Return `lines` with a new status line below the PART's heading."""
    target = f": Create {', '.join(part.targets)}" if part.targets else ""
    status_line = f"- [{MARKS[state]}] PART {part.number}{target}{note}"
    newline = _split_line_end(lines[0])[1] or "\n"
    above, below = lines[: part.line], lines[part.line :]
    _, end_of_heading = _split_line_end(above[-1])
    if not end_of_heading:  # the text ends with the heading: the new line begins with a line end
        return [*lines, newline + status_line]
    added = [status_line + newline]
    would_continue_item = bool(below) and _TEXT.match(_split_line_end(below[0])[0])
    if would_continue_item:
        added.append(newline)
    return [*above, *added, *below]


def _split_line_end(line: str) -> tuple[str, str]:
    """Return a line without its line end, and the line end as it is."""
    body = line.rstrip("\r\n")
    return body, line[len(body) :]
