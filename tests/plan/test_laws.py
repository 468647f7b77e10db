"""What holds for every text: nothing crashes the parser, and a mark changes one line and no other byte."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planbook.model import Part, Plan, Problem, State
from planbook.plan.as_json import plan_to_json
from planbook.plan.mark import mark
from planbook.plan.parse import parse, parse_bytes
from tests.growth import DRAWN, assert_linear

URI = "plans/x.md"

# ---------------------------------------------------------------------------------------------- texts

LINES = [
    "",
    "",
    "",
    "\\",
    "\t- [ ] a",
    "a\x00b",
    *"""\
---
***
===
# Bread
# BATCH 1: Doughs
## Overview
## Finalization
## Progress
**Topic**: All about bread
**Date:** 2024-05-06
**Target Folder**: `bread/`
**Status**: Complete
## PART 1: Flour
## PART 2: Create bread/water.md (400 lines)
### PART 3: Salt ✅
# PART 4: Yeast
**PART 5**: Steam
**PART 6: Stone**
**Worker 1: Flour**
### Worker 2: Water
PART 7: Oven
## PART
## PARTS 2-4: TBD
## DISABLED PARTS
## PART 8: Old (DISABLED)
## PART 9: Flour (a) (~300-500 lines) [✓]
- [ ] PART 1: Create bread/flour.md
- [✓] PART 2: Create `bread/water.md` (Completed 2024-05-06 07:08 PST)
- [/] PART 3: Create a.md and b.md (Failed 2024-05-06 07:08 UTC: no sources)
* [X] PART 4 COMPLETE
- [x] (Completed 2024-05-06) PART 5: Create c.md
- [x] PART 6: Create d.md - Completed 2024-05-06
- PART 1: ~700
**Step 0: Check**
**Step 1**: Research
### Step 2: Write (~400 lines)
Research Focus:
Search queries:
- [ ] Search: "a", "b" (c)
- [ ] Search GitHub: "a
- [ ] Search: a
- "a"
1. `a`
1. Search: "a"
- [ ] Grep for "a" AND ("b" OR "c") in d/ and e/
- [ ] Search for "a" in oracle
- [ ] Read a.md (b)
- Read c/
- [ ] Create e.md (~400 lines)
- [ ] Create KNOWLEDGE-DROP-a-2024-05-06.md
- [ ] Section 1: A (~100 lines)
      - a point
      Cite: b
  - a point
Include: c
Cite web sources
Section 2: B
**Section 3: C** (9 lines)
```
```markdown
````
~~~
## Section 4: D (~9 lines)
<!--
-->
<pre>
<details>
</details>
> ## PART 1: Flour
> - [ ] a
| a | b |
| - | - |
[a]: b
&nbsp;
![a](b)
**Target**: a.md
**Output:** `b.md`
**Status**: ✅ DONE
- [] PART 1: Create a.md
[x] PART 2: Create b.md
""".splitlines(),
]
EOLS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def plan_like(draw: st.DrawFn) -> str:
    """Lines as in plans, in any order, indented in any way, between lines of any text."""
    line = st.one_of(st.sampled_from(LINES), st.sampled_from(LINES), st.text(max_size=20))
    indent = st.sampled_from(["", "", "", " ", "  ", "    ", "      ", "\t", "> ", "- ", "1. "])
    lines = draw(st.lists(st.builds(str.__add__, indent, line), max_size=40))
    return draw(st.sampled_from(["", "", "\ufeff"])) + draw(EOLS).join(lines)


def lines_of(text: str) -> list[str]:
    """The lines of a text, as editors count them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def claims(plan: Plan, problems: tuple[Problem, ...], text: str) -> None:
    """Assert what holds for everything that was read from the text."""
    lines = lines_of(text)
    assert all(1 <= problem.line <= len(lines) for problem in problems)
    assert all(problem.uri == URI and problem.code and problem.message for problem in problems)
    starts = [part.line for part in plan.parts]
    assert starts == sorted(set(starts))
    for part in plan.parts:
        assert 1 <= part.line <= part.end_line <= len(lines)
        assert part.is_group or str(part.number) in lines[part.line - 1]
        assert part.status_line is None or 1 <= part.status_line <= len(lines)
        assert part.lines_budget is None or part.lines_budget.low <= part.lines_budget.high
        assert not any("KNOWLEDGE-DROP" in target for target in part.targets)
        assert len(set(part.targets)) == len(part.targets)
        for line in [*(task.line for step in part.steps for task in step.tasks)]:
            assert part.line <= line <= part.end_line
        assert all(query.text.strip() == query.text != "" for query in part.queries)
    json.dumps(plan_to_json(plan, problems))


