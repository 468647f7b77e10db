"""Research the quotes that pages have lost, and commit the pages that were rewritten, plan by plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from generator.citations.quotes import fold
from generator.drafts import Brief, Source
from generator.expand.recorder import Recorder
from generator.expand.rewrite import Action, Finding
from generator.expand.stale import Change, StaleQuote, find_elsewhere
from generator.expand.worker import WorkerContext, find_sources
from generator.library import link_tree
from generator.model import DropUri, PageUri, Part, Plan, PlanUri, Query, State
from generator.page.terms import terms
from generator.store import RefusedError, write_atomic
from generator.store.git import GitError

_WORDS = 16
"""Number of words of a quote to search for."""


@dataclass(frozen=True, slots=True)
class RefreshedPage:
    """A page before and after its refresh, with the result for each stale quote."""

    uri: str
    before: str
    text: str
    findings: tuple[Finding, ...]


def research(stale: StaleQuote, known: Iterable[Source], context: WorkerContext) -> StaleQuote:
    """Return a quote that its source has lost, with its match in a source of the page, or in one that is found."""
    found = find_elsewhere(stale, known)
    return found if found.match else find_elsewhere(stale, find_sources(_brief(stale), context))


def _brief(stale: StaleQuote) -> Brief:
    title = stale.claim.reference.title
    texts = (" ".join(stale.quote.split()[:_WORDS]), " ".join(terms(f"{title} {stale.quote}")[:_WORDS]))
    queries = tuple(Query("web", text, 1) for text in texts)
    part = Part(0, title, 1, 1, State.OPEN, queries=queries)
    return Brief(Plan(PlanUri(""), title, (), (), ()), part, PageUri(""), DropUri(""), title)


def is_worth_a_line(finding: Finding) -> bool:
    """Return whether a finding needs a reviewer: not if the quote is at another place of the same source."""
    return finding.stale.change is not Change.MOVED or not finding.stale.key


def describe(finding: Finding, place: str, *, has_diff: bool = False) -> Iterator[str]:
    """Yield the result for a stale quote as lines of Markdown; `place` names the page."""
    stale, is_changed = finding.stale, finding.action is not Action.LEFT and finding.stale.match
    key = f", {stale.key}" if stale.key else ""
    yield f"{place}:{finding.line}: @{finding.reference}{key}: {stale.change}, {finding.action}"
    yield f"- why: {'; '.join(filter(None, [stale.reason, finding.reason]))}"
    for old, new in finding.sentences if stale.change is not Change.MOVED else ():
        if old.startswith((">", "`", "~")):  # shows the quote itself
            continue
        yield f"- {'was' if old != new else 'stays'}: {fold(old)}"
        yield from [f"- now: {fold(new)}"] if old != new else ()
    if stale.match:
        yield f"- old quote: “{fold(stale.quote)}”"
        where = f" ({stale.match.fetched.url})" if stale.match.is_elsewhere else ""
        yield f"- {'new quote' if is_changed else 'closest'}: “{fold(stale.match.words)}”{where}"
    if stale.diff and has_diff:
        yield from ("  ```diff", *(f"  {line}" for line in stale.diff), "  ```")


def report(slug: str, pages: Iterable[RefreshedPage], docs: str) -> str:
    """Return the message of the commit of a plan's pages, or of pages without a plan."""
    found = [(page, finding) for page in pages for finding in filter(is_worth_a_line, page.findings)]
    actions = Counter(finding.action for _, finding in found)
    counts = ", ".join(f"{actions[action]} {action}" for action in Action if actions[action])
    blocks = ["\n".join(describe(finding, f"{docs}/{page.uri}")) for page, finding in found]
    return "\n\n".join([f"Refresh {slug or 'pages without a plan'}: {counts}", *blocks]) + "\n"


def record_pages(recorder: Recorder, pages: Sequence[RefreshedPage]) -> tuple[str, ...]:
    """Write the changed pages, commit those of each plan with a report, and return the commits.

    Raises:
        RefusedError: a page has changed, has uncommitted changes, or could not be committed.
    """
    config, git, ledger = recorder.config, recorder.git, recorder.ledger
    library = link_tree(recorder.read())
    plans: dict[str, list[RefreshedPage]] = {}
    changed = [page for page in pages if page.text != page.before]
    dirty = set(git.changed([f"{config.docs}/{page.uri}" for page in changed]) if git else ()) - set(ledger.claimed())
    if dirty:
        raise RefusedError(f"{min(dirty)} has uncommitted changes; commit them first, or run with --no-commit")
    for page in changed:
        entry, path = library.by_uri.get(PageUri(page.uri)), f"{config.docs}/{page.uri}"
        if (config.settings.root / path).read_bytes() != page.before.encode("utf-8"):
            raise RefusedError(f"{path} changed while its sources were read; run the command again")
        ledger.claim([path])
        write_atomic(config.settings.root / path, page.text.encode("utf-8"))
        plans.setdefault(entry.plan.slug if entry else "", []).append(page)
    if changed:
        recorder.write_index()
    rest = sorted(set(ledger.claimed()).difference(f"{config.docs}/{page.uri}" for page in changed))
    commits: list[str | None] = []
    try:
        for n, (slug, group) in enumerate(plans.items(), 1):
            own = [*(f"{config.docs}/{page.uri}" for page in group), *(rest if n == len(plans) else [])]
            commits += [git.commit(own, report(slug, group, config.docs), config.branch)] if git else []
    except GitError as error:
        raise RefusedError(f"{error}; the pages are written") from error
    ledger.settle(f"commits {' '.join(filter(None, commits))}")
    return tuple(filter(None, commits))
