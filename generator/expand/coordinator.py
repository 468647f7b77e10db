"""The coordinator: gives work to runners side by side, keeps what stages give, and has it written in PART order."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from threading import Event as Heeded
from typing import Any

from generator.drafts import Brief, Finding, Known
from generator.expand.artifacts import Artifact, ArtifactError, decode, encode, plain_value
from generator.expand.cancellation import CancelToken, Usage
from generator.expand.desk import Desk
from generator.expand.events import (
    ATTEMPTS,
    Clock,
    Event,
    Job,
    JobOutcome,
    JobStage,
    PartFinished,
    PartStarted,
    Result,
    StageFinished,
    UsageAdded,
)
from generator.expand.record import Record, fingerprint
from generator.model import State
from generator.store.files import UnwritableError
from generator.store.ledger import PartRow, StageRow

Runner = Callable[[Job], Result]
"""Makes one attempt. Values in, values out; it may run in another thread, or on another machine."""
Tell = Callable[[Event], None]
"""How a runner in this process says what it does. Another one says it by its result."""
Report = Callable[[Result], Record]
"""What is to be written for a result, but for what the coordinator knows: the state of what lies there."""

_LOOK_AGAIN_S = 0.1
"""A runner that waits for the one who writes looks so often whether there still is one."""
_PASSING = frozenset({"line", "end_line", "status_line", "state", "completed", "note", "mark", "steps"})
"""What may change in a PART while its work stays the same: where it stands, and how it is marked."""


@dataclass(frozen=True, slots=True)
class Work:
    """One page in work."""

    brief: Brief
    row: PartRow
    before: str | None
    """The SHA-256 of what lay in the page's place when the run began."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt that waits for a runner."""

    piece: Work
    number: int = 1


@dataclass(frozen=True, slots=True)
class Ends:
    """How the pages of a run ended, in PART order."""

    results: tuple[Result, ...]
    """The last attempt at each page that was begun."""
    troubles: tuple[str, ...]
    left: int
    """How many pages were not begun, or not ended."""


def take(desk: Desk, run: int, briefs: Sequence[Brief], ways: str) -> tuple[Work, ...]:
    """The work on each brief: begun now, or gone on with where a run that was cut off has left it.

    `ways` stands for everything beside the plan that decides what stages give, such as the search providers: with other
    ways, work begins anew.
    """
    docs = desk.settings.root / desk.settings.docs_dir
    taken = []
    for brief in briefs:
        knows = encode((brief.known, brief.unresolved))
        desk.keep(knows)
        key = (brief.plan.slug, brief.part.number, str(brief.page))
        row = desk.ledger.take_part(run, key, _fingerprint(brief, ways), knows.name)
        try:
            known, unresolved = decode(desk.kept(row.brief), tuple[tuple[Known, ...], tuple[str, ...]])
        except ArtifactError:
            known, unresolved = brief.known, brief.unresolved
        # What the base knew when the work began: pages that were written since then change nothing in it.
        whole = replace(brief, known=known, unresolved=unresolved)
        taken.append(Work(whole, row, fingerprint(docs / brief.page)))
    return tuple(taken)


