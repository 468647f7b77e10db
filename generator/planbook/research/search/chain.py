"""The chain of providers: the order for a query, circuit breakers, and merging of results."""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, inf

from planbook.citations.identifiers import address_of, is_search_page, trim_address, work_key
from planbook.model import Part, Query
from planbook.plan.base_searches import is_base_search
from planbook.plan.queries import read_queries
from planbook.research.search.api_answers import Hit, Searched, value_on_line, web_address
from planbook.research.search.provider import ENGINES, Provider
from planbook.research.web.model import Outcome
from planbook.store.options import LOCAL, REPOSITORIES

_MAX_FAILURES = 3
"""Consecutive failures after which a provider is considered down."""
_MAX_DERIVED_QUERIES = 8
"""Maximum number of queries derived for a PART without any."""
_SURPLUS_FACTOR = 3
"""Factor by which more results than needed are requested, since some cannot be read."""
_PAGE = 24
"""Minimum number of results to request: no provider charges more for them than for one."""
_RANK_OFFSET = 60
"""The constant k of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""


class CircuitState:
    """Circuit breakers of the providers in this run. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failed: Counter[str] = Counter()
        """Number of consecutive failures."""
        self.open: set[str] = set()
        """The providers that are not asked any more."""

    def record(self, searched: Searched) -> None:
        """Record the outcome of a search.

        A provider that limits or blocks us is not asked again in this run; failures are tolerated.
        """
        name = searched.provider
        is_refused = searched.outcome in {Outcome.RATE_LIMITED, Outcome.BLOCKED}
        with self._lock:
            if searched.outcome is Outcome.FAILED:
                self._failed[name] += 1
            else:
                self._failed[name] = 0
            # To go on asking after a refusal would be impolite, and may get the address blocked.
            if is_refused or self._failed[name] >= _MAX_FAILURES:
                self.open.add(name)


def queries_of(part: Part) -> tuple[Query, ...]:
    """Return the distinct queries of a PART.

    Without any, they are its title, alone and with each section's title.
    """
    queries = part.queries or _queries_from_titles(part)
    distinct: dict[tuple[str, str], Query] = {}
    for query in queries:
        distinct.setdefault((query.engine, " ".join(query.text.lower().split())), query)
    return tuple(distinct.values())


def _queries_from_titles(part: Part) -> tuple[Query, ...]:
    """Return queries for a PART that has none: on its subject and on each of its topics."""
    subject = part.page_title or part.title
    topics = [section.title for section in part.sections] or list(part.points)
    texts = [subject, *(f"{subject} {topic}" for topic in topics)]
    queries = [Query("web", " ".join(text.split())) for text in texts if text.strip()]
    return tuple(queries[:_MAX_DERIVED_QUERIES])


def choose_providers(providers: Sequence[Provider], query: Query) -> tuple[Provider, ...]:
    """Return the providers for `query` in order: first those of its engine, then their substitutes.

    An unknown engine means the web.
    """
    engine = query.engine if query.engine in ENGINES else "web"
    of_engine = [provider for provider in providers if engine in provider.engines]
    general = [provider for provider in providers if engine not in provider.engines]
    substitutes = [provider for provider in general if engine in provider.fallback_for]
    return (*of_engine, *substitutes)


def search_all(  # noqa: PLR0913 - what was done before, and what may still be done
    providers: Sequence[Provider],
    queries: Sequence[Query],
    limit: int,
    circuits: CircuitState | None = None,
    *,
    earlier: Sequence[Searched] = (),
    unread: Collection[str] = (),
) -> tuple[Searched, ...]:
    """Return the result of each search that was made, in order.

    A query goes from provider to provider until `limit` different works are found; local documents
    do not count, so that a large folder does not replace the web. Each provider is asked for more,
    since some results cannot be read. `circuits` is shared by a whole run.

    `earlier` results count, except works whose keys are `unread`, and no provider is asked the same
    query again.
    """
    circuits = circuits or CircuitState()
    searches: list[Searched] = []
    for query in queries:
        wanted = (query.engine, query.text)
        done = [search for search in earlier if (search.query.engine, search.query.text) == wanted]
        asked = {search.provider for search in done}
        works = {key for search in done for key in _works_that_count(search)}.difference(unread)
        # The next provider is asked only for works that are still missing.
        for provider in choose_providers(providers, query):
            if len(works) >= limit:
                break
            if provider.name in asked or provider.name in circuits.open:
                continue
            searched = provider.search(query, max(_SURPLUS_FACTOR * limit, _PAGE))
            circuits.record(searched)
            searches.append(searched)
            works |= _works_that_count(searched).difference(unread)
    return tuple(searches)


