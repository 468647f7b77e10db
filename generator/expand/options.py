"""The plugin's option ``expand``, the setup of a run, and the client that requests documents."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Annotated, Literal, get_type_hints

from msgspec import Meta, ValidationError, convert

from generator import cache, library, store
from generator.expand.events import Clock, EventHandler
from generator.model import Problem
from generator.search.options import SearchOptions
from generator.web import archive, github, model
from generator.web.client import Fetcher

IndexFiles = Callable[[library.Library], Mapping[str, str]]
"""Returns the contents of INDEX.md and SKILL.md, by path from the project's folder."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The setup of a run of `planbook expand` or `planbook finish`."""

    settings: store.Settings
    index_files: IndexFiles
    command: str
    """As the user would type it: ``planbook expand``."""
    commit: bool = True
    verb: str = "Expand"
    """The first word of the commit subject."""
    may_be_staged: tuple[str, ...] = ()
    """Paths of files that belong to the commit, so that the user may have staged them."""
    watch: EventHandler = lambda event: None
    clock: Clock = field(default_factory=Clock)
    calls: cache.FunctionCache = cache.UNCACHED
    """The cache of parsed files, which builds use too."""

    @property
    def docs(self) -> str:
        """The folder of pages, without slashes around it."""
        return self.settings.docs_dir.strip("/")


Text = Annotated[str, Meta(description="a text")]
Flag = Annotated[bool, Meta(description="true or false")]
Texts = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(description="a list of strings, such as [a, b]")]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of research. Messages use the description of an option to say what its value must be."""

    workers: Annotated[int, Meta(ge=1, le=64, description="a whole number from 1 to 64")] = 4
    """Number of PARTs to research at once."""
    writer: Annotated[Literal["extract", "llm", "command"], Meta(description="one of extract, llm, command")] = (
        "extract"
    )
    """The writer of the pages."""
    sources: Annotated[int, Meta(ge=1, le=100, description="a whole number from 1 to 100")] = 12
    """Maximum number of documents to read for a page."""
    min_answered: Annotated[float, Meta(ge=0, le=100, description="a number from 0 to 100")] = 80.0
    """Percentage of its points that a page must answer for its PART to be done; otherwise the PART is partial."""
    pause: Annotated[float, Meta(ge=0, le=3_600, description="a number from 0 to 3,600")] = 1.0
    """Seconds between requests to the same host."""
    max_age_days: Annotated[float, Meta(ge=0, le=36_500, description="a number from 0 to 36,500")] = 7.0
    """Maximum age of an archived document; older ones are fetched again."""
    timeout: Annotated[float, Meta(ge=1, le=600, description="a number from 1 to 600")] = 15.0
    """Timeout in seconds for a connection, and for the next bytes of a response."""
    contact: Text = ""
    """Contact address sent to hosts; by default the site's address."""
    allow_loopback: Flag = False
    """Allow reading pages of servers on this machine."""
    commit: Flag = True
    """Commit the results."""
    llm_model: Text = ""
    """For the writer `llm`: the name of the model on its server."""
    llm_url: Text = ""
    """Base URL of the server; by default from the environment, else the API's own service."""
    llm_tokens: Annotated[int, Meta(ge=256, le=1_000_000, description="a whole number from 256 to 1,000,000")] = 8_192
    """Maximum tokens of one answer, which is one section of a page."""
    judge: Text = ""
    """The model that judges each sentence against its quotes; by default the writer's own; `none` for none."""
    command: Texts = ()
    """For the writer `command`: the program and its arguments."""
    command_env: Texts = ()
    """Names of environment variables to pass to the program, in addition to the usual ones."""
    command_minutes: Annotated[float, Meta(ge=0.01, le=1_440, description="a number from 0.01 to 1,440")] = 30.0
    """Time limit for one page."""
    command_sandbox: Annotated[Literal["always", "never"], Meta(description="one of always, never")] = "always"
    """Confine the program by bubblewrap."""
    command_network: Flag = False
    """Allow a confined program to use the network."""
    command_writable: Texts = ()
    """Further folders that a confined program may write to, relative to the configuration."""
    search: Annotated[SearchOptions, Meta(description="a mapping of options, such as `limit: 8`")] = field(
        default_factory=SearchOptions
    )


PLUGIN_OPTIONS = ("plans_dir", "base", "problems", "agents", "fix_pages", "expand")
"""The plugin's options."""


def read_options(settings: store.Settings, given: Mapping[str, object] | None = None) -> Options:
    """Return the options of a project's configuration, overridden by those `given` on the command line.

    Raises :class:`RefusedError` for an invalid option, with file, line, key, and what is expected.
    """
    for name, what in wrong_options(Options, settings.expand):
        raise store.RefusedError(f"{settings.config}:{_line(settings, name)}: `expand.{name}` {what}")
    values = {**settings.expand, **{name: value for name, value in (given or {}).items() if value is not None}}
    return convert(values, Options)


def option_problems(settings: store.Settings) -> tuple[Problem, ...]:
    """Return K005 for each option of the plugin that is unknown or has a wrong value."""
    lines = settings.plugin_lines
    unknown = [name for name in settings.plugin_options if name not in PLUGIN_OPTIONS]
    found = [
        Problem(settings.config, lines.get(name, 1), "K005", f"`{name}` {_not_an_option(name, PLUGIN_OPTIONS)}")
        for name in unknown
    ]
    if not isinstance(settings.plugin_options.get("expand") or {}, dict):
        what = "`expand` must be a mapping of options"
        found.append(Problem(settings.config, lines.get("expand", 1), "K005", what))
    for name, what in wrong_options(Options, settings.expand):
        found.append(Problem(settings.config, _line(settings, name), "K005", f"`expand.{name}` {what}"))
    return tuple(found)


def wrong_options(kind: type, values: Mapping[str, object], group: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name of each value that `kind` has no option for, or another one, with what is wrong.

    The value is not repeated: it may contain a password.
    """
    types = get_type_hints(kind, include_extras=True)
    for name, value in values.items():
        if name not in types:
            yield f"{group}{name}", _not_an_option(str(name), types)
        elif is_dataclass(types[name].__origin__) and isinstance(value, dict):
            yield from wrong_options(types[name].__origin__, value, f"{group}{name}.")
        else:
            try:
                convert(value, types[name])
            except ValidationError:
                yield f"{group}{name}", f"must be {types[name].__metadata__[-1].description}"


def _not_an_option(name: str, known: Iterable[str]) -> str:
    if name.upper().endswith(("KEY", "TOKEN")):
        return "is not an option; keys are read from the environment only, do not put them into files"
    near = difflib.get_close_matches(name, list(known), 1)
    hint = f"did you mean `{near[0]}`?" if near else f"the options are {', '.join(known)}"
    return f"is not an option; {hint}"


def _line(settings: store.Settings, name: str) -> int:
    """Return the line of an option of ``expand``, or of the group that it is in."""
    lines, group = settings.plugin_lines, name.partition(".")[0]
    return lines.get(f"expand.{name}") or lines.get(f"expand.{group}", 1)


def open_fetcher(settings: store.Settings, options: Options, environ: Mapping[str, str], since: str = "") -> Fetcher:
    """Return the client that requests and archives documents; those stored `since` then are not requested again."""
    return Fetcher(
        model.Limits(timeout_s=options.timeout, deadline_s=max(60.0, 4 * options.timeout), spacing_s=options.pause),
        contact=options.contact or settings.site_url,
        allow_loopback=options.allow_loopback,
        archive=archive.Archive(settings.root, max_age_s=options.max_age_days * 86_400, since=since),
        github=github.find_endpoints(environ),
    )