@given(st.binary())
def test_no_bytes_crash_the_parser(raw: bytes) -> None:
    """Any bytes are a plan; those that are not UTF-8 have a Problem."""
    plan, problems = parse_bytes(raw, URI)
    plan_to_json(plan, problems)
    try:
        raw.decode()
    except UnicodeDecodeError:
        assert problems


def test_boxes_of_a_group_are_their_authors() -> None:
    """A mark on a group would hide the plan's other groups, so none is written."""
    text = "# Oven\n\n## Phase 1: Heat\n\n- [ ] a\n\n## Phase 2: Door\n\n- [ ] b\n"
    for part in parse(text, "plans/a.md")[0].parts:
        assert mark(text, part, State.DONE, NOW) == text


@given(plan_like())
def test_no_plan_like_text_crashes_the_parser(text: str) -> None:
    """What plans are made of may stand in any order, and as often as the file has room."""
    claims(*parse(text, URI), text)
    assert_linear(lambda more: parse(more, URI), f"{text}\n", DRAWN)


@example("text\n<!--", "\r")
@given(plan_like(), EOLS)
def test_line_ends_do_not_matter(text: str, eol: str) -> None:
    """Whichever characters end the lines, the same is read."""
    lines = lines_of(text)
    assert parse(eol.join(lines), URI) == parse("\n".join(lines), URI)


# ---------------------------------------------------------------------------------------------- whole plans

WORDS = st.sampled_from(
    ["Flour", "Water and salt", "Rye (Secale cereale)", "C++ & Rust", "面包", "Ovens: old", "Skipped frames"]
)
NOTES = [
    "",
    " (Completed)",
    " (Completed 2023-05-06)",
    " (Completed 2023-05-06 07:08 PST)",
    " - Completed 2023-05-06 07:08",
    " — Completed 2023-05-06",
    " (431 lines, completed 2023-05-06)",
    " (2023-05-06 07:08)",
    " ✅ Completed 2023-05-06",
    " *(Completed 2023-05-06)*",
    " [Completed 2023-05-06]",
    " (Completed: 2023-05-06 07:08 - 431 lines (of 400))",
    " (SKIPPED - covered)",
    " - SKIPPED: covered",
    " (Failed 2023-05-06 07:08 UTC: HTTP 403 (forbidden))",
]
NOTES_AHEAD = ["(Completed)", "(Completed 2023-05-06 07:08 PST)", "Completed 2023-05-06 -"]
BODIES = [
    "",
    "**Goal**: Know it\n",
    '**Step 1: Web Research**\n- [ ] Search: "a"\n- [✓] Search GitHub: "b" (c)\n',
    "**Step 3: Write**\n- [ ] Section 1: A (~100 lines)\n      - a\n      Cite: b\n",
    "```markdown\n## Section 1: A (~100 lines)\n- [x] a\n```\n",
    "```\n- [✓] PART 1: Create not.md\n## PART 2: Not one\n```\n",
    "> - [✓] a\n",
    "- [ ] Mark `[✓] PART 1` when it is complete\n",
    "---\n",
]
FORMS = [
    "## PART {}: {}",
    "### PART {}: {}",
    "**PART {}: {}**",
    "## PART {}: {} (400 lines)",
    "## PART {}: {} ✅",
    "## PART {}: {} - SKIPPED",
]
MARKED_PLACES = ["top", "top", "top and closing", "bottom", "closing"]
TAILS = [
    "",
    "## Completion Criteria\n\n- [ ] Create pages\n",
    "## Finalization\n\n- PART 1: ~700 lines\n",
    "**Oracle**: Launch all.\n",
]


