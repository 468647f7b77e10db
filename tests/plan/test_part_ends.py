"""The end of a PART: where the next one begins, or at a heading as high as its own."""

import pytest

from planbook.markdown.plan_blocks import read_plan_blocks
from planbook.plan.part_ends import end_of_part

PART = "## PART 1: Create tea/01-water.md"


@pytest.mark.parametrize(
    ("heading", "is_last", "ends"),
    [
        ("### Outline", True, False),
        ("## Section 2: Hardness", True, False),
        ("## PART 1 COMPLETE", True, False),
        ("## Sources to read", False, False),
        ("## Sources to read", True, True),
        ("## Sources to read later", False, False),
        ("## Appendix", False, True),
        ("# Appendix", False, True),
    ],
)
def test_a_heading_as_high_ends_a_part_but_for_its_own_topics(heading: str, *, is_last: bool, ends: bool) -> None:
    """Topics of a page are of the PART above them; behind the last PART they are the plan's tail."""
    blocks = read_plan_blocks(f"{PART}\n\nText.\n\n{heading}\n\nMore.\n")
    assert end_of_part(blocks, 0, 1, len(blocks), is_last=is_last) == (2 if ends else 4)


def test_any_heading_ends_a_part_that_no_heading_names() -> None:
    """A paragraph or an item has no level of its own."""
    blocks = read_plan_blocks("**PART 1: Create tea/01-water.md**\n\nText.\n\n##### Appendix\n")
    assert end_of_part(blocks, 0, 1, len(blocks)) == 2


def test_a_part_ends_where_the_next_one_begins() -> None:
    """It ends there even if no heading stands between them."""
    blocks = read_plan_blocks(f"{PART}\n\nText.\n\nMore.\n")
    assert end_of_part(blocks, 0, 1, 2) == 2
