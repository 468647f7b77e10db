"""`planbook gather`, `brief`, `read` and `find`: the evidence for whoever writes a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from planbook import store
from planbook.cli import parameters, project, terminal
from planbook.cli.terminal import escaped
from planbook.library import link_tree
from planbook.markdown.escape import fenced
from planbook.markdown.front_matter import yaml_lines
from planbook.markdown.plain_text import count, plain_text
from planbook.model import State

if TYPE_CHECKING:
    from planbook.research.claims import Lease
    from planbook.research.drafts import Brief, Evidence, Excerpt, Source
    from planbook.research.evidence.dossier import Dossier
    from planbook.research.evidence.reading import Printed, Request
    from planbook.research.evidence.shown import ShownLog
    from planbook.research.expand.gather import Gatherer

F = TypeVar("F", bound=Callable[..., Any])
BRIEF_TOKENS = 7_000
"""The size of a brief by default, in tokens."""
FIND_TOKENS = 1_000
"""The size of the answer of `find` by default, in tokens."""
READ_TOKENS = 2_000
"""The size of the answer of `read` by default, in tokens."""
FEWEST_TOKENS = 200
"""Minimum size of an answer, in tokens."""


def tokens_option(default: int) -> Callable[[F], F]:
    """Return the decorator that adds the option for the size of a command's output."""
    size = click.IntRange(min=FEWEST_TOKENS)
    return click.option("--tokens", type=size, default=default, show_default=True, help="Size of the output, about.")


# --- gather ----------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("plan", required=False, shell_complete=parameters.complete_plans)
@click.argument("parts", nargs=-1, type=int, shell_complete=parameters.complete_parts)
@click.option("--workers", type=click.IntRange(1, 64), help="Number of PARTs to work on at once.")
@parameters.CONTACT
@parameters.LOOPBACK
@parameters.ROOT
@parameters.JSON
@project.needs_extra("research")
def gather(*, plan: str | None, parts: tuple[int, ...], root: Path | None, as_json: bool, **given: Any) -> None:
    """Search and read for open PARTs, and keep what was found as the dossiers of their pages.

    PLAN is a plan's path, slug or file name, by default all plans; PARTS are numbers, by default all open ones. No page
    is written. `planbook brief` prints a page's dossier, and `planbook find` searches it. Exits with 3 if nothing was
    found for a page, 4 if there is nothing to gather.
    """
    from planbook.research.expand.events import StoppedError

    gatherer = open_gatherer(project.project_settings(root), is_quiet=as_json, **given)
    briefs = chosen_briefs(gatherer.settings, plan, parts)
    if not briefs:
        click.echo("Nothing to gather: no PART is open.", err=True)
        sys.exit(project.NOTHING)
    found: list[Dossier] = []
    console = terminal.make_console()
    try:
        for dossier in gatherer.gather(briefs):
            found.append(dossier)
            if not as_json:
                console.print(escaped(_summary(dossier, gatherer)))
    except StoppedError as error:
        console.print(escaped(f"Stopped: {error}."))
        sys.exit(project.STOPPED)
    if as_json:
        terminal.print_json([dossier_to_json(dossier) for dossier in found])
    sys.exit(project.OK if all(dossier.sources for dossier in found) else project.FAILED)


def gather_part(settings: store.Settings, plan: str, part: int) -> dict[str, Any]:
    """Gather for the pages of a PART, and return their dossiers as JSON data."""
    briefs = chosen_briefs(settings, plan, (part,))
    gatherer = open_gatherer(settings, is_quiet=True)
    return {"dossiers": [dossier_to_json(dossier) for dossier in gatherer.gather(briefs)]}


def open_gatherer(settings: store.Settings, *, is_quiet: bool = False, **given: object) -> Gatherer:
    """Return the gatherer of the project, with its options overridden by those that are `given`."""
    from planbook.cli.live import show_events
    from planbook.research.expand.events import CancelToken, Clock
    from planbook.research.expand.gather import Gatherer
    from planbook.store.options import read_options

    options = read_options(settings, given)
    emit = (lambda event: None) if is_quiet else show_events()
    return Gatherer(settings, options, os.environ, CancelToken(), emit, Clock())


def chosen_briefs(settings: store.Settings, plan: str | None, parts: Sequence[int]) -> tuple[Brief, ...]:
    """Return the briefs of the named PARTs, or of the open ones."""
    from planbook.research.evidence.selection import Choice, add_prior_knowledge, briefs_of, select

    now = datetime.now(UTC)
    library = link_tree(store.read_tree(settings), project.cached_calls(settings))
    if plan is not None and parts:
        return tuple(brief for part in parts for brief in briefs_of(library, plan, part, now))
    return add_prior_knowledge(select(library, Choice(plan), now).briefs, library)


