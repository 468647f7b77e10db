"""The size of the code stays below its limits."""

from __future__ import annotations

import pytest

from bench.size import LIMITS, code_lines, measure


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("", 0),
        ('"""About."""\n\n# Comment\n\nx = 1  # comment\n', 1),
        ('class A:\n    """About\n\n    it."""\n\n    y = (\n        1,\n    )\n    """An attribute."""\n', 4),
        ('def f() -> str:\n    """About."""\n    return """a\nb"""\n', 3),
    ],
)
def test_lines_of_code(source: str, lines: int) -> None:
    """Blank lines, comments and docstrings do not count."""
    assert code_lines(source) == lines


def test_size_is_below_its_limit() -> None:
    """Removing code makes room for new code. When a figure falls, lower its limit."""
    measured = measure()
    assert {name: count for name, count in measured.items() if not 0 < count <= LIMITS[name]} == {}
