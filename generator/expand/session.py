"""A session: everything from taking the lock to the commit, for `planbook expand` and `planbook finish` alike."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from generator.drafts import Brief
from generator.expand.cancellation import CancelToken, Usage
from generator.expand.coordinator import Coordinator, Ends, Report, Runner, Tell, take
from generator.expand.desk import Desk, Finals, IndexFiles
from generator.expand.events import Clock, Event, Message
from generator.expand.preflight import places_of, problem_with
from generator.library import RESERVED, link_tree
from generator.model import PageUri
from generator.research.prior_knowledge import known
from generator.research.select import Choice, NotFoundError, Passed, Selection, select
from generator.store import WORK_DIR, Settings
from generator.store.git import Git, GitError, find_git, link_problem
from generator.store.ledger import Ledger, LedgerError, PartRow, PartStatus
from generator.store.left_out import left_out
from generator.store.lock import HeldError, hold
from generator.store.work import work_path

LEDGER = "ledger.sqlite"

Staff = Callable[[Tell], AbstractContextManager[Runner]]
"""Makes the runner, which tells what it does, and gives back what it held when the run ends."""


class RefusedError(Exception):
    """Nothing was begun; the message says why, and what would be right."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What the user asks for, beside which PARTs."""

    command: str
    """As the user would write it: ``planbook expand``."""
    commit: bool = True
    branch: str | None = None
    """Makes the commit on a new branch of this name."""
    verb: str = "Expand"
    """The first word of the commit's message."""
    own: tuple[str, ...] = ()
    """Files that may be staged, since they belong into the commit anyway."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did."""

    selection: Selection
    ends: Ends
    finals: Finals
    usage: Usage
    stopped: str | None
    """Why it stopped before its end."""


@contextmanager
def open_desk(
    settings: Settings, orders: Orders, index_files: IndexFiles, watch: Callable[[Event], None], clock: Clock
) -> Iterator[tuple[Desk, int]]:
    """The desk and the run's id in the ledger. The lock is held, and what a run that was cut off has begun is ended.

    Raises :class:`RefusedError` where another run is at work, or git is not ready for a commit.
    """
    check_work(settings)
    git = repository(settings, orders)
    if isinstance(git, str):
        watch(Message(f"{git}: nothing is committed"))
    started = clock.now()
    try:
        with (
            hold(settings.root, orders.command, started),
            Ledger(work_path(settings.root, LEDGER)) as ledger,
        ):
            usable = git if isinstance(git, Git) else None
            if usable:
                check_repository(usable, orders, ledger.claimed())
            cut_off = ledger.cut_off()
            if cut_off:
                watch(Message(f"going on where the run of {cut_off.started} was cut off"))
            desk = Desk(settings, ledger, index_files, watch, usable, orders.branch, orders.verb)
            run = ledger.begin_run(started, os.getpid(), platform.node())
            desk.recover()
            try:
                yield desk, run
            except (RefusedError, NotFoundError):
                ledger.end_run(run, clock.now(), "refused")
                raise
            ledger.end_run(run, clock.now(), "ended")
    except (HeldError, LedgerError) as error:
        raise RefusedError(str(error)) from error


def check_work(settings: Settings) -> None:
    """Raises :class:`RefusedError` where the working folder holds a symbolic link that came with the repository."""
    problem = link_problem(settings.root, WORK_DIR)
    if problem:
        raise RefusedError(problem)


def repository(settings: Settings, orders: Orders) -> Git | str | None:
    """Where to commit, or why that cannot be; ``None`` where it is not wanted."""
    return find_git(settings.root) if orders.commit else None


def check_repository(git: Git, orders: Orders, ours: tuple[str, ...] = ()) -> None:
    """Raises :class:`RefusedError` where a commit of ours would get mixed up with what the user is about to commit."""
    try:
        staged = [path for path in git.staged() if path not in {*ours, *orders.own}]
        left = left_out(git)
    except GitError as error:
        raise RefusedError(f"{error}; or run with --no-commit") from error
    if staged:
        more = f" and {len(staged) - 3} more" if len(staged) > 3 else ""
        raise RefusedError(
            f"the index holds staged changes ({', '.join(staged[:3])}{more}); commit or unstage them first "
            "(git restore --staged .), or run with --no-commit"
        )
    if left:
        raise RefusedError(
            f"{', '.join(left)}: changed by something other than Planbook during a run, and not committed since; look "
            "at the changes (git diff), and commit or undo them first, or run with --no-commit"
        )
    waits = git.unfinished()
    if waits:
        raise RefusedError(f"{waits} waits for its end; end it or abort it first, or run with --no-commit")
    problem = git.branch_problem(orders.branch) if orders.branch else None
    if problem:
        raise RefusedError(problem)
    problem = git.identity_problem()
    if problem:
        raise RefusedError(f"{problem}, or run with --no-commit")


