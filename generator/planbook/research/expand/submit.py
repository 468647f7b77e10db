"""Submission of a page that a person or another program wrote: checked by the rules, then recorded.

::

    read ─> complete references ─> rules, sentences ─┬─ refused ─> what to change
                                                     └─ accepted ─> page, drop, mark, commit

Attempts that are refused are kept. Only recording holds the lock: several runners may have their
pages checked at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from planbook import problems, store
from planbook.citations.completion import with_completed
from planbook.library import Library, link_tree
from planbook.markdown.front_matter import FrontMatterError
from planbook.model import DropUri, PageUri, Problem, State, Tree
from planbook.research.claims import LeaseBook, check_unclaimed
from planbook.research.drafts import Brief, Draft, SentenceProblem, Source, Usage
from planbook.research.evidence import selection
from planbook.research.evidence.brief import quotable_text
from planbook.research.evidence.dossier import DossierStore, PassageIndex
from planbook.research.evidence.rank import PointQuery, rank
from planbook.research.expand import events
from planbook.research.expand.attempts import AttemptLog
from planbook.research.expand.claimed import find_gathered, is_at_place, refuse_unread
from planbook.research.expand.config import RunConfig
from planbook.research.expand.drop import notes_in_drop
from planbook.research.expand.recorder import (
    RunSummary,
    check_files,
    compose_record,
    file_sha256,
    open_recorder,
)
from planbook.research.expand.unanswered import unanswered_points
from planbook.research.expand.worker import find_faults, is_read
from planbook.research.git import Git, find_git, shared_folder
from planbook.research.proof import verify
from planbook.research.proof.draft_rules import check_draft
from planbook.research.proof.ground_rules import open_points
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import Judge, find_missing, words_in_message
from planbook.research.web import archive, model
from planbook.research.writers.quoting import source_item
from planbook.store.settings import scan_docs

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


@dataclass(frozen=True)
class SubmitResult:
    """The result of submitting the pages of a PART."""

    pages: tuple[events.Result, ...]
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

    def _changes(self, is_wanted: Callable[[Problem], bool]) -> Iterable[Change]:
        """Yield the wanted findings, each with the passage that is nearest to what it is about."""
        for page in self.pages:
            index = PassageIndex(self._cited_and_gathered(page), has_change_logs=True)
            findings = [finding for finding in page.findings if is_wanted(finding)]
            for finding in sorted(findings, key=lambda one: (one.line, one.code)):
                yield Change(finding, _nearest_passage(index, finding))

    def _cited_and_gathered(self, page: events.Result) -> tuple[Source, ...]:
        """Return the works that a page cites, and those that were gathered for it."""
        cited = {source.id for source in page.sources}
        gathered = self.gathered.get(page.job.brief.page, ())
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
    near = [one.excerpt for one in ranked[:_MOST_COMPARED]]
    if not near:
        return None
    own = [excerpt for excerpt in near if excerpt.source in cited]
    best = (own or near)[0]
    if missing:
        # Any work has a number somewhere; a name that a sentence cites wrongly tells where it is.
        is_about_number = finding.code == "D048" and bool(own)
        candidates = own if is_about_number else [*own, *near]
        wanted = " ".join(f"`{word}`" for word in missing)
        for excerpt in candidates:
            if not find_missing(wanted, [excerpt.text, excerpt.term, *excerpt.headings]):
                best = excerpt
                break
    return index.id_of(best), quotable_text(best)


_ON_QUOTES = frozenset({"D040", "D043"})
"""Findings that repeat a quote or a line of code."""


def submit(  # noqa: PLR0913 - what a person's page needs
    config: RunConfig,
    plan_name: str,
    number: int,
    read: ReadCited,
    *,
    author: str,
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
        author: the author's name for the drop.
        judge: judges sentences against the quotes that they cite, if there is one.
        notes: lines of the author for the drop.
        is_check: true to check only: nothing is written, no try is kept, and no claim refuses it.

    Raises:
        NotFoundError: there is no such plan or PART.
        ClaimedError: somebody else has claimed the PART.
        RefusedError: a page is missing or changed meanwhile, or nothing can be recorded here.
    """
    tree = store.read_tree(config.settings)
    library = link_tree(tree, config.calls)
    briefs = tuple(
        _with_own_drop(brief, library, author)
        for brief in selection.briefs_of(library, plan_name, number, config.clock.now())
    )
    plan, part = briefs[0].plan, briefs[0].part
    paths = tuple(f"{config.docs}/{brief.page}" for brief in briefs)
    for brief, path in zip(briefs, paths, strict=True):
        if brief.page not in tree.pages:
            how = f"write it first (`planbook brief {plan_name} {number}`)"
            raise store.RefusedError(f"{path} does not exist; {how}")
    # The author may have staged the page or the plan: both belong to the commit.
    config = replace(config, may_be_staged=(*paths, str(plan.uri)))
    book = LeaseBook(config.settings.root)
    now = config.clock.now()
    leases = book.current(now)
    if not is_check:
        check_unclaimed(leases, plan, part, author)
    git = find_git(config.settings.root) if config.commit else None
    usable = git if isinstance(git, Git) else None
    check_files(config, usable, briefs, library)

    missing = frozenset(library.by_uri) - tree.pages.keys()
    gathered = {brief.page: _gathered_works(config, brief) for brief in briefs}
    pages = tuple(
        replace(
            _check_page(config, brief, tree, missing, gathered[brief.page], read, judge),
            notes=notes or _earlier_notes(brief, library, author),
        )
        for brief in briefs
    )
    lease = leases.get((plan.slug, number))
    if lease is not None:  # a runner, which began when it claimed the PART
        pages = tuple(replace(page, job=replace(page.job, started=lease.since)) for page in pages)
        pages = tuple(refuse_unread(page, config) for page in pages)
    result = SubmitResult(pages, is_check=is_check, gathered=gathered)
    if is_check:
        return result
    attempts = AttemptLog(shared_folder(config.settings.root))
    if not result.is_accepted:
        for page in pages:
            attempts.add(page.job.brief, config.clock.stamp(), author, page.findings)
        return result
    if not notes and usable and _is_recorded(pages, tree, library, usable, config, author):
        result = replace(result, is_unchanged=True)
    else:
        result = replace(result, summary=_record_pages(config, pages, tree, author, attempts))
    book.release(plan, part, author, now)
    return result


