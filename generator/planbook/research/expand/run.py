"""A run of `planbook expand`, from the selection of PARTs to the commit.

Read it from top to bottom.

::

    Run.fill
        open_recorder   hold the lock, complete what a killed run began         recorder.py
        _select         the open PARTs, with what the base knows about them
        _Dispatcher     give jobs to workers, record results in PART order      worker.py
        finish          write INDEX and SKILL, commit                           recorder.py

`forecast` has the same selection and checks, and the most requests instead.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import TypeVar

from planbook.library import Library
from planbook.model import State
from planbook.research import drafts
from planbook.research.expand.cancellation import CancelToken
from planbook.research.expand.jobs import (
    BaseAtStart,
    Job,
    JobOutcome,
    Result,
    StartJob,
    Workers,
    describe_end,
    job_event,
)
from planbook.research.leases import ClaimedError, LeaseBook, check_unclaimed
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.events import Event
from planbook.research.recording.file_digests import file_sha256
from planbook.research.recording.preflight import check_files, check_pages
from planbook.research.recording.record import Record, compose_record, mark_of_part, verdict_on
from planbook.research.recording.recorder import Recorder, RunSummary, open_recorder
from planbook.research.recording.verdicts import PageVerdict
from planbook.research.search.chain import PLAN
from planbook.research.selection import (
    Choice,
    ReadOrigins,
    RunSelection,
    SkippedPart,
    add_prior_knowledge,
    plan_origins,
    select,
)
from planbook.store.files import UnwritableError
from planbook.store.scan import LEADS_OUT, UNREADABLE
from planbook.store.trees import scan_docs

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The outcome of a run."""

    selection: RunSelection
    results: tuple[Result, ...]
    """The result of each page that was begun, in PART order."""
    unfinished: int
    """Number of pages that were not started or not finished."""
    summary: RunSummary
    usage: drafts.Usage
    stopped: str | None
    """Why the run was cancelled before its end."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of `planbook expand`."""

    config: RecordingConfig
    _: KW_ONLY
    open_workers: Workers
    runner: str
    """The name of the runner in the drops."""
    min_answered: float = 0.0
    """The percentage of points that a page must answer for its PART to be done."""
    token: CancelToken = field(default_factory=CancelToken)
    parallel: int = 4
    """Number of pages to work on at a time."""
    read_origins: ReadOrigins = plan_origins
    """Returns what the page of an entry is made from, for its drop."""

    def fill(self, choice: Choice) -> RunOutcome:
        """Fill the PARTs of `choice`, and record the results.

        Raises:
            RefusedError: the run was not started.
            NotFoundError: there is no such plan or PART.
            UnwritableError: the disk is full, for example; the next run continues.
        """
        with open_recorder(self.config) as recorder:
            selection, library = self._select(recorder, choice)
            jobs = list(self._jobs(selection, library))
            dispatcher = _Dispatcher(self, recorder, jobs)
            dispatcher.emit(Event("RunStarted", details={"pages": len(jobs)}))
            self._announce_replacements(dispatcher, selection, jobs)
            _report_unreadable(dispatcher, library)
            if jobs:
                started = self.config.clock.stamp()
                files = frozenset(scan_docs(self.config.settings).files)
                planned = frozenset(library.by_uri) - files
                base = BaseAtStart(files, planned, recorder.started or started)
                count = min(self.parallel, len(jobs))
                with self.open_workers(base, count, self.token, dispatcher.emit) as start_job:
                    recorder.begin_run(started)
                    dispatcher.run(start_job)
            results = dispatcher.results
            unfinished = len(jobs) - sum(result.outcome in _SETTLED_OUTCOMES for result in results)
            summary = recorder.finish(is_continued=unfinished > 0)
            stopped = self.token.reason if unfinished else None
            return RunOutcome(selection, results, unfinished, summary, self.token.usage, stopped)

    def _announce_replacements(
        self, dispatcher: _Dispatcher, selection: RunSelection, jobs: Sequence[Job]
    ) -> None:
        """Say which pages will be replaced, and why."""
        for job in jobs:
            replacement = _describe_replacement(job, selection, self.config.docs)
            if replacement:
                dispatcher.emit(job_event(job, "Message", replacement))

    def _jobs(self, selection: RunSelection, library: Library) -> Iterator[Job]:
        """Yield a job for each page, with what it is made from."""
        docs = self.config.settings.root / self.config.docs
        digests = {replaced.page: replaced.sha256 for replaced in selection.replaced}
        for n, brief in enumerate(selection.briefs):
            page_sha256 = file_sha256(docs / brief.page)
            entries = library.entries_of(brief.plan, brief.part)
            entry = next(entry for entry in entries if entry.uri == brief.page)
            yield Job(
                n,
                brief,
                before=page_sha256,
                made_from=tuple(self.read_origins(entry).items()),
                is_edited=is_edited(digests.get(brief.page, ""), page_sha256),
            )

    def _select(self, recorder: Recorder, choice: Choice) -> tuple[RunSelection, Library]:
        """Return the PARTs to fill, after checking that their pages can be written.

        PARTs that somebody has claimed are skipped.
        """
        library = recorder.read()
        now = self.config.clock.now()
        leases = LeaseBook(self.config.settings.root).current(now)
        selection = select(library, choice, now, self.read_origins, leases)
        if choice.redo and recorder.git:
            check_pages(self.config, recorder.git, selection.briefs)
        # What an interrupted run recorded is left out: its failures are not repeated.
        recorded = {(record.plan, record.number, record.page) for record in recorder.records}
        remaining: list[drafts.Brief] = []
        skipped = list(selection.skipped)
        for brief in selection.briefs:
            if (brief.plan.slug, brief.part.number, str(brief.page)) in recorded:
                skipped.append(
                    SkippedPart(brief.plan, brief.part, "recorded by the interrupted run")
                )
            else:
                remaining.append(brief)
        check_files(self.config, recorder.git, remaining, library)
        briefs = add_prior_knowledge(
            remaining, library, {record.page for record in recorder.records}
        )
        return RunSelection(briefs, tuple(skipped), selection.replaced), library


