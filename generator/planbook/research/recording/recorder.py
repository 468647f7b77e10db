"""The recorder, the single writer of a run: one PART is one unit, and a run ends with one commit.

::

    open_recorder   lock, git, journal; complete the record that a killed run began
        write_record  note the record in the journal, then write page, drop and mark
        finish        write INDEX.md and SKILL.md, commit, clear the journal

Every step can be repeated, so a run completes what a killed one began. A page or a report that
another program changes during the run is neither overwritten nor committed; a plan is still marked,
and left out of the commit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

import msgspec

from planbook import store
from planbook.library import Library, link_tree
from planbook.model import EXCLUDED_STATES, Part, Plan, State
from planbook.plan.mark import mark
from planbook.plan.parse import parse_bytes
from planbook.research import drafts
from planbook.research.git import Git, GitError, NoGit, check_working_folder, find_git
from planbook.research.journal import Journal, lock_project
from planbook.research.recording.commit_message import commit_message
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.events import Event
from planbook.research.recording.file_digests import file_sha256, sha256
from planbook.research.recording.preflight import check_repository
from planbook.research.recording.record import Record
from planbook.research.recording.uncommitted import UncommittedRecords
from planbook.research.web.archive import text_name
from planbook.research.writers.command import ANSWERS_FOLDER
from planbook.store import files

SET_ASIDE = "held"
"""The folder, in the working folder, for our version of files that something else has changed."""


@contextmanager
def open_recorder(config: RecordingConfig) -> Iterator[Recorder]:
    """Yield a recorder while holding the project's lock.

    The record that a killed run began is completed before.

    Raises:
        RefusedError: another run is active, git is not ready for a commit, or the journal cannot be
            read.
    """
    root = config.settings.root
    check_working_folder(root)
    git = _git_for_commit(config)

    def tell(message: str) -> None:
        """Say for whom this run waits."""
        config.watch(Event("Message", message))

    with lock_project(root, config.command, config.clock.stamp(), tell if config.waits else None):
        journal = Journal(root)
        if git:
            check_repository(config, git, journal.paths)
        if journal.started:
            config.watch(Event("Message", f"continuing the run of {journal.started}"))
        recorder = Recorder(config, git, journal)
        recorder.recover()
        yield recorder


def _git_for_commit(config: RecordingConfig) -> Git | None:
    """Return the repository to commit to; ``None`` if no commit is wanted, or none is possible."""
    if not config.commit:
        return None
    git = find_git(config.settings.root)
    if isinstance(git, NoGit):
        config.watch(Event("Message", f"{git.reason}: nothing is committed"))
        return None
    return git


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The end of a run: its records and its commit."""

    records: tuple[Record, ...] = ()
    """All records since the last commit, including those of interrupted runs."""
    commit: str | None = None
    troubles: tuple[str, ...] = ()
    """Files that could not be written as intended, and why the commit is missing or incomplete."""


class WriteOutcome(Enum):
    """The end of a record's page."""

    NONE = "the record has no page, only a report"
    WRITTEN = "it is at its place"
    SET_ASIDE = "it is kept beside a page that somebody has changed since it was made"
    REFUSED = "it is not at its place, and nothing else of the record is written"


@dataclass(frozen=True, slots=True)
class _PageWrite:
    """A page that was written, or was not."""

    outcome: WriteOutcome
    trouble: str = ""
    """Why it was refused."""

    @property
    def is_complete(self) -> bool:
        """True if the rest of the record is to be written."""
        return self.outcome is not WriteOutcome.REFUSED


