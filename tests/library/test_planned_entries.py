"""Entries of plans, before any page is read."""

from __future__ import annotations

from collections.abc import Mapping

from planbook.library.planned_entries import PlannedEntries, Posts, plan_entries
from planbook.model import PageUri, Plan
from planbook.plan.parse import parse

PLAN = """\
# The rye book

**Target Folder**: `bread/`

---

## PART 1: Create bread/10-rye.md (400 lines)

- [ ] PART 1: Create bread/10-rye.md

## PART 2: Create bread/20-sourdough.md (400 lines)

- [ ] PART 2: Create bread/20-sourdough.md
"""
NO_POSTS = Posts((), frozenset())


def planned(*uris: str, posts: Posts = NO_POSTS, asked: list[Plan] | None = None) -> PlannedEntries:
    """The entries of the plan with pages at `uris`; each plan whose spelling is read is added to `asked`."""

    def spelling(plan: Plan) -> Mapping[str, str]:
        if asked is not None:
            asked.append(plan)
        return {"sourdough": "SourDough"}

    plan, _ = parse(PLAN, "plans/rye.md")
    return plan_entries((plan,), (), [PageUri(uri) for uri in uris], posts, spelling)


def test_each_target_is_an_entry_in_the_order_of_the_plan() -> None:
    """Only that a page exists counts; its text comes later."""
    entries = planned("bread/10-rye.md").entries
    assert [(entry.uri, entry.is_written) for entry in entries] == [
        ("bread/10-rye.md", True),
        ("bread/20-sourdough.md", False),
    ]


def test_the_spelling_of_a_plan_is_read_once_and_only_for_a_page_that_is_not_there() -> None:
    """A long plan is read for it, and a page has a title of its own."""
    asked: list[Plan] = []
    assert [entry.title for entry in planned(asked=asked).entries] == ["Rye", "SourDough"]
    assert len(asked) == 1
    planned("bread/10-rye.md", "bread/20-sourdough.md", asked=asked)
    assert len(asked) == 1


def test_a_page_in_the_folder_of_a_blog_is_left_out_until_its_post_exists() -> None:
    """The plugin of the blog reads each file there, and would publish a placeholder as a post."""
    left_out = planned(posts=Posts(("bread",), frozenset({"bread/10-rye.md"})))
    assert left_out.entries == []
    assert [(problem.line, problem.code) for problem in left_out.problems] == [(13, "P022")]


def test_a_target_with_the_name_of_a_generated_page_is_no_entry() -> None:
    """It is reported, and the generated page stays."""
    plan, _ = parse(PLAN.replace("bread/10-rye.md", "progress.md").replace("`bread/`", "`/`"), "plans/rye.md")
    result = plan_entries((plan,), (), [], NO_POSTS, lambda _: {})
    assert "K003" in {problem.code for problem in result.problems}
