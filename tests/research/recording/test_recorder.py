"""The recorder: what it writes, commits and leaves alone, record by record, in a real repository."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from planbook.library import Library
from planbook.model import State
from planbook.research.journal import Journal
from planbook.research.recording.clock import Clock
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.events import Event
from planbook.research.recording.file_digests import file_sha256
from planbook.research.recording.record import Record
from planbook.research.recording.recorder import Recorder, RunSummary, open_recorder
from planbook.store import read_settings
from planbook.store.files import RefusedError
from tests.files import git, put
from tests.research.expand.base import NOW, STAMP, commits, files_of, make_repository, no_index, part, plan

PAGE, DROP, PLAN = "docs/tea/01.md", "plans/KNOWLEDGE-DROP-tea-1-2026-11-20.md", "plans/tea.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A base with two open PARTs."""
    return make_repository(tmp_path / "base", {PLAN: plan(part(1), part(2)), "docs/index.md": "# Tea\n"})


@contextmanager
def recorder(
    root: Path,
    events: list[Event] | None = None,
    index_files: Callable[[Library], Mapping[str, str]] = no_index,
    *,
    commit: bool = True,
) -> Iterator[Recorder]:
    """The recorder of a run."""
    watch = (lambda event: None) if events is None else events.append
    config = RecordingConfig(
        read_settings(root), index_files, "planbook expand", commit=commit, watch=watch, clock=Clock(NOW)
    )
    with open_recorder(config) as opened:
        yield opened


def record(root: Path, content: str | None = "# Page\n", **fields: object) -> Record:
    """The record of PART 1, of the page as it is now."""
    usual: dict[str, object] = {"before": file_sha256(root / PAGE), "mark": State.DONE, **fields}
    return Record("tea", 1, ("tea/01.md",), "tea/01.md", DROP, "# A report\n", STAMP, content, **usual)  # type: ignore[arg-type]


def run(
    root: Path, events: list[Event] | None = None, content: str | None = "# Page\n", **fields: object
) -> RunSummary:
    """A run with one record."""
    with recorder(root, events) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        opened.write_record(record(root, content, **fields), of_part)
        return opened.finish()


def test_one_record_is_page_drop_and_mark_in_one_commit(root: Path) -> None:
    """The commit has nothing else."""
    summary = run(root)
    assert (summary.troubles, len(summary.records), len(commits(root))) == ((), 1, 1)
    assert files_of(root) == [f"A {PAGE}", f"A {DROP}", f"M {PLAN}"]
    assert "[✓] PART 1" in (root / PLAN).read_text()


def test_without_records_nothing_is_committed(root: Path) -> None:
    """A run that was refused all pages leaves the history as it is."""
    with recorder(root) as opened:
        opened.begin_run(STAMP)
        assert opened.finish().commit is None
    assert commits(root) == []


def test_a_record_without_a_page_is_a_report(root: Path) -> None:
    """The PART keeps its mark if there is none to set."""
    assert run(root, content=None, mark=None, reason="no source could be read").troubles == ()
    assert files_of(root) == [f"A {DROP}"]


def test_a_page_that_somebody_has_changed_meanwhile_is_kept(root: Path) -> None:
    """Ours lies in the working folder; neither drop nor mark says that the page is there."""
    with recorder(root) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        ours = record(root)
        put(root, {PAGE: "# Theirs\n"})
        opened.write_record(ours, of_part)
        (trouble,) = opened.finish().troubles
    assert f"{PAGE} was changed during the run and is kept; our version is .planbook/held/{PAGE}" in trouble
    assert (root / PAGE).read_text() == "# Theirs\n"
    assert (root / ".planbook/held" / PAGE).read_text() == "# Page\n"
    assert not (root / DROP).exists()
    assert "[ ] PART 1" in (root / PLAN).read_text()


def test_a_part_of_which_a_page_is_refused_is_not_marked(root: Path) -> None:
    """Its last page and the report of it are written; the mark would speak of the first one, too."""
    last, report = "docs/tea/02.md", "plans/KNOWLEDGE-DROP-02.md"
    with recorder(root) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        first = record(root, mark=None)
        put(root, {PAGE: "# Theirs\n"})
        opened.write_record(first, of_part)
        opened.write_record(replace(record(root, before=None), page="tea/02.md", drop=report), of_part)
        (trouble,) = opened.finish().troubles
    assert PAGE in trouble
    assert (root / last).is_file()
    assert (root / report).is_file()
    assert "[ ] PART 1" in (root / PLAN).read_text()


def test_a_part_whose_report_is_refused_is_not_marked(root: Path) -> None:
    """No mark says that a report is there which is not: ours lies beside another program's."""
    events: list[Event] = []
    with recorder(root, events) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        ours = record(root)
        put(root, {DROP: "# Theirs\n"})
        opened.write_record(ours, of_part)
        trouble, left_out = opened.finish().troubles
    assert f"{DROP}: changed by another program during the run" in left_out
    assert f"tea PART 1: {DROP} was changed during the run and is kept; our version is .planbook/held/{DROP}" in trouble
    assert (root / DROP).read_text() == "# Theirs\n"
    assert (root / PAGE).read_text() == "# Page\n"
    assert "[ ] PART 1" in (root / PLAN).read_text()
    assert [event.message for event in events if event.name == "PageRecorded"] == [trouble.partition(": ")[2]]


