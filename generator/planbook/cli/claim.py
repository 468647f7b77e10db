"""`planbook claim`: reserve a PART for a time."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import store
from planbook.cli import parameters, project
from planbook.cli.chosen_parts import chosen_briefs, chosen_part
from planbook.model import State

if TYPE_CHECKING:
    from planbook.research.drafts import Brief
    from planbook.research.leases import Lease


@click.command()
@parameters.PLAN
@parameters.PART
@click.option(
    "--as", "--runner", "runner", default="", help="Your name, as `finish --runner` gets it."
)
@click.option(
    "--minutes",
    type=click.FloatRange(1, 1_440),
    default=60.0,
    show_default=True,
    help="Time until it is free.",
)
@click.option(
    "--release", is_flag=True, help="Give it up before its time; without a name, whoever has it."
)
@parameters.ROOT
def claim(
    *, plan: str, part: int | None, runner: str, minutes: float, release: bool, root: Path | None
) -> None:
    """Reserve a PART for a time, so that no other runner writes its page.

    PLAN is a plan's path, slug or file name; PART is a number. The path of the PART's page may
    stand for both. Claiming again renews the
    reservation. `planbook finish` ends it; after its time, it is free. If the PART is not open,
    that is said. Exits with 1 if somebody else has it.
    """
    settings = project.project_settings(root)
    plan, part = chosen_part(settings, plan, part)
    if release:
        click.echo(_release(settings, plan, part, runner))
        return
    if not runner:
        raise click.UsageError("Missing option '--as': your name, such as --as ann")
    lease, brief = _claim(settings, plan, part, runner, minutes)
    click.echo(f"{brief.plan.slug} PART {part}: {lease}")
    if note := _note_on_state(brief, settings.docs_dir.strip("/")):
        click.echo(note)


def _release(settings: store.Settings, plan: str, part: int, runner: str) -> str:
    """Give a PART up before its time, and return a line that says so."""
    from planbook.research.leases import LeaseBook

    brief = chosen_briefs(settings, plan, (part,))[0]
    book, now = LeaseBook(settings.root), datetime.now(UTC)
    lease = book.current(now).get((brief.plan.slug, brief.part.number))
    holder = lease.runner if lease else ""
    is_released = book.release(brief.plan, brief.part, runner or holder, now)
    if is_released:
        state = "free" if runner else f"free; {holder} had claimed it"
    elif holder:
        state = f"not claimed by {runner}, but by {holder}: --as {shlex.quote(holder)}"
    else:
        state = "not claimed"
    return f"{brief.plan.slug} PART {part}: {state}"


def _claim(
    settings: store.Settings, plan: str, part: int, runner: str, minutes: float
) -> tuple[Lease, Brief]:
    """Claim a PART, and return its lease and the brief of its first page."""
    from planbook.research.leases import LeaseBook

    brief = chosen_briefs(settings, plan, (part,))[0]
    book = LeaseBook(settings.root)
    lease = book.claim(brief.plan, brief.part, runner, datetime.now(UTC), minutes)
    return lease, brief


def claim_part(
    settings: store.Settings, plan: str, part: int, runner: str, minutes: float
) -> dict[str, Any]:
    """Claim a PART, and return the claim as JSON data, with a note if the PART is not open."""
    lease, brief = _claim(settings, plan, part, runner, minutes)
    claimed = {
        "plan": lease.plan,
        "part": lease.part,
        "name": lease.runner,
        "until": lease.until,
        "state": brief.part.state.value,
    }
    note = _note_on_state(brief, settings.docs_dir.strip("/"))
    return {**claimed, "note": note} if note else claimed


def _note_on_state(brief: Brief, docs: str) -> str:
    """Return what a claimed PART's mark says, if it is not open; empty otherwise."""
    part_name = f"{brief.plan.slug} PART {brief.part.number}"
    page = f"{docs}/{brief.page}"
    match brief.part.state:
        case State.DONE:
            return f"{part_name} is done, and {page} is its page: finishing it again replaces them."
        case State.PARTIAL:
            return f"{part_name} is partial: {page} leaves something open."
        case State.SKIPPED | State.DISABLED:
            return f"{part_name} is {brief.part.state.value}: its plan asks for no page."
        case _:
            return ""
