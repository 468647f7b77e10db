"""Which PARTs are filled, in which order, and why the others are not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from planbook.library import Library, link_tree
from planbook.model import Tree
from planbook.research.selection import Choice, NotFoundError, RunSelection, find_entries, find_plan, select

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)


def part(number: int, target: str, mark: str = " ", more: str = "") -> str:
    """A PART that is to make `target`."""
    return f"## PART {number}: Create {target}\n\n- [{mark}] PART {number}: Create {target}\n\n{more}\n"


def base(plans: dict[str, str], pages: Sequence[str] = (), drops: Sequence[str] = ()) -> Library:
    """The Library of these plans, with pages and drops of which only the names count."""
    return link_tree(
        Tree(
            {uri: f"# {uri}\n\n{text}".encode() for uri, text in plans.items()},
            dict.fromkeys(drops, b"# A drop\n"),
            dict.fromkeys(pages, b"# A page\n\nText.\n"),
        )
    )


def selected(library: Library, **choice: object) -> RunSelection:
    """What is to be filled."""
    return select(library, Choice(**choice), NOW)  # type: ignore[arg-type]


def pages(selection: RunSelection) -> list[str]:
    """The pages to make, in order."""
    return [str(brief.page) for brief in selection.briefs]


def reasons(selection: RunSelection) -> dict[int, str]:
    """Why PARTs are skipped over, by their numbers."""
    return {skipped.part.number: skipped.why for skipped in selection.skipped}


EVERY_STATE = "".join(
    [
        part(1, "tea/1.md"),
        part(2, "tea/2.md", "/"),
        "## PART 3: Create tea/3.md\n\nNo mark at all.\n\n",
        part(4, "tea/4.md", "✓"),
        part(5, "tea/5.md", "-"),
        part(6, "tea/6.md", "x"),
        "## PART 7: Water\n\n- [ ] PART 7: Water\n\n",
        part(8, "tea/8.md"),
        part(9, "../tea/9.md"),
        part(10, "tea/1.md"),
        "# DISABLED PARTS\n\n",
        part(11, "tea/11.md"),
    ]
)


def test_what_nobody_claims_to_be_finished_is_filled() -> None:
    """Open, partial and unmarked PARTs whose page is not there; each other one has its reason."""
    found = selected(base({"plans/tea.md": EVERY_STATE}, ["tea/4.md", "tea/8.md"]))
    assert pages(found) == ["tea/1.md", "tea/2.md", "tea/3.md"]
    assert reasons(found) == {
        4: "done",
        5: "skipped",
        6: "marked done, but its page does not exist",
        7: "it names no page",
        8: "its page exists",
        9: "its page is outside the base or has the name of a generated page",
        10: "its page is that of PART 1 in plans/tea.md",
        11: "disabled",
    }


def test_redo_fills_what_is_there() -> None:
    """Done PARTs and those whose page exists too; what is skipped or switched off stays so."""
    found = selected(base({"plans/tea.md": EVERY_STATE}, ["tea/4.md", "tea/8.md"]), redo=True)
    assert pages(found) == ["tea/1.md", "tea/2.md", "tea/3.md", "tea/4.md", "tea/6.md", "tea/8.md"]
    assert set(reasons(found)) == {5, 7, 9, 10, 11}


def test_the_order_is_that_of_the_plans() -> None:
    """Plans by path, PARTs as they stand, whatever their numbers."""
    plans = {"plans/b.md": part(2, "b/2.md") + part(1, "b/1.md"), "plans/a.md": part(1, "a/1.md")}
    library = base({uri: plans[uri] for uri in sorted(plans)})
    assert pages(selected(library)) == ["a/1.md", "b/2.md", "b/1.md"]


def test_a_limit_counts_parts() -> None:
    """It counts those that are to be filled; the rest is told as left by the limit."""
    library = base({"plans/tea.md": part(1, "1.md", "✓") + part(2, "2.md") + part(3, "3.md") + part(4, "4.md")})
    found = selected(library, limit=2)
    assert pages(found) == ["2.md", "3.md"]
    assert reasons(found)[4] == "--limit 2"


def test_a_part_with_two_pages_gets_two_briefs() -> None:
    """One for each page that is missing; the pair counts once."""
    two = "## PART 1: Both\n\n- [ ] PART 1: Create tea/1.md and tea/2.md\n\n"
    found = selected(base({"plans/tea.md": two + part(2, "tea/3.md")}), limit=1)
    assert pages(found) == ["tea/1.md", "tea/2.md"]
    assert len({brief.drop for brief in found.briefs}) == 2
    assert pages(selected(base({"plans/tea.md": two}, ["tea/1.md"]))) == ["tea/2.md"]


def test_a_plan_and_a_number_choose() -> None:
    """A number chooses in each plan, or in the one that is named; one may repeat."""
    plans = {"plans/a.md": part(1, "a/1.md") + part(2, "a/2.md"), "plans/b.md": part(2, "b/2.md") + part(2, "b/3.md")}
    library = base(plans)
    assert pages(selected(library, part=2)) == ["a/2.md", "b/2.md", "b/3.md"]
    assert pages(selected(library, plan="a")) == ["a/1.md", "a/2.md"]
    assert pages(selected(library, plan="plans/a.md", part=2)) == ["a/2.md"]
    with pytest.raises(NotFoundError, match=r"no PART 3 in plans/a\.md"):
        selected(library, plan="a", part=3)
    with pytest.raises(NotFoundError, match="no PART 3 in any plan"):
        selected(library, part=3)


PLANS = base(
    {
        "plans/completed/old.md": part(1, "o.md"),
        "plans/docker/plan.md": part(1, "d.md"),
        "plans/x/tea.md": part(1, "t.md"),
        "plans/y/tea.md": part(1, "u.md"),
    }
)


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("plans/docker/plan.md", "plans/docker/plan.md"),
        ("./plans/docker/", "plans/docker/plan.md"),
        ("docker", "plans/docker/plan.md"),
        ("x/tea", "plans/x/tea.md"),
        ("old", "plans/completed/old.md"),
    ],
)
def test_a_plan_is_found_by_any_of_its_names(name: str, uri: str) -> None:
    """Its path, its slug (which does not tell that it is completed), its file's or folder's name."""
    assert find_plan(PLANS, name).uri == uri


def test_a_plan_that_is_not_found_is_told() -> None:
    """The message has those that come near, or all that it could be."""
    with pytest.raises(NotFoundError, match="there is no plan 'dokcer'; did you mean docker"):
        find_plan(PLANS, "dokcer")
    with pytest.raises(NotFoundError, match="there is no plan 'ocke'; did you mean docker"):
        find_plan(PLANS, "ocke")
    with pytest.raises(NotFoundError, match=r"'tea' is ambiguous \(plans/x/tea\.md or plans/y/tea\.md\)"):
        find_plan(PLANS, "tea")


def test_a_name_like_no_plan_is_answered_with_the_plans_that_there_are() -> None:
    """At most eight; without any plan, with the command that writes one."""
    with pytest.raises(NotFoundError, match="there is no plan 'nope'; the plans are: docker, old, x/tea, y/tea"):
        find_plan(PLANS, "nope")
    many = base({f"plans/{n}.md": part(1, f"{n}.md") for n in range(10)})
    with pytest.raises(NotFoundError, match=r"; the plans are: 0, 1, 2, 3, 4, 5, 6, 7 and 2 more \(planbook status\)"):
        find_plan(many, "nope")
    with pytest.raises(NotFoundError, match="; there are no plans; write one with `planbook new SUBJECT`"):
        find_plan(base({}), "nope")


def test_pages_of_a_part_are_found() -> None:
    """Of several PARTs of one number, those of one that is not disabled."""
    library = base({"plans/tea.md": "# DISABLED PARTS\n\n" + part(1, "old.md") + "# PARTS\n\n" + part(1, "new.md")})
    assert [entry.uri for entry in find_entries(library, library.plans[0], 1)] == ["new.md"]
    with pytest.raises(NotFoundError, match=r"no PART 2 in plans/tea\.md; its PARTs are 1 or 1"):
        find_entries(library, library.plans[0], 2)


@pytest.mark.parametrize(
    ("asked", "drop"),
    [
        ("Create KNOWLEDGE-DROP-water-2025-01-02.md", "KNOWLEDGE-DROP-water-2026-11-20"),
        ("Create KNOWLEDGE-DROP-water-<date>.md", "KNOWLEDGE-DROP-water-2026-11-20"),
        ("Create KNOWLEDGE-DROP-water-2025-01-02-[TIME].md", "KNOWLEDGE-DROP-water-2026-11-20"),
        ("Nothing said", "KNOWLEDGE-DROP-water-of-wells-2026-11-20"),
    ],
)
def test_a_drop_is_named(asked: str, drop: str) -> None:
    """Its name is that which the plan asks for with today's date, else that of the page; it lies beside the plan."""
    library = base({"plans/x/tea.md": part(1, "tea/01-water-of-wells.md", more=f"**Step 1: Report**\n- [ ] {asked}\n")})
    (brief,) = selected(library).briefs
    assert brief.drop == f"plans/x/{drop}.md"


def test_a_second_drop_of_a_day_has_the_time() -> None:
    """No report of an earlier attempt is overwritten."""
    plans = {"plans/tea.md": part(1, "tea/01-water.md")}
    first = "plans/KNOWLEDGE-DROP-water-2026-11-20.md"
    second = "plans/KNOWLEDGE-DROP-water-2026-11-20-0905.md"
    assert selected(base(plans, drops=[first])).briefs[0].drop == second
    third = "plans/KNOWLEDGE-DROP-water-2026-11-20-0905-2.md"
    assert selected(base(plans, drops=[first, second])).briefs[0].drop == third
