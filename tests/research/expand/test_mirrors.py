"""A page that is filled from a local mirror, without a network: every quote is pinned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from planbook.cli import main
from tests.repositories import make_repository

STEEP = """\
=============
Steeping teas
=============

Green tea
=========

Green tea is steeped for two minutes in water of eighty degrees, since hotter water makes it bitter.
The second infusion of green tea takes half as long as the first infusion did.

Black tea
=========

Black tea is steeped for four minutes in boiling water, as only that draws out the whole aroma.
This is how the timer for black tea is set:

.. code-block:: python

   timer.start(minutes=4)
   timer.on_end(kettle.beep)
"""
PLAN = """\
# Plan: Tea

## PART 1: Create tea/01-steeping.md (120 lines)

- [ ] **PART 1**
- [ ] Search: "steeping green tea black tea minutes"

### Section 1: Green tea (40 lines)
- How long green tea is steeped

### Section 2: Black tea (40 lines)
- How long black tea is steeped in boiling water
"""


def test_every_quote_of_a_page_from_a_mirror_is_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked; what the page quotes stands at the commit, at the lines that the page names."""
    commit = make_repository(tmp_path / "brew").commit({"docs/steep.rst": STEEP, "src/kettle.py": "BEEP = 1\n"})
    root = tmp_path / "base"
    (root / "docs").mkdir(parents=True)
    (root / "plans").mkdir()
    (root / "plans/tea.md").write_text(PLAN)
    search = {"providers": ["repositories"], "repositories": {"leaf/brew": "../brew"}}
    options = {"site_name": "Tea", "plugins": [{"planbook": {"expand": {"search": search}}}]}
    (root / "mkdocs.yml").write_text(yaml.safe_dump(options))
    monkeypatch.chdir(root)
    done = CliRunner().invoke(main, ["expand", "--no-commit"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (log,) = (root / ".planbook/logs").iterdir()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["host"] for line in lines if line["event"] == "HostRequest"] == ["mirror of leaf/brew"]
    text = (root / "docs/tea/01-steeping.md").read_text()
    (work,) = yaml.safe_load(text.split("---\n")[1])["references"]
    assert work["URL"] == f"https://github.com/leaf/brew/blob/{commit}/docs/steep.rst"
    custom = work["custom"]
    assert (custom["repository"], custom["path"], custom["commit"]) == ("leaf/brew", "docs/steep.rst", commit)
    lines = STEEP.split("\n")
    for key, quote in custom["quotes"].items():
        first, last = custom["lines"][key]
        assert " ".join(quote.split()) in " ".join(" ".join(lines[first - 1 : last]).split())
    assert "under “Green tea”, lines 8 to 9" in text
    checked = CliRunner().invoke(main, ["verify", "--offline", "--format=json"], catch_exceptions=False)
    (report,) = json.loads(checked.stdout)["pages"]["tea/01-steeping.md"]["references"]
    assert report["well"]
    assert "at those lines of that file at that commit of 2026-10-02" in report["pinned"]["statement"]
