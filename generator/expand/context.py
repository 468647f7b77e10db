"""Creation of a worker's context from the options: connections, the writer and the index of documents."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from msgspec import structs

from generator import __version__
from generator.expand.cancellation import CancelToken
from generator.expand.events import Clock, EventHandler, Message, Output
from generator.expand.options import Options, open_fetcher
from generator.expand.processes import Compute, compute_here, open_processes
from generator.expand.run import Submit
from generator.expand.worker import WorkerContext, Write, run_job
from generator.research.brief import render_brief
from generator.research.compose.command import CommandWriter, find_program
from generator.research.compose.judge import JUDGE_TOKENS
from generator.research.compose.llm import PROMPT_VERSION, LlmWriter
from generator.research.compose.llm_api import AnswerStore, Model, ModelError, find_model
from generator.research.compose.page import PAGE_FORMAT, ExtractWriter
from generator.research.compose.program import Sandbox, find_sandbox
from generator.search.index import LOCAL, Documents
from generator.search.options import open_documents, providers
from generator.search.repositories import NAME as REPOSITORIES
from generator.search.repositories import RepositoryIndex
from generator.store import RefusedError, Settings
from generator.store.files import read_work, work_path, write_work
from generator.store.git import Git, find_git
from generator.store.scratch import remove_scratch_copies
from generator.web.client import Fetcher
from generator.web.model import Call, Fetched, Limits, Outcome

T = TypeVar("T")
INDEX = "documents.sqlite"
"""The index of the folder of documents, in the working folder."""


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """The specification of a worker context; it can be sent to another machine."""

    settings: Settings
    options: Options
    environ: Mapping[str, str]
    """The source of the providers' keys, which are not sent anywhere else."""
    files: frozenset[str]
    """The paths of the base's files in the documentation folder, valid targets of links."""
    planned: frozenset[str]
    """The uris of pages that plans name and that are not written yet."""
    clock: Clock

    @property
    def cache_key(self) -> str:
        """Return all inputs besides the plans that determine the results of stages. Raises RefusedError."""
        writer = find_writer(self.settings, self.options, self.environ)
        decisive = {
            "version": __version__,
            "search": asdict(self.options.search),
            "writer": (self.options.writer, *writer.cache_key),
            "sources": self.options.sources,
        }
        return json.dumps(decisive, sort_keys=True, default=str)

    def moved_to(self, scratch: Path, environ: Mapping[str, str]) -> WorkerSpec:
        """Return the specification for another machine, with its own working folder and environment.

        Folders of documents keep their absolute path: they are used if both machines share them.
        """
        root, search = self.settings.root.absolute(), self.options.search
        mirrors = {n: structs.replace(o, path=str(root / o.path)) for n, o in search.repositories.items()}
        documents = str(root / search.documents) if search.documents else ""
        search = replace(search, documents=documents, repositories=mirrors)
        options = replace(self.options, search=search)
        return replace(self, settings=replace(self.settings, root=scratch), options=options, environ=environ)

    @contextmanager
    def connect(
        self, token: CancelToken, emit: EventHandler, compute: Compute = compute_here
    ) -> Iterator[WorkerContext]:
        """Open the connections until the end of the block. Raises RefusedError."""
        options = self.options
        with ExitStack() as stack:
            fetcher = stack.enter_context(open_fetcher(self.settings, options, self.environ))
            token.on_cancel(fetcher.stop)
            documents = self._open_documents(fetcher.limits, emit)
            if documents is not None:
                stack.enter_context(documents)
            indexed = self._open_repositories(stack, emit)
            yield WorkerContext(
                providers=lambda ask: providers(options.search, ask, self.environ, documents, indexed),
                ask=fetcher.call,
                fetch=fetcher.fetch,
                read_local=partial(_read_local, [index for index in (documents, indexed) if index is not None]),
                write=find_writer(self.settings, options, self.environ).create(fetcher, token, emit, compute),
                files=self.files,
                planned=self.planned,
                emit=emit,
                check=token.check,
                compute=compute,
                clock=self.clock,
                results=options.search.limit,
                sources=options.sources,
                share=fetcher.share,
            )

    def _open_documents(self, limits: Limits, emit: EventHandler) -> Documents | None:
        index = work_path(self.settings.root, INDEX)
        documents = open_documents(self.options.search, self.settings.root, index, limits)
        for path, why in documents.troubles if documents else ():
            emit(Message(f"{self.options.search.documents}/{path} cannot be read: {why}"))
        for message in documents.messages if documents else ():
            emit(Message(f"{self.options.search.documents}/{message}"))
        return documents

    def _open_repositories(self, stack: ExitStack, emit: EventHandler) -> RepositoryIndex | None:
        search = self.options.search
        if REPOSITORIES not in search.providers or not search.repositories:
            return None
        path = work_path(self.settings.root, f"{REPOSITORIES}.sqlite")
        index = RepositoryIndex(path, self.settings.root, search.repositories)
        stack.callback(index.close)
        index.refresh(lambda message: emit(Message(message)))
        return index


@contextmanager
def start_threads(spec: WorkerSpec, count: int, token: CancelToken, emit: EventHandler) -> Iterator[Submit]:
    """Start workers in threads of this process, with further processes for what they compute. See `Workers`."""
    with (
        open_processes(count) as compute,
        spec.connect(token, emit, compute) as context,
        ThreadPoolExecutor(count, "worker") as executor,
    ):
        yield lambda job: executor.submit(run_job, job, context)


