"""Render the KNOWLEDGE DROP that reports the result of one PART. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from generator.citations.references import read_references
from generator.citations.source_lists import lists_sources
from generator.drafts import Brief, KnownPage, Source
from generator.expand.events import Result
from generator.library.pages import parse_page, render_page
from generator.markdown.escape import inline, linked, verbatim
from generator.markdown.plain_text import count
from generator.model import Problem, Reference
from generator.problems import is_blocking, requirement
from generator.search.answers import Found, Searched

_FOUND = {
    Found.FOUND: "{} found",
    Found.EMPTY: "nothing found",
    Found.BLOCKED: "blocked",
    Found.RATE_LIMITED: "rate limited",
    Found.FAILED: "failed",
}


def points_of(brief: Brief) -> tuple[str, ...]:
    """Return the points to research: those of each section, or its title if it has none."""
    researched = (section for section in brief.outline if not lists_sources(section.title))
    return tuple(point for section in researched for point in section.points or (section.title,))


def render_drop(result: Result, runner: str, outcome: str, reason: str) -> str:
    """Return the drop's whole file: front matter for programs, and the same report in prose.

    Args:
        result: the result of the job.
        runner: the name of the runner: ``planbook extract``, or a person's.
        outcome: ``done``, ``partial`` if the page answers too few points, or ``failed``: then the PART has no page.
        reason: why it is not done; empty otherwise.
    """
    brief, draft = result.job.brief, result.draft if outcome != "failed" else None
    lines = parse_page(draft.text, brief.page)[0].lines if draft else 0
    references = read_references(draft.text, brief.page)[0] if draft else ()
    meta = {
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "runner": runner,
        "started": _time(result.job.started),
        "finished": _time(result.finished),
        "outcome": outcome,
        "page": str(brief.page),
        "lines": lines,
        "references": len(references),
        "requests": result.usage.requests,
        "retries": result.retries,
    }
    part = f"PART {brief.part.number} of the plan *{verbatim(brief.plan.title)}*"
    if draft:
        summary = _summary(part, result, runner, lines, references)
        summary += f" The outcome is partial: {verbatim(reason)}." if reason else ""
    else:
        why = f": {verbatim(reason)}".rstrip(".") if reason else ""
        summary = f"{part} has no page{why}. The attempt is described below."
    blocks = [f"# {verbatim(brief.title)}", summary, *_sources_used(references)]
    blocks += _tried(result, {reference.id for reference in references})
    blocks += _context(brief.known, brief.unresolved)
    none = "None. Passages were found on every point."
    if draft and draft.writer == "hand":  # no search was made here: its author did the research
        none = "Not checked. The page was submitted, and its author did the research."
    gaps = draft.gaps if draft else points_of(brief)
    blocks += ["## Open gaps", "\n".join(f"- {inline(gap)}" for gap in gaps) or none, *_remarks(result.findings)]
    return render_page(meta, "\n\n".join(blocks))


def _time(moment: str) -> str:
    return f"{datetime.fromisoformat(moment):%Y-%m-%d %H:%M} UTC"


def _summary(part: str, result: Result, runner: str, lines: int, references: Sequence[Reference]) -> str:
    """Return what was written, from what, by whom and when."""
    brief, writer = result.job.brief, result.draft.writer if result.draft else ""
    budget = f" of {brief.part.lines_budget}" if brief.part.lines_budget else ""
    n = sum(len(reference.quotes) for reference in references)
    quotes = f"{count(n, 'quote')} from " if n else ""
    by = f"It was written by the writer `{writer}`"
    if writer == "hand":
        by = f"It was submitted by {verbatim(runner.removeprefix('by '))} and checked"
    return (
        f"{part} has its page, `{brief.page}`: {lines}{budget} lines, {quotes}{count(len(references), 'work')} cited. "
        f"{by} from {_time(result.job.started)} to {_time(result.finished)}, with "
        f"{count(result.usage.requests, 'request')} to other hosts."
    )


def _sources_used(references: Sequence[Reference]) -> Iterator[str]:
    if references:
        yield "## Sources used"
        yield "\n".join(
            f"- {linked(r.title, r.url or '')}{': ' + count(len(r.quotes), 'quote') if r.quotes else ''}"
            f"{f', accessed {r.accessed}' if r.accessed else ''}"
            for r in references
        )


def _tried(result: Result, used: set[str]) -> Iterator[str]:
    """Yield the searches, and the sources that were read without being used, or could not be read."""
    if result.searched:
        yield "## Searches"
        yield "\n".join(dict.fromkeys(_search(searched) for searched in result.searched))
    others = [source for source in result.sources if source.id not in used]
    if others:
        yield "## Sources not used" if used else "## Sources requested"
        yield "\n".join(_other(source, is_page=bool(used)) for source in others)


def _search(searched: Searched) -> str:
    came = _FOUND[searched.outcome].format(len(searched.hits))
    reason = f" ({verbatim(searched.reason)})" if searched.reason else ""
    query = verbatim(f"“{searched.query.text}”") if searched.query.text else "addresses in the plan"
    return f"- {query}, {verbatim(searched.provider)}: {came}{reason}"


def _other(source: Source, *, is_page: bool) -> str:
    fetched = source.fetched
    read = "read, not used" if is_page else "read"
    what = read if fetched.text else fetched.outcome.value.replace("_", " ")
    reason = f" ({verbatim(fetched.reason)})" if fetched.reason else ""
    return f"- {linked(fetched.title or fetched.url, fetched.url)}: {what}{reason}"


def _context(known: Sequence[KnownPage], unresolved: Sequence[str]) -> Iterator[str]:
    """Yield the prior knowledge in the base, and the plan's references that it could not resolve."""
    if known or unresolved:
        yield "## Prior knowledge in the base"
        rows = [f"- `{page.page}`, {verbatim(page.title)} ({verbatim(page.reason)})" for page in known]
        yield "\n".join([*rows, *(f"- not in the base: {verbatim(words)}" for words in unresolved)])


def _remarks(findings: Sequence[Problem]) -> Iterator[str]:
    if findings:
        yield "## Results of the checks"
        yield "\n".join(
            f"- {'failure' if is_blocking(p) else 'note'}, {requirement(p)}, line {p.line}: {verbatim(p.message)}"
            for p in findings
        )
