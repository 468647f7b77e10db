"""The option ``expand`` of the plugin: what it may say, and what is wrong with what it says. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from generator.search.options import SearchOptions
from generator.search.options import read_options as read_search_options
from generator.store.settings import Settings

WRITERS = ("extract", "llm", "command")


class OptionError(ValueError):
    """An option that cannot be used; the message names file, line and key, and says what would be right."""


@dataclass(frozen=True, slots=True)
class Options:
    """How pages are researched."""

    workers: int = 4
    """How many PARTs are in work at a time."""
    writer: str = "extract"
    """Who writes the pages."""
    sources: int = 12
    """How many documents are read for a page, at most."""
    pause: float = 1.0
    """Seconds between two requests to one host."""
    max_age_days: float = 7.0
    """How old a document may be that was kept from before; an older one is asked for again."""
    timeout: float = 15.0
    """Seconds that a host may be silent: until it is connected, until its next bytes."""
    contact: str = ""
    """Where hosts can complain; by default the site's address."""
    allow_loopback: bool = False
    """Whether pages on this machine may be read."""
    commit: bool = True
    """Whether what was made is committed."""
    llm_model: str = ""
    """For the writer `llm`: the model's name, as its server has it."""
    llm_url: str = ""
    """Where its server is; by default what the environment says, else the API's own service."""
    llm_api: str = ""
    """Which API it speaks; by default what its address or the environment's keys tell."""
    llm_tokens: int = 4_096
    """Of one answer, at most: a section of a page."""
    command: tuple[str, ...] = ()
    """For the writer `command`: the program and its arguments."""
    command_env: tuple[str, ...] = ()
    """Names of variables of the environment that the program gets beside the usual ones."""
    command_minutes: float = 30.0
    """How long the program may take for a page."""
    command_sandbox: str = "auto"
    """Whether the program is confined by bubblewrap: where that works, always, or never."""
    command_network: bool = False
    """Whether a confined program may use the network."""
    command_writable: tuple[str, ...] = ()
    """Folders that a confined program may write beside its own, relative to the configuration."""
    embeddings: str = ""
    """A folder with a model of word vectors, relative to the configuration: passages are ranked by meaning, too."""
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
_CHOICES = {
    "writer": WRITERS,
    "llm_api": ("", "openai", "anthropic"),
    "command_sandbox": ("auto", "always", "never"),
}
_KINDS: Mapping[type, str] = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def read_options(settings: Settings, given: Mapping[str, object] | None = None) -> Options:
    """The options in a project's configuration, and those `given` on the command line before them.

    Raises :class:`OptionError`.
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
            raise wrong(settings, name, f"is no option; {hint}")
    return Options(**{**values, **(given or {})})  # type: ignore[arg-type]


def _search(settings: Settings, value: object) -> SearchOptions:
    if not isinstance(value, dict):
        raise wrong(settings, "search", "is to be a mapping of options, such as `limit: 8`")
    try:
        return read_search_options(value)
    except ValueError as error:
        named = re.search(r"`(search\.[\w.-]+)`", str(error))
        raise wrong(settings, named[1] if named else "search", str(error), is_whole=True) from error


def _checked(settings: Settings, name: str, value: object, kind: type) -> object:
    """The value, where it is of the kind that the option wants, and within its bounds."""
    if kind is tuple:
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise wrong(settings, name, f"is {value!r}, and is to be a list of texts, such as [a, b]")
        return tuple(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (
        is_number and (kind is float or isinstance(value, int)) if kind in {int, float} else isinstance(value, kind)
    ):
        raise wrong(settings, name, f"is {value!r}, and is to be {_KINDS[kind]}")
    least, most = _BOUNDS.get(name, (0, 0))
    if name in _BOUNDS and not least <= float(str(value)) <= most:
        raise wrong(settings, name, f"is {value}, and is to be from {least:,} to {most:,}")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise wrong(settings, name, f"is {value!r}, and is to be one of {', '.join(filter(None, _CHOICES[name]))}")
    return value


def wrong(settings: Settings, name: str, what: str, *, is_whole: bool = False) -> OptionError:
    """The error that the option `name` is wrong, with its place; `is_whole` says that `what` names it."""
    line = settings.expand_lines.get(name) or settings.expand_lines.get(name.partition(".")[0])
    place = f"{settings.config}:{line}" if line else settings.config
    return OptionError(f"{place}: {what}" if is_whole else f"{place}: `expand.{name}` {what}")
