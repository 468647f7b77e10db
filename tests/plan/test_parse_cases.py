"""The parser on a table of short plans: what `planbook show --json` says of each.

A case in `cases/*.md` is, as in markdown-it's fixtures, a title, the plan, and what is expected of it, each
followed by a line that is a full stop. What is expected is YAML: it names some of the keys; a list has to match
from end to end, and so has an empty mapping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.plan.parse import parse
from generator.views.shown import shown_plan

CASES = Path(__file__).parent / "cases"


def read_cases(path: Path) -> Iterator[tuple[str, str, str]]:
    """Each case of the file: its title (what stands above is a remark), the plan, and what is expected."""
    blocks = re.split(r"^\.\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(blocks) % 3 == 1, f"{path}: every case needs three lines that are a full stop"
    assert not blocks.pop().strip(), f"{path}: something stands after the last case"
    for title, plan, expected in zip(blocks[::3], blocks[1::3], blocks[2::3], strict=True):
        yield title.strip().splitlines()[-1], plan, expected


def differences(got: Any, expected: Any, where: str = "") -> Iterator[str]:
    """Where `got` is not what is expected, a line for each place."""
    if isinstance(expected, dict) and expected and isinstance(got, dict):
        for key, value in expected.items():
            if key in got:
                yield from differences(got[key], value, f"{where}.{key}")
            else:
                yield f"{where}.{key} is missing, not {value!r}"
    elif isinstance(expected, list) and isinstance(got, list) and len(got) == len(expected):
        for index, (got_one, expected_one) in enumerate(zip(got, expected, strict=True)):
            yield from differences(got_one, expected_one, f"{where}[{index}]")
    elif got != expected:
        yield f"{where} is {got!r}, not {expected!r}"


ALL_CASES = [
    pytest.param(plan, expected, id=f"{path.stem}: {title}")
    for path in sorted(CASES.glob("*.md"))
    for title, plan, expected in read_cases(path)
]


@pytest.mark.parametrize(("plan", "expected"), ALL_CASES)
def test_a_case(plan: str, expected: str) -> None:
    """A plan is shown as the case says."""
    shown = shown_plan(*parse(plan, "plans/case.md"))
    assert list(differences(shown, yaml.safe_load(expected))) == []


def test_titles_are_unique() -> None:
    """No two cases have the same title in the same file."""
    ids = [str(case.id) for case in ALL_CASES]
    assert sorted(set(ids)) == sorted(ids)


@pytest.mark.parametrize(
    ("got", "expected", "count"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, 0),
        ({"a": 1}, {"a": 2}, 1),
        ({}, {"a": 1}, 1),
        ({"a": 1}, {}, 1),
        ([1, 2], [1], 1),
        ([{"a": 1}], [{"a": 2}], 1),
        (None, {"a": 1}, 1),
        ({"a": None}, {"a": None}, 0),
    ],
)
def test_differences(got: Any, expected: Any, count: int) -> None:
    """The comparison sees what differs, and passes over keys that are not named."""
    assert len(list(differences(got, expected))) == count
