"""Times of completion in status lines."""

from __future__ import annotations

import pytest

from planbook.plan.timestamps import read_timestamp


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("Completed 2026-11-20 14:05 UTC", "2026-11-20 14:05 UTC"),
        ("Done: Nov 20, 2026 at 2:05 PM", "Nov 20, 2026 2:05 PM"),
        ("finished 20.11.2026 - 14:05", "20.11.2026 14:05"),
        ("Completed 2026-11-20T14:05:00Z", "2026-11-20T14:05:00Z"),
        ("written on the 20th of November 2026", "20th of November 2026"),
    ],
)
def test_a_time_counts_behind_a_word_for_completion(line: str, time: str) -> None:
    """It is as written: date, time and time zone, without the words between them."""
    assert read_timestamp(line, is_done=False) == time


def test_a_bare_date_counts_in_a_line_that_is_done() -> None:
    """Elsewhere it may be any date."""
    assert read_timestamp("PART 1 (2026-11-20)", is_done=True) == "2026-11-20"
    assert read_timestamp("PART 1 (2026-11-20)", is_done=False) is None


def test_a_date_in_the_name_of_a_file_does_not_count() -> None:
    """The drop of a PART has one in its name."""
    assert read_timestamp("Completed: KNOWLEDGE-DROP-rye-2026-11-20.md", is_done=True) is None
