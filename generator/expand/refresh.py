"""Refresh pages: find what is stale, research the quotes that were lost, rewrite, report and commit plan by plan."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator.citations.quotes import fold
from generator.drafts import Brief, Source
from generator.expand.cancellation import CancelToken
from generator.expand.context import WorkerSpec
from generator.expand.events import Clock
from generator.expand.options import Options
from generator.expand.recorder import Recorder
from generator.expand.rewrite import Action, Finding
from generator.expand.stale import Change, StaleQuote, find_elsewhere, find_stale
from generator.expand.worker import WorkerContext, find_sources, is_read
from generator.library import link_tree
from generator.markdown.words import terms
from generator.model import DropUri, PageUri, Part, Plan, PlanUri, Query, State
from generator.research.verify import Answers, Claim
from generator.search.index import LOCAL
from generator.search.repositories import NAME as REPOSITORIES
from generator.store import RefusedError, Settings, read_work, write_atomic
from generator.store.git import GitError
from generator.web.archive import text_name
from generator.web.model import Fetched, Outcome

Stale = Mapping[str, Sequence[StaleQuote]]
"""Stale quotes by the uri of their page."""
_WORDS = 16
"""Number of words of a quote to search for."""
_SOURCES = 4
"""Number of documents to read for a lost quote."""


@dataclass(frozen=True, slots=True)
class RefreshedPage:
    """A page before and after its refresh, with the result for each stale quote."""

    uri: str
    before: str
    text: str
    findings: tuple[Finding, ...]

    def is_open(self, *, dry_run: bool) -> bool:
        """Return whether a person, or a run that is not dry, has something to do."""
        wanted = {Action.LEFT, Action.REPLACED} if dry_run else {Action.LEFT}
        return any(finding.action in wanted for finding in self.findings)


def stale_quotes(root: Path, claims: Iterable[Claim], answers: Answers) -> Iterator[StaleQuote]:
    """Yield what is stale about a page's claims, given its sources and the stored texts that it was written from."""
    for claim in claims:
        is_known = re.fullmatch("[0-9a-f]{64}", claim.sha256 or "")
        snapshot = read_work(root, text_name(claim.sha256 or "")) if is_known else None
        yield from find_stale(claim, claim.find(answers), (snapshot or b"").decode("utf-8", "replace"))


# --- research --------------------------------------------------------------------------------------------------------


def research(settings: Settings, options: Options, stale: Stale, answers: Answers, *, offline: bool) -> Stale:
    """Return the stale quotes by page, those that were lost with their match in another source if there is one."""
    if not any(one.needs_research for of_page in stale.values() for one in of_page):
        return stale
    search = options.search
    local = tuple(name for name in search.providers if name in {LOCAL, REPOSITORIES} or not offline)
    search = replace(search, limit=min(search.limit, _SOURCES), providers=local)
    options = replace(options, search=search, sources=min(options.sources, _SOURCES), writer="extract")
    known = [Source("", found[0]) for found in answers.values() if found and is_read(found[0])]
    spec = WorkerSpec(settings, options, os.environ, frozenset(), frozenset(), Clock())
    with spec.connect(CancelToken(), lambda event: None) as opened:
        refused = replace(opened, fetch=lambda url: Fetched(url, Outcome.REFUSED, "--offline"))
        context = refused if offline else opened
        return {uri: [_researched(one, known, context) for one in of_page] for uri, of_page in stale.items()}


def _researched(stale: StaleQuote, known: Iterable[Source], context: WorkerContext) -> StaleQuote:
    """Return a lost quote with its match in a source of the pages, or in one that is found."""
    if not stale.needs_research:
        return stale
    found = find_elsewhere(stale, known)
    return found if found.match else find_elsewhere(stale, find_sources(_brief(stale), context))


def _brief(stale: StaleQuote) -> Brief:
    title = stale.claim.reference.title
    texts = (" ".join(stale.quote.split()[:_WORDS]), " ".join(terms(f"{title} {stale.quote}")[:_WORDS]))
    queries = tuple(Query("web", text, 1) for text in texts)
    part = Part(0, title, 1, 1, State.OPEN, queries=queries)
    return Brief(Plan(PlanUri(""), title, (), (), ()), part, PageUri(""), DropUri(""), title)


