"""Creation of a worker's context from the options: connections, the writer and the index of documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from generator import __version__
from generator.expand.cancellation import CancelToken
from generator.expand.events import Clock, EventHandler, Message
from generator.expand.options import Options, option_error
from generator.expand.preflight import RefusedError
from generator.expand.run import Submit
from generator.expand.worker import WorkerContext, run_job
from generator.expand.writers import find_writer
from generator.research.extract.meaning import MeaningError, fingerprint, open_model
from generator.research.extract.nearness import Similar
from generator.search.index import Documents, UnreadableIndexError
from generator.search.options import open_documents, providers
from generator.store import Settings
from generator.store.work import work_path
from generator.web.archive import Archive
from generator.web.client import Fetcher
from generator.web.github import find_endpoints
from generator.web.model import Fetched, Limits, Outcome

INDEX = "documents.sqlite"
"""The index of the folder of documents, in the working folder."""


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """The specification of a worker context; it can be sent to another machine."""

    settings: Settings
    options: Options
    environ: Mapping[str, str]
    """The source of the providers' keys, which are not sent anywhere else."""
    pages: frozenset[str]
    """The uris of the base's pages."""
    planned: frozenset[str]
    """The uris of pages that plans name and that are not written yet."""
    clock: Clock

    @property
    def cache_key(self) -> str:
        """Everything beside the plans that decides the results of stages. Raises OptionError, WriterError."""
        writer = find_writer(self.settings, self.options, self.environ)
        decisive = {
            "version": __version__,
            "search": asdict(self.options.search),
            "writer": (self.options.writer, *writer.cache_key),
            "sources": self.options.sources,
        }
        if self.options.embeddings:
            decisive["embeddings"] = find_model(self.settings, self.options)
        return json.dumps(decisive, sort_keys=True, default=str)

    def moved_to(self, scratch: Path, environ: Mapping[str, str]) -> WorkerSpec:
        """Return the specification for another machine, with its own working folder and environment.

        Folders of documents and models keep their absolute path: they are used if both machines share them.
        """
        root, search, embeddings = self.settings.root.absolute(), self.options.search, self.options.embeddings
        search = replace(search, documents=str(root / search.documents) if search.documents else "")
        options = replace(self.options, search=search, embeddings=str(root / embeddings) if embeddings else "")
        return replace(self, settings=replace(self.settings, root=scratch), options=options, environ=environ)

    @contextmanager
    def connect(self, token: CancelToken, emit: EventHandler) -> Iterator[WorkerContext]:
        """Open the connections until the end of the block. Raises RefusedError."""
        options = self.options
        with ExitStack() as stack:
            fetcher = stack.enter_context(open_fetcher(self.settings, options, self.environ))
            token.on_cancel(fetcher.stop)
            documents = self._open_documents(fetcher.limits, emit)
            if documents is not None:
                stack.enter_context(documents)
            yield WorkerContext(
                providers=lambda ask: providers(options.search, ask, self.environ, documents),
                ask=fetcher.call,
                fetch=_reader(fetcher, documents),
                similar=open_similar(self.settings, options),
                write=find_writer(self.settings, options, self.environ).create(fetcher, token, emit),
                pages=self.pages,
                planned=self.planned,
                emit=emit,
                check=token.check,
                clock=self.clock,
                results=options.search.limit,
                sources=options.sources,
                share=fetcher.share,
            )

    def _open_documents(self, limits: Limits, emit: EventHandler) -> Documents | None:
        index = work_path(self.settings.root, INDEX)
        try:
            documents = open_documents(self.options.search, self.settings.root, index, limits)
        except UnreadableIndexError as error:
            raise RefusedError(str(error)) from error
        for path, why in documents.troubles if documents else ():
            emit(Message(f"{self.options.search.documents}/{path} cannot be read: {why}"))
        return documents


@dataclass(frozen=True, slots=True)
class ThreadWorkers:
    """Workers in threads of this process."""

    spec: WorkerSpec

    @contextmanager
    def start(self, count: int, token: CancelToken, emit: EventHandler) -> Iterator[Submit]:
        """See `Workers`."""
        with self.spec.connect(token, emit) as context, ThreadPoolExecutor(count, "worker") as executor:
            yield lambda job: executor.submit(run_job, job, context)


def open_fetcher(settings: Settings, options: Options, environ: Mapping[str, str]) -> Fetcher:
    """Return the client that requests and archives documents."""
    return Fetcher(
        Limits(timeout_s=options.timeout, deadline_s=max(60.0, 4 * options.timeout), spacing_s=options.pause),
        contact=options.contact or settings.site_url,
        allow_loopback=options.allow_loopback,
        archive=Archive(settings.root, max_age_s=options.max_age_days * 86_400),
        github=find_endpoints(environ),
    )


def find_model(settings: Settings, options: Options) -> str:
    """Return the fingerprint of the model of word vectors; empty without one. Raises OptionError."""
    try:
        return fingerprint(settings.root / options.embeddings) if options.embeddings else ""
    except (MeaningError, OSError) as error:
        raise option_error(settings, "embeddings", str(error)) from error


def open_similar(settings: Settings, options: Options) -> Similar | None:
    """Return a function that compares texts by meaning; ``None`` without a model. Raises RefusedError."""
    try:
        return open_model(settings.root / options.embeddings) if options.embeddings else None
    except (MeaningError, OSError) as error:
        raise RefusedError(str(option_error(settings, "embeddings", str(error)))) from error


def _reader(fetcher: Fetcher, documents: Documents | None) -> Callable[[str], Fetched]:
    def read(url: str) -> Fetched:
        """Return the document at an address, from the local folder or from its host."""
        found = documents.read_local(url) if documents else None
        if found is not None:
            return found
        if urlsplit(url).scheme not in {"http", "https"}:
            return Fetched(url, Outcome.GONE, "the folder of documents does not hold it any more")
        return fetcher.fetch(url)

    return read