def _read_local(indexes: Sequence[Documents | RepositoryIndex], url: str) -> tuple[str, Fetched] | None:
    """Return the document at an address from a mirror or the local folder, with the name of its place."""
    for index in indexes:
        found = index.read_local(url)
        if found is not None:
            return f"mirror of {found.origin.repository}" if found.origin else index.name, found
    if urlsplit(url).scheme not in {"http", "https"}:
        return LOCAL, Fetched(url, Outcome.GONE, "it is no longer in the folder of documents")
    return None


# --- writers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WriterSpec:
    """A writer that can be used here."""

    description: str
    """For users: the model or program and where it runs, without secrets."""
    cache_key: tuple[str, ...]
    """The options that determine the page: if they change, unfinished pages start over."""
    create: Callable[[Fetcher, CancelToken, EventHandler, Compute], Write] = field(repr=False)
    """Called once per run, while the lock is held."""
    models: tuple[tuple[Model | None, int], ...] = ()
    """The models that write and judge, with the maximum tokens of an answer."""


def find_writer(settings: Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    """Return the writer that `options` name, without using it yet. Raises :class:`RefusedError`."""
    find = {"extract": _extract, "llm": _llm, "command": _command}[options.writer]
    return find(settings, options, environ)


def _extract(settings: Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    def create(fetcher: Fetcher, token: CancelToken, emit: EventHandler, compute: Compute) -> Write:
        """Return the writer."""
        write = ExtractWriter().write
        return lambda brief, sources, evidence, day, findings: compute(write, brief, sources, evidence, day)

    return WriterSpec("quotes are taken from the sources as they are", (PAGE_FORMAT,), create)


def _llm(settings: Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    model = use_llm(options, environ, options.llm_model)
    judge = find_judge(options, environ)

    def create(fetcher: Fetcher, token: CancelToken, emit: EventHandler, compute: Compute) -> Write:
        """Return the writer, which sends no requests after a cancellation."""

        def stream(call: Call) -> Iterator[str]:
            """Stream the model's answer."""
            token.check()
            return fetcher.stream(call)

        kept = AnswerStore(partial(read_work, settings.root), partial(write_work, settings.root))
        writer = LlmWriter(model, judge, stream, kept, options.llm_tokens)
        return lambda brief, sources, evidence, day, findings: writer.write(brief, sources, evidence, day)

    both = [f"{one.name} at {one.host}" if one else "" for one in (model, judge)]
    judged = f", judged by {'it' if both[0] == both[1] else both[1]}" if both[1] else "; its sentences are not judged"
    cache_key = (*both, model.api.value, PROMPT_VERSION, PAGE_FORMAT)
    return WriterSpec(
        f"the model {both[0]}{judged}", cache_key, create, ((model, options.llm_tokens), (judge, JUDGE_TOKENS))
    )


def use_llm(options: Options, environ: Mapping[str, str], name: str) -> Model:
    """Return the language model of this name. Raises RefusedError."""
    prices = options.llm_prices.get(name, (0.0, 0.0))
    try:
        return find_model(environ, name, options.llm_url, options.llm_api, prices)
    except ModelError as error:
        raise RefusedError(f"the writer `llm` has no model: {error}") from None


def find_judge(options: Options, environ: Mapping[str, str]) -> Model | None:
    """Return the model that judges sentences; ``None`` if there is none. Raises RefusedError."""
    name = options.judge or (options.llm_model if options.writer == "llm" else "none")
    return None if name == "none" else use_llm(options, environ, name)


def _command(settings: Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    if not options.command:
        raise RefusedError(
            "the writer `command` has no program to run: set `expand.command` to a list such as "
            "[my-agent, --brief, '{brief}']"
        )
    program = find_program(options.command[0], settings.root, environ)
    if program is None:
        raise RefusedError(f"the writer `command` has no program to run: {options.command[0]!r} was not found")
    git = find_git(settings.root)
    if isinstance(git, str):
        raise RefusedError(f"the writer `command` works in a git checkout of the project, and {git}")
    if not git.has_commit():
        raise RefusedError(
            "the writer `command` works in a checkout of the last commit, but there is none; commit first"
        )
    sandbox = _sandbox(settings, options, environ, git)
    confined = f"not confined: {sandbox}" if isinstance(sandbox, str) else sandbox.bounds

    def create(fetcher: Fetcher, token: CancelToken, emit: EventHandler, compute: Compute) -> Write:
        """Return the writer, after removing what killed runs left behind."""
        remove_scratch_copies(settings.root)
        emit(Message(f"{Path(program).name} is {confined}"))
        return CommandWriter(
            (program, *options.command[1:]),
            git,
            partial(render_brief, docs_dir=settings.docs_dir.strip("/")),
            environ,
            settings.docs_dir,
            options.command_env,
            60 * options.command_minutes,
            sandbox=None if isinstance(sandbox, str) else sandbox,
            log=lambda text: emit(Output(text)),
            tell=lambda text: emit(Message(text)),
            check=token.check,
        ).write

    return WriterSpec(f"the program {shlex.join(options.command)}, {confined}", options.command, create)


def _sandbox(settings: Settings, options: Options, environ: Mapping[str, str], git: Git) -> Sandbox | str:
    """Return the program's sandbox, or why there is none. Raises :class:`RefusedError` if it is required."""
    if options.command_sandbox == "never":
        return "`command_sandbox` is `never`"
    root = settings.root.resolve()
    writable = [(root / Path(path).expanduser()).resolve() for path in options.command_writable]
    missing = next((path for path in writable if not path.is_dir()), None)
    if missing:
        raise RefusedError(f"`expand.command_writable` names {missing}, which is not a folder; create it first")
    shown = (root, git.path("."), git.path("objects"))
    found = find_sandbox(environ, root, shown=shown, writable=writable, has_network=options.command_network)
    if isinstance(found, str) and options.command_sandbox == "always":
        raise RefusedError(f"`expand.command_sandbox` is `always`, and {found}")
    return found
