"""What a PART's status line, closing line, heading and ``**Status**`` paragraph say of its state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from generator.model import State
from generator.plan.blocks import Block
from generator.plan.phrases import read_paths, read_timestamp

STATES = {
    " ": State.OPEN,
    **dict.fromkeys("xX✓✔☑✅", State.DONE),
    **dict.fromkeys("/~✗✘!", State.PARTIAL),
    "-": State.SKIPPED,
    ">": State.OPEN,
    "?": State.OPEN,
}
"""What each mark claims. ``✅`` counts in a status line's box only."""

_NAME = r"(?:PART|Part|WORKER|Worker|RUNNER|Runner|TASK|Task)"
_LINE = re.compile(
    rf"^(?P<before>(?:\W|\b(?:completed?|done|finished|at|on|UTC|PST|PDT|[A-Z]{{3,4}}|\d[\d:T-]*Z?)\b){{0,60}}?)"
    rf"{_NAME}\s+#?(?P<number>\d{{1,4}})(?![-–]\d)[a-z]?(?!\w)(?P<rest>.*)$",
    re.DOTALL,
)
_BOXED = re.compile(r"^\W{0,4}\[(.?)\]\s+(.*)$", re.DOTALL)
_CLOSING = re.compile(r"^\W*(?:is\s+)?(?:now\s+)?(?:fully\s+)?(?:COMPLETED?|DONE|FINISHED|SUCCESS)\b", re.IGNORECASE)
_SKIPPED = re.compile(r"\bSKIPP?ED\b|\(\s*skip(?:ped)?\b|[-–—:]\s*skipped\b|⏭", re.IGNORECASE)
_DISABLED = re.compile(r"\(\s*disabled\b|\bDISABLED\b", re.IGNORECASE)
_FAILED = re.compile(r"\b(?:FAILED|PARTIAL(?:LY)?|INCOMPLETE)\b", re.IGNORECASE)
_DONE = re.compile(r"\b(?:COMPLETED?|DONE|FINISHED)\b|[✓✔✅☑]", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:PENDING|OPEN|NOT STARTED|TODO|TO DO|READY|IN PROGRESS|WAITING|QUEUED)\b", re.IGNORECASE)
_HEADING_MARK = re.compile(
    r"\s*(?:[-–—:|]\s*)?(?:\[(?P<box>[ xX✓✔✅/~-])\]|[\[(]?\s*(?P<sign>[✓✔✅☑❌⏭⚠️🚫]+)?\s*"
    r"(?P<word>(?:COMPLETED?|DONE|FINISHED|SKIPPED|DISABLED|FAILED|PARTIAL|PENDING|IN PROGRESS|Complete|Completed|Done"
    r"|Skipped|Disabled)\b[^()\[\]]*)?\s*[\])]?)\s*$"
)
_NOTE = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class StatusLine:
    """A task list item that speaks of a whole PART."""

    number: int
    mark: str
    text: str
    """What stands behind ``PART n``, with what stands before it appended."""
    line: int
    is_closing: bool
    """``PART n COMPLETE``, rather than what to create."""


@dataclass(frozen=True, slots=True)
class Status:
    """A PART's claimed state."""

    state: State
    completed: str | None = None
    note: str | None = None
    status_line: int | None = None
    contradicts: int | None = None
    """The line of a mark that says otherwise."""


def read_status_line(block: Block) -> StatusLine | None:
    """The status line in a block, or ``None`` if it is none."""
    mark, text = block.mark, block.text
    if mark is None or not block.text:
        boxed = _BOXED.match(text) if block.kind in {"item", "paragraph"} else None
        if not boxed:
            return None
        mark, text = boxed[1] or " ", boxed[2]
    match = _LINE.match(re.sub(r"\*\*|__", "", text))
    if not match or not (mark in STATES):
        return None
    rest = match["rest"].strip()
    before = match["before"].strip()
    closing = bool(_CLOSING.match(rest)) and not read_paths(rest)
    return StatusLine(int(match["number"]), mark, f"{rest} {before}".strip(), block.line, closing)


