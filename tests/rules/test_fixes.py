"""`--fix` fixes what is certain, and no other byte."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from generator.plan.parse import parse
from generator.rules.pages import budget_headings, crowded_lists
from generator.rules.project import Selection
from generator.rules.registry import fix_page, fix_plan
from generator.views.progress import plan_to_json
from tests.markdown.outline import commonmark, lists_of
from tests.plan.test_laws import plan_like, written_plans

ALL = Selection()

KEPT = [
    "The poem (100 lines of it)",
    "A mill in one file (300 lines)",
    "Hello world (2 lines of code)",
    "Minimal setup (3 Lines)",
    "2. A mill in one file (300 lines)",
    "Section 2: A mill (~300 lines of C)",
    "Over 300 lines (3 lines over limit)",
    "Notes (section 8, ~70 lines)",
    "Reading `head (~10 lines)`",
    "nanoGPT in ~600 lines",
    "Section 3: The first 20 lines",
]
"""Headings that speak of lines which are no budget."""

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
    ("a budget", "## Hardness (~100 lines)\n", '## Hardness <a id="hardness-100-lines"></a>\n'),
    (
        "a range",
        "## Section 2: Hardness (100-200 lines) #\n",
        '## Section 2: Hardness <a id="section-2-hardness-100-200-lines"></a> #\n',
    ),
    (
        "an exact budget",
        "## Section 2: Hardness (100 lines)\n",
        '## Section 2: Hardness <a id="section-2-hardness-100-lines"></a>\n',
    ),
    ("a budget in a quote", "> ## Hardness (~100 lines)\n", '> ## Hardness <a id="hardness-100-lines"></a>\n'),
    (
        "a budget in an underlined heading",
        "Hardness (~100 lines)\n---\n",
        'Hardness <a id="hardness-100-lines"></a>\n---\n',
    ),
    (
        "a link to it",
        "[a](#hard-100-lines)\n\n## Hard (~100 lines)\n",
        '[a](#hard-100-lines)\n\n## Hard <a id="hard-100-lines"></a>\n',
    ),
    ("a budget in code", "```\n## Hardness (~100 lines)\n```\n", None),
    ("a budget in prose", "It is long (~100 lines).\n", None),
    *((f"lines that are no budget: {heading}", f"# {heading}\n\n## {heading}\n", None) for heading in KEPT),
]


@pytest.mark.parametrize(("text", "fixed"), [case[1:] for case in PAGES], ids=[case[0] for case in PAGES])
def test_pages(text: str, fixed: str | None) -> None:
    """Blank lines come before lists and budgets leave headings; the rest stays."""
    assert fix_page(text, ALL) == (text if fixed is None else fixed)


BROKEN = ["tags: [a\n- b", "title: x: y\nKeys:\n- a", "- a\n- b", "title: x\nSo\n- a\n## B (~9 lines)"]


@pytest.mark.parametrize("end", ["\n---\n", "\n...\n", "\n", "\n---"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("broken", BROKEN)
def test_front_matter_that_is_not_valid_is_left_alone(broken: str, mark: str, end: str) -> None:
    """It comes back to the letter, and the text below it is fixed."""
    head = f"{mark}---\n{broken}{end}"
    if broken[0] == "-" and "-" not in end + "." * ("." in end):
        return  # a rule and a list
    text = f"{head}\nGood is\n- soft\n"
    wanted = f"{head}\nGood is\n\n- soft\n"
    for given_, fixed in ((text, wanted), (text.replace("\n", "\r\n"), wanted.replace("\n", "\r\n"))):
        assert fix_page(given_, ALL) == fixed


WORDS = st.lists(
    st.sampled_from(["a", "- b", "  - c", "1. d", "", "> e", "```", "# F (~9 lines)", "    g", "| h |", "---", "\r"]),
    max_size=12,
).map("\n".join)


@given(WORDS)
def test_a_second_time_changes_nothing(text: str) -> None:
    """And nothing is left that the first time should have fixed."""
    once = fix_page(text, ALL)
    assert fix_page(once, ALL) == once
    assert crowded_lists(once) == ()
    assert budget_headings(once) == ()
    assert [line for line in re.sub(r' <a id="f-9-lines(_\d+)?"></a>', "", once).split("\n") if line.strip()] == [
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


SHOWN = [
    ("a box on the line of its source", "X", "- [✓] **URL**: https://x.example/ (Completed 2025-11-02 08:20)"),
    ("a box on the line of its file", "X", "- [✓] File: `tea/a.md`"),
    ("a box on a step", "X", '- [✓] Search: "water"'),
    ("a mark on the heading", "X ✅", ""),
    ("a box on the heading", "X [✓]", ""),
    ("a word on the heading", "X [SKIP]", ""),
    ("a word in parentheses on the heading", "X (COMPLETED - ALTERNATIVE)", ""),
    ("a status", "X", "**Status**: ✓ Completed 2025-11-02"),
    ("a status behind the tasks", "X", '- [ ] Search: "water"\n**Status**: complete'),
    ("a status to come", "X", "**Status**: PENDING"),
    ("a time", "X", "**Completed**: 2025-11-02 - created with 450 lines"),
    ("a time alone", "X", "Written on 2025-11-02 08:17 UTC."),
    ("a closing line", "X", "**Complete:** [✓] PART 1 ✅ (Completed 2025-11-02)"),
    ("a line of results", "X", "**Result**: ✅ 450 lines"),
    ("a failure", "X", "❌ the source is gone"),
    ("another sign on the heading", "X ⏳", ""),
    ("a light on the heading", "X 🟢", ""),
    ("a thumb in its text", "X", "👍 Ann has read it"),
    ("a heading struck out", "~~X~~", ""),
    ("a task struck out", "X", '- [ ] ~~Search: "water"~~'),
    ("a day as in Germany", "X", "Erledigt am 02.11.2025"),
    ("a day with slashes", "X", "Last touched 11/2/2025"),
    ("a line at the end of the plan", "X", "\n## Progress\n\n- PART 1 ✅"),
    ("a ticked list at the end of the plan", "X", "\n## Criteria\n\n- [✓] All pages are there"),
    ("a line of another PART", "X", "\n## PART 2: Create tea/b.md\n\n- [ ] PART 2: Create tea/b.md\n\nPART 1 is done."),
]


@pytest.mark.parametrize(("heading", "body"), [case[1:] for case in SHOWN], ids=[case[0] for case in SHOWN])
def test_a_part_that_shows_a_mark_or_a_time_gets_no_status_line(heading: str, body: str) -> None:
    """Such a line would say that finished work is open: only its author knows better."""
    for above in ("**Target File**: `tea/a.md`\n", "\n**Target File**: `tea/a.md`\n\n"):
        text = f"# Tea\n\n**Date**: 2025-11-01\n\n## PART 1: {heading}\n{above}{body}\n"
        assert fix_plan(text, "plans/tea.md", ALL) == text


@pytest.mark.parametrize("head", ["**Status**: ✅ COMPLETE", "**Status**: Completed 2025-11-02"])
def test_a_plan_that_says_it_is_done_gets_no_status_lines(head: str) -> None:
    """Its header speaks for all of its PARTs."""
    text = f"# Tea\n\n{head}\n\n## PART 1: Create tea/a.md\n"
    assert fix_plan(text, "plans/tea.md", ALL) == text


@pytest.mark.parametrize(
    "body",
    [
        "**Goal**: Know it (14 kinds)\n**Target File**: `tea/b.md`\n",
        "Know it, as tea/b.md does.\n",
        '- [ ] Search: "water"\n',
        "---\n",
        "\n- a\n",
        "- [ ] Create KNOWLEDGE-DROP-water-2025-11-02.md\n",
    ],
)
def test_a_status_line_leaves_the_part_as_it_is(body: str) -> None:
    """What stands right below the heading does not become a part of the new line, here or on the site."""
    text = f"# Tea\n\n**Date**: 2025-11-01\n\n## PART 1: Create tea/a.md (~400 lines)\n{body}"
    new = fix_plan(text, "plans/tea.md", ALL)
    assert "\n- [ ] PART 1: Create tea/a.md\n" in new
    assert new.replace("- [ ] PART 1: Create tea/a.md\n", "").replace("\n\n", "\n") == text.replace("\n\n", "\n")
    assert meaning(new) == meaning(text)
    assert lists_of(commonmark(new))[0][1] == "PART 1 Create tea a md"


def meaning(text: str) -> list[dict[str, Any]]:
    """All that a plan's PARTs say, but for their lines; one without a mark is open."""
    shown = plan_to_json(*parse(text, "plans/x.md"))
    parts: list[dict[str, Any]] = json.loads(re.sub(r'"line": \d+', '"line": 0', json.dumps(shown["parts"])))
    return [part | {"state": "open" if part["state"] == "unmarked" else part["state"]} for part in parts]