def is_edited(recorded: str, now: str | None) -> bool:
    """Return True if a page that a run made is there and has another hash now.

    `recorded` is its hash when it was made, and empty if no run made it.
    """
    return bool(recorded) and now is not None and now != recorded


def _describe_replacement(job: Job, selection: RunSelection, docs: str) -> str:
    """Return which page a job replaces, and why; empty if it replaces none."""
    reasons = [other.why for other in selection.replaced if other.page == job.brief.page]
    if not reasons or not reasons[0]:
        return ""
    why, page = reasons[0], f"{docs}/{job.brief.page}"
    if job.is_edited:
        message = "kept as it is: somebody has changed it since it was made"
        return f"{page} is written again ({why}), and {message}"
    return f"{page} will be replaced: {why}"


def _report_unreadable(dispatcher: _Dispatcher, library: Library) -> None:
    """Report the files of the base that could not be read."""
    for problem in library.problems:
        if problem.code in {LEADS_OUT, UNREADABLE}:
            text = f"{problem.uri}:{problem.line}: {problem.message}"
            dispatcher.emit(Event("Message", text))


# --- dispatch -------------------------------------------------------------------------------------

_POLL_S = 0.2
"""A signal that arrives just as the main thread begins to wait is handled after this time."""
_ENDED_OUTCOMES = frozenset({JobOutcome.DONE, JobOutcome.FAILED})
_SETTLED_OUTCOMES = _ENDED_OUTCOMES | {JobOutcome.CLAIMED}
"""The outcomes after which the next run need not go on with a page."""


