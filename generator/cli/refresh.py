"""`planbook refresh`."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
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
    current_checks,
    needs_extra,
    page_paths,
    page_text,
    run_config,
)
from generator.cli.reading import SourceOptions, read_claimed, source_options
from generator.cli.verify import judged, write_report
from generator.page.parse import fingerprint
from generator.store import Settings, read_tree, read_work
from generator.store.git import check_working_folder
from generator.views.labels import count

if TYPE_CHECKING:
    from rich.console import Console

    from generator.expand.options import Options, RunConfig
    from generator.expand.refresh import RefreshedPage
    from generator.expand.rewrite import Finding
    from generator.expand.stale import StaleQuote
    from generator.research.verify import Answers, Claim

    Stale = Mapping[str, Sequence[StaleQuote]]

_AGE = re.compile(r"(\d{1,5})d")
_SOURCES = 4
"""Number of documents to read for a lost quote."""


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
    from generator.expand.recorder import open_recorder
    from generator.expand.refresh import record_pages
    from generator.research.verify import read_claims

    age = _AGE.fullmatch(older_than or "0d")
    if age is None or not (pages or is_all or older_than):
        raise click.UsageError("name pages, or use --all or --older-than with a number of days, such as 90d")
    given = {key: sources[key] for key in ("contact", "pause")} | {"allow_loopback": sources["allow_loopback"] or None}
    config, options = run_config(
        root, "planbook refresh", "Refresh", "docs", no_commit=no_commit, branch=branch, **given
    )
    settings = config.settings
    check_working_folder(settings.root)
    tree = read_tree(settings)
    texts = {uri: page_text(path) for uri, path in page_paths(settings, pages).items()}
    if outside := next((uri for uri in texts if uri not in tree.pages), None):
        raise click.UsageError(f"{outside} is not a page of the project")
    claims = dict(zip(texts, cached_calls(settings).map(read_claims, [(t, u) for u, t in texts.items()]), strict=True))
    if older_than:
        checks, limit = current_checks(settings, tree), (datetime.now(UTC) - timedelta(days=int(age[1]))).date()
        days = {uri: checks[uri].day if uri in checks else _oldest(of_page) for uri, of_page in claims.items()}
        claims = {uri: of_page for uri, of_page in claims.items() if of_page and days[uri] <= limit.isoformat()}
    with nullcontext() if dry_run else open_recorder(replace(config, watch=Live().watch)) as recorder:
        every = [claim for of_page in claims.values() for claim in of_page]
        answers = read_claimed(settings, every, sources, newer=True)
        stale: Stale = {uri: list(_stale(settings, found, answers)) for uri, found in claims.items() if found}
        if recorder:
            stale = _researched(settings, options, stale, answers, offline=sources["offline"])
        refreshed = _rewrite(config, texts, stale)
        if recorder:
            record_pages(recorder, refreshed)
            _write_checks(settings, refreshed, answers, offline=sources["offline"])
    unread = sum(bool(claim.url) and not claim.find(answers) for of_page in claims.values() for claim in of_page)
    total = f"{count(sum(map(len, claims.values())), 'source')} of {count(len(refreshed), 'page')}"
    total += f", {unread} not read" if unread else ""
    _show(make_console(), refreshed, total, config.docs, dry_run=dry_run)
    sys.exit(FAILED if any(_is_open(found, dry_run=dry_run) for page in refreshed for found in page.findings) else OK)


def _oldest(claims: Sequence[Claim]) -> str:
    """Return the day on which the source that was not checked for the longest time was; empty if one never was."""
    return min((claim.checked or claim.reference.accessed or "" for claim in claims if claim.url), default="9999")


def _stale(settings: Settings, claims: Sequence[Claim], answers: Answers) -> Iterator[StaleQuote]:
    from generator.expand.stale import find_stale
    from generator.web.archive import text_name

    for claim in claims:
        name = text_name(claim.sha256) if re.fullmatch("[0-9a-f]{64}", claim.sha256 or "") and claim.sha256 else ""
        snapshot = read_work(settings.root, name) if name else None
        yield from find_stale(claim, claim.find(answers), (snapshot or b"").decode("utf-8", "replace"))


def _rewrite(config: RunConfig, texts: Mapping[str, str], stale: Stale) -> list[RefreshedPage]:
    from generator.expand.refresh import RefreshedPage
    from generator.expand.rewrite import rewrite

    day = config.clock.time().date()
    pages = {uri: rewrite(texts[uri], uri, of_page, day) for uri, of_page in stale.items()}
    return [RefreshedPage(uri, texts[uri], text, findings) for uri, (text, findings) in pages.items()]


def _write_checks(settings: Settings, pages: Sequence[RefreshedPage], answers: Answers, *, offline: bool) -> None:
    """Write the results of verification for the pages that were not changed."""
    from generator.research.verify import report_page

    texts = {page.uri: page.text for page in pages if page.text == page.before}
    checked = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    verdicts = judged(texts, answers, cached_calls(settings)).items()
    write_report(
        settings, {uri: report_page(v, checked, fingerprint(texts[uri]), offline=offline) for uri, v in verdicts}
    )


def _researched(settings: Settings, options: Options, stale: Stale, answers: Answers, *, offline: bool) -> Stale:
    """Return the stale quotes, those that were lost with their match in another source if there is one."""
    from generator.drafts import Source
    from generator.expand.cancellation import CancelToken
    from generator.expand.context import WorkerSpec
    from generator.expand.events import Clock
    from generator.expand.refresh import research
    from generator.expand.worker import is_read
    from generator.search.index import LOCAL
    from generator.search.repositories import NAME as REPOSITORIES
    from generator.web.model import Fetched, Outcome

    if not any(one.needs_research for of_page in stale.values() for one in of_page):
        return stale
    search = replace(options.search, limit=min(options.search.limit, _SOURCES))
    if offline:
        search = replace(search, providers=tuple(p for p in search.providers if p in {LOCAL, REPOSITORIES}))
    options = replace(options, search=search, sources=min(options.sources, _SOURCES), writer="extract")
    known = [Source("", found[0]) for found in answers.values() if found and is_read(found[0])]
    spec = WorkerSpec(settings, options, os.environ, frozenset(), frozenset(), Clock())
    with spec.connect(CancelToken(), lambda event: None) as opened:
        refused = replace(opened, fetch=lambda url: Fetched(url, Outcome.REFUSED, "--offline"))
        context = refused if offline else opened
        return {
            uri: [research(one, known, context) if one.needs_research else one for one in of_page]
            for uri, of_page in stale.items()
        }


def _is_open(finding: Finding, *, dry_run: bool) -> bool:
    """Return whether a person, or a run that is not dry, has something to do."""
    return finding.action == "left" or (dry_run and finding.action == "replaced")


def _show(console: Console, pages: Sequence[RefreshedPage], total: str, docs: str, *, dry_run: bool) -> None:
    """Print the report, and the sums."""
    from generator.expand.refresh import describe, is_worth_a_line

    found = [finding for page in pages for finding in page.findings]
    for page in pages:
        for finding in filter(is_worth_a_line, page.findings):
            console.print(
                "\n".join(escaped(line) for line in describe(finding, f"{docs}/{page.uri}", has_diff=True)),
                soft_wrap=True,
            )
    actions = Counter(finding.action for finding in found if is_worth_a_line(finding))
    sums = [f"{n} {action}" for action, n in actions.items()]
    moved = sum(not is_worth_a_line(finding) for finding in found)
    sums += [f"{count(moved, 'quote')} at another place of its source"] if moved else []
    done = f"{total}: {', '.join(sums) or 'nothing is stale'}"
    console.print(f"{done}. Dry run: nothing was changed." if dry_run else done)
