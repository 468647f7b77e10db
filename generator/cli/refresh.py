"""`planbook refresh`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from generator.cli.console import escaped, make_console
from generator.cli.project import (
    BRANCH,
    FAILED,
    NO_COMMIT,
    OK,
    PAGES,
    ROOT,
    cached_calls,
    needs_extra,
    page_paths,
    page_text,
    run_config,
    valid_checks,
)
from generator.cli.reading import SourceOptions, read_claimed, source_options
from generator.cli.verify import judged, write_report
from generator.markdown.plain_text import count
from generator.store import Settings, read_tree
from generator.store.git import check_working_folder

if TYPE_CHECKING:
    from generator.expand.refresh import Stale
    from generator.research.verify import Claim

_AGE = re.compile(r"(\d{1,5})d")


@click.command()
@PAGES
@click.option("--all", "is_all", is_flag=True, help="All pages of the project.")
@click.option(
    "--older-than", metavar="90d", help="Only pages with a source that was last checked at least this long ago."
)
@click.option("--dry-run", is_flag=True, help="Report stale citations; change no page.")
@NO_COMMIT
@BRANCH
@ROOT
@source_options
@needs_extra("research")
def refresh(
    *,
    pages: tuple[Path, ...],
    is_all: bool,
    older_than: str | None,
    dry_run: bool,
    no_commit: bool,
    branch: str | None,
    root: Path | None,
    **sources: Unpack[SourceOptions],
) -> None:
    """Find citations whose sources changed, and replace only the sentences that rest on them.

    PAGES are Markdown files, or folders with all pages below. Each quote that its source no longer contains is looked
    for in the source, then in other sources. Sentences without new evidence stay, and the report lists them. The pages
    of each plan are committed with the report. Exits with 3 if stale citations remain.
    """
    from generator.cli.run_output import Live
    from generator.expand import refresh as run
    from generator.expand.recorder import open_recorder
    from generator.expand.rewrite import rewrite

    age, offline = _AGE.fullmatch(older_than or "0d"), sources["offline"]
    if age is None or not (pages or is_all or older_than):
        raise click.UsageError("name pages, or use --all or --older-than with a number of days, such as 90d")
    given = {key: sources[key] for key in ("contact", "pause")} | {"allow_loopback": sources["allow_loopback"] or None}
    config, options = run_config(
        root, "planbook refresh", "Refresh", "docs", no_commit=no_commit, branch=branch, **given
    )
    settings, day = config.settings, config.clock.time().date()
    check_working_folder(settings.root)
    texts = {uri: page_text(path) for uri, path in page_paths(settings, pages).items()}
    claims = _claims(settings, texts, day - timedelta(days=int(age[1])) if older_than else None)
    every = [claim for of_page in claims.values() for claim in of_page]
    with nullcontext() if dry_run else open_recorder(replace(config, watch=Live().watch)) as recorder:
        answers = read_claimed(settings, every, sources, newer=True)
        stale: Stale = {uri: [*run.stale_quotes(settings.root, found, answers)] for uri, found in claims.items()}
        if recorder:
            stale = run.research(settings, options, stale, answers, offline=offline)
        refreshed = [
            run.RefreshedPage(uri, texts[uri], *rewrite(texts[uri], uri, of_page, day))
            for uri, of_page in stale.items()
        ]
        if recorder:
            run.record_pages(recorder, refreshed)
            unchanged = {page.uri: page.text for page in refreshed if page.text == page.before}
            write_report(settings, unchanged, judged(unchanged, answers, cached_calls(settings)), offline=offline)
    console = make_console()
    for text in run.describe(refreshed, config.docs, has_diff=True):
        console.print(escaped(text), soft_wrap=True)
    unread = sum(bool(claim.url) and not claim.find(answers) for claim in every)
    total = f"{count(len(every), 'source')} of {count(len(refreshed), 'page')}"
    total += f", {unread} not read" if unread else ""
    moved = sum(run.is_counted_only(finding) for page in refreshed for finding in page.findings)
    elsewhere = f"{count(moved, 'quote')} at another place of its source" if moved else ""
    total += f": {', '.join(filter(None, [run.tally(refreshed), elsewhere])) or 'nothing is stale'}"
    console.print(f"{total}. Dry run: nothing was changed." if dry_run else total)
    sys.exit(FAILED if any(page.is_open(dry_run=dry_run) for page in refreshed) else OK)


def _claims(settings: Settings, texts: Mapping[str, str], limit: date | None) -> Mapping[str, Sequence[Claim]]:
    """Return the claims of the pages that cite sources; with a `limit`, only of those last checked by that day."""
    from generator.research.verify import read_claims

    tree = read_tree(settings)
    if outside := next((uri for uri in texts if uri not in tree.pages), None):
        raise click.UsageError(f"{outside} is not a page of the project")
    read = cached_calls(settings).map(read_claims, [(text, uri) for uri, text in texts.items()])
    claims = {uri: of_page for uri, of_page in zip(texts, read, strict=True) if of_page}
    if limit is None:
        return claims
    checked = {uri: c.time[:10] for uri, c in valid_checks(settings, tree, {}).items() if c.is_current}
    days = {uri: checked.get(uri) or _oldest(of_page) for uri, of_page in claims.items()}
    return {uri: of_page for uri, of_page in claims.items() if days[uri] <= limit.isoformat()}


def _oldest(claims: Iterable[Claim]) -> str:
    """Return the day on which the source that was not checked for the longest time was; empty if one never was."""
    return min((claim.checked or claim.reference.accessed or "" for claim in claims if claim.url), default="9999")
