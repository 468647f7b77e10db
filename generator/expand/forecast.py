"""The forecast of a run: hosts it would contact and its maximum cost. Sends and writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from generator.drafts import Brief
from generator.expand.briefs import add_prior_knowledge
from generator.expand.context import find_writer
from generator.expand.options import Options, RunConfig
from generator.expand.preflight import check_files, check_repository
from generator.library import link_tree
from generator.research.compose.llm import REQUEST_TOKENS
from generator.research.compose.llm_api import Model
from generator.research.select import Choice, select
from generator.search.chain import in_order, queries_of
from generator.search.index import LOCAL
from generator.search.named import search_plan
from generator.search.options import SearchOptions, providers, unavailable
from generator.search.repositories import NAME as REPOSITORIES
from generator.store import RefusedError, read_tree
from generator.store.git import Git, check_working_folder, find_git
from generator.web.model import Call, Reply

OWN = (LOCAL, REPOSITORIES)
"""Providers that send no requests."""


def forecast(config: RunConfig, options: Options, choice: Choice, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the forecast of a run as JSON data, with maximum numbers of requests. Raises NotFoundError."""
    settings = config.settings
    tree = read_tree(settings)
    library = link_tree(tree)
    selection = select(library, choice, config.clock.time())
    briefs = add_prior_knowledge(selection.briefs, tree.pages)
    lacks = unavailable(options.search, environ, settings.root)
    git = find_git(settings.root) if config.commit else None
    usable = git if isinstance(git, Git) else None
    description, models, refused = None, list[dict[str, Any]](), None
    try:
        writer = find_writer(settings, options, environ)
        description = writer.description
        sections = sum(len(brief.outline) for brief in briefs)
        models = [_forecast_model(model, sections, tokens) for model, tokens in writer.models if model]
        check_working_folder(settings.root)
        if usable:
            check_repository(config, usable)
        check_files(config, usable, briefs, library)
    except RefusedError as error:
        refused = str(error)
    commit = f"none: {git or '--no-commit'}"
    if usable:
        commit = config.branch or usable.branch() or "no branch (the head is detached)"
    own = [name for name in OWN if name not in dict(lacks)]
    pages = [_forecast_page(brief, options.search, environ, own) for brief in briefs]
    names = (name for page in pages for query in page["queries"] for name in query["providers"])
    return {
        "version": 1,
        "writer": options.writer,
        "author": description,
        "models": models,
        "documents_folder": options.search.documents if models and LOCAL in own else "",
        "commit": commit,
        "refused": refused,
        "searches": Counter(name for name in names if name not in OWN),
        "documents": options.sources * len(briefs),
        "unavailable": [{"provider": name, "lacks": lack} for name, lack in lacks],
        "pages": pages,
        "passed": [{"plan": p.plan.slug, "part": p.part.number, "why": p.why} for p in selection.passed],
    }


def _forecast_model(model: Model, sections: int, answer_tokens: int) -> dict[str, Any]:
    """Return the most that a model can be asked: each section, or its sentences, once, and once more what failed."""
    tokens = 2 * sections * REQUEST_TOKENS, 2 * sections * answer_tokens
    return {
        "model": model.name,
        "host": model.host,
        "requests": 2 * sections,
        "tokens_in": tokens[0],
        "tokens_out": tokens[1],
        "cost": model.cost(*tokens),
    }


def _forecast_page(
    brief: Brief, options: SearchOptions, environ: Mapping[str, str], own: Sequence[str]
) -> dict[str, Any]:
    """Return the page, the addresses that its plan names, and each query with the providers that would be asked."""
    made = providers(options, _refuse_requests, environ)
    ranks = {name: rank for rank, name in enumerate(options.providers)}
    queries = []
    for query in queries_of(brief.part):
        names = [provider.name for provider in in_order(made, query)]
        for local in own:  # they serve every engine, so they are among the first
            if local in ranks:
                first = [p.name for p in made if query.engine in p.engines and ranks[p.name] < ranks[local]]
                names.insert(len(first) + sum(name in names for name in own), local)
        queries.append({"engine": query.engine, "text": query.text, "providers": names})
    return {
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "page": brief.page,
        "drop": brief.drop,
        "known": [known.page for known in brief.known],
        "unresolved": brief.unresolved,
        "named": [hit.url for hit in search_plan(brief.part).hits],
        "queries": queries,
    }


def _refuse_requests(call: Call) -> Reply:
    raise AssertionError("a forecast sends no requests")
