"""`--fix` mends what is certain, and no other byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.check.fixes import fix_page, fix_plan
from generator.check.lists import budget_headings, crowded_lists
from generator.check.selection import Selection
from generator.plan.parse import parse

ALL = Selection()

PAGES = [
    ("a list below a paragraph", "Good is\n- soft\n- fresh\n", "Good is\n\n- soft\n- fresh\n"),
    ("line ends as they are", "Good is\r\n- soft\r\n", "Good is\r\n\r\n- soft\r\n"),
    ("a numbered list", "Do\n1. this\n", "Do\n\n1. this\n"),
    ("a list that has room", "Good is\n\n- soft\n  - very\n- fresh\n", None),
    ("a list in a list", "- a\n  - b\n", None),
    ("a list below a heading", "# Water\n- soft\n", None),
    ("a list in a quote", "> Good is\n> - soft\n", None),
    ("a list in code", "```text\nGood is\n- soft\n```\n", None),
    ("front matter", "---\ntags:\n- a\n---\n\nx\n", None),
    ("a budget", "## Hardness (~100 lines)\n", "## Hardness\n"),
    ("a range", "## Hardness (100-200 lines) #\n", "## Hardness #\n"),
    ("a budget in code", "```\n## Hardness (~100 lines)\n```\n", None),
    ("a budget in prose", "It is long (~100 lines).\n", None),
    ("lines that are no budget", "## The poem (100 lines of it)\n", None),
]


@pytest.mark.parametrize(("text", "mended"), [case[1:] for case in PAGES], ids=[case[0] for case in PAGES])
def test_pages(text: str, mended: str | None) -> None:
    """Blank lines come before lists and budgets leave headings; the rest stays."""
    assert fix_page(text, ALL) == (text if mended is None else mended)


WORDS = st.lists(
    st.sampled_from(["a", "- b", "  - c", "1. d", "", "> e", "```", "# F (~9 lines)", "    g", "| h |", "---", "\r"]),
    max_size=12,
).map("\n".join)


@given(WORDS)
def test_a_second_time_changes_nothing(text: str) -> None:
    """And nothing is left that the first time should have mended."""
    once = fix_page(text, ALL)
    assert fix_page(once, ALL) == once
    assert crowded_lists(once) == ()
    assert budget_headings(once) == ()
    assert [line for line in once.split("\n") if line.strip()] == [
        line.replace(" (~9 lines)", "") if n in budget_headings(text) else line
        for n, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]


def test_a_status_line() -> None:
    """A PART that has none gets one below its heading, with its page; a disabled one does not."""
    text = (
        "# Tea\n\n## PART 1: Create tea/a.md\n\nWater.\n\n## PART 2: Create tea/b.md\n\n- [✓] PART 2: Create tea/b.md\n"
    )
    new = fix_plan(text, "plans/tea.md", ALL)
    assert new == text.replace("tea/a.md\n", "tea/a.md\n- [ ] PART 1: Create tea/a.md\n", 1)
    assert fix_plan(new, "plans/tea.md", ALL) == new
    assert [part.state.value for part in parse(new, "plans/tea.md")[0].parts] == ["open", "done"]
    disabled = "# Tea\n\n## DISABLED PARTS\n\n## PART 1: Create tea/a.md\n"
    assert fix_plan(disabled, "plans/tea.md", ALL) == disabled


def test_what_is_not_wanted_is_not_mended() -> None:
    """Neither what the selection leaves out, nor what the file takes back."""
    page = "Good is\n- soft\n"
    assert fix_page(page, Selection(ignore=("K03",))) == page
    comment = f"<!-- planbook-ignore-file: K031 -->\n\n{page}"
    assert fix_page(comment, ALL) == comment
    plan = "# Tea\n\n## PART 1: Create tea/a.md\n"
    assert fix_plan(plan, "plans/tea.md", Selection(select=("K",))) == plan


def test_samples_lose_nothing(shared: Path) -> None:
    """Real pages: only blank lines come in, only budgets go out; mended once is mended."""
    for path in sorted((shared / "samples" / "pages").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        once = fix_page(text, ALL)
        assert once != text
        assert fix_page(once, ALL) == once
        before, after = ([line for line in t.split("\n") if line.strip()] for t in (text, once))
        assert len(before) == len(after)
        assert all(
            new == old or (old.startswith(new) and "lines)" in old) for old, new in zip(before, after, strict=True)
        )
