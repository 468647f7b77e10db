"""A runner: one attempt at one page, from the search to the gates. Values in, values out; it writes nothing."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from typing import TypeVar
from urllib.parse import urlsplit

from generator.citations.works import work_key
from generator.drafts import Brief, Draft, Evidence, Finding, Source
from generator.expand.artifacts import Artifact, ArtifactError, decode, encode
from generator.expand.cancellation import StoppedError, Usage
from generator.expand.events import (
    Clock,
    Event,
    HostRequest,
    Job,
    JobOutcome,
    JobStage,
    Result,
    StageFinished,
    StageStarted,
    UsageAdded,
)
from generator.expand.sources import is_read, make_sources, others
from generator.research.compose import Unwritten
from generator.research.extract import evidence
from generator.research.extract.nearness import Similar
from generator.rules.drafts import gates
from generator.search.chain import Standing, queries_of, search_all
from generator.search.model import Found, Searched
from generator.search.named import NAME as PLAN
from generator.search.named import search_plan
from generator.search.provider import Provider
from generator.search.ranking import ranked
from generator.store.files import UnwritableError
from generator.web.model import Ask, Call, Fetched, Outcome, Reply

T = TypeVar("T")

Write = Callable[[Brief, Sequence[Source], Sequence[Evidence], date, Sequence[Finding]], Draft]
"""Makes a page, on that day; the findings are those that held back the draft before."""

Reading = tuple[tuple[Searched, ...], tuple[Fetched, ...]]
"""What was searched for since the first search, and what came of each address."""

_TRIES = 4
"""So many addresses are asked for each document that is wanted, at most: what a search engine finds may all be dead."""
_PASSING = frozenset({Outcome.TIMEOUT, Outcome.FAILED, Outcome.RATE_LIMITED})
"""What may come out better at a second attempt."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a runner works with: the ways to hosts, the stages that may be chosen, and whom to tell."""

    providers: Callable[[Ask], Sequence[Provider]]
    """The search providers, in the order in which to ask them."""
    ask: Ask
    fetch: Callable[[str], Fetched]
    write: Write
    pages: frozenset[str]
    """The uris of the base's pages, which links may lead to."""
    tell: Callable[[Event], None]
    check: Callable[[], None]
    """Raises StoppedError where the run is to stop."""
    standing: Standing = field(default_factory=Standing)
    clock: Clock = field(default_factory=Clock)
    results: int = 8
    """How many works a query has to find, for nobody else to be asked."""
    sources: int = 12
    """How many documents are read."""
    planned: frozenset[str] = frozenset()
    """The uris of pages that its plans have and it does not: the site has a page in their place."""
    similar: Similar | None = None
    """How alike texts are in meaning, where a model tells it."""


class FailedError(Exception):
    """Why there will be no page; the message says it."""


def run_part(job: Job, tools: Tools) -> Result:
    """What comes of an attempt. An error of our own is a failure, with its trace.

    Raises :class:`UnwritableError`: a full disk says nothing of the PART, which stays as it is.
    """
    return _Attempt(job, tools).run()


