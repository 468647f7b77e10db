"""Patterns read hostile lines in linear time: twice the text takes twice the time, not four times."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from types import FrameType

import pytest

from planbook.citations.source_lists import section_end
from planbook.library.pages import find_marked_messages
from planbook.markdown.plain_text import ROW_RULE
from planbook.plan.tables import is_table
from tests.pattern_inputs import WorstInput, worst_inputs
from tests.patterns_of_code import BOUNDED, ENDS, LINES, USED_AS, UsedPattern, modules, patterns_of

LENGTH = 500_000
LIMIT_S = 2.0
"""Seconds of processor time: a pattern that grows with the square takes minutes."""

WORST: dict[str, tuple[Callable[[str], object], str]] = {
    "heading of signs": (lambda line: section_end([line, ""], 0), "# "),
    "heading of blanks": (lambda line: section_end([line, ""], 0), "#" + " " * 99),
    "heading of words": (lambda line: section_end([line, ""], 0), "# a"),
    "rule of a row": (lambda line: ROW_RULE.match(f"{line}x"), "-"),
    "rule of a row with bars": (lambda line: ROW_RULE.match(f"--{line}x"), "| -"),
    "rule of a table": (lambda line: is_table(["a | b", f"{line}x|"]), "| -"),
    "marks of messages": (find_marked_messages, "| x { .messages } "),
    "rows of messages": (find_marked_messages, "| x { .messages }\n"),
}
"""What reads a line, and what the line repeats."""


@pytest.mark.parametrize("name", WORST)
def test_a_hostile_line_is_read_at_once(name: str) -> None:
    """Half a megabyte in one line, with an end that does not match."""
    read, unit = WORST[name]
    line = unit * (LENGTH // len(unit))
    begun = time.process_time()
    read(line)
    assert time.process_time() - begun < LIMIT_S


@pytest.mark.parametrize(
    "heading", ["## Sources", "## Sources ##", "##  Sources # #  ", "###\tSources\t#", "# Sources #"]
)
def test_a_closed_heading_begins_a_list_of_sources(heading: str) -> None:
    """Signs and blanks at its end are no part of it."""
    assert section_end([heading, "", "- [A](https://a.example/)"], 0) == 3


@pytest.mark.parametrize("rule", ["--|--", "|---|:--:|", " | -- | -- | ", "-|", ":-|-:"])
def test_rules_of_tables_are_read(rule: str) -> None:
    """They are read with outer bars or without, aligned or not."""
    assert is_table(["a | b", f"{rule}|" if "|" not in rule else rule])


# --- every pattern of the code ---------------------------------------------------------------

SIZES = (8_000, 64_000, 1_000_000)
"""Characters of the worst input: all candidates have the first size, the slowest three the others."""
LIMITS_S = (0.5, 1.5, 20.0)
"""Seconds of processor time for each size: a quadratic pattern takes 1 s, a minute and hours."""
EVERY = 30
"""Of so many patterns, the daily suite reads one."""


class SlowError(Exception):
    """A pattern did not end in time."""


def stop(number: int, frame: FrameType | None) -> None:
    """End a pattern: those of Python heed signals."""
    raise SlowError


def seconds(read: Callable[[str], object], text: str, limit_s: float) -> float:
    """Return the processor time that reading `text` takes, at most about `limit_s`."""
    before = signal.signal(signal.SIGVTALRM, stop)
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
    try:
        read(text)
    except SlowError:
        return limit_s
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - begun


def reader_of(used: UsedPattern) -> Callable[[str], object]:
    """Return a function that reads a text as the code does."""
    if used.function == "search":
        return lambda text: all(True for _ in used.pattern.finditer(text))
    return getattr(used.pattern, used.function)  # type: ignore[no-any-return]


def slow_input(used: UsedPattern, sizes: tuple[int, ...]) -> str:
    """Return the input that a pattern takes too long for, in words; empty if none was found."""
    read = reader_of(used)
    inputs = list(worst_inputs(used.pattern))
    if used.place in LINES:
        inputs = [one for one in inputs if "\n" not in one.beginning + one.unit + one.end]
    if end := ENDS.get(used.place):
        inputs = [replace(one, end=end) for one in inputs]
    for size, limit_s in zip(sizes, LIMITS_S, strict=False):
        timed: list[tuple[float, WorstInput]] = []
        for one in inputs:
            took = seconds(read, one.of_size(size), limit_s)
            if took >= limit_s:
                return f"{took:.1f} s for {size} characters of {one}"
            timed.append((took, one))
        inputs = [one for _, one in sorted(timed, key=lambda pair: -pair[0])[:3]]
    return ""


def slow_patterns(found: list[UsedPattern], sizes: tuple[int, ...]) -> list[tuple[str, str, str]]:
    """Return the patterns that are not linear, each with its worst input."""
    slow = []
    for used in found:
        most, _ = BOUNDED.get(used.place, (sizes[-1], ""))
        within = tuple(min(size, most) for size in sizes)
        if why := slow_input(used, within):
            slow.append((used.place, used.pattern.pattern, why))
    return slow


def test_a_quadratic_pattern_is_found() -> None:
    """The search for worst inputs finds those that once were in the code, and passes their linear forms."""
    quadratic = (r"^ {0,3}(#{1,6})\s+(.*?)[\s#]*$", r"\s+(?=[.,])", r"post(?:[-_]+\w+)*[-_]*body")
    linear = (r"(?<!\s)\s+(?=[.,])", r"post(?:[-_][\w-]*)?body")
    found = [UsedPattern(text, re.compile(text), "match") for text in (*quadratic[::2], linear[1])]
    found += [UsedPattern(text, re.compile(text), "search") for text in (quadratic[1], linear[0])]
    slow = {place for place, _, _ in slow_patterns(found, (2_000, 64_000))}
    assert slow == set(quadratic)


def test_every_module_has_its_patterns_read() -> None:
    """The patterns are collected from names, tables and calls of `re`."""
    found = [used for module in modules() for used in patterns_of(module)]
    assert len(found) > 600
    places = {used.place for used in found}
    assert {"planbook.rules.links._HEADING_ID", *USED_AS, *LINES, *ENDS, *BOUNDED} <= places
    assert any(":" in place for place in places)


def test_some_patterns_are_linear() -> None:
    """One of thirty, up to 8,000 characters."""
    found = [used for module in modules() for used in patterns_of(module)]
    assert slow_patterns(found[::EVERY], SIZES[:1]) == []


@pytest.mark.nightly
@pytest.mark.parametrize("module", modules())
def test_every_pattern_is_linear(module: str) -> None:
    """A megabyte of the worst input that can be made of each pattern."""
    assert slow_patterns(list(patterns_of(module)), SIZES) == []
