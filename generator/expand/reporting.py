"""What is to be written for a result: the page as it was composed, and the drop that tells of the attempt. Pure."""

from __future__ import annotations

from datetime import datetime

from generator.citations.references import read_references
from generator.expand.events import JobOutcome, Result
from generator.expand.record import Record
from generator.page.parse import parse_page
from generator.research.drop import Attempt, render_drop


def report(result: Result, runner: str) -> Record:
    """The record of an attempt that is the last one at its page; `runner` is who made it.

    How the PART is to be marked, and what lay in the page's place, is for the coordinator to say.
    """
    job, brief = result.job, result.job.brief
    is_done = result.outcome is JobOutcome.DONE
    attempt = Attempt(
        brief=brief,
        runner=runner,
        started=datetime.fromisoformat(job.started),
        finished=datetime.fromisoformat(result.finished),
        outcome="done" if is_done else "failed",
        reason=result.reason,
        draft=result.draft,
        sources=result.sources,
        searched=result.searched,
        findings=result.findings,
        requests=result.usage.requests,
        retries=job.attempt - 1,
    )
    text = result.draft.text if result.draft and is_done else None
    return Record(
        plan=brief.plan.slug,
        number=brief.part.number,
        targets=brief.part.targets,
        page=str(brief.page),
        drop=str(brief.drop),
        report=render_drop(attempt),
        when=result.finished,
        content=text,
        reason=result.reason,
        lines=parse_page(text, brief.page)[0].lines if text else 0,
        works=len(read_references(text, brief.page)[0]) if text else 0,
    )
