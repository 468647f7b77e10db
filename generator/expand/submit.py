"""Submission of a page that a person or another program wrote: checked by the rules, then recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from generator.drafts import Brief, Draft, Source
from generator.expand.briefs import briefs_of
from generator.expand.options import RunConfig
from generator.expand.preflight import check_files
from generator.expand.record import file_sha256, make_record
from generator.expand.recorder import Recorder, RunSummary, open_recorder
from generator.expand.worker import is_read
from generator.library import link_tree
from generator.model import PageUri, Problem, State, Tree
from generator.problems import is_blocking
from generator.research.drop import Attempt
from generator.research.verify import Answers, Claim, read_claims
from generator.rules.draft import check_draft
from generator.store import RefusedError, Settings, decode_page, read_tree, read_work
from generator.store.tree import files_below
from generator.web.archive import text_name
from generator.web.model import Fetched, Outcome

Read = Callable[[Iterable[Claim]], Answers]
"""Returns the documents that a page cites, without those that are not stored if hosts must not be asked."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submitted page and the findings of the rules."""

    brief: Brief
    text: str
    sources: tuple[Source, ...]
    """The works that it cites, if they could be read."""
    findings: tuple[Problem, ...]

    @property
    def is_accepted(self) -> bool:
        """True if it passes all rules."""
        return not any(is_blocking(finding) for finding in self.findings)


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """The result of submitting the pages of a PART."""

    submissions: tuple[Submission, ...]
    troubles: tuple[str, ...] = ()
    summary: RunSummary = field(default_factory=RunSummary)

    @property
    def is_accepted(self) -> bool:
        """True if all pages are accepted; otherwise nothing was written."""
        return all(submission.is_accepted for submission in self.submissions)


def submit(config: RunConfig, plan_name: str, number: int, read: Read, author: str) -> SubmitResult:
    """Check the pages of a PART and, if all of them are accepted, record them.

    Args:
        config: the setup of the run.
        plan_name: the plan's path, slug or file name.
        number: the PART's number.
        read: reads the works that the pages cite.
        author: the author's name for the drop.

    Raises:
        NotFoundError: there is no such plan or PART.
        RefusedError: a page is missing, or the run cannot begin.
    """
    tree = read_tree(config.settings)
    library = link_tree(tree)
    briefs = briefs_of(library, tree.pages, plan_name, number, config.clock.time())
    paths = tuple(f"{config.docs}/{brief.page}" for brief in briefs)
    for brief, path in zip(briefs, paths, strict=True):
        if brief.page not in tree.pages:
            raise RefusedError(f"{path} does not exist; write it first (`planbook brief {plan_name} {number}`)")
    # The author may have staged the page or the plan: both belong to the commit.
    config = replace(config, may_be_staged=(*paths, str(briefs[0].plan.uri)))
    with open_recorder(config) as recorder:
        check_files(config, recorder.git, briefs, library)
        started = config.clock.now()
        missing = frozenset(library.by_uri) - tree.pages.keys()
        submissions = tuple(_check(config.settings, brief, tree, missing, read) for brief in briefs)
        if not all(submission.is_accepted for submission in submissions):
            return SubmitResult(submissions)
        troubles = []
        for submission in submissions:
            mark = State.DONE if submission is submissions[-1] else None
            troubles.append(_record(recorder, submission, author, started, mark))
        return SubmitResult(submissions, tuple(filter(None, troubles)), recorder.finish())


def _check(settings: Settings, brief: Brief, tree: Tree, missing: frozenset[PageUri], read: Read) -> Submission:
    """Check a page against the works that it cites; `missing` are pages of plans that are not written yet."""
    text = decode_page(tree.pages[brief.page], brief.page)
    sources = []
    claims = read_claims(text, brief.page)
    answers = read(claims)
    for claim in claims:
        fetched = next(iter(claim.find(answers)), None) or _stored(settings, claim)
        if fetched is not None and is_read(fetched):
            sources.append(Source(claim.reference.id, fetched))
    files = frozenset(files_below(settings.root / settings.docs_dir, ""))
    findings = check_draft(Draft(text, "hand"), brief, sources, files, missing)
    return Submission(brief, text, tuple(sources), findings)


def _stored(settings: Settings, claim: Claim) -> Fetched | None:
    """Return the stored text of a work without an address."""
    raw = read_work(settings.root, text_name(claim.sha256)) if claim.sha256 and not claim.url else None
    text = raw.decode("utf-8", errors="replace") if raw else ""
    return Fetched("", Outcome.OK, text=text, visible=text) if text else None


def _record(recorder: Recorder, submission: Submission, author: str, started: str, mark: State | None) -> str | None:
    brief, config = submission.brief, recorder.config
    finished = config.clock.now()
    attempt = Attempt(
        brief=brief,
        runner=author,
        started=datetime.fromisoformat(started),
        finished=datetime.fromisoformat(finished),
        outcome="done",
        draft=Draft(submission.text, "hand"),
        sources=submission.sources,
        findings=submission.findings,
        requests=sum(source.fetched.requests for source in submission.sources),
    )
    before = file_sha256(config.settings.root / config.docs / brief.page)
    record = replace(make_record(attempt), before=before, mark=mark)
    row, _ = recorder.begin(brief, f"by hand {finished}")
    return recorder.record(row, record, brief.plan)