def _summary(dossier: Dossier, gatherer: Gatherer) -> str:
    """Return what was found for a page, in one line, and how to go on."""
    from planbook.research.expand.worker import describe_searches

    brief, points = dossier.brief, dossier.evidence
    name = f"{brief.plan.slug} PART {brief.part.number}"
    if not dossier.sources and not dossier.unread:
        return f"{name}: no work read: {describe_searches(dossier.searched, gatherer.unavailable)}"
    answered = sum(point.is_found for point in points)
    unread = f", {len(dossier.unread)} not read" if dossier.unread else ""
    works = f"{count(len(dossier.sources), 'work')} read{unread}"
    found = f"passages for {answered} of {count(len(points), 'point')}"
    lines = [f"{name}: {works}; {found}; planbook brief {brief.plan.slug} {brief.part.number}"]
    lines += [f"  {_state_of(point)}: {plain_text(point.point)}" for point in points if _state_of(point)]
    return "\n".join(lines)


def _state_of(point: Evidence) -> str:
    """Return what is doubtful about the passages of a point; empty if they seem to answer it."""
    if point.is_uncertain:
        return "uncertain"
    return "" if point.is_found else "no passage"


def dossier_to_json(dossier: Dossier) -> dict[str, Any]:
    """Return a dossier as JSON data, with the ids of the passages of each point, best first."""
    return {
        "plan": dossier.brief.plan.uri,
        "part": dossier.brief.part.number,
        "page": dossier.brief.page,
        "gathered": dossier.gathered,
        "works": [
            {"id": source.id, "title": source.title, "url": source.fetched.url, "sha256": source.fetched.sha256}
            for source in dossier.sources
        ],
        "points": [
            {
                "section": point.section,
                "point": point.point,
                "is_found": point.is_found,
                "passages": [dossier.passages.id_of(one.excerpt) for one in point.ranked],
            }
            for point in dossier.evidence
        ],
        "searches": [
            {
                "query": search.query.text,
                "provider": search.provider,
                "outcome": search.outcome,
                "hits": len(search.hits),
                "reason": search.reason,
            }
            for search in dossier.searched
        ],
        "unread": [{"url": one.url, "outcome": one.outcome, "reason": one.reason} for one in dossier.unread],
    }


# --- brief -----------------------------------------------------------------------------------------------------------


@click.command("brief")
@parameters.PLAN
@parameters.PART
@tokens_option(BRIEF_TOKENS)
@parameters.ROOT
def brief_command(plan: str, part: int, tokens: int, root: Path | None) -> None:
    """Print the brief of a PART: what its page must cover, the evidence for it, and the rules it must meet.

    PLAN is a plan's path, slug or file name; PART is a number. The evidence is what `planbook gather` found, else what
    can be read without a request. Once the page is written, submit it with `planbook finish`.
    """
    settings = project.project_settings(root)
    briefs = chosen_briefs(settings, plan, (part,))
    lease = lease_of(settings, briefs[0])
    if lease is not None:
        click.echo(f"This brief is for {lease.name}, who has claimed PART {part} until {lease.until}", err=True)
    click.echo(print_briefs(settings, briefs, lease, partial(_nearby, settings), tokens), nl=False)


