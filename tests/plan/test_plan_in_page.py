"""Pages that read like a plan (K036)."""

from __future__ import annotations

import pytest

from planbook.plan.parse import find_plan_in_page


@pytest.mark.parametrize(
    ("text", "is_plan"),
    [
        ("# Mills\n\n## PART 1: Stones\n\n- [ ] PART 1: Create mills/stones.md\n", True),
        ("# Mills\n\n- PART 1: Create mills/stones.md\n- PART 2: Create mills/sieves.md\n", True),
        ("# Mills\n\n- [Part 1: Stones](1-stones.md) - how\n- [Part 2: Sieves](2-sieves.md) - why\n", False),
    ],
)
def test_links_to_parts_of_a_book_are_no_plan(text: str, is_plan: bool) -> None:
    """A list of links names files, and asks for none."""
    assert bool(find_plan_in_page(text.encode(), "mills/about.md", "docs")) is is_plan
