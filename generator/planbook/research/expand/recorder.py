"""The recorder, the single writer of a run: one PART is one unit, and a run ends with one commit.

::

    open_recorder   lock, git, journal; complete the record that a killed run began
        record        note the record in the journal, then write page, drop and mark
        finish        write INDEX.md and SKILL.md, commit, clear the journal

Every step can be repeated, so a run completes what a killed one began. A file that another program changes during the
run is neither overwritten nor committed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

import msgspec

from planbook import store
from planbook.citations.references import read_references
from planbook.library import Library, link_tree, pages
from planbook.markdown.plain_text import count
from planbook.model import Part, Plan, State
from planbook.plan.mark import mark
from planbook.plan.parse import parse_bytes
from planbook.research import drafts
from planbook.research.evidence.rank import points_of
from planbook.research.expand import events
from planbook.research.expand.config import RunConfig
from planbook.research.expand.drop import render_drop
from planbook.research.expand.uncommitted import UncommittedRecords
from planbook.research.git import Git, GitError, check_working_folder, find_git
from planbook.research.journal import Journal, hold
from planbook.research.web.archive import text_name
from planbook.research.writers.command import ANSWERS
from planbook.store import RefusedError, Settings, files

HELD = "held"
"""The folder, in the working folder, for our version of files that something else has changed."""
_NO_COMMIT = "or run with --no-commit"


@contextmanager
def open_recorder(config: RunConfig) -> Iterator[Recorder]:
    """Yield a recorder while holding the project's lock, after completing the record that a killed run began.

    Raises:
        RefusedError: another run is active, git is not ready for a commit, or the journal cannot be read.
    """
    root = config.settings.root
    check_working_folder(root)
    git = find_git(root) if config.commit else None
    if isinstance(git, str):
        config.watch(events.Event("Message", f"{git}: nothing is committed"))
        git = None

    def tell(message: str) -> None:
        """Say for whom this run waits."""
        config.watch(events.Event("Message", message))

    with hold(root, config.command, config.clock.now(), tell if config.waits else None):
        journal = Journal(root)
        if git:
            check_repository(config, git, journal.paths)
        if journal.started:
            config.watch(events.Event("Message", f"continuing the run of {journal.started}"))
        recorder = Recorder(config, git, journal)
        recorder.recover()
        yield recorder


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The end of a run: its records and its commit."""

    records: tuple[Record, ...] = ()
    """All records since the last commit, including those of interrupted runs."""
    commit: str | None = None
    troubles: tuple[str, ...] = ()
    """Files that could not be written as intended, and why the commit is missing or incomplete."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """The only part of a run that writes. Used by one thread."""

    config: RunConfig
    git: Git | None
    """The repository to commit to."""
    journal: Journal
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

    @property
    def records(self) -> tuple[Record, ...]:
        """The records that are written and not committed."""
        return tuple(msgspec.convert(one.record, Record) for one in self.journal.entries if one.is_written)

    def read(self) -> Library:
        """Return the project as it is now, and linked."""
        tree = store.read_tree(self.config.settings)
        pages = {f"{self.config.docs}/{uri}": raw for uri, raw in tree.pages.items()}
        for path, raw in {**tree.plans, **pages}.items():
            self.seen.setdefault(path, hashlib.sha256(raw).hexdigest())
        library = link_tree(tree, self.config.calls)
        for path in self.config.index_files(library):
            self.seen.setdefault(path, file_sha256(self.root / path))
        return library

    def keep_texts(self, sources: Iterable[drafts.Source]) -> None:
        """Store what pages quote, wherever it was read: `planbook verify` compares quotes with it."""
        for source in sources:
            for text in filter(None, (source.fetched.text, source.fetched.visible)):
                store.write_work(self.root, text_name(sha256(text)), text.encode("utf-8"))

    # --- one page --------------------------------------------------------------------------------------------------

    def record(self, record: Record, plan: Plan) -> None:
        """Write page, drop and mark of one page, in this order."""
        marked = [str(plan.uri)] if record.mark else []
        self.journal.begin_record(msgspec.to_builtins(record), (*record.paths(self.config.docs), *marked))
        self._write(record, plan)

    def recover(self) -> None:
        """Complete the record that a killed run began, and remove its temporary files."""
        for path in self.journal.paths:
            files.remove_unwritten(self.root / path)
        if self.journal.entries and self.journal.entries[-1].is_written is None:
            record = msgspec.convert(self.journal.entries[-1].record, Record)
            self.config.watch(events.Event("Message", f"{record.name}: finishing a record that a killed run began"))
            self._write(record, None)

    def _write(self, record: Record, plan: Plan | None) -> None:
        paths = (*record.paths(self.config.docs), *([str(plan.uri)] if plan else []))
        self._find_foreign(paths)
        trouble = self._write_page(record)
        is_written = trouble is None
        if is_written:
            if refused := self._put(record.drop, record.report, record.drop_before):
                self.troubles.append(refused)
            trouble = self._write_mark(record, plan) if record.mark else None
            self._remember(paths)
        self.journal.end_record(is_written=is_written)
        self.troubles.extend([f"{record.name}: {trouble}"] if trouble else [])
        has_page = record.content is not None and trouble is None and not record.is_held
        why = trouble or record.reason
        message = f"{record.page} is written{f', and its PART is partial: {why}' if why else ''}" if has_page else why
        self.config.watch(
            events.Event("PageRecorded", message, record.name, record.page, {"is_written": has_page, "reason": why})
        )

    def _write_page(self, record: Record) -> str | None:
        """Write the page, unless another program has changed it meanwhile; return what went wrong."""
        if record.content is None:
            return None
        docs = self.root / self.config.settings.docs_dir
        if not (docs / record.page).resolve().is_relative_to(docs.resolve()):
            return f"{record.page} is behind a link that points outside {self.config.docs}/; nothing was written"
        path = f"{self.config.docs}/{record.page}"
        if record.is_held:
            store.write_work(self.root, f"{HELD}/{path}", record.content.encode("utf-8"))
            held = f"{store.WORK_DIR}/{HELD}/{path}"
            self.troubles.append(f"{path} was changed since it was made, and is kept; our version is {held}")
            return None
        return self._put(path, record.content, record.before)

    def _put(self, path: str, text: str, before: str | None) -> str | None:
        """Write a file that had the hash `before`; if it has another, keep ours beside, and return a message."""
        there = file_sha256(self.root / path)
        if there == sha256(text):
            return None
        if there != before:
            self.foreign.add(path)
            store.write_work(self.root, f"{HELD}/{path}", text.encode("utf-8"))
            return f"{path} was changed during the run and is kept; our version is {store.WORK_DIR}/{HELD}/{path}"
        store.write_atomic(self.root / path, text.encode("utf-8"))
        return None

    def _write_mark(self, record: Record, plan: Plan | None) -> str | None:
        """Mark the PART in its plan as it is now; return what went wrong."""
        uri = str(plan.uri) if plan else None
        if uri is None or not (self.root / uri).is_file():
            uri = next((str(plan.uri) for plan in self.read().plans if plan.slug == record.plan), None)
        if uri is None:
            return f"the plan {record.plan} no longer exists; PART {record.number} could not be marked"
        raw = (self.root / uri).read_bytes()
        # If only this run has changed the plan, and no mark has added a line, its PARTs are where they were.
        is_same = uri not in self.foreign and self.seen.get(uri) == hashlib.sha256(raw).hexdigest()
        is_read = plan is not None and is_same and all(one.status_line for one in plan.parts)
        part = _same_part(plan if plan and is_read else parse_bytes(raw, uri)[0], record)
        if part is None:
            return f"{uri} no longer has a PART {record.number} with this page; it could not be marked"
        if part.state in {State.DISABLED, State.SKIPPED} or record.mark is None:
            return None
        when = datetime.fromisoformat(record.when)
        # Bytes that are not UTF-8 are preserved.
        text = raw.decode("utf-8", errors="surrogateescape")
        has_page = record.content is not None
        noted = mark(text, part, record.mark, when, record.reason, has_page=has_page)
        files.write_changed(self.root / uri, noted.encode("utf-8", errors="surrogateescape"))
        self._remember([uri])
        return None

    # --- the end of the run ----------------------------------------------------------------------------------------

    def finish(self, *, is_continued: bool = False) -> RunSummary:
        """Write INDEX.md and SKILL.md, and commit; nothing if nothing was recorded.

        With `is_continued`, PARTs of this run are left, and the next run goes on with them.
        """
        records, commit = self.records, None
        if self.journal.paths:
            self._find_foreign(self.seen)
            for path, text in self.config.index_files(self.read()).items():
                if file_sha256(self.root / path) != sha256(text):
                    self.journal.claim([path])
                    refused = self._put(path, text, self.seen.get(path))
                    self.troubles.extend([refused] if refused else [])
            try:
                commit = self._commit(records)
            except GitError as error:
                self.troubles.append(f"{error}; the files are written, and the next run commits them")
                return RunSummary(records, None, tuple(self.troubles))
        uncommitted = UncommittedRecords(self.root)
        if self.git is None:
            uncommitted.add(msgspec.to_builtins(records))
        else:
            uncommitted.remove(msgspec.to_builtins(records))
        self.journal.settle(is_continued=is_continued)
        if not is_continued:
            files.remove_work(self.root, ANSWERS)
        return RunSummary(records, commit, tuple(self.troubles))

    def _commit(self, records: tuple[Record, ...]) -> str | None:
        if self.git is None:
            return None
        message = commit_message(records, self.config.docs, self.config.verb)
        own = [path for path in self.journal.paths if path not in self.foreign]
        commit = self.git.commit(own, message)
        if commit:
            self.config.watch(events.Event("Message", f"commit {commit}: {message.partition(chr(10))[0]}"))
        if left := sorted(self.foreign.intersection(self.journal.paths)):
            self.troubles.append(
                f"{', '.join(left)}: changed by another program during the run, and left out of the commit; review "
                "the changes (git diff), then commit or undo them"
            )
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


# --- checks before a run ---------------------------------------------------------------------------------------------


def check_repository(config: RunConfig, git: Git, claimed: Iterable[str] = ()) -> None:
    """Raise :class:`RefusedError` if a commit would fail, or mix with changes that the user is about to commit.

    Args:
        config: the setup of the run.
        git: the repository.
        claimed: files that an interrupted run wrote.
    """
    try:
        staged = [path for path in git.staged() if path not in {*claimed, *config.may_be_staged}]
    except GitError as error:
        raise RefusedError(f"{error}; {_NO_COMMIT}") from error
    if staged:
        more = f" and {len(staged) - 3} more" if len(staged) > 3 else ""
        raise RefusedError(
            f"the index holds staged changes ({', '.join(staged[:3])}{more}); commit or unstage them first "
            f"(git restore --staged .), {_NO_COMMIT}"
        )
    waits = git.unfinished()
    if waits:
        raise RefusedError(f"{waits} is in progress; finish or abort it first, {_NO_COMMIT}")
    problem = git.identity_problem()
    if problem:
        raise RefusedError(f"{problem}, {_NO_COMMIT}")


def check_pages(config: RunConfig, git: Git, briefs: Iterable[drafts.Brief]) -> None:
    """Raise :class:`RefusedError` if `--redo` would overwrite a page with uncommitted changes."""
    paths = [f"{config.docs}/{brief.page}" for brief in briefs]
    changed = git.changed([path for path in paths if (config.settings.root / path).is_file()])
    if changed:
        raise RefusedError(f"{changed[0]} has uncommitted changes, which --redo would overwrite")


def check_files(config: RunConfig, git: Git | None, briefs: Sequence[drafts.Brief], library: Library) -> None:
    """Raise :class:`RefusedError` if a file that filling `briefs` writes could not be written or committed."""
    found = [path for brief in briefs for path in (f"{config.docs}/{brief.page}", str(brief.drop), brief.plan.uri)]
    paths = tuple(dict.fromkeys([*found, *config.index_files(library)] if briefs else []))
    for path in paths:
        _check_path(config.settings, path, is_committed=git is not None)
    refused = git.add_problem(paths) if git and paths else None
    if refused:
        raise RefusedError(f"{refused}, {_NO_COMMIT}")


def _check_path(settings: Settings, path: str, *, is_committed: bool) -> None:
    """Raise :class:`RefusedError` if the file at `path` could not be written, or git would not add it."""
    tops = (settings.docs_dir.strip("/"), settings.plans_dir.strip("/"))
    top = next((top for top in tops if path.startswith(f"{top}/")), "")
    folder, at = ".", settings.root
    names = PurePosixPath(path).parts
    for n, name in enumerate(names, 1):
        at, shown, is_last = at / name, "/".join(names[:n]), n == len(names)
        if name == "..":  # `docs_dir: ../pages`: git decides whether that is inside the repository
            continue
        if at.is_symlink():
            what = f"{shown}: it is a symbolic link"
            if is_last:
                raise RefusedError(f"{what}, which would be replaced by a file; replace it with the file itself")
            if len(shown) > len(top) and not at.resolve().is_relative_to((settings.root / top).resolve()):
                raise RefusedError(f"{what} that points outside {top}/; replace it with the folder itself")
        if not at.exists():
            break
        if at.is_dir() == is_last:
            kinds = ("a folder", "a file") if is_last else ("a file", "a folder")
            raise RefusedError(f"{shown}: it is {kinds[0]}, but {kinds[1]} is needed; move it away")
        if is_committed and (at / ".git").exists():
            what = "it is a separate git repository, which a commit here cannot include"
            raise RefusedError(f"{shown}: {what}; run planbook there, or with --no-commit")
        folder = folder if is_last else shown
    if not os.access(settings.root / folder, os.W_OK | os.X_OK):
        raise RefusedError(f"{folder}: it is not writable; change its permissions")


# --- the files of one page, as a value --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """The files to write for one page; the journal holds it as JSON."""

    plan: str
    """The plan's slug."""
    number: int
    targets: tuple[str, ...]
    """The PART's targets as written in the plan: with the number, they identify the PART."""
    page: str
    """The page's uri."""
    drop: str
    """The drop's path in the project."""
    report: str
    """The drop's text."""
    when: str
    """In UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    content: str | None = None
    """The page's text; ``None`` if there is no page to write."""
    before: str | None = None
    """The SHA-256 of the page when the PART was begun; ``None`` if there was no page."""
    drop_before: str | None = None
    """The SHA-256 of the drop that this one replaces; ``None`` if there was none."""
    mark: State | None = None
    """The PART's new mark; ``None`` keeps the present one."""
    reason: str = ""
    """Why there is no page, or why its PART is partial."""
    lines: int = 0
    works: int = 0
    """Number of works that the page cites."""
    is_held: bool = False
    """True if a person has changed the page that it would replace: it is kept, and ours is put beside."""
    is_again: bool = False
    """True if the PART had an accepted page before."""

    @property
    def name(self) -> str:
        """The PART's name for users."""
        return f"{self.plan} PART {self.number}"

    def paths(self, docs: str) -> tuple[str, ...]:
        """Return the page, if there is one, and the drop, by path from the project's folder."""
        is_written = self.content is not None and not self.is_held
        return (*([f"{docs}/{self.page}"] if is_written else []), self.drop)


