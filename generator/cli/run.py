"""A run of `planbook expand`: put together, watched by log and screen, and told of at its end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import click

from generator.cli.account import account, exit_code, show_account
from generator.cli.console import make_console
from generator.cli.index import writable_files
from generator.cli.live import Live
from generator.cli.project import needs_extra
from generator.cli.stopping import stopped_by_signals
from generator.expand.clock import Clock
from generator.expand.events import Event
from generator.expand.log import Log
from generator.expand.options import OptionError, Options
from generator.expand.reporting import report
from generator.expand.session import Orders, Outcome, RefusedError, Session
from generator.expand.stop import Brake, Budget
from generator.expand.tools import Workshop
from generator.expand.writers import WriterError, find_writer
from generator.library import link_tree
from generator.research.select import Choice
from generator.store import Settings, read_tree

if TYPE_CHECKING:
    from generator.expand.cluster import Cluster


@dataclass(frozen=True)
class Run:
    """What a run is set up with."""

    settings: Settings
    options: Options
    orders: Orders
    clock: Clock = field(default_factory=Clock)

    def fill(self, choice: Choice, budget: Budget, *, dask: str | None, as_json: bool) -> int:
        """Fill the chosen PARTs, here or by the workers of the scheduler at `dask`; returns the exit code."""
        log, live, brake = Log(self.settings.root, self.clock), Live(quiet=as_json), Brake(budget)
        try:
            workshop = self._workshop()
            session = self._session(workshop, _each(log.watch, live.watch))
            with ExitStack() as held:
                staff = workshop.staff
                if dask:
                    cluster = held.enter_context(_cluster(dask, workshop))
                    session, staff = replace(session, executor=cluster.executor), cluster.staff
                held.enter_context(stopped_by_signals(brake))
                held.enter_context(live)
                made = partial(report, runner=f"planbook {self.options.writer}")
                outcome = session.run(choice, partial(staff, brake), made, brake)
        except (OptionError, RefusedError, WriterError) as error:
            raise click.ClickException(str(error)) from error
        _tell(outcome, log.name, as_json=as_json)
        return exit_code(outcome)

    def _workshop(self) -> Workshop:
        """The tools of the runners.

        Raises:
            WriterError: the writer that is asked for cannot write here.
        """
        find_writer(self.settings, self.options, os.environ)
        tree = read_tree(self.settings)
        pages = frozenset(tree.pages)
        planned = frozenset(link_tree(tree).by_uri) - pages
        return Workshop(self.settings, self.options, os.environ, pages, planned, self.clock)

    def _session(self, workshop: Workshop, watch: Callable[[Event], None]) -> Session:
        """What does the PARTs in their order.

        Raises:
            OptionError: a place to search in is not set up rightly.
        """
        index_files = partial(writable_files, self.settings)
        return Session(self.settings, self.orders, index_files, watch, self.clock, self.options.workers, workshop.ways)


def _each(*watchers: Callable[[Event], None]) -> Callable[[Event], None]:
    def watch(event: Event) -> None:
        """Tells each of an event."""
        for watcher in watchers:
            watcher(event)

    return watch


def _cluster(address: str, workshop: Workshop) -> AbstractContextManager[Cluster]:
    """The workers of a dask scheduler, for a run."""
    with needs_extra("research,dask"):
        from generator.expand.cluster import open_cluster
    return open_cluster(address, workshop)


def _tell(outcome: Outcome, log: str, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(account(outcome, log), ensure_ascii=False, indent=1))
    else:
        show_account(make_console(), outcome, log)