def _works_that_count(searched: Searched) -> set[str]:
    """Return the keys of the works that a search found, unless it was one of local documents."""
    if searched.provider in {LOCAL, REPOSITORIES}:
        return set()
    return {work_key(hit.url) for hit in searched.hits}


# --- ranking --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Candidate:
    """One work that may answer, and how it was found."""

    url: str
    title: str
    queries: tuple[str, ...]
    """The texts of all queries that found it, in order; empty if only the plan names it."""
    score: float
    """Its reciprocal ranks, added up over all searches."""


@dataclass(frozen=True, slots=True)
class _PlacedHit:
    """A hit with its rank in the results of a search."""

    is_found: bool
    """False if the plan names it."""
    rank: int
    hit: Hit
    query: str


def rank_works(
    searches: Iterable[Searched], limit: int | None = None, unread: Collection[str] = ()
) -> tuple[Candidate, ...]:
    """Return the distinct works found: those that the plan names, then the others by score.

    Addresses with the same `work_key` are one work. It keeps the plan's address, else the best
    ranked one. Its title is that of the first hit that has one.

    With `limit`, each search contributes at most that many works; those whose keys are `unread` are
    replaced by others.
    """
    works: dict[str, list[_PlacedHit]] = defaultdict(list)
    # By the plan, all works are taken; a search gives as many as its reader has room for.
    for search in searches:
        is_found = search.provider != PLAN
        most = limit if is_found else None
        seen: set[str] = set()
        for rank, hit in enumerate(search.hits):
            key = work_key(hit.url)
            if key in seen or key in unread:
                continue
            if most is not None and len(seen) >= most:
                break
            seen.add(key)
            works[key].append(_PlacedHit(is_found, rank, hit, search.query.text))
    candidates = {key: _candidate(placed) for key, placed in works.items()}
    # What the plan names comes first, in its order; the rest by score.
    order = sorted(works, key=lambda key: (_rank_in_plan(works[key]), -candidates[key].score))
    return tuple(candidates[key] for key in order)


def _rank_in_plan(placed: Iterable[_PlacedHit]) -> float:
    """Return the rank at which the plan names a work; infinity if it does not."""
    for placed_hit in placed:
        if not placed_hit.is_found:
            return placed_hit.rank
    return inf


def _candidate(placed: Sequence[_PlacedHit]) -> Candidate:
    """Return the work that these hits are."""
    best_first = sorted(placed, key=lambda placed_hit: (placed_hit.is_found, placed_hit.rank))
    titles = [placed_hit.hit.title for placed_hit in best_first if placed_hit.hit.title]
    ranks = [1 / (_RANK_OFFSET + placed_hit.rank + 1) for placed_hit in placed]
    return Candidate(
        url=best_first[0].hit.url,
        title=titles[0] if titles else "",
        queries=tuple(dict.fromkeys(placed_hit.query for placed_hit in placed if placed_hit.query)),
        score=fsum(ranks),  # whose result does not depend on the order
    )


# --- documents that a plan names ------------------------------------------------------------------

PLAN = "plan"

