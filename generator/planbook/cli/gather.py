"""`planbook gather`: search and read for PARTs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planbook import store
from planbook.cli import parameters, project, terminal
from planbook.cli.chosen_parts import chosen_briefs, open_gatherer, part_of_path
from planbook.cli.terminal import escape_output
from planbook.markdown.plain_text import count, plain_text

if TYPE_CHECKING:
    from planbook.research.drafts import Evidence
    from planbook.research.evidence.dossier import Dossier
    from planbook.research.expand.gather import Gatherer

_NO_OPEN_PART = (
    "Nothing to gather: no PART without a page is open. For a page that exists, name its PART: "
    "planbook gather PLAN PART"
)


@click.command()
@click.argument(
    "plan", required=False, type=parameters.PLAN_NAME, shell_complete=parameters.complete_plans
)
@click.argument(
    "parts", nargs=-1, type=parameters.PART_NUMBER, shell_complete=parameters.complete_parts
)
@click.option("--workers", type=click.IntRange(1, 64), help="Number of PARTs to work on at once.")
@parameters.CONTACT
@parameters.LOOPBACK
@parameters.ROOT
@parameters.JSON
@project.needs_extra("research")
def gather(
    *,
    plan: str | None,
    parts: tuple[int, ...],
    root: Path | None,
    as_json: bool,
    **option_values: Any,
) -> None:
    """Search and read for open PARTs, and keep what was found as the dossiers of their pages.

    PLAN is a plan's path, slug or file name, by default all plans; PARTS are numbers, by default
    all open ones. The path of a PART's page may stand for both. No page is written. `planbook
    brief` prints a page's dossier, and `planbook find` searches it. Exits with 3 if nothing was
    found for a page, 4 if there is nothing to gather.
    """
    from planbook.research.expand.cancellation import StoppedError

    gatherer = open_gatherer(project.project_settings(root), is_quiet=as_json, **option_values)
    if plan is not None and not parts:
        plan, number = part_of_path(gatherer.settings, plan)
        parts = (number,) if number else ()
    briefs = chosen_briefs(gatherer.settings, plan, parts)
    if not briefs:
        click.echo(_NO_OPEN_PART, err=True)
        sys.exit(project.EXIT_NOTHING)
    dossiers: list[Dossier] = []
    console = terminal.make_console()
    try:
        for dossier in gatherer.gather(briefs):
            dossiers.append(dossier)
            if not as_json:
                console.print(escape_output(_gathered_lines(dossier, gatherer)))
    except StoppedError as error:
        console.print(escape_output(f"Stopped: {error}."))
        sys.exit(project.EXIT_STOPPED)
    if as_json:
        terminal.print_json([dossier_to_json(dossier) for dossier in dossiers])
    sys.exit(
        project.EXIT_OK if all(dossier.sources for dossier in dossiers) else project.EXIT_FAILED
    )


def gather_part(settings: store.Settings, plan: str, part: int) -> dict[str, Any]:
    """Gather for the pages of a PART, and return their dossiers as JSON data."""
    briefs = chosen_briefs(settings, plan, (part,))
    gatherer = open_gatherer(settings, is_quiet=True)
    return {"dossiers": [dossier_to_json(dossier) for dossier in gatherer.gather(briefs)]}


def _gathered_lines(dossier: Dossier, gatherer: Gatherer) -> str:
    """Return what was found for a page, how to go on, and a line for each doubtful point."""
    from planbook.research.expand.worker import describe_searches

    brief, points = dossier.brief, dossier.evidence
    name = f"{brief.plan.slug} PART {brief.part.number}"
    if not dossier.sources and not dossier.unread:
        return f"{name}: no work read: {describe_searches(dossier.searched, gatherer.unavailable)}"
    answered = sum(point.is_found for point in points)
    unread = f", {len(dossier.unread)} not read" if dossier.unread else ""
    works = f"{count(len(dossier.sources), 'work')} read{unread}"
    summary = f"passages for {answered} of {count(len(points), 'point')}"
    lines = [f"{name}: {works}; {summary}; planbook brief {brief.plan.slug} {brief.part.number}"]
    lines += [f"  no answer from {names}: {reason}" for names, reason in _silent_providers(dossier)]
    doubtful = [point for point in points if _doubt_about(point)]
    lines += [f"  {_doubt_about(point)}: {plain_text(point.point)}" for point in doubtful]
    return "\n".join(lines)


def _silent_providers(dossier: Dossier) -> Iterator[tuple[str, str]]:
    """Yield the names of the providers that answered no search, and why the first one did not."""
    from planbook.research.web.model import Outcome

    answered = {search.provider for search in dossier.searched if search.outcome is Outcome.OK}
    failed = [search for search in dossier.searched if search.provider not in answered]
    if failed:
        yield ", ".join(sorted({search.provider for search in failed})), failed[0].reason


def _doubt_about(point: Evidence) -> str:
    """Return what is doubtful about the passages of a point; empty if they seem to answer it."""
    if point.is_uncertain or (point.ranked and not point.is_found):
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
            {
                "id": source.id,
                "title": source.title,
                "url": source.fetched.url,
                "sha256": source.fetched.sha256,
            }
            for source in dossier.sources
        ],
        "points": [
            {
                "section": point.section,
                "point": point.point,
                "is_found": point.is_found,
                "passages": [dossier.passages.id_of(ranked.excerpt) for ranked in point.ranked],
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
        "unread": [
            {"url": source.url, "outcome": source.outcome, "reason": source.reason}
            for source in dossier.unread
        ],
    }
