"""The ledger: each status of a PART, with a real database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.store.ledger import Ledger, LedgerError, PartStatus, StageRow

TEA = ("tea", 1, "tea/01-water.md")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger lies."""
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    """A new one."""
    with Ledger(path) as made:
        yield made


def test_a_part_is_taken_up_again(ledger: Ledger, path: Path) -> None:
    """By another run, with the brief that it was begun with, as long as plan and settings are the same."""
    first = ledger.take_part(ledger.begin_run("t1", 1, "here"), TEA, "same", "artifacts/a.json")
    with Ledger(path) as other:
        second = other.take_part(other.begin_run("t2", 2, "here"), TEA, "same", "artifacts/b.json")
        assert second == first
        third = other.take_part(other.begin_run("t3", 3, "here"), TEA, "changed", "artifacts/c.json")
    assert (third.id != first.id, third.brief) == (True, "artifacts/c.json")
    assert [part.id for part in ledger.parts(PartStatus.OPEN)] == [third.id]
    assert [part.id for part in ledger.parts(PartStatus.DROPPED)] == [first.id]


def test_stages_are_kept_by_attempt(ledger: Ledger, path: Path) -> None:
    """With their cost; what is done twice has the last value."""
    part = ledger.take_part(ledger.begin_run("t", 1, "here"), TEA, "x", "b").id
    ledger.begin_attempt(part, 1, "t1")
    ledger.end_stage(part, 1, "search", StageRow("artifacts/s.json", 3))
    ledger.end_stage(part, 1, "fetch", StageRow("artifacts/f.json", 9))
    ledger.end_stage(part, 1, "fetch", StageRow("artifacts/g.json", 8, 5))
    ledger.begin_attempt(part, 2, "t2")
    with Ledger(path) as other:
        assert dict(other.stages(part, 1)) == {
            "search": StageRow("artifacts/s.json", 3),
            "fetch": StageRow("artifacts/g.json", 8, 5),
        }
        assert dict(other.stages(part, 2)) == {}


def test_an_attempt_begins_once(ledger: Ledger) -> None:
    """Begun again, it has its first time and its failure."""
    part = ledger.take_part(ledger.begin_run("t", 1, "here"), TEA, "x", "b").id
    assert ledger.begin_attempt(part, 1, "t1") == ("t1", None)
    ledger.fail_attempt(part, 1, "no source")
    assert ledger.begin_attempt(part, 1, "t9") == ("t1", "no source")


def test_a_record_goes_its_way(ledger: Ledger) -> None:
    """Intended, recorded, settled; its files stay named until then."""
    part = ledger.take_part(ledger.begin_run("t", 1, "here"), TEA, "x", "b").id
    ledger.intend(part, "artifacts/r.json", ["docs/tea/01-water.md", "plans/tea.md"])
    assert [row.record for row in ledger.parts(PartStatus.INTENDED)] == ["artifacts/r.json"]
    ledger.recorded(part)
    ledger.claim(["SKILL.md", "plans/tea.md"])
    assert ledger.claimed() == ("SKILL.md", "docs/tea/01-water.md", "plans/tea.md")
    ledger.settle("commit abc")
    assert (ledger.parts(PartStatus.RECORDED), ledger.claimed()) == ((), ())
    assert [row.id for row in ledger.parts(PartStatus.SETTLED)] == [part]


def test_what_is_given_up_is_not_committed(ledger: Ledger) -> None:
    """Its files are someone else's; those of others stay named."""
    part = ledger.take_part(ledger.begin_run("t", 1, "here"), TEA, "x", "b").id
    ledger.intend(part, "r", ["docs/a.md", "plans/tea.md"])
    ledger.give_up(part, ["docs/a.md"])
    assert (ledger.claimed(), ledger.parts(PartStatus.INTENDED)) == (("plans/tea.md",), ())


def test_parts_come_in_order(ledger: Ledger) -> None:
    """In the order in which they were begun: that of the plan."""
    run = ledger.begin_run("t", 1, "here")
    made = [ledger.take_part(run, ("tea", n, f"{n}.md"), "x", "b").id for n in (3, 1, 2)]
    assert [part.id for part in ledger.parts(PartStatus.OPEN)] == made
    assert [part.number for part in ledger.parts(PartStatus.OPEN)] == [3, 1, 2]


def test_an_interrupted_run_is_known(ledger: Ledger) -> None:
    """It never told its end."""
    assert ledger.interrupted() is None
    run = ledger.begin_run("t1", 77, "here")
    assert ledger.interrupted() == "t1"
    ledger.end_run(run, "t2", "done")
    assert ledger.interrupted() is None


def test_each_step_is_on_the_disk(ledger: Ledger, path: Path) -> None:
    """WAL, and each commit synchronised."""
    ledger.begin_run("t", 1, "here")
    with sqlite3.connect(path) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert other.execute("SELECT count(*) FROM runs").fetchone() == (1,)
    other.close()
    assert ledger._database.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_change_is_whole_or_not_at_all(ledger: Ledger) -> None:
    """Where a step of it fails, nothing of it stays."""
    part = ledger.take_part(ledger.begin_run("t", 1, "here"), TEA, "x", "b").id
    with pytest.raises(sqlite3.Error):
        ledger.intend(part, "r", ["docs/a.md", object()])  # type: ignore[list-item]
    assert (ledger.claimed(), [row.id for row in ledger.parts(PartStatus.OPEN)]) == ((), [part])


def test_a_spoilt_ledger_is_told(path: Path) -> None:
    """With what to do about it."""
    path.write_bytes(b"no database, but long enough to be taken for one" * 40)
    with pytest.raises(LedgerError, match="delete it; unfinished PARTs start over"):
        Ledger(path)


def test_another_versions_ledger_is_told(path: Path) -> None:
    """It is not written to."""
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(LedgerError, match=r"version 99.*version 2"):
        Ledger(path)
