"""Tools: what a runner in this process works with, made of the options and given back at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from generator import __version__
from generator.expand.cancellation import CancelToken
from generator.expand.coordinator import Runner, Tell
from generator.expand.events import Clock, Message, Output
from generator.expand.options import Options, wrong
from generator.expand.runner import Tools, run_part
from generator.expand.session import RefusedError
from generator.expand.writers import Means, find_writer
from generator.research.extract.meaning import MeaningError, fingerprint, open_model
from generator.research.extract.nearness import Similar
from generator.search.index import Documents, UnreadableIndexError
from generator.search.options import open_documents, providers
from generator.store import Settings
from generator.store.work import work_path
from generator.web.archive import Archive
from generator.web.client import Fetcher
from generator.web.github import find_hub
from generator.web.limits import Limits
from generator.web.model import Fetched, Outcome

INDEX = "documents.sqlite"
"""Where, in the working folder, the index of the documents lies."""


@dataclass(frozen=True, slots=True)
class Crew:
    """The runner of a process, with its connections open."""

    runner: Runner
    share: Callable[[int], None]
    """Tells how many processes ask the same hosts: each then asks so many times less often."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What all runners of a run are made of."""

    settings: Settings
    options: Options
    environ: Mapping[str, str]
    """Keys of providers come from here, and go nowhere else."""
    pages: frozenset[str]
    """The uris of the base's pages."""
    planned: frozenset[str]
    """Those that its plans have and it does not."""
    clock: Clock

    @property
    def ways(self) -> str:
        """Everything beside the plans that decides what stages give: with other ways, work begins anew.

        Raises :class:`OptionError` where the model of word vectors cannot be used.
        """
        author = find_writer(self.settings, self.options, self.environ)
        decisive = {
            "version": __version__,
            "search": asdict(self.options.search),
            "writer": (self.options.writer, *author.ways),
            "sources": self.options.sources,
        }
        if self.options.embeddings:
            decisive["embeddings"] = find_model(self.settings, self.options)
        return json.dumps(decisive, sort_keys=True, default=str)

    def elsewhere(self, scratch: Path, environ: Mapping[str, str]) -> Workshop:
        """The same on another machine: with a folder of its own to work in, and that machine's environment."""
        search, embeddings = self.options.search, self.options.embeddings
        if search.documents:  # where it is shared with that machine
            search = replace(search, documents=str(self.settings.root.absolute() / search.documents))
        if embeddings:  # likewise
            embeddings = str(self.settings.root.absolute() / embeddings)
        return replace(
            self,
            settings=replace(self.settings, root=scratch),
            options=replace(self.options, search=search, embeddings=embeddings),
            environ=environ,
        )

    @contextmanager
    def staff(self, token: CancelToken, tell: Tell) -> Iterator[Runner]:
        """The runner, with its connections and its index open."""
        with self.crew(token, tell) as crew:
            yield crew.runner

    @contextmanager
    def crew(self, token: CancelToken, tell: Tell) -> Iterator[Crew]:
        """The runner and what else can be said to it."""
        settings, options = self.settings, self.options
        with ExitStack() as held:
            fetcher = held.enter_context(open_fetcher(settings, options, self.environ))
            token.on_cancel(fetcher.stop)
            documents = self._documents(held, fetcher.limits, tell)
            similar = open_similar(settings, options)
            author = find_writer(settings, options, self.environ)
            means = Means(
                fetcher.call,
                fetcher.stream,
                token.check,
                log=lambda text: tell(Output(text)),
                tell=lambda text: tell(Message(text)),
            )
            runner = partial(
                run_part,
                tools=Tools(
                    providers=lambda ask: providers(self.options.search, ask, self.environ, documents),
                    ask=fetcher.call,
                    fetch=_reader(fetcher, documents),
                    write=author.make(means),
                    pages=self.pages,
                    planned=self.planned,
                    tell=tell,
                    check=token.check,
                    clock=self.clock,
                    results=self.options.search.limit,
                    sources=options.sources,
                    similar=similar,
                ),
            )
            yield Crew(runner, fetcher.share)

    def _documents(self, held: ExitStack, limits: Limits, tell: Tell) -> Documents | None:
        """The folder of documents, where there is one; what cannot be read of it is told."""
        index = work_path(self.settings.root, INDEX)
        try:
            documents = open_documents(self.options.search, self.settings.root, index, limits)
        except UnreadableIndexError as error:
            raise RefusedError(str(error)) from error
        if documents is None:
            return None
        for path, why in documents.troubles:
            tell(Message(f"{self.options.search.documents}/{path} cannot be read: {why}"))
        return held.enter_context(documents)


def open_fetcher(settings: Settings, options: Options, environ: Mapping[str, str]) -> Fetcher:
    """The client that asks hosts as the options say, and keeps what they give."""
    return Fetcher(
        Limits(timeout_s=options.timeout, deadline_s=max(60.0, 4 * options.timeout), spacing_s=options.pause),
        contact=options.contact or settings.site_url,
        allow_loopback=options.allow_loopback,
        archive=Archive(settings.root, max_age_s=options.max_age_days * 86_400),
        hub=find_hub(environ),
    )


def find_model(settings: Settings, options: Options) -> str:
    """What tells the model of word vectors from others; empty where none is wanted. Raises :class:`OptionError`."""
    try:
        return fingerprint(settings.root / options.embeddings) if options.embeddings else ""
    except (MeaningError, OSError) as error:
        raise wrong(settings, "embeddings", str(error)) from error


def open_similar(settings: Settings, options: Options) -> Similar | None:
    """What compares texts by their meaning, where that is wanted. Raises :class:`RefusedError`."""
    try:
        return open_model(settings.root / options.embeddings) if options.embeddings else None
    except (MeaningError, OSError) as error:
        raise RefusedError(str(wrong(settings, "embeddings", str(error)))) from error


def _reader(fetcher: Fetcher, documents: Documents | None) -> Callable[[str], Fetched]:
    """Reads an address: from the folder of documents, where it is there, else from its host."""

    def read(url: str) -> Fetched:
        """What stands at an address: a local document's, or a host's."""
        found = documents.read_local(url) if documents else None
        if found is not None:
            return found
        if urlsplit(url).scheme not in {"http", "https"}:
            return Fetched(url, Outcome.GONE, "the folder of documents does not hold it any more")
        return fetcher.fetch(url)

    return read
