"""Submission of a page that a person or another program wrote: checked by the rules, then recorded.

::

    read ─> complete references ─> rules, sentences ─┬─ refused ─> what to change
                                                     └─ accepted ─> page, drop, mark, commit

Attempts that are refused are kept. Only recording holds the lock: several runners may have their
pages checked at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from planbook import problems, store
from planbook.citations.completion import complete_references
from planbook.library import Library, link_tree
from planbook.library.drops import find_acceptances
from planbook.library.pages import fingerprint
from planbook.markdown.document import read_document
from planbook.markdown.front_matter import FrontMatterError
from planbook.model import DropUri, PageUri, Problem, State, Tree
from planbook.research import selection
from planbook.research.drafts import Brief, Draft, SentenceProblem, Source, Usage
from planbook.research.evidence.brief import quotable_text
from planbook.research.evidence.dossier import DossierStore, PassageIndex
from planbook.research.evidence.rank import PointQuery, rank
from planbook.research.expand.attempts import AttemptLog
from planbook.research.expand.checked_page import CheckedPage
from planbook.research.expand.config import RunConfig
from planbook.research.expand.drop import read_notes_in_drop
from planbook.research.expand.file_digests import file_sha256
from planbook.research.expand.gathered_works import find_gathered, is_at_place, refuse_unread
from planbook.research.expand.left_out import LeftOut, find_left_out
from planbook.research.expand.lines_of_file import move_to_written_lines
from planbook.research.expand.partly_listed import PartlyListed, find_partly_listed
from planbook.research.expand.preflight import check_files
from planbook.research.expand.record import Record, compose_record, mark_of_part, verdict_on
from planbook.research.expand.recorder import RunSummary, open_recorder
from planbook.research.expand.unanswered import find_unanswered_points
from planbook.research.expand.unused_sections import UnusedSection, find_unused_sections
from planbook.research.expand.weak_statements import WeakStatement, find_weak_statements
from planbook.research.git import Git, find_usable_git, shared_folder
from planbook.research.leases import Lease, LeaseBook, check_unclaimed
from planbook.research.proof import verify
from planbook.research.proof.draft_rules import check_draft
from planbook.research.proof.ground_rules import open_points
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import Judge, find_missing, words_in_message
from planbook.research.web import archive, model
from planbook.research.writers.judge import find_faults
from planbook.research.writers.passage_citations import QuotedDraft, quote_cited_passages
from planbook.research.writers.quoting import source_item
from planbook.store.trees import scan_docs

ReadCited = Callable[[Iterable[verify.CitedReference]], verify.Answers]
"""Returns the documents that a page cites, without those that are not stored if hosts must not be
asked."""


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

    pages: tuple[CheckedPage, ...]
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
    def left_out(self) -> tuple[tuple[str, LeftOut], ...]:
        """The warnings in the works that the pages leave out, each with its id.

        Only of a check without failures: a page is corrected first, then completed.
        """
        return tuple(
            (index.id_of(warning.excerpt), warning)
            for parsed, works, index in self._complete_pages
            for warning in find_left_out(parsed, works)
        )

    @cached_property
    def unused_sections(self) -> tuple[tuple[str, UnusedSection], ...]:
        """The sections of works from which the pages cite nothing, with their first passages.

        Only of a check without failures, as `left_out`.
        """
        return tuple(
            (index.id_of(section.excerpt), section)
            for parsed, works, index in self._complete_pages
            for section in find_unused_sections(parsed, works)
        )

    @cached_property
    def partly_listed(self) -> tuple[tuple[str, PartlyListed], ...]:
        """The tables and lists of which the pages have some names, with the passages to read.

        Only of a check without failures, as `left_out`.
        """
        return tuple(
            (index.id_of(listing.excerpt), listing)
            for parsed, works, index in self._complete_pages
            for listing in find_partly_listed(parsed, works)
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
                yield Change(finding, _nearest_passage(index, finding))

    def _cited_and_gathered(self, page: CheckedPage) -> tuple[Source, ...]:
        """Return the works that a page cites, and those that were gathered for it."""
        cited = {source.id for source in page.sources}
        gathered = self.gathered.get(page.brief.page, ())
        return (*page.sources, *(source for source in gathered if source.id not in cited))


_FINISHED = frozenset({State.DONE, State.PARTIAL})
"""States of a PART whose page was accepted before."""


def _is_warning(finding: Problem) -> bool:
    """Return whether a finding is a warning that does not keep the page from being accepted."""
    is_warning = problems.severity(finding.code, in_draft=True) is problems.Severity.WARNING
    return is_warning and not problems.is_blocking(finding)


_MOST_COMPARED = 50
"""Number of passages near a sentence among which one with its missing words is looked for."""


def _nearest_passage(index: PassageIndex, finding: Problem) -> tuple[str, str] | None:
    """Return the id and text of the nearest passage that has what is missing.

    Passages of the works that the sentence cites come first. If no passage near has it, it is the
    nearest one; ``None`` if no passage shares a word with the finding, or if it is about no words
    of the page.
    """
    sentence: str = ""
    missing: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    if isinstance(finding, SentenceProblem):
        sentence, missing, cited = finding.sentence, finding.missing, finding.cited
    if not sentence and finding.code in _ON_QUOTES:
        sentence = " ".join(words_in_message(finding.message))
    if not sentence:
        return None
    ranked = rank(list(index.by_id.values()), [PointQuery(sentence)])[0]
    near = [hit.excerpt for hit in ranked[:_MOST_COMPARED]]
    if not near:
        return None
    own = [excerpt for excerpt in near if excerpt.source in cited]
    best = (own or near)[0]
    if missing:
        # Any work has a number somewhere; a name that a sentence cites wrongly tells where it is.
        is_about_number = finding.code == problems.UNKNOWN_FIGURE and bool(own)
        candidates = own if is_about_number else [*own, *near]
        wanted = " ".join(f"`{word}`" for word in missing)
        for excerpt in candidates:
            if not find_missing(wanted, [excerpt.text, excerpt.term, *excerpt.headings]):
                best = excerpt
                break
    return index.id_of(best), quotable_text(best)


_ON_QUOTES = frozenset({problems.WRONG_QUOTE, problems.CHANGED_QUOTE})
"""Findings that repeat a quote or a line of code."""


def submit(  # noqa: PLR0913 - what a person's page needs
    config: RunConfig,
    plan_name: str,
    number: int,
    read: ReadCited,
    *,
    runner: str,
    judge: Judge | None = None,
    notes: tuple[str, ...] = (),
    is_check: bool = False,
) -> SubmitResult:
    """Check the pages of a PART and, if all of them are accepted, record them.

    Args:
        config: the setup of the run.
        plan_name: the plan's path, slug or file name.
        number: the PART's number.
        read: reads the works that the pages cite.
        runner: the runner's name for the drop.
        judge: judges sentences against the quotes that they cite, if there is one.
        notes: lines of the runner for the drop.
        is_check: true to check only: nothing is written, no try is kept, and no claim refuses it.

    Raises:
        NotFoundError: there is no such plan or PART.
        ClaimedError: somebody else has claimed the PART.
        RefusedError: a page is missing or changed meanwhile, or nothing can be recorded here.
    """
    tree = store.read_tree(config.settings)
    library = link_tree(tree, config.cache)
    submission = _Submission(
        config, tree, library, plan_name, number, runner, _SharedState.of(config), notes
    )
    if not is_check:
        submission.refuse_if_claimed()
        submission.refuse_unwritable()
    result = submission.check(read, judge, is_check=is_check)
    if is_check:
        return replace(result, is_check=True)
    if not result.is_accepted:
        submission.keep_refusal(result)
        return result
    if not notes and submission.is_recorded(result):
        submission.end_lease()
        return replace(result, is_unchanged=True)
    return replace(result, summary=submission.record(result))


def check_accepted(
    config: RunConfig, read: ReadCited, *, judge: Judge | None = None
) -> Iterator[SubmitResult]:
    """Check the pages that were accepted before, as they are now; nothing is written.

    Those are the pages of PARTs that are marked as done or partial and have a drop for each page.

    Args:
        config: the setup of the run.
        read: reads the works that the pages cite.
        judge: judges sentences against the quotes that they cite, if there is one.

    Yields:
        The result of each PART, in the order of the plans.

    Raises:
        RefusedError: a file of the project cannot be read.
    """
    tree = store.read_tree(config.settings)
    library = link_tree(tree, config.cache)
    shared = _SharedState.of(config)
    for entries in library.by_part.values():
        plan, part = entries[0].plan, entries[0].part
        has_all_files = all(entry.page and entry.drop for entry in entries)
        if part.state in _FINISHED and has_all_files:
            submission = _Submission(config, tree, library, str(plan.uri), part.number, "", shared)
            yield replace(submission.check(read, judge, is_check=True), is_check=True)


@dataclass(frozen=True, slots=True)
class _SharedState:
    """The state that submissions of a project share, as it was when the first one began."""

    git: Git | None
    """The repository to commit to; ``None`` if nothing is committed."""
    attempts: AttemptLog
    book: LeaseBook
    leases: Mapping[tuple[str, int], Lease]

    @classmethod
    def of(cls, config: RunConfig) -> _SharedState:
        """Return the state of a project."""
        root = config.settings.root
        book = LeaseBook(root)
        return cls(
            git=find_usable_git(root) if config.commit else None,
            attempts=AttemptLog(shared_folder(root)),
            book=book,
            leases=book.current(config.clock.now()),
        )


class _Submission:
    """The pages of one PART that somebody submits; a method for each stage.

    Raises:
        NotFoundError: there is no such plan or PART.
        RefusedError: a page is missing, or a file of the project cannot be read.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a submission is made from
        self,
        config: RunConfig,
        tree: Tree,
        library: Library,
        plan_name: str,
        number: int,
        runner: str,
        shared: _SharedState,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._runner, self._notes = runner, notes
        self._tree, self._library = tree, library
        briefs = selection.briefs_of(self._library, plan_name, number, config.clock.now())
        self._briefs = tuple(_choose_own_drop(brief, self._library, runner) for brief in briefs)
        self._plan, self._part = briefs[0].plan, briefs[0].part
        paths = tuple(f"{config.docs}/{brief.page}" for brief in briefs)
        for brief, path in zip(briefs, paths, strict=True):
            if brief.page not in self._tree.pages:
                fix = f"write it first (`planbook brief {plan_name} {number}`)"
                raise store.RefusedError(f"{path} does not exist; {fix}")
        # The runner may have staged the page or the plan: both belong to the commit.
        self._config = replace(config, may_be_staged=(*paths, str(self._plan.uri)))
        self._root = config.settings.root
        self._git, self._attempts = shared.git, shared.attempts
        self._book, self._leases = shared.book, shared.leases

    # --- before the check -------------------------------------------------------------------------

    def refuse_if_claimed(self) -> None:
        """Raise ClaimedError if somebody else has the PART, before anything is read."""
        check_unclaimed(self._leases, self._plan, self._part, self._runner)

    def refuse_unwritable(self) -> None:
        """Raise RefusedError if a file could not be written or committed."""
        check_files(self._config, self._git, self._briefs, self._library)

    # --- the check --------------------------------------------------------------------------------

    def check(
        self, read: ReadCited, judge: Judge | None, *, is_check: bool = False
    ) -> SubmitResult:
        """Return what the rules find on each page, and the judge, if there is one."""
        config = self._config
        missing = frozenset(self._library.by_uri) - self._tree.pages.keys()
        gathered = {brief.page: _gathered_works(config, brief) for brief in self._briefs}
        pages = []
        for brief in self._briefs:
            works = gathered[brief.page]
            page = _check_page(
                config, brief, self._tree, missing, works, read, judge, is_check=is_check
            )
            notes = self._notes or _earlier_notes(brief, self._library, self._runner)
            pages.append(self._as_of_holder(replace(page, notes=notes)))
        return SubmitResult(tuple(pages), gathered=gathered)

    def _as_of_holder(self, page: CheckedPage) -> CheckedPage:
        """Return the page of a runner that holds a lease.

        It began with its claim, and may cite only what it has read.
        """
        lease = self._leases.get((self._plan.slug, self._part.number))
        if lease is None:
            return page
        return refuse_unread(replace(page, started=lease.since), self._config)

    # --- after the check --------------------------------------------------------------------------

    def keep_refusal(self, result: SubmitResult) -> None:
        """Keep why the pages are not accepted. Raises RefusedError and UnwritableError."""
        moment = self._config.clock.stamp()
        for page in result.pages:
            self._attempts.add(page.brief, moment, self._runner, page.findings)

    def is_recorded(self, result: SubmitResult) -> bool:
        """Return whether the pages are committed as they are.

        The drops of this runner and the mark of their PART are committed, too.
        """
        if self._git is None:
            return False
        if not all(_own_drops(brief, self._library, self._runner) for brief in self._briefs):
            return False
        for page in result.pages:
            text = page.draft.text if page.draft else ""
            if text.encode() != self._tree.pages[page.brief.page]:
                return False
            if self._was_changed(page.brief, text):
                return False
        if self._part.state is not _mark_of_pages(result.pages):
            return False
        paths = [str(self._plan.uri)]
        for brief in self._briefs:
            paths += [f"{self._config.docs}/{brief.page}", str(brief.drop)]
        return not self._git.changed(paths)

    def _was_changed(self, brief: Brief, text: str) -> bool:
        """Return whether a page is another than its newest drop says; false without a hash.

        Its runner may have committed the change.
        """
        accepted = find_acceptances(self._library.drops)
        drop = accepted.get((brief.plan.slug, brief.part.number, str(brief.page)))
        return drop is not None and drop.text_sha256 not in {"", fingerprint(text)}

    def end_lease(self) -> None:
        """End the runner's lease, if there is one. Raises RefusedError and UnwritableError."""
        self._book.release(self._plan, self._part, self._runner, self._config.clock.now())

    def record(self, result: SubmitResult) -> RunSummary:
        """Write pages, drops and the mark, commit, and end the runner's lease.

        Meanwhile nobody else can record, or claim the PART.

        Raises:
            ClaimedError: somebody else has claimed the PART while it was checked.
            RefusedError: a page was changed meanwhile, or git is not ready for a commit.
        """
        config = self._config
        finished = config.clock.stamp()
        with (
            open_recorder(config) as recorder,
            self._book.finishing(self._plan, self._part, self._runner, config.clock.now()),
        ):
            # First for all pages: a refusal leaves none of them recorded.
            for page in result.pages:
                self._refuse_changed(page.brief)
            for page in result.pages:
                recorder.record(self._record_of(page, result.pages, finished), self._plan)
            return recorder.finish()

    def _refuse_changed(self, brief: Brief) -> None:
        """Raise RefusedError if a page is not as it was checked."""
        path = self._root / self._config.docs / brief.page
        if not path.is_file() or path.read_bytes() != self._tree.pages[brief.page]:
            defect = f"{self._config.docs}/{brief.page} was changed while it was checked"
            raise store.RefusedError(f"{defect}; run the same command again")

    def _record_of(
        self, page: CheckedPage, pages: tuple[CheckedPage, ...], finished: str
    ) -> Record:
        """Return the record of a page; that of the last one has the PART's mark."""
        brief = page.brief
        refused = self._attempts.read(brief)
        with_history = replace(
            page,
            finished=finished,
            retries=len(refused),
            refusals=tuple(attempt.summary for attempt in refused),
        )
        return compose_record(
            with_history,
            self._runner,
            verdict_on(with_history),
            before=file_sha256(self._root / self._config.docs / brief.page),
            drop_before=file_sha256(self._root / str(brief.drop)),
            mark=_mark_of_pages(pages) if page is pages[-1] else None,
            is_again=brief.part.state in _FINISHED,
        )