def read_status(
    heading: str, lines: Sequence[StatusLine], paragraph: str | None, *, is_disabled: bool
) -> Status:
    """The state a PART claims, from the strongest of its witnesses.

    The first status line wins; then a closing line, the mark on the heading, and the ``**Status**`` paragraph.
    """
    first = next((s for s in lines if not s.is_closing), None) or (lines[0] if lines else None)
    status = _of_line(first) if first else _of_heading(heading) or _of_paragraph(paragraph) or Status(State.UNMARKED)
    if first and (status.completed is None) and status.state is State.DONE:
        times = (read_timestamp(s.text, is_done=True) for s in lines if STATES[s.mark] is State.DONE)
        heading_time = read_timestamp(heading, is_done=False)
        completed = next((t for t in times if t), heading_time)
        status = Status(status.state, completed, status.note, status.status_line)
    contradicts = next((s.line for s in lines if first and STATES[s.mark] is not STATES[first.mark]), None)
    state = State.DISABLED if is_disabled else status.state
    return Status(state, status.completed, status.note, status.status_line, contradicts)


def without_mark(heading: str) -> str:
    """`heading` without a status mark at either end."""
    heading = re.sub(r"^(?:\[[ xX✓✔✅/~-]\]|[✓✔✅☑❌])\s*", "", heading)
    match = _HEADING_MARK.search(heading)
    if match and (match["box"] or match["sign"] or match["word"]):
        heading = heading[: match.start()]
    return heading.strip()


def _of_line(line: StatusLine) -> Status:
    state = STATES[line.mark]
    if _SKIPPED.search(_outside_paths(line.text)):
        state = State.SKIPPED
    elif _DISABLED.search(_outside_paths(line.text)):
        state = State.DISABLED
    completed = read_timestamp(line.text, is_done=state is State.DONE)
    if state is State.PARTIAL and completed and not re.search(r"complete|done|finish", line.text, re.IGNORECASE):
        completed = None
    note = next((n for n in _NOTE.findall(line.text) if re.search(r"fail|skip|partial|block", n, re.IGNORECASE)), None)
    return Status(state, completed, note, line.line)


def _of_heading(heading: str) -> Status | None:
    lead = re.match(r"^\W{0,3}(?:\[([ xX✓✔✅/~-])\]|([✓✔✅☑]))", heading)
    match = _HEADING_MARK.search(heading)
    if lead:
        state = STATES.get(lead[1] or "✓", State.DONE)
    elif match and match["box"]:
        state = STATES.get(match["box"], State.DONE)
    elif match and (match["word"] or match["sign"]):
        found = _state_of_words(f"{match['word'] or ''} {match['sign'] or ''}")
        if found is None:
            return None
        state = found
    elif re.search(r"\((?:completed?|done)\b[^()]*\)", heading, re.IGNORECASE):
        state = State.DONE
    else:
        return None
    return Status(state, read_timestamp(heading, is_done=state is State.DONE))


def _of_paragraph(text: str | None) -> Status | None:
    if text is None:
        return None
    box = re.match(r"^\W*\[(.?)\]", text)
    state = STATES.get(box[1] or " ", State.OPEN) if box else _state_of_words(text)
    return Status(state, read_timestamp(text, is_done=state is State.DONE)) if state else None


def _state_of_words(text: str) -> State | None:
    if _SKIPPED.search(text) or "⏭" in text:
        return State.SKIPPED
    if _DISABLED.search(text) or "🚫" in text:
        return State.DISABLED
    if _FAILED.search(text) or "❌" in text or "⚠" in text:
        return State.PARTIAL
    if re.search(r"\bnot (?:yet )?(?:completed?|done|started)\b", text, re.IGNORECASE):
        return State.OPEN
    if _DONE.search(text):
        return State.DONE
    return State.OPEN if _OPEN.search(text) else None


def _outside_paths(text: str) -> str:
    return re.sub(r"\S+\.md\S*", " ", text)
