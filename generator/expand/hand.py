"""Pages by hand: a page that a person or another program wrote goes through the gates, and is recorded as any other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from generator.citations.references import read_references
from generator.drafts import Brief, Draft, Finding, Source
from generator.expand.artifacts import encode
from generator.expand.desk import Desk, Finals, IndexFiles
from generator.expand.events import Clock, Event
from generator.expand.record import Record, fingerprint
from generator.expand.session import Orders, RefusedError, brief_known, check_places, open_desk
from generator.expand.sources import is_read
from generator.library import link_tree
from generator.model import PageUri, State, Tree
from generator.page.parse import parse_page
from generator.research.drop import Attempt, render_drop
from generator.research.select import find_entries, find_plan, make_brief
from generator.research.verify import Claim, read_claims
from generator.rules.drafts import gates
from generator.store import Settings, read_tree, read_work
from generator.web.model import Fetched, Outcome
from generator.web.snapshots import text_name

Read = Callable[[str], Fetched | None]
"""What an address gives; ``None`` where nobody is to be asked, and nothing is stored."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is handed in, with what the gates say of it."""

    brief: Brief
    text: str
    sources: tuple[Source, ...]
    """Those of its works that could be read."""
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing holds it back."""
        return not any(finding.is_failure for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of handing in."""

    pages: tuple[Page, ...]
    troubles: tuple[str, ...] = ()
    finals: Finals = field(default_factory=Finals)

    @property
    def holds(self) -> bool:
        """Whether the PART is finished."""
        return all(page.holds for page in self.pages)


@dataclass(frozen=True, slots=True)
class Hand:
    """What is needed to hand in."""

    settings: Settings
    orders: Orders
    index_files: IndexFiles
    watch: Callable[[Event], None]
    clock: Clock
    runner: str
    """Who wrote the page."""

    def finish(self, plan_name: str, number: int, read: Read) -> Finished:
        """Checks the pages of a PART and, where all of them hold, records them. Raises RefusedError, NotFoundError."""
        tree = read_tree(self.settings)
        library = link_tree(tree)
        briefs = briefs_of(tree, plan_name, number, self.clock)
        docs = self.settings.docs_dir.strip("/")
        paths = tuple(f"{docs}/{brief.page}" for brief in briefs)
        for brief, path in zip(briefs, paths, strict=True):
            if brief.page not in tree.pages:
                raise RefusedError(f"{path} is not there; write it first (`planbook brief {plan_name} {number}`)")
        # Whoever wrote the page may have staged it, or the plan: they belong into the commit anyway.
        orders = replace(self.orders, own=(*paths, str(briefs[0].plan.uri)))
        with open_desk(self.settings, orders, self.index_files, self.watch, self.clock) as (desk, run):
            check_places(self.settings, desk.git, briefs, self.index_files(library))
            started = self.clock.now()
            planned = frozenset(library.by_uri) - tree.pages.keys()
            pages = tuple(self._look(brief, tree, planned, read) for brief in briefs)
            if not all(page.holds for page in pages):
                return Finished(pages)
            troubles = tuple(filter(None, (self._record(desk, run, page, started, pages[-1]) for page in pages)))
            return Finished(pages, troubles, desk.finalise())

    def _look(self, brief: Brief, tree: Tree, planned: frozenset[PageUri], read: Read) -> Page:
        """The page as it lies there, its works read, and what the gates say; `planned` are those not written yet."""
        try:
            text = tree.pages[brief.page].decode("utf-8")
        except UnicodeDecodeError as error:
            raise RefusedError(f"{brief.page}: byte {error.start} is not UTF-8; save the page as UTF-8") from error
        sources = []
        for claim in read_claims(text, brief.page):
            fetched = (read(claim.url) if claim.url else None) or self._kept(claim)
            if fetched is not None and is_read(fetched):
                sources.append(Source(claim.reference.id, fetched))
        findings = gates(Draft(text, "hand"), brief, sources, {*tree.pages}, is_thin=False, planned=planned)
        return Page(brief, text, tuple(sources), findings)

    def _kept(self, claim: Claim) -> Fetched | None:
        """The text that a work without an address was written from, where it is stored."""
        raw = read_work(self.settings.root, text_name(claim.sha256)) if claim.sha256 and not claim.url else None
        text = raw.decode("utf-8", errors="replace") if raw else ""
        return Fetched("", Outcome.OK, text=text, visible=text) if text else None

    def _record(self, desk: Desk, run: int, page: Page, started: str, last: Page) -> str | None:
        brief, now = page.brief, self.clock.now()
        attempt = Attempt(
            brief=brief,
            runner=self.runner,
            started=datetime.fromisoformat(started),
            finished=datetime.fromisoformat(now),
            outcome="done",
            draft=Draft(page.text, "hand"),
            sources=page.sources,
            findings=page.findings,
            requests=sum(source.fetched.requests for source in page.sources),
        )
        record = Record(
            plan=brief.plan.slug,
            number=brief.part.number,
            targets=brief.part.targets,
            page=str(brief.page),
            drop=str(brief.drop),
            report=render_drop(attempt),
            when=now,
            content=page.text,
            before=fingerprint(self.settings.root / self.settings.docs_dir / brief.page),
            mark=State.DONE if page is last else None,
            lines=parse_page(page.text, brief.page)[0].lines,
            works=len(read_references(page.text, brief.page)[0]),
        )
        knows = encode((brief.known, brief.unresolved))
        desk.keep(knows)
        key = (brief.plan.slug, brief.part.number, str(brief.page))
        row = desk.ledger.take_part(run, key, f"by hand {now}", knows.name)
        return desk.write(row, record, brief.plan)


def briefs_of(tree: Tree, plan_name: str, number: int, clock: Clock) -> tuple[Brief, ...]:
    """The briefs of a PART, a page each, with what the base knows. Raises NotFoundError, RefusedError."""
    library = link_tree(tree)
    plan = find_plan(library, plan_name)
    entries = find_entries(library, plan, number)
    if entries[0].state is State.DISABLED:
        raise RefusedError(f"PART {number} in {plan.uri} is disabled; move it above the heading that says so first")
    taken = {str(drop.uri) for drop in library.drops}
    return brief_known((make_brief(entry, clock.time(), taken) for entry in entries), tree.pages)
