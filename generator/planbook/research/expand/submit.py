"""Submission of a page that a person or another program wrote: checked by the rules, then recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from planbook import problems, store
from planbook.library import link_tree
from planbook.model import PageUri, State, Tree
from planbook.research.drafts import Brief, Draft, Source, Usage
from planbook.research.evidence import selection
from planbook.research.expand import events
from planbook.research.expand.config import RunConfig
from planbook.research.expand.recorder import RunSummary, check_files, file_sha256, open_recorder, record_result
from planbook.research.expand.worker import find_faults, is_read
from planbook.research.proof import verify
from planbook.research.proof.draft_rules import check_draft
from planbook.research.proof.sentences import Judge
from planbook.research.web import archive, model
from planbook.store.settings import files_below

Read = Callable[[Iterable[verify.Claim]], verify.Answers]
"""Returns the documents that a page cites, without those that are not stored if hosts must not be asked."""


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """The result of submitting the pages of a PART."""

    pages: tuple[events.Result, ...]
    """Each page, with the works that it cites and the findings of the rules."""
    summary: RunSummary = field(default_factory=RunSummary)

    @property
    def is_accepted(self) -> bool:
        """True if all pages pass all rules; otherwise nothing was written."""
        return not any(problems.is_blocking(finding) for page in self.pages for finding in page.findings)


def submit(  # noqa: PLR0913 - what a person's page needs
    config: RunConfig, plan_name: str, number: int, read: Read, *, author: str, judge: Judge | None = None
) -> SubmitResult:
    """Check the pages of a PART and, if all of them are accepted, record them.

    Args:
        config: the setup of the run.
        plan_name: the plan's path, slug or file name.
        number: the PART's number.
        read: reads the works that the pages cite.
        author: the author's name for the drop.
        judge: judges sentences against the quotes that they cite, if there is one.

    Raises:
        NotFoundError: there is no such plan or PART.
        RefusedError: a page is missing, or the run cannot begin.
    """
    tree = store.read_tree(config.settings)
    library = link_tree(tree, config.calls)
    briefs = selection.briefs_of(library, plan_name, number, config.clock.time())
    paths = tuple(f"{config.docs}/{brief.page}" for brief in briefs)
    for brief, path in zip(briefs, paths, strict=True):
        if brief.page not in tree.pages:
            raise store.RefusedError(f"{path} does not exist; write it first (`planbook brief {plan_name} {number}`)")
    # The author may have staged the page or the plan: both belong to the commit.
    config = replace(config, may_be_staged=(*paths, str(briefs[0].plan.uri)))
    with open_recorder(config) as recorder:
        check_files(config, recorder.git, briefs, library)
        missing = frozenset(library.by_uri) - tree.pages.keys()
        result = SubmitResult(tuple(_check(config, brief, tree, missing, read, judge) for brief in briefs))
        if not result.is_accepted:
            return result
        finished = config.clock.now()
        for brief, path, page in zip(briefs, paths, result.pages, strict=True):
            before, mark = file_sha256(config.settings.root / path), State.DONE if brief is briefs[-1] else None
            record = replace(record_result(replace(page, finished=finished), author), before=before, mark=mark)
            recorder.record(record, brief.plan)
        return replace(result, summary=recorder.finish())


def _check(  # noqa: PLR0913, PLR0917 - what a page is checked with
    config: RunConfig, brief: Brief, tree: Tree, missing: frozenset[PageUri], read: Read, judge: Judge | None
) -> events.Result:
    """Check a page against the works that it cites; `missing` are pages of plans that are not written yet."""
    job, settings = events.Job(0, brief, config.clock.now()), config.settings
    draft = Draft(store.decode_page(tree.pages[brief.page], brief.page), "hand")
    claims = verify.read_claims(draft.text, brief.page)
    answers = read(claims)
    found = ((claim, next(iter(claim.find(answers)), None) or _stored(settings, claim)) for claim in claims)
    sources = tuple(
        Source(claim.reference.id, fetched)
        for claim, fetched in found
        if fetched and is_read(fetched) and not claim.file_defect(answers)
    )
    files = frozenset(files_below(settings.root / settings.docs_dir, ""))
    findings = (*check_draft(draft, brief, sources, files, missing), *find_faults(draft, brief, sources, judge))
    usage = Usage(sum(source.fetched.requests for source in sources))
    return events.Result(job, events.JobOutcome.DONE, draft=draft, sources=sources, findings=findings, usage=usage)


def _stored(settings: store.Settings, claim: verify.Claim) -> model.Fetched | None:
    """Return the stored text of a work without an address."""
    text = "" if claim.url else archive.stored_text(settings.root, claim.sha256 or "")
    return model.Fetched("", model.Outcome.OK, text=text, visible=text) if text else None
