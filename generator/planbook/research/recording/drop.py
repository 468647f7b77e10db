"""Render the KNOWLEDGE DROP that reports on one page of a PART. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from planbook.citations.references import read_references
from planbook.library.pages import fingerprint, parse_page, render_page
from planbook.markdown.escape import inline_words, make_link, verbatim
from planbook.markdown.plain_text import count, plain_text
from planbook.model import Reference
from planbook.problems import is_blocking, requirement
from planbook.research.drafts import Brief, Draft
from planbook.research.evidence.rank import points_of
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.recording.verdicts import PageOutcome, PageVerdict
from planbook.research.search.api_answers import Searched
from planbook.research.web.model import Outcome
from planbook.views.template import render_markdown


def render_drop(
    page: PageAttempt,
    runner: str,
    verdict: PageVerdict,
    made_from: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the drop's whole file: front matter for programs, and the same report in prose.

    Args:
        page: the page, or why there is none.
        runner: the name of the runner: ``planbook extract``, or a person's.
        verdict: what became of the page. If it failed, the PART has no page.
        made_from: the origins of the page, if a run made it.
    """
    brief = page.brief
    draft = None if verdict.outcome is PageOutcome.FAILED else page.draft
    lines = parse_page(draft.text, brief.page)[0].lines if draft else 0
    references = read_references(draft.text, brief.page)[0] if draft else ()
    meta = {
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "runner": runner,
        "started": _written_time(page.started),
        "finished": _written_time(page.finished),
        "outcome": verdict.outcome.value,
        "page": str(brief.page),
        "lines": lines,
        "references": len(references),
        "requests": page.usage.requests,
        "retries": page.retries,
        **_origins_of(draft, verdict, made_from),
    }
    if draft:
        summary = _describe_page(page, runner, lines, references)
        if verdict.reason:
            summary += f" The outcome is {verdict.outcome}: {verbatim(verdict.reason)}."
        gaps = draft.gaps
    else:
        summary = _describe_failure(brief, verdict.reason)
        gaps = tuple(point for section in brief.outline for point in points_of(section))
    return render_page(meta, _render_report(page, draft, summary, references, gaps))


def _render_report(
    page: PageAttempt,
    draft: Draft | None,
    summary: str,
    references: Sequence[Reference],
    gaps: Sequence[str],
) -> str:
    """Return the report in prose: what was done, found, refused and left open."""
    used = {reference.id for reference in references}
    return render_markdown(
        "drop.md",
        brief=page.brief,
        summary=summary,
        references=references,
        findings=page.findings,
        refusals=page.refusals,
        notes=page.notes,
        gaps=gaps,
        # No search was made here: its runner did the research.
        is_submitted=draft is not None and draft.writer == "hand",
        searches=dict.fromkeys(_describe_search(searched) for searched in page.searched),
        others=[source.fetched for source in page.sources if source.id not in used],
        words=inline_words,
        make_link=make_link,
        is_blocking=is_blocking,
        requirement=requirement,
    )


def _origins_of(
    draft: Draft | None, verdict: PageVerdict, made_from: Sequence[tuple[str, str]]
) -> dict[str, object]:
    """Return the digests by which a later run knows the page and what it was made from."""
    origins: dict[str, object] = {}
    # A page that is held is not the one that the drop describes.
    if draft and verdict.outcome is not PageOutcome.HELD:
        origins["text_sha256"] = fingerprint(draft.text)
    if draft and made_from:
        origins["page_sha256"] = hashlib.sha256(draft.text.encode("utf-8")).hexdigest()
        origins["made_from"] = {key: value for key, value in made_from if value}
    return origins


_NOTES = "\n## In the runner's words\n"


def read_notes_in_drop(body: str) -> tuple[str, ...]:
    """Return the notes of the runner in a drop's text."""
    _, _, below = body.partition(_NOTES)
    section, _, _ = below.partition("\n## ")
    items = (line.removeprefix("- ") for line in section.splitlines() if line.startswith("- "))
    return tuple(plain_text(item) for item in items)


def _written_time(moment: str) -> str:
    """Return a moment as drops write it: ``2026-11-20 14:05 UTC``."""
    return f"{datetime.fromisoformat(moment):%Y-%m-%d %H:%M} UTC"


def _name_of_part(brief: Brief) -> str:
    return f"PART {brief.part.number} of the plan *{verbatim(brief.plan.title)}*"


def _describe_failure(brief: Brief, reason: str) -> str:
    """Return why there is no page."""
    why = f": {verbatim(reason)}".rstrip(".") if reason else ""
    return f"{_name_of_part(brief)} has no page{why}. The attempt is described below."


def _describe_page(
    page: PageAttempt, runner: str, lines: int, references: Sequence[Reference]
) -> str:
    """Return what was written, from what, by whom and when."""
    brief = page.brief
    writer = page.draft.writer if page.draft else ""
    budget = f" of {brief.part.lines_budget}" if brief.part.lines_budget else ""
    quotes = sum(len(reference.quotes) for reference in references)
    works = f"{count(len(references), 'work')} cited"
    if quotes:
        works = f"{count(quotes, 'quote')} from {works}"
    by = f"It was written by the writer `{writer}`"
    if writer == "hand":
        by = f"It was submitted by {verbatim(runner.removeprefix('by '))} and checked"
    start, end = _written_time(page.started), _written_time(page.finished)
    requests = f"{count(page.usage.requests, 'request')} to other hosts"
    return (
        f"{_name_of_part(brief)} has its page, `{brief.page}`: {lines}{budget} lines, {works}. "
        f"{by} from {start} to {end}, with {requests}."
    )


def _describe_search(searched: Searched) -> str:
    """Return a query, who was asked, and what was found."""
    answer = f"{len(searched.hits)} found" if searched.hits else "nothing found"
    if searched.outcome is not Outcome.OK:
        answer = searched.outcome.replace("_", " ")
    if searched.reason:
        answer += f" ({verbatim(searched.reason)})"
    text = searched.query.text
    query = verbatim(f"“{text}”") if text else "addresses in the plan"
    return f"{query}, {verbatim(searched.provider)}: {answer}"
