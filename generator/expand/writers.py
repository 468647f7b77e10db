"""The writers by name, and the requirements of each."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from generator.expand.cancellation import CancelToken
from generator.expand.events import EventHandler, Message, Output
from generator.expand.options import Options
from generator.expand.worker import Write
from generator.research.brief import render_brief
from generator.research.compose.command import CommandWriter
from generator.research.compose.llm import LlmWriter
from generator.research.compose.llm_api import ModelError, find_model
from generator.research.compose.llm_section import PROMPT_VERSION
from generator.research.compose.page import ExtractWriter
from generator.research.compose.program import Sandbox, find_sandbox
from generator.store import Settings
from generator.store.git import Git, find_git
from generator.store.scratch import remove_scratch_copies
from generator.web.client import Fetcher
from generator.web.model import Call


class WriterError(ValueError):
    """A writer cannot be used; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class WriterSpec:
    """A writer that can be used here."""

    description: str
    """For users: the model or program and where it runs, without secrets."""
    cache_key: tuple[str, ...]
    """The options that decide the page: if they change, unfinished pages are written anew."""
    create: Callable[[Fetcher, CancelToken, EventHandler], Write] = field(repr=False)
    """Called once a run, while the lock is held."""
    answer_tokens: int = 0
    """Maximum tokens of one answer of a model; there is one question for each section."""


def find_writer(settings: Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    """Return the writer that `options` name, without using it yet. Raises :class:`WriterError`."""
    return _FIND[options.writer](settings, options, environ)


def _extract(settings: Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    def create(fetcher: Fetcher, token: CancelToken, emit: EventHandler) -> Write:
        """Return the writer."""
        writer = ExtractWriter()
        return lambda brief, sources, evidence, day, findings: writer.write(brief, sources, evidence, day)

    return WriterSpec("quotes are taken from the sources as they are", (), create)


def _llm(settings: Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    try:
        model = find_model(environ, options.llm_model, options.llm_url, options.llm_api)
    except ModelError as error:
        raise WriterError(f"the writer `llm` has nobody to ask: {error}") from None

    def create(fetcher: Fetcher, token: CancelToken, emit: EventHandler) -> Write:
        """Return the writer, which asks nothing after a cancellation."""

        def stream(call: Call) -> Iterator[str]:
            """Call the model for an answer in pieces."""
            token.check()
            return fetcher.stream(call)

        writer = LlmWriter(model, stream, options.llm_tokens)
        return lambda brief, sources, evidence, day, findings: writer.write(brief, sources, evidence, day)

    cache_key = (model.name, model.url, model.api.value, PROMPT_VERSION)
    return WriterSpec(f"the model {model.name} at {model.host}", cache_key, create, options.llm_tokens)


def _command(settings: Settings, options: Options, environ: Mapping[str, str]) -> WriterSpec:
    if not options.command:
        raise WriterError(
            "the writer `command` has no program to run: set `expand.command` to a list such as "
            "[my-agent, --brief, '{brief}']"
        )
    program = options.command[0]
    there = str(settings.root / program) if "/" in program else program
    if shutil.which(there, path=environ.get("PATH")) is None:
        raise WriterError(f"the writer `command` has no program to run: there is no {program!r} that could be run")
    git = find_git(settings.root)
    if isinstance(git, str):
        raise WriterError(f"the writer `command` works in a copy of what git holds, and {git}")
    if not git.has_commit():
        raise WriterError("the writer `command` works in a copy of the last commit, and there is none; commit first")
    sandbox = _sandbox(settings, options, environ, git)
    confined = f"not confined: {sandbox}" if isinstance(sandbox, str) else sandbox.bounds

    def create(fetcher: Fetcher, token: CancelToken, emit: EventHandler) -> Write:
        """Return the writer, after removing what killed runs left behind."""
        remove_scratch_copies(settings.root)
        emit(Message(f"{program} is {confined}"))
        return CommandWriter(
            options.command,
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
    """Return the program's sandbox, or why there is none. Raises :class:`WriterError` if there has to be one."""
    if options.command_sandbox == "never":
        return "`command_sandbox` is `never`"
    root = settings.root.resolve()
    writable = [(root / Path(path).expanduser()).resolve() for path in options.command_writable]
    missing = next((path for path in writable if not path.is_dir()), None)
    if missing:
        raise WriterError(f"`expand.command_writable` names {missing}, which is not a folder; make it first")
    shown = (root, git.path("."), git.path("objects"))
    found = find_sandbox(environ, root, shown=shown, writable=writable, has_network=options.command_network)
    if isinstance(found, str) and options.command_sandbox == "always":
        raise WriterError(f"`expand.command_sandbox` is `always`, and {found}")
    return found


_FIND: Mapping[str, Callable[[Settings, Options, Mapping[str, str]], WriterSpec]] = {
    "extract": _extract,
    "llm": _llm,
    "command": _command,
}
