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
from planbook.cli.terminal import escaped
from planbook.library import link_tree

if TYPE_CHECKING:
    from planbook.runners.ended import Ended, RunnerWork
    from planbook.runners.install import Installation, PieceOutcome

_HOSTS = ("claude", "codex", "cursor", "gemini", "copilot")
HOST_ARGUMENT = click.argument("hosts", metavar="HOST...", nargs=-1, required=True, type=click.Choice(_HOSTS))
SCOPE = click.option("--user/--project", "for_user", help="For you in all projects, or for this project (default).")


@click.group()
def runners() -> None:
    """Let coding agents work through plans: one runner per PART.

    HOST is `claude` (Claude Code), `codex`, `cursor`, `gemini` (Gemini CLI) or `copilot` (GitHub Copilot).
    """


@runners.command("install")
@HOST_ARGUMENT
@SCOPE
@parameters.ROOT
def install_runners(hosts: tuple[str, ...], for_user: bool, root: Path | None) -> None:
    """Write what each HOST reads: a skill, a command, a runner, a hook and the entry of the MCP server.

    Files that others write to as well keep all else, byte for byte. Installing again changes nothing. A file or entry
    that was edited is kept and reported; then it exits with 1.
    """
    kept = False
    for host in hosts:
        installation = _installation(host, for_user, root)
        outcomes = installation.install()
        kept |= _show(installation, outcomes)
        _show_next(installation)
    if shutil.which("planbook") is None:
        click.echo("planbook is not on the PATH: start the host from an environment in which it is.", err=True)
    if find_spec("mcp") is None:
        click.echo(
            "The MCP server needs the package mcp: python -m pip install 'path/to/planbook[mcp,research]'", err=True
        )
    sys.exit(project.FOUND if kept else project.OK)


@runners.command("uninstall")
@HOST_ARGUMENT
@SCOPE
@parameters.ROOT
def uninstall(hosts: tuple[str, ...], for_user: bool, root: Path | None) -> None:
    """Take away what `install` wrote, and nothing else.

    A file or entry that was edited since is kept and reported; then it exits with 1.
    """
    kept = False
    for host in hosts:
        installation = _installation(host, for_user, root)
        kept |= _show(installation, installation.uninstall())
    sys.exit(project.FOUND if kept else project.OK)


@runners.command("list")
@parameters.ROOT
def list_hosts(root: Path | None) -> None:
    """List the hosts, and what is installed for each in this project and for you."""
    from planbook.runners.hosts import HOSTS, Scope
    from planbook.runners.install import Installation, install_state

    settings = project.project_settings(root)
    rows = []
    for host in HOSTS.values():
        places = ((Scope.PROJECT, settings.root), (Scope.USER, Path.home()))
        states = [
            install_state(Installation(host, scope, place, settings.docs_dir.strip("/"))) for scope, place in places
        ]
        rows.append((host.name, host.title, *states, host.start if host.is_tried else f"{host.start} (not tried)"))
    terminal.show_rows(terminal.make_console(), ("host", " name", "project", "user", " start"), rows)


@runners.command("ended")
def ended() -> None:
    """Report a subagent that ends without an accepted page: for the hook SubagentStop of a host.

    Reads the host's JSON on standard input. The subagent is told once what is missing; if it ends all the same, its
    PART is free again, and the host shows a message.
    """
    from planbook.runners.ended import read_event

    try:
        event = read_event(sys.stdin.read())
    except ValueError as error:
        raise click.ClickException(f"standard input is not the JSON of a host: {error}") from error
    left = _unfinished(event)
    if not left:
        return
    if not event.is_again:
        reason = " ".join(
            f"{work.plan} PART {work.part} has no accepted page. Run `planbook finish {work.plan} {work.part} "
            f"--runner {work.name} --no-commit`, or the same with --failed and the reason."
            for work in left
        )
        click.echo(json.dumps({"decision": "block", "reason": reason}))
        return
    told = " ".join(f"{work.name} ended without an accepted page of {work.plan} PART {work.part}." for work in left)
    click.echo(json.dumps({"systemMessage": f"{told} Start another runner; nothing of it counts."}))


def _unfinished(event: Ended) -> list[RunnerWork]:
    """Return the PARTs that the subagent still holds; end its claims if it was told before."""
    from planbook.research.claims import LeaseBook
    from planbook.research.evidence.selection import NotFoundError, find_plan

    settings = project.project_settings(store.find_root(event.folder))
    library = link_tree(store.read_tree(settings), project.cached_calls(settings))
    book, now = LeaseBook(settings.root), datetime.now(UTC)
    leases = book.current(now)
    left = []
    for work in event.works:
        try:
            plan = find_plan(library, work.plan)
        except NotFoundError:
            continue
        lease = leases.get((plan.slug, work.part))
        if lease is None or lease.name != work.name:
            continue
        left.append(work)
        part = next((part for part in plan.parts if part.number == work.part), None)
        if event.is_again and part is not None:
            book.release(plan, part, work.name, now)
    return left


def _installation(host: str, for_user: bool, root: Path | None) -> Installation:
    """Return a host's files in this project, or for the user."""
    from planbook.runners.hosts import HOSTS, Scope
    from planbook.runners.install import Installation

    if for_user:
        return Installation(HOSTS[host], Scope.USER, Path.home())
    settings = project.project_settings(root)
    return Installation(HOSTS[host], Scope.PROJECT, settings.root, settings.docs_dir.strip("/"))


def _show(installation: Installation, outcomes: tuple[PieceOutcome, ...]) -> bool:
    """Print a line for each file, and return whether anything was kept."""
    from planbook.runners.install import Action, by_file

    console = terminal.make_console()
    for outcome in by_file(outcomes):
        place = escaped(str(installation.place(outcome.path)))
        why = f": {escaped(outcome.message)}" if outcome.message else ""
        console.print(f"{place}: {outcome.action}{why}")
    return any(outcome.action is Action.KEPT for outcome in outcomes)


def _show_next(installation: Installation) -> None:
    """Print how to start, and what no file can do."""
    host = installation.host
    tried = "" if host.is_tried else " These files were generated by the documentation of the host, and not tried."
    click.echo(f"In {host.title}: {host.start}{'.' if tried else ''}{tried}")
    hint = (host.hint or {}).get(installation.scope)
    if hint:
        click.echo(hint)
