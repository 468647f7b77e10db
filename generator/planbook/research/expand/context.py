"""Creation of a worker's context from the options: connections, the writer, the documents."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from planbook import store
from planbook.markdown.plain_text import count
from planbook.research import drafts
from planbook.research.evidence.brief import PROGRAM_TOKENS, render_brief
from planbook.research.evidence.dossier import Dossier, DossierStore
from planbook.research.expand import worker
from planbook.research.expand.cancellation import CancelToken
from planbook.research.expand.jobs import BaseAtStart, Job, StartJob
from planbook.research.git import Git, NoGit, find_git, remove_scratch_copies, shared_folder
from planbook.research.proof.sentences import Judge
from planbook.research.recording.clock import Clock
from planbook.research.recording.events import Event, EventHandler
from planbook.research.search.catalogue import make_providers, open_documents, unavailable
from planbook.research.search.full_text_index import Documents
from planbook.research.search.repositories import RepositoryIndex
from planbook.research.web.archive import Archive
from planbook.research.web.client import Fetcher, open_fetcher
from planbook.research.web.model import Call, Fetched, Outcome, Stream
from planbook.research.writers import command, llm, llm_api, page
from planbook.research.writers.judge import JUDGE_TOKENS, judge
from planbook.research.writers.program import Sandbox, find_sandbox
from planbook.store.files import work_path
from planbook.store.options import LOCAL, REPOSITORIES, Options, read_options

OFFLINE_PROVIDERS = (LOCAL, REPOSITORIES)
"""Providers that send no requests."""
INDEX = "documents.sqlite"
"""The index of the folder of documents, in the working folder."""
_MAX_LISTED_UNREADABLE = 3
"""Number of documents that cannot be read and are named."""


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """The specification of a worker context; it can be sent to another machine."""

    settings: store.Settings
    options: Options
    environ: Mapping[str, str]
    """The source of the providers' keys, which are not sent anywhere else."""
    clock: Clock
    base: BaseAtStart = field(default_factory=BaseAtStart)

    def moved_to(self, scratch: Path, environ: Mapping[str, str]) -> WorkerSpec:
        """Return the specification for another machine.

        It has the working folder and the environment of that machine. Folders of documents keep
        their absolute path: they are used if both machines share them.
        """
        root = self.settings.root.absolute()
        search = self.options.search
        mirrors = {
            name: msgspec.structs.replace(mirror, path=str(root / mirror.path))
            for name, mirror in search.mirrors.items()
        }
        documents = str(root / search.documents) if search.documents else ""
        search = replace(search, documents=documents, repositories=mirrors)
        options = replace(self.options, search=search)
        settings = replace(self.settings, root=scratch)
        return replace(self, settings=settings, options=options, environ=environ)

    @contextmanager
    def connect(self, token: CancelToken, emit: EventHandler) -> Iterator[worker.WorkerContext]:
        """Open the connections until the end of the block. Raises RefusedError."""
        writer = find_writer(self.settings, self.options, self.environ)
        with ExitStack() as stack:
            fetcher = stack.enter_context(
                open_fetcher(self.settings, self.options, self.environ, self.base.since)
            )
            # Threads that wait for their turn at a host would outlast the run.
            token.on_cancel(fetcher.limiter.stop)
            reporting = worker.WorkerReporting(
                emit=emit,
                spend=token.spend,
                raise_if_stopped=token.check,
                store_dossier=DossierStore(shared_folder(self.settings.root)).renew,
            )
            limits = worker.WorkerLimits(
                min_results=self.options.search.limit, max_documents=self.options.sources
            )
            yield worker.WorkerContext(
                connections=self._open_connections(stack, fetcher, emit),
                reporting=reporting,
                write=writer.create(fetcher, token, emit),
                base=self.base,
                clock=self.clock,
                limits=limits,
            )

    def _open_connections(
        self, stack: ExitStack, fetcher: Fetcher, emit: EventHandler
    ) -> worker.WorkerConnections:
        """Return what a worker asks: the web, documents and repositories, the judge's model."""
        search = self.options.search
        documents = self._open_documents(stack, fetcher, emit)
        repositories = self._open_repositories(stack, emit)
        indexes = [index for index in (documents, repositories) if index is not None]
        model = find_judge(self.options, self.environ)
        return worker.WorkerConnections(
            # Made for each job: its `ask` counts what the job costs.
            providers=lambda ask: make_providers(
                search, ask, self.environ, documents, repositories
            ),
            ask=fetcher.call,
            fetch=fetcher.fetch,
            read_local=partial(_read_local, indexes),
            open_judge=partial(_judge_client, self.settings, model, fetcher.stream),
            unavailable=unavailable(search, self.environ, self.settings.root),
            set_process_count=fetcher.limiter.share,
        )

    def _open_documents(
        self, stack: ExitStack, fetcher: Fetcher, emit: EventHandler
    ) -> Documents | None:
        """Open the index of the local documents, if there are any; report those that are unread."""
        search = self.options.search
        path = work_path(self.settings.root, INDEX)

        def tell(message: str) -> None:
            """Report how far the index is."""
            emit(Event("Message", message))

        documents = open_documents(search, self.settings.root, path, fetcher.limits, tell)
        if documents is not None:
            stack.callback(documents.close)
            messages = [f"{search.documents}/{message}" for message in documents.source.messages]
            for message in (*_describe_unread(documents, search.documents), *messages):
                emit(Event("Message", message))
        return documents

    def _open_repositories(self, stack: ExitStack, emit: EventHandler) -> RepositoryIndex | None:
        """Open the index of the mirrors, if they are searched, and bring it up to date."""
        search = self.options.search
        if REPOSITORIES not in search.providers or not search.repositories:
            return None
        path = work_path(self.settings.root, f"{REPOSITORIES}.sqlite")
        index = RepositoryIndex(path, self.settings.root, search.mirrors)
        stack.callback(index.close)
        index.refresh(lambda message: emit(Event("Message", message)))
        return index