def record_result(result: events.Result, runner: str, min_answered: float = 0.0) -> Record:
    """Return the record of a job's result, without `before`; `runner` is named in the drop.

    Its `mark` is set if the page answers less than `min_answered` percent of its points, or the draft has a
    `doubt`.
    """
    brief, outcome, reason, text = result.job.brief, "failed", result.reason, None
    if result.outcome is events.JobOutcome.DONE and result.draft:
        points, text = sum(len(points_of(section)) for section in brief.outline), result.draft.text
        answered = max(0, points - len(result.draft.gaps))
        few = f"{answered} of {points} points answered, and expand.min_answered requires {min_answered:g} %"
        reason = few if 100 * answered < min_answered * points else result.draft.doubt or _doubt_of_sources(result)
        outcome = "partial" if reason else "done"
        if result.job.edited:
            outcome, reason = "held", "somebody has changed the page since it was made, and it is kept"
    return Record(
        plan=brief.plan.slug,
        number=brief.part.number,
        targets=brief.part.targets,
        page=str(brief.page),
        drop=str(brief.drop),
        report=render_drop(result, runner, outcome, reason),
        when=result.finished,
        content=text,
        mark=State.PARTIAL if outcome == "partial" else None,
        is_held=outcome == "held",
        reason=reason,
        lines=pages.parse_page(text, brief.page)[0].lines if text else 0,
        works=len(read_references(text, brief.page)[0]) if text else 0,
    )


