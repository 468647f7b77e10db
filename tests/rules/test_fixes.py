"""`--fix` fixes what is certain, and no other byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.rules.pages import budget_headings
from generator.rules.project import Selection
from generator.rules.registry import fix_page, fix_plan

ALL = Selection()

PAGES = [
    ("a list below a paragraph", "Good is\n- soft\n", None),
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
]


@pytest.mark.parametrize(("text", "fixed"), [case[1:] for case in PAGES], ids=[case[0] for case in PAGES])
def test_pages(text: str, fixed: str | None) -> None:
    """Budgets leave headings; the rest stays."""
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
    text = f"{head}\n# Good water (~9 lines)\n"
    wanted = f'{head}\n# Good water <a id="good-water-9-lines"></a>\n'
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
    assert budget_headings(once) == ()
    assert [line for line in re.sub(r' <a id="f-9-lines(_\d+)?"></a>', "", once).split("\n") if line.strip()] == [
        line.replace(" (~9 lines)", "") if n in budget_headings(text) else line
        for n, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]


def test_what_is_not_wanted_is_not_mended() -> None:
    """Neither what the selection leaves out, nor what the file takes back."""
    page = "# Good water (~9 lines)\n"
    assert fix_page(page, Selection(ignore=("K02",))) == page
    comment = f"<!-- planbook-ignore-file: K029 -->\n\n{page}"
    assert fix_page(comment, ALL) == comment
    plan = "# Tea\n\n## PART 1: Create tea/a.md\n"
    assert fix_plan(plan, Selection(select=("K",)), {"tea/a.md": "tea/b.md"}) == plan


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
    new = fix_plan(text, ALL, moved)
    assert new == text.replace("Create tea", "Create a/tea").replace("`tea", "`a/tea")
    assert fix_plan(new, ALL, moved) == new
    assert fix_plan(text, Selection(ignore=("P030", "P033")), moved) == text
