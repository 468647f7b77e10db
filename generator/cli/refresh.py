"""`planbook refresh`."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from generator.cli import project
from generator.cli.console import escaped, make_console
from generator.cli.reading import SourceOptions, read_claimed, source_options
from generator.library import link_tree
from generator.markdown.plain_text import count
from generator.model import REOPENED, PageUri, State
from generator.plan.mark import mark
from generator.store import Settings, decode_page, read_tree, read_work, write_atomic
from generator.store.git import check_working_folder
from generator.store.journal import hold

if TYPE_CHECKING:
    from generator.expand.stale import StaleQuote
    from generator.research.verify import Claim

_AGE = re.compile(r"(\d{1,5})d")


@click.command()
@project.PAGES
@click.option("--all", "is_all", is_flag=True, help="All pages of the project.")
@click.option(
    "--older-than", metavar="90d", help="Only pages with a source that was last checked at least this long ago."
)
@click.option("--reopen", is_flag=True, help="Mark the PARTs of stale pages [/], so that `planbook expand` takes them.")
@project.ROOT
@source_options
@project.needs_extra("research")
def refresh(
    *,
    pages: tuple[Path, ...],
    is_all: bool,
    older_than: str | None,
    reopen: bool,
    root: Path | None,
    **sources: Unpack[SourceOptions],
) -> None:
    """Report quotes that their sources no longer contain, beside the words that the sources have now.

    PAGES are Markdown files, or folders with all pages below. No page is changed. With --reopen, the PARTs of the
    reported pages are marked [/] in their plans, and `planbook expand` writes these pages anew. Exits with 1 if a quote
    is stale.
    """
    from generator.expand.stale import find_stale
    from generator.web.archive import text_name

    age = _AGE.fullmatch(older_than or "0d")
    if age is None or not (pages or is_all or older_than):
        raise click.UsageError("name pages, or use --all or --older-than with a number of days, such as 90d")
    settings = project.project_settings(root, needs="docs")
    check_working_folder(settings.root)
    texts = {uri: project.page_text(path) for uri, path in project.page_paths(settings, pages).items()}
    now = datetime.now(UTC)
    claims = _claims(settings, texts, now.date() - timedelta(days=int(age[1])) if older_than else None)
    every = [claim for of_page in claims.values() for claim in of_page]
    answers = read_claimed(settings, every, sources, newer=True)

    def snapshot(claim: Claim) -> str:
        """Return the stored text that the page was written from; empty if there is none."""
        is_hash = re.fullmatch("[0-9a-f]{64}", claim.sha256 or "")
        stored = read_work(settings.root, text_name(claim.sha256 or "")) if is_hash else None
        return (stored or b"").decode("utf-8", "replace")

    stale = {
        uri: [one for c in of_page for one in find_stale(texts[uri], c, c.find(answers), snapshot(c))]
        for uri, of_page in claims.items()
    }
    console = make_console()
    for uri, quotes in stale.items():
        for quote in quotes:
            console.print(escaped(_describe(quote, f"{settings.docs_dir.strip('/')}/{uri}")), soft_wrap=True)
    fates = Counter(quote.fate for quotes in stale.values() for quote in quotes)
    unread = sum(bool(claim.url) and not claim.find(answers) for claim in every)
    total = f"{count(len(every), 'source')} of {count(len(claims), 'page')}{f', {unread} not read' if unread else ''}"
    console.print(f"{total}: {', '.join(f'{n} {fate}' for fate, n in fates.items()) or 'nothing is stale'}")
    if reopen:
        with hold(settings.root, "planbook refresh --reopen", f"{now:%Y-%m-%dT%H:%M:%SZ}"):
            for line in _reopen(settings, {uri: quotes for uri, quotes in stale.items() if quotes}, now):
                console.print(escaped(line))
    sys.exit(project.FOUND if fates else project.OK)


def _describe(stale: StaleQuote, place: str) -> str:
    """Return one stale quote as lines of Markdown, the old and the new words below each other."""
    key = f", {stale.key}" if stale.key else ""
    lines = [f"{place}:{stale.line}: @{stale.claim.reference.id}{key}: {stale.fate}: {stale.reason}"]
    lines += [f"- was: “{' '.join(stale.quote.split())}”"] if stale.quote else []
    lines += [f"- now: “{stale.closest}”"] if stale.closest else []
    return "\n".join(lines)


def _reopen(settings: Settings, stale: Mapping[str, Sequence[StaleQuote]], when: datetime) -> Iterable[str]:
    """Mark the finished PARTs of stale pages as partial in their plans; return a line for each."""
    tree = read_tree(settings)
    library = link_tree(tree, project.cached_calls(settings))
    for uri, quotes in stale.items():
        entry = library.by_uri.get(PageUri(uri))
        if entry is None or entry.state is not State.DONE:
            yield f"{uri}: {'belongs to no PART; edit it by hand' if entry is None else f'its PART is {entry.state}'}"
            continue
        path = settings.root / entry.plan.uri
        text = decode_page(path.read_bytes(), str(path))
        reason = f"{REOPENED}, {count(len(quotes), 'quote')} changed at the source"
        write_atomic(path, mark(text, entry.part, State.PARTIAL, when, reason, has_page=True).encode("utf-8"))
        yield f"{entry.plan.uri}:{entry.part.status_line or entry.part.line}: PART {entry.part.number} is open again"


def _claims(settings: Settings, texts: Mapping[str, str], limit: date | None) -> Mapping[str, Sequence[Claim]]:
    """Return the claims of the pages that cite sources; with a `limit`, only of those last checked by that day."""
    from generator.research.verify import read_claims

    tree = read_tree(settings)
    if outside := next((uri for uri in texts if uri not in tree.pages), None):
        raise click.UsageError(f"{outside} is not a page of the project")
    read = project.cached_calls(settings).map(read_claims, [(text, uri) for uri, text in texts.items()])
    claims = {uri: of_page for uri, of_page in zip(texts, read, strict=True) if of_page}
    if limit is None:
        return claims
    checked = {uri: c.time[:10] for uri, c in project.valid_checks(settings, tree, {}).items() if c.is_current}
    days = {uri: checked.get(uri) or _oldest(of_page) for uri, of_page in claims.items()}
    return {uri: of_page for uri, of_page in claims.items() if days[uri] <= limit.isoformat()}


def _oldest(claims: Iterable[Claim]) -> str:
    """Return the day on which the source that was not checked for the longest time was; empty if one never was."""
    return min((claim.checked or claim.reference.accessed or "" for claim in claims if claim.url), default="9999")
