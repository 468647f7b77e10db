"""Why claims are not checked, and how many for each reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import planbook.research.audit.comparison as package
from planbook.cli import main
from planbook.research.audit.unchecked import PHRASES
from tests.files import put

SOURCE = """# Kettles

The owner of the tea house keeps the water in the kettle hot, and never boils it twice for the guests of a day.
"""
PAGE = """# Tea

The water of the tea house is kept hot by its owner in a kettle. ^[raw/tea.md]

The owner of the tea house keeps 42 guests in the kettle of the house. ^[raw/tea.md]

Green leaves of Utrecht survive furnaces of brick. ^[raw/tea.md]

It is all about the "rain that fell on a tin roof" of tea. ^[raw/tea.md]

The steam of the kettle is hot. ^[raw/steam.md]

The kettle has a lid that is hot (`src/kettle.py:90`).
"""
REASONS = {
    "in other words than the source": 1,
    "a word or figure is absent, and may be there in another form": 1,
    "no passage is similar": 1,
    "quoted words may not be the source's": 1,
    "a source could not be read": 1,
    "the cited lines do not exist": 1,
}


def test_what_is_not_checked_is_counted_by_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In JSON, in the terminal, and on the page."""
    put(tmp_path, {"raw/tea.md": SOURCE, "src/kettle.py": "def boil():\n    pass\n", "page.md": PAGE})
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--format", "json"])
    assert json.loads(done.stdout)["not_checked"] == REASONS
    shown = CliRunner().invoke(main, ["audit", "page.md", "--offline", "--page", "audit.md"]).stdout
    assert "not checked: 6 claims: 1 in other words than the source, 1 " in shown
    rows = "".join(f"| {reason} | {number} |\n" for reason, number in REASONS.items())
    table = (tmp_path / "audit.md").read_text().partition("## Not checked, by reason\n\n")[2]
    assert set(table.partition("\n\n")[0].splitlines()[2:]) == set(rows.splitlines())


def test_each_reason_is_one_that_an_audit_gives() -> None:
    """Its words are in the code that compares."""
    (folder,) = package.__path__
    code = " ".join(path.read_text() for path in sorted(Path(folder).glob("*.py")))
    assert [phrase for phrase, _ in PHRASES if phrase not in code] == []
