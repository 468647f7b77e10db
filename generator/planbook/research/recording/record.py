"""The record of one page: the files to write, and the mark of its PART. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from planbook.citations.references import read_references
from planbook.library import pages
from planbook.model import State
from planbook.problems import DOUBTFUL_SOURCE
from planbook.research.evidence.rank import points_of
from planbook.research.recording.drop import render_drop
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.recording.verdicts import PageOutcome, PageVerdict


@dataclass(frozen=True, slots=True)
class Record:
    """The files to write for one page; the journal holds it as JSON."""

    plan: str
    """The plan's slug."""
    number: int
    targets: tuple[str, ...]
    """The PART's targets as written in the plan: with the number, they identify the PART."""
    page: str
    """The page's uri."""
    drop: str
    """The drop's path in the project."""
    report: str
    """The drop's text."""
    when: str
    """In UTC, as ``YYYY-MM-DDTHH:MM:SSZ``."""
    content: str | None = None
    """The page's text; ``None`` if there is no page to write."""
    before: str | None = None
    """The SHA-256 of the page when the PART was begun; ``None`` if there was no page."""
    drop_before: str | None = None
    """The SHA-256 of the drop that this one replaces; ``None`` if there was none."""
    mark: State | None = None
    """The PART's new mark; ``None`` keeps the present one."""
    reason: str = ""
    """Why there is no page, or why its PART is partial."""
    lines: int = 0
    works: int = 0
    """Number of works that the page cites."""
    is_held: bool = False
    """True if a person has changed the page that it would replace: it is kept, and ours is put
    beside."""
    is_again: bool = False
    """True if the PART had an accepted page before."""

    @property
    def name(self) -> str:
        """The PART's name for users."""
        return f"{self.plan} PART {self.number}"

    def paths(self, docs: str) -> tuple[str, ...]:
        """Return the page, if there is one, and the drop, by path from the project's folder."""
        has_page = self.content is not None and not self.is_held
        return (f"{docs}/{self.page}", self.drop) if has_page else (self.drop,)


def verdict_on(
    page: PageAttempt, min_answered: float = 0.0, *, is_edited: bool = False
) -> PageVerdict:
    """Return what became of a page.

    Args:
        page: the page, or why there is none.
        min_answered: the percentage of its points below which it is partial.
        is_edited: whether a person has changed the page that it would replace.
    """
    if not page.is_made or page.draft is None:
        return PageVerdict(PageOutcome.FAILED, page.reason)
    # A person's words come before ours, however good these are.
    if is_edited:
        why = "somebody has changed the page since it was made, and it is kept"
        return PageVerdict(PageOutcome.HELD, why)
    points = sum(len(points_of(section)) for section in page.brief.outline)
    answered = max(0, points - len(page.draft.gaps))
    if 100 * answered < min_answered * points:
        required = f"expand.min_answered requires {min_answered:g} %"
        why = f"{answered} of {points} points answered, and {required}"
        return PageVerdict(PageOutcome.PARTIAL, why)
    doubt = page.draft.doubt or _doubt_of_sources(page)
    return PageVerdict(PageOutcome.PARTIAL, doubt) if doubt else PageVerdict(PageOutcome.DONE)


def mark_of_part(verdicts: Iterable[PageVerdict], *, had_pages: bool) -> State | None:
    """Return the mark of a PART, of all of whose pages these are the verdicts.

    ``None`` keeps the present mark: if a person's page is kept, and if a page failed that was to
    replace an older one, which still exists (`had_pages`).
    """
    outcomes = {verdict.outcome for verdict in verdicts}
    if PageOutcome.HELD in outcomes:
        return None
    if PageOutcome.FAILED in outcomes:
        return None if had_pages else State.PARTIAL
    return State.PARTIAL if PageOutcome.PARTIAL in outcomes else State.DONE


def compose_record(  # noqa: PLR0913 - all that a record is made of
    page: PageAttempt,
    runner: str,
    verdict: PageVerdict,
    *,
    made_from: Sequence[tuple[str, str]] = (),
    before: str | None = None,
    drop_before: str | None = None,
    mark: State | None = None,
    is_again: bool = False,
) -> Record:
    """Return the whole record of a page; for the further arguments, see :class:`Record`.

    Args:
        page: the page, or why there is none.
        runner: who is named in the drop.
        verdict: what became of it.
        made_from: the origins of the page, if a run made it.
        before: the SHA-256 of the page that it replaces.
        drop_before: that of the drop that it replaces.
        mark: the PART's new mark, if this is its last page.
        is_again: whether the PART had an accepted page before.
    """
    brief = page.brief
    draft = None if verdict.outcome is PageOutcome.FAILED else page.draft
    text = draft.text if draft else None
    return Record(
        plan=brief.plan.slug,
        number=brief.part.number,
        targets=brief.part.targets,
        page=str(brief.page),
        drop=str(brief.drop),
        report=render_drop(page, runner, verdict, made_from),
        when=page.finished,
        content=text,
        before=before,
        drop_before=drop_before,
        mark=mark,
        reason=verdict.reason,
        lines=pages.parse_page(text, brief.page)[0].lines if text else 0,
        works=len(read_references(text, brief.page)[0]) if text else 0,
        is_held=verdict.outcome is PageOutcome.HELD,
        is_again=is_again,
    )


def _doubt_of_sources(page: PageAttempt) -> str:
    """Return why the sources of a page leave it partial; empty if none of them is doubtful."""
    doubtful = [finding.message for finding in page.findings if finding.code == DOUBTFUL_SOURCE]
    return doubtful[0] if doubtful else ""
