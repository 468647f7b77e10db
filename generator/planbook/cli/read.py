"""`planbook read`: a source as numbered passages."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import store
from planbook.cli import parameters, project
from planbook.cli.chosen_parts import (
    AGAIN,
    answer_options,
    chosen_briefs,
    one_brief,
    open_gatherer,
    shown_log,
)
from planbook.markdown.escape import fenced
from planbook.markdown.front_matter import yaml_lines

if TYPE_CHECKING:
    from planbook.research.drafts import Brief, Source
    from planbook.research.evidence.reading import Printed, Request
    from planbook.research.evidence.shown import ShownLog
    from planbook.research.expand.gather import Gatherer

READ_TOKENS = 2_000
"""The size of the answer of `read` by default, in tokens."""


@click.command()
@click.argument("place", metavar="ADDRESS|FILE|ID")
@click.option(
    "--for", "page", nargs=2, metavar="PLAN PART", help="Add it to the dossier of this PART."
)
@click.option(
    "--find", "words", metavar="WORDS", help="Only the passages that share these words, best first."
)
@answer_options(READ_TOKENS)
@AGAIN
@parameters.CONTACT
@parameters.LOOPBACK
@parameters.ROOT
@project.needs_extra("research")
def read(
    *,
    place: str,
    page: tuple[str, str] | None,
    words: str | None,
    tokens: int | None,
    only_ids: bool,
    is_again: bool,
    root: Path | None,
    **given: Any,
) -> None:
    """Read a source as politely as `planbook expand`, and print its main text as numbered passages,
    verbatim.

    ADDRESS is a web address, FILE a file in documents/, ID the id of a work that was gathered for
    the PART; ID#3-7 are some of its passages. The reference to paste is printed first. Of a work
    that is too long, the passages are listed. The holder of the PART's claim gets the id instead of
    the reference, and each passage whole once.
    """  # noqa: D205 - click prints the first paragraph, which is longer than a line
    from planbook.research.evidence.reading import PLACE, Request

    gatherer = open_gatherer(project.project_settings(root), **given)
    brief = None
    next_command = f"planbook read {PLACE}"
    if page:
        plan, part = page
        brief = one_brief(gatherer.settings, plan, part)
        next_command += f" --for {plan} {part}"
    request = Request(
        tokens=tokens or READ_TOKENS,
        is_sized=tokens is not None,
        only_ids=only_ids,
        more=next_command,
        place=place,
        has_id=page is not None,
    )
    printed = _answer_once(gatherer, place, brief, words or "", request, is_again=is_again)
    click.echo(printed.text, nl=False)
    sys.exit(project.ATTENTION if printed.is_empty else project.OK)


def read_for_part(
    settings: store.Settings,
    place: str,
    plan: str,
    part: int,
    words: str,
    *,
    tokens: int,
    only_ids: bool,
    is_again: bool = False,
) -> dict[str, Any]:
    """Read a source for a PART, and return what `read` prints of it, as JSON data.

    The text has the usual size if `tokens` is 0.
    """
    from planbook.research.evidence.reading import PLACE, Request

    brief = chosen_briefs(settings, plan, (part,))[0]
    request = Request(
        tokens=tokens or READ_TOKENS,
        is_sized=tokens > 0,
        only_ids=only_ids,
        more=f"read with the place {PLACE}",
        place=place,
        has_id=True,
    )
    gatherer = open_gatherer(settings, is_quiet=True)
    printed = _answer_once(gatherer, place, brief, words, request, is_again=is_again)
    return {"text": printed.text, "left": printed.left}


def _answer_once(
    gatherer: Gatherer,
    place: str,
    brief: Brief | None,
    words: str,
    request: Request,
    *,
    is_again: bool,
) -> Printed:
    """Return what to print of a source, and keep its passages as shown.

    The holder of the PART's claim gets none of them whole again, unless it is asked for.
    """
    if brief is None:
        return _render_source(gatherer, place, None, words, request, None)
    log = shown_log(gatherer.settings, brief)
    printed = _render_source(gatherer, place, brief, words, request, log, is_again=is_again)
    log.add(printed.whole)
    return printed.with_way_to_shown()


def _render_source(  # noqa: PLR0917 - each is an input of its own
    gatherer: Gatherer,
    place: str,
    brief: Brief | None,
    words: str,
    request: Request,
    log: ShownLog | None,
    *,
    is_again: bool = False,
) -> Printed:
    """Read a source, and return its text.

    A `place` such as `ID#3-7` names passages of a work that the PART has: its head is not repeated.
    """
    from planbook.research.evidence.reading import nothing_shown, numbers_in, render_work

    named = numbers_in(place) if brief else None
    work, numbers = named or (place, frozenset())
    source = gatherer.read(work, brief)
    is_shown = log.has if log and not is_again else nothing_shown
    printed = render_work(source, request, words, is_shown, numbers)
    if named:
        return printed
    head = _head_of(source, is_known=log is not None and log.has_reader)
    return replace(printed, text=f"{head}{printed.text}")


def _head_of(source: Source, *, is_known: bool) -> str:
    """Return the title of a source above the way to cite it.

    A runner, to whom its form `is_known`, needs the id only.
    """
    from planbook.research.writers.quoting import source_item

    title = f"# {source.title}\n\n"
    if source.fetched.doubt:
        title += f"This may be another page than was meant: {source.fetched.doubt}.\n\n"
    if is_known:
        form = f"`[@{source.id}#1]`"
        return f"{title}Its id is `{source.id}`: cite its passages by their numbers, {form}.\n\n"
    item = source_item(source, {}, datetime.now(UTC).date())
    reference = fenced(yaml_lines({"references": [item]}), "yaml").rstrip("\n")
    return f"{title}{reference}\n\n"
