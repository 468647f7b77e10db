"""Bad input loses nothing: for every defect, the Problem that tells of it and the PARTs that are found nevertheless.

Each file in `broken/` is `broken/whole.md`, a plan in which nothing is wrong, with one defect. What is too large
to keep is made here.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from planbook.model import Plan, Problem
from planbook.plan.as_json import plan_to_json
from planbook.plan.parse import parse, parse_bytes

BROKEN = Path(__file__).parent / "broken"
ALL = "1 done, 2 open, 3 partial"

DEFECTS = [
    # The file, the pattern of a Problem's message (None where there is none to be), the PARTs to be found.
    ("whole.md", None, ALL),
    # Bytes
    ("not-utf8.md", r"UTF-8", ALL),
    ("utf16.md", r"UTF-8", ""),
    ("nul.md", None, ALL),
    ("bom.md", None, ALL),
    ("bom-before-part.md", None, ALL),
    ("crlf.md", None, ALL),
    ("cr.md", None, ALL),
    ("mixed-line-ends.md", None, ALL),
    ("no-final-newline.md", None, ALL),
    ("line-separators.md", None, ALL),
    ("control-characters.md", None, ALL),
    ("zero-width.md", None, ALL),
    ("no-break-spaces.md", None, ALL),
    ("full-width.md", None, ALL),
    # Too little
    ("empty.md", r"empty|PART", ""),
    ("blank.md", r"empty|PART", ""),
    ("header-only.md", r"PART", ""),
    ("prose-only.md", r"PART", ""),
    ("mid-part.md", r"PART 2 (?:ends|names no page)", "1 done, 2 open"),
    ("mid-box.md", r"PART 2 (?:ends|has no status|names no page)", "1 done, 2"),
    # Fences, comments and tags
    ("unclosed-fence.md", r"fence|code", ALL),
    ("stray-fence.md", r"fence|code", ALL),
    ("stray-fence-among-templates.md", r"fence|code", ALL),
    ("fence-in-fence.md", None, ALL),
    ("all-in-a-fence.md", r"fence|code", ""),
    ("comment.md", None, "1 done, 3 partial"),
    ("unclosed-comment.md", None, ALL),
    ("unclosed-pre.md", None, ALL),
    ("unclosed-details.md", None, ALL),
    ("unclosed-front-matter.md", None, ALL),
    # Marks and layout
    ("tabs.md", None, ALL),
    ("indented.md", None, ALL),
    ("no-blank-after-hashes.md", None, ALL),
    ("unclosed-bold.md", None, ALL),
    ("merge-conflict.md", None, "1 done, 2, 3 partial"),
    ("unknown-mark.md", r"\[w\]|status|mark|box", "1 done, 2, 3 partial"),
    ("no-status-line.md", r"status|mark|box", "1 done, 2 unmarked, 3 partial"),
    # Contradictions
    ("duplicate-numbers.md", r"PART 1|number|twice", "1 done, 1 open, 3 partial"),
    ("number-gap.md", None, "1 done, 2 open, 5 partial"),
    ("numbers-out-of-order.md", None, "3 done, 2 open, 1 partial"),
    ("number-of-another.md", r"PART 7", "1 done, 2, 3 partial"),
    ("targets-differ.md", r"bread/springs\.md|target|path", ALL),
    ("duplicate-targets.md", None, ALL),  # told by the library, which sees the PARTs of all plans
    ("no-target.md", r"target|page|path", ALL),
    ("target-outside.md", None, ALL),  # told by the library, which knows the base
    ("states-differ.md", r"PART 1 is marked|closing|contradict", ALL),
    ("heading-differs.md", r"PART 2 is marked|heading|contradict", ALL),
    ("open-but-completed.md", r"[Cc]ompletion time", ALL),
    ("impossible-date.md", None, ALL),
]


def read_broken(name: str) -> tuple[Plan, tuple[Problem, ...]]:
    """The parsed file."""
    return parse_bytes((BROKEN / name).read_bytes(), f"plans/{name}")


def missing_parts(plan: Plan, expected: str) -> list[str]:
    """Those of the expected PARTs (a number each, and perhaps a state) that the plan has not got."""
    found = [(str(part.number), str(part.state)) for part in plan.parts]
    missing = []
    for wanted in filter(None, expected.split(", ")):
        number, _, state = wanted.partition(" ")
        match = next((one for one in found if one[0] == number and state in ("", one[1])), None)
        if match is None:
            missing.append(wanted)
        else:
            found.remove(match)
    return missing


@pytest.mark.parametrize(("name", "message", "expected"), DEFECTS, ids=[name for name, _, _ in DEFECTS])
def test_the_parts_are_found_and_the_problem_is_told(name: str, message: str | None, expected: str) -> None:
    """A defect takes no PART away elsewhere; what a person should fix is a Problem with its file and line."""
    plan, problems = read_broken(name)
    assert missing_parts(plan, expected) == []
    assert message is None or [problem for problem in problems if re.search(message, problem.message)]
    lines = (BROKEN / name).read_bytes().count(b"\n") + 1
    assert message is None or all(p.uri == f"plans/{name}" and 1 <= p.line <= lines for p in problems)


def test_nothing_is_wrong_with_the_whole_plan() -> None:
    """The plan that the broken ones are made from has no Problem itself."""
    assert read_broken("whole.md")[1] == ()


def test_every_broken_file_is_in_the_table() -> None:
    """No file lies in the folder untested."""
    assert {path.name for path in BROKEN.glob("*.md")} == {name for name, _, _ in DEFECTS}


@pytest.mark.parametrize("name", ["bom.md", "crlf.md", "cr.md", "mixed-line-ends.md", "no-final-newline.md"])
def test_line_ends_and_byte_order_marks_change_nothing(name: str) -> None:
    """Which bytes end a line, and whether a byte order mark stands ahead, is not seen in what is read."""
    whole = plan_to_json(*read_broken("whole.md"))
    assert plan_to_json(*read_broken(name)) == whole | {"uri": f"plans/{name}"}


@pytest.mark.parametrize("name", ["whole.md", "line-separators.md", "nul.md", "not-utf8.md"])
def test_lines_are_counted_as_editors_count_them(name: str) -> None:
    """Only line feeds and carriage returns end a line: what Unicode separates beside them does not count."""
    plan, _ = read_broken(name)
    assert [part.line for part in plan.parts] == [7, 22, 37]


def test_the_second_of_two_byte_order_marks_is_text() -> None:
    """Files that were put together carry byte order marks within."""
    plan, _ = parse_bytes(("\ufeff\ufeff## PART 1: Flour\n\n\ufeff## PART 2: Water\n").encode(), "plans/x.md")
    assert [part.number for part in plan.parts] == [1, 2]


DEPTH = 10_000
MANY = 30_000
TASK = "- [ ] PART 9: Create a.md "
LARGE = (
    *((">", DEPTH), ("> ", DEPTH), ("- ", DEPTH), ("- [ ] ", DEPTH), ("1. ", DEPTH), ("> - ", DEPTH), ("[", DEPTH)),
    *(("[a](", DEPTH), ("*a **b ", DEPTH), ("_", DEPTH), ("<a ", DEPTH), ("a <!-- ", DEPTH), ("````` \n", 3_001)),
    *(("x", 1_000_000), ("word ", 200_000), ("**a**: ", MANY), ("x\n", MANY), ("- [ ] x\n", MANY), ("\n", MANY)),
)
"""What is repeated, and how often: nested deeply, a long line, many lines."""
LONG = (
    *(
        ("- [ ] Create ", "a/"),
        ("- [ ] Create ", "a-1."),
        ("- [ ] Create ", "a/b.md, "),
        ("- [ ] Read ", "a/b.md and "),
    ),
    *(
        ("- [ ] Search: ", '"a" or '),
        ("- [ ] Search: ", '"a '),
        ("- [ ] Grep for ", '"a" AND ('),
        (TASK, "(~400 lines "),
    ),
    *(("- [ ] PART 9 ", "(Completed 2024-05-06 07:08 "), (TASK, " - "), (TASK, "("), (f"{TASK}(", "1,1-"), ("**", "a")),
    *(
        ("**", "Content "),
        ("**", "Target Files ("),
        ("Content", " (a)"),
        ("- [ ] ", 'search(query="'),
        ("- [ ] ", 'query="a" '),
    ),
    *(
        ("- [ ] Create ", "a/ b"),
        ("- [ ] Create ", "`a b/c"),
        ("- [ ] Create ", "a\\"),
        ("## ", "PART "),
        ("- [ ] ", "PRT 2"),
    ),
    *(
        ("- Section 1: ", "(forty "),
        ("- Section 1: ", "(4OO lines"),
        ("- ", "Serach "),
        ("PART 1 ", "is complete "),
        ("| a ", "|"),
    ),
    *(
        ("- [ ] Search: ", "„a"),
        ("- [ ] Search: ", "«a» "),
        ("- [ ] PART 1 ", "[x"),
        ("- [", "x"),
        ("**Lines**: ", "4 "),
    ),
    *(("- [ ] Section 1: ", "(a) "), ("- [ ] Section 1: a\n", "      - b\n"), ("### ", "a (b) "), ("### a", " ✅")),
)
"""What a line of a plan begins with, and what it repeats."""
MIDDLES = (
    *(unit * times for unit, times in LARGE),
    *(start + unit * MANY for start, unit in LONG),
    "\n".join("  " * depth + "- x" for depth in range(1_000)),
    " ".join("`" * length for length in range(1, 300)),
    "| a " * 2_000 + "|\n" + "| - " * 2_000 + "|\n" + "| b " * 2_000 + "|",
)


@contextmanager
def time_limit(limit_s: int) -> Iterator[None]:
    """Fail what takes more time of the processor, rather than wait for a pattern that would take for ever."""

    def too_long(*_: object) -> NoReturn:
        pytest.fail(f"not done after {limit_s} seconds")

    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, limit_s)  # a busy machine slows the clock on the wall only
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("middle", MIDDLES, ids=lambda middle: middle[:24].strip() or "blank")
def test_what_is_very_deep_or_very_long_is_read_in_time(middle: str) -> None:
    """Neither the stack nor the time runs out, and the PARTs around are found."""
    with time_limit(10):
        plan, _ = parse(f"# Bread\n\n## PART 1: Flour\n\n{middle}\n\n## PART 2: Water\n", "plans/x.md")
    assert missing_parts(plan, "1, 2") == []
