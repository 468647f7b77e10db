"""The forecast of a run: its selection and checks, and the most requests that it may send."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planbook import store
from planbook.library import Library, link_tree
from planbook.model import PageUri
from planbook.research import drafts
from planbook.research.expand import context
from planbook.research.expand.run import is_edited
from planbook.research.git import Git, NoGit, check_working_folder, find_git
from planbook.research.leases import LeaseBook
from planbook.research.recording.config import RecordingConfig
from planbook.research.recording.file_digests import file_sha256
from planbook.research.recording.preflight import check_files, check_repository
from planbook.research.search import chain
from planbook.research.search.catalogue import make_providers, unavailable
from planbook.research.selection import (
    Choice,
    ReadOrigins,
    RunSelection,
    add_prior_knowledge,
    plan_origins,
    select,
    skipped_part_to_json,
)
from planbook.research.web.model import Call, Reply
from planbook.research.writers import llm, llm_api
from planbook.store.options import LOCAL, Options, SearchOptions


def forecast(
    config: RecordingConfig,
    options: Options,
    choice: Choice,
    environ: Mapping[str, str],
    read_origins: ReadOrigins = plan_origins,
) -> dict[str, Any]:
    """Return the forecast of a run as JSON data, with maximum numbers of requests.

    Raises NotFoundError.
    """
    settings = config.settings
    library, selection = _select(config, choice, read_origins)
    briefs = add_prior_knowledge(selection.briefs, library)
    lacks = unavailable(options.search, environ, settings.root)
    ready = set(options.search.providers) - dict(lacks).keys()
    local_providers = [name for name in context.OFFLINE_PROVIDERS if name in ready]
    git = find_git(settings.root) if config.commit else NoGit("--no-commit")
    setup = _ForecastSetup()
    try:
        setup.find_writer(settings, options, environ, briefs)
        _check_before_run(config, git, briefs, library)
    except store.RefusedError as error:
        setup.refused = str(error)
    replaced = _forecast_replacements(config, selection)
    pages = [
        _forecast_page(brief, options.search, environ, local_providers)
        | replaced.get(brief.page, _NEW_PAGE)
        for brief in briefs
    ]
    sends_documents = bool(setup.models) and LOCAL in local_providers
    return {
        "version": 1,
        "writer": options.writer,
        "author": setup.description,
        "models": setup.models,
        "documents_folder": options.search.documents if sends_documents else "",
        "commit": _describe_commit(git),
        "refused": setup.refused,
        "searches": _count_searches(pages),
        "documents": options.sources * len(briefs),
        "unavailable": [{"provider": name, "lacks": lack} for name, lack in lacks],
        "pages": pages,
        "passed": [skipped_part_to_json(skipped) for skipped in selection.skipped],
    }


def _select(
    config: RecordingConfig, choice: Choice, read_origins: ReadOrigins
) -> tuple[Library, RunSelection]:
    """Return the base, and the PARTs that a run would fill now. Raises NotFoundError."""
    library = link_tree(store.read_tree(config.settings), config.cache)
    now = config.clock.now()
    leases = LeaseBook(config.settings.root).current(now)
    return library, select(library, choice, now, read_origins, leases)


_NEW_PAGE: dict[str, object] = {"replaces": None, "is_kept": False}
"""The forecast of a page that replaces none."""


def _count_searches(pages: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Return the number of searches of each provider on the web."""
    queries = [query for page in pages for query in page["queries"]]
    names = [name for query in queries for name in query["providers"]]
    return Counter(name for name in names if name not in context.OFFLINE_PROVIDERS)


def _check_before_run(
    config: RecordingConfig, git: Git | NoGit, briefs: Sequence[drafts.Brief], library: Library
) -> None:
    """Raise RefusedError for what would refuse the run before its first page."""
    repository = git if isinstance(git, Git) else None
    check_working_folder(config.settings.root)
    if repository:
        check_repository(config, repository)
    check_files(config, repository, briefs, library)


def _describe_commit(git: Git | NoGit) -> str:
    """Return the branch that the run commits to, or why it commits nothing."""
    if isinstance(git, NoGit):
        return f"none: {git.reason}"
    return git.branch() or "no branch (the head is detached)"


@dataclass(slots=True)
class _ForecastSetup:
    """The writer of a run, as far as it is known before something refuses the run."""

    description: str | None = None
    models: list[dict[str, Any]] = field(default_factory=list)
    refused: str | None = None
    """Why the run would be refused."""

    def find_writer(
        self,
        settings: store.Settings,
        options: Options,
        environ: Mapping[str, str],
        briefs: Sequence[drafts.Brief],
    ) -> None:
        """Note the writer and its models. Raises RefusedError."""
        writer = context.find_writer(settings, options, environ)
        self.description = writer.description
        sections = sum(len(brief.outline) for brief in briefs)
        self.models = [
            _forecast_model(model, sections, tokens) for model, tokens in writer.models if model
        ]


def _forecast_replacements(
    config: RecordingConfig, selection: RunSelection
) -> dict[PageUri, dict[str, object]]:
    """Return why pages are replaced, and whether they are kept as somebody has changed them."""
    docs = config.settings.root / config.docs
    replaced: dict[PageUri, dict[str, object]] = {}
    for page in selection.replaced:
        is_kept = is_edited(page.sha256, file_sha256(docs / page.page))
        replaced[page.page] = {"replaces": page.why, "is_kept": is_kept}
    return replaced


def _forecast_model(model: llm_api.Model, sections: int, answer_tokens: int) -> dict[str, Any]:
    """Return the most that a model can be asked.

    This is each section, or its sentences, once, and once more what failed.
    """
    return {
        "model": model.name,
        "host": model.host,
        "requests": 2 * sections,
        "tokens_in": 2 * sections * llm.REQUEST_TOKENS,
        "tokens_out": 2 * sections * answer_tokens,
    }


def _forecast_page(
    brief: drafts.Brief,
    options: SearchOptions,
    environ: Mapping[str, str],
    local_providers: Sequence[str],
) -> dict[str, Any]:
    """Return the page, the addresses that its plan names, and its queries.

    A query has the providers that would be asked.
    """
    usable = make_providers(options, _refuse_requests, environ)
    queries = []
    for query in chain.queries_of(brief.part):
        names = [provider.name for provider in chain.choose_providers(usable, query)]
        row = {"engine": query.engine, "text": query.text, "providers": [*local_providers, *names]}
        queries.append(row)
    return {
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "page": brief.page,
        "drop": brief.drop,
        "known": [known.page for known in brief.known],
        "unresolved": brief.unresolved,
        "named": [hit.url for hit in chain.search_plan(brief.part).hits],
        "queries": queries,
    }


def _refuse_requests(call: Call) -> Reply:
    raise AssertionError("a forecast sends no requests")