class _Attempt:
    """One attempt, and what it has come to."""

    def __init__(self, job: Job, tools: Tools) -> None:
        self._job, self._tools, self._brief = job, tools, job.brief
        self._result = Result(job, JobOutcome.FAILED)
        self._earlier: Reading = _kept(
            job.earlier, JobStage.FETCH, tuple[tuple[Searched, ...], tuple[Fetched, ...]]
        ) or (
            (),
            (),
        )
        self._usage = job.spent
        self._spent = Usage()
        """In the present stage."""
        self._is_reached = job.failure is not None

    def run(self) -> Result:
        """What came of it."""
        try:
            self._work()
        except StoppedError as error:
            self._end(JobOutcome.STOPPED, str(error))
        except FailedError as error:
            self._end(JobOutcome.FAILED if self._is_reached else JobOutcome.UNREACHED, str(error))
        except UnwritableError:
            raise
        except Exception as error:  # noqa: BLE001 - what is wrong with one page must not end the others
            self._end(
                JobOutcome.FAILED,
                f"an error of planbook's own: {type(error).__name__}: {error}",
                traceback.format_exc(),
            )
        else:
            self._result = replace(self._result, outcome=JobOutcome.DONE)
        return replace(self._result, usage=self._usage, finished=self._tools.clock.now())

    def _end(self, end: JobOutcome, reason: str, trace: str = "") -> None:
        self._result = replace(self._result, outcome=end, reason=reason, trace=trace)

    def _work(self) -> None:
        searched = self._stage(JobStage.SEARCH, tuple[Searched, ...], self._search)
        self._result = replace(self._result, searched=searched)
        self._is_reached = self._is_reached or any(
            s.outcome is not Found.FAILED and s.provider != PLAN for s in searched
        )
        if not any(search.hits for search in searched):
            raise FailedError(f"nothing was found: {_told(searched)}")
        read = self._stage(
            JobStage.FETCH, tuple[tuple[Searched, ...], tuple[Fetched, ...]], partial(self._fetch, searched)
        )
        further, fetched = read
        searched = (*searched, *further)
        self._result = replace(self._result, searched=searched)
        self._is_reached = self._is_reached or any(is_read(one) or one.status is not None for one in fetched)
        sources = make_sources(fetched, ranked(searched))
        self._result = replace(self._result, sources=(*sources, *others(fetched, sources)))
        if not sources:
            raise FailedError(f"no source could be read: {_told_of(fetched)}")
        found = self._stage(
            JobStage.EXTRACT, tuple[Evidence, ...], lambda: evidence(self._brief, sources, self._tools.similar)
        )
        if not any(one.passages for one in found):
            raise FailedError(f"nothing in {len(sources)} sources answers the outline")
        draft = self._stage(JobStage.COMPOSE, Draft, partial(self._compose, sources, found))
        self._result = replace(self._result, draft=draft)
        findings = self._stage(JobStage.RULES, tuple[Finding, ...], partial(self._check, draft, sources))
        self._result = replace(self._result, findings=findings)
        failures = [finding for finding in findings if finding.is_failure]
        if failures:
            more = f", and {len(failures) - 1} more" if len(failures) > 1 else ""
            raise FailedError(f"{failures[0].gate}: {failures[0].message} (line {failures[0].line}){more}")

    # --- stages ----------------------------------------------------------------------------------------------------

    def _stage(self, stage: JobStage, type_: type[T], work: Callable[[], T]) -> T:
        """What the stage gives: what is kept of it, else what it gives now."""
        kept = _kept(self._job.artifacts, stage, type_)
        if kept is not None:
            return kept
        if self._job.failure is not None:
            raise FailedError(self._job.failure)
        self._tools.check()
        self._tools.tell(StageStarted(self._job, stage))
        self._spent = Usage()
        value = work()
        self._tools.tell(StageFinished(self._job, stage, encode(value), self._spent))
        return value

    def _spend(self, usage: Usage) -> None:
        if usage != Usage():
            self._usage, self._spent = self._usage + usage, self._spent + usage
            self._tools.tell(UsageAdded(self._job, usage))

    def _search(self) -> tuple[Searched, ...]:
        """What the plan names, and what providers find; what was found at the attempt before is not asked again."""
        before = (*(_kept(self._job.earlier, JobStage.SEARCH, tuple[Searched, ...]) or ()), *self._earlier[0])
        good = {(s.query.engine, s.query.text) for s in before if s.outcome is Found.FOUND and s.provider != PLAN}
        kept = [s for s in before if _is_of(s, good)]
        return (search_plan(self._brief.part), *kept, *self._search_further(kept))

    def _search_further(self, before: Sequence[Searched], unread: Collection[str] = ()) -> tuple[Searched, ...]:
        """What those find who were not asked yet, for queries of which too few works are found, or can be read."""
        return search_all(
            self._tools.providers(self._ask),
            queries_of(self._brief.part),
            self._tools.results * self._job.attempt,
            self._tools.standing,
            before=before,
            unread=unread,
        )

    def _ask(self, call: Call) -> Reply:
        """The way to APIs: counted, told, and stopped where the run is to stop."""
        self._tools.check()
        self._tools.tell(HostRequest(self._job, urlsplit(call.url).hostname or ""))
        reply = self._tools.ask(replace(call, is_kept=True))
        self._is_reached = self._is_reached or reply.status is not None
        self._spend(Usage(requests=reply.requests, retries=reply.retries))
        self._tools.check()  # what was cut short by a stop is no answer
        return reply

    def _fetch(self, searched: Sequence[Searched]) -> Reading:
        """What the best candidates give, until enough of them could be read, and what was searched for further.

        A candidate that cannot be read, or is a copy, leaves its place to the next one of its search; where a search
        has no more, the next provider is asked. Each address is asked for once.
        """
        limit, wanted = self._tools.results * self._job.attempt, self._tools.sources * self._job.attempt
        further: tuple[Searched, ...] = ()
        fetched: list[Fetched] = []
        read: list[Fetched] = []
        tried: set[str] = set()
        unread: set[str] = set()
        tries_left = _TRIES * wanted
        while len(read) < wanted and tries_left:
            found = (*searched, *further)
            urls = [one.url for one in ranked(found, limit, unread) if work_key(one.url) not in tried]
            more = () if urls else self._search_further(found, unread)
            if not urls and not more:
                break
            further += more
            for url in urls:
                if len(read) == wanted or not tries_left:
                    break
                one = self._read(url)
                fetched.append(one)
                tried.add(work_key(url))
                tries_left -= _was_asked(one)
                if len(make_sources([*read, one], ())) > len(read):
                    read.append(one)
                else:
                    unread.add(work_key(url))
        return further, tuple(fetched)

    def _read(self, url: str) -> Fetched:
        """What an address gives, or gave at the attempt before, unless it failed in passing."""
        earlier = next((one for one in self._earlier[1] if one.url == url.partition("#")[0]), None)
        if earlier and earlier.outcome not in _PASSING:
            return earlier
        self._tools.check()
        self._tools.tell(HostRequest(self._job, urlsplit(url).hostname or ""))
        fetched = self._tools.fetch(url)
        self._spend(Usage(requests=fetched.requests, retries=fetched.retries))
        self._tools.check()
        return fetched

    def _compose(self, sources: Sequence[Source], found: Sequence[Evidence]) -> Draft:
        day = datetime.fromisoformat(self._job.started).date()
        try:
            draft = self._tools.write(self._brief, sources, found, day, self._job.findings)
        except Unwritten as error:
            self._spend(Usage(error.requests, error.tokens))
            self._tools.check()  # what was cut short by a stop has not failed
            self._is_reached = self._is_reached and error.is_reached
            raise FailedError(error.reason) from None
        self._spend(Usage(draft.requests, draft.tokens))
        return draft

    def _check(self, draft: Draft, sources: Sequence[Source]) -> tuple[Finding, ...]:
        there, planned = {*self._tools.pages, self._brief.page}, self._tools.planned
        return gates(draft, self._brief, sources, there, is_thin=draft.is_thin, planned=planned)


