"""Mark a PART by changing exactly one line of its plan, and no other byte."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime

from planbook.model import Part, State
from planbook.plan.phrases import TIMESTAMP

MARKS = {State.OPEN: " ", State.DONE: "✓", State.PARTIAL: "/", State.SKIPPED: "-"}
"""The character in the checkbox for each state."""

_BOX = re.compile(r"\[[^\[\]]{0,12}\]")
_WORDS = r"(?:completed?|failed|partial|done|finished|skipped|disabled|actual)"
_STAMP = re.sub(r"\?P<\w+>", "?:", TIMESTAMP.pattern)
_NOTE = re.compile(
    rf"\s?(?:\((?:[^()]|\([^()]*\))*?\b{_WORDS}\b(?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\b{_WORDS}\b[^\[\]]*\]|[(\[]{_STAMP}[)\]])",
    re.IGNORECASE,
)
_TAIL = re.compile(
    rf"\s?(?:[-–—:|]\s?)?[✅✓✔☑⏭]{{0,2}}\s?"
    rf"\b(?:(?:Completed|Done|Finished)\b:?\s?(?:on |at )?(?:{_STAMP})?|SKIPPED\b.*)\s*$"
    rf"|\s[-–—]\s?{_STAMP}\s*$",
    re.IGNORECASE,
)
_BEFORE_NAME = re.compile(
    rf"^(\s*)[*_]{{0,2}}(?:(?:Completed|Done|Finished)\b:?\s?(?:on |at )?)?(?:{_STAMP})?[*_]{{0,2}}\s?[-–—:,]?\s?"
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

    ``[✓]`` gets ``(Completed YYYY-MM-DD HH:MM UTC)``, ``[/]`` gets ``(Failed YYYY-MM-DD HH:MM UTC: reason)``, or
    ``(Partial ...)`` if there is a page, in place of an older note. A PART without a status line gets one below its
    heading, followed by a blank line if the next line would otherwise continue it; no other byte changes.

    A group of boxes has the state of its boxes, which are its author's: `text` is returned as it is.

    Raises ValueError for a `part` from another text.
    """
    if part.is_group:
        return text
    words = "Completed" if state is State.DONE else "Partial" if has_page else "Failed"
    why = f": {one_line}" if (one_line := re.sub(r"[\s()]+", " ", reason).strip()) else ""
    note = f" ({words} {when.astimezone(UTC):%Y-%m-%d %H:%M} UTC{why})"
    lines = io.StringIO(text, newline="").readlines()  # each with its own line end
    if part.status_line is None:
        return "".join(_inserted(lines, part, state, note))
    line = lines[part.status_line - 1]
    body = line.rstrip("\r\n")
    box = _BOX.search(body)
    if box is None:
        raise ValueError(f"line {part.status_line} has no checkbox: the PART belongs to another text")
    task = _BEFORE_NAME.sub(r"\1", _NOTE.sub("", body[box.end() :]))
    marked = f"{body[: box.start()]}[{MARKS[state]}]{_TAIL.sub('', task).rstrip()}{note}"
    lines[part.status_line - 1] = marked + line[len(body) :]
    return "".join(lines)


def _inserted(lines: list[str], part: Part, state: State, note: str) -> list[str]:
    target = f": Create {', '.join(part.targets)}" if part.targets else ""
    newline = lines[0][len(lines[0].rstrip("\r\n")) :] or "\n"
    line = f"- [{MARKS[state]}] PART {part.number}{target}{note}"
    if not lines[part.line - 1].endswith(
        ("\n", "\r")
    ):  # the heading is the last line, without a line end: the new line starts with one
        return [*lines, newline + line]
    is_text = part.line < len(lines) and bool(_TEXT.match(lines[part.line].rstrip("\r\n")))
    return [*lines[: part.line], line + newline, *([newline] if is_text else []), *lines[part.line :]]
