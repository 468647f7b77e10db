"""`--fix` fixes what is certain, and no other byte."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.rules.pages import find_budgets
from planbook.rules.project import CodeFilter
from planbook.rules.registry import fix_file
from tests.rules.project import checked, fixed_page

PAGES = [
    ("Good is\n- soft\n\nIt is long (~100 lines).\n", None),
    ("## Hard (~100 lines) #\n", '## Hard <a id="hard-100-lines"></a> #\n'),
    ("> ## Hard (~100 lines)\n", '> ## Hard <a id="hard-100-lines"></a>\n'),
    ("Hard (~100 lines)\n---\n", 'Hard <a id="hard-100-lines"></a>\n---\n'),
    ("[a](#x-9-lines)\n\n## X (~9 lines)\n", '[a](#x-9-lines)\n\n## X <a id="x-9-lines"></a>\n'),
    ("```\n## Hard (~100 lines)\n```\n", None),
]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("above", ["", "---\n# A (~9 lines)\ntitle: x (~9 lines)\n---\n\n"])
@pytest.mark.parametrize(("text", "fixed"), PAGES)
def test_pages(text: str, fixed: str | None, above: str, end: str, mark: str) -> None:
    """Budgets leave headings; the rest stays, line endings and a byte order mark with it."""
    given_, wanted = (f"{mark}{above}{one}".replace("\n", end) for one in (text, text if fixed is None else fixed))
    assert fixed_page(given_) == wanted


BROKEN = ["tags: [a\n- b", "title: x: y\nKeys:\n- a", "- a\n- b", "title: x\nSo\n- a\n## B (~9 lines)"]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("broken", BROKEN)
def test_front_matter_that_is_not_valid_is_left_alone(broken: str, mark: str) -> None:
    """The page comes back to the letter until that is corrected (K001), and so does a plan."""
    text = f"{mark}---\n{broken}\n---\n\n# Good water (~9 lines)\n"
    for given_ in (text, text.replace("\n", "\r\n")):
        assert fixed_page(given_) == given_
    plan = f"---\n{broken}\n---\n\n{LEAF}"
    assert fixed_plan(plan.encode()) == plan.encode()


WORDS = st.lists(
    st.sampled_from(["a", "- b", "  - c", "1. d", "", "> e", "```", "# F (~9 lines)", "    g", "| h |", "---", "\r"]),
    max_size=12,
).map("\n".join)


@given(WORDS)
def test_a_second_time_changes_nothing(text: str) -> None:
    """Nothing is left that the first time should have fixed."""
    once, found = fixed_page(text), {n for n, *_ in find_budgets(text.encode())}
    assert fixed_page(once) == once
    assert find_budgets(once.encode()) == ()
    assert re.sub(r' <a id="f-9-lines(_\d+)?"></a>', "", once).split("\n") == [
        line.replace(" (~9 lines)", "") if n in found else line for n, line in enumerate(text.split("\n"), 1)
    ]


LEAF = """# Tea

## PART 1: Leaf

- [x] PART 1: Create tea/1-leaf.md (Completed 2026-11-20)

**Step 0: Read**

- [ ] Read b/tea/1-leaf.md, `tea/1-leaf.md`, tea/1-leaf.md.bak, xtea/1-leaf.md.

```sh
cat tea/1-leaf.md
```
"""
FOUND = LEAF.replace("Create tea", "Create a/tea").replace("`tea", "`a/tea")


def fixed_plan(plan: bytes, code_filter: CodeFilter | None = None) -> bytes:
    """A plan after `--fix`, in a base with the page that it means."""
    files = {"plans/x.md": plan.decode("utf-8", "replace"), "docs/a/tea/1-leaf.md": "# Leaf\n"}
    return fix_file(plan, [found for found in checked(files, code_filter) if found.uri == "plans/x.md"])


@pytest.mark.parametrize("above", ["", "\ufeff", "---\nabout: tea/1-leaf.md\n---\n\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_paths_of_pages_that_moved(end: str, above: str) -> None:
    """Each becomes the page's whole path, once; a longer path that ends in it, code and front matter stay."""
    text, wanted = ((above + one).replace("\n", end).encode() for one in (LEAF, FOUND))
    assert fixed_plan(text) == fixed_plan(wanted) == wanted


def test_a_file_that_is_not_utf_8_is_left_alone() -> None:
    """The codes P001 and K002 report it."""
    plan = LEAF.encode() + b"\xe9\n"
    assert fixed_plan(plan) == plan


def test_what_is_not_wanted_is_not_fixed() -> None:
    """Neither what the filter leaves out, nor what the file takes back."""
    for code_filter in (CodeFilter(select=("K",)), CodeFilter(ignore=("P030", "P033"))):
        assert fixed_plan(LEAF.encode(), code_filter) == LEAF.encode()
    comment = f"{LEAF}\n<!-- planbook-ignore-file: P030, P033 -->\n"
    assert fixed_plan(comment.encode()) == comment.encode()
    page = "# A (~9 lines)\n\n## B (~9 lines) <!-- planbook-ignore: K029 -->\n"
    wanted = page.replace(" (~9 lines)", ' <a id="a-9-lines"></a>', 1)
    assert fix_file(page.encode(), checked({"docs/x.md": page})).decode() == wanted
    assert fix_file(page.encode(), checked({"docs/x.md": page}, CodeFilter(ignore=("K02",)))) == page.encode()
