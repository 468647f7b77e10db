"""A page by the holder of a claim: a runner, which cites what it gathered or read, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planbook import store
from planbook.citations.references import is_work
from planbook.library import link_tree
from planbook.model import Problem
from planbook.research.claims import LeaseBook, check_unclaimed
from planbook.research.drafts import Brief
from planbook.research.evidence import selection
from planbook.research.evidence.dossier import Dossier, DossierStore
from planbook.research.expand import events
from planbook.research.expand.config import RunConfig
from planbook.research.expand.recorder import RunSummary, file_sha256, open_recorder, record_result
from planbook.research.git import shared_folder
from planbook.research.proof import verify


def refuse_unread(page: events.Result, config: RunConfig) -> events.Result:
    """Return a page's result with a failure for each cited work that was not gathered or read for its PART."""
    brief = page.job.brief
    if page.draft is None:
        return page
    dossier = DossierStore(shared_folder(config.settings.root)).load(brief)
    unread = tuple(_unread(page.draft.text, brief, dossier))
    return replace(page, findings=(*page.findings, *unread))


def _unread(text: str, brief: Brief, dossier: Dossier | None) -> Iterator[Problem]:
    """Yield a failure for each work of a page that is not in the dossier of its PART."""
    sources = dossier.sources if dossier else ()
    known = {source.id for source in sources}
    for claim in verify.read_claims(text, brief.page):
        reference = claim.reference
        if is_work(reference) and reference.id not in known:
            place = reference.file or reference.url or "ADDRESS"
            command = f"planbook read {place} --for {brief.plan.slug} {brief.part.number}"
            how = f"run `{command}`, and use the id that it prints"
            line = min(reference.lines, default=1)
            yield Problem(brief.page, line, "D021", f"@{reference.id} was not read for this PART; {how}")


def give_up(config: RunConfig, plan_name: str, number: int, *, author: str, reason: str) -> RunSummary:
    """Leave a drop that says why a PART has no page, and end the author's claim. The PART stays as it is marked.

    Raises:
        NotFoundError: there is no such plan or PART.
        ClaimedError: somebody else has claimed the PART.
        RefusedError: nothing can be recorded here.
    """
    library = link_tree(store.read_tree(config.settings), config.calls)
    briefs = selection.briefs_of(library, plan_name, number, config.clock.time())
    book, now = LeaseBook(config.settings.root), config.clock.time()
    plan, part = briefs[0].plan, briefs[0].part
    check_unclaimed(book.current(now), plan, part, author)
    with open_recorder(config) as recorder:
        for brief in briefs:
            job = events.Job(0, brief, config.clock.now())
            failed = events.Result(job, events.JobOutcome.FAILED, reason=reason, finished=config.clock.now())
            record = record_result(failed, author)
            recorder.record(replace(record, drop_before=file_sha256(config.settings.root / record.drop)), plan)
        summary = recorder.finish()
    book.release(plan, part, author, now)
    return summary