def _describe_unread(documents: Documents, folder: str) -> Iterator[str]:
    """Yield a line for each of the first documents that cannot be read, and one for the others."""
    for name, why in documents.troubles[:_MAX_LISTED_UNREADABLE]:
        yield f"{folder}/{name} cannot be read: {why}"
    other_count = len(documents.troubles) - _MAX_LISTED_UNREADABLE
    if other_count > 0:
        yield f"{count(other_count, 'other document')} in {folder}/ cannot be read either"


@contextmanager
def start_threads(
    spec: WorkerSpec, base: BaseAtStart, count: int, token: CancelToken, emit: EventHandler
) -> Iterator[StartJob]:
    """Start workers in threads of this process. See `Workers`."""
    context = replace(spec, base=base).connect(token, emit)
    with context as connected, ThreadPoolExecutor(count, "worker") as executor:
        yield lambda job: executor.submit(worker.run_job, job, connected)


def read_nearby(
    settings: store.Settings, environ: Mapping[str, str], brief: drafts.Brief
) -> Dossier:
    """Return what can be read for a page without a request.

    These are local documents, mirrors and stored texts.

    Raises:
        RefusedError: the options are not valid, or a folder cannot be read.
    """
    options = read_options(settings)
    # Neither its providers nor its fetches may send a request: see `fetch` below.
    local_providers = tuple(name for name in options.search.providers if name in OFFLINE_PROVIDERS)
    options = replace(options, search=replace(options.search, providers=local_providers))
    clock = Clock()
    stored = Archive(settings.root)

    def fetch(url: str) -> Fetched:
        """Return the stored document at an address."""
        return stored.get(url) or Fetched(url, Outcome.REFUSED)

    spec = reading_spec(settings, options, environ, clock)
    with spec.connect(CancelToken(), lambda event: None) as context:
        offline = replace(context, connections=replace(context.connections, fetch=fetch))
        return worker.gather_page(Job(0, brief, clock.stamp()), offline)


