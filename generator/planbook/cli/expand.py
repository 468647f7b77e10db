"""`planbook expand`: fill the open PARTs of plans, with the progress of the run."""

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
from typing import TYPE_CHECKING, Any, get_args

import click

from planbook.cli import parameters, project, terminal
from planbook.cli.chosen_parts import part_of_path
from planbook.cli.live import ignore_event, show_run
from planbook.cli.run_report import show_forecast, show_summary, show_untracked, summary_json
from planbook.model import COLLECTING_WRITER
from planbook.research.expand.cancellation import CancelToken
from planbook.research.expand.jobs import Workers
from planbook.research.recording.events import Event, EventLog
from planbook.store.files import RefusedError
from planbook.store.options import WriterName

if TYPE_CHECKING:
    from planbook.research.expand.context import WorkerSpec
    from planbook.research.expand.run import RunOutcome
    from planbook.research.recording.config import RecordingConfig
    from planbook.research.selection import Choice
    from planbook.store.options import Options


_NO_WRITER = (
    "--rewrite collected needs a writer, and none is configured: set `expand.llm_model` or "
    "`expand.command`, or let an agent write: planbook gather, brief, finish"
)


@click.command()
@click.argument(
    "plan", required=False, type=parameters.PLAN_NAME, shell_complete=parameters.complete_plans
)
@click.argument(
    "part",
    required=False,
    type=parameters.PART_NUMBER,
    shell_complete=parameters.complete_parts,
)
@click.option("--plan", "former_plan", hidden=True, shell_complete=parameters.complete_plans)
@click.option("--part", "former_part", type=int, hidden=True)
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of PARTs.")
@click.option(
    "--redo", is_flag=True, help="Also redo finished PARTs and existing pages; requires PLAN."
)
@click.option(
    "--rewrite",
    type=click.Choice(["collected"]),
    help="Only write pages of collected passages again, by a model or program; pages that somebody "
    "changed are kept.",
)
@click.option("--workers", type=click.IntRange(1, 64), help="Number of PARTs to work on at once.")
@click.option(
    "--writer",
    type=click.Choice(get_args(WriterName)),
    help="The writer of the pages.",
)
@click.option(
    "--no-sandbox",
    "command_sandbox",
    flag_value="never",
    help="Run the writer `command` without bubblewrap: its program can read and change all that "
    "you can, and send it anywhere.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show which hosts would be contacted, and how often; write nothing.",
)
@parameters.NO_COMMIT
@click.option(
    "--budget-requests", type=click.IntRange(min=1), help="Stop after this number of requests."
)
@click.option(
    "--budget-tokens", type=click.IntRange(min=1), help="Stop after this number of model tokens."
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Use the workers of this Dask scheduler, such as tcp://127.0.0.1:8786.",
)
@parameters.CONTACT
@parameters.LOOPBACK
@parameters.ROOT
@parameters.JSON
@project.needs_extra("research")
def expand(
    *,
    plan: str | None,
    part: int | None,
    former_plan: str | None,
    former_part: int | None,
    limit: int | None,
    redo: bool,
    rewrite: str | None,
    writer: str | None,
    dry_run: bool,
    budget_requests: int | None,
    budget_tokens: int | None,
    dask: str | None,
    root: Path | None,
    as_json: bool,
    **option_values: Any,
) -> None:
    """Fill the open PARTs: search, read, write the cited page, check it, mark the PART, and commit.

    PLAN is a plan's path, slug or file name, by default all plans; PART is a number, by default all
    open ones. The path of a PART's page may stand for both. Continues a run that was stopped or
    killed. Exits with 0 if every PART got its page, 3 if some failed, 4 if there was nothing to do,
    5 if the run was stopped or its budget was spent, 6 if no host could be reached.
    """
    from planbook.research.selection import Choice
    from planbook.store.options import describe_choice

    plan = former_plan if plan is None else plan
    part = former_part if part is None else part
    if plan is not None and part is None:
        plan, part = part_of_path(project.project_settings(root), plan)
    _check_usage(plan, writer, dask, is_redo=redo, is_rewrite=rewrite is not None)
    config, options = project.run_config(
        root, "planbook expand", "Expand", writer=writer, **option_values
    )
    if rewrite and options.writer == COLLECTING_WRITER:
        raise RefusedError(_NO_WRITER)
    writer_line = "" if as_json else describe_choice(config.settings, writer, options)
    choice = Choice(plan, part, limit, redo, rewrite=rewrite is not None)
    if dry_run:
        if writer_line:
            click.echo(writer_line, err=True)
        sys.exit(_show_dry_run(config, options, choice, as_json=as_json))
    # A missing package is reported here, before any output: processes that read sources could not.
    from planbook.research.expand import context  # noqa: F401 - see above
    from planbook.research.web import document_text  # noqa: F401 - see above

    if writer_line:
        click.echo(writer_line, err=True)
    token = CancelToken(budget_requests, budget_tokens)
    log = EventLog(config.settings.root, config.clock)
    outcome = _fill_parts(config, options, choice, token, log, dask=dask, is_quiet=as_json)
    exit_code = _show_outcome(summary_json(outcome, log.name), as_json=as_json)
    if outcome.summary.commit:
        show_untracked(config)
    sys.exit(exit_code)