class Coordinator:
    """One run. It is used by one thread, which is the only one that writes."""

    def __init__(self, desk: Desk, token: CancelToken, clock: Clock, report: Report) -> None:
        self._desk, self._token, self._clock, self._report = desk, token, clock, report
        self._events: SimpleQueue[tuple[Event, Heeded | None]] = SimpleQueue()
        self._is_over = False
        self._results: dict[int, Result] = {}
        self._troubles: list[str] = []
        self._unwritable: UnwritableError | None = None
        self._is_reached = False

    def tell(self, event: Event) -> None:
        """What runners in this process tell; from any thread.

        The end of a stage is on the disk when this returns: no stage begins before that.
        """
        if isinstance(event, UsageAdded):
            self._token.spend(event.usage)
        heeded = Heeded() if isinstance(event, StageFinished) else None
        self._events.put((event, heeded))
        while heeded is not None and not heeded.wait(_LOOK_AGAIN_S) and not self._is_over:
            continue

    def run(self, work: Sequence[Work], runner: Runner, executor: Executor, workers: int) -> Ends:
        """Gives the pieces of work to the runner, `workers` at a time, until all are ended or the cancel holds.

        Raises :class:`UnwritableError`, also where a runner did.
        """
        try:
            return self._run(work, runner, executor, workers)
        except BaseException:
            self._token.cancel("the run broke off")
            raise
        finally:
            self._is_over = True

    def _run(self, work: Sequence[Work], runner: Runner, executor: Executor, workers: int) -> Ends:
        waiting = deque(_Attempt(piece) for piece in work)
        by_id = {piece.row.id: piece for piece in work}
        running: set[int] = set()
        recorded = 0
        while True:
            while waiting and len(running) < workers and self._token.reason is None:
                job = self._job(waiting.popleft())
                running.add(job.part)
                self._desk.watch(PartStarted(job))
                executor.submit(runner, job).add_done_callback(partial(self._ended, job))
            if not running:
                break
            event, heeded = self._events.get()
            self._desk.watch(event)
            if isinstance(event, StageFinished):
                self._keep(event)
            if heeded is not None:
                heeded.set()
            if isinstance(event, PartFinished):
                running.discard(event.result.job.part)
                again = self._heed(by_id[event.result.job.part], event.result)
                if again:
                    waiting.appendleft(again)
                while recorded < len(work) and work[recorded].row.id in self._results:
                    self._write(work, recorded)
                    recorded += 1
        if self._unwritable:
            raise self._unwritable
        for n in range(recorded, len(work)):  # a run that stops keeps what is ready, though something before it is not
            if work[n].row.id in self._results:
                self._write(work, n)
        results = tuple(self._results[piece.row.id] for piece in work if piece.row.id in self._results)
        ended = sum(result.outcome in {JobOutcome.DONE, JobOutcome.FAILED} for result in results)
        return Ends(results, tuple(self._troubles), len(work) - ended)

    # --- attempts ------------------------------------------------------------------------------------------------

    def _job(self, attempt: _Attempt) -> Job:
        """The attempt with what is kept of it; the next one, where it has failed before."""
        piece = attempt.piece
        row = self._desk.ledger.begin_attempt(piece.row.id, attempt.number, self._clock.now())
        if row.failure is not None and attempt.number < ATTEMPTS:
            return self._job(_Attempt(piece, attempt.number + 1))
        earlier, _ = self._kept(piece, attempt.number - 1)
        kept, spent = self._kept(piece, attempt.number)
        return Job(
            piece.row.id,
            piece.brief,
            attempt.number,
            row.started,
            artifacts=kept,
            spent=spent,
            earlier=earlier,
            failure=row.failure,
            findings=_findings(earlier),
        )

    def _kept(self, piece: Work, number: int) -> tuple[dict[str, Artifact], Usage]:
        """What the stages of an attempt gave, as far as it is there, and what it cost; the others are done again."""
        kept, spent = {}, Usage()
        for stage, done in self._desk.ledger.stages(piece.row.id, number).items():
            try:
                kept[stage] = self._desk.kept(done.artifact)
            except ArtifactError:
                continue
            spent += Usage(done.requests, done.tokens)
        return kept, spent

    def _ended(self, job: Job, future: Future[Result]) -> None:
        """Takes a runner's result, from the thread that it ended in."""
        try:
            error = future.exception()
        except CancelledError:  # who was to run it is gone, and nobody else can
            self._token.cancel("whoever ran the PARTs cannot be reached any more")
            self._end(job, JobOutcome.STOPPED, "its runner cannot be reached any more")
            return
        if isinstance(error, UnwritableError):
            self._unwritable = error
            self._token.cancel(str(error))
            self._end(job, JobOutcome.STOPPED, str(error))
            return
        if error is not None:  # the runner itself is gone, such as a worker on another machine
            self._end(job, JobOutcome.FAILED, f"its runner failed: {error}")
            return
        result = future.result()
        for done in result.stages:
            self._token.spend(done.usage)
            self._events.put((StageFinished(job, done.stage, done.artifact, done.usage), None))
        self._events.put((PartFinished(replace(result, stages=())), None))

    def _end(self, job: Job, end: JobOutcome, reason: str) -> None:
        """Put the end of an attempt whose runner gave no result."""
        self._events.put((PartFinished(Result(job, end, reason, finished=self._clock.now())), None))

    def _keep(self, event: StageFinished) -> None:
        self._desk.keep(event.artifact)
        done = StageRow(event.artifact.name, event.usage.requests, event.usage.tokens)
        self._desk.ledger.end_stage(event.job.part, event.job.attempt, event.stage, done)

    def _heed(self, piece: Work, result: Result) -> _Attempt | None:
        """What follows from the end of an attempt: another one, or an entry in the results."""
        self._is_reached = self._is_reached or result.outcome in {JobOutcome.DONE, JobOutcome.FAILED}
        if result.outcome is JobOutcome.FAILED:
            self._desk.ledger.fail_attempt(piece.row.id, result.job.attempt, result.reason)
            if result.job.attempt < ATTEMPTS:
                if self._token.reason is not None:
                    result = replace(result, outcome=JobOutcome.STOPPED)
                else:
                    return _Attempt(piece, result.job.attempt + 1)
        if result.outcome is JobOutcome.UNREACHED and not self._is_reached:
            self._token.cancel(f"nobody could be reached: {result.reason}")
        self._results[piece.row.id] = result
        return None

    # --- writing ---------------------------------------------------------------------------------------------------

    def _write(self, work: Sequence[Work], n: int) -> None:
        piece, result = work[n], self._results[work[n].row.id]
        if result.outcome not in {JobOutcome.DONE, JobOutcome.FAILED}:
            return
        record = replace(self._report(result), before=piece.before, mark=self._mark(work, n))
        trouble = self._desk.write(piece.row, record, piece.brief.plan)
        self._results[piece.row.id] = replace(result, sources=(), draft=None)  # what is written need not be held
        if trouble:
            self._troubles.append(f"{result.job.name}: {trouble}")

    def _mark(self, work: Sequence[Work], n: int) -> State | None:
        """How to mark the PART: with the last of its pages, and only if none of them was left."""
        key = _part_of(work[n].brief)
        siblings = [m for m, piece in enumerate(work) if _part_of(piece.brief) == key]
        ends = [self._results[work[m].row.id].outcome for m in siblings if work[m].row.id in self._results]
        if n != siblings[-1] or len(ends) < len(siblings) or not set(ends) <= {JobOutcome.DONE, JobOutcome.FAILED}:
            return None
        if JobOutcome.FAILED not in ends:
            return State.DONE
        was_there = all(work[m].before is not None for m in siblings)
        return None if was_there else State.PARTIAL  # a page that could not be made better is still there


def _part_of(brief: Brief) -> tuple[str, int]:
    return str(brief.plan.uri), brief.part.line


def _findings(kept: Mapping[str, Artifact]) -> tuple[Finding, ...]:
    """What held back the draft of an attempt."""
    artifact = kept.get(JobStage.RULES)
    try:
        return decode(artifact, tuple[Finding, ...]) if artifact else ()
    except ArtifactError:
        return ()


def _fingerprint(brief: Brief, ways: str) -> str:
    """What decides what the stages give; the same for a plan that was only marked, or moved within its file."""
    plain = [plain_value(brief.part), brief.page, brief.title, ways]
    text = json.dumps(_lasting(plain), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _lasting(plain: Any) -> Any:
    if isinstance(plain, Mapping):
        return {key: _lasting(value) for key, value in plain.items() if key not in _PASSING}
    if isinstance(plain, list | tuple):
        return [_lasting(value) for value in plain]
    return plain