def reading_spec(
    settings: store.Settings, options: Options, environ: Mapping[str, str], clock: Clock
) -> WorkerSpec:
    """Return the specification of workers that search and read, and do not write.

    No writer needs to be there.
    """
    return WorkerSpec(settings, replace(options, writer="extract", judge="none"), environ, clock)


def _read_local(
    indexes: Sequence[Documents | RepositoryIndex], url: str
) -> tuple[str, Fetched] | None:
    """Return the document at an address from a mirror or the local folder.

    The name of its place comes first.
    """
    for index in indexes:
        fetched = index.read_local(url)
        if fetched is not None:
            origin = fetched.origin
            collection = f"mirror of {origin.repository}" if origin else index.name
            return collection, fetched
    # Addresses of the folder are asked for nowhere else: what is not there any more is gone.
    if urlsplit(url).scheme not in {"http", "https"}:
        return LOCAL, Fetched(url, Outcome.GONE, "it is no longer in the folder of documents")
    return None


# --- writers --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WriterSpec:
    """A writer that can be used here."""

    description: str
    """For users: the model or program and where it runs, without secrets."""
    create: Callable[[Fetcher, CancelToken, EventHandler], worker.Write] = field(repr=False)
    """Called once per run, while the lock is held."""
    models: tuple[tuple[llm_api.Model | None, int], ...] = ()
    """The models that write and judge, with the maximum tokens of an answer."""


def find_writer(
    settings: store.Settings, options: Options, environ: Mapping[str, str]
) -> WriterSpec:
    """Return the writer that `options` name, without using it yet. Raises :class:`RefusedError`."""
    if options.writer == "extract":
        description = "quotes are taken from the sources as they are"
        return WriterSpec(description, lambda *_: page.compose_quotes)
    if options.writer == "llm":
        return _llm_spec(settings, options, environ)
    return _command_spec(settings, options, environ)


