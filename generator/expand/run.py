"""A run of `planbook expand`, from the selection of PARTs to the commit. Read it from top to bottom.

::

    Run.fill
        open_recorder   hold the lock, open the ledger, complete what an interrupted run began  recorder.py
        _select         the open PARTs, with what the base knows about them
        _begin          a task for each page, new or continued
        _Dispatcher     give jobs to workers, save each stage, retry failures,                  worker.py
                        record results in PART order                                    recorder.py
        finish          move completed plans, write INDEX and SKILL, commit                     recorder.py
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import msgspec

from generator.drafts import Brief
from generator.expand.briefs import add_prior_knowledge
from generator.expand.cancellation import CancelToken, Usage
from generator.expand.events import (
    ATTEMPTS,
    Event,
    EventHandler,
    Job,
    JobOutcome,
    PartFinished,
    PartStarted,
    Result,
    StageFinished,
    UsageAdded,
)
from generator.expand.options import RunConfig
from generator.expand.preflight import check_files, check_pages
from generator.expand.record import Record, file_sha256
from generator.expand.recorder import Recorder, RunSummary, open_recorder
from generator.library import link_tree
from generator.model import State
from generator.research.select import Choice, Passed, RunSelection, select
from generator.store.files import UnwritableError
from generator.store.ledger import PartRow, PartStatus

T = TypeVar("T")

Submit = Callable[[Job], "Future[Result]"]
"""Gives a job to a worker."""


Workers = Callable[[int, CancelToken, EventHandler], AbstractContextManager[Submit]]
"""Starts so many workers, which report events, until the end of the block: threads of this process, or a cluster."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The outcome of a run."""

    selection: RunSelection
    results: tuple[Result, ...]
    """The last result of each page that was begun, in PART order."""
    left: int
    """Number of pages that were not started or not finished."""
    summary: RunSummary
    usage: Usage
    stopped: str | None
    """Why the run was cancelled before its end."""


@dataclass(frozen=True, slots=True)
class _Task:
    """One page to fill."""

    brief: Brief
    row: PartRow
    before: str | None
    """The SHA-256 of the page when the run began."""

    @property
    def part(self) -> tuple[str, int]:
        """The path of the plan and the line of the PART in it."""
        return str(self.brief.plan.uri), self.brief.part.line


@dataclass(frozen=True, slots=True)
class Run:
    """A run of `planbook expand`."""

    config: RunConfig
    workers: Workers
    make_record: Callable[[Result], Record]
    """Returns a result's record, without `before` and `mark`."""
    token: CancelToken = field(default_factory=CancelToken)
    parallel: int = 4
    """Number of pages to work on at a time."""
    cache_key: str = ""
    """All inputs besides the plan that determine the results of stages: if they change, unfinished work starts over."""

    def fill(self, choice: Choice) -> RunOutcome:
        """Fill the PARTs of `choice`, and record the results.

        Raises:
            RefusedError: the run was not started.
            NotFoundError: there is no such plan or PART.
            UnwritableError: the disk is full, for example; the next run continues.
        """
        with open_recorder(self.config) as recorder:
            selection = self._select(recorder, choice)
            tasks = self._begin(recorder, selection.briefs)
            dispatcher = _Dispatcher(self, recorder, tasks)
            if tasks:
                count = min(self.parallel, len(tasks))
                with self.workers(count, self.token, dispatcher.emit) as submit:
                    dispatcher.run(submit)
            summary = recorder.finish()
            left = len(tasks) - sum(result.outcome in _ENDED for result in dispatcher.results)
            stopped = self.token.reason if left else None
            return RunOutcome(selection, dispatcher.results, left, summary, self.token.usage, stopped)

    def _select(self, recorder: Recorder, choice: Choice) -> RunSelection:
        """Return the PARTs to fill, after checking that their pages can be written and committed."""
        tree = recorder.read()
        library = link_tree(tree)
        selection = select(library, choice, self.config.clock.time())
        if choice.redo and recorder.git:
            check_pages(self.config, recorder.git, selection.briefs)
        selection = _without_recorded(selection, recorder.ledger.parts(PartStatus.RECORDED))
        check_files(self.config, recorder.git, selection.briefs, library)
        return replace(selection, briefs=add_prior_knowledge(selection.briefs, tree.pages))

    def _begin(self, recorder: Recorder, briefs: Sequence[Brief]) -> tuple[_Task, ...]:
        """Return a task for each brief: new, or continued from an interrupted run."""
        docs = self.config.settings.root / self.config.settings.docs_dir
        tasks = []
        for brief in briefs:
            row, whole = recorder.begin(brief, _fingerprint(brief, self.cache_key))
            tasks.append(_Task(whole, row, file_sha256(docs / brief.page)))
        return tuple(tasks)


