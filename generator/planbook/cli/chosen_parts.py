"""The PARTs that `gather`, `brief`, `read`, `find` and `claim` are about, and their claims.

The options for the size of their answers are here, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from planbook import store
from planbook.cli import project, targets
from planbook.library import link_tree

if TYPE_CHECKING:
    from planbook.research.drafts import Brief
    from planbook.research.evidence.shown import ShownLog
    from planbook.research.expand.gather import Gatherer
    from planbook.research.leases import Lease

Function = TypeVar("Function", bound=Callable[..., Any])
MIN_PRINTED_TOKENS = 200
"""Minimum size of an answer, in tokens."""
UNCUT_TOKENS = 6_000
"""Size of an answer of which hosts of agents cut nothing: they show about 25,000 characters."""


def tokens_option(default: int) -> Callable[[Function], Function]:
    """Return the decorator that adds the option for the size of a command's output."""
    return click.option(
        "--tokens",
        type=click.IntRange(min=MIN_PRINTED_TOKENS),
        default=default,
        show_default=True,
        help="Size of the output, about.",
    )


def answer_options(default: int) -> Callable[[Function], Function]:
    """Return the decorator that adds the options for the size and form of an answer.

    The size is ``None`` if the user gives none: then an answer may have fewer passages than fit.
    """
    size = click.IntRange(min=MIN_PRINTED_TOKENS)

    def add_options(function: Function) -> Function:
        """Add both options to a command."""
        sized = click.option(
            "--tokens", type=size, show_default=str(default), help="Size of the output, about."
        )
        ids = click.option(
            "--ids", "only_ids", is_flag=True, help="Only the ids and first words of passages."
        )
        return sized(ids(function))

    return add_options


AGAIN_OPTION = click.option(
    "--again",
    "is_again",
    is_flag=True,
    help="Print what was shown before whole again, such as an answer that the host has cut.",
)
"""The option for a reader who lost what was printed."""


def open_gatherer(
    settings: store.Settings, *, is_quiet: bool = False, **option_values: object
) -> Gatherer:
    """Return the gatherer of the project, with its options overridden by `option_values`."""
    from planbook.cli.live import ignore_event, show_events
    from planbook.research.expand.cancellation import CancelToken
    from planbook.research.expand.gather import Gatherer
    from planbook.research.recording.clock import Clock
    from planbook.store.options import read_options

    options = read_options(settings, option_values)
    emit = ignore_event if is_quiet else show_events()
    return Gatherer(settings, options, os.environ, CancelToken(), emit, Clock())


def chosen_briefs(
    settings: store.Settings, plan: str | None, numbers: Sequence[int]
) -> tuple[Brief, ...]:
    """Return the briefs of the named PARTs, or of the open ones."""
    from planbook.research.selection import Choice, add_prior_knowledge, briefs_of, select

    now = datetime.now(UTC)
    library = link_tree(store.read_tree(settings), project.open_cache(settings))
    if plan is not None and numbers:
        return tuple(brief for number in numbers for brief in briefs_of(library, plan, number, now))
    return add_prior_knowledge(select(library, Choice(plan), now).briefs, library)


def chosen_part(settings: store.Settings, plan: str | None, part: int | None) -> tuple[str, int]:
    """Return plan and PART, also if the path of a page stands for both. Raises click.UsageError."""
    if plan is not None and part is not None:
        return plan, part
    if plan is not None:
        plan, part = part_of_path(settings, plan)
    if plan is None or part is None:
        raise click.UsageError("name a plan and the number of a PART, or a page that a plan names")
    return plan, part


def part_of_path(settings: store.Settings, name: str) -> tuple[str, int | None]:
    """Return the plan and the PART whose page is at the path `name`.

    Any other name is that of a plan, and returned without a PART.
    """
    return targets.part_of_page(settings, name) or (name, None)


def one_brief(settings: store.Settings, plan: str, part: str) -> Brief:
    """Return the brief of a PART, the first if it has several pages."""
    if not part.isdecimal():
        raise click.UsageError(f"{part!r} is not the number of a PART")
    return chosen_briefs(settings, plan, (int(part),))[0]


def lease_of(settings: store.Settings, brief: Brief) -> Lease | None:
    """Return the lease of a PART, if somebody works on it."""
    from planbook.research.leases import LeaseBook

    leases = LeaseBook(settings.root).current(datetime.now(UTC))
    return leases.get((brief.plan.slug, brief.part.number))


def shown_log(settings: store.Settings, brief: Brief) -> ShownLog:
    """Return the record of what the holder of a PART's claim was shown.

    Without a claim, it is an empty one.
    """
    from planbook.research.evidence.shown import ShownLog
    from planbook.research.git import shared_folder

    return ShownLog(shared_folder(settings.root), lease_of(settings, brief))
