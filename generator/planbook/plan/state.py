"""The state of a PART as given by its status line, heading and ``**Status**`` paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planbook.markdown.budgets import strip_budget
from planbook.markdown.plan_blocks import Block, mark_in
from planbook.model import DONE_MARKS, State
from planbook.plan.numerals import NUMBER, value_of
from planbook.plan.paths import PATHS, read_paths
from planbook.plan.timestamps import TIMESTAMP, read_timestamp

STATES = {
    " ": State.OPEN,
    **dict.fromkeys(DONE_MARKS, State.DONE),
    **dict.fromkeys("/~✗✘!", State.PARTIAL),
    "-": State.SKIPPED,
    ">": State.OPEN,
    "?": State.OPEN,
}
"""The state for each known mark. ``✅`` counts only in a status line's checkbox."""


def state_of(mark: str) -> State:
    """Return the state for a mark; a mark that is not known means open, and P040 reports it."""
    return STATES.get(mark, State.OPEN)


_NAME = r"(?:PART|WORKER|RUNNER|TASK)"
_NAMED_LINE = re.compile(rf"(?<![a-z]){_NAME}\s*#?{NUMBER}(?P<rest>.*)$", re.DOTALL | re.IGNORECASE)
"""``PART 3: Rye``, ``worker #3 - Rye``."""
_NAME_FIRST = re.compile(rf"\W{{0,16}}{_NAME}", re.IGNORECASE)
_NAME_LEAD = re.compile(
    r"\b(?:completed?|done|finished|at|on|skipped|failed)\b|[\W\d_]", re.IGNORECASE
)
"""Words and marks that may stand before the name: ``Completed at 14:05 - PART 3``."""
_MAX_LEAD_CHARS = 80
"""Characters in which the name begins."""
_BOXED_NAME = re.compile(
    r"^\W{0,4}?(?P<label>Completed?\b\W{0,4}?)?\[(?P<mark>[^\[\]]{0,12})\]\s*(?P<text>.*)$",
    re.DOTALL | re.IGNORECASE,
)
"""``Completed: [x] PART 3``, ``[ ] PART 3``."""
_CLOSING_WORD = re.compile(
    r"^\W{0,16}(?:(?:is|now|fully)\s+){0,3}(?:COMPLETED?|DONE|FINISHED|SUCCESS)\b", re.IGNORECASE
)
"""Behind the name, ``is now complete ✅``: the line closes a PART, and has no text of its own."""
_SKIPPED_WORD = re.compile(
    r"\bSKIPP?ED\b|[(\[]\s?(?i:skipped)\b"
    r"|[(\[]\s?(?i:skip)(?=\s?[)\]:,;–-]|\s(?:for|until|as|this)\b)"
    r"|[-–—:]\s?(?i:skipped)\b|⏭"
)
"""``SKIPPED``, ``(skip for now)``, ``- skipped``; *skip* alone may be a word of a title."""
_DISABLED_WORD = re.compile(r"\(\s?[Dd]isabled\b|\bDISABLED\b")
_FAILED_WORD = re.compile(r"\b(?:FAILED|PARTIAL(?:LY)?|INCOMPLETE)\b", re.IGNORECASE)
_DONE_WORD = re.compile(r"\b(?:COMPLETED?|DONE|FINISHED)\b|[✓✔✅☑]", re.IGNORECASE)
_OPEN_WORD = re.compile(
    r"\b(?:PENDING|OPEN|NOT STARTED|TODO|TO DO|READY|IN PROGRESS|WAITING|QUEUED)\b", re.IGNORECASE
)
_WORD = r"(?:COMPLETED?|DONE|FINISHED|SKIPPED|DISABLED|FAILED|PARTIAL|PENDING|IN PROGRESS)"
_MARK = f"[{re.escape(''.join(STATES))}]"
_SIGN = r"[✓✔✅☑❌⏭⚠🚫\ufe0f]"
_TIME = re.sub(r"\?P<\w+>", "?:", TIMESTAMP.pattern)
"""A time as `TIMESTAMP` reads it, without names of groups, which a pattern may have once only."""
_TIME_AT_END = rf"(?:\s{{0,3}}[-–—:,]?\s{{0,3}}\(?(?:on |at )?{_TIME}\)?)"
"""A time behind a mark: `` - 2026-11-20 14:05``, `` (on 2026-11-20)``."""
_HEADING_MARKS = tuple(
    re.compile(pattern)
    for pattern in (
        # PART 1: Rye [x] (2026-11-20)
        rf"\s{{0,3}}\[{_MARK}?\ufe0f?\]{_TIME_AT_END}?$",
        # PART 1: Rye ✅ (2026-11-20)
        rf"\s{{0,3}}(?:[-–—:|]\s?)?(?<!{_SIGN}){_SIGN}+\s?(?i:{_WORD})?{_TIME_AT_END}?$",
        # PART 1: Rye (✓ completed by ann)
        rf"\s{{0,3}}[(\[]\s?{_SIGN}{{0,3}}\s?(?i:{_WORD})\b[^()\[\]]*[)\]]$",
        # PART 1: Rye - done
        rf"\s{{0,3}}[-–—|:]\s?{_SIGN}{{0,3}}\s?(?i:{_WORD}){_TIME_AT_END}?$",
        # PART 1: Rye (SKIP)
        r"\s{0,3}[(\[]\s?SKIP\s?[)\]]$",
        # PART 1: Rye COMPLETE - in capitals only: "When the crumb is done" is a title.
        rf"(?:^|\s{{1,3}}){_WORD}{_TIME_AT_END}?$",
    )
)
"""Forms of a status mark at a heading's end, each with a heading that only it matches."""
_FAILED_NOTE = re.compile(
    r"\((?:(?:Failed|Partial)\b"
    r"|(?:Completed|Skipped)\b[^():]{0,40}(?:\d\d:\d\d[^():]{0,10})?: )[^()]*\)"
)
"""A note that Planbook wrote; the text of its reason is not a mark."""
_MARK_AT_START = re.compile(
    rf"^[^\w\[]{{0,6}}(?:\[\s?(?P<box>{_MARK}?|SKIP)\ufe0f?\s?\]|(?P<tick>[✓✔✅☑]))"
)
"""``[x] PART 1``, ``**[SKIP]** PART 1``, ``✓ PART 1``."""
_BOX_WITH_MARK = re.compile(rf"\[(?P<mark>{_MARK}?)\ufe0f?\]")
_NOTE = re.compile(r"\(([^()]*)\)")
_REASON = re.compile(r"fail|skip|partial|block", re.IGNORECASE)
"""A note in parentheses that says why a PART is not done."""


