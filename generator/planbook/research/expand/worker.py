"""A worker: one page, stage by stage.

It writes answers to the archive, the dossier, and nothing else.
"""

from __future__ import annotations

import math
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from threading import Lock
from typing import TypeVar
from urllib.parse import urlsplit

from planbook.citations.identifiers import work_key
from planbook.markdown.plain_text import count, plain_text
from planbook.markdown.words import unique_words
from planbook.model import Problem, Query
from planbook.problems import is_blocking, requirement
from planbook.research.drafts import Brief, Draft, Evidence, Source, Usage
from planbook.research.evidence.dossier import Dossier, UnreadWork
from planbook.research.evidence.source_list import make_sources
from planbook.research.evidence.subject import subject_words
from planbook.research.expand.cancellation import StoppedError
from planbook.research.expand.jobs import BaseAtStart, Job, JobOutcome, Result, job_event
from planbook.research.expand.reading_list import ReadingList, find_linked_files
from planbook.research.proof.draft_rules import check_draft
from planbook.research.recording.clock import Clock
from planbook.research.recording.events import EventHandler
from planbook.research.recording.page_attempt import PageAttempt
from planbook.research.search.api_answers import Hit, Searched
from planbook.research.search.chain import (
    PLAN,
    CircuitState,
    queries_of,
    rank_works,
    search_all,
    search_plan,
)
from planbook.research.search.provider import Provider
from planbook.research.web.client import read_by_host
from planbook.research.web.doubts import add_doubts
from planbook.research.web.model import Ask, Call, Fetched, Outcome, Reply
from planbook.research.writers import Unwritten
from planbook.research.writers.judge import find_faults, judge
from planbook.research.writers.llm_api import ModelClient
from planbook.store.files import UnwritableError
from planbook.store.options import LOCAL

T = TypeVar("T")

Write = Callable[[Brief, Sequence[Source], Sequence[Evidence], date, Sequence[Problem]], Draft]
"""Writes a page with the given date; the findings are those on its previous draft."""

_LOCAL_PER_SOURCE = 6
"""Maximum number of local documents to read per document of the web: they cost no request."""
_MAX_LINKED = 20
"""Maximum number of documents to read because others link to them."""
_HITS_PER_POINT = 3
"""Number of results for a point, relative to those that a query needs: some are on other products.
"""
_READ_PER_POINT = 1.5
"""Number of them that are read, relative to the same."""
LINKS = "links of these documents"
"""The query in whose place links led to documents."""
_MAX_HOSTS = 4
"""Number of hosts from which one worker fetches documents at the same time."""
_MAX_DRAFTS = 2
"""Maximum number of drafts: a writer may correct what the rules found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerConnections:
    """The ways to searches, documents and models."""

    providers: Callable[[Ask], Sequence[Provider]]
    """Returns the search providers in the order in which to ask them."""
    ask: Ask
    """Calls an API."""
    fetch: Callable[[str], Fetched]
    """Requests the document at an address."""
    read_local: Callable[[str], tuple[str, Fetched] | None] = lambda url: None
    """Returns the local copy of the document at an address, with the name of its place; ``None`` if
    there is none."""
    open_judge: Callable[[], ModelClient | None] = lambda: None
    """Returns the model that judges the sentences of a program's page, if there is one."""
    circuits: CircuitState = field(default_factory=CircuitState)
    unavailable: Sequence[tuple[str, str]] = ()
    """The configured providers that cannot be used, by name, and what each lacks."""
    set_process_count: Callable[[int], None] = lambda processes: None
    """Sets the number of processes that request from the same hosts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """The number of works of a page."""

    min_results: int = 8
    """Number of results that a query needs; with fewer, the next provider is asked."""
    max_documents: int = 12
    """Number of documents of the web to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReporting:
    """The ways by which workers tell the run something, and by which it stops them."""

    emit: EventHandler
    """Receives the worker's events."""
    spend: Callable[[Usage], None]
    """Receives the cost of each step."""
    raise_if_stopped: Callable[[], None]
    """Raises StoppedError if the run is cancelled."""
    store_dossier: Callable[[Dossier], object] = lambda dossier: None
    """Stores what was gathered for a page, for whoever reads its brief next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerContext:
    """The connections and settings that all workers of a process share."""

    connections: WorkerConnections
    reporting: WorkerReporting
    write: Write
    base: BaseAtStart
    clock: Clock = field(default_factory=Clock)
    limits: WorkerLimits = field(default_factory=WorkerLimits)


class FailedError(Exception):
    """There will be no page; the message says why."""


class UnreachedError(FailedError):
    """The model or program that writes could not be reached, which is not the PART's fault."""


