"""The mark of a PART, which depends on what became of each of its pages."""

from __future__ import annotations

import pytest

from planbook.model import State
from planbook.research.recording.record import mark_of_part
from planbook.research.recording.verdicts import PageOutcome, PageVerdict

DONE, PARTIAL, HELD, FAILED = PageOutcome.DONE, PageOutcome.PARTIAL, PageOutcome.HELD, PageOutcome.FAILED


@pytest.mark.parametrize(
    ("outcomes", "had_pages", "mark"),
    [
        ((DONE,), False, State.DONE),
        ((DONE, DONE), True, State.DONE),
        ((PARTIAL, DONE), False, State.PARTIAL),
        ((DONE, PARTIAL), False, State.PARTIAL),
        ((DONE, FAILED), False, State.PARTIAL),
        ((DONE, FAILED), True, None),
        ((HELD, DONE), True, None),
        ((HELD, FAILED), False, None),
    ],
)
def test_a_part_is_done_if_all_of_its_pages_are(
    outcomes: tuple[PageOutcome, ...], mark: State | None, *, had_pages: bool
) -> None:
    """One partial page makes it partial; it keeps its mark with a page of a person, and with older pages."""
    assert mark_of_part([PageVerdict(outcome) for outcome in outcomes], had_pages=had_pages) is mark