def _mark_of_pages(pages: Sequence[CheckedPage]) -> State | None:
    """Return the mark of a PART with these pages."""
    return mark_of_part([verdict_on(page) for page in pages], had_pages=True)


def _earlier_notes(brief: Brief, library: Library, runner: str) -> tuple[str, ...]:
    """Return the notes in the drop of this runner that is replaced; notes of now replace them."""
    drops = {drop.uri: drop for drop in library.drops}
    own = _own_drops(brief, library, runner)
    return read_notes_in_drop(drops[max(own)].body) if own else ()


def _choose_own_drop(brief: Brief, library: Library, runner: str) -> Brief:
    """Return the brief with the drop that this runner left for this page before, to replace it."""
    own = _own_drops(brief, library, runner)
    return replace(brief, drop=max(own)) if own else brief


def _own_drops(brief: Brief, library: Library, runner: str) -> list[DropUri]:
    """Return the drops that this runner left for this page."""
    own = (brief.plan.slug, brief.part.number, str(brief.page), runner)
    return [
        drop.uri for drop in library.drops if (drop.plan, drop.part, drop.page, drop.runner) == own
    ]


def _gathered_works(config: RunConfig, brief: Brief) -> tuple[Source, ...]:
    """Return the works of a page's dossier that have a text."""
    dossier = DossierStore(shared_folder(config.settings.root)).load(brief)
    if dossier is None:
        return ()
    return tuple(source for source in dossier.sources if source.fetched.is_read)


