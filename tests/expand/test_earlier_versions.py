"""The working folder of a version before: what its run left unfinished is continued, or refused with what to do."""

from __future__ import annotations

import json
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from generator.expand.events import Message, PageRecorded
from generator.expand.worker import run_job
from generator.store import RefusedError
from tests.expand.base import Base, commits, done, git, make_repository, put
from tests.expand.stages import World

STATE = json.loads(Path(__file__).with_name("interrupted.json").read_text(encoding="utf-8"))
"""A killed run: PART 1 is recorded, PART 2 searched and fetched, the record of PART 3 is fixed and not written."""


@pytest.fixture
def base(tmp_path: Path) -> Base:
    """The base of that run, with its working folder."""
    plan = STATE["files"]["plans/tea.md"].replace("- [✓]", "- [ ]").replace(" (Completed 2026-11-20 09:05 UTC)", "")
    root = make_repository(tmp_path / "base", {"plans/tea.md": plan, "docs/index.md": "# Home\n"})
    put(root, {".planbook/.gitignore": "*\n", **STATE["files"]})
    with sqlite3.connect(root / ".planbook/ledger.sqlite") as database:
        database.executescript("\n".join(STATE["ledger"]))
    database.close()
    return Base(root)


def test_its_run_is_continued(base: Base) -> None:
    """Nothing is requested again, PART 3 gets the page that was fixed, and one commit holds all three."""
    there = World()
    outcome = base.run(partial(run_job, context=there.tools()))
    assert Message("continuing the interrupted run of 2026-11-20T09:05:00Z") in base.events
    assert Message("tea PART 3: finishing a record that an interrupted run began") in base.events
    assert [event.name for event in base.events if isinstance(event, PageRecorded)] == ["tea PART 3", "tea PART 2"]
    assert (there.asked, [result.job.brief.part.number for result in outcome.results]) == ({}, [2])
    assert base.names("docs/tea") == ["1.md", "2.md", "3.md"]
    assert base.text("plans/completed/tea.md").count("- [✓]") == 3
    assert commits(base.root) == ["Expand tea: 3 pages, 9 lines, 3 works cited"]
    assert git(base.root, "status", "--porcelain") == ""


@pytest.mark.parametrize("damage", ["{}", '{"value": {"plan": "tea"}, "texts": []}', None])
@pytest.mark.parametrize("standing", ["intended", "recorded"])
def test_a_record_that_cannot_be_read_is_refused(base: Base, standing: str, damage: str | None) -> None:
    """As one of a later version, or a damaged one: nothing is researched, and the message says how to go on."""
    with sqlite3.connect(base.root / ".planbook/ledger.sqlite") as database:
        (name,) = database.execute("SELECT record FROM parts WHERE standing = ?", (standing,)).fetchone()
    database.close()
    path = base.root / ".planbook" / name
    path.unlink() if damage is None else path.write_text(damage)
    with pytest.raises(RefusedError, match=r"delete \.planbook/ledger\.sqlite, and run the same command again$"):
        base.run(done)
    (base.root / ".planbook/ledger.sqlite").unlink()
    git(base.root, "add", "docs", "plans")
    git(base.root, "commit", "--quiet", "-m", "Keep what is there")
    base.run(done)
    assert base.names("docs/tea") == ["1.md", "2.md", "3.md"]


def test_the_ledger_of_a_later_version_is_refused(base: Base) -> None:
    """With what to delete."""
    with sqlite3.connect(base.root / ".planbook/ledger.sqlite") as database:
        database.execute("PRAGMA user_version = 3")
    database.close()
    with pytest.raises(RefusedError, match=r"of version 3, and this planbook writes version 2; delete \.planbook/"):
        base.run(done)
