"""The desk: where all that a run writes is written, by one hand. What one run begins here another one can end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from generator.expand.artifacts import Artifact, decode, encode, load
from generator.expand.commit import commit_message
from generator.expand.events import Event, Message, PageRecorded
from generator.expand.finished import moves, relinked
from generator.expand.record import Record, fingerprint, places, write_page, write_report
from generator.library import Library, link_tree
from generator.model import Plan, Tree
from generator.store import Settings, read_tree, read_work, write_atomic, write_work
from generator.store.files import move_file, remove_empty_folders, remove_unwritten
from generator.store.git import Git, GitError
from generator.store.ledger import Ledger, PartRow, PartStatus
from generator.store.left_out import leave_out
from generator.store.tree import files_below

IndexFiles = Callable[[Library], Mapping[str, str]]
"""Gives the texts of INDEX.md and SKILL.md, by path from the project's folder."""


@dataclass(frozen=True, slots=True)
class Finals:
    """What a run's end did."""

    records: tuple[Record, ...] = ()
    """Everything that was recorded since the last commit, also by a run that was cut off."""
    moved: tuple[tuple[str, str], ...] = ()
    commit: str | None = None
    trouble: str | None = None
    """Why there is no commit though there should be one, or what it lacks."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What is needed to write."""

    settings: Settings
    ledger: Ledger
    index_files: IndexFiles
    watch: Callable[[Event], None]
    git: Git | None = None
    """Where to commit; ``None``: nowhere."""
    branch: str | None = None
    verb: str = "Expand"
    known: dict[str, str | None] = field(default_factory=dict)
    """The files as this run found or left them: their fingerprints, by path from the project's folder."""
    foreign: set[str] = field(default_factory=set)
    """Those that something else has changed since, such as a program that writes pages. They are not committed."""

    def keep(self, artifact: Artifact) -> None:
        """Puts an artifact's files into the working folder, those that are not there."""
        for name, content in artifact.files.items():
            write_work(self.settings.root, name, content)

    def kept(self, name: str) -> Artifact:
        """An artifact that was put there. Raises ArtifactError."""
        return load(name, lambda file: read_work(self.settings.root, file))

    def tree(self) -> Tree:
        """The project as it is now."""
        tree, docs = read_tree(self.settings), self.settings.docs_dir.strip("/")
        for path, raw in {**tree.plans, **{f"{docs}/{uri}": raw for uri, raw in tree.pages.items()}}.items():
            self.known.setdefault(path, hashlib.sha256(raw).hexdigest())
        return tree

    def write(self, row: PartRow, record: Record, plan: Plan | None) -> str | None:
        """Page, drop and mark of one page, in this order; the trouble that there was."""
        artifact = encode(record)
        self.keep(artifact)
        self.ledger.intend(row.id, artifact.name, places(self.settings, record, plan))
        return self._perform(row, record, str(plan.uri) if plan else None)

    def recover(self) -> None:
        """Ends what a run that was cut off has begun to write, and removes what it left of half-written files."""
        for path in self.ledger.claimed():
            remove_unwritten(self.settings.root / path)
        for row in self.ledger.parts(PartStatus.INTENDED):
            record = decode(self.kept(row.record or ""), Record)
            self.watch(
                Message(f"{record.plan} PART {record.number}: ending what a run that was cut off began to write")
            )
            self._perform(row, record, None)

    def _perform(self, row: PartRow, record: Record, plan: str | None) -> str | None:
        paths = (*places(self.settings, record, None), *([plan] if plan else []))
        report = hashlib.sha256(record.report.encode("utf-8")).hexdigest()
        if fingerprint(self.settings.root / record.drop) not in {None, report}:
            self.foreign.add(record.drop)
        self._look(paths)
        trouble = write_page(self.settings, record)
        if trouble:
            self.ledger.give_up(row.id, places(self.settings, record, None))
        else:
            trouble = write_report(self.settings, record, plan)
            self.ledger.recorded(row.id)
            self._leave(paths)
        is_written = record.content is not None and trouble is None
        self.watch(
            PageRecorded(f"{record.plan} PART {record.number}", record.page, is_written, trouble or record.reason)
        )
        return trouble

    def finalise(self) -> Finals:
        """Moves finished plans, makes INDEX and SKILL, and commits; nothing where nothing was recorded."""
        rows = self.ledger.parts(PartStatus.RECORDED)
        records = tuple(decode(self.kept(row.record or ""), Record) for row in rows)
        if not records and not self.ledger.claimed():
            return Finals()
        self._look(self.known)
        moved = self._move_finished({record.plan for record in records})
        self._write_index()
        try:
            commit = self._commit(records)
        except GitError as error:
            return Finals(records, moved, trouble=f"{error}; the files are written, and the next run commits them")
        trouble = leave_out(self.git, self.foreign.intersection(self.ledger.claimed())) if self.git else None
        self.ledger.settle(f"commit {commit}" if commit else "left as it is")
        return Finals(records, moved, commit, trouble)

    def _look(self, paths: Iterable[str]) -> None:
        """Finds out which of the files something else has changed since this run found or left them."""
        self.foreign.update(
            p for p in paths if p in self.known and fingerprint(self.settings.root / p) != self.known[p]
        )

    def _leave(self, paths: Iterable[str]) -> None:
        """Takes note of the files as they are now."""
        self.known.update((path, fingerprint(self.settings.root / path)) for path in paths)

    def _move_finished(self, slugs: set[str]) -> tuple[tuple[str, str], ...]:
        root, top = self.settings.root, self.settings.plans_dir.strip("/")
        tree = self.tree()
        library = link_tree(tree)
        slugs = slugs - {plan.slug for plan in library.plans if str(plan.uri) in self.foreign}
        wanted = moves(library, slugs, top, files_below(root / top, top))
        # Links first: a move that is cut off then is made again, and finds the links as they are to be.
        changed = relinked(tree, self.settings.docs_dir, wanted) if wanted else {}
        self.ledger.claim([*wanted, *wanted.values(), *changed])
        for path, content in changed.items():
            write_atomic(root / path, content)
        for old, new in wanted.items():
            move_file(root / old, root / new)
            remove_empty_folders((root / old).parent, root / top)
            self.watch(Message(f"moved {old} to {new}"))
        self.foreign.update(new for old, new in wanted.items() if old in self.foreign)
        self._leave([*wanted, *wanted.values(), *changed])
        return tuple(wanted.items())

    def _write_index(self) -> None:
        for path, text in self.index_files(link_tree(self.tree())).items():
            file = self.settings.root / path
            if not file.is_file() or file.read_bytes() != text.encode("utf-8"):
                self.ledger.claim([path])
                write_atomic(file, text.encode("utf-8"))
                self._leave([path])
                self.foreign.discard(path)  # all of it is ours again

    def _commit(self, records: tuple[Record, ...]) -> str | None:
        if self.git is None:
            return None
        message = commit_message(records, self.settings.docs_dir, self.verb)
        ours = [path for path in self.ledger.claimed() if path not in self.foreign]
        commit = self.git.commit(ours, message, self.branch)
        if commit:
            self.watch(Message(f"commit {commit}: {message.partition(chr(10))[0]}"))
        return commit
