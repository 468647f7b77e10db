"""Every code that `planbook check` alone tells: a case that gives it, at its place, and one close by that does not."""

from __future__ import annotations

import pytest

from tests.rules.project import PAGE, SOUND, checked, told

DONE = "(Completed 2026-11-20 10:00 UTC)"
WATER, PLAN_URI = "docs/tea/01-water.md", "plans/tea.md"
TIME_URI, URL = "docs/tea/02-time.md", "https://water.example/tea"
KEY = "AKIA" + "Q7ZT3WLXN5RVB2KD"
T = "```"
SOURCES = PAGE[PAGE.index("## Sources") :]
LONG = PAGE[PAGE.index("Soft") : PAGE.index("- [Water for tea]")]
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
NESTED = f"\n{T}text\n{T}python\nx = 1\n{T}\n{T}\n"
OPEN_WITH_BLANK = (
    "\n## PART 2: Create tea/03-leaf.md\n\n- [ ] PART 2: Create tea/03-leaf.md\n- [ ] Create x-[TIME].md\n"
)

END = ""
"""Stands for the end of a text, where something is added."""

MARKED = "../messages.md)\n\n| M { .messages } |\n| --- |\n| `no` |\n"
"""A link to the index of messages, with a message."""

Change = tuple[str, str]
"""Words of a sound text, and what stands there instead."""

CASES: list[tuple[str, str, str, Change, str, Change]] = [
    ("P027", "in a done PART", PLAN_URI, (END, "\n- [✓] Create x-[TIME].md\n"), "11:16", (END, OPEN_WITH_BLANK)),
    ("P027", "of a new plan", PLAN_URI, (END, "\n**Goal**: <title of the page>\n"), "11:11", (END, "\n<b>Tea</b>\n")),
    ("K023", "no such page", WATER, ("02-time.md", "09-none.md"), "7:3", ("02-time.md", "https://x.example/x.md")),
    ("K023", "a folder", WATER, ("02-time.md", "../none/index.md"), "7:3", ("02-time.md", "index.md")),
    ("K023", "no messages", WATER, ("02-time.md", "../messages.md"), "7:3", ("02-time.md)", MARKED)),
    ("K023", "elsewhere", WATER, ("02-time.md", "../x/02-time.md"), "7:3", ("[Time](02-time.md)", "`[T](x.md)`")),
    ("K024", "much shorter", WATER, (LONG, ""), "1:1", ("Soft", "So")),
    (
        "K025",
        "a home folder",
        WATER,
        ("It", "See `/home/ann/notes.txt`. It"),
        "5:6",
        ("It", "See home/ann/notes.txt. It"),
    ),
    ("K025", "a drive", WATER, ("It", r"C:\Users\ann\notes.txt"), "5:1", ("It", "https://x.example/home/ann/x")),
    ("K025", "not in code", WATER, (END, "\n/home/ann/tea\n"), "13:1", (END, f"\n{T}text\n/home/ann/tea\n{T}\n")),
    ("K026", "a key", WATER, ("It", KEY), "5:1", ("It", "AKIAIOSFODNN7EXAMPLE")),
    ("K026", "a key in a plan", PLAN_URI, (END, f"\n{KEY}\n"), "11:1", (END, "\n$KEY\n")),
]
"""``(code, what, file, change that gives it, line:column, change that does not)``."""


def of(code: str, files: dict[str, str]) -> list[str]:
    """Where `code` is told."""
    return [place.partition(" ")[0] for place in told(files) if place.endswith(f" {code}")]


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0]} {case[1]}" for case in CASES])
def test_rule(case: tuple[str, str, str, Change, str, Change]) -> None:
    """The one change gives the code, there and nowhere else; the other does not."""
    code, _, file, wrong, place, right = case
    assert of(code, {**SOUND, file: changed(SOUND[file], wrong)}) == [f"{file}:{place}"]
    assert of(code, {**SOUND, file: changed(SOUND[file], right)}) == []


def test_a_misspelled_page_is_proposed() -> None:
    """The message names the page that has nearly the name."""
    text = changed(SOUND[WATER], ("02-time.md", "02-times.md"))
    (problem,) = [found for found in checked({**SOUND, WATER: text}) if found.code == "K023"]
    assert problem.message == "02-times.md does not exist in the base; did you mean 02-time.md?"


def changed(text: str, change: Change) -> str:
    """`text` with the change made."""
    old, new = change
    assert old in text
    return text.replace(old, new, 1) if old else text + new


def test_a_written_reference_is_told_where_it_is_written() -> None:
    """A reference in the front matter lacks its date there, not where the text cites it."""
    page = f"---\nreferences:\n- {{id: a, title: A, URL: {URL}}}\n---\n{PAGE.replace(SOURCES, '')}\nSo it is [@a].\n"
    assert of("K022", {**SOUND, WATER: page}) == [f"{WATER}:3:1"]


def test_a_work_that_no_host_was_asked_for_needs_no_access_date() -> None:
    """`planbook finish` records the text of a document beside the base, and no day."""
    own = f"{{id: a, title: A, URL: {URL}, custom: {{sha256: {'a' * 64}}}}}"
    page = f"---\nreferences:\n- {own}\n---\n{PAGE.replace(SOURCES, '')}\nSo it is [@a].\n"
    assert of("K022", {**SOUND, WATER: page}) == []


def test_a_sound_base_is_quiet() -> None:
    """Nothing to remark is nothing said."""
    assert told(SOUND) == []
