"""`planbook runners`: what coding agents get, installed into a project or for a person."""

from __future__ import annotations

import json
import shutil
import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planbook import store
from planbook.cli import parameters, project, terminal
from planbook.cli.terminal import escape_output
from planbook.library import link_tree

if TYPE_CHECKING:
    from planbook.runners.ended import Ended, RunnerWork
    from planbook.runners.install import Installation, PieceOutcome

_HOSTS = ("claude", "codex", "cursor", "gemini", "copilot")
"""The names of all hosts, for the help: `planbook.runners` is imported when a command runs."""
HOST_ARGUMENT = click.argument(
    "hosts", metavar="HOST...", nargs=-1, required=True, type=click.Choice(_HOSTS)
)
SCOPE = click.option(
    "--user/--project", "for_user", help="For you in all projects, or for this project (default)."
)


@click.group()
def runners() -> None:
    """Let coding agents work through plans: one runner per PART.

    HOST is `claude` (Claude Code), `codex`, `cursor`, `gemini` (Gemini CLI) or `copilot` (GitHub
    Copilot).
    """


@runners.command("install")
@HOST_ARGUMENT
@SCOPE
@parameters.ROOT
def install_runners(hosts: tuple[str, ...], for_user: bool, root: Path | None) -> None:
    """Write what each HOST reads: a skill, a command, a runner, a hook and the entry of the MCP
    server.

    Files that others write to as well keep all else, byte for byte. Installing again changes
    nothing. A file or entry that was edited is kept and reported; then it exits with 1.
    """  # noqa: D205 - click prints the first paragraph, which is longer than a line
    is_any_kept = False
    for host in hosts:
        installation = _installation_of(host, for_user, root)
        outcomes = installation.install()
        is_any_kept |= _show_outcomes(installation, outcomes)
        _show_start(installation)
    if shutil.which("planbook") is None:
        fix = "start the host from an environment in which it is"
        click.echo(f"planbook is not on the PATH: {fix}.", err=True)
    if find_spec("mcp") is None:
        fix = "python -m pip install 'path/to/planbook[mcp,research]'"
        click.echo(f"The MCP server needs the package mcp: {fix}", err=True)
    sys.exit(project.EXIT_ATTENTION if is_any_kept else project.EXIT_OK)


@runners.command("uninstall")
@HOST_ARGUMENT
@SCOPE
@parameters.ROOT
def uninstall(hosts: tuple[str, ...], for_user: bool, root: Path | None) -> None:
    """Take away what `install` wrote, and nothing else.

    A file or entry that was edited since is kept and reported; then it exits with 1.
    """
    is_any_kept = False
    for host in hosts:
        installation = _installation_of(host, for_user, root)
        is_any_kept |= _show_outcomes(installation, installation.uninstall())
    sys.exit(project.EXIT_ATTENTION if is_any_kept else project.EXIT_OK)


@runners.command("list")
@parameters.ROOT
def list_hosts(root: Path | None) -> None:
    """List the hosts, and what is installed for each in this project and for you."""
    from planbook.runners.hosts import HOSTS, Scope
    from planbook.runners.install import Installation, install_state

    settings = project.project_settings(root)
    docs_dir = settings.docs_dir.strip("/")
    rows = []
    for host in HOSTS.values():
        in_project = install_state(Installation(host, Scope.PROJECT, settings.root, docs_dir))
        of_user = install_state(Installation(host, Scope.USER, Path.home(), docs_dir))
        start = host.start if host.is_tried else f"{host.start} (not tried)"
        rows.append((host.name, host.title, in_project, of_user, start))
    titles = ("host", " name", "project", "user", " start")
    terminal.show_rows(terminal.make_console(), titles, rows)


@runners.command("ended")
def ended() -> None:
    """Report a subagent that ends without an accepted page: for the hook SubagentStop of a host.

    Reads the host's JSON on standard input. The subagent is told once what is missing; if it ends
    all the same, its PART is free again, and the host shows a message.
    """
    from planbook.runners.ended import read_event

    try:
        event = read_event(sys.stdin.read())
    except ValueError as error:
        raise click.ClickException(f"standard input is not the JSON of a host: {error}") from error
    unfinished = _unfinished_work(event)
    if not unfinished:
        return
    if event.is_again:
        lines = [_ended_line(work) for work in unfinished]
        message = f"{' '.join(lines)} Start another runner; nothing of it counts."
        click.echo(json.dumps({"systemMessage": message}))
    else:
        reason = " ".join(_missing_line(work) for work in unfinished)
        click.echo(json.dumps({"decision": "block", "reason": reason}))


def _missing_line(work: RunnerWork) -> str:
    """Return what a subagent is told that has no accepted page."""
    finish = f"planbook finish {work.plan} {work.part} --runner {work.runner} --no-commit"
    fix = f"Run `{finish}`, or the same with --failed and the reason."
    return f"{work.plan} PART {work.part} has no accepted page. {fix}"


def _ended_line(work: RunnerWork) -> str:
    """Return what a person is told of a subagent that ended all the same."""
    return f"{work.runner} ended without an accepted page of {work.plan} PART {work.part}."


def _unfinished_work(event: Ended) -> list[RunnerWork]:
    """Return the PARTs that the subagent still holds; end its claims if it was told before."""
    from planbook.research.leases import LeaseBook
    from planbook.research.selection import NotFoundError, find_plan

    settings = project.project_settings(store.find_root(event.folder))
    library = link_tree(store.read_tree(settings), project.open_cache(settings))
    now = datetime.now(UTC)
    book = LeaseBook(settings.root)
    leases = book.current(now)
    unfinished = []
    for work in event.works:
        try:
            plan = find_plan(library, work.plan)
        except NotFoundError:
            continue  # renamed since: there is no lease by this name
        lease = leases.get((plan.slug, work.part))
        # It has finished, or somebody else has the PART by now.
        if lease is None or lease.runner != work.runner:
            continue
        unfinished.append(work)
        part = next((part for part in plan.parts if part.number == work.part), None)
        if event.is_again and part is not None:
            book.release(plan, part, work.runner, now)
    return unfinished


def _installation_of(host: str, for_user: bool, root: Path | None) -> Installation:
    """Return a host's files in this project, or for the user."""
    from planbook.runners.hosts import HOSTS, Scope
    from planbook.runners.install import Installation

    if for_user:
        return Installation(HOSTS[host], Scope.USER, Path.home())
    settings = project.project_settings(root)
    return Installation(HOSTS[host], Scope.PROJECT, settings.root, settings.docs_dir.strip("/"))


def _show_outcomes(installation: Installation, outcomes: tuple[PieceOutcome, ...]) -> bool:
    """Print a line for each file, and return whether anything was kept."""
    from planbook.runners.install import Action, group_by_file

    console = terminal.make_console()
    for outcome in group_by_file(outcomes):
        location = escape_output(str(installation.path_on_disk(outcome.path)))
        why = f": {escape_output(outcome.message)}" if outcome.message else ""
        console.print(f"{location}: {outcome.action}{why}")
    return any(outcome.action is Action.KEPT for outcome in outcomes)


def _show_start(installation: Installation) -> None:
    """Print how to start, and what no file can do."""
    host = installation.host
    start = f"In {host.title}: {host.start}"
    if not host.is_tried:
        start += ". These files were generated by the documentation of the host, and not tried."
    click.echo(start)
    hint = (host.hint or {}).get(installation.scope)
    if hint:
        click.echo(hint)
