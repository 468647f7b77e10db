"""A run of `planbook expand`, from the selection of PARTs to the commit. Read it from top to bottom.

::

    Run.fill
        open_recorder   hold the lock, open the ledger, complete what an interrupted run began  recorder.py
        _select         the open PARTs, with what the base knows about them
        _begin          a task for each page, new or continued
        _Dispatcher     give jobs to workers, save each stage, retry failures,                  worker.py
                        record results in PART order
        finish          move completed plans, write INDEX and SKILL, commit                     recorder.py
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from queue import SimpleQueue
from typing import Any

import msgspec

from generator.drafts import Brief
from generator.expand.artifacts import Artifact, ArtifactError, decode_if_whole
from generator.expand.briefs import add_prior_knowledge
from generator.expand.cancellation import CancelToken, Usage
from generator.expand.events import (
    ATTEMPTS,
    Event,
    EventHandler,
    Job,
    JobOutcome,
    JobStage,
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
from generator.model import Problem, State
from generator.research.select import Choice, Passed, RunSelection, select
from generator.store.files import UnwritableError
from generator.store.ledger import PartRow, PartStatus

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
    troubles: tuple[str, ...]
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
            results = dispatcher.results
            left = len(tasks) - sum(result.outcome in _ENDED for result in results)
            stopped = self.token.reason if left else None
            troubles = tuple(dispatcher.troubles)
            return RunOutcome(selection, results, troubles, left, summary, self.token.usage, stopped)

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

_POLL_S = 0.1
"""A worker that waits for the recorder checks this often whether the run is over."""
_ENDED = frozenset({JobOutcome.DONE, JobOutcome.FAILED})


class _Dispatcher:
    """Gives jobs to workers, and their results to the recorder. `emit` runs in any thread, the rest in one."""

    def __init__(self, run: Run, recorder: Recorder, tasks: Sequence[_Task]) -> None:
        self._run, self._recorder, self._tasks = run, recorder, tasks
        self._by_id = {task.row.id: task for task in tasks}
        self._results: dict[int, Result] = {}
        self._partial: set[int] = set()
        """Rows of pages that answer too few points."""
        self.troubles: list[str] = []
        """Files that could not be written as intended."""
        self._recorded = 0
        self._events: SimpleQueue[tuple[Event, threading.Event | None]] = SimpleQueue()
        self._unwritable: UnwritableError | None = None
        self._is_over = False
        self._is_reached = False

    @property
    def results(self) -> tuple[Result, ...]:
        """The results so far, in PART order."""
        return tuple(self._results[task.row.id] for task in self._tasks if task.row.id in self._results)

    def emit(self, event: Event) -> None:
        """Take an event from a worker of this process.

        When it returns, the result of a finished stage is on disk: no stage starts before that.
        """
        if isinstance(event, UsageAdded):
            self._run.token.spend(event.usage)
        saved = threading.Event() if isinstance(event, StageFinished) else None
        self._events.put((event, saved))
        while saved is not None and not saved.wait(_POLL_S) and not self._is_over:
            continue

    def run(self, submit: Submit) -> None:
        """Run the tasks until all have ended or the run is cancelled. Raises UnwritableError."""
        try:
            self._loop(submit)
            if self._unwritable:
                raise self._unwritable
            # A cancelled run records finished pages, even those after an unfinished one.
            for n in range(self._recorded, len(self._tasks)):
                self._record(n)
        except BaseException:
            self._run.token.cancel("the run was aborted")
            raise
        finally:
            self._is_over = True

    def _loop(self, submit: Submit) -> None:
        waiting = deque((task, 1) for task in self._tasks)
        running: set[int] = set()
        while True:
            while waiting and len(running) < self._run.parallel and self._run.token.reason is None:
                job = self._make_job(*waiting.popleft())
                running.add(job.part)
                self._run.config.watch(PartStarted(job))
                submit(job).add_done_callback(partial(self._job_done, job))
            if not running:
                return
            event, saved = self._events.get()
            self._run.config.watch(event)
            if isinstance(event, StageFinished):
                self._recorder.save_stage(event)
            if saved is not None:
                saved.set()
            if isinstance(event, PartFinished):
                running.discard(event.result.job.part)
                if self._is_retried(event.result):
                    waiting.appendleft((self._by_id[event.result.job.part], event.result.job.attempt + 1))
                while self._recorded < len(self._tasks) and self._tasks[self._recorded].row.id in self._results:
                    self._record(self._recorded)
                    self._recorded += 1

    def _make_job(self, task: _Task, attempt: int) -> Job:
        """Return the attempt with its saved stages; the next attempt, if an interrupted run failed at this one."""
        ledger, part = self._recorder.ledger, task.row.id
        started, failure = ledger.begin_attempt(part, attempt, self._run.config.clock.now())
        if failure is not None and attempt < ATTEMPTS:
            return self._make_job(task, attempt + 1)
        artifacts, spent = self._saved_stages(part, attempt)
        earlier, _ = self._saved_stages(part, attempt - 1)
        findings = decode_if_whole(earlier.get(JobStage.RULES), tuple[Problem, ...]) or ()
        return Job(part, task.brief, attempt, started, artifacts, spent, earlier, failure, findings)

    def _saved_stages(self, part: int, attempt: int) -> tuple[dict[str, Artifact], Usage]:
        """Return the results of an attempt's stages and their cost, without damaged ones, which run again."""
        artifacts, spent = {}, Usage()
        for stage, row in self._recorder.ledger.stages(part, attempt).items():
            try:
                artifacts[stage] = self._recorder.load(row.artifact)
            except ArtifactError:
                continue
            spent += Usage(row.requests, row.tokens)
        return artifacts, spent

    def _job_done(self, job: Job, future: Future[Result]) -> None:
        """Queue the result of a job, in the thread that it ended in."""
        try:
            error = future.exception()
        except CancelledError:  # the cluster is gone, so the job cannot run elsewhere
            self._run.token.cancel("the workers are no longer reachable")
            self._end(Result(job, JobOutcome.STOPPED, "its worker is no longer reachable"))
            return
        if isinstance(error, UnwritableError):
            self._unwritable = error
            self._run.token.cancel(str(error))
            self._end(Result(job, JobOutcome.STOPPED, str(error)))
        elif error is not None:  # the worker itself is gone, such as one on another machine
            self._end(Result(job, JobOutcome.FAILED, f"its worker failed: {error}"))
        else:
            self._end(future.result())

    def _end(self, result: Result) -> None:
        for stage in result.stages:
            self._run.token.spend(stage.usage)
            self._events.put((stage, None))
        finished = result.finished or self._run.config.clock.now()
        self._events.put((PartFinished(replace(result, finished=finished, stages=())), None))

    def _is_retried(self, result: Result) -> bool:
        """Take a result, and return whether the page gets another attempt."""
        job, token = result.job, self._run.token
        self._is_reached = self._is_reached or result.outcome in _ENDED
        if result.outcome is JobOutcome.FAILED:
            self._recorder.ledger.fail_attempt(job.part, job.attempt, result.reason)
            if job.attempt < ATTEMPTS and token.reason is None:
                return True
            if job.attempt < ATTEMPTS:  # the next run makes the second attempt
                result = replace(result, outcome=JobOutcome.STOPPED)
        if result.outcome is JobOutcome.UNREACHED and not self._is_reached:
            token.cancel(f"no host could be reached: {result.reason}")
        self._results[job.part] = result
        return False

    def _record(self, n: int) -> None:
        """Record the result of a task, if it has ended."""
        task = self._tasks[n]
        result = self._results.get(task.row.id)
        if result is None or result.outcome not in _ENDED:
            return
        record = self._run.make_record(result)
        if record.mark is State.PARTIAL:
            self._partial.add(task.row.id)
        record = replace(record, before=task.before, mark=self._mark(n))
        trouble = self._recorder.record(task.row, record, task.brief.plan)
        self._results[task.row.id] = replace(result, sources=(), draft=None)  # recorded results need no memory
        if trouble:
            self.troubles.append(f"{result.job.name}: {trouble}")

    def _mark(self, n: int) -> State | None:
        """Return the PART's mark: only the last of its pages sets one, and only if all are finished."""
        siblings = [m for m, task in enumerate(self._tasks) if task.part == self._tasks[n].part]
        ids = [self._tasks[m].row.id for m in siblings]
        outcomes = [self._results[id_].outcome for id_ in ids if id_ in self._results]
        if n != siblings[-1] or len(outcomes) < len(siblings) or not set(outcomes) <= _ENDED:
            return None
        if JobOutcome.FAILED not in outcomes:
            return State.PARTIAL if self._partial.intersection(ids) else State.DONE
        was_there = all(self._tasks[m].before is not None for m in siblings)
        return None if was_there else State.PARTIAL  # the old page still exists


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
