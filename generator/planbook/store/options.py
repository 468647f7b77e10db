"""The options of the plugin in ``mkdocs.yml``: one table for builds, checks and research.

Research needs an extra; its options are described here, so that a build reports a wrong one without
it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Annotated, Literal, get_args, get_type_hints

from msgspec import Meta, Struct, ValidationError, convert

from planbook.model import Problem
from planbook.store.files import RefusedError
from planbook.store.settings import Settings

LOCAL, REPOSITORIES = "local", "repositories"
"""The providers that search the project's own documents and mirrors."""
ADDRESSABLE = ("brave", "tavily", "wikipedia", "github", "arxiv")
"""The providers with an address of their own, which the option `addresses` replaces."""
PROVIDERS = (LOCAL, REPOSITORIES, "searxng", *ADDRESSABLE)
"""All search providers, in the default order."""
MAX_RESULTS = 50
_FOLDER = r"(?!\.{1,2}(?:[/\\]|\Z))[^/\\]+"

Url = Annotated[
    str,
    Meta(
        pattern=r"\A\s*(?:https?://[A-Za-z0-9.\[\]:_-]+(?:/[A-Za-z0-9._~/-]*)?)?\s*\Z",
        description="an address such as http://localhost:8080, "
        "without user name, password and parameters",
    ),
]
"""An address of an API; empty for the default one."""


class RepositoryOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """A local mirror to search."""

    path: str
    """Relative to the configuration."""
    ref: str = ""
    """The branch, tag or commit; by default the main branch."""
    files: tuple[str, ...] = ()
    """The files to search, as patterns of gitignore: ``docs/**``, ``!docs/old/``; by default
    documentation and code."""


Repositories = Annotated[
    Mapping[
        Annotated[str, Meta(pattern=r"\A[\w.-]+/[\w.-]+(/[\w./-]+)?\Z")], str | RepositoryOptions
    ],
    Meta(
        description="a mapping from OWNER/REPO to the folder of a mirror, "
        "or to `path`, `ref` and `files` of one"
    ),
]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Search options. They never include keys, which come from the environment.

    Messages use the description of an option to say what its value must be.
    """

    providers: Annotated[
        tuple[Literal[PROVIDERS], ...],  # type: ignore[valid-type]
        Meta(
            description=f"a list of providers in the order to ask them, from {', '.join(PROVIDERS)}"
        ),
    ] = PROVIDERS
    limit: Annotated[
        int, Meta(ge=1, le=MAX_RESULTS, description=f"a whole number from 1 to {MAX_RESULTS}")
    ] = 8
    """Number of works after which no further provider is asked for a query."""
    documents: Annotated[
        str,
        Meta(
            pattern=rf"\A{_FOLDER}(?:[/\\]{_FOLDER})*[/\\]*\Z",
            description="a folder within the project, relative to mkdocs.yml, such as `documents`",
        ),
    ] = "documents"
    repositories: Repositories = field(default_factory=dict)
    """Local mirrors to search, by repository."""
    searxng_url: Url = ""
    addresses: Annotated[
        Mapping[Literal[ADDRESSABLE], Url],  # type: ignore[valid-type]
        Meta(
            description=f"a mapping from {', '.join(ADDRESSABLE)} "
            "to addresses without user name and password"
        ),
    ] = field(default_factory=dict)
    """Other addresses of APIs, by provider: a gateway, a mirror, a Wikipedia in another
    language."""

    def __post_init__(self) -> None:
        """Normalize the folder."""
        object.__setattr__(self, "documents", self.documents.replace("\\", "/").strip("/"))

    @property
    def mirrors(self) -> dict[str, RepositoryOptions]:
        """The options of each repository to search."""
        items = self.repositories.items()
        return {
            name: RepositoryOptions(value) if isinstance(value, str) else value
            for name, value in items
        }


WriterName = Literal[
    "auto",
    "extract",
    "llm",
    "command",
]
Text = Annotated[str, Meta(description="a text")]
Flag = Annotated[bool, Meta(description="true or false")]
Texts = Annotated[
    tuple[Annotated[str, Meta(min_length=1)], ...],
    Meta(description="a list of strings, such as [a, b]"),
]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of research.

    Messages use the description of an option to say what its value must be.
    """

    workers: Annotated[int, Meta(ge=1, le=64, description="a whole number from 1 to 64")] = 4
    """Number of PARTs to research at once."""
    writer: Annotated[WriterName, Meta(description=f"one of {', '.join(get_args(WriterName))}")] = (
        "auto"
    )
    """The writer of the pages; `auto` is the model or program that is configured, else
    `extract`."""
    sources: Annotated[int, Meta(ge=1, le=100, description="a whole number from 1 to 100")] = 12
    """Maximum number of documents to read for a page."""
    min_answered: Annotated[float, Meta(ge=0, le=100, description="a number from 0 to 100")] = 80.0
    """Percentage of its points that a page must answer for its PART to be done; otherwise the PART
    is partial."""
    pause: Annotated[float, Meta(ge=0, le=3_600, description="a number from 0 to 3,600")] = 1.0
    """Seconds between requests to the same host."""
    max_age_days: Annotated[
        float, Meta(ge=0, le=36_500, description="a number from 0 to 36,500")
    ] = 7.0
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
    llm_tokens: Annotated[
        int, Meta(ge=256, le=1_000_000, description="a whole number from 256 to 1,000,000")
    ] = 8_192
    """Maximum tokens of one answer, which is one section of a page."""
    judge: Text = ""
    """The model that judges each sentence against its quotes; by default the writer's own; `none`
    for none."""
    command: Texts = ()
    """For the writer `command`: the program and its arguments."""
    command_env: Texts = ()
    """Names of environment variables to pass to the program, in addition to the usual ones."""
    command_minutes: Annotated[
        float, Meta(ge=0.01, le=1_440, description="a number from 0.01 to 1,440")
    ] = 30.0
    """Time limit for one page."""
    command_sandbox: Annotated[
        Literal["always", "never"], Meta(description="one of always, never")
    ] = "always"
    """Confine the program by bubblewrap."""
    command_network: Flag = False
    """Allow a confined program to use the network."""
    command_writable: Texts = ()
    """Further folders that a confined program may write to, relative to the configuration."""
    search: Annotated[
        SearchOptions, Meta(description="a mapping of options, such as `limit: 8`")
    ] = field(default_factory=SearchOptions)


