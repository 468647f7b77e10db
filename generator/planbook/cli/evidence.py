"""`planbook gather`, `brief`, `read` and `find`: the evidence for whoever writes a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from planbook import store
from planbook.cli import project
from planbook.cli.project import escaped
from planbook.library import link_tree
from planbook.markdown.escape import fenced
from planbook.markdown.front_matter import yaml_lines
from planbook.markdown.plain_text import count, plain_text
from planbook.model import State

if TYPE_CHECKING:
    from planbook.research.drafts import Brief, Evidence, Excerpt, Source
    from planbook.research.evidence.acceptance import Judgement
    from planbook.research.evidence.dossier import Dossier
    from planbook.research.expand.gather import Gatherer

F = TypeVar("F", bound=Callable[..., Any])
FIND_TOKENS = 3_000
"""The size of the answer of `find` by default, in tokens."""
READ_TOKENS = 8_000
"""The size of the answer of `read` by default, in tokens."""


def tokens_option(default: int) -> Callable[[F], F]:
    """Return the decorator that adds the option for the size of a command's output."""
    size = click.IntRange(min=500)
    return click.option("--tokens", type=size, default=default, show_default=True, help="Size of the output, about.")


# --- gather ----------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("plan", required=False, shell_complete=project.complete_plans)
@click.argument("parts", nargs=-1, type=int, shell_complete=project.complete_parts)
@click.option("--workers", type=click.IntRange(1, 64), help="Number of PARTs to work on at once.")
@project.CONTACT
@project.LOOPBACK
@project.ROOT
@project.JSON
@project.needs_extra("research")
def gather(*, plan: str | None, parts: tuple[int, ...], root: Path | None, as_json: bool, **given: Any) -> None:
    """Search and read for open PARTs, and keep what was found as the dossiers of their pages.

    PLAN is a plan's path, slug or file name, by default all plans; PARTS are numbers, by default all open ones. No page
    is written. `planbook brief` prints a page's dossier, and `planbook find` searches it. Exits with 3 if nothing was
    found for a page, 4 if there is nothing to gather.
    """
    from planbook.research.expand.events import StoppedError

    gatherer = open_gatherer(root, is_quiet=as_json, **given)
    briefs = chosen_briefs(gatherer.settings, plan, parts)
    if not briefs:
        click.echo("Nothing to gather: no PART is open.", err=True)
        sys.exit(project.NOTHING)
    found: list[Dossier] = []
    console = project.make_console()
    try:
        for dossier in gatherer.gather(briefs):
            found.append(dossier)
            if not as_json:
                console.print(escaped(_summary(dossier, gatherer)))
    except StoppedError as error:
        console.print(escaped(f"Stopped: {error}."))
        sys.exit(project.STOPPED)
    if as_json:
        project.print_json([dossier_to_json(dossier) for dossier in found])
    sys.exit(project.OK if all(dossier.sources for dossier in found) else project.FAILED)


def open_gatherer(root: Path | None, *, is_quiet: bool = False, **given: object) -> Gatherer:
    """Return the gatherer of the project, with its options overridden by those that are `given`."""
    from planbook.cli.expand import show_events
    from planbook.research.expand.events import CancelToken, Clock
    from planbook.research.expand.gather import Gatherer
    from planbook.store.options import read_options

    settings = project.project_settings(root)
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
@project.PLAN
@project.PART
@tokens_option(12_000)
@project.ROOT
def brief_command(plan: str, part: int, tokens: int, root: Path | None) -> None:
    """Print the brief of a PART: what its page must cover, the evidence for it, and the rules it must meet.

    PLAN is a plan's path, slug or file name; PART is a number. The evidence is what `planbook gather` found, else what
    can be read without a request. Once the page is written, submit it with `planbook finish`.
    """
    from planbook.research.evidence.brief import render_brief

    settings = project.project_settings(root)
    docs_dir = settings.docs_dir.strip("/")
    briefs = chosen_briefs(settings, plan, (part,))
    size = tokens // len(briefs)
    runner = _tell_claim(settings, briefs[0])
    shown = (render_brief(one, _nearby(settings, one), docs_dir, size, runner) for one in briefs)
    click.echo("\n---\n\n".join(shown), nl=False)


def _tell_claim(settings: store.Settings, brief: Brief) -> str:
    """Say on standard error who works on the PART, and return the name; empty if nobody does."""
    from planbook.research.claims import LeaseBook

    lease = LeaseBook(settings.root).current(datetime.now(UTC)).get((brief.plan.slug, brief.part.number))
    if lease is not None:
        click.echo(f"PART {brief.part.number} is {lease}", err=True)
    return lease.name if lease is not None else ""


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


@click.command()
@click.argument("place", metavar="ADDRESS|FILE|ID")
@click.option("--for", "page", nargs=2, metavar="PLAN PART", help="Add it to the dossier of this PART.")
@click.option("--find", "words", metavar="WORDS", help="Only the passages that share these words, best first.")
@tokens_option(READ_TOKENS)
@project.CONTACT
@project.LOOPBACK
@project.ROOT
@project.needs_extra("research")
def read(
    *, place: str, page: tuple[str, str] | None, words: str | None, tokens: int, root: Path | None, **given: Any
) -> None:
    """Read a source as politely as `planbook expand`, and print its main text as numbered passages, verbatim.

    ADDRESS is a web address, FILE a file in documents/, ID the id of a work that was gathered for the PART. The
    reference to paste is printed first.
    """
    gatherer = open_gatherer(root, **given)
    brief = _one_brief(gatherer.settings, *page) if page else None
    source = gatherer.read(place, brief)
    click.echo(render_source(source, words or "", tokens, command=_again(place, page)), nl=False)