def _check_page(  # noqa: PLR0913, PLR0917 - what a page is checked with
    config: RunConfig,
    brief: Brief,
    tree: Tree,
    missing: frozenset[PageUri],
    works: tuple[Source, ...],
    read: ReadCited,
    judge: Judge | None,
    *,
    is_check: bool,
) -> CheckedPage:
    """Check a page against the works that it cites.

    Args:
        config: the setup of the run.
        brief: the brief of the page.
        tree: the files of the base.
        missing: the pages of plans that are not written yet.
        works: those that were gathered for the page.
        read: reads the works that it cites.
        judge: judges its sentences, if there is one.
        is_check: true if its file stays as it is in any case.
    """
    started = config.clock.stamp()
    by_id = {source.id: source for source in works}
    written = store.decode_page(tree.pages[brief.page], brief.page)
    quoted = _quote_passages(written, brief, works)
    text, defects = _complete_gathered_references(quoted.text, brief, by_id, config)
    draft = Draft(text, "hand")
    sources = _read_works(config.settings, draft, brief, works, read)
    files = frozenset(scan_docs(config.settings).files)
    rules = check_draft(draft, brief, sources, files, missing, works)
    parsed = ParsedDraft(draft, brief, sources, files, missing)
    unanswered = find_unanswered_points(parsed)
    silent = (_unanswered(parsed, point) for point in unanswered)
    faults_of_rules = (*defects, *rules, *find_faults(draft, brief, sources, judge), *silent)
    faults = quoted.findings_on(faults_of_rules)
    findings = (*quoted.problems, *faults)
    lines_added = 0
    if is_check or any(problems.is_blocking(finding) for finding in findings):
        # The file stays as it is, and so do its lines.
        lines_added = read_document(text).lines_above - read_document(written).lines_above
        findings = (*quoted.problems, *move_to_written_lines(faults, written, text))
    doubts = [rule.message for rule in rules if rule.code == problems.MOSTLY_DEDUCED]
    doubt = doubts[0] if doubts else ""
    gaps = (*open_points(parsed), *(f"{point} (no sentence is about it)" for point in unanswered))
    return CheckedPage(
        brief,
        started,
        draft=replace(draft, gaps=gaps, doubt=doubt),
        sources=sources,
        findings=findings,
        quoted=quoted.quotes,
        lines_added=lines_added,
        usage=Usage(sum(source.fetched.requests for source in sources)),
    )


def _quote_passages(text: str, brief: Brief, works: Sequence[Source]) -> QuotedDraft:
    """Return a page with exact quotes in place of the passages that it cites by their numbers."""
    cited = verify.read_cited_references(text, brief.page)
    meant = {work.reference.id: find_gathered(work, works) for work in cited}
    references = {name: work for name, work in meant.items() if work is not None}
    return quote_cited_passages(text, brief, works, references)


def _unanswered(parsed: ParsedDraft, point: str) -> Problem:
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
    text: str, brief: Brief, gathered: Mapping[str, Source], config: RunConfig
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