def _check_usage(
    plan: str | None, writer: str | None, dask: str | None, *, is_redo: bool, is_rewrite: bool
) -> None:
    """Raise click.UsageError for options that do not go together."""
    if is_redo and plan is None:
        raise click.UsageError("--redo rewrites pages; name the plan: planbook expand PLAN --redo")
    if is_redo and is_rewrite:
        defect = "--redo and --rewrite exclude each other: --redo takes all pages of the plan"
        raise click.UsageError(defect)
    if dask and writer == "command":
        defect = "--writer command runs a program in this repository; it does not work with --dask"
        raise click.UsageError(defect)


def _show_dry_run(
    config: RecordingConfig, options: Options, choice: Choice, *, as_json: bool
) -> int:
    """Print the forecast, and return the exit code.

    Nothing is written, not even into the working folder.
    """
    from planbook.research.expand.current_origins import CurrentOrigins
    from planbook.research.expand.forecast import forecast

    config = replace(config, cache=project.open_cache(config.settings, is_read_only=True))
    read_origins = CurrentOrigins(config.settings, options, config.cache).read
    forecast_json = forecast(config, options, choice, os.environ, read_origins)
    if as_json:
        terminal.print_json(forecast_json)
    else:
        show_forecast(terminal.make_console(), forecast_json)
    return project.EXIT_OK if forecast_json["pages"] else project.EXIT_NOTHING


def _fill_parts(
    config: RecordingConfig,
    options: Options,
    choice: Choice,
    token: CancelToken,
    log: EventLog,
    *,
    dask: str | None,
    is_quiet: bool,
) -> RunOutcome:
    """Fill the chosen PARTs, and return what became of them.

    Args:
        config: the setup of the run.
        options: the project's options, with those of the command.
        choice: the PARTs to fill.
        token: ends the run early.
        log: gets all events.
        dask: the address of a scheduler with workers; ``None`` to use threads of this process.
        is_quiet: true to show no progress.
    """
    from planbook.research.expand.context import WorkerSpec
    from planbook.research.expand.current_origins import CurrentOrigins
    from planbook.research.expand.run import Run

    spec = WorkerSpec(config.settings, options, os.environ, config.clock)
    with ExitStack() as stack:
        show = ignore_event if is_quiet else stack.enter_context(show_run())

        def watch(event: Event) -> None:
            """Log and show an event."""
            log.watch(event)
            show(event)

        open_workers = _open_workers(dask, spec, stack)
        stack.enter_context(_cancel_on_signals(token))
        run = Run(
            replace(config, watch=watch),
            open_workers=open_workers,
            runner=f"planbook {options.writer}",
            min_answered=options.min_answered,
            token=token,
            parallel=options.workers,
            read_origins=CurrentOrigins(config.settings, options, config.cache).read,
        )
        return run.fill(choice)


def _open_workers(dask: str | None, spec: WorkerSpec, stack: ExitStack) -> Workers:
    """Return what starts workers: those of a scheduler until `stack` ends, or threads."""
    from planbook.research.expand.context import start_threads

    if dask:
        return stack.enter_context(_open_cluster(dask, spec))
    return partial(start_threads, spec)


def _show_outcome(summary: dict[str, Any], *, as_json: bool) -> int:
    """Print the end of a run, and return the exit code."""
    if as_json:
        terminal.print_json(summary)
    else:
        show_summary(terminal.make_console(), summary)
    return int(summary["exit"])


def _open_cluster(address: str, spec: WorkerSpec) -> AbstractContextManager[Workers]:
    """Return the workers of a scheduler, for as long as the block runs."""
    with project.needs_extra("research,dask"):
        from planbook.research.expand.cluster import open_cluster
    return open_cluster(address, spec)


@contextmanager
def _cancel_on_signals(token: CancelToken) -> Iterator[None]:
    """Cancel `token` on Ctrl-C and SIGTERM while the block runs."""

    def cancel(signal_number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if token.reason is not None:
            # Answers are on disk: only those under way are lost.
            os._exit(project.EXIT_STOPPED)
        token.cancel("interrupted" if signal_number == signal.SIGINT else "terminated")
        os.write(2, b"\nStopping after the current step. Press again to stop at once.\n")

    earlier_handlers = {
        signal_number: signal.signal(signal_number, cancel)
        for signal_number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for signal_number, handler in earlier_handlers.items():
            signal.signal(signal_number, handler)
