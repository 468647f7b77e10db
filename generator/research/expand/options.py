"""The option ``expand`` of the plugin: what it may say, and what is wrong with what it says. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from generator.store.settings import Settings

WRITERS = ("extract", "llm", "command")


class OptionError(ValueError):
    """An option that cannot be used; the message names file, line and key, and says what would be right."""


@dataclass(frozen=True, slots=True)
class Options:
    """How pages are researched. What says where to search is for `research.search.options` to read."""

    workers: int = 4
    """How many PARTs are in work at a time."""
    writer: str = "extract"
    """Who writes: `extract` quotes sources; the others must be there."""
    results: int = 8
    """How many results of a query are looked at, at most."""
    sources: int = 12
    """How many documents are read for a page, at most."""
    pause: float = 1.0
    """Seconds between two requests to one host."""
    contact: str = ""
    """Where hosts can complain; by default the site's address."""
    allow_loopback: bool = False
    """Whether pages on this machine may be read."""
    commit: bool = True
    """Whether what was made is committed."""


OWN = frozenset(field.name for field in fields(Options))
"""The keys that are read here; the others belong to the search."""

_LEAST = {"workers": 1, "results": 1, "sources": 1, "pause": 0}
_MOST = {"workers": 64, "results": 100, "sources": 100, "pause": 3_600}
_KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def read_options(settings: Settings) -> Options:
    """The options in a project's configuration. Raises :class:`OptionError`."""
    given: dict[str, int | float | str | bool] = {}
    for name, default in ((field.name, field.default) for field in fields(Options)):
        if name in settings.expand:
            given[name] = _checked(settings, name, settings.expand[name], type(default))
    return Options(**given)  # type: ignore[arg-type]


def search_options(settings: Settings) -> Mapping[str, object]:
    """What is not read here."""
    return {name: value for name, value in settings.expand.items() if name not in OWN}


def wrong(settings: Settings, name: str, what: str) -> OptionError:
    """That the option `name` is wrong, with its place."""
    line = settings.expand_lines.get(name)
    place = f"{settings.config}:{line}" if line else settings.config
    return OptionError(f"{place}: expand: {name}: {what}")


def _checked(settings: Settings, name: str, value: object, kind: type) -> int | float | str | bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
    if not fits or (kind in {int, float} and not is_number):
        raise wrong(settings, name, f"it is {value!r}, and must be {_KINDS[kind]}")
    if isinstance(value, int | float) and not isinstance(value, bool) and name in _LEAST:
        least, most = _LEAST[name], _MOST[name]
        if not least <= value <= most:
            raise wrong(settings, name, f"it is {value}, and must be from {least} to {most:,}")
    if name == "writer" and value not in WRITERS:
        raise wrong(settings, name, f"it is {value!r}, and must be one of {', '.join(WRITERS)}")
    return value  # type: ignore[return-value]