# --- report ----------------------------------------------------------------------------------------------------------


def is_counted_only(finding: Finding) -> bool:
    """Return whether a reviewer needs only the number of such findings: quotes at another place of their source."""
    return finding.stale.change is Change.MOVED and bool(finding.stale.key)


def tally(pages: Iterable[RefreshedPage]) -> str:
    """Return the number of findings to describe for each action, in words; empty without any."""
    findings = (finding for page in pages for finding in page.findings)
    actions = Counter(finding.action for finding in findings if not is_counted_only(finding))
    return ", ".join(f"{actions[action]} {action}" for action in Action if actions[action])


def describe(pages: Iterable[RefreshedPage], docs: str, *, has_diff: bool = False) -> Iterator[str]:
    """Yield the result for each stale quote as lines of Markdown."""
    for page in pages:
        for finding in page.findings:
            if not is_counted_only(finding):
                yield "\n".join(_describe(finding, f"{docs}/{page.uri}", has_diff=has_diff))


def _describe(finding: Finding, place: str, *, has_diff: bool) -> Iterator[str]:
    stale, is_changed = finding.stale, finding.action is not Action.LEFT and finding.stale.match
    key = f", {stale.key}" if stale.key else ""
    yield f"{place}:{finding.line}: @{stale.claim.reference.id}{key}: {stale.change}, {finding.action}"
    yield f"- why: {'; '.join(filter(None, [stale.reason, finding.reason]))}"
    for old, new in finding.sentences if stale.change is not Change.MOVED else ():
        if not old.startswith((">", "`", "~")):  # shows the quote itself
            yield f"- {'was' if old != new else 'stays'}: {fold(old)}"
            yield from [f"- now: {fold(new)}"] if old != new else ()
    if stale.match:
        yield f"- old quote: “{fold(stale.quote)}”"
        where = f" ({stale.match.fetched.url})" if stale.match.is_elsewhere else ""
        yield f"- {'new quote' if is_changed else 'closest'}: “{fold(stale.match.words)}”{where}"
    if stale.diff and has_diff:
        yield from ("  ```diff", *(f"  {line}" for line in stale.diff), "  ```")


# --- record ----------------------------------------------------------------------------------------------------------


def record_pages(recorder: Recorder, pages: Iterable[RefreshedPage]) -> None:
    """Write the changed pages, and commit those of each plan with a report.

    Raises:
        RefusedError: a page has changed, has uncommitted changes, or could not be committed.
    """
    config, git, ledger = recorder.config, recorder.git, recorder.ledger
    library = link_tree(recorder.read())
    plans: dict[str, dict[str, RefreshedPage]] = {}
    for page in pages:
        if page.text != page.before:
            entry = library.by_uri.get(PageUri(page.uri))
            plans.setdefault(entry.plan.slug if entry else "", {})[f"{config.docs}/{page.uri}"] = page
    changed = {path: page for group in plans.values() for path, page in group.items()}
    dirty = set(git.changed(changed) if git else ()) - set(ledger.claimed())
    if dirty:
        raise RefusedError(f"{min(dirty)} has uncommitted changes; commit them first, or run with --no-commit")
    for path, page in changed.items():
        file = config.settings.root / path
        if file.read_bytes() != page.before.encode("utf-8"):
            raise RefusedError(f"{path} changed while its sources were read; run the command again")
        ledger.claim([path])
        write_atomic(file, page.text.encode("utf-8"))
    if changed:
        recorder.write_index()
    rest = sorted(set(ledger.claimed()).difference(changed))
    commits: list[str | None] = []
    try:
        for slug, group in plans.items():
            report = [f"Refresh {slug or 'pages without a plan'}: {tally(group.values())}"]
            report += describe(group.values(), config.docs)
            commits += [git.commit([*group, *rest], "\n\n".join(report) + "\n", config.branch)] if git else []
            rest = []
    except GitError as error:
        raise RefusedError(f"{error}; the pages are written") from error
    ledger.settle(f"commits {' '.join(filter(None, commits))}")
