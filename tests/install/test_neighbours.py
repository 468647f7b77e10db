"""The Guide's table of neighbours is written from the lines of runs."""

from __future__ import annotations

from tests.install.neighbours.projects import ALONE, NEIGHBOURS
from tests.install.neighbours.table import IMPOSSIBLE, Line, about

LINE = Line("minify", "2026-11-28", "3.13.0", {"mkdocs-minify-plugin": "0.8.0", "mkdocs": "1.6.1"}, True, {"speed": []})


def test_a_line_is_a_row() -> None:
    """What was not run is said, and so is what differs."""
    assert Line.read(LINE.as_json()) == LINE
    same = ["minify", "0.8.0", "same, rebuilt", "not run", "not run", "not run", ""]
    assert LINE.cells() == same
    stale = Line("minify", "2026-11-29", "3.13.0", LINE.versions, False, {"both": ["page: a/index.html"], "serve": []})
    assert LINE.with_later(stale).cells()[2:] == [
        "same, rebuilt",
        "not run",
        "not together",
        "same",
        "both: page: a/index.html",
    ]


def test_a_plugin_that_cannot_be_installed() -> None:
    """It is together with neither of our plugins."""
    line = Line("x", "2026-11-28", "3.13.0", {}, False, {IMPOSSIBLE: ["needs another Material"]})
    assert line.cells()[2:] == ["not together"] * 4 + ["needs another Material"]


def test_versions_and_days_stand_above_the_table() -> None:
    """Those of all runs."""
    later = Line("x", "2026-11-29", "3.13.0", {"mkdocs": "1.6.1", "mkdocs-material": "9.8.2"}, False, {})
    assert about([LINE, later]) == "Run on 2026-11-28 and 2026-11-29 with Python 3.13.0, MkDocs 1.6.1, Material 9.8.2."


def test_the_matrix_has_what_its_page_says() -> None:
    """Hooks of six kinds, six usual combinations of plugins, and five rows on ProperDocs."""
    others = [name for name in NEIGHBOURS if name not in ALONE]
    hooks = [name for name in others if name.startswith("hook: ")]
    on_properdocs = [name for name in others if NEIGHBOURS[name].engine == "properdocs"]
    combinations = {*others} - {*hooks} - {*on_properdocs}
    assert (len(hooks), len(on_properdocs), len(combinations)) == (6, 5, 6)
    assert all(len(NEIGHBOURS[name].plugins) > 2 for name in combinations)