@dataclass(frozen=True)
class Written:
    """A plan as an author would write it, and how many PARTs stand in it."""

    text: str
    count: int


@st.composite
def status_lines(draw: st.DrawFn, number: int, task: str) -> str:
    """A status line in one of the ways in which they are found."""
    box = draw(st.sampled_from(["[ ]", "[✓]", "[x]", "[X]", "[/]"]))
    bullet = draw(st.sampled_from(["-", "-", "*", "+"]))
    if draw(st.integers(0, 5)) == 0:
        note = draw(st.sampled_from(NOTES_AHEAD))
        return f"{bullet} {box} {note} PART {number}: {task}\n"
    budget, note = draw(st.sampled_from(["", " (~400 lines)"])), draw(st.sampled_from(NOTES))
    return f"{bullet} {box} PART {number}: {task}{budget}{note}\n"


@st.composite
def written_plans(draw: st.DrawFn, *, always_marked: bool = False) -> Written:
    """Plans with PARTs of different numbers, each marked in its own way or not at all."""
    form = draw(st.sampled_from(FORMS))
    blocks = ["# Bread\n\n**Topic**: All about bread\n\n---\n"]
    count = draw(st.integers(1, 4))
    collected = []
    for number in range(1, count + 1):
        task = f"Create bread/{number}-page.md"
        status = draw(status_lines(number, task))
        closing = f"- {draw(st.sampled_from(['[ ]', '[✓]']))} PART {number} COMPLETE\n"
        place = draw(st.sampled_from(MARKED_PLACES if always_marked else [*MARKED_PLACES, "collected", "none"]))
        body = [block for block in draw(st.lists(st.sampled_from(BODIES), max_size=3)) if block]
        middle = {
            "top": [status, *body],
            "top and closing": [status, *body, closing],
            "bottom": [*body, status],
            "closing": [*body, closing],
        }.get(place, body)
        blocks += [form.format(number, draw(WORDS)) + "\n", *middle]
        collected += [status] if place == "collected" else []
    blocks += [draw(st.sampled_from(TAILS))]
    blocks += ["## Progress\n", "".join(collected)] if collected else []
    text = "\n".join(filter(None, blocks))
    text = text if draw(st.booleans()) else text.rstrip("\n")
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    return Written(draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", eol), count)


@given(written_plans())
def test_every_part_that_is_written_is_found(plan: Written) -> None:
    """A well-made plan has as many PARTs as were put into it, in their order."""
    found, problems = parse(plan.text, URI)
    claims(found, problems, plan.text)
    assert [part.number for part in found.parts] == list(range(1, plan.count + 1))


JUNK = [
    *("```", "```python", "~~~", "<!--", "<!-- a -->", "<pre>", "<details>", "<div>", ">", "- ", "[", "$$", ":::"),
    *("|", "\\", "    x", "\t"),
]


TWO_OF_ONE_NUMBER = """\
# Bread

## PART 1: Flour

- [ ] PART 1: Create bread/1-page.md

```
- [✓] PART 1: Create not.md
## PART 2: Not one
```

## PART 2: Flour
"""
"""With a fence above the status line, both headings of PART 2 stand in the text, and neither says more than a title."""


@example(Written(TWO_OF_ONE_NUMBER, 2), 3, "```")
@given(written_plans(), st.integers(0, 200), st.sampled_from(JUNK))
def test_a_line_of_junk_loses_no_part(plan: Written, at: int, junk: str) -> None:
    """Whatever is left open between two lines, all PARTs are found (and perhaps one that was text before)."""
    lines = lines_of(plan.text)
    at = 1 + at % len(lines)
    lines[at:at] = ["", junk, ""]
    found, _ = parse("\n".join(lines), URI)
    assert {part.number for part in found.parts} >= set(range(1, plan.count + 1))


STATUS_ELSEWHERE = """\
# Bread

**Topic**: All about bread

**PART 1: Flour**

- [ ] PART 1: Create bread/1-page.md

```
## PART 2: Not one
```

**PART 2: Flour**

**PART 3: Flour**

## Progress

- [ ] PART 3: Create bread/3-page.md
"""
"""With a fence above PART 1, a heading stands outside of its fence; PART 3 has none, and a status line below."""


@example(Written(STATUS_ELSEWHERE, 3), [(9, "```"), (0, "```")])
@example(Written(STATUS_ELSEWHERE, 3), [(13, "- "), (13, "<!--")])
@given(written_plans(), st.lists(st.tuples(st.integers(0, 200), st.sampled_from(JUNK)), min_size=2, max_size=4))
def test_no_part_is_lost_without_a_problem(plan: Written, junk: list[tuple[int, str]]) -> None:
    """Where more than one thing is left open, a PART may be taken for code; then a Problem says so, with its line."""
    lines = lines_of(plan.text)
    for at, line in junk:
        lines.insert(1 + at % len(lines), line)
    found, problems = parse("\n".join(lines), URI)
    lost = set(range(1, plan.count + 1)) - {part.number for part in found.parts}
    told = [problem for problem in problems if problem.code in {"P004", "P028"}]
    assert all(
        any(problem.code == "P004" or f"PART {number} " in problem.message for problem in told) for number in lost
    )
    assert all(lines[problem.line - 1].lstrip(" \t>-1.").startswith(("`", "~")) for problem in told if lost)


# ---------------------------------------------------------------------------------------------- marks

MARKS = st.sampled_from([State.PARTIAL, State.DONE])
NOW = datetime(2024, 5, 6, 7, 8, tzinfo=UTC)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=-8)), timezone(timedelta(hours=5, minutes=30))])
WHEN = st.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31), timezones=ZONES)
REASONS = [
    *("", "no sources", "HTTP 403 (forbidden)", "3 queries SKIPPED", "not Completed 2024-05-06", "DISABLED host"),
    *("a) b (c", "✅"),
]


