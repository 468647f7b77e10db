"""What programs read: JSON and GitHub's annotations."""

from __future__ import annotations

import re

from planbook.model import Problem
from planbook.rules.registry import problem_to_github

PROBLEMS = (
    Problem("docs/a,b: 100%.md", 3, "K035", "no\npage, 100%", 7),
    Problem("plans/tea.md", 9, "P021", "names a page twice"),
    Problem("docs/x.md", 1, "K022", "a list"),
)


def test_github() -> None:
    """One line a Problem, with what GitHub reads as marks escaped, as its toolkit does."""
    lines = [problem_to_github(problem) for problem in PROBLEMS]
    assert lines[0] == "::warning file=docs/a%2Cb%3A 100%25.md,line=3,col=7,title=K035::no%0Apage, 100%25"
    assert [line.partition(" ")[0] for line in lines] == ["::warning", "::error", "::notice"]
    assert all(re.fullmatch(r"::\w+ [^:\n]*::[^\n]*", line) for line in lines)
