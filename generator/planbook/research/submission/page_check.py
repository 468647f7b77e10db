"""The check of a page that a person or another program wrote, against the works that it cites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from planbook import problems, store
from planbook.citations.completion import complete_references
from planbook.markdown.document import read_document
from planbook.markdown.front_matter import FrontMatterError
from planbook.model import PageUri, Problem, Tree
from planbook.research.drafts import Brief, Draft, Source, Usage
from planbook.research.proof import verify
from planbook.research.proof.draft_rules import check_draft
from planbook.research.proof.ground_rules import open_points
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import Judge
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.submission.gathered_works import find_gathered, is_at_place
from planbook.research.submission.lines_of_file import move_to_written_lines
from planbook.research.submission.unanswered import find_unanswered_points
from planbook.research.web import archive, model
from planbook.research.writers.judge import find_faults
from planbook.research.writers.page_keys import add_missing_keys
from planbook.research.writers.passage_citations import QuotedDraft, quote_cited_passages
from planbook.research.writers.quoting import source_item
from planbook.store.trees import scan_docs

ReadCited = Callable[[Iterable[verify.CitedReference]], verify.Answers]
"""Returns the documents that a page cites, without those that are not stored if hosts must not be
asked."""


@dataclass(frozen=True, slots=True)
class PageChecker:
    """Checks pages against the works that they cite."""

    config: RecordingConfig
    tree: Tree
    """The files of the base."""
    missing: frozenset[PageUri]
    """The pages of plans that are not written yet."""
    read: ReadCited
    judge: Judge | None
    """Judges sentences, if there is one."""
    is_check: bool
    """True if the files of the pages stay as they are in any case."""

    def check(self, brief: Brief, works: tuple[Source, ...]) -> PageAttempt:
        """Return what the rules find on a page; `works` were gathered for it."""
        started = self.config.clock.stamp()
        by_id = {source.id: source for source in works}
        written = store.decode_page(self.tree.pages[brief.page], brief.page)
        quoted = _quote_passages(written, brief, works)
        keyed = add_missing_keys(quoted.text, brief, self.config.clock.now().date())
        text, defects = _complete_gathered_references(keyed, brief, by_id, self.config)
        draft = Draft(text, "hand")
        sources = _read_works(self.config.settings, draft, brief, works, self.read)
        files = frozenset(scan_docs(self.config.settings).files)
        rules = check_draft(draft, brief, sources, files, self.missing, works)
        parsed = ParsedDraft(draft, brief, sources, files, self.missing)
        unanswered = find_unanswered_points(parsed)
        silent = [_unanswered_point(parsed, point) for point in unanswered]
        judged = find_faults(draft, brief, sources, self.judge)
        faults = tuple(quoted.findings_on((*defects, *rules, *judged, *silent)))
        lines_added = 0
        is_rejected = any(map(problems.is_blocking, (*quoted.problems, *faults)))
        if self.is_check or is_rejected:
            # The file stays as it is, and so do its lines.
            lines_added = read_document(text).lines_above - read_document(written).lines_above
            faults = tuple(move_to_written_lines(faults, written, text))
        findings = (*quoted.problems, *faults)
        return PageAttempt(
            brief,
            started,
            draft=_add_gaps(parsed, rules, unanswered),
            sources=sources,
            findings=findings,
            quoted=quoted.quotes,
            lines_added=lines_added,
            usage=Usage(sum(source.fetched.requests for source in sources)),
        )


def _add_gaps(parsed: ParsedDraft, findings: Sequence[Problem], unanswered: Sequence[str]) -> Draft:
    """Return a draft with what it leaves open, for its report.

    Args:
        parsed: the draft.
        findings: what the rules found on it.
        unanswered: the points that no sentence is about.
    """
    doubts = (finding.message for finding in findings if finding.code == problems.MOSTLY_DEDUCED)
    silent_points = (f"{point} (no sentence is about it)" for point in unanswered)
    gaps = (*open_points(parsed), *silent_points)
    return replace(parsed.draft, gaps=gaps, doubt=next(doubts, ""))


def _quote_passages(text: str, brief: Brief, works: Sequence[Source]) -> QuotedDraft:
    """Return a page with exact quotes in place of the passages that it cites by their numbers."""
    cited = verify.read_cited_references(text, brief.page)
    meant = {work.reference.id: find_gathered(work, works) for work in cited}
    references = {name: work for name, work in meant.items() if work is not None}
    return quote_cited_passages(text, brief, works, references)


def _unanswered_point(parsed: ParsedDraft, point: str) -> Problem:
    """Return the warning about a point of the plan that a page seems to leave out."""
    defect = f"no sentence has the words of the point “{point}”"
    return parsed.problem(
        "D058", f"{defect}; answer it, or say that the works do not *(not found)*"
    )


def _read_works(
    settings: store.Settings,
    draft: Draft,
    brief: Brief,
    works: Sequence[Source],
    read: ReadCited,
) -> tuple[Source, ...]:
    """Return the works that a page cites and that could be read, in the order of its references.

    Works that were gathered are read again only where `_is_read_again` wants it.
    """
    cited_references = verify.read_cited_references(draft.text, brief.page)
    gathered = {cited: find_gathered(cited, works) for cited in cited_references}
    known = {cited for cited, work in gathered.items() if work and not _is_read_again(cited, work)}
    answers = read(cited for cited in cited_references if cited not in known)
    sources = []
    for cited in cited_references:
        work = gathered[cited]
        if work and cited in known:
            sources.append(Source(cited.reference.id, work.fetched))
            continue
        fetched = _read_answer(settings, cited, answers)
        if fetched is None and work and not cited.file:
            # Its place cannot be read now: the quotes are from what was gathered.
            fetched = work.fetched
        if fetched:
            sources.append(Source(cited.reference.id, fetched))
    return tuple(sources)


def _read_answer(
    settings: store.Settings, cited: verify.CitedReference, answers: verify.Answers
) -> model.Fetched | None:
    """Return the text of a work, from the answers or as it was stored; ``None`` without one."""
    fetched = next(iter(cited.find(answers)), None) or _stored_text(settings, cited)
    if fetched is None or not fetched.is_read or cited.file_defect(answers):
        return None
    return fetched


def _complete_gathered_references(
    text: str, brief: Brief, gathered: Mapping[str, Source], config: RecordingConfig
) -> tuple[str, tuple[Problem, ...]]:
    """Return a page with its references to gathered works completed, and what prevents it."""
    day = config.clock.now().date()
    items = {name: source_item(source, {}, day) for name, source in gathered.items()}
    try:
        return complete_references(text, items), ()
    except FrontMatterError as error:
        return text, (Problem(brief.page, error.line, "K011", error.reason),)


def _is_read_again(cited: verify.CitedReference, source: Source) -> bool:
    """Return whether a gathered work is read again.

    A file may be gone or changed, and a page may name another text.
    """
    reference = cited.reference
    if reference.file or source.fetched.is_local:
        return True
    is_other_text = cited.sha256 not in {None, source.fetched.sha256}
    is_other_place = bool(reference.url) and not is_at_place(cited, source)
    return is_other_text or is_other_place


def _stored_text(settings: store.Settings, cited: verify.CitedReference) -> model.Fetched | None:
    """Return the stored text of a work without an address."""
    if cited.url:
        return None
    text = archive.stored_text(settings.root, cited.sha256 or "")
    return model.Fetched("", model.Outcome.OK, text=text, visible=text) if text else None