def _without_recorded(selection: RunSelection, rows: Iterable[PartRow]) -> RunSelection:
    """Return `selection` without pages that an interrupted run recorded: its failures are not repeated."""
    recorded = {(row.plan, row.number, row.page) for row in rows}
    left, passed = list[Brief](), list(selection.passed)
    for brief in selection.briefs:
        if (brief.plan.slug, brief.part.number, str(brief.page)) in recorded:
            passed.append(Passed(brief.plan, brief.part, "recorded by the interrupted run"))
        else:
            left.append(brief)
    return RunSelection(tuple(left), tuple(passed))


# --- dispatch ------------------------------------------------------------------------------------------------------

_POLL_S = 0.2
"""A signal that arrives just as the main thread begins to wait is handled after this time."""
_ENDED = frozenset({JobOutcome.DONE, JobOutcome.FAILED})


class _Dispatcher:
    """Gives jobs to workers, and their results to the recorder. `emit` runs in any thread, the rest in one."""

    def __init__(self, run: Run, recorder: Recorder, tasks: Sequence[_Task]) -> None:
        self._run, self._recorder, self._tasks = run, recorder, tasks
        self._results: dict[int, Result] = {}
        self._partial: set[int] = set()
        """Rows of pages that answer too few points."""
        self._lock = threading.RLock()
        """Held while the recorder uses the ledger."""
        self._unwritable: UnwritableError | None = None
        self._is_reached = False

    @property
    def results(self) -> tuple[Result, ...]:
        """The results so far, in PART order."""
        return tuple(self._results[task.row.id] for task in self._tasks if task.row.id in self._results)

    def emit(self, event: Event) -> None:
        """Take an event. When it returns, the result of a finished stage is on disk: no stage starts before that."""
        artifact = self._recorder.save(event.value) if isinstance(event, StageFinished) else ""
        with self._lock:
            self._run.config.watch(event)
            if isinstance(event, UsageAdded):
                self._run.token.spend(event.usage)
            if isinstance(event, StageFinished):
                self._recorder.end_stage(event, artifact)

    def run(self, submit: Submit) -> None:
        """Run the tasks until all have ended or the run is cancelled. Raises UnwritableError."""
        waiting, unrecorded = deque((task, 1) for task in self._tasks), deque(self._tasks)
        running: dict[int, _Task] = {}
        ended = SimpleQueue[tuple[Job, Future[Result]]]()
        token = self._run.token
        try:
            while True:
                while waiting and len(running) < self._run.parallel and token.reason is None:
                    task, attempt = waiting.popleft()
                    job = self._make_job(task, attempt)
                    running[job.part] = task
                    self.emit(PartStarted(job))
                    submit(job).add_done_callback(lambda future, job=job: ended.put((job, future)))  # type: ignore[misc]
                if not running:
                    break
                result = self._end(*_wait_for(ended))
                task = running.pop(result.job.part)
                if self._is_retried(result):
                    waiting.appendleft((task, result.job.attempt + 1))
                while unrecorded and unrecorded[0].row.id in self._results:
                    self._record(unrecorded.popleft())
            if self._unwritable:
                raise self._unwritable
            for task in unrecorded:  # a cancelled run records finished pages, even those after an unfinished one
                self._record(task)
        except BaseException:
            token.cancel("the run was aborted")
            raise

    def _make_job(self, task: _Task, attempt: int) -> Job:
        """Return the attempt with its saved stages; the next attempt, if an interrupted run failed at this one."""
        part = task.row.id
        with self._lock:
            started, failure = self._recorder.ledger.begin_attempt(part, attempt, self._run.config.clock.now())
            if failure is not None and attempt < ATTEMPTS:
                return self._make_job(task, attempt + 1)
            saved, spent = self._recorder.load_stages(part, attempt)
            earlier, _ = self._recorder.load_stages(part, attempt - 1)
        return Job(part, task.brief, attempt, started, saved, spent, earlier, failure)

    def _end(self, job: Job, future: Future[Result]) -> Result:
        """Return the result of a job, whatever became of its worker."""
        try:
            result = future.result()
        except CancelledError:  # the cluster is gone, so the job cannot run elsewhere
            self._run.token.cancel("the workers are no longer reachable")
            result = Result(job, JobOutcome.STOPPED, "its worker is no longer reachable")
        except UnwritableError as error:
            self._unwritable = error
            self._run.token.cancel(str(error))
            result = Result(job, JobOutcome.STOPPED, str(error))
        except Exception as error:  # noqa: BLE001 - the worker itself is gone, such as one on another machine
            result = Result(job, JobOutcome.FAILED, f"its worker failed: {error}")
        for stage in result.stages:
            self._run.token.spend(stage.usage)
            self.emit(stage)
        result = replace(result, finished=result.finished or self._run.config.clock.now(), stages=())
        self.emit(PartFinished(result))
        return result

    def _is_retried(self, result: Result) -> bool:
        """Take a result, and return whether the page gets another attempt."""
        job, token = result.job, self._run.token
        self._is_reached = self._is_reached or result.outcome in _ENDED
        if result.outcome is JobOutcome.FAILED:
            with self._lock:
                self._recorder.ledger.fail_attempt(job.part, job.attempt, result.reason)
            if job.attempt < ATTEMPTS and token.reason is None:
                return True
            if job.attempt < ATTEMPTS:  # the next run makes the second attempt
                result = replace(result, outcome=JobOutcome.STOPPED)
        if result.outcome is JobOutcome.UNREACHED and not self._is_reached:
            token.cancel(f"no host could be reached: {result.reason}")
        self._results[job.part] = result
        return False

    def _record(self, task: _Task) -> None:
        """Record the result of a task, if it has ended."""
        result = self._results.get(task.row.id)
        if result is None or result.outcome not in _ENDED:
            return
        record = self._run.make_record(result)
        if record.mark is State.PARTIAL:
            self._partial.add(task.row.id)
        with self._lock:
            self._recorder.record(task.row, replace(record, before=task.before, mark=self._mark(task)), task.brief.plan)
        self._results[task.row.id] = replace(result, sources=(), draft=None)  # recorded results need no memory

    def _mark(self, task: _Task) -> State | None:
        """Return the PART's mark: only the last of its pages sets one, and only if all are finished."""
        siblings = [other for other in self._tasks if other.part == task.part]
        ids = [other.row.id for other in siblings]
        outcomes = [self._results[id_].outcome for id_ in ids if id_ in self._results]
        if task is not siblings[-1] or len(outcomes) < len(siblings) or not set(outcomes) <= _ENDED:
            return None
        if JobOutcome.FAILED not in outcomes:
            return State.PARTIAL if self._partial.intersection(ids) else State.DONE
        was_there = all(other.before is not None for other in siblings)
        return None if was_there else State.PARTIAL  # the old page still exists


def _wait_for(queue: SimpleQueue[T]) -> T:
    """Return the next entry. Signals are handled meanwhile."""
    while True:
        with suppress(Empty):
            return queue.get(timeout=_POLL_S)


# --- fingerprints --------------------------------------------------------------------------------------------------

_STATE_KEYS = frozenset({"line", "end_line", "status_line", "state", "completed", "note", "mark", "steps", "is_chore"})
"""Fields of a PART that do not change its work: its place in the file, its marks, and what follows from other fields.

A new field of `Part` belongs here, or work that an earlier version left unfinished starts over.
"""


def _fingerprint(brief: Brief, cache_key: str) -> str:
    """Return a hash of all that determines the results of stages; marking or moving the PART does not change it."""
    plain = [_without_state(msgspec.to_builtins(brief.part)), brief.page, brief.title, cache_key]
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_state(plain: Any) -> Any:
    if isinstance(plain, Mapping):
        return {key: _without_state(value) for key, value in plain.items() if key not in _STATE_KEYS}
    if isinstance(plain, list | tuple):
        return [_without_state(value) for value in plain]
    return plain
