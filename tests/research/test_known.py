"""Step 0 of a PART, done over a base."""

from __future__ import annotations

import pytest

from planbook.model import PageUri, Part
from planbook.plan.parse import parse
from planbook.research.selection import TitleIndex, find_referred_pages

TITLES = {
    PageUri("bread/01-starter.md"): "The starter",
    PageUri("bread/02-flour.md"): "Rye flour",
    PageUri("bread/10-oven.md"): "Ovens",
    PageUri("deep/bread/03-acids.md"): "Acids",
    PageUri("tools/02-flour.md"): "Flour mills",
}
BASE = TitleIndex(TITLES)

PLAN = """# Bread

## PART 1: Create bread/05-rye-starter.md

- [ ] PART 1: Create bread/05-rye-starter.md

**Title**: Rye flour in a starter

**Step 0: Check existing knowledge**
{}

**Step 1: Web research**
- [ ] Search: "rye"
"""


def step_0(*tasks: str) -> Part:
    """A PART whose plan asks for these checks."""
    plan, _ = parse(PLAN.format("\n".join(f"- [ ] {task}" for task in tasks)), "plans/bread.md")
    return plan.parts[0]


CASES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "Read bread/02-flour.md (grains)": (["Read bread/02-flour.md (grains)"], ["bread/02-flour.md"], []),
    "a path from docs/": (["Read docs/bread/10-oven.md"], ["bread/10-oven.md"], []),
    "a bare name that one page has": (["Read 03-acids.md"], ["deep/bread/03-acids.md"], []),
    "a bare name that two pages have": (["Read 02-flour.md"], [], ["Read 02-flour.md"]),
    "a page that is not there": (["Read bread/99-none.md"], [], ["Read bread/99-none.md"]),
    "a folder": (["Read tools/"], ["tools/02-flour.md"], []),
    "a folder that is not there": (["Read yeast/"], [], ["Read yeast/"]),
    "an INDEX: pages on the PART's subject": (["Read INDEX.md"], ["bread/02-flour.md"], []),
    "an INDEX with a remark": (["Read INDEX.md (ovens)"], ["bread/10-oven.md"], []),
    "an INDEX of a folder": (["Read bread/INDEX.md (flour)"], ["bread/02-flour.md"], []),
    "an INDEX of a folder that is not there": (["Read yeast/INDEX.md"], [], ["Read yeast/INDEX.md"]),
    "a search of the base: titles with its only word": (['Grep for "oven" in bread/'], ["bread/10-oven.md"], []),
    "a search of the base: titles with two words": (['Grep for "rye" AND "flour"'], ["bread/02-flour.md"], []),
    "backticks, and a folder": (["Grep for `flour mills` in `tools/`"], ["tools/02-flour.md"], []),
    "a search that no title matches": (['Grep for "steam" in bread/'], [], ['Grep for "steam" in bread/']),
    "a search without terms": (["Grep in bread/"], [], ["Grep in bread/"]),
    "a page once, whatever leads to it": (
        ["Read bread/02-flour.md", "Read INDEX.md", "Read bread/02-flour.md"],
        ["bread/02-flour.md"],
        [],
    ),
}


@pytest.mark.parametrize(("tasks", "pages", "unresolved"), CASES.values(), ids=CASES)
def test_what_the_base_holds(tasks: list[str], pages: list[str], unresolved: list[str]) -> None:
    """Which pages the plan's words lead to, and which of these lead nowhere."""
    found, missing = find_referred_pages(step_0(*tasks), BASE)
    assert [page.page for page in found] == pages
    assert list(missing) == unresolved


def test_the_parts_own_page_is_not_known() -> None:
    """A page that is written anew does not lead to itself."""
    own = TitleIndex({**TITLES, PageUri("bread/05-rye-starter.md"): "Rye flour in a starter"})
    part = step_0("Read INDEX.md", "Read bread/")
    assert find_referred_pages(part, own) == find_referred_pages(part, BASE)
