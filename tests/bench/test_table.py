"""The benchmark runs what it says, and prints it beside its limits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mkdocs.utils.yaml import yaml_load

from bench.__main__ import main
from bench.builds import Bench
from bench.table import ROWS, Report, Row, tell

pytestmark = pytest.mark.nightly


def test_plain_is_plain(tmp_path: Path) -> None:
    """Neither of our plugins is in what we compare with; planbook-speed alone is without `planbook`."""
    Bench.made(tmp_path, 2, 1)
    plugins = {path.stem: yaml_load(path.read_text("utf-8"))["plugins"] for path in tmp_path.glob("*.yml")}
    assert plugins["plain"] == plugins["zensical"] == ["search", "tags"]
    assert plugins["alone"] == [*plugins["plain"], "planbook-speed"]
    assert plugins["whole"] == [*plugins["plain"], "planbook", "planbook-speed"]
    assert plugins["mkdocs"] == plugins["whole"]


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


def test_rows_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    """Only what the chosen rows need is measured: builds, saves of a page and of a plan, and a command."""
    rows = ["unchanged", "saved", "mark", "status"]
    main(["--quick", "--pages", "3", "--of-commands", "3", "--plain", "10", "--rows", *rows])
    told = capsys.readouterr().out
    for row in ROWS:
        assert (row.what in told) == (row.name in rows)
    assert float(re.findall(r"unchanged / plain \((\d+\.\d+) s / 10.00 s\)", told)[0]) > 0
    assert [line.split()[:2] for line in told.splitlines() if line.endswith("MiB")] == [
        ["whole", "cold"],
        ["whole", "unchanged"],
    ]
