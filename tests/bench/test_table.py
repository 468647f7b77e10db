"""The benchmark runs what it says, and prints it beside its limits."""

from __future__ import annotations

import re

import pytest

from bench.table import Report, Row, tell

pytestmark = pytest.mark.nightly


def test_a_limit_that_is_exceeded_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """Medians are compared with the limit for the machine; one that is exceeded is remembered for the exit status."""
    rows = [
        Row("good", "good", "a", "plain", (0.3, 0.3)),
        Row("bad", "bad", "b", limits=(1.5, 1.5)),
        Row("free", "free", "b", "plain"),
    ]
    report = Report()
    tell(rows, {"a": [9, 1, 2], "b": [2], "plain": [10]}, report, has_limits=True)
    told = capsys.readouterr().out.splitlines()
    assert [line.endswith("EXCEEDED") for line in told] == [False, True, False]
    assert [float(re.findall(r" (\d+\.\d+)(?:s|   limit|$)", line)[0]) for line in told] == [0.2, 2.0, 0.2]
    assert report.is_exceeded
    tell(rows, {"a": [9, 1, 2], "b": [2], "plain": [10]}, Report(), has_limits=False)
    assert "limit" not in capsys.readouterr().out
