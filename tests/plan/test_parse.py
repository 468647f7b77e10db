"""The parser on a table of short plans: what `planbook show --format=json` says of each.

The cases are in `cases/*.md`; `tests.cases` reads and compares them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from planbook.plan.as_json import plan_to_json
from planbook.plan.parse import parse
from tests.cases import differences, read_cases

CASES = Path(__file__).parent / "cases"


ALL_CASES = [
    pytest.param(plan, expected, id=f"{path.stem}: {title}")
    for path in sorted(CASES.glob("*.md"))
    for title, plan, expected in read_cases(path)
]


@pytest.mark.parametrize(("plan", "expected"), ALL_CASES)
def test_a_case(plan: str, expected: str) -> None:
    """A plan is shown as the case says."""
    shown = plan_to_json(*parse(plan, "plans/case.md"))
    assert list(differences(shown, yaml.safe_load(expected))) == []