def states(plan: Plan) -> list[State]:
    """The state of each PART."""
    return [part.state for part in plan.parts]


def with_state(plan: Plan, index: int, state: State) -> list[State]:
    """The states of the plan's PARTs, one of them another."""
    return [state if at == index else part.state for at, part in enumerate(plan.parts)]


def marked(plan: Written, data: st.DataObject) -> tuple[Plan, Part, int, State, datetime, str, str]:
    """The plan, a PART of it with its index, how it is marked, and the text after that."""
    before, _ = parse(plan.text, URI)
    index = data.draw(st.integers(0, len(before.parts) - 1), label="index")
    state, when, reason = data.draw(MARKS), data.draw(WHEN), data.draw(st.sampled_from(REASONS))
    part = before.parts[index]
    return before, part, index, state, when, reason, mark(plan.text, part, state, when, reason)


@given(written_plans(), st.data())
def test_a_mark_changes_one_line_and_no_other_byte(plan: Written, data: st.DataObject) -> None:
    """The status line changes, or is put below the heading where there is none."""
    _, part, _, _, _, _, after = marked(plan, data)
    old, new = whole_lines(plan.text), whole_lines(after)
    if part.status_line is None:
        assert len(after) > len(plan.text)
        assert after.startswith("".join(old[: part.line]))
        assert after.endswith("".join(old[part.line :]))
        more = new[part.line + 1 : part.line + 1 + len(new) - len(old) - 1]
        assert [line.strip() for line in more] in ([], [""])
        assert f"PART {part.number}" in new[part.line]
    else:
        changed = [n for n, pair in enumerate(zip(old, new, strict=True), start=1) if pair[0] != pair[1]]
        assert changed in ([], [part.status_line])
        line = new[part.status_line - 1]
        assert ending(line) == ending(old[part.status_line - 1])
        assert f"PART {part.number}" in line


