"""`planbook expand`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from generator.cli.console import make_console, print_json
from generator.cli.project import (
    BRANCH,
    CONTACT,
    JSON,
    LOOPBACK,
    NO_COMMIT,
    NOTHING,
    OK,
    ROOT,
    STOPPED,
    cached_calls,
    needs_extra,
    run_config,
)

if TYPE_CHECKING:
    from generator.expand.context import WorkerSpec
    from generator.expand.events import Budget, CancelToken, Event, Workers
    from generator.expand.options import Options, RunConfig
    from generator.research.select import Choice


@click.command()
@click.option("--plan", help="Only this plan: its path, slug or file name.")
@click.option("--part", type=int, help="Only PARTs with this number.")
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of PARTs.")
@click.option("--redo", is_flag=True, help="Also redo finished PARTs and existing pages; requires --plan.")
@click.option("--workers", type=click.IntRange(1, 64), help="Number of PARTs to work on at once.")
@click.option("--writer", type=click.Choice(["extract", "llm", "command"]), help="The writer of the pages.")
@click.option(
    "--no-sandbox",
    is_flag=True,
    help="Run the writer `command` without bubblewrap: its program can read and change all that you can, and send it "
    "anywhere.",
)
@click.option("--dry-run", is_flag=True, help="Show which hosts would be contacted, and how often; write nothing.")
@NO_COMMIT
@BRANCH
@click.option("--budget-requests", type=click.IntRange(min=1), help="Stop after this number of requests.")
@click.option("--budget-tokens", type=click.IntRange(min=1), help="Stop after this number of model tokens.")
@click.option(
    "--budget-minutes", type=click.FloatRange(min=0, min_open=True), help="Stop after this number of minutes."
)
@click.option("--dask", metavar="ADDRESS", help="Use the workers of this Dask scheduler, such as tcp://127.0.0.1:8786.")
@CONTACT
@LOOPBACK
@ROOT
@JSON
@needs_extra("research")
def expand(
    *,
    plan: str | None,
    part: int | None,
    limit: int | None,
    redo: bool,
    workers: int | None,
    writer: str | None,
    no_sandbox: bool,
    dry_run: bool,
    no_commit: bool,
    branch: str | None,
    budget_requests: int | None,
    budget_tokens: int | None,
    budget_minutes: float | None,
    dask: str | None,
    contact: str | None,
    allow_loopback: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Fill the open PARTs: search, read, write the cited page, check it, mark the PART, and commit.

    Continues a run that was stopped or killed. Exits with 0 if every PART got its page, 3 if some failed, 4 if there
    was nothing to do, 5 if the run was stopped or its budget was spent, 6 if no host could be reached.
    """
    if redo and plan is None:
        raise click.UsageError("--redo rewrites pages; name the plan with --plan")
    if dask and writer == "command":
        raise click.UsageError("--writer command runs a program in this repository; it does not work with --dask")
    from generator.expand.events import Budget
    from generator.research.select import Choice

    given = {"workers": workers, "writer": writer, "contact": contact, "allow_loopback": allow_loopback or None}
    given["command_sandbox"] = "never" if no_sandbox else None
    config, options = run_config(root, "planbook expand", "Expand", no_commit=no_commit, branch=branch, **given)
    choice = Choice(plan, part, limit, redo)
    budget = Budget(budget_requests, budget_tokens, budget_minutes)
    if dry_run:
        sys.exit(_dry_run(config, options, choice, as_json=as_json))
    sys.exit(_fill(config, options, choice, budget, dask=dask, as_json=as_json))


def _dry_run(config: RunConfig, options: Options, choice: Choice, *, as_json: bool) -> int:
    """Print the forecast, and return the exit code. Nothing is written, not even into the working folder."""
    from generator.cli.run_output import show_forecast
    from generator.expand.run import forecast

    found = forecast(config, options, choice, os.environ)
    if as_json:
        print_json(found)
    else:
        show_forecast(make_console(), found)
    return OK if found["pages"] else NOTHING


def _fill(
    config: RunConfig, options: Options, choice: Choice, budget: Budget, *, dask: str | None, as_json: bool
) -> int:
    """Fill the chosen PARTs, here or on the workers of the scheduler at `dask`, and return the exit code."""
    from generator.cli.run_output import Live, show_summary, summary_json
    from generator.expand.context import WorkerSpec, start_threads
    from generator.expand.events import CancelToken, EventLog
    from generator.expand.record import record_result
    from generator.expand.run import Run

    log, live, token = EventLog(config.settings.root, config.clock), Live(), CancelToken(budget)

    def watch(event: Event) -> None:
        """Log and show an event."""
        log.watch(event)
        if not as_json:
            live.watch(event)

    spec = WorkerSpec(config.settings, options, os.environ, config.clock)
    make_record = partial(record_result, runner=f"planbook {options.writer}", min_answered=options.min_answered)
    with ExitStack() as stack:
        workers: Workers = stack.enter_context(_cluster(dask, spec)) if dask else partial(start_threads, spec)
        stack.enter_context(_stopped_by_signals(token))
        config = replace(config, watch=watch, calls=cached_calls(config.settings))
        outcome = Run(config, workers, make_record, token, options.workers).fill(choice)
    summary = summary_json(outcome, log.name)
    if as_json:
        print_json(summary)
    else:
        show_summary(make_console(), summary)
    return int(summary["exit"])


def _cluster(address: str, spec: WorkerSpec) -> AbstractContextManager[Workers]:
    with needs_extra("research,dask"):
        from generator.expand.cluster import open_cluster
    return open_cluster(address, spec)


@contextmanager
def _stopped_by_signals(token: CancelToken) -> Iterator[None]:
    """Cancel `token` on Ctrl-C and SIGTERM while the block runs."""

    def cancel(number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if token.reason is not None:
            # Answers are on disk: only those under way are lost.
            os._exit(STOPPED)
        token.cancel("interrupted" if number == signal.SIGINT else "terminated")
        os.write(2, b"\nStopping after the current step. Press again to stop at once.\n")

    before = {number: signal.signal(number, cancel) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
