"""Render the KNOWLEDGE DROP that reports one attempt at one PART. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from generator.citations.references import read_references
from generator.citations.source_lists import lists_sources
from generator.drafts import Brief, Draft, KnownPage, Source
from generator.library.pages import parse_page, render_page
from generator.markdown.escape import inline, linked, verbatim
from generator.markdown.plain_text import count
from generator.model import Page, Problem, Reference
from generator.problems import is_blocking, requirement
from generator.search.answers import Found, Searched

MAX_NAME_CHARS = 200
"""Maximum length of a reported writer's name."""

_FOUND = {
    Found.FOUND: "{} found",
    Found.EMPTY: "nothing found",
    Found.BLOCKED: "blocked",
    Found.RATE_LIMITED: "rate limited",
    Found.FAILED: "failed",
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A runner's attempt at one PART."""

    brief: Brief
    runner: str
    """The name of the runner: ``planbook extract``, a program's or a person's."""
    started: datetime
    """Time zone aware, like `finished`."""
    finished: datetime
    outcome: str
    """``done``, ``partial`` if the page answers too few points, or ``failed``: then the PART has no page."""
    reason: str = ""
    """The reason why it is not done; empty otherwise."""
    draft: Draft | None = None
    """The page, even if it was rejected; ``None`` if none was written."""
    sources: tuple[Source, ...] = ()
    """All sources requested, including those that failed."""
    searched: tuple[Searched, ...] = ()
    findings: tuple[Problem, ...] = ()
    """The findings of the rules on the draft."""
    requests: int = 0
    retries: int = 0
    """Number of earlier attempts at the PART."""

    @property
    def has_page(self) -> bool:
        """True if the draft becomes the page."""
        return self.outcome != "failed"


def points_of(brief: Brief) -> tuple[str, ...]:
    """Return the points to research: those of each section, or its title if it has none."""
    researched = (section for section in brief.outline if not lists_sources(section.title))
    return tuple(point for section in researched for point in section.points or (section.title,))


def render_drop(attempt: Attempt) -> str:
    """Return the drop's whole file: front matter for programs, and the same report in prose."""
    brief, is_done = attempt.brief, attempt.has_page
    page = parse_page(attempt.draft.text, brief.page)[0] if attempt.draft else None
    references = read_references(attempt.draft.text, brief.page)[0] if attempt.draft else ()
    meta = {
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "runner": attempt.runner,
        "started": _time(attempt.started),
        "finished": _time(attempt.finished),
        "outcome": attempt.outcome,
        "page": str(brief.page),
        "lines": page.lines if page and is_done else 0,
        "references": len(references) if is_done else 0,
        "requests": attempt.requests,
        "retries": attempt.retries,
    }
    blocks = [f"# {verbatim(brief.title)}", _summary(attempt, page, references)]
    if is_done:
        blocks += _sources_used(references)
    blocks += _tried(attempt, {reference.id for reference in references} if is_done else set())
    blocks += _context(brief.known, brief.unresolved)
    blocks += _gaps(attempt)
    blocks += _remarks(attempt.findings)
    return render_page(meta, "\n\n".join(blocks))


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _summary(attempt: Attempt, page: Page | None, references: Sequence[Reference]) -> str:
    brief = attempt.brief
    part = f"PART {brief.part.number} of the plan *{verbatim(brief.plan.title)}*"
    tries = f" It was tried {count(attempt.retries + 1, 'time')}." if attempt.retries else ""
    if not attempt.has_page:
        reason = f": {verbatim(attempt.reason)}" if attempt.reason else ""
        return f"{part} has no page{reason.rstrip('.')}.{tries} The attempt is described below."
    budget = f" of {brief.part.lines_budget}" if brief.part.lines_budget else ""
    n = sum(len(reference.quotes) for reference in references)
    quotes = f"{count(n, 'quote')} from " if n else ""
    is_reviewed = page and _is_submitted(attempt) and page.meta_value("reviewed")
    review = "The page states that it was reviewed." if is_reviewed else "It has not been reviewed."
    lines = page.lines if page else 0
    return (
        f"{part} has its page, `{brief.page}`: {lines}{budget} lines, {quotes}"
        f"{count(len(references), 'work')} cited. {_making(attempt, page)} from {_time(attempt.started)} to "
        f"{_time(attempt.finished)}, with {count(attempt.requests, 'request')} to other hosts.{tries} {review}"
        f"{f' The outcome is partial: {verbatim(attempt.reason)}.' if attempt.reason else ''}"
    )


def _is_submitted(attempt: Attempt) -> bool:
    """Return whether the page was submitted by a person, or by an agent on its own."""
    return attempt.has_page and attempt.draft is not None and attempt.draft.writer == "hand"


def _making(attempt: Attempt, page: Page | None) -> str:
    """Return who wrote the page; for a submitted page, the writer that it names and who submitted it."""
    if page is None or not _is_submitted(attempt):
        return f"It was written by the writer `{attempt.draft.writer}`" if attempt.draft else "It was written"
    said = page.meta_value("generated")
    fields = {str(key): value for key, value in said.items()} if isinstance(said, Mapping) else {"writer": said}
    writer, model, day = (_name(fields.get(key)) for key in ("writer", "model", "date"))
    by = "hand" if writer in {"hand", "person"} else f"{writer} ({model})" if writer and model else writer or model
    how = f" by {by}" * bool(by) + f", {day}" * bool(day)
    origin = f"The page states that it was written{how}." if how else "The page does not state who wrote it."
    runner = _name(attempt.runner.removeprefix("by "))
    return f"{origin} It was submitted by {runner or 'hand'} and checked"


def _name(value: object) -> str:
    """Return words of a page as one short line of text; empty if there are none."""
    text = "" if value is None else str(value).strip()
    return verbatim(text if len(text) <= MAX_NAME_CHARS else f"{text[:MAX_NAME_CHARS]}…")


def _sources_used(references: Sequence[Reference]) -> Iterator[str]:
    if references:
        yield "## Sources used"
        yield "\n".join(
            f"- {linked(r.title, r.url or '')}{': ' + count(len(r.quotes), 'quote') if r.quotes else ''}"
            f"{f', accessed {r.accessed}' if r.accessed else ''}"
            for r in references
        )


def _tried(attempt: Attempt, used: set[str]) -> Iterator[str]:
    """Yield the searches, and the sources that were read without being used, or could not be read."""
    if attempt.searched:
        yield "## Searches"
        yield "\n".join(dict.fromkeys(_search(searched) for searched in attempt.searched))
    others = [source for source in attempt.sources if source.id not in used]
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


def _gaps(attempt: Attempt) -> Iterator[str]:
    gaps = attempt.draft.gaps if attempt.draft and attempt.has_page else points_of(attempt.brief)
    yield "## Open gaps"
    none = "None. Passages were found on every point."
    if _is_submitted(attempt):  # no search was made here: its author did the research
        none = "Not checked. The page was submitted, and its author did the research."
    yield "\n".join(f"- {inline(gap)}" for gap in gaps) or none


def _remarks(findings: Sequence[Problem]) -> Iterator[str]:
    if findings:
        yield "## Results of the checks"
        yield "\n".join(
            f"- {'failure' if is_blocking(p) else 'note'}, {requirement(p)}, line {p.line}: {verbatim(p.message)}"
            for p in findings
        )