class _Dispatcher:
    """Gives jobs to workers, and their results to the recorder.

    `emit` runs in any thread, the rest in one.
    """

    def __init__(self, run: Run, recorder: Recorder, jobs: Sequence[Job]) -> None:
        self._run, self._recorder = run, recorder
        self._leases = LeaseBook(run.config.settings.root)
        self._jobs = jobs
        self._results: dict[int, Result] = {}
        self._verdicts: dict[int, PageVerdict] = {}
        """The verdicts on the pages whose jobs have ended. Both are by the index of the job."""
        self._lock = threading.Lock()
        self._unwritable: UnwritableError | None = None
        self._is_reached = False

    @property
    def results(self) -> tuple[Result, ...]:
        """The results so far, in PART order."""
        return tuple(self._results[n] for n in sorted(self._results))

    def emit(self, event: Event) -> None:
        """Take an event."""
        with self._lock:
            self._run.config.watch(event)

    def run(self, start_job: StartJob) -> None:
        """Run the jobs until all have ended or the run is cancelled. Raises UnwritableError."""
        token = self._run.token
        waiting, unrecorded = deque(self._jobs), deque(self._jobs)
        ended = SimpleQueue[tuple[Job, Future[Result]]]()
        running = 0
        try:
            while True:
                while waiting and running < self._run.parallel and token.reason is None:
                    job = waiting.popleft()
                    if self._is_free(job):
                        self._start(job, start_job, ended)
                        running += 1
                if not running:
                    break
                self._take(*_wait_for(ended))
                running -= 1
                while unrecorded and unrecorded[0].index in self._results:
                    self._record(unrecorded.popleft())
            if self._unwritable:
                raise self._unwritable
            # A cancelled run records finished pages, even those after an unfinished one.
            for job in unrecorded:
                self._record(job)
        except BaseException:
            token.cancel("the run was aborted")
            raise

    def _is_free(self, job: Job) -> bool:
        """Return True if nobody has claimed the PART of a job since the run began."""
        leases = self._leases.current(self._run.config.clock.now())
        try:
            check_unclaimed(leases, job.brief.plan, job.brief.part, self._run.runner)
        except ClaimedError as error:
            self._leave(job, error)
            return False
        return True

    def _leave(self, job: Job, error: ClaimedError) -> None:
        """Leave the PART of a job to whoever has claimed it; its page is not written."""
        self._verdicts.pop(job.index, None)
        result = Result.without_page(job, JobOutcome.CLAIMED, str(error))
        self._results[job.index] = result
        self.emit(describe_end(result))

    def _start(
        self,
        job: Job,
        start_job: StartJob,
        ended: SimpleQueue[tuple[Job, Future[Result]]],
    ) -> None:
        """Give a job to a worker, and have its end announced in a queue."""
        job = replace(job, started=self._run.config.clock.stamp())
        self.emit(job_event(job, "PartStarted", job.brief.page))
        start_job(job).add_done_callback(lambda future: ended.put((job, future)))

    def _take(self, job: Job, future: Future[Result]) -> None:
        """Take the result of a job; the first one that reached nobody ends the run."""
        result = self._end(job, future)
        self._results[result.job.index] = result
        self._is_reached = self._is_reached or result.outcome in _ENDED_OUTCOMES
        if result.outcome is JobOutcome.UNREACHED and not self._is_reached:
            self._run.token.cancel(_describe_unreached(result))

    def _end(self, job: Job, future: Future[Result]) -> Result:
        """Return the result of a job, whatever became of its worker."""
        try:
            result = future.result()
        except CancelledError:  # the cluster is gone, so the job cannot run elsewhere
            self._run.token.cancel("the workers are no longer reachable")
            reason = "its worker is no longer reachable"
            result = Result.without_page(job, JobOutcome.STOPPED, reason)
        except UnwritableError as error:
            self._unwritable = error
            self._run.token.cancel(str(error))
            result = Result.without_page(job, JobOutcome.STOPPED, str(error))
        except Exception as error:  # noqa: BLE001 - the worker itself is gone, perhaps elsewhere
            reason = f"its worker failed: {error}"
            result = Result.without_page(job, JobOutcome.FAILED, reason)
        if not result.page.finished:
            page = replace(result.page, finished=self._run.config.clock.stamp())
            result = replace(result, page=page)
        self.emit(describe_end(result))
        return result

    def _record(self, job: Job) -> None:
        """Record the result of a job, if it has ended."""
        result = self._results.get(job.index)
        if result is None or result.outcome not in _ENDED_OUTCOMES:
            return
        page = result.page
        verdict = verdict_on(page, self._run.min_answered, is_edited=result.job.is_edited)
        self._verdicts[job.index] = verdict
        self._recorder.keep_texts(page.sources)
        record = compose_record(
            page,
            self._run.runner,
            verdict,
            made_from=result.job.made_from,
            before=job.before,
            mark=self._mark(job),
        )
        try:
            self._write(record, job)
        except ClaimedError as error:
            self._leave(job, error)
        else:
            # Recorded results need no memory.
            self._results[job.index] = replace(result, page=replace(page, sources=(), draft=None))

    def _write(self, record: Record, job: Job) -> None:
        """Write the record of a job. Raises ClaimedError if somebody has claimed its PART."""
        brief, config = job.brief, self._run.config
        # The recorder reports through `config.watch`, which one thread at a time may call: so under
        # the lock of `emit`. Nothing in it may call `emit`, which would wait for this lock forever.
        with (
            self._leases.finishing(brief.plan, brief.part, self._run.runner, config.clock.now()),
            self._lock,
        ):
            self._recorder.write_record(record, brief.plan)

    def _mark(self, job: Job) -> State | None:
        """Return the PART's mark.

        Only the last of its pages sets one, and only if all are finished.
        """
        jobs = [other for other in self._jobs if other.heading == job.heading]
        verdicts = [self._verdicts[other.index] for other in jobs if other.index in self._verdicts]
        if job is not jobs[-1] or len(verdicts) < len(jobs):
            return None
        return mark_of_part(verdicts, had_pages=all(other.before is not None for other in jobs))


def _describe_unreached(result: Result) -> str:
    """Return why a page, and so the run, got no further.

    Nobody answered, or there was nobody to ask.
    """
    was_asked = any(search.provider != PLAN or search.hits for search in result.page.searched)
    return f"no host could be reached: {result.page.reason}" if was_asked else result.page.reason


def _wait_for(queue: SimpleQueue[T]) -> T:
    """Return the next entry. Signals are handled meanwhile."""
    while True:
        with suppress(Empty):
            return queue.get(timeout=_POLL_S)