@example("## PART 2: Create bread/water.md (400 lines)\n  # Bread\nSection 2: B")
@given(plan_like() | written_plans().map(lambda plan: plan.text))
@example("## PART 2: Create bread/water.md (400 lines)\n  ## PART 1: Flour")
def test_a_fix_changes_no_meaning(text: str) -> None:
    """Titles, states, times and tasks of all PARTs are those from before, and the second fix finds nothing to do."""
    new = fix_plan(text, "plans/x.md", ALL)
    assert meaning(new) == meaning(text)
    assert fix_plan(new, "plans/x.md", ALL) == new


def test_what_is_not_wanted_is_not_mended() -> None:
    """Neither what the selection leaves out, nor what the file takes back."""
    page = "Good is\n- soft\n"
    assert fix_page(page, Selection(ignore=("K03",))) == page
    comment = f"<!-- planbook-ignore-file: K031 -->\n\n{page}"
    assert fix_page(comment, ALL) == comment
    plan = "# Tea\n\n## PART 1: Create tea/a.md\n"
    assert fix_plan(plan, "plans/tea.md", Selection(select=("K",))) == plan


def test_samples_lose_nothing(shared: Path) -> None:
    """Real pages: only blank lines and anchors come in, only budgets go out; fixed once is fixed."""
    for path in sorted((shared / "samples" / "pages").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        once = fix_page(text, ALL)
        assert once != text
        assert fix_page(once, ALL) == once
        before, after = ([line for line in t.split("\n") if line.strip()] for t in (text, once))
        assert len(before) == len(after)
        plain = [re.sub(r' <a id="[^"]+"></a>', "", line) for line in after]
        assert all(
            new == old or (old.startswith(new) and "lines)" in old) for old, new in zip(before, plain, strict=True)
        )


def test_paths_of_pages_that_moved() -> None:
    """Each becomes the page's whole path, once; a longer path that ends in it stays."""
    text = "## PART 1: Leaf\n\n- [x] PART 1: Create tea/1-leaf.md (Completed 2026-11-20)\n\n"
    text += "Read b/tea/1-leaf.md, `tea/1-leaf.md`.\n"
    moved = {"tea/1-leaf.md": "a/tea/1-leaf.md"}
    new = fix_plan(text, "plans/tea.md", ALL, moved)
    assert new == text.replace("Create tea", "Create a/tea").replace("`tea", "`a/tea")
    assert fix_plan(new, "plans/tea.md", ALL, moved) == new
    assert fix_plan(text, "plans/tea.md", Selection(ignore=("P030", "P033")), moved) == text