class Recorder:
    """The only part of a run that writes. Used by one thread.

    Args:
        config: the setup of the run.
        git: the repository to commit to, if a commit is wanted and possible.
        journal: what this run, and an interrupted one before it, has written.
    """

    def __init__(self, config: RecordingConfig, git: Git | None, journal: Journal) -> None:
        self.config, self.git, self._journal = config, git, journal
        self.root = config.settings.root
        """The project's folder."""
        self._seen: dict[str, str | None] = {}
        """The SHA-256 of files when this run last read or wrote them, by path from the project's
        folder."""
        self._foreign: set[str] = set()
        """Files that another program has changed since, such as the writer `command`. They are not
        committed."""
        self._troubles: list[str] = []
        """Files that could not be written as intended."""
        self._refused_parts: set[str] = set()
        """The names of PARTs of which a page or its report was not written."""

    @property
    def records(self) -> tuple[Record, ...]:
        """The records that are written and not committed."""
        written = [entry.record for entry in self._journal.entries if entry.is_complete]
        return tuple(msgspec.convert(record, Record) for record in written)

    @property
    def started(self) -> str:
        """The start of the run that this one continues, or its own; empty before `begin_run`."""
        return self._journal.started

    def begin_run(self, started: str) -> None:
        """Note the start of the run, unless it continues another."""
        self._journal.begin_run(started)

    def read(self) -> Library:
        """Return the project as it is now, and linked."""
        tree = store.read_tree(self.config.settings)
        pages = {f"{self.config.docs}/{uri}": raw for uri, raw in tree.pages.items()}
        # The first look counts: a file that changes between two is another program's work.
        for path, raw in {**tree.plans, **pages}.items():
            self._seen.setdefault(path, hashlib.sha256(raw).hexdigest())
        library = link_tree(tree, self.config.cache)
        for path in self.config.index_files(library):
            self._seen.setdefault(path, file_sha256(self.root / path))
        return library

    def keep_texts(self, sources: Iterable[drafts.Source]) -> None:
        """Store what pages quote, wherever it was read.

        `planbook verify` compares quotes with it.
        """
        for source in sources:
            for text in (source.fetched.text, source.fetched.visible):
                if text:
                    store.write_work(self.root, text_name(sha256(text)), text.encode("utf-8"))

    def report_trouble(self, trouble: str) -> None:
        """Add a line on a file that is not written or committed as intended to the summary."""
        self._troubles.append(trouble)

    # --- one page ---------------------------------------------------------------------------------

    def write_record(self, record: Record, plan: Plan) -> None:
        """Write page, drop and mark of one page, in this order."""
        paths = record.paths(self.config.docs)
        if record.mark:
            paths = (*paths, str(plan.uri))
        # Noted before anything is written: from here on, a killed run can be completed.
        self._journal.begin_record(msgspec.to_builtins(record), paths)
        self._write_begun(record, plan)

    def adopt(self, record: Record, plan_uri: str | None) -> None:
        """Take over a record whose files are written already, for the commit."""
        paths = record.paths(self.config.docs)
        if plan_uri is not None:
            paths = (*paths, plan_uri)
        self._journal.begin_record(msgspec.to_builtins(record), paths)
        self._journal.end_record(is_complete=True)

    def adopt_files(self, paths: Iterable[str]) -> None:
        """Take over further files that may be written already, for the commit."""
        self._journal.add_paths(paths)

    def recover(self) -> None:
        """Complete the record that a killed run began, and remove its temporary files."""
        for path in self._journal.paths:
            files.remove_unwritten(self.root / path)
        # Only the last record can be half written: each one ends before the next begins.
        last_entry = self._journal.entries[-1] if self._journal.entries else None
        if last_entry is not None and last_entry.is_complete is None:
            record = msgspec.convert(last_entry.record, Record)
            message = f"{record.name}: finishing a record that a killed run began"
            self.config.watch(Event("Message", message))
            # Its plan may have been moved since, so it is looked for again.
            self._write_begun(record, None)

    def _write_begun(self, record: Record, plan: Plan | None) -> None:
        """Write page, drop and mark of a record that the journal has, and report on them."""
        paths = record.paths(self.config.docs)
        if plan:
            paths = (*paths, str(plan.uri))
        self._find_foreign(paths)
        page = self._write_page(record)
        trouble = page.trouble
        if page.is_complete:
            trouble = self._write_unless_changed(record.drop, record.report, record.drop_before)
            # A mark says that all pages of the PART and their reports are there.
            is_all_there = not trouble and record.name not in self._refused_parts
            if record.mark and is_all_there:
                trouble = self._write_mark(record, record.mark, plan)
        self._journal.end_record(is_complete=page.is_complete)
        if trouble:
            self._refused_parts.add(record.name)
            self._troubles.append(f"{record.name}: {trouble}")
        self._report(record, page, trouble)

    def _report(self, record: Record, page: _PageWrite, trouble: str) -> None:
        """Say whether a page is written, and why not, or why its PART is partial."""
        has_page = page.outcome is WriteOutcome.WRITTEN and not trouble
        why = trouble or record.reason
        message = why
        if has_page:
            partial = f", and its PART is partial: {why}" if why else ""
            message = f"{record.page} is written{partial}"
        details = {"is_written": has_page, "reason": why}
        event = Event("PageRecorded", message, record.name, record.page, details)
        self.config.watch(event)

    def _write_page(self, record: Record) -> _PageWrite:
        """Write the page, unless another program has changed it meanwhile."""
        if record.content is None:
            return _PageWrite(WriteOutcome.NONE)
        # A link on the way to the page may lead out of docs/.
        docs = self.root / self.config.settings.docs_dir
        if not (docs / record.page).resolve().is_relative_to(docs.resolve()):
            where = f"behind a link that points outside {self.config.docs}/"
            trouble = f"{record.page} is {where}; nothing was written"
            return _PageWrite(WriteOutcome.REFUSED, trouble)
        path = f"{self.config.docs}/{record.page}"
        if record.is_held:
            our_version = self._set_aside(path, record.content)
            trouble = (
                f"{path} was changed since it was made, and is kept; our version is {our_version}"
            )
            self._troubles.append(trouble)
            return _PageWrite(WriteOutcome.SET_ASIDE)
        trouble = self._write_unless_changed(path, record.content, record.before)
        return _PageWrite(WriteOutcome.REFUSED if trouble else WriteOutcome.WRITTEN, trouble)

    def _write_unless_changed(self, path: str, text: str, expected_sha256: str | None) -> str:
        """Write a file that had the hash `expected_sha256`; return why it was not written.

        The result is empty if all is well. If the file has another hash, our version is kept
        beside it.
        """
        wanted_sha256 = sha256(text)
        sha256_on_disk = file_sha256(self.root / path)
        if sha256_on_disk not in {wanted_sha256, expected_sha256}:
            self._foreign.add(path)
            our_version = self._set_aside(path, text)
            return f"{path} was changed during the run and is kept; our version is {our_version}"
        if sha256_on_disk != wanted_sha256:  # else a killed run wrote it, or it needs no change
            store.write_atomic(self.root / path, text.encode("utf-8"))
        self._seen[path] = wanted_sha256
        return ""

    def _set_aside(self, path: str, text: str) -> str:
        """Put our version of a file that something else has changed beside it; return its path."""
        store.write_work(self.root, f"{SET_ASIDE}/{path}", text.encode("utf-8"))
        return f"{store.WORK_DIR}/{SET_ASIDE}/{path}"

    def _write_mark(self, record: Record, state: State, plan: Plan | None) -> str:
        """Mark the PART in its plan as it is now; return why it was not marked, or nothing."""
        uri = self._plan_uri(record, plan)
        if uri is None:
            defect = f"the plan {record.plan} no longer exists"
            return f"{defect}; PART {record.number} could not be marked"
        raw = (self.root / uri).read_bytes()
        digest = hashlib.sha256(raw).hexdigest()
        if self._seen.get(uri, digest) != digest:
            self._foreign.add(uri)  # changed since the record began
        part = _same_part(self._plan_as_is(uri, raw, plan), record)
        if part is None:
            defect = f"{uri} no longer has a PART {record.number} with this page"
            return f"{defect}; it could not be marked"
        if part.state not in EXCLUDED_STATES:  # else its author decided so during the run
            self._write_marked_plan(uri, raw, part, record, state)
        return ""

    def _write_marked_plan(
        self, uri: str, raw: bytes, part: Part, record: Record, state: State
    ) -> None:
        """Write the plan `raw` with the mark of a PART."""
        when = datetime.fromisoformat(record.when)
        has_page = record.content is not None
        # Bytes that are not UTF-8 are preserved.
        text = raw.decode("utf-8", errors="surrogateescape")
        marked = mark(text, part, state, when, record.reason, has_page=has_page)
        marked_raw = marked.encode("utf-8", errors="surrogateescape")
        files.write_changed(self.root / uri, marked_raw)
        self._seen[uri] = hashlib.sha256(marked_raw).hexdigest()

    def _plan_uri(self, record: Record, plan: Plan | None) -> str | None:
        """Return the path of a record's plan, which may have been moved."""
        if plan and (self.root / plan.uri).is_file():
            return str(plan.uri)
        same_slug = (str(other.uri) for other in self.read().plans if other.slug == record.plan)
        return next(same_slug, None)

    def _plan_as_is(self, uri: str, raw: bytes, plan: Plan | None) -> Plan:
        """Return the plan at a path, parsed again if its PARTs may be elsewhere in it.

        They are where they were if only this run has changed the plan, and no mark has added a
        line.
        """
        digest = hashlib.sha256(raw).hexdigest()
        is_same = uri not in self._foreign and self._seen.get(uri) == digest
        if plan is not None and is_same and all(part.status_line for part in plan.parts):
            return plan
        return parse_bytes(raw, uri)[0]

    # --- the end of the run -----------------------------------------------------------------------

    def finish(self, *, is_continued: bool = False) -> RunSummary:
        """Write INDEX.md and SKILL.md, and commit; nothing if nothing was recorded.

        With `is_continued`, PARTs of this run are left, and the next run goes on with them.
        """
        records = self.records
        commit = None
        if self._journal.paths:
            self._find_foreign(self._seen)
            self._write_index_files()
            try:
                commit = self._commit(records)
            except GitError as error:
                trouble = f"{error}; the files are written, and the next run commits them"
                self._troubles.append(trouble)
                return RunSummary(records, None, tuple(self._troubles))
        uncommitted = UncommittedRecords(self.root)
        if self.git is None:
            uncommitted.add(msgspec.to_builtins(records))
        else:
            uncommitted.remove(msgspec.to_builtins(records))
        self._journal.settle(is_continued=is_continued)
        if not is_continued:
            files.remove_work(self.root, ANSWERS_FOLDER)
        return RunSummary(records, commit, tuple(self._troubles))

    def _write_index_files(self) -> None:
        """Write INDEX.md and SKILL.md, if they change."""
        for path, text in self.config.index_files(self.read()).items():
            if file_sha256(self.root / path) == sha256(text):
                continue
            self._journal.add_paths([path])
            refused = self._write_unless_changed(path, text, self._seen.get(path))
            if refused:
                self._troubles.append(refused)

    def _commit(self, records: tuple[Record, ...]) -> str | None:
        """Commit what the run has written, without what others have changed; return the commit."""
        if self.git is None:
            return None
        message = commit_message(records, self.config.docs, self.config.verb)
        # What another program wrote into our files is for its author to commit.
        written_paths = [path for path in self._journal.paths if path not in self._foreign]
        commit = self.git.commit(written_paths, message)
        if commit:
            subject = message.partition("\n")[0]
            self.config.watch(Event("Message", f"commit {commit}: {subject}"))
        uncommitted = sorted(self._foreign.intersection(self._journal.paths))
        if uncommitted:
            self._troubles.append(
                f"{', '.join(uncommitted)}: changed by another program during the run, and "
                "left out of the commit; review the changes (git diff), then commit or undo them"
            )
        return commit

    def _find_foreign(self, paths: Iterable[str]) -> None:
        """Record which files another program has changed since this run last read or wrote them."""
        for path in paths:
            if path in self._seen and file_sha256(self.root / path) != self._seen[path]:
                self._foreign.add(path)


def _same_part(plan: Plan, record: Record) -> Part | None:
    """Return the PART that `record` is about, in the plan as it is now."""
    candidates = [
        part
        for part in plan.parts
        if part.number == record.number and part.targets == record.targets
    ]
    # A plan may repeat a PART of which one copy is disabled.
    active = [part for part in candidates if part.state is not State.DISABLED]
    return next(iter(active or candidates), None)
