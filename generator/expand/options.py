"""The plugin's option ``expand``, and the setup of a run."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

from generator.expand.events import Clock, Event, EventHandler
from generator.library import Library
from generator.search.options import SearchOptions
from generator.search.options import read_options as read_search_options
from generator.store.settings import Settings

WRITERS = ("extract", "llm", "command")
IndexFiles = Callable[[Library], Mapping[str, str]]
"""Returns the contents of INDEX.md and SKILL.md, by path from the project's folder."""


def _ignore(event: Event) -> None:
    pass


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The setup of a run of `planbook expand` or `planbook finish`."""

    settings: Settings
    index_files: IndexFiles
    command: str
    """As the user would type it: ``planbook expand``."""
    commit: bool = True
    branch: str | None = None
    """Create this branch for the commit."""
    verb: str = "Expand"
    """The first word of the commit message."""
    may_be_staged: tuple[str, ...] = ()
    """Paths of files that belong to the commit, so that the user may have staged them."""
    watch: EventHandler = _ignore
    clock: Clock = field(default_factory=Clock)

    @property
    def docs(self) -> str:
        """The folder of pages, without slashes around it."""
        return self.settings.docs_dir.strip("/")


class OptionError(ValueError):
    """An invalid option; the message names file, line and key, and what is expected."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of research."""

    workers: int = 4
    """PARTs that are researched at a time."""
    writer: str = "extract"
    """The writer of the pages."""
    sources: int = 12
    """Maximum number of documents to read for a page."""
    pause: float = 1.0
    """Seconds between two requests to one host."""
    max_age_days: float = 7.0
    """Maximum age of an archived document; older ones are fetched again."""
    timeout: float = 15.0
    """Timeout in seconds for a connection, and for the next bytes of a response."""
    contact: str = ""
    """Contact address sent to hosts; by default the site's address."""
    allow_loopback: bool = False
    """Allow reading pages of servers on this machine."""
    commit: bool = True
    """Commit the results."""
    llm_model: str = ""
    """For the writer `llm`: the name of the model on its server."""
    llm_url: str = ""
    """Base URL of the server; by default from the environment, else the API's own service."""
    llm_api: str = ""
    """The server's API; by default derived from its address or the keys in the environment."""
    llm_tokens: int = 4_096
    """Maximum tokens of one answer, which is one section of a page."""
    command: tuple[str, ...] = ()
    """For the writer `command`: the program and its arguments."""
    command_env: tuple[str, ...] = ()
    """Names of environment variables to pass to the program, beside the usual ones."""
    command_minutes: float = 30.0
    """Time limit for one page."""
    command_sandbox: str = "auto"
    """Confine the program by bubblewrap: if available, always, or never."""
    command_network: bool = False
    """Allow a confined program to use the network."""
    command_writable: tuple[str, ...] = ()
    """Further folders that a confined program may write to, relative to the configuration."""
    embeddings: str = ""
    """A folder with a model of word vectors, relative to the configuration, to rank passages by meaning."""
    search: SearchOptions = field(default_factory=SearchOptions)


_BOUNDS: Mapping[str, tuple[float, float]] = {
    "workers": (1, 64),
    "sources": (1, 100),
    "pause": (0, 3_600),
    "max_age_days": (0, 36_500),
    "timeout": (1, 600),
    "llm_tokens": (256, 1_000_000),
    "command_minutes": (0.01, 1_440),
}
_CHOICES = {"writer": WRITERS, "llm_api": ("", "openai", "anthropic"), "command_sandbox": ("auto", "always", "never")}
_KINDS: Mapping[type, str] = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def read_options(settings: Settings, given: Mapping[str, object] | None = None) -> Options:
    """Return the options of a project's configuration, overridden by those `given` on the command line.

    Raises:
        OptionError: an option is invalid.
    """
    defaults = {field.name: field.default for field in fields(Options) if field.name != "search"}
    values: dict[str, object] = {}
    for name, value in settings.expand.items():
        if name == "search":
            values[name] = _search(settings, value)
        elif name in defaults:
            values[name] = _checked(settings, name, value, type(defaults[name]))
        else:
            near = difflib.get_close_matches(name, [*defaults, "search"], 1)
            hint = f"do you mean {near[0]}?" if near else f"there are {', '.join([*defaults, 'search'])}"
            raise option_error(settings, name, f"is no option; {hint}")
    return Options(**{**values, **(given or {})})  # type: ignore[arg-type]


def _search(settings: Settings, value: object) -> SearchOptions:
    if not isinstance(value, dict):
        raise option_error(settings, "search", "is to be a mapping of options, such as `limit: 8`")
    try:
        return read_search_options(value)
    except ValueError as error:
        named = re.search(r"`(search\.[\w.-]+)`", str(error))
        raise option_error(settings, named[1] if named else "search", str(error), is_whole=True) from error


def _checked(settings: Settings, name: str, value: object, kind: type) -> object:
    """Return the value if it has the option's type and is within its bounds."""
    if kind is tuple:
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise option_error(settings, name, f"is {value!r}, and is to be a list of texts, such as [a, b]")
        return tuple(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (
        is_number and (kind is float or isinstance(value, int)) if kind in {int, float} else isinstance(value, kind)
    ):
        raise option_error(settings, name, f"is {value!r}, and is to be {_KINDS[kind]}")
    least, most = _BOUNDS.get(name, (0, 0))
    if name in _BOUNDS and not least <= float(str(value)) <= most:
        raise option_error(settings, name, f"is {value}, and is to be from {least:,} to {most:,}")
    if name in _CHOICES and value not in _CHOICES[name]:
        choices = ", ".join(filter(None, _CHOICES[name]))
        raise option_error(settings, name, f"is {value!r}, and is to be one of {choices}")
    return value


def option_error(settings: Settings, name: str, what: str, *, is_whole: bool = False) -> OptionError:
    """Return an error about the option `name`, with its line; `is_whole` means that `what` already names the option."""
    line = settings.expand_lines.get(name) or settings.expand_lines.get(name.partition(".")[0])
    place = f"{settings.config}:{line}" if line else settings.config
    return OptionError(f"{place}: {what}" if is_whole else f"{place}: `expand.{name}` {what}")
