"""`planbook finish`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.console import escaped, make_console
from generator.cli.project import FOUND, OK, ROOT, needs_extra, project_settings
from generator.store import Settings

if TYPE_CHECKING:
    from rich.console import Console

    from generator.expand.hand import Finished, Read
    from generator.expand.options import Options


@click.command()
@click.argument("plan")
@click.argument("part", type=int)
@click.option("--offline", is_flag=True, help="Ask no host: check against the texts that are stored in .planbook/.")
@click.option("--no-commit", is_flag=True, help="Write, but leave the commit to the user.")
@click.option("--branch", help="Commit on a new branch of this name, for a pull request.")
@click.option("--runner", default="by hand", show_default=True, help="Who hands the page in, for the drop.")
@click.option("--contact", envvar="PLANBOOK_CONTACT", help="Where hosts can complain; by default the site's address.")
@click.option("--allow-loopback", is_flag=True, help="Also read pages of servers on this machine.")
@ROOT
@needs_extra("research")
def finish(
    *,
    plan: str,
    part: int,
    offline: bool,
    no_commit: bool,
    branch: str | None,
    runner: str,
    contact: str | None,
    allow_loopback: bool,
    root: Path | None,
) -> None:
    """Hand in a page that a person or another program wrote.

    PLAN is a plan's path, its slug or its file's name; PART a number. The page must lie in its place, where `planbook
    brief` says. Its sources are read, and it is checked. Where it holds, its drop is left, the PART is marked, and all
    is committed. Exits with 1 where something does not hold: then nothing is written.
    """
    if branch and no_commit:
        raise click.UsageError("--branch is for a commit, and --no-commit makes none")
    from generator.cli.index import writable_files
    from generator.cli.live import Live
    from generator.expand.clock import Clock
    from generator.expand.hand import Hand
    from generator.expand.options import OptionError, read_options
    from generator.expand.session import Orders, RefusedError
    from generator.research.select import NotFoundError

    settings = project_settings(root)
    given = {"contact": contact, "allow_loopback": allow_loopback or None}
    try:
        options = read_options(settings, {name: value for name, value in given.items() if value is not None})
    except OptionError as error:
        raise click.ClickException(str(error)) from error
    orders = Orders("planbook finish", options.commit and not no_commit, branch, verb="Finish")
    live = Live()
    hand = Hand(settings, orders, lambda library: writable_files(settings, library), live.watch, Clock(), runner)
    try:
        with _reading(settings, options, offline=offline) as read:
            finished = hand.finish(plan, part, read)
    except NotFoundError as error:
        raise click.UsageError(str(error)) from error
    except RefusedError as error:
        raise click.ClickException(str(error)) from error
    _show(make_console(), finished, settings)
    sys.exit(OK if finished.holds and not finished.troubles and not finished.finals.trouble else FOUND)


@contextmanager
def _reading(settings: Settings, options: Options, *, offline: bool) -> Iterator[Read]:
    """The way to the page's sources: their hosts, or with `offline` what is stored."""
    from generator.expand.tools import open_fetcher
    from generator.web.archive import Archive

    if offline:
        yield Archive(settings.root).get
        return
    with open_fetcher(settings, options, os.environ) as fetcher:
        yield fetcher.fetch


def _show(console: Console, finished: Finished, settings: Settings) -> None:
    """What the gates said, a line each, and what was written."""
    docs = settings.docs_dir.strip("/")
    for page in finished.pages:
        for finding in page.findings:
            kind = "[red]failure[/]" if finding.is_failure else "[blue]remark[/]"
            place = f"{docs}/{page.brief.page}:{finding.line}"
            console.print(f"{escaped(place)}: {kind} {escaped(finding.message)} [dim]{finding.gate}[/]", soft_wrap=True)
    for trouble in (*finished.troubles, *filter(None, [finished.finals.trouble])):
        console.print(f"[red]{escaped(trouble)}[/]", soft_wrap=True)
    if not finished.holds:
        console.print("Not finished: mend what is told as a failure, and hand in again. Nothing was written.")
    for page in finished.pages if finished.holds and not finished.troubles else ():
        console.print(
            f"{docs}/{escaped(page.brief.page)} holds; its drop is {escaped(page.brief.drop)}", soft_wrap=True
        )