@dataclass(frozen=True, slots=True)
class StatusLine:
    """A task list item about a whole PART."""

    number: int
    mark: str
    text: str
    """The text after ``PART n``, followed by the text before it."""
    line: int
    is_closing: bool = False
    """True for ``PART n COMPLETE`` and ``**Complete:** [✓] PART n``, which name no page to
    create."""


@dataclass(frozen=True, slots=True)
class ClaimedState:
    """A PART's claimed state."""

    state: State
    completed: str | None = None
    note: str | None = None
    status_line: int | None = None


def read_status_line(block: Block) -> StatusLine | None:
    """Return the status line in a block, or ``None`` if it is not one."""
    mark, text = block.mark, " ".join(block.lines)
    is_labelled = False  # ``**Complete:** [✓] PART 1``
    if mark is None and block.kind in {"item", "paragraph"}:
        boxed = _BOXED_NAME.match(text)
        if boxed:
            mark, text = mark_in(boxed["mark"]), boxed["text"]
            is_labelled = bool(boxed["label"])
    text = text.replace("**", "")
    match = _NAMED_LINE.search(text[: _MAX_LEAD_CHARS + 40])
    if not match or mark is None:
        return None
    text_before = text[: match.start()]
    if not _may_precede_name(text_before):
        return None
    rest = text[match.start("rest") :].strip()
    says_complete = is_labelled or bool(_CLOSING_WORD.match(rest))
    is_closing_line = says_complete and not read_paths(rest)
    number = value_of(match["number"])
    return StatusLine(number, mark, f"{rest} {text_before}".strip(), block.line, is_closing_line)


def _may_precede_name(text_before: str) -> bool:
    """Return True if the text before ``PART n`` is a completion time, a zone, or signs."""
    words = _NAME_LEAD.sub("", text_before)
    words = re.sub(r"\b[A-Z]{2,4}\b", "", words)
    return not words.strip() and len(text_before) <= _MAX_LEAD_CHARS


def is_status_like(text: str) -> bool:
    """Return True if a text begins with a PART's name, as a status line does behind its box."""
    match = _NAMED_LINE.search(text[: _MAX_LEAD_CHARS + 40])
    return match is not None and not re.search(r"\w", text[: match.start()])


def is_closing(text: str, number: int) -> bool:
    """Return True for a line that only says that a PART is complete: ``PART 1 COMPLETE ✅``."""
    match = _NAMED_LINE.search(text[:_MAX_LEAD_CHARS]) if _NAME_FIRST.match(text) else None
    if not match or value_of(match["number"]) != number:
        return False
    word = _CLOSING_WORD.match(match["rest"])
    if not word:
        return False
    tail = TIMESTAMP.sub("", re.sub(r"\([^()]*\)", "", match["rest"][word.end() :]))
    return not re.search(r"\w", re.sub(r"\b(?:on|at)\b", "", tail))


