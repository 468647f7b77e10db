"""Numbers of a claim that an audit takes for figures, and those that it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from planbook.cli import main
from tests.files import put

SOURCE = """# Tea

The kettle of the tea room holds the heat for an hour, with count: 41 in its log.

The paper on kettles (Tea '24) was read on 2026-06-09 by all.
"""
QUOTE = '"The kettle of the tea room holds the heat"'

FIGURES = {
    "behind a colon": (f"The manual says {QUOTE} (count: 43).", "not found"),
    "behind a dash": (f"The manual says {QUOTE} – 43 of them.", "not found"),
    "the same behind a colon": (f"The manual says {QUOTE} (count: 41).", "found verbatim"),
    "a line": (f"The manual says {QUOTE} (tea.md: 43).", "found verbatim"),
    "a line in words": (f"The manual says {QUOTE} (line: 43).", "found verbatim"),
    "a time": (f"The manual says {QUOTE} (at 12:43).", "found verbatim"),
    "a range": (f"The manual says {QUOTE} (2018 – 19).", "not found"),
    "a day of a month": (f"The manual says {QUOTE} (Jun 10).", "found verbatim"),
    "days of a month": (f"The manual says {QUOTE} (read Jun 16-17).", "found verbatim"),
    "a day before the month": (f"The manual says {QUOTE} on 10 June.", "found verbatim"),
    "a year in two digits": (f"The manual says {QUOTE} at Tea 2024.", "found verbatim"),
    "another year": (f"The manual says {QUOTE} at Tea 2023.", "not found"),
}


@pytest.mark.parametrize(("claim", "verdict"), FIGURES.values(), ids=FIGURES)
def test_a_number_is_a_figure_unless_it_names_a_place_or_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """Lines of a file, times and days count nothing; what stands behind a colon or a dash does."""
    put(tmp_path, {"raw/tea.md": SOURCE, "page.md": f"# Tea\n\n{claim} ^[raw/tea.md]\n"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == verdict, found["reason"]


DERIVED = {
    "a ratio as a percentage": ("The score rose from 36.81 to 48.34 (+31%).", "not judged"),
    "another percentage": ("The score rose from 36.81 to 48.34 (+44%).", "not found"),
    "a ratio": ("The score of 36.81 became 48.34, or 1.31 times.", "not judged"),
    "miles": ("The score has winds of 175 km/h (109 mph).", "not judged"),
    "degrees": ("The score of the soil is 30 °C (86 °F).", "not judged"),
    "an approximation": ("The score costs 48.34 rupees (approximately $12,000).", "not judged"),
    "another amount": ("The score costs 48.34 rupees ($12,000).", "not found"),
    "the year of a date": ("The score was set on August 26, 2023.", "not judged"),
    "the year of another date": ("The score was set on August 27, 2023.", "not found"),
}


@pytest.mark.parametrize(("claim", "verdict"), DERIVED.values(), ids=DERIVED)
def test_a_figure_may_follow_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, verdict: str
) -> None:
    """A ratio, another unit, an approximation in brackets, or the year of a day that the source has."""
    source = "# Scores\n\nThe score rose from 36.81 to 48.34, with winds of 175 km/h, on August 26, at 30 degrees.\n"
    put(tmp_path, {"raw/tea.md": source, "page.md": f"# Tea\n\n{claim} ^[raw/tea.md]\n"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    (found,) = json.loads(done.stdout)["claims"]
    assert found["verdict"] == verdict, found["reason"]


def test_a_row_of_many_figures_is_that_which_has_one_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another row of the same name, with other figures, says something else."""
    head = "| Leaf | Cups | Pots | Rooms |\n| --- | --- | --- | --- |\n"
    put(tmp_path, {"raw/tea.md": f"# Tea\n\n{head}| Green leaves of tea | 445 | 63.3 | 0.98 |\n"})
    rows = "| Green leaves of tea | 343 | 25.0 | 1.92 |\n| Green leaves of tea | 343 | 63.3 | 0.98 |\n"
    put(tmp_path, {"page.md": f"---\nsources: [raw/tea.md]\n---\n# Tea\n\n{head}{rows}"})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    first, second = json.loads(done.stdout)["claims"]
    assert first["verdict"] == "not judged", first["reason"]
    assert second["verdict"] in {"figures differ", "not found"}, second["reason"]