def _again(place: str, page: tuple[str, str] | None) -> str:
    """Return the command that prints the same source."""
    return f"planbook read {place}{f' --for {page[0]} {page[1]}' if page else ''}"


def _one_brief(settings: store.Settings, plan: str, part: str) -> Brief:
    """Return the brief of a PART, the first if it has several pages."""
    if not part.isdecimal():
        raise click.UsageError(f"{part!r} is not the number of a PART")
    return chosen_briefs(settings, plan, (int(part),))[0]


def render_source(source: Source, words: str, tokens: int, command: str) -> str:
    """Return a source's reference and its numbered passages in about so many tokens, as Markdown."""
    from planbook.research.evidence.brief import CHARS_PER_TOKEN
    from planbook.research.evidence.dossier import PassageIndex
    from planbook.research.evidence.rank import PointQuery, rank
    from planbook.research.writers.quoting import source_item

    item = source_item(source, {}, datetime.now(UTC).date())
    reference = fenced(yaml_lines({"references": [item]}), "yaml").rstrip("\n")
    every: Mapping[str, Excerpt] = PassageIndex([source], has_change_logs=True).by_id
    about = _about_passages(source, has_passages=bool(every))
    nothing = "No passage shares these words.\n" if every else ""
    if words:
        names = {excerpt: name for name, excerpt in every.items()}
        ranked = rank(list(every.values()), [PointQuery(words)])[0]
        every = {names[one.excerpt]: one.excerpt for one in ranked}
    head = f"# {source.title}\n\n{reference}\n\n"
    room = tokens * CHARS_PER_TOKEN - len(head)
    shown, left = cut_passages(every.items(), room)
    tail = f"\n{count(left, 'passage')} more: {command} --tokens {2 * tokens}\n" if left else ""
    return f"{head}{about}{shown or nothing}{tail}"


def _about_passages(source: Source, *, has_passages: bool) -> str:
    """Return what to know before the passages of a source: that it lists changes, or why there are none; else empty."""
    from planbook.research.evidence.passages import is_change_log

    size = f"{len(source.fetched.text):,} characters"
    if not source.fetched.text.strip():
        return "No passage can be quoted: it has no main text, or none that could be read.\n"
    if not has_passages:
        return (
            f"No passage can be quoted: its {size} have no sentence of five words, list, table or code "
            "that is not navigation, a notice, or a key.\n"
        )
    if is_change_log(source):
        return (
            "This is a change log: what it says is true of one version, so name the version. "
            "Briefs and `planbook find` leave it out.\n\n"
        )
    return ""


def cut_passages(passages: Iterable[tuple[str, Excerpt]], room: int) -> tuple[str, int]:
    """Return the first passages that fit into `room` characters, at least one, and the number of those left out."""
    from planbook.research.evidence.brief import render_passage

    shown: list[str] = []
    left = 0
    for name, excerpt in passages:
        text = render_passage(name, excerpt)
        room -= len(text)
        if left or (room < 0 and shown):
            left += 1
        else:
            shown.append(f"{text}\n")
    return "\n".join(shown), left


@click.command()
@project.PLAN
@click.argument("part", shell_complete=project.complete_parts)
@click.argument("question")
@tokens_option(FIND_TOKENS)
@project.ROOT
@project.needs_extra("research")
def find(plan: str, part: str, question: str, tokens: int, root: Path | None) -> None:
    """Print the passages of a PART's works that may answer a question, best first.

    PLAN is a plan's path, slug or file name; PART is a number. Ranking is by words: try the words of the documents.
    """
    from planbook.research.evidence.acceptance import MANY, judge_best
    from planbook.research.evidence.brief import CHARS_PER_TOKEN

    gatherer = open_gatherer(root)
    dossier = gatherer.dossier(_one_brief(gatherer.settings, plan, part))
    ranked = dossier.find(question)
    judged = judge_best(question, ranked[:MANY])
    named = ((dossier.passages.id_of(one.excerpt), one.excerpt) for one in ranked)
    shown, left = cut_passages(named, tokens * CHARS_PER_TOKEN)
    if not ranked:
        works = count(len(dossier.sources), "work")
        click.echo(f"Nothing in {works} shares a word with this question; add one with `planbook read`.")
        sys.exit(project.FOUND)
    more = f"\n{count(left, 'passage')} more: --tokens {2 * tokens}\n" if left else ""
    click.echo(f"{_describe_match(judged)}{shown}{more}", nl=False)


def _describe_match(judged: Judgement) -> str:
    """Return a line on what the best passage lacks; empty if it has all words of the question."""
    from planbook.research.evidence.acceptance import Answer

    lacks = ", ".join(f"“{word}”" for word in judged.missing)
    if judged.answer is Answer.OPEN:
        without = f": the best one does not mention {lacks}" if lacks else ""
        return f"No passage seems to answer this{without}.\n\n"
    return f"The best passage does not mention {lacks}.\n\n" if lacks else ""


# --- claim -----------------------------------------------------------------------------------------------------------


@click.command()
@project.PLAN
@project.PART
@click.option("--as", "name", required=True, help="Your name, the one that you give to `finish --runner`.")
@click.option(
    "--minutes", type=click.FloatRange(1, 1_440), default=60.0, show_default=True, help="Time until it is free."
)
@click.option("--release", is_flag=True, help="Give it up before its time.")
@project.ROOT
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
