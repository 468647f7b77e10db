"""The journal of a run: what it holds after each line, and after a line that was half written."""

from __future__ import annotations

from pathlib import Path

import pytest

from planbook.research.journal import Journal, JournalEntry
from planbook.store import RefusedError

FILE = ".planbook/journal.jsonl"


def test_a_journal_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Records with their ends, and paths once each; those of a record that was given up are not committed."""
    journal = Journal(tmp_path)
    journal.begin_run("2026-11-20T09:05:00Z")
    journal.begin_record({"page": "a.md"}, ["docs/a.md"])
    journal.end_record(is_complete=True)
    journal.begin_record({"page": "b.md"}, ["docs/b.md", "plans/tea.md"])
    journal.end_record(is_complete=False)
    journal.add_paths(["docs/INDEX.md", "docs/a.md"])
    journal.begin_record({"page": "c.md"}, ["docs/c.md"])
    again = Journal(tmp_path)
    assert (
        again.entries
        == journal.entries
        == [
            JournalEntry({"page": "a.md"}, ("docs/a.md",), is_complete=True),
            JournalEntry({"page": "b.md"}, ("docs/b.md", "plans/tea.md"), is_complete=False),
            JournalEntry({"page": "c.md"}, ("docs/c.md",)),
        ]
    )
    assert (again.started, again.paths) == ("2026-11-20T09:05:00Z", ("docs/a.md", "docs/c.md", "docs/INDEX.md"))


def test_half_a_line_is_cut_off(tmp_path: Path) -> None:
    """Nothing was done for it yet; the next line stands by itself."""
    journal = Journal(tmp_path)
    journal.begin_run("2026-11-20T09:05:00Z")
    journal.add_paths(["docs/INDEX.md"])
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"record": {"page": "a.m')
    Journal(tmp_path).add_paths(["SKILL.md"])
    again = Journal(tmp_path)
    assert (again.entries, again.paths) == ([], ("docs/INDEX.md", "SKILL.md"))


@pytest.mark.parametrize("line", ["no\n", "[]\n", '{"other": 1}\n', '{"written": true}\n'])
def test_a_damaged_journal_is_refused(tmp_path: Path, line: str) -> None:
    """The message names the file and what to do."""
    (tmp_path / ".planbook").mkdir()
    (tmp_path / FILE).write_text(line)
    with pytest.raises(RefusedError, match=r"/journal\.jsonl cannot be read .+; commit or undo .+ delete this"):
        Journal(tmp_path)


@pytest.mark.parametrize(("is_continued", "started"), [(True, "2026-11-20T09:05:00Z"), (False, "")])
def test_a_settled_journal(tmp_path: Path, is_continued: bool, started: str) -> None:
    """It forgets all but the start of a run that goes on."""
    journal = Journal(tmp_path)
    journal.begin_run("2026-11-20T09:05:00Z")
    journal.begin_record({}, ["a"])
    journal.settle(is_continued=is_continued)
    again = Journal(tmp_path)
    assert (again.started, again.entries, again.paths) == (started, [], ())
    assert (tmp_path / FILE).exists() is is_continued