def own_folder_first(
    searched: Iterable[Searched], subject: Collection[str]
) -> tuple[Searched, ...]:
    """Return searches of local documents with those in a folder named like the subject first.

    A point of the plan does not name the product that it is about: the manuals of four products
    in one folder have a page on upgrades each.

    Args:
        searched: the searches.
        subject: the words for what the page is about, in lower case.
    """
    sorted_searches = []
    for search in searched:
        hits = search.hits
        if search.provider == LOCAL:
            hits = tuple(sorted(hits, key=lambda hit: not _is_in_folder_of(hit, subject)))
        sorted_searches.append(replace(search, hits=hits))
    return tuple(sorted_searches)


def _is_in_folder_of(hit: Hit, subject: Collection[str]) -> bool:
    """Return whether a folder of a document is named like the subject."""
    folders = urlsplit(hit.url).path.rpartition("/")[0]
    return not frozenset(unique_words(folders)).isdisjoint(subject)


def run_job(job: Job, context: WorkerContext) -> Result:
    """Return the result of a job. An error in Planbook is a failure, with its traceback.

    Raises:
        UnwritableError: the disk is full, for example. This is not the PART's fault: it keeps its
            mark.
    """
    return _Worker(job, context).run()


def gather_page(job: Job, context: WorkerContext) -> Dossier:
    """Search and fetch for a page, and return its dossier, without writing the page.

    Raises:
        StoppedError: the run is cancelled.
    """
    return _Worker(job, context).gather()