_ADDRESS = re.compile(
    r"https?://(?:[^\s<>\"`()\[\]{}|\\^]|\([^\s()]{0,100}\)){3,2000}", re.IGNORECASE
)
"""A URL; parentheses in it are closed."""
_HOSTED_REPOSITORY = re.compile(
    r"(?<![\w./@-])(?:www\.)?(?P<host>github|gitlab)\.com/(?P<name>[\w-]{1,40}/[\w.-]{1,100})", re.I
)
"""A repository by its host, without ``https://``: ``github.com/tea/steep``."""
_OWNER = r"(?<![\w./@-])(?P<name>[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9_.-]{1,100})(?![\w/])"
_GITHUB_REPOSITORY = re.compile(rf"\bGitHub\b(?:\s(?:repo(?:sitory)?s?))?\s?[:(]?\s?`?{_OWNER}")
"""A repository behind the name of its host: ``GitHub: tea/steep``."""
_REPOSITORY = re.compile(
    rf"`?{_OWNER}`?\)?\s{{1,3}}(?:GitHub\s)?repo(?:sitor(?:y|ies))?s?\b", re.IGNORECASE
)
"""A repository that is called one: ``the tea/steep repository``."""
_CALL = re.compile(
    r"\bowner\W{1,6}(?P<owner>[\w-]{1,40})\W{1,8}repo\W{1,6}(?P<repo>[\w.-]{1,100})", re.IGNORECASE
)
"""A tool's call in a plan: ``owner: "tea", repo: "steep"``."""
_PLACE_TO_FILL = re.compile(r"https?://[^\s\"`]*[<{\[]")
"""``https://x.example/{version}/`` is a template, not an address."""
_PAPER = re.compile(
    r"\barxiv\s?:\s?(?:\d{4}\.\d{4,5}|[a-z-]{2,12}/\d{7})|(?<![\w/.])10\.\d{4,9}/[^\s\"<>]{1,200}",
    re.I,
)
"""A paper: ``arXiv:2401.01234``, ``10.1000/182``."""
_PAIR_OF_TERMS = re.compile(r"[A-Z]{1,4}/[A-Z]{1,4}")
"""CI/CD, TCP/IP: pairs of terms, not owner and repository."""


def search_plan(part: Part) -> Searched:
    """Return the distinct documents that `part` names.

    It does so in its sources, its tasks and the citations in its outline.
    """
    hits: dict[str, Hit] = {}
    for line in _lines_with_documents(part):
        for address in addresses_in(line):
            if not is_search_page(address):
                hits.setdefault(work_key(address), Hit(address, _words_around(line, address)))
    reason = "" if hits else "it names no addresses"
    return Searched(Query("plan", ""), PLAN, Outcome.OK, tuple(hits.values()), reason)


def addresses_in(text: str) -> Iterator[str]:
    """Yield the addresses in one line: URLs as written, then papers, then repositories."""
    urls = [
        trim_address(url[0])
        for url in _ADDRESS.finditer(text)
        if not _PLACE_TO_FILL.match(text, url.start())
    ]
    # Papers and repositories within these are found already.
    rest = _ADDRESS.sub(" ", text)
    papers = [address_of(paper[0]) or "" for paper in _PAPER.finditer(rest)]
    yield from filter(web_address, [*urls, *papers, *_repositories(rest)])


def _repositories(text: str) -> Iterator[str]:
    """Yield the addresses of the repositories that a text names without a URL, in its order."""
    repositories = [
        (hosted.end(), f"{hosted['host'].lower()}.com/{trim_address(hosted['name'])}")
        for hosted in _HOSTED_REPOSITORY.finditer(text)
    ]
    repositories += [
        (call.end(), f"github.com/{call['owner']}/{call['repo']}") for call in _CALL.finditer(text)
    ]
    for match in (*_GITHUB_REPOSITORY.finditer(text), *_REPOSITORY.finditer(text)):
        name = trim_address(match["name"]).removesuffix(".git")
        if not _PAIR_OF_TERMS.fullmatch(name) and not name.endswith(".md"):
            repositories.append((match.end(), f"github.com/{name}"))
    for _, address in sorted(repositories):
        yield f"https://{address}"


def _lines_with_documents(part: Part) -> Iterator[str]:
    """Yield the lines that may name documents.

    Queries and searches of the base only look as if they did.
    """
    yield from part.sources
    for step in part.steps:
        for task in step.tasks:
            if not read_queries(task.text) and not is_base_search(task.text):
                yield task.text
    for section in part.sections:
        yield from section.cite
        yield from section.include


def _words_around(text: str, address: str) -> str:
    """Return the words around the address; the address itself if there are none."""
    words = value_on_line(text.replace(address, " "), 200).strip(" -–—:,.;()[]<>`*")
    return words or address