def _is_recorded(  # noqa: PLR0913, PLR0917 - what is compared
    pages: Sequence[events.Result],
    tree: Tree,
    library: Library,
    git: Git,
    config: RunConfig,
    author: str,
) -> bool:
    """Return whether the pages are committed as they are.

    The drops of this author and the mark of their PART are committed, too.
    """
    briefs = [page.job.brief for page in pages]
    if not all(_own_drops(brief, library, author) for brief in briefs):
        return False
    for page in pages:
        text = page.draft.text if page.draft else ""
        if text.encode() != tree.pages[page.job.brief.page]:
            return False
    last = replace(pages[-1], finished=config.clock.stamp())
    mark = compose_record(last, author).mark or State.DONE
    if briefs[-1].part.state is not mark:
        return False
    paths = [str(briefs[0].plan.uri)]
    for brief in briefs:
        paths += [f"{config.docs}/{brief.page}", str(brief.drop)]
    return not git.changed(paths)


def _earlier_notes(brief: Brief, library: Library, author: str) -> tuple[str, ...]:
    """Return the notes in the drop of this author that is replaced; notes of now replace them."""
    drops = {drop.uri: drop for drop in library.drops}
    own = _own_drops(brief, library, author)
    return notes_in_drop(drops[max(own)].body) if own else ()


def _with_own_drop(brief: Brief, library: Library, author: str) -> Brief:
    """Return the brief with the drop that this author left for this page before, to replace it."""
    own = _own_drops(brief, library, author)
    return replace(brief, drop=max(own)) if own else brief


def _own_drops(brief: Brief, library: Library, author: str) -> list[DropUri]:
    """Return the drops that this author left for this page."""
    own = (brief.plan.slug, brief.part.number, str(brief.page), author)
    return [
        drop.uri for drop in library.drops if (drop.plan, drop.part, drop.page, drop.runner) == own
    ]