def _llm_spec(settings: store.Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    """Return the writer `llm` with the configured models. Raises :class:`RefusedError`."""
    model = llm_api.find_model(environ, options.llm_model, options.llm_url)
    judge = find_judge(options, environ)

    def create(fetcher: Fetcher, token: CancelToken, emit: EventHandler) -> worker.Write:
        """Return the writer, which sends no requests after a cancellation."""

        def stream(call: Call) -> Iterator[str]:
            """Stream the model's answer."""
            token.check()
            return fetcher.stream(call)

        return llm.LlmWriter(model, judge, stream, answer_store(settings), options.llm_tokens).write

    name = f"{model.name} at {model.host}"
    judged = "; its sentences are not judged"
    if judge:
        judge_name = f"{judge.name} at {judge.host}"
        judged = f", judged by {'it' if judge_name == name else judge_name}"
    models = ((model, options.llm_tokens), (judge, JUDGE_TOKENS))
    return WriterSpec(f"the model {name}{judged}", create, models)


@contextmanager
def open_judge(
    settings: store.Settings, environ: Mapping[str, str], *, is_offline: bool
) -> Iterator[Judge | None]:
    """Open the configured judge; ``None`` without one, or if nothing may be requested.

    Raises RefusedError.
    """
    options = read_options(settings)
    model = None if is_offline else find_judge(options, environ)
    if model is None:
        yield None
        return
    with open_fetcher(settings, options, environ) as fetcher:
        client = _judge_client(settings, model, fetcher.stream)
        yield partial(judge, client) if client else None


def _judge_client(
    settings: store.Settings, model: llm_api.Model | None, stream: Stream
) -> llm_api.ModelClient | None:
    return llm_api.ModelClient(model, stream, answer_store(settings)) if model else None


def answer_store(settings: store.Settings) -> llm_api.AnswerStore:
    """Return the answers of models in the working folder."""
    root = settings.root
    return llm_api.AnswerStore(partial(store.read_work, root), partial(store.write_work, root))


def find_judge(options: Options, environ: Mapping[str, str]) -> llm_api.Model | None:
    """Return the model that judges sentences; ``None`` if there is none. Raises RefusedError."""
    name = options.judge or (options.llm_model if options.writer == "llm" else "none")
    return None if name == "none" else llm_api.find_model(environ, name, options.llm_url)


def _command_spec(
    settings: store.Settings, options: Options, environ: Mapping[str, str]
) -> WriterSpec:
    """Return the writer `command` with the configured program. Raises :class:`RefusedError`."""
    program = _find_program(settings, options, environ)
    git = find_git(settings.root)
    if isinstance(git, NoGit):
        defect = "works in a git checkout of the project"
        raise store.RefusedError(f"the writer `command` {defect}, and {git}")
    # The program works in a checkout of its own, which git makes of a commit.
    if not git.has_commit():
        defect = "works in a checkout of the last commit, but there is none; commit first"
        raise store.RefusedError(f"the writer `command` {defect}")
    sandbox = _open_sandbox(settings, options, environ, git)
    confined = sandbox.bounds if sandbox else "not confined"

    def create(fetcher: Fetcher, token: CancelToken, emit: EventHandler) -> worker.Write:
        """Return the writer, after removing what killed runs left behind."""
        remove_scratch_copies(settings.root)
        emit(Event("Message", f"{Path(program).name} is {confined}"))
        docs = settings.docs_dir.strip("/")
        return command.CommandWriter(
            (program, *options.command[1:]),
            git,
            partial(render_brief, docs_dir=docs, tokens=PROGRAM_TOKENS),
            environ,
            docs_dir=settings.docs_dir,
            passed=options.command_env,
            timeout_s=60 * options.command_minutes,
            sandbox=sandbox,
            log=lambda text: emit(Event("Output", details={"text": text})),
            check=token.check,
            kept=answer_store(settings),
        ).write

    # What the program itself asks of a model is not known here, and not forecast.
    models = ((find_judge(options, environ), JUDGE_TOKENS),)
    return WriterSpec(f"the program {shlex.join(options.command)}, {confined}", create, models)


def _find_program(settings: store.Settings, options: Options, environ: Mapping[str, str]) -> str:
    """Return the path of the configured program. Raises :class:`RefusedError`."""
    if not options.command:
        raise store.RefusedError(
            "the writer `command` has no program to run: set `expand.command` to a list such as "
            "[my-agent, --brief, '{brief}']"
        )
    program = command.find_program(options.command[0], settings.root, environ)
    if program is None:
        name = options.command[0]
        raise store.RefusedError(
            f"the writer `command` has no program to run: {name!r} was not found"
        )
    return program


def _open_sandbox(
    settings: store.Settings, options: Options, environ: Mapping[str, str], git: Git
) -> Sandbox | None:
    """Return the program's sandbox; ``None`` if it shall have none.

    Raises :class:`RefusedError`.
    """
    if options.command_sandbox == "never":
        return None
    root = settings.root.resolve()
    writable = [(root / Path(path).expanduser()).resolve() for path in options.command_writable]
    for path in writable:
        if not path.is_dir():
            defect = f"names {path}, which is not a folder; create it first"
            raise store.RefusedError(f"`expand.command_writable` {defect}")
    # A checkout of a worktree reads the repository, which is elsewhere.
    visible = (root, git.path("."), git.path("objects"))
    sandbox = find_sandbox(
        environ, root, visible=visible, writable=writable, has_network=options.command_network
    )
    if isinstance(sandbox, str):
        raise store.RefusedError(
            f"the writer `command` runs programs in a sandbox, and {sandbox}; install the package "
            "bubblewrap, or run with --no-sandbox, where the program can do all that you can"
        )
    return sandbox
