"""Submission of a page that a person or another program wrote: checked by the rules, then recorded.

::

    read ─> complete references ─> rules, sentences ─┬─ refused ─> what to change
                                                     └─ accepted ─> page, drop, mark, commit

Attempts that are refused are kept. Only recording holds the lock: several runners may have their
pages checked at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from planbook import store
from planbook.library import Library, link_tree
from planbook.library.drops import find_acceptances
from planbook.library.pages import fingerprint
from planbook.model import FINISHED_STATES, DropUri, State, Tree
from planbook.research import selection
from planbook.research.drafts import Brief, Source
from planbook.research.evidence.dossier import DossierStore
from planbook.research.git import Git, find_usable_git, shared_folder
from planbook.research.leases import Lease, LeaseBook, check_unclaimed
from planbook.research.proof.sentences import Judge
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.drop import read_notes_in_drop
from planbook.research.recording.file_digests import file_sha256
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.recording.preflight import check_files
from planbook.research.recording.record import Record, compose_record, mark_of_part, verdict_on
from planbook.research.recording.recorder import RunSummary, open_recorder
from planbook.research.submission.gathered_works import refuse_unread
from planbook.research.submission.page_check import PageChecker, ReadCited
from planbook.research.submission.refusals import RefusalLog
from planbook.research.submission.submit_result import SubmitResult


def submit(  # noqa: PLR0913 - what a person's page needs
    config: RecordingConfig,
    plan_name: str,
    number: int,
    read: ReadCited,
    *,
    runner: str,
    judge: Judge | None = None,
    notes: tuple[str, ...] = (),
    is_check: bool = False,
) -> SubmitResult:
    """Check the pages of a PART and, if all of them are accepted, record them.

    Args:
        config: the setup of the run.
        plan_name: the plan's path, slug or file name.
        number: the PART's number.
        read: reads the works that the pages cite.
        runner: the runner's name for the drop.
        judge: judges sentences against the quotes that they cite, if there is one.
        notes: lines of the runner for the drop.
        is_check: true to check only: nothing is written, no try is kept, and no claim refuses it.

    Raises:
        NotFoundError: there is no such plan or PART.
        ClaimedError: somebody else has claimed the PART.
        RefusedError: a page is missing or changed meanwhile, or nothing can be recorded here.
    """
    submission = _Submission(_OpenProject.read(config), plan_name, number, runner, notes)
    if not is_check:
        submission.refuse_if_claimed()
        submission.refuse_unwritable()
    result = submission.check(read, judge, is_check=is_check)
    if is_check:
        return replace(result, is_check=True)
    if not result.is_accepted:
        submission.keep_refusal(result)
        return result
    if not notes and submission.is_recorded(result):
        submission.end_lease()
        return replace(result, is_unchanged=True)
    return replace(result, summary=submission.record(result))


def check_accepted(
    config: RecordingConfig, read: ReadCited, *, judge: Judge | None = None
) -> Iterator[SubmitResult]:
    """Check the pages that were accepted before, as they are now; nothing is written.

    Those are the pages of PARTs that are marked as done or partial and have a drop for each page.

    Args:
        config: the setup of the run.
        read: reads the works that the pages cite.
        judge: judges sentences against the quotes that they cite, if there is one.

    Yields:
        The result of each PART, in the order of the plans.

    Raises:
        RefusedError: a file of the project cannot be read.
    """
    project = _OpenProject.read(config)
    for entries in project.library.by_part.values():
        plan, part = entries[0].plan, entries[0].part
        has_all_files = all(entry.page and entry.drop for entry in entries)
        if part.state in FINISHED_STATES and has_all_files:
            submission = _Submission(project, str(plan.uri), part.number, runner="")
            yield replace(submission.check(read, judge, is_check=True), is_check=True)


@dataclass(frozen=True, slots=True)
class _OpenProject:
    """A project as it was when the first of its submissions began."""

    config: RecordingConfig
    tree: Tree
    library: Library
    git: Git | None
    """The repository to commit to; ``None`` if nothing is committed."""
    refusals: RefusalLog
    book: LeaseBook
    leases: Mapping[tuple[str, int], Lease]

    @classmethod
    def read(cls, config: RecordingConfig) -> _OpenProject:
        """Return a project as it is now. Raises RefusedError."""
        root = config.settings.root
        tree = store.read_tree(config.settings)
        book = LeaseBook(root)
        return cls(
            config=config,
            tree=tree,
            library=link_tree(tree, config.cache),
            git=find_usable_git(root) if config.commit else None,
            refusals=RefusalLog(shared_folder(root)),
            book=book,
            leases=book.current(config.clock.now()),
        )


class _Submission:
    """The pages of one PART that somebody submits; a method for each stage.

    Raises:
        NotFoundError: there is no such plan or PART.
        RefusedError: a page is missing, or a file of the project cannot be read.
    """

    def __init__(
        self,
        project: _OpenProject,
        plan_name: str,
        number: int,
        runner: str,
        notes: tuple[str, ...] = (),
    ) -> None:
        config = project.config
        self._runner, self._notes = runner, notes
        self._tree, self._library = project.tree, project.library
        briefs = selection.briefs_of(self._library, plan_name, number, config.clock.now())
        self._briefs = tuple(_choose_own_drop(brief, self._library, runner) for brief in briefs)
        self._plan, self._part = briefs[0].plan, briefs[0].part
        paths = tuple(f"{config.docs}/{brief.page}" for brief in briefs)
        for brief, path in zip(briefs, paths, strict=True):
            if brief.page not in self._tree.pages:
                fix = f"write it first (`planbook brief {plan_name} {number}`)"
                raise store.RefusedError(f"{path} does not exist; {fix}")
        # The runner may have staged the page or the plan: both belong to the commit.
        self._config = replace(config, may_be_staged=(*paths, str(self._plan.uri)))
        self._root = config.settings.root
        self._git, self._refusals = project.git, project.refusals
        self._book, self._leases = project.book, project.leases

    # --- before the check -------------------------------------------------------------------------

    def refuse_if_claimed(self) -> None:
        """Raise ClaimedError if somebody else has the PART, before anything is read."""
        check_unclaimed(self._leases, self._plan, self._part, self._runner)

    def refuse_unwritable(self) -> None:
        """Raise RefusedError if a file could not be written or committed."""
        check_files(self._config, self._git, self._briefs, self._library)

    # --- the check --------------------------------------------------------------------------------

    def check(
        self, read: ReadCited, judge: Judge | None, *, is_check: bool = False
    ) -> SubmitResult:
        """Return what the rules find on each page, and the judge, if there is one."""
        config = self._config
        missing = frozenset(self._library.by_uri) - self._tree.pages.keys()
        gathered = {brief.page: _gathered_works(config, brief) for brief in self._briefs}
        checker = PageChecker(config, self._tree, missing, read, judge, is_check)
        pages = []
        for brief in self._briefs:
            page = checker.check(brief, gathered[brief.page])
            notes = self._notes or _earlier_notes(brief, self._library, self._runner)
            pages.append(self._as_of_holder(replace(page, notes=notes)))
        return SubmitResult(tuple(pages), gathered=gathered)

    def _as_of_holder(self, page: PageAttempt) -> PageAttempt:
        """Return the page of a runner that holds a lease.

        It began with its claim, and may cite only what it has read.
        """
        lease = self._leases.get((self._plan.slug, self._part.number))
        if lease is None:
            return page
        return refuse_unread(replace(page, started=lease.since), self._config)

    # --- after the check --------------------------------------------------------------------------

    def keep_refusal(self, result: SubmitResult) -> None:
        """Keep why the pages are not accepted. Raises RefusedError and UnwritableError."""
        moment = self._config.clock.stamp()
        for page in result.pages:
            self._refusals.add(page.brief, moment, self._runner, page.findings)

    def is_recorded(self, result: SubmitResult) -> bool:
        """Return whether the pages are committed as they are.

        The drops of this runner and the mark of their PART are committed, too.
        """
        if self._git is None:
            return False
        if not all(_own_drops(brief, self._library, self._runner) for brief in self._briefs):
            return False
        for page in result.pages:
            text = page.draft.text if page.draft else ""
            if text.encode() != self._tree.pages[page.brief.page]:
                return False
            if self._was_changed(page.brief, text):
                return False
        if self._part.state is not _mark_of_pages(result.pages):
            return False
        paths = [str(self._plan.uri)]
        for brief in self._briefs:
            paths += [f"{self._config.docs}/{brief.page}", str(brief.drop)]
        return not self._git.changed(paths)

    def _was_changed(self, brief: Brief, text: str) -> bool:
        """Return whether a page is another than its newest drop says; false without a hash.

        Its runner may have committed the change.
        """
        accepted = find_acceptances(self._library.drops)
        drop = accepted.get((brief.plan.slug, brief.part.number, str(brief.page)))
        return drop is not None and drop.text_sha256 not in {"", fingerprint(text)}

    def end_lease(self) -> None:
        """End the runner's lease, if there is one. Raises RefusedError and UnwritableError."""
        self._book.release(self._plan, self._part, self._runner, self._config.clock.now())

    def record(self, result: SubmitResult) -> RunSummary:
        """Write pages, drops and the mark, commit, and end the runner's lease.

        Meanwhile nobody else can record, or claim the PART.

        Raises:
            ClaimedError: somebody else has claimed the PART while it was checked.
            RefusedError: a page was changed meanwhile, or git is not ready for a commit.
        """
        config = self._config
        finished = config.clock.stamp()
        with (
            open_recorder(config) as recorder,
            self._book.finishing(self._plan, self._part, self._runner, config.clock.now()),
        ):
            # First for all pages: a refusal leaves none of them recorded.
            for page in result.pages:
                self._refuse_changed(page.brief)
            for page in result.pages:
                recorder.write_record(self._record_of(page, result.pages, finished), self._plan)
            return recorder.finish()

    def _refuse_changed(self, brief: Brief) -> None:
        """Raise RefusedError if a page is not as it was checked."""
        path = self._root / self._config.docs / brief.page
        if not path.is_file() or path.read_bytes() != self._tree.pages[brief.page]:
            defect = f"{self._config.docs}/{brief.page} was changed while it was checked"
            raise store.RefusedError(f"{defect}; run the same command again")

    def _record_of(
        self, page: PageAttempt, pages: tuple[PageAttempt, ...], finished: str
    ) -> Record:
        """Return the record of a page; that of the last one has the PART's mark."""
        brief = page.brief
        refused = self._refusals.read(brief)
        with_history = replace(
            page,
            finished=finished,
            retries=len(refused),
            refusals=tuple(attempt.summary for attempt in refused),
        )
        return compose_record(
            with_history,
            self._runner,
            verdict_on(with_history),
            before=file_sha256(self._root / self._config.docs / brief.page),
            drop_before=file_sha256(self._root / str(brief.drop)),
            mark=_mark_of_pages(pages) if page is pages[-1] else None,
            is_again=brief.part.state in FINISHED_STATES,
        )


