"""When `planbook check` reports that a page was changed since it was accepted (K040)."""

from __future__ import annotations

import pytest

from planbook.library import link_tree
from planbook.library.pages import fingerprint
from planbook.model import Problem, Tree
from planbook.rules.project import Project
from planbook.rules.registry import check

PAGE = """---
title: Water
reviewed: null
---

# Water

Soft water is better.
"""
CHANGED = PAGE.replace("Soft", "Hard")
NEW, OLD = f"text_sha256: {fingerprint(CHANGED)}\n", f"text_sha256: {fingerprint(PAGE)}\n"


def drop(day: str, text_hash: str, outcome: str = "done", page: str = "tea/01-water.md") -> str:
    """A drop of PART 1, with or without a hash."""
    finished = f"finished: {day} 10:00 UTC" if day else "runner: ann"
    return f"---\nplan: tea\npart: 1\n{finished}\noutcome: {outcome}\npage: {page}\n{text_hash}---\n\n# Water\n"


def reported(page: str, *drops: str, mark: str = "✓") -> list[Problem]:
    """The Problems K040 of a base with one page."""
    plan = f"## PART 1: Create tea/01-water.md\n\n- [{mark}] PART 1: Create tea/01-water.md\n"
    named = {f"plans/KNOWLEDGE-DROP-water-{n}.md": text.encode() for n, text in enumerate(drops)}
    tree = Tree(plans={"plans/tea.md": plan.encode()}, drops=named, pages={"tea/01-water.md": page.encode()})
    found = check(Project(tree=tree, library=link_tree(tree)))
    return [problem for problem in found if problem.code == "K040"]


def test_the_message_names_the_page_the_day_and_the_commands() -> None:
    """A reader of it knows what was changed since when, and what to do."""
    (problem,) = reported(CHANGED, drop("2026-11-20", OLD))
    assert problem.uri == "docs/tea/01-water.md"
    assert problem.message == (
        "its text or references were changed since it was accepted on 2026-11-20, and not checked since; "
        "`planbook finish tea 1 --check` compares its sentences with their quotes; "
        "read it, too, and then `planbook finish tea 1` accepts it again"
    )


def test_a_drop_without_a_day_is_named_itself() -> None:
    """Then the message says which drop accepted the page."""
    (problem,) = reported(CHANGED, drop("", OLD))
    assert "accepted by plans/KNOWLEDGE-DROP-water-0.md" in problem.message


@pytest.mark.parametrize(
    "page",
    [
        PAGE,
        PAGE.replace("\n", "\r\n"),
        PAGE.rstrip(),
        PAGE + "\n\n",
        "\ufeff" + PAGE,
        PAGE.replace("reviewed: null", "reviewed: 2026-11-22\ntags: [tea]"),
    ],
)
def test_what_is_no_change_of_the_text(page: str) -> None:
    """Line endings, the end of the file, a byte order mark, a review and tags are none."""
    assert not reported(page, drop("2026-11-20", OLD))


@pytest.mark.parametrize(
    ("drops", "is_reported"),
    [
        ([drop("2026-11-20", "")], False),  # of an earlier version
        ([drop("2026-11-20", OLD), drop("2026-11-21", "")], False),
        ([drop("2026-11-21", NEW), drop("2026-11-20", OLD)], False),
        ([drop("2026-11-20", NEW), drop("2026-11-21", OLD)], True),
        ([drop("2026-11-20", OLD), drop("2026-11-21", NEW, "held")], True),  # the page stayed
        ([drop("2026-11-20", OLD, "partial")], True),
        ([drop("2026-11-20", OLD, "failed")], False),
        ([drop("2026-11-20", OLD, page="tea/02-time.md")], False),
    ],
)
def test_the_newest_drop_that_accepted_the_page_decides(drops: list[str], is_reported: bool) -> None:
    """Of drops of one page, in whatever order; others do not count."""
    assert bool(reported(CHANGED, *drops)) == is_reported


@pytest.mark.parametrize(("mark", "is_reported"), [("✓", True), ("/", True), (" ", False), ("x", True)])
def test_the_page_of_an_open_part_is_being_written(mark: str, is_reported: bool) -> None:
    """Somebody changes it who will submit it."""
    assert bool(reported(CHANGED, drop("2026-11-20", OLD), mark=mark)) == is_reported