def check_places(settings: Settings, git: Git | None, briefs: Sequence[Brief], generated: Iterable[str]) -> None:
    """Raises :class:`RefusedError` where a file that filling `briefs` makes could not be written, or not committed."""
    problem = problem_with(settings, git, places_of(settings, briefs, generated))
    if problem:
        raise RefusedError(problem)


def with_known(selection: Selection, pages: Mapping[str, bytes]) -> Selection:
    """`selection` with what the base knows already of each PART."""
    return replace(selection, briefs=brief_known(selection.briefs, pages))


def brief_known(briefs: Iterable[Brief], pages: Mapping[str, bytes]) -> tuple[Brief, ...]:
    """The briefs with what the base knows already: step 0 of their PARTs, done. Lists of pages know nothing."""
    texts = {PageUri(uri): raw.decode("utf-8", errors="replace") for uri, raw in pages.items() if uri not in RESERVED}
    looked = ((brief, known(brief.part, texts)) for brief in briefs)
    return tuple(replace(brief, known=found, unresolved=unresolved) for brief, (found, unresolved) in looked)


@dataclass(frozen=True, slots=True)
class Session:
    """A run of `planbook expand`, ready to begin."""

    settings: Settings
    orders: Orders
    index_files: IndexFiles
    watch: Callable[[Event], None]
    clock: Clock
    workers: int = 4
    ways: str = ""
    """Everything beside the plans that decides what stages give."""
    executor: Callable[[int], Executor] | None = None
    """Makes what runs so many runners side by side; by default, threads."""

    def run(self, choice: Choice, staff: Staff, report: Report, token: CancelToken) -> Outcome:
        """Fills the PARTs that `choice` names, and records what came of each. Raises :class:`RefusedError`."""
        with open_desk(self.settings, self.orders, self.index_files, self.watch, self.clock) as (desk, run):
            tree = desk.tree()
            library = link_tree(tree)
            selection = select(library, choice, self.clock.time())
            if choice.redo and desk.git:
                _check_pages(desk.git, self.settings, selection.briefs)
            selection = _without(selection, desk.ledger.parts(PartStatus.RECORDED))
            check_places(self.settings, desk.git, selection.briefs, self.index_files(library))
            selection = with_known(selection, tree.pages)
            work = take(desk, run, selection.briefs, self.ways)
            coordinator = Coordinator(desk, token, self.clock, report)
            ends = Ends((), (), 0)
            if work:
                with staff(coordinator.tell) as runner, self._executor(len(work)) as executor:
                    ends = coordinator.run(work, runner, executor, self.workers)
            finals = desk.finalise()
            return Outcome(selection, ends, finals, token.usage, token.reason if ends.left else None)

    def _executor(self, pieces: int) -> Executor:
        if self.executor:
            return self.executor(pieces)
        return ThreadPoolExecutor(min(self.workers, pieces), thread_name_prefix="runner")


def _without(selection: Selection, rows: tuple[PartRow, ...]) -> Selection:
    """`selection` without what the run that was cut off has recorded: what failed then is not tried again now."""
    done = {(row.plan, row.number, row.page) for row in rows}
    gone = [b for b in selection.briefs if (b.plan.slug, b.part.number, str(b.page)) in done]
    passed = tuple(Passed(brief.plan, brief.part, "recorded by the run that was cut off") for brief in gone)
    left = tuple(brief for brief in selection.briefs if brief not in gone)
    return Selection(left, (*selection.passed, *passed))


def _check_pages(git: Git, settings: Settings, briefs: tuple[Brief, ...]) -> None:
    """Raises :class:`RefusedError` where a page that would be written anew holds what was never committed."""
    docs = settings.docs_dir.strip("/")
    there = [f"{docs}/{brief.page}" for brief in briefs if (Path(settings.root) / docs / brief.page).is_file()]
    changed = git.changed(there)
    if changed:
        raise RefusedError(f"{changed[0]} holds changes that are not committed, and --redo would overwrite them")