def _mark_of_pages(pages: Sequence[PageAttempt]) -> State | None:
    """Return the mark of a PART with these pages."""
    return mark_of_part([verdict_on(page) for page in pages], had_pages=True)


def _earlier_notes(brief: Brief, library: Library, runner: str) -> tuple[str, ...]:
    """Return the notes in the drop of this runner that is replaced; notes of now replace them."""
    drops = {drop.uri: drop for drop in library.drops}
    earlier_drops = _own_drops(brief, library, runner)
    return read_notes_in_drop(drops[max(earlier_drops)].body) if earlier_drops else ()


def _choose_own_drop(brief: Brief, library: Library, runner: str) -> Brief:
    """Return the brief with the drop that this runner left for this page before, to replace it."""
    earlier_drops = _own_drops(brief, library, runner)
    return replace(brief, drop=max(earlier_drops)) if earlier_drops else brief


def _own_drops(brief: Brief, library: Library, runner: str) -> list[DropUri]:
    """Return the drops that this runner left for this page."""
    key = (brief.plan.slug, brief.part.number, str(brief.page), runner)
    return [
        drop.uri for drop in library.drops if (drop.plan, drop.part, drop.page, drop.runner) == key
    ]


def _gathered_works(config: RecordingConfig, brief: Brief) -> tuple[Source, ...]:
    """Return the works of a page's dossier that have a text."""
    dossier = DossierStore(shared_folder(config.settings.root)).load(brief)
    if dossier is None:
        return ()
    return tuple(source for source in dossier.sources if source.fetched.is_read)