def whole_lines(text: str) -> list[str]:
    """The lines of `text` with their ends, as Markdown counts lines."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)


def ending(line: str) -> str:
    """The line end of `line`."""
    return line[len(line.rstrip("\r\n")) :]


@given(written_plans(), st.data())
def test_a_mark_is_read_again(plan: Written, data: st.DataObject) -> None:
    """After marking, the PART has the new state, and all others have theirs; the same mark again changes nothing."""
    before, _, index, state, when, reason, after = marked(plan, data)
    found = parse(after, URI)[0]
    assert states(found) == with_state(before, index, state)
    assert mark(after, found.parts[index], state, when, reason) == after


@given(written_plans(always_marked=True), st.data())
def test_a_mark_leaves_everything_else_as_it_was(plan: Written, data: st.DataObject) -> None:
    """Title, targets, budget and body of the PART are those from before."""
    before, part, index, _, _, _, after = marked(plan, data)
    found = parse(after, URI)[0].parts[index]
    as_before: dict[str, Any] = {"state": part.state, "completed": part.completed, "note": part.note}
    assert replace(found, **as_before) == part
    assert [p for n, p in enumerate(parse(after, URI)[0].parts) if n != index] == [
        p for n, p in enumerate(before.parts) if n != index
    ]


@given(written_plans(), WHEN, st.data())
def test_the_time_of_a_mark_is_read_again(plan: Written, when: datetime, data: st.DataObject) -> None:
    """What is done at a time was completed then, in UTC."""
    index = data.draw(st.integers(0, plan.count - 1))
    done = mark(plan.text, parse(plan.text, URI)[0].parts[index], State.DONE, when)
    part = parse(done, URI)[0].parts[index]
    assert part.completed == f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("state", [State.PARTIAL, State.DONE])
@pytest.mark.parametrize("task", ["PART 1: Create bread/flour.md", "PART 1 COMPLETE"])
def test_a_reason_is_not_read_as_a_state(task: str, state: State, reason: str) -> None:
    """What the reason happens to speak of changes neither the state nor the time of completion."""
    text = f"## PART 1: Flour\n\n- [ ] {task}\n"
    part = parse(mark(text, parse(text, URI)[0].parts[0], state, NOW, reason), URI)[0].parts[0]
    assert part.state is state
    assert part.completed == ("2024-05-06 07:08 UTC" if state is State.DONE else None)


@pytest.mark.parametrize("box", ["[ ]", "[✓]", "[/]"])
@pytest.mark.parametrize(
    "task",
    [
        *(f"PART 1: Create bread/flour.md{note}" for note in NOTES),
        *(f"{note} PART 1: Create bread/flour.md" for note in NOTES_AHEAD),
        *("PART 1 COMPLETE", "PART 1 COMPLETE (2023-05-06)"),
        *("**PART 1**: Create bread/flour.md (Completed 2023-05-06)",),
    ],
)
def test_the_old_note_gives_way(task: str, box: str) -> None:
    """Whatever a status line says of its state is replaced when it is marked: no older time or word stays in force."""
    text = f"## PART 1: Flour\n\n- {box} {task}\n"
    part = parse(text, URI)[0].parts[0]
    for state, completed in [(State.PARTIAL, None), (State.DONE, "2024-05-06 07:08 UTC")]:
        after = parse(mark(text, part, state, NOW), URI)[0].parts[0]
        assert (after.state, after.completed, after.targets) == (state, completed, part.targets)


@given(st.text(max_size=60))
def test_any_reason_stays_on_the_line(reason: str) -> None:
    """A reason is one line, whatever characters it is made of, and does not end the note that holds it."""
    text = "".join(
        f"## PART {number}: Bread\n\n- [{box}] PART {number}: Create bread/{number}.md\n\n"
        for number, box in [(1, " "), (2, "x")]
    )
    for has_page in (False, True):
        after = mark(text, parse(text, URI)[0].parts[0], State.PARTIAL, NOW, reason, has_page=has_page)
        assert len(lines_of(after)) == len(lines_of(text))
        assert states(parse(after, URI)[0]) == [State.PARTIAL, State.DONE]
        assert [part.targets for part in parse(after, URI)[0].parts] == [("bread/1.md",), ("bread/2.md",)]