PLUGIN_OPTIONS = (
    "plans_dir",
    "base",
    "folder_titles",
    "problems",
    "agents",
    "fix_pages",
    "publish_documents",
    "markdown",
    "vault",
    "expand",
)
"""The plugin's options."""


def read_options(settings: Settings, overrides: Mapping[str, object] | None = None) -> Options:
    """Return the options of a project, with the `overrides` of the command line.

    Raises :class:`RefusedError` for an invalid option, with file, line, key, and what is expected.
    """
    for name, defect in wrong_options(Options, settings.expand):
        # The first defect is enough: `planbook check` lists all of them.
        raise RefusedError(
            f"{settings.config}:{_line_of_option(settings, name)}: `expand.{name}` {defect}"
        )
    # The command line wins; an option that it does not give is `None`.
    values = {
        **settings.expand,
        **{name: value for name, value in (overrides or {}).items() if value is not None},
    }
    return choose_writer(convert(values, Options))


def choose_writer(options: Options) -> Options:
    """Return the options with the writer that `auto` means here.

    It is a configured model, else a program, else `extract`.
    """
    if options.writer != "auto":
        return options
    if options.llm_model:
        return replace(options, writer="llm")
    return replace(options, writer="command" if options.command else "extract")


def describe_choice(settings: Settings, writer: str | None, options: Options) -> str:
    """Return what `auto` has chosen and what would give a written page, in a line.

    The result is empty if the user chose.

    Args:
        settings: those of the project.
        writer: the writer that the command line names, if any.
        options: the options with the chosen writer.
    """
    if (writer or settings.expand.get("writer", "auto")) != "auto":
        return ""
    if options.writer != "extract":
        return f"the writer is `{options.writer}`, as {settings.config} configures it"
    return (
        "the writer is `extract`, which collects passages; "
        "for written pages, set `expand.llm_model` or "
        "`expand.command`, or let an agent write: planbook gather, brief, finish"
    )


def documents_folder(settings: Settings) -> str:
    """Return the folder of documents.

    The default one if the option is not valid, which `option_problems` reports.
    """
    search = settings.expand.get("search")
    folder = search.get("documents") if isinstance(search, dict) else None
    try:
        return convert({} if folder is None else {"documents": folder}, SearchOptions).documents
    except ValidationError:
        return SearchOptions().documents


def option_problems(settings: Settings) -> tuple[Problem, ...]:
    """Return K005 for each option of the plugin that is unknown or has a wrong value."""
    lines = settings.plugin_lines
    unknown = [name for name in settings.plugin_options if name not in PLUGIN_OPTIONS]
    problems = [
        Problem(
            settings.config,
            lines.get(name, 1),
            "K005",
            f"`{name}` {_not_an_option(name, PLUGIN_OPTIONS)}",
        )
        for name in unknown
    ]
    if not isinstance(settings.plugin_options.get("expand") or {}, dict):
        defect = "`expand` must be a mapping of options"
        problems.append(Problem(settings.config, lines.get("expand", 1), "K005", defect))
    for name, defect in wrong_options(Options, settings.expand):
        problems.append(
            Problem(
                settings.config,
                _line_of_option(settings, name),
                "K005",
                f"`expand.{name}` {defect}",
            )
        )
    return tuple(problems)


def wrong_options(
    kind: type, values: Mapping[str, object], group: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the name of each value that is no option of `kind`, or no valid one, and what is wrong.

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


def _not_an_option(name: str, known_names: Iterable[str]) -> str:
    # A key in a file would be committed with it.
    if name.upper().endswith(("KEY", "TOKEN")):
        return (
            "is not an option; keys are read from the environment only, do not put them into files"
        )
    close_names = difflib.get_close_matches(name, list(known_names), 1)
    hint = (
        f"did you mean `{close_names[0]}`?"
        if close_names
        else f"the options are {', '.join(known_names)}"
    )
    return f"is not an option; {hint}"


def _line_of_option(settings: Settings, name: str) -> int:
    """Return the line of an option of ``expand``, or of the group that it is in."""
    lines, group = settings.plugin_lines, name.partition(".")[0]
    return lines.get(f"expand.{name}") or lines.get(f"expand.{group}", 1)