class _Worker:
    """The state of one job."""

    def __init__(self, job: Job, context: WorkerContext) -> None:
        self._job, self._brief = job, job.brief
        self._context = context
        self._page = PageAttempt(job.brief, job.started)
        self._usage = Usage()
        self._stage_usage = Usage()
        self._spending = Lock()
        self._has_answer = False
        """True once any host or provider has answered."""

    def run(self) -> Result:
        """Return the result."""
        try:
            self._run_stages()
        except StoppedError as error:
            return self._end_job(JobOutcome.STOPPED, str(error))
        except FailedError as error:
            is_reached = self._has_answer and not isinstance(error, UnreachedError)
            outcome = JobOutcome.FAILED if is_reached else JobOutcome.UNREACHED
            return self._end_job(outcome, str(error))
        except UnwritableError:
            raise
        except Exception as error:  # noqa: BLE001 - an error at one page must not end the others
            reason = f"an internal error: {type(error).__name__}: {error}"
            return self._end_job(JobOutcome.FAILED, reason, traceback.format_exc())
        return self._end_job(JobOutcome.DONE)

    def _end_job(self, outcome: JobOutcome, reason: str = "", trace: str = "") -> Result:
        """Return the result of the job: the page as far as it came, and why it is no further."""
        finished = self._context.clock.stamp()
        page = replace(self._page, reason=reason, usage=self._usage, finished=finished)
        return Result(self._job, outcome, page, trace)

    def _run_stages(self) -> None:
        """Search, fetch, extract, compose and check. Raises FailedError."""
        searched = self._stage("search", self._search)
        self._page = replace(self._page, searched=searched)
        answered = [search for search in searched if search.outcome is not Outcome.FAILED]
        self._has_answer |= any(search.provider != PLAN for search in answered)
        if not any(search.hits for search in searched):
            why = describe_searches(searched, self._context.connections.unavailable)
            raise FailedError(f"nothing was found: {why}")
        sources, evidence = self._read_sources(searched)
        self._write_page(sources, evidence)

    def _read_sources(
        self, searched: tuple[Searched, ...]
    ) -> tuple[tuple[Source, ...], tuple[Evidence, ...]]:
        """Return the documents that could be read, and the evidence in them. Raises FailedError."""
        searched, fetched = self._fetch(searched)
        dossier = self._dossier(searched, fetched)
        self._context.reporting.store_dossier(dossier)
        sources = dossier.sources
        used = {source.fetched.url for source in sources}
        # The others have no ids; the report names them.
        unused = [Source("", document) for document in fetched if document.url not in used]
        self._page = replace(self._page, searched=searched, sources=(*sources, *unused))
        for document in fetched:
            self._has_answer |= document.is_read or document.status_code is not None
        if not sources:
            reasons = _count_outcomes(_reason_of_unread(document) for document in fetched)
            raise FailedError(f"no source could be read: {reasons}")
        evidence = self._stage("extract", lambda: dossier.evidence)
        if not any(of_point.is_found for of_point in evidence):
            raise FailedError(f"no passage of {len(sources)} sources matches the outline")
        return sources, evidence

    def _write_page(self, sources: Sequence[Source], evidence: Sequence[Evidence]) -> None:
        """Let the writer write the page, and correct what the rules found. Raises FailedError."""
        findings: tuple[Problem, ...] = ()
        for retries in range(_MAX_DRAFTS):
            compose = partial(self._compose, sources, evidence, findings)
            draft = self._stage("compose", compose)
            if self._page.draft == draft:  # it cannot do better
                break
            findings = self._stage("rules", partial(self._check_draft, draft, sources))
            self._page = replace(self._page, draft=draft, findings=findings, retries=retries)
            if not any(is_blocking(finding) for finding in findings):
                return
        # The loop ends here only if the findings of the last draft have some.
        first, *later_findings = [finding for finding in findings if is_blocking(finding)]
        and_others = f", and {len(later_findings)} more" if later_findings else ""
        raise FailedError(f"{requirement(first)}: {first.message} (line {first.line}){and_others}")

    def gather(self) -> Dossier:
        """Return the works that are found and read."""
        searched = self._stage("search", self._search)
        return self._dossier(*self._fetch(searched))

    def _fetch(
        self, searched: Sequence[Searched]
    ) -> tuple[tuple[Searched, ...], Sequence[Fetched]]:
        """Fetch what was found; return all searches and documents, and report doubtful ones."""
        further, documents = self._stage("fetch", partial(self._read_candidates, searched))
        fetched = add_doubts(documents)
        for document in fetched:
            if document.doubt:
                message = f"{document.url} is doubtful and not quoted: {document.doubt}"
                self._context.reporting.emit(job_event(self._job, "Message", message))
        return (*searched, *further), fetched

    def _dossier(self, searched: Sequence[Searched], fetched: Sequence[Fetched]) -> Dossier:
        """Return the dossier of what was found and read."""
        sources = make_sources(fetched, rank_works(searched))
        used = {source.fetched.url for source in sources}
        unread = tuple(
            UnreadWork(document.url, document.outcome, document.reason)
            for document in fetched
            if not document.is_usable and document.url not in used
        )
        return Dossier(self._brief, self._context.clock.stamp(), sources, tuple(searched), unread)

    def _stage(self, stage: str, work: Callable[[], T]) -> T:
        """Run a stage, whose name is part of the log."""
        self._context.reporting.raise_if_stopped()
        self._context.reporting.emit(job_event(self._job, "StageStarted", stage=stage))
        self._stage_usage = Usage()
        value = work()
        usage = self._stage_usage
        message = stage
        if usage.requests:
            message += f", {count(usage.requests, 'request')}"
        if usage.tokens:
            message += f", {count(usage.tokens, 'token')}"
        event = job_event(self._job, "StageFinished", message, stage=stage, usage=usage)
        self._context.reporting.emit(event)
        return value

    # --- search -----------------------------------------------------------------------------------

    def _search(self) -> tuple[Searched, ...]:
        """Return the plan's addresses and the providers' results."""
        # Local documents are searched for each point: what answers one may not be about the page's
        # title.
        asked = self._context.connections.providers(self._ask)
        local = [provider for provider in asked if provider.name == LOCAL]
        points = (point for section in self._brief.outline for point in section.points)
        queries = [Query("web", plain_text(point)) for point in dict.fromkeys(points)]
        of_points = search_all(
            local,
            queries,
            _HITS_PER_POINT * self._context.limits.min_results,
            self._context.connections.circuits,
        )
        searched = (search_plan(self._brief.part), *self._search_further(()), *of_points)
        return own_folder_first(searched, subject_words(self._brief))

    def _search_further(
        self, searched: Sequence[Searched], unread: Collection[str] = ()
    ) -> tuple[Searched, ...]:
        """Ask the next providers, for queries with too few results.

        Results that could not be read do not count.
        """
        return search_all(
            self._context.connections.providers(self._ask),
            queries_of(self._brief.part),
            self._context.limits.min_results,
            self._context.connections.circuits,
            earlier=searched,
            unread=unread,
        )

    def _ask(self, call: Call) -> Reply:
        self._announce(urlsplit(call.url).hostname or "")
        reply = self._context.connections.ask(call)
        self._has_answer |= reply.status_code is not None
        self._spend(Usage(reply.requests))
        # A request interrupted by a cancellation is not an answer.
        self._context.reporting.raise_if_stopped()
        return reply

    # --- fetch ------------------------------------------------------------------------------------

    def _read_candidates(
        self, searched: Sequence[Searched]
    ) -> tuple[tuple[Searched, ...], tuple[Fetched, ...]]:
        """Read the best candidates until there are enough documents.

        Return further searches and all fetches.

        Documents of the local folder are read first, then those beside them to which they link;
        none is counted. A candidate that cannot be read, or is a duplicate, is replaced by the next
        one of its search; if a search has no more, the next provider is asked. No address is
        requested twice.
        """
        reading = ReadingList(searched, self._context.limits.max_documents)
        self._read_local_documents(reading)
        reading.wanted += len(reading.read)
        while not reading.is_complete:
            urls = reading.candidates(self._context.limits.min_results)
            if not urls:
                further = self._search_further(reading.searched, reading.unread)
                if not further:
                    break
                reading.further += further
            self._read_in_batches(reading, urls)
        return reading.further, tuple(reading.fetched)

    def _read_in_batches(self, reading: ReadingList, urls: Sequence[str]) -> None:
        """Read addresses, the best first, until there are enough documents."""
        while urls and not reading.is_complete:
            # At least so many must be read, so their hosts may be asked at the same time.
            n = min(reading.wanted - len(reading.read), reading.remaining_tries)
            for url, fetched in zip(urls[:n], self._read_all(urls[:n]), strict=True):
                reading.add(url, fetched)
                # An address that is refused without a request does not count.
                if fetched.requests > 0 or fetched.outcome is not Outcome.REFUSED:
                    reading.remaining_tries -= 1
            urls = urls[n:]

    def _read_local_documents(self, reading: ReadingList) -> None:
        """Read the documents of the local folder, then those to which they link."""
        most = _LOCAL_PER_SOURCE * self._context.limits.max_documents
        of_folder = (search for search in reading.searched if search.provider == LOCAL)
        per_search = math.ceil(_READ_PER_POINT * self._context.limits.min_results)
        best = rank_works(of_folder, per_search)[:most]
        urls = [candidate.url for candidate in best]
        reading.add_local(urls, self._read_all(urls))
        reading.unread = reading.tried - {work_key(document.url) for document in reading.read}
        links = find_linked_files(reading.read)
        linked = [url for url in links if self._has_local_copy(url)][:_MAX_LINKED]
        if linked:
            reading.add_local(linked, self._read_all(linked))
            hits = tuple(Hit(url, "") for url in linked)
            reading.further += (Searched(Query("web", LINKS), LOCAL, Outcome.OK, hits),)

    def _has_local_copy(self, url: str) -> bool:
        """Return whether the local folder has a document that can be read at this address."""
        local_copy = self._context.connections.read_local(url)
        return local_copy is not None and local_copy[1].is_read

    def _read_all(self, urls: Sequence[str]) -> list[Fetched]:
        """Return the documents in this order.

        Several hosts are asked at the same time, each for one after another.
        """
        by_url = dict(read_by_host(urls, self._read, _MAX_HOSTS))
        return [by_url[url] for url in urls]

    def _read(self, url: str) -> Fetched:
        """Return the document at an address: a local copy, or what its host answers."""
        local_copy = self._context.connections.read_local(url)
        if local_copy is not None:
            name_of_folder, fetched = local_copy
            self._announce(name_of_folder)
        else:
            self._announce(urlsplit(url).hostname or "")
            fetched = self._context.connections.fetch(url)
        self._spend(Usage(fetched.requests))
        self._context.reporting.raise_if_stopped()
        return fetched

    def _announce(self, host: str) -> None:
        self._context.reporting.raise_if_stopped()
        self._context.reporting.emit(job_event(self._job, "HostRequest", host=host))

    def _spend(self, usage: Usage) -> None:
        with self._spending:
            self._usage += usage
            self._stage_usage += usage
        self._context.reporting.spend(usage)

    # --- compose, rules ---------------------------------------------------------------------------

    def _compose(
        self,
        sources: Sequence[Source],
        evidence: Sequence[Evidence],
        findings: Sequence[Problem],
    ) -> Draft:
        """Return the writer's draft; `findings` are those on its last one. Raises FailedError."""
        day = datetime.fromisoformat(self._job.started).date()
        try:
            draft = self._context.write(self._brief, sources, evidence, day, findings)
        except Unwritten as error:
            self._spend(error.usage)
            # An answer interrupted by a cancellation is not a failure.
            self._context.reporting.raise_if_stopped()
            failure = FailedError if error.is_reached else UnreachedError
            raise failure(error.reason) from None
        self._spend(draft.usage)
        return draft

    def _check_draft(self, draft: Draft, sources: Sequence[Source]) -> tuple[Problem, ...]:
        """Return the findings of the rules and, on a program's page, those of the judge."""
        base = self._context.base
        files = {*base.files, self._brief.page}
        findings = check_draft(draft, self._brief, sources, files, base.planned)
        if draft.writer != "command":
            return findings
        client = self._context.connections.open_judge()
        if client is None:
            return findings + find_faults(draft, self._brief, sources, None)
        faults = find_faults(draft, self._brief, sources, partial(judge, client))
        self._spend(client.usage)
        return findings + faults


