"""Step 0 of a PART, done over a base."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.model import Grep, PageUri, Part, State
from generator.plan.parse import parse
from generator.research.select import MAX_LINES, MAX_PAGES, TitleIndex, grep_words, known

BASE = {
    PageUri("bread/01-starter.md"): (
        "---\ntitle: The starter\ntags: [hydration, acidity]\n---\n\n# The starter\n\nA starter is flour and water.\n\n"
        "At 100 % Hydration\nit ripens in four hours.\n"
    ),
    PageUri("bread/02-flour.md"): "# Rye flour\n\nRye ferments a starter fastest.\n",
    PageUri("bread/10-oven.md"): "# Ovens\n\nSteam keeps the crust soft.\n",
    PageUri("deep/bread/03-acids.md"): "# Acids\n\nHydration shifts the acids of a starter.\n",
    PageUri("tools/02-flour.md"): "# Flour mills\n\nA stone mill.\n",
}

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
    "AND: all terms on one page": (
        ['Grep for "starter" AND "hydration" in bread/'],
        ["bread/01-starter.md", "deep/bread/03-acids.md"],
        [],
    ),
    "AND over lines of a page": (['Grep for "hydration it" AND "four hours" in bread/'], ["bread/01-starter.md"], []),
    "OR: any term": (['Grep for "steam" OR "stone mill"'], ["bread/10-oven.md", "tools/02-flour.md"], []),
    "no operator: any term": (['Grep for "steam", "stone mill"'], ["bread/10-oven.md", "tools/02-flour.md"], []),
    "one term": (['Grep for "RYE FERMENTS"'], ["bread/02-flour.md"], []),
    "front matter does not count": (['Grep for "acidity"'], [], []),
    "a term that nobody has": (['Grep for "yeast" in bread/'], [], []),
    "a folder that nobody has": (['Grep for "rye" in yeast/'], [], ['Grep for "rye" in yeast/']),
    "several folders": (['Grep for "mill" in yeast/, tools/'], ["tools/02-flour.md"], []),
    "a page once, whatever leads to it": (
        ["Read bread/02-flour.md", 'Grep for "rye"', "Read bread/02-flour.md"],
        ["bread/02-flour.md"],
        [],
    ),
}


@pytest.mark.parametrize(("tasks", "pages", "unresolved"), CASES.values(), ids=CASES)
def test_what_the_base_holds(tasks: list[str], pages: list[str], unresolved: list[str]) -> None:
    """Which pages the plan's words lead to, and which of these lead nowhere."""
    found, missing = known(step_0(*tasks), BASE)
    assert [page.page for page in found] == pages
    assert list(missing) == unresolved


def test_lines_are_shown_where_they_stand() -> None:
    """With their numbers in the file, front matter counted; with the page's title and the plan's words."""
    found, _ = known(step_0('Grep for "starter" AND "hydration" in bread/'), BASE)
    assert found[0].title == "The starter"
    assert found[0].lines == ((6, "# The starter"), (8, "A starter is flour and water."), (10, "At 100 % Hydration"))
    assert found[0].reason == 'Grep for "starter" AND "hydration" in bread/'


def test_the_parts_own_page_is_not_known() -> None:
    """A page that is written anew does not lead to itself."""
    own = {**BASE, PageUri("bread/05-rye-starter.md"): "# Rye flour in a starter\n\nRye.\n"}
    part = step_0("Read INDEX.md", "Read bread/", 'Grep for "rye"')
    assert known(part, own) == known(part, BASE)


def test_a_large_base_gives_its_best() -> None:
    """Of many pages a few are named, those that say most first; of many lines the telling ones, in their order."""
    many = {PageUri(f"x/{n}.md"): f"# Page {n}\n\n" + "rye\n\n" * n + "rye and oats\n" for n in range(1, 31)}
    found, _ = known(step_0('Grep for "rye" OR "oats"'), many)
    assert [page.page for page in found] == [f"x/{n}.md" for n in range(30, 30 - MAX_PAGES, -1)]
    assert all(len(page.lines) == MAX_LINES and page.lines[-1][1] == "rye and oats" for page in found)


@given(st.lists(st.text(), max_size=3), st.sampled_from(["AND", "OR", None]), st.dictionaries(st.text(), st.text()))
def test_nothing_is_too_odd(terms: list[str], operator: str | None, pages: dict[str, str]) -> None:
    """Any terms, any pages: lines exist, and hold a term."""
    grep = Grep(tuple(terms), operator, (), 1)
    part = Part(1, "Rye", 1, 1, State.OPEN, greps=(grep,))
    found, _ = known(part, {PageUri(uri): text for uri, text in pages.items()})
    assert all(page.reason == grep_words(grep) for page in found)
    assert all(line <= pages[page.page].count("\n") + 1 for page in found for line, _ in page.lines)


def test_each_title_is_read_once_for_all_parts() -> None:
    """However many PARTs read an INDEX."""
    seen = Counter[PageUri]()

    class Counted(dict[PageUri, str]):
        """Counts how often each text is read."""

        def __getitem__(self, uri: PageUri) -> str:
            seen[uri] += 1
            return super().__getitem__(uri)

    titles, part = TitleIndex(Counted(BASE)), step_0("Read bread/INDEX.md (flour)")
    assert known(part, BASE, titles) == known(part, BASE, titles) == known(part, BASE)
    assert set(seen.values()) == {1}