def _record_pages(
    config: RunConfig,
    pages: tuple[events.Result, ...],
    tree: Tree,
    author: str,
    attempts: AttemptLog,
) -> RunSummary:
    """Write pages, drops and the mark, and commit, while holding the lock. Raises RefusedError."""
    root = config.settings.root
    finished = config.clock.stamp()
    with open_recorder(config) as recorder:
        for page in pages:
            brief = page.job.brief
            path = root / config.docs / brief.page
            if not path.is_file() or path.read_bytes() != tree.pages[brief.page]:
                what = f"{config.docs}/{brief.page} was changed while it was checked"
                raise store.RefusedError(f"{what}; run the same command again")
            refused = attempts.read(brief)
            with_history = replace(
                page,
                finished=finished,
                retries=len(refused),
                refusals=tuple(attempt.summary for attempt in refused),
            )
            made = compose_record(with_history, author)
            is_last = brief is pages[-1].job.brief
            record = replace(
                made,
                before=file_sha256(path),
                drop_before=file_sha256(root / str(brief.drop)),
                mark=(made.mark or State.DONE) if is_last else None,
                is_again=brief.part.state in _FINISHED,
            )
            recorder.record(record, brief.plan)
        return recorder.finish()


def _gathered_works(config: RunConfig, brief: Brief) -> tuple[Source, ...]:
    """Return the works of a page's dossier that have a text."""
    dossier = DossierStore(shared_folder(config.settings.root)).load(brief)
    if dossier is None:
        return ()
    return tuple(source for source in dossier.sources if is_read(source.fetched))


def _check_page(  # noqa: PLR0913, PLR0917 - what a page is checked with
    config: RunConfig,
    brief: Brief,
    tree: Tree,
    missing: frozenset[PageUri],
    works: tuple[Source, ...],
    read: ReadCited,
    judge: Judge | None,
) -> events.Result:
    """Check a page against the works that it cites.

    Args:
        config: the setup of the run.
        brief: the brief of the page.
        tree: the files of the base.
        missing: the pages of plans that are not written yet.
        works: those that were gathered for the page.
        read: reads the works that it cites.
        judge: judges its sentences, if there is one.
    """
    job = events.Job(0, brief, config.clock.stamp())
    by_id = {source.id: source for source in works}
    written = store.decode_page(tree.pages[brief.page], brief.page)
    text, wrong = _with_completed_references(written, brief, by_id, config)
    draft = Draft(text, "hand")
    sources = _read_works(config.settings, draft, brief, works, read)
    files = frozenset(scan_docs(config.settings).files)
    rules = check_draft(draft, brief, sources, files, missing, works)
    parsed = ParsedDraft(draft, brief, sources, files, missing)
    unanswered = unanswered_points(parsed)
    silent = (_unanswered(parsed, point) for point in unanswered)
    findings = (*wrong, *rules, *find_faults(draft, brief, sources, judge), *silent)
    doubt = next((finding.message for finding in rules if finding.code == "D053"), "")
    gaps = (*open_points(parsed), *(f"{point} (no sentence is about it)" for point in unanswered))
    return events.Result(
        job,
        events.JobOutcome.DONE,
        draft=replace(draft, gaps=gaps, doubt=doubt),
        sources=sources,
        findings=findings,
        usage=Usage(sum(source.fetched.requests for source in sources)),
    )


def _unanswered(parsed: ParsedDraft, point: str) -> Problem:
    """Return the warning about a point of the plan that a page seems to leave out."""
    what = f"no sentence has the words of the point “{point}”"
    return parsed.problem("D058", f"{what}; answer it, or say that the works do not *(not found)*")


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
        fetched = None if cited in known else _read_answer(settings, cited, answers)
        # What was gathered is what the quotes are from if its place cannot be read now.
        is_usable = cited in known or not cited.file
        if fetched is None and work and is_usable:
            fetched = work.fetched
        if fetched:
            sources.append(Source(cited.reference.id, fetched))
    return tuple(sources)


def _read_answer(
    settings: store.Settings, cited: verify.CitedReference, answers: verify.Answers
) -> model.Fetched | None:
    """Return the text of a work, from the answers or as it was stored; ``None`` without one."""
    fetched = next(iter(cited.find(answers)), None) or _stored_text(settings, cited)
    if fetched is None or not is_read(fetched) or cited.file_defect(answers):
        return None
    return fetched


def _with_completed_references(
    text: str, brief: Brief, gathered: Mapping[str, Source], config: RunConfig
) -> tuple[str, tuple[Problem, ...]]:
    """Return a page with its references to gathered works completed, and what prevents it."""
    day = config.clock.now().date()
    items = {name: source_item(source, {}, day) for name, source in gathered.items()}
    try:
        return with_completed(text, items), ()
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