def _doubt_of_sources(result: events.Result) -> str:
    """Return why the sources of a page leave it partial; empty if none of them is doubtful."""
    doubtful = [problem.message for problem in result.findings if problem.code == "D035"]
    return doubtful[0] if doubtful else ""


def sha256(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_sha256(path: Path) -> str | None:
    """Return the SHA-256 of a file; ``None`` if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def commit_message(records: Sequence[Record], docs: str, verb: str = "Expand") -> str:
    """Return a subject with plans, pages, lines and works, and a line for each page or failed PART."""
    written = [record for record in records if record.content is not None and not record.is_held]
    slugs = {record.plan for record in records}
    about = records[0].plan if len(slugs) == 1 else count(len(slugs), "plan")
    is_one_part_again = all(record.is_again for record in records) and len({record.name for record in records}) == 1
    if is_one_part_again:
        about = f"{records[0].name} again"
    sums = [
        count(len(written), "page"),
        count(sum(record.lines for record in written), "line"),
        f"{count(sum(record.works for record in written), 'work')} cited",
    ]
    if not written:
        held = sum(record.is_held for record in records)
        failed = len(records) - held
        sums = ["no page"]
        sums += [f"{count(failed, 'PART')} failed"] if failed else []
        sums += [f"{count(held, 'changed page')} kept"] if held else []
    return "\n".join([f"{verb} {about}: {', '.join(sums)}", "", *(_line(record, docs) for record in records)]) + "\n"


def _line(record: Record, docs: str) -> str:
    became = f"{count(record.lines, 'line')}, {count(record.works, 'work')} cited"
    if record.is_held:
        became = f"kept, {record.reason}"
    elif record.content is None:
        became = f"failed, {record.reason}"
    return f"- {record.name}, {docs}/{record.page}: {became}"
