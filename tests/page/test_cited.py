"""The works that a page cites in its prose: real pages read by hand, a table of short ones, and laws.

The cases are in `cases/citations/*.md`; `tests.cases` reads and compares them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.model import Reference
from generator.page.cited import find_references
from tests.cases import differences, read_cases

CASES = Path(__file__).parent / "cases" / "citations"
URI = "bread/10-rye.md"


def shown(reference: Reference) -> dict[str, Any]:
    """The reference as `planbook cite --json` names its fields."""
    return {
        "id": reference.id,
        "URL": reference.url,
        "title": reference.title,
        "accessed": reference.accessed,
        "lines": list(reference.lines),
    }


ALL_CASES = [
    pytest.param(text, expected, id=f"{path.stem}: {title}")
    for path in sorted(CASES.glob("*.md"))
    for title, text, expected in read_cases(path)
]


@pytest.mark.parametrize(("text", "expected"), ALL_CASES)
def test_a_case(text: str, expected: str) -> None:
    """A page's references are those of the case, no more and no fewer."""
    references, problems = find_references(text, URI)
    assert list(differences([shown(reference) for reference in references], yaml.safe_load(expected))) == []
    assert problems == ()


def test_titles_of_cases_are_unique() -> None:
    """No two cases have the same title in the same file."""
    ids = [str(case.id) for case in ALL_CASES]
    assert sorted(set(ids)) == sorted(ids)
