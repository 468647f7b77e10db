"""The forecast of a run: hosts it would contact and its maximum cost. Sends and writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator.drafts import Brief
from generator.expand.briefs import add_prior_knowledge
from generator.expand.context import find_model, find_writer
from generator.expand.options import Options, RunConfig
from generator.expand.preflight import check_files, check_repository, find_repository
from generator.library import link_tree
from generator.model import Query
from generator.research.select import Choice, Passed, select
from generator.search.chain import in_order, queries_of
from generator.search.index import LOCAL
from generator.search.named import search_plan
from generator.search.options import SearchOptions, providers, unavailable
from generator.search.repositories import NAME as REPOSITORIES
from generator.store import RefusedError, read_tree
from generator.store.git import Git, check_working_folder
from generator.web.model import Call, Reply

OWN = (LOCAL, REPOSITORIES)
"""Providers that send no requests."""


@dataclass(frozen=True, slots=True)
class PageForecast:
    """The forecast of one page."""

    brief: Brief
    named: tuple[str, ...]
    """Addresses that the plan names."""
    queries: tuple[tuple[Query, tuple[str, ...]], ...]
    """Each query, with the providers that would be asked, in order, until there are enough results."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a run."""

    pages: tuple[PageForecast, ...]
    passed: tuple[Passed, ...]
    sources: int
    """Maximum number of documents of a page."""
    unavailable: tuple[tuple[str, str], ...]
    """Providers that cannot be used, and what each lacks."""
    writer: str
    description: str
    """The writer's description for users; empty if it cannot be used."""
    answer_tokens: int
    """Maximum tokens of a model's answer; 0 if no model is used."""
    commit: str
    """The branch of the commit, or why there would be none."""
    refused: str = ""
    """Why the run would not start."""

    @property
    def searches(self) -> Mapping[str, int]:
        """Maximum number of searches by provider, without the local folder."""
        names = (name for page in self.pages for _, providers in page.queries for name in providers)
        return Counter(name for name in names if name not in OWN)

    @property
    def documents(self) -> int:
        """Maximum number of documents."""
        return self.sources * len(self.pages)

    @property
    def sections(self) -> int:
        """Number of sections of all pages; a model gets one request for each."""
        return sum(len(page.brief.outline) for page in self.pages)


def forecast(config: RunConfig, options: Options, choice: Choice, environ: Mapping[str, str]) -> Forecast:
    """Return the forecast of a run. Raises NotFoundError."""
    settings = config.settings
    tree = read_tree(settings)
    library = link_tree(tree)
    selection = select(library, choice, config.clock.time())
    briefs = add_prior_knowledge(selection.briefs, tree.pages)
    lacks = unavailable(options.search, environ, settings.root)
    git = find_repository(config)
    usable = git if isinstance(git, Git) else None
    description, answer_tokens, refused = "", 0, ""
    try:
        writer = find_writer(settings, options, environ)
        description, answer_tokens = writer.description, writer.answer_tokens
        find_model(settings, options)
        check_working_folder(settings.root)
        if usable:
            check_repository(config, usable)
        check_files(config, usable, briefs, library)
    except RefusedError as error:
        refused = str(error)
    where = f"none: {git or '--no-commit'}"
    if usable:
        where = config.branch or usable.branch() or "no branch (the head is detached)"
    return Forecast(
        _forecast_pages(briefs, options.search, environ, [name for name in OWN if name not in dict(lacks)]),
        selection.passed,
        options.sources,
        lacks,
        options.writer,
        description,
        answer_tokens,
        where,
        refused,
    )


def _forecast_pages(
    briefs: Sequence[Brief], options: SearchOptions, environ: Mapping[str, str], own: Sequence[str]
) -> tuple[PageForecast, ...]:
    made = providers(options, _refuse_requests, environ)
    ranks = {name: rank for rank, name in enumerate(options.providers)}
    pages = []
    for brief in briefs:
        queries = []
        for query in queries_of(brief.part):
            names = [provider.name for provider in in_order(made, query)]
            for local in own:  # they serve every engine, so they are among the first
                if local in ranks:
                    first = [p.name for p in made if query.engine in p.engines and ranks[p.name] < ranks[local]]
                    names.insert(len(first) + sum(name in names for name in own), local)
            queries.append((query, tuple(names)))
        named = tuple(hit.url for hit in search_plan(brief.part).hits)
        pages.append(PageForecast(brief, named, tuple(queries)))
    return tuple(pages)


def _refuse_requests(call: Call) -> Reply:
    raise AssertionError("a forecast sends no requests")