def describe_searches(searched: Sequence[Searched], unavailable: Sequence[tuple[str, str]]) -> str:
    """Return the number of searches by outcome, with a reason for each.

    If there was none, return what each provider lacks.

    Args:
        searched: the answers of the plan and of the providers.
        unavailable: the configured providers that cannot be used, by name, and what each lacks.
    """
    asked = [search for search in searched if search.provider != PLAN]
    if not asked:
        lacks = "; ".join(f"{name}: {lack}" for name, lack in unavailable) or "none is configured"
        return f"the plan names no address, and no search provider can be used ({lacks})"
    outcomes = []
    for search in asked:
        outcome = "empty" if search.outcome is Outcome.OK else search.outcome.value
        outcomes.append((outcome, f"{search.provider}: {search.reason}"))
    return _count_outcomes(outcomes)


def _reason_of_unread(document: Fetched) -> tuple[str, str]:
    """Return why a document is no source: its outcome and the reason."""
    if document.doubt:
        return "doubtful", document.doubt
    return document.outcome.value, document.reason or "it has no text"


def _count_outcomes(outcomes: Iterable[tuple[str, str]]) -> str:
    """Return the numbers of outcomes, each with the first reason for it."""
    pairs = list(outcomes)
    reasons = dict(reversed(pairs))
    counts = Counter(outcome for outcome, _ in pairs)
    return "; ".join(
        f"{n} {outcome.replace('_', ' ')} ({reasons[outcome]})" for outcome, n in counts.items()
    )
