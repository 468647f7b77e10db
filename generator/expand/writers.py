"""Who writes: the writers that there are, by name, and what each is made of. The seam where further ones are put in."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from generator.expand.options import Options
from generator.expand.runner import Write
from generator.research.brief import render_brief
from generator.research.compose.command import CommandWriter
from generator.research.compose.command_sandbox import Sandbox, find_sandbox
from generator.research.compose.extract import ExtractWriter
from generator.research.compose.llm import LlmWriter
from generator.research.compose.llm_access import ModelError, find_model
from generator.store import Settings
from generator.store.git import Git, find_git
from generator.store.scratch import remove_scratch_copies
from generator.web.model import Ask, Call, Reply, Stream


class WriterError(ValueError):
    """A writer that cannot write here; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a writer works with, beside what it is told: the ways to hosts, and whom to tell."""

    ask: Ask
    stream: Stream
    check: Callable[[], None]
    """Raises StoppedError where the run is to stop."""
    log: Callable[[str], None]
    """Gets what a program printed."""
    tell: Callable[[str], None]
    """Gets what a person should know."""


@dataclass(frozen=True, slots=True)
class Author:
    """A writer that can write here."""

    who: str
    """For a person: who writes, where, and with what; without secrets."""
    ways: tuple[str, ...]
    """What of its options decides the page: with others, pages are written anew."""
    make: Callable[[Means], Write] = field(repr=False)
    """Called once a run, while the lock is held."""
    answers: int = 0
    """Tokens of one answer, at most, where a model is asked; it is asked once a section."""


def find_writer(settings: Settings, options: Options, environ: Mapping[str, str]) -> Author:
    """The writer that `options` choose. Raises :class:`WriterError`; nobody is asked yet, and nothing is run."""
    return _FIND[options.writer](settings, options, environ)


def _extract(settings: Settings, options: Options, environ: Mapping[str, str]) -> Author:
    writer = ExtractWriter()
    return Author(
        "quotes are taken from the sources as they are",
        (),
        lambda means: lambda brief, sources, evidence, day, findings: writer.write(brief, sources, evidence, day),
    )


def _llm(settings: Settings, options: Options, environ: Mapping[str, str]) -> Author:
    try:
        model = find_model(environ, options.llm_model, options.llm_url, options.llm_api)
    except ModelError as error:
        raise WriterError(f"the writer `llm` has nobody to ask: {error}") from None

    def make(means: Means) -> Write:
        """A model that writes, by the means of one PART."""
        writer = LlmWriter(model, _checked(means), _checked_stream(means), options.llm_tokens)
        return lambda brief, sources, evidence, day, findings: writer.write(brief, sources, evidence, day)

    return Author(
        f"the model {model.name} at {model.host}", (model.name, model.url, model.api.value), make, options.llm_tokens
    )


def _command(settings: Settings, options: Options, environ: Mapping[str, str]) -> Author:
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

    def make(means: Means) -> Write:
        """A program that writes, by the means of one PART."""
        remove_scratch_copies(settings.root)
        means.tell(f"{program} is {confined}")
        return CommandWriter(
            options.command,
            git,
            partial(render_brief, docs_dir=settings.docs_dir.strip("/")),
            environ,
            settings.docs_dir,
            options.command_env,
            60 * options.command_minutes,
            sandbox=None if isinstance(sandbox, str) else sandbox,
            log=means.log,
            tell=means.tell,
            check=means.check,
        ).write

    return Author(f"the program {shlex.join(options.command)}, {confined}", options.command, make)


def _sandbox(settings: Settings, options: Options, environ: Mapping[str, str], git: Git) -> Sandbox | str:
    """What confines a program, or why nothing does. Raises :class:`WriterError` where something has to."""
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


def _checked(means: Means) -> Ask:
    def ask(call: Call) -> Reply:
        """Calls, unless the run is to stop."""
        means.check()
        return means.ask(call)

    return ask


def _checked_stream(means: Means) -> Stream:
    def stream(call: Call) -> Iterator[str]:
        """Calls for an answer in pieces, unless the run is to stop."""
        means.check()
        return means.stream(call)

    return stream


_FIND: Mapping[str, Callable[[Settings, Options, Mapping[str, str]], Author]] = {
    "extract": _extract,
    "llm": _llm,
    "command": _command,
}