def print_briefs(
    settings: store.Settings,
    briefs: Sequence[Brief],
    lease: Lease | None,
    load: Callable[[Brief], Dossier | None],
    tokens: int,
) -> str:
    """Return the briefs of a PART's pages, and keep that the holder of its `lease` was shown their passages.

    Args:
        settings: the project.
        briefs: the briefs of the pages, one or more.
        lease: the claim of the PART; ``None`` without one.
        load: returns the dossier of a page; ``None`` if there is none.
        tokens: the size of all briefs together.
    """
    from planbook.research.evidence.brief import compose_brief

    docs_dir, runner = settings.docs_dir.strip("/"), lease.name if lease else ""
    texts: list[str] = []
    passages: list[tuple[str, Excerpt]] = []
    for brief in briefs:
        dossier = load(brief)
        composed = compose_brief(brief, dossier, docs_dir, tokens // len(briefs), runner)
        texts.append(composed.text)
        if dossier:
            passages += [(name, dossier.passages.by_id[name]) for name in composed.passages]
    if lease is not None:
        shown_log(settings, briefs[0]).begin(passages)
    return "\n---\n\n".join(texts)


def lease_of(settings: store.Settings, brief: Brief) -> Lease | None:
    """Return the lease of a PART, if somebody works on it."""
    from planbook.research.claims import LeaseBook

    return LeaseBook(settings.root).current(datetime.now(UTC)).get((brief.plan.slug, brief.part.number))


def shown_log(settings: store.Settings, brief: Brief) -> ShownLog:
    """Return the record of what the holder of a PART's claim was shown; an empty one without a claim."""
    from planbook.research.evidence.shown import ShownLog
    from planbook.research.git import shared_folder

    return ShownLog(shared_folder(settings.root), lease_of(settings, brief))


def _nearby(settings: store.Settings, brief: Brief) -> Dossier | None:
    """Return the page's dossier, else what can be read without a request; nothing without the extra."""
    from planbook.research.evidence.dossier import DossierStore
    from planbook.research.git import shared_folder

    kept = DossierStore(shared_folder(settings.root)).load(brief)
    if kept is not None:
        return kept
    try:
        from planbook.research.expand.context import read_nearby
    except ImportError:
        return None
    return read_nearby(settings, os.environ, brief)


# --- read and find ---------------------------------------------------------------------------------------------------


def answer_options(default: int) -> Callable[[F], F]:
    """Return the decorator that adds the options for the size and form of an answer."""
    size = click.IntRange(min=FEWEST_TOKENS)

    def add(function: F) -> F:
        sized = click.option("--tokens", type=size, show_default=str(default), help="Size of the output, about.")
        ids = click.option("--ids", "only_ids", is_flag=True, help="Only the ids and first words of passages.")
        return sized(ids(function))

    return add


@click.command()
@click.argument("place", metavar="ADDRESS|FILE|ID")
@click.option("--for", "page", nargs=2, metavar="PLAN PART", help="Add it to the dossier of this PART.")
@click.option("--find", "words", metavar="WORDS", help="Only the passages that share these words, best first.")
@answer_options(READ_TOKENS)
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
    root: Path | None,
    **given: Any,
) -> None:
    """Read a source as politely as `planbook expand`, and print its main text as numbered passages, verbatim.

    ADDRESS is a web address, FILE a file in documents/, ID the id of a work that was gathered for the PART; ID#3-7
    are some of its passages. The reference to paste is printed first. Of a work that is too long, the passages are
    listed. The holder of the PART's claim gets the id instead of the reference, and each passage whole once.
    """
    from planbook.research.evidence.reading import Request

    gatherer = open_gatherer(project.project_settings(root), **given)
    brief = _one_brief(gatherer.settings, *page) if page else None
    command = f"planbook read {place}{f' --for {page[0]} {page[1]}' if page else ''}"
    request = Request(tokens or READ_TOKENS, tokens is not None, only_ids, command)
    printed = print_source(gatherer, place, brief, words or "", request)
    click.echo(printed.text, nl=False)
    sys.exit(project.FOUND if printed.is_empty else project.OK)


def read_for_part(
    settings: store.Settings, place: str, plan: str, part: int, words: str, *, tokens: int, only_ids: bool
) -> dict[str, Any]:
    """Read a source for a PART, and return what `read` prints of it, in `tokens` or the usual size if they are 0."""
    from planbook.research.evidence.reading import Request

    brief = chosen_briefs(settings, plan, (part,))[0]
    request = Request(tokens or READ_TOKENS, tokens > 0, only_ids, "read")
    printed = print_source(open_gatherer(settings, is_quiet=True), place, brief, words, request)
    return {"text": printed.text, "left": printed.left}


def print_source(gatherer: Gatherer, place: str, brief: Brief | None, words: str, request: Request) -> Printed:
    """Return what `read` prints of a source, and keep that the holder of the PART's claim was shown it."""
    from planbook.research.evidence.reading import nothing_shown, numbers_in, render_work

    named = numbers_in(place) if brief else None
    source = gatherer.read(named[0] if named else place, brief)
    log = shown_log(gatherer.settings, brief) if brief else None
    is_shown = log.has if log else nothing_shown
    printed = render_work(source, request, words, is_shown, named[1] if named else frozenset())
    if log is not None:
        log.add(printed.whole)
    head = "" if named else _head_of(source, is_known=log is not None and log.has_reader)
    return replace(printed, text=f"{head}{printed.text}")


def _head_of(source: Source, *, is_known: bool) -> str:
    """Return the title of a source above the way to cite it: a runner knows its form, and needs the id only."""
    from planbook.research.writers.quoting import source_item

    if is_known:
        return f"# {source.title}\n\nIts id is `{source.id}`: write that and your quotes, `finish` adds the rest.\n\n"
    item = source_item(source, {}, datetime.now(UTC).date())
    reference = fenced(yaml_lines({"references": [item]}), "yaml").rstrip("\n")
    return f"# {source.title}\n\n{reference}\n\n"


def _one_brief(settings: store.Settings, plan: str, part: str) -> Brief:
    """Return the brief of a PART, the first if it has several pages."""
    if not part.isdecimal():
        raise click.UsageError(f"{part!r} is not the number of a PART")
    return chosen_briefs(settings, plan, (int(part),))[0]