def test_a_page_of_a_person_is_kept_and_its_report_written(root: Path) -> None:
    """A record that is held has ours beside theirs, from the beginning."""
    put(root, {PAGE: "# Theirs\n"})
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "Write by hand")
    (trouble,) = run(root, is_held=True, mark=None).troubles
    assert "was changed since it was made, and is kept" in trouble
    assert (root / PAGE).read_text() == "# Theirs\n"
    assert files_of(root) == [f"A {DROP}"]


def test_a_page_behind_a_link_out_of_the_documentation_is_refused(root: Path, tmp_path: Path) -> None:
    """Nothing is written there, nor is anything of the record."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "docs/tea").symlink_to(outside)
    (trouble,) = run(root).troubles
    assert "behind a link that points outside docs/" in trouble
    assert list(outside.iterdir()) == []
    assert not (root / DROP).exists()


@pytest.mark.parametrize("state", ["DISABLED", "SKIPPED"])
def test_a_part_that_its_author_has_taken_out_keeps_its_mark(root: Path, state: str) -> None:
    """It was decided while the run was at work: the page is written, and the plan stays."""
    with recorder(root) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        changed = (root / PLAN).read_text().replace("- [ ] PART 1: Create tea/01.md", f"- [ ] PART 1 ({state})")
        put(root, {PLAN: changed.replace("## PART 1: Create tea/01.md", f"## PART 1: Create tea/01.md ({state})")})
        before = (root / PLAN).read_text()
        opened.write_record(record(root), of_part)
        opened.finish()
    assert (root / PAGE).exists()
    assert (root / PLAN).read_text() == before


def test_a_plan_that_somebody_has_changed_is_marked_and_not_committed(root: Path) -> None:
    """What another program wrote into it is for its author to commit."""
    with recorder(root) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        put(root, {PLAN: f"{(root / PLAN).read_text()}\nA note.\n"})
        opened.write_record(record(root), of_part)
        (trouble,) = opened.finish().troubles
    assert f"{PLAN}: changed by another program during the run, and left out of the commit" in trouble
    assert files_of(root) == [f"A {PAGE}", f"A {DROP}"]
    assert "[✓] PART 1" in (root / PLAN).read_text()


def test_a_plan_that_changes_while_a_page_is_written_is_not_committed(root: Path) -> None:
    """Its change is another program's, also between the look at it and its mark."""
    wanted = [DROP]

    def edit_plan(event: str, details: tuple[object, ...]) -> None:
        """Change the plan when the report is put at its place, once."""
        if wanted and event == "os.rename" and str(details[1]).endswith(wanted[0]):
            wanted.clear()
            (root / PLAN).write_text(f"{(root / PLAN).read_text()}\nTheirs.\n")

    with recorder(root) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        sys.addaudithook(edit_plan)  # it stays, and does nothing from then on
        opened.write_record(record(root), of_part)
        (trouble,) = opened.finish().troubles
    assert f"{PLAN}: changed by another program" in trouble
    assert PLAN not in " ".join(files_of(root))


def test_a_killed_run_is_completed_by_the_next(root: Path) -> None:
    """The journal has the record before anything is written; the plan may have been moved since."""
    journal = Journal(root)
    journal.begin_run(STAMP)
    journal.begin_record(msgspec.to_builtins(record(root)), (PAGE, DROP, PLAN))
    git(root, "mv", PLAN, "plans/2026-11-20-tea.md")
    git(root, "commit", "--quiet", "-m", "Move the plan")
    events: list[Event] = []
    with recorder(root, events) as next_run:
        assert next_run.started == STAMP
        summary = next_run.finish()
    assert any("finishing a record that a killed run began" in event.message for event in events)
    assert (root / PAGE).read_text() == "# Page\n"
    assert len(summary.records) == 1


def test_the_event_of_a_record_says_why_a_part_is_partial(root: Path) -> None:
    """For whoever watches the run, as text and as data."""
    events: list[Event] = []
    run(root, events, mark=State.PARTIAL, reason="1 of 2 points answered")
    (recorded,) = [event for event in events if event.name == "PageRecorded"]
    assert recorded.message == "tea/01.md is written, and its PART is partial: 1 of 2 points answered"
    assert recorded.details == {"is_written": True, "reason": "1 of 2 points answered"}


def test_index_files_are_in_the_commit_of_their_pages(root: Path) -> None:
    """Made of the base as it is after the last record."""

    def index(library: Library) -> Mapping[str, str]:
        return {"docs/INDEX.md": "".join(f"- {page.uri}\n" for page in library.pages)}

    with recorder(root, index_files=index) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        opened.write_record(record(root), of_part)
        opened.finish()
    assert "A docs/INDEX.md" in files_of(root)
    assert "- tea/01.md" in (root / "docs/INDEX.md").read_text()


def test_without_a_commit_the_files_are_written(root: Path) -> None:
    """`--no-commit`: the run says nothing of git."""
    with recorder(root, commit=False) as opened:
        opened.begin_run(STAMP)
        (of_part,) = opened.read().plans
        opened.write_record(record(root), of_part)
        assert opened.finish().commit is None
    assert (root / PAGE).exists()
    assert commits(root) == []


def test_two_recorders_do_not_write_at_once(root: Path) -> None:
    """The second is refused while the first has the project's lock."""
    with recorder(root), pytest.raises(RefusedError), recorder(root):
        pass