def _kept(artifacts: Mapping[str, Artifact], stage: JobStage, type_: type[T]) -> T | None:
    """What is kept of a stage; ``None`` where nothing, or nothing whole, is."""
    artifact = artifacts.get(stage)
    try:
        return decode(artifact, type_) if artifact else None
    except ArtifactError:
        return None


def _was_asked(fetched: Fetched) -> bool:
    """Whether a host was asked, or might have been: what is refused for its address alone costs nobody anything."""
    return fetched.requests > 0 or fetched.outcome is not Outcome.REFUSED


def _is_of(searched: Searched, keys: set[tuple[str, str]]) -> bool:
    return (searched.query.engine, searched.query.text) in keys


def _told(searched: Sequence[Searched]) -> str:
    """What came of the searches, by outcome, with a reason for each."""
    asked = [search for search in searched if search.provider != PLAN]
    if not asked:
        return "the plan names no address, and no provider could be asked"
    counts = Counter(search.outcome for search in asked)
    reasons = {search.outcome: f"{search.provider}: {search.reason}" for search in reversed(asked)}
    return "; ".join(f"{n} {outcome.value.replace('_', ' ')} ({reasons[outcome]})" for outcome, n in counts.items())


def _told_of(fetched: Sequence[Fetched]) -> str:
    """What came of asking for documents, by outcome, with a reason for each."""
    counts = Counter(one.outcome for one in fetched)
    reasons = {one.outcome: one.reason or "it holds no text" for one in reversed(fetched)}
    return "; ".join(f"{n} {outcome.value.replace('_', ' ')} ({reasons[outcome]})" for outcome, n in counts.items())
