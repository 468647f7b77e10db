"""Assembly of a run of `planbook expand` from the options, and its output."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from generator.cli.console import make_console
from generator.cli.live import Live
from generator.cli.project import needs_extra
from generator.cli.stopping import stopped_by_signals
from generator.cli.summary import exit_code, show_summary, summary_json
from generator.expand.cancellation import Budget, CancelToken
from generator.expand.context import ThreadWorkers, WorkerSpec
from generator.expand.events import Event, EventLog
from generator.expand.options import OptionError, Options, RunConfig
from generator.expand.preflight import RefusedError
from generator.expand.record import record_result
from generator.expand.run import Run, Workers
from generator.expand.writers import WriterError, find_writer
from generator.library import link_tree
from generator.research.select import Choice
from generator.store import read_tree

if TYPE_CHECKING:
    from generator.expand.cluster import ClusterWorkers


def fill(
    config: RunConfig, options: Options, choice: Choice, budget: Budget, *, dask: str | None, as_json: bool
) -> int:
    """Fill the chosen PARTs, here or by the workers of the scheduler at `dask`, and return the exit code."""
    log, live, token = EventLog(config.settings.root, config.clock), Live(quiet=as_json), CancelToken(budget)

    def watch(event: Event) -> None:
        """Log and show an event."""
        log.watch(event)
        live.watch(event)

    config = replace(config, watch=watch)
    try:
        spec = _worker_spec(config, options)
        cache_key = spec.cache_key
        with ExitStack() as stack:
            workers: Workers = stack.enter_context(_cluster(dask, spec)) if dask else ThreadWorkers(spec)
            stack.enter_context(stopped_by_signals(token))
            stack.enter_context(live)
            make_record = partial(record_result, runner=f"planbook {options.writer}")
            outcome = Run(config, workers, make_record, token, options.workers, cache_key).fill(choice)
    except (OptionError, RefusedError, WriterError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(summary_json(outcome, log.name), ensure_ascii=False, indent=1))
    else:
        show_summary(make_console(), outcome, log.name)
    return exit_code(outcome)


def _worker_spec(config: RunConfig, options: Options) -> WorkerSpec:
    find_writer(config.settings, options, os.environ)  # raises WriterError before the base is read
    tree = read_tree(config.settings)
    pages = frozenset(tree.pages)
    planned = frozenset(link_tree(tree).by_uri) - pages
    return WorkerSpec(config.settings, options, os.environ, pages, planned, config.clock)


def _cluster(address: str, spec: WorkerSpec) -> AbstractContextManager[ClusterWorkers]:
    with needs_extra("research,dask"):
        from generator.expand.cluster import open_cluster
    return open_cluster(address, spec)
