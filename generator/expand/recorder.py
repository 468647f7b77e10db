"""The recorder, the single writer of a run. Every step is idempotent: a run completes what an interrupted one began.

::

    open_recorder   lock, ledger, git; complete the records that an interrupted run began
        begin         a row in the ledger for each page
        end_stage     the result of a stage, before the next stage starts
        record        fix the record in the ledger, then write page, drop and mark
        finish        move completed plans, write INDEX.md and SKILL.md, commit
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from generator.drafts import Brief, KnownPage
from generator.expand.artifacts import ArtifactError, load, save
from generator.expand.cancellation import Usage
from generator.expand.events import Message, PageRecorded, StageFinished
from generator.expand.options import RunConfig
from generator.expand.preflight import check_repository
from generator.expand.record import Record, commit_message, file_sha256, moves, relinked, sha256
from generator.expand.worker import STAGE_TYPES
from generator.library import link_tree
from generator.model import Part, Plan, State, Tree
from generator.plan.mark import mark
from generator.plan.parse import parse_bytes
from generator.store import RefusedError, read_tree, write_atomic, write_work
from generator.store.files import move_file, remove_empty_folders, remove_unwritten, work_path, write_changed
from generator.store.git import Git, GitError, check_working_folder, find_git, leave_out
from generator.store.ledger import Ledger, PartRow, PartStatus, StageRow, hold
from generator.store.tree import files_below

LEDGER = "ledger.sqlite"
HELD = "held"
"""The folder, in the working folder, for pages that could not be written to their path."""


@contextmanager
def open_recorder(config: RunConfig) -> Iterator[Recorder]:
    """Yield a recorder while holding the project's lock, after completing the records that an interrupted run began.

    Raises:
        RefusedError: another run is active, git is not ready for a commit, or the ledger cannot be used.
    """
    check_working_folder(config.settings.root)
    git = find_git(config.settings.root) if config.commit else None
    if isinstance(git, str):
        config.watch(Message(f"{git}: nothing is committed"))
        git = None
    root, started = config.settings.root, config.clock.now()
    with hold(root, config.command, started), Ledger(work_path(root, LEDGER)) as ledger:
        if git:
            check_repository(config, git, ledger.claimed())
        interrupted = ledger.interrupted()
        if interrupted:
            config.watch(Message(f"continuing the interrupted run of {interrupted}"))
        run = ledger.begin_run(started, os.getpid(), platform.node())
        recorder = Recorder(config, ledger, git, run)
        try:
            recorder.recover()
            yield recorder
        except RefusedError:
            ledger.end_run(run, config.clock.now(), "refused")
            raise
        ledger.end_run(run, config.clock.now(), "ended")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The end of a run: its records and its commit."""

    records: tuple[Record, ...] = ()
    """All records since the last commit, including those of interrupted runs."""
    moved: tuple[tuple[str, str], ...] = ()
    """Old and new path of each file of a completed plan."""
    commit: str | None = None
    troubles: tuple[str, ...] = ()
    """Files that could not be written as intended, and why the commit is missing or incomplete."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """The only part of a run that writes. Used by one thread."""

    config: RunConfig
    ledger: Ledger
    git: Git | None
    """The repository to commit to."""
    run: int
    """The run's id in the ledger."""
    seen: dict[str, str | None] = field(default_factory=dict)
    """The SHA-256 of files when this run last read or wrote them, by path from the project's folder."""
    foreign: set[str] = field(default_factory=set)
    """Files that another program has changed since, such as the writer `command`. They are not committed."""
    troubles: list[str] = field(default_factory=list)
    """Files that could not be written as intended."""

    @property
    def root(self) -> Path:
        """The project's folder."""
        return self.config.settings.root

    def read(self) -> Tree:
        """Return the project as it is now."""
        tree = read_tree(self.config.settings)
        pages = {f"{self.config.docs}/{uri}": raw for uri, raw in tree.pages.items()}
        for path, raw in {**tree.plans, **pages}.items():
            self.seen.setdefault(path, hashlib.sha256(raw).hexdigest())
        return tree

    # --- work in progress ------------------------------------------------------------------------------------------

    def begin(self, brief: Brief, fingerprint: str) -> tuple[PartRow, Brief]:
        """Return the page's row in the ledger, and its brief.

        A page that an interrupted run began with the same `fingerprint` is continued with its original prior knowledge,
        without pages written since.
        """
        key = (brief.plan.slug, brief.part.number, str(brief.page))
        row = self.ledger.take_part(self.run, key, fingerprint, self.save((brief.known, brief.unresolved)))
        try:
            known, unresolved = load(self.root, row.brief, tuple[tuple[KnownPage, ...], tuple[str, ...]])
        except ArtifactError:
            return row, brief
        return row, replace(brief, known=known, unresolved=unresolved)

    def save(self, value: object) -> str:
        """Save a value, in any thread, and return the name of its artifact."""
        return save(self.root, value)

    def end_stage(self, event: StageFinished, artifact: str) -> None:
        """Record that a stage is finished, with its saved result."""
        row = StageRow(artifact, event.usage.requests, event.usage.tokens)
        self.ledger.end_stage(event.job.part, event.job.attempt, event.stage, row)

    def load_stages(self, part: int, attempt: int) -> tuple[dict[str, Any], Usage]:
        """Return the results of an attempt's stages and their cost, without damaged ones, which run again."""
        values, spent = dict[str, Any](), Usage()
        for stage, row in self.ledger.stages(part, attempt).items():
            with suppress(ArtifactError):
                values[stage] = load(self.root, row.artifact, STAGE_TYPES[stage])
                spent += Usage(row.requests, row.tokens)
        return values, spent

    def _load_record(self, row: PartRow) -> Record:
        try:
            return load(self.root, row.record or "", Record)
        except ArtifactError as error:
            raise RefusedError(
                f"an interrupted run cannot be continued ({error}); commit or undo what it wrote (git status), delete "
                f".planbook/{LEDGER}, and run the same command again"
            ) from error

    # --- one page --------------------------------------------------------------------------------------------------

    def record(self, row: PartRow, record: Record, plan: Plan) -> None:
        """Write page, drop and mark of one page, in this order."""
        marked = [str(plan.uri)] if record.mark else []
        self.ledger.intend(row.id, self.save(record), (*record.paths(self.config.docs), *marked))
        trouble = self._write(row, record, str(plan.uri))
        self.troubles.extend([f"{record.name}: {trouble}"] if trouble else [])

    def recover(self) -> None:
        """Complete the records that an interrupted run began, and remove its temporary files."""
        for path in self.ledger.claimed():
            remove_unwritten(self.root / path)
        for row in self.ledger.parts(PartStatus.INTENDED):
            record = self._load_record(row)
            self.config.watch(Message(f"{record.name}: finishing a record that an interrupted run began"))
            self._write(row, record, None)

    def _write(self, row: PartRow, record: Record, plan: str | None) -> str | None:
        own, drop = record.paths(self.config.docs), self.root / record.drop
        paths = (*own, *([plan] if plan else []))
        if file_sha256(drop) not in {None, sha256(record.report)}:
            self.foreign.add(record.drop)
        self._find_foreign(paths)
        trouble = self._write_page(record)
        if trouble:
            self.ledger.give_up(row.id, own)
        else:
            if not drop.exists():
                write_atomic(drop, record.report.encode("utf-8"))
            trouble = self._write_mark(record, plan) if record.mark else None
            self.ledger.recorded(row.id)
            self._remember(paths)
        is_written = record.content is not None and trouble is None
        self.config.watch(PageRecorded(record.name, record.page, is_written, trouble or record.reason))
        return trouble

    def _write_page(self, record: Record) -> str | None:
        """Write the page, unless another program has changed it meanwhile; return what went wrong."""
        if record.content is None:
            return None
        docs = self.root / self.config.settings.docs_dir
        path = docs / record.page
        if not path.resolve().is_relative_to(docs.resolve()):
            return f"{record.page} is behind a link that points outside {self.config.docs}/; nothing was written"
        there, content = file_sha256(path), record.content.encode("utf-8")
        if there == sha256(record.content):
            return None
        if there != record.before:
            write_work(self.root, f"{HELD}/{record.page}", content)
            return (
                f"{self.config.docs}/{record.page} was changed during the run and is kept; "
                f"the new page is in .planbook/{HELD}/{record.page}"
            )
        write_atomic(path, content)
        return None

    def _write_mark(self, record: Record, uri: str | None) -> str | None:
        """Mark the PART in its plan as it is now; return what went wrong."""
        if uri is None or not (self.root / uri).is_file():
            plans = link_tree(read_tree(self.config.settings)).plans
            uri = next((str(plan.uri) for plan in plans if plan.slug == record.plan), None)
        if uri is None:
            return f"the plan {record.plan} no longer exists; PART {record.number} could not be marked"
        raw = (self.root / uri).read_bytes()
        part = _same_part(parse_bytes(raw, uri)[0], record)
        if part is None:
            return f"{uri} no longer has a PART {record.number} with this page; it could not be marked"
        if part.state in {State.DISABLED, State.SKIPPED} or record.mark is None:
            return None
        when = datetime.fromisoformat(record.when)
        # Bytes that are not UTF-8 are preserved.
        text = raw.decode("utf-8", errors="surrogateescape")
        has_page = record.content is not None
        noted = mark(text, part, record.mark, when, record.reason or None, has_page=has_page)
        write_changed(self.root / uri, noted.encode("utf-8", errors="surrogateescape"))
        return None

    # --- the end of the run ----------------------------------------------------------------------------------------

    def finish(self) -> RunSummary:
        """Move completed plans, write INDEX.md and SKILL.md, and commit; nothing if nothing was recorded."""
        records = tuple(self._load_record(row) for row in self.ledger.parts(PartStatus.RECORDED))
        if not records and not self.ledger.claimed():
            return RunSummary(troubles=tuple(self.troubles))
        self._find_foreign(self.seen)
        moved = self._move_completed({record.plan for record in records})
        self.write_index()
        try:
            commit = self._commit(records)
        except GitError as error:
            self.troubles.append(f"{error}; the files are written, and the next run commits them")
            return RunSummary(records, moved, None, tuple(self.troubles))
        left = leave_out(self.git, self.foreign.intersection(self.ledger.claimed())) if self.git else None
        self.ledger.settle(f"commit {commit}" if commit else "left as it is")
        return RunSummary(records, moved, commit, (*self.troubles, *([left] if left else [])))

    def _move_completed(self, slugs: set[str]) -> tuple[tuple[str, str], ...]:
        root, top = self.root, self.config.settings.plans_dir.strip("/")
        tree = self.read()
        library = link_tree(tree)
        slugs = slugs - {plan.slug for plan in library.plans if str(plan.uri) in self.foreign}
        wanted = moves(library, slugs, top, files_below(root / top, top))
        # Links first: if the move is interrupted and repeated, they are already correct.
        changed = relinked(tree, self.config.docs, wanted) if wanted else {}
        touched = [*wanted, *wanted.values(), *changed]
        self.ledger.claim(touched)
        for path, content in changed.items():
            write_atomic(root / path, content)
        for old, new in wanted.items():
            move_file(root / old, root / new)
            remove_empty_folders((root / old).parent, root / top)
            self.config.watch(Message(f"moved {old} to {new}"))
        self.foreign.update(new for old, new in wanted.items() if old in self.foreign)
        self._remember(touched)
        return tuple(wanted.items())

    def write_index(self) -> None:
        """Write INDEX.md and SKILL.md, if they differ, and claim them for the next commit."""
        for path, text in self.config.index_files(link_tree(self.read())).items():
            file = self.root / path
            if file_sha256(file) != sha256(text):
                self.ledger.claim([path])
                write_atomic(file, text.encode("utf-8"))
                self._remember([path])
                self.foreign.discard(path)  # it is generated, so it replaces any change

    def _commit(self, records: tuple[Record, ...]) -> str | None:
        if self.git is None:
            return None
        message = commit_message(records, self.config.docs, self.config.verb)
        own = [path for path in self.ledger.claimed() if path not in self.foreign]
        commit = self.git.commit(own, message, self.config.branch)
        if commit:
            self.config.watch(Message(f"commit {commit}: {message.partition(chr(10))[0]}"))
        return commit

    def _find_foreign(self, paths: Iterable[str]) -> None:
        """Record which files another program has changed since this run last read or wrote them."""
        self.foreign.update(p for p in paths if p in self.seen and file_sha256(self.root / p) != self.seen[p])

    def _remember(self, paths: Iterable[str]) -> None:
        self.seen.update((path, file_sha256(self.root / path)) for path in paths)


def _same_part(plan: Plan, record: Record) -> Part | None:
    """Return the PART that `record` is about, in the plan as it is now."""
    named = [part for part in plan.parts if part.number == record.number and part.targets == record.targets]
    active = [part for part in named if part.state is not State.DISABLED]
    return next(iter(active or named), None)