@click.command()
@parameters.PLAN
@click.argument("part", shell_complete=parameters.complete_parts)
@click.argument("question")
@answer_options(FIND_TOKENS)
@parameters.ROOT
@project.needs_extra("research")
def find(*, plan: str, part: str, question: str, tokens: int | None, only_ids: bool, root: Path | None) -> None:
    """Print the passages of a PART's works that may answer a question, best first.

    PLAN is a plan's path, slug or file name; PART is a number. Ranking is by words: try the words of the documents.
    The holder of the PART's claim gets a passage whole once, then by its id and first words; `planbook read ID#3`
    prints it again.
    """
    from planbook.research.evidence.reading import Request

    gatherer = open_gatherer(project.project_settings(root))
    brief = _one_brief(gatherer.settings, plan, part)
    request = Request(tokens or FIND_TOKENS, tokens is not None, only_ids)
    printed = print_found(gatherer, brief, question, request)
    click.echo(printed.text, nl=False)
    sys.exit(project.FOUND if printed.is_empty else project.OK)


def find_for_part(
    settings: store.Settings, plan: str, part: int, question: str, *, tokens: int, only_ids: bool
) -> dict[str, Any]:
    """Return what `find` prints for a question about a PART, in `tokens` or the usual size if they are 0."""
    from planbook.research.evidence.reading import Request

    brief = chosen_briefs(settings, plan, (part,))[0]
    request = Request(tokens or FIND_TOKENS, tokens > 0, only_ids)
    printed = print_found(open_gatherer(settings, is_quiet=True), brief, question, request)
    return {"text": printed.text, "left": printed.left}


def print_found(gatherer: Gatherer, brief: Brief, question: str, request: Request) -> Printed:
    """Return what `find` prints for a question, and keep that the holder of the PART's claim was shown it."""
    from planbook.research.evidence.reading import render_found

    log = shown_log(gatherer.settings, brief)
    printed = render_found(gatherer.dossier(brief), question, request, log.has)
    log.add(printed.whole)
    return printed


# --- claim -----------------------------------------------------------------------------------------------------------


@click.command()
@parameters.PLAN
@parameters.PART
@click.option("--as", "name", required=True, help="Your name, the one that you give to `finish --runner`.")
@click.option(
    "--minutes", type=click.FloatRange(1, 1_440), default=60.0, show_default=True, help="Time until it is free."
)
@click.option("--release", is_flag=True, help="Give it up before its time.")
@parameters.ROOT
def claim(*, plan: str, part: int, name: str, minutes: float, release: bool, root: Path | None) -> None:
    """Reserve a PART for a time, so that no other runner writes its page.

    PLAN is a plan's path, slug or file name; PART is a number. Claiming again renews the reservation. `planbook finish`
    ends it; after its time, it is free. If the PART is not open, that is said. Exits with 1 if somebody else has it.
    """
    from planbook.research.claims import LeaseBook

    settings, now = project.project_settings(root), datetime.now(UTC)
    brief = chosen_briefs(settings, plan, (part,))[0]
    book = LeaseBook(settings.root)
    if release:
        done = book.release(brief.plan, brief.part, name, now)
        click.echo(f"{brief.plan.slug} PART {part}: {'free' if done else f'not claimed by {name}'}")
        return
    lease = book.claim(brief.plan, brief.part, name, now, minutes)
    click.echo(f"{brief.plan.slug} PART {part}: {lease}")
    told = state_of_claimed(brief, settings.docs_dir.strip("/"))
    if told:
        click.echo(told)


def claim_part(settings: store.Settings, plan: str, part: int, name: str, minutes: float) -> dict[str, Any]:
    """Claim a PART, and return the claim as JSON data, with a note if the PART is not open."""
    from planbook.research.claims import LeaseBook

    brief = chosen_briefs(settings, plan, (part,))[0]
    lease = LeaseBook(settings.root).claim(brief.plan, brief.part, name, datetime.now(UTC), minutes)
    claimed = {"plan": lease.plan, "part": lease.part, "name": lease.name, "until": lease.until}
    claimed["state"] = brief.part.state.value
    note = state_of_claimed(brief, settings.docs_dir.strip("/"))
    return {**claimed, "note": note} if note else claimed


def state_of_claimed(brief: Brief, docs: str) -> str:
    """Return what a claimed PART's mark says, if it is not open; empty otherwise."""
    part = f"{brief.plan.slug} PART {brief.part.number}"
    match brief.part.state:
        case State.DONE:
            return f"{part} is done, and {docs}/{brief.page} is its page: finishing it again replaces them."
        case State.PARTIAL:
            return f"{part} is partial: {docs}/{brief.page} leaves something open."
        case State.SKIPPED | State.DISABLED:
            return f"{part} is {brief.part.state.value}: its plan asks for no page."
        case _:
            return ""
