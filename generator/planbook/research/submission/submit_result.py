"""The result of a submission: findings with passages, and what pages leave out of their works."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from planbook import problems
from planbook.model import PageUri, Problem
from planbook.research.drafts import Source
from planbook.research.evidence.dossier import PassageIndex
from planbook.research.proof import verify
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.recording.recorder import RunSummary
from planbook.research.submission.nearest_passage import nearest_passage
from planbook.research.submission.omitted_warnings import OmittedWarning, find_omitted_warnings
from planbook.research.submission.partly_listed import PartlyListed, find_partly_listed
from planbook.research.submission.unused_sections import UnusedSection, find_unused_sections
from planbook.research.submission.weak_statements import WeakStatement, find_weak_statements

_OnExcerptT = TypeVar("_OnExcerptT", OmittedWarning, PartlyListed, UnusedSection)
"""A finding on an excerpt of a work."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something to change on a page before it is accepted."""

    problem: Problem
    passage: tuple[str, str] | None = None
    """The id and text of the passage of the page's works that is nearest to the words in
    question."""


@dataclass(frozen=True, slots=True)
class Weak:
    """A statement whose quotes carry little of it, at its place."""

    page: PageUri
    line: int
    """The line of its file, 1-based."""
    statement: WeakStatement
    nearest: str
    """The id of another passage that has most of what its quotes lack; empty without one."""


@dataclass(frozen=True)
class SubmitResult:
    """The result of submitting the pages of a PART."""

    pages: tuple[PageAttempt, ...]
    """Each page, with the works that it cites and the findings of the rules."""
    summary: RunSummary = field(default_factory=RunSummary)
    is_check: bool = False
    """True if the pages were only checked."""
    is_unchanged: bool = False
    """True if all pages are accepted, and all that would be written is committed already."""
    gathered: Mapping[PageUri, tuple[Source, ...]] = field(default_factory=dict)
    """The works of the dossiers of the pages."""

    @property
    def is_accepted(self) -> bool:
        """True if all pages pass all rules; otherwise nothing was written."""
        findings = [finding for page in self.pages for finding in page.findings]
        return not any(problems.is_blocking(finding) for finding in findings)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The failures to fix, in the order of the pages and lines."""
        return tuple(self._changes(problems.is_blocking))

    @cached_property
    def warnings(self) -> tuple[Change, ...]:
        """The findings for a reader to look at, which do not keep the page from being accepted."""
        return tuple(self._changes(_is_warning))

    @cached_property
    def notes(self) -> tuple[Problem, ...]:
        """The findings that need no change, and are no warnings either."""
        return tuple(
            finding
            for page in self.pages
            for finding in page.findings
            if not problems.is_blocking(finding) and not _is_warning(finding)
        )

    @cached_property
    def weak(self) -> tuple[Weak, ...]:
        """The statements whose quotes carry least of them, the weakest first.

        None of pages that are accepted as they were before.
        """
        if self.is_unchanged:
            return ()
        weak: list[Weak] = []
        for page in self.pages:
            if page.draft is None:
                continue
            works = self._cited_and_gathered(page)
            parsed = ParsedDraft(page.draft, page.brief, page.sources, (), ())
            index = PassageIndex(works)
            for statement in find_weak_statements(parsed, works):
                nearest = index.id_of(statement.nearest) if statement.nearest else ""
                line = statement.line - page.lines_added
                weak.append(Weak(page.brief.page, line, statement, nearest))
        return tuple(weak)

    @cached_property
    def omitted_warnings(self) -> tuple[tuple[str, OmittedWarning], ...]:
        """The warnings in the works that the pages leave out, each with its id."""
        return self._on_complete_pages(find_omitted_warnings)

    @cached_property
    def unused_sections(self) -> tuple[tuple[str, UnusedSection], ...]:
        """The sections of works from which the pages cite nothing, with their first passages."""
        return self._on_complete_pages(find_unused_sections)

    @cached_property
    def partly_listed(self) -> tuple[tuple[str, PartlyListed], ...]:
        """The tables and lists of which the pages have some names, with the passages to read."""
        return self._on_complete_pages(find_partly_listed)

    def _on_complete_pages(
        self, find: Callable[[ParsedDraft, Sequence[Source]], Iterable[_OnExcerptT]]
    ) -> tuple[tuple[str, _OnExcerptT], ...]:
        """Return what is found in the works of the pages, each with the id of its passage.

        Only of a check without failures: a page is corrected first, then completed.
        """
        return tuple(
            (index.id_of(finding.excerpt), finding)
            for parsed, works, index in self._complete_pages
            for finding in find(parsed, works)
        )

    @cached_property
    def _complete_pages(self) -> tuple[tuple[ParsedDraft, Sequence[Source], PassageIndex], ...]:
        """The pages of a check without failures, with their works and passages."""
        if not self.is_check or not self.is_accepted:
            return ()
        complete = []
        for page in self.pages:
            if page.draft is None:
                continue
            works = self._cited_and_gathered(page)
            parsed = ParsedDraft(page.draft, page.brief, page.sources, (), ())
            complete.append((parsed, works, PassageIndex(works)))
        return tuple(complete)

    @property
    def unread(self) -> tuple[tuple[PageUri, str], ...]:
        """The page and the id of each cited work that could not be read."""
        places: list[tuple[PageUri, str]] = []
        for page in self.pages:
            uri = page.brief.page
            text = page.draft.text if page.draft else ""
            cited = [work.reference.id for work in verify.read_cited_references(text, uri)]
            read_ids = {source.id for source in page.sources}
            places += [(uri, work) for work in cited if work not in read_ids]
        return tuple(places)

    def _changes(self, is_wanted: Callable[[Problem], bool]) -> Iterable[Change]:
        """Yield the wanted findings, each with the passage that is nearest to what it is about."""
        for page in self.pages:
            index = PassageIndex(self._cited_and_gathered(page), has_change_logs=True)
            findings = [finding for finding in page.findings if is_wanted(finding)]
            for finding in sorted(findings, key=lambda finding: (finding.line, finding.code)):
                yield Change(finding, nearest_passage(index, finding))

    def _cited_and_gathered(self, page: PageAttempt) -> tuple[Source, ...]:
        """Return the works that a page cites, and those that were gathered for it."""
        cited = {source.id for source in page.sources}
        gathered = self.gathered.get(page.brief.page, ())
        return (*page.sources, *(source for source in gathered if source.id not in cited))


def _is_warning(finding: Problem) -> bool:
    """Return whether a finding is a warning that does not keep the page from being accepted."""
    is_warning = problems.severity(finding.code, in_draft=True) is problems.Severity.WARNING
    return is_warning and not problems.is_blocking(finding)