def read_state(
    heading: str, lines: Sequence[StatusLine], paragraph: str | None, completed: str | None
) -> ClaimedState:
    """Return the state that a PART claims, from the strongest mark.

    The first status line wins, then a closing line, the mark on the heading, and the ``**Status**``
    paragraph. `completed` is the text of a ``**Completed**:`` paragraph; it counts if nothing else
    gives a time.
    """
    first = choose_status_line(lines)
    by_paragraph = _state_of_paragraph(paragraph)
    if first:
        claimed = _state_of_line(first)
    elif by_heading := _state_of_heading(heading):
        claimed = by_heading
    elif by_paragraph:
        claimed = by_paragraph
    else:
        claimed = ClaimedState(State.DONE if completed else State.UNMARKED)
    if claimed.state is State.OPEN and claimed.completed is None:
        return replace(claimed, completed=read_timestamp(completed or "", is_done=True))
    if claimed.state is not State.DONE:
        return claimed
    # Another place may give a time that the PART's own line lacks, or the hour of the same day.
    done_lines = [line for line in lines if state_of(line.mark) is State.DONE]
    times = [read_timestamp(completed or "", is_done=True)]
    times += [read_timestamp(line.text, is_done=True) for line in done_lines]
    times.append(read_timestamp(heading, is_done=False))
    if by_paragraph and by_paragraph.state is State.DONE:
        times.append(by_paragraph.completed)
    known = [time for time in (claimed.completed, *times) if time]
    return replace(claimed, completed=_most_exact(known))


def _most_exact(times: Sequence[str]) -> str | None:
    """Return the first time, or that of another place with the hour of the same day."""
    same_day = [time for time in times if time.startswith(times[0])]
    return max(same_day, key=len, default=None)


def choose_status_line(lines: Sequence[StatusLine]) -> StatusLine | None:
    """Return the line that counts: the first that is no closing line, else the first."""
    for line in lines:
        if not line.is_closing:
            return line
    return lines[0] if lines else None


def read_heading_state(heading: str) -> State | None:
    """Return the state that a mark at either end of a heading claims; ``None`` without a mark."""
    claimed = _state_of_heading(heading)
    return claimed.state if claimed else None


def strip_mark(heading: str) -> str:
    """Return `heading` without a status mark at its end."""
    match = _mark_at_end(heading)
    if match:
        heading = heading[: match.start()]
    return heading.strip()


def _mark_at_end(heading: str) -> re.Match[str] | None:
    for pattern in _HEADING_MARKS:
        match = pattern.search(heading)
        if match:
            return match
    return None


def _state_of_line(line: StatusLine) -> ClaimedState:
    state = state_of(line.mark)
    words = _FAILED_NOTE.sub("", PATHS.sub(" ", line.text))
    if _SKIPPED_WORD.search(words):
        state = State.SKIPPED
    elif _DISABLED_WORD.search(words):
        state = State.DISABLED
    completed = None
    if state not in {State.PARTIAL, State.SKIPPED}:
        completed = read_timestamp(line.text, is_done=state is State.DONE)
    reasons = [note for note in _NOTE.findall(line.text) if _REASON.search(note)]
    return ClaimedState(state, completed, reasons[0] if reasons else None, line.line)


def _state_of_heading(heading: str) -> ClaimedState | None:
    heading = strip_budget(heading, is_planned=True)
    state = _state_at_start(heading) or _state_at_end(heading)
    if state is None:
        return None
    return ClaimedState(state, read_timestamp(heading, is_done=state is State.DONE))


def _state_at_start(heading: str) -> State | None:
    """Return the state of a box or tick before a heading's text: ``[ ] PART 1``, ``✓ PART 1``."""
    match = _MARK_AT_START.match(heading)
    if not match:
        return None
    if match["tick"]:
        return State.DONE
    if match["box"] == "SKIP":
        return State.SKIPPED
    return STATES[match["box"] or " "]  # ``[]`` is an open box


def _state_at_end(heading: str) -> State | None:
    """Return the state of a box, sign or word behind a heading's text: ``PART 1: Mills [✓]``."""
    match = _mark_at_end(heading)
    if not match:
        return None
    box = _BOX_WITH_MARK.search(match[0])
    return state_of(box["mark"] or " ") if box else state_of_words(match[0])


def is_verdict(text: str) -> bool:
    """Return True if a ``**Status**`` gives an outcome, rather than work still to be done."""
    return state_of_words(text) not in {None, State.OPEN}


def _state_of_paragraph(text: str | None) -> ClaimedState | None:
    if text is None:
        return None
    box = re.match(r"^\W{0,16}\[(?P<mark>.?)\]", text)
    state = state_of(box["mark"] or " ") if box else state_of_words(text)
    if state is None:
        return None
    return ClaimedState(state, read_timestamp(text, is_done=state is State.DONE))


def state_of_words(text: str) -> State | None:
    """Return the state that the words of a status give; ``None`` if they give none."""
    if _SKIPPED_WORD.search(text) or "⏭" in text:
        return State.SKIPPED
    if _DISABLED_WORD.search(text) or "🚫" in text:
        return State.DISABLED
    if _FAILED_WORD.search(text) or "❌" in text or "⚠" in text:
        return State.PARTIAL
    if re.search(r"\bnot (?:yet )?(?:completed?|done|started)\b", text, re.IGNORECASE):
        return State.OPEN
    if _DONE_WORD.search(text):
        return State.DONE
    return State.OPEN if _OPEN_WORD.search(text) else None
