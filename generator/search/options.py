"""What the user says of searching (``expand: search:`` in mkdocs.yml), and the providers that this makes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from generator.search import (
    arxiv,
    brave,
    brightdata,
    ddgs,
    exa,
    github,
    local,
    searxng,
    tavily,
    wikipedia,
)
from generator.search.catalogue import BY_NAME, CATALOGUE, Entry
from generator.search.index import Documents, has_fts5
from generator.search.provider import Provider, Service
from generator.web.limits import Limits
from generator.web.model import Ask

MOST_RESULTS = 50
_SERVICE = re.compile(r"https?://[A-Za-z0-9.\[\]:_-]+(?:/[A-Za-z0-9._~/-]*)?")
_KEY = re.compile(r"[\x21-\x7e]{1,500}")
"""What a header can hold, and no blanks: https://www.rfc-editor.org/rfc/rfc9110#section-5.5."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search. Keys are never among these: they come from the environment."""

    providers: tuple[str, ...] = tuple(entry.name for entry in CATALOGUE if entry.is_default)
    """Who is asked, in order."""
    limit: int = 8
    """Works for a query; enough, and no further provider is asked."""
    documents: str = "documents"
    """The folder of documents, relative to the project's folder."""
    searxng_url: str = ""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Other places where APIs answer, by the provider's name: a gateway, a mirror, a Wikipedia in another language."""
    ddgs_engines: tuple[str, ...] = ddgs.BACKENDS[:3]
    ddgs_robots: bool = True
    """Whether ddgs heeds the robots.txt of search engines."""
    arxiv_spacing_s: float = arxiv.SPACING_S
    """Seconds between two requests to arXiv; times the number of machines, where more than one searches."""

    def service(self, name: str) -> Service:
        """Where the API of a provider answers."""
        named = self.searxng_url if name == searxng.NAME else self.addresses.get(name, "")
        return Service(named or BY_NAME[name].url, is_trusted=bool(named))


def read_options(mapping: Mapping[str, object]) -> SearchOptions:
    """The options in `mapping`. Raises ValueError, which names the key and says what would be right."""
    read: dict[str, Callable[[object, str], object]] = {
        "providers": _names(tuple(BY_NAME), "the providers in the order to ask them"),
        "limit": _number(1, MOST_RESULTS),
        "documents": _folder,
        "searxng_url": _address,
        "addresses": _addresses,
        "ddgs_engines": _names(ddgs.BACKENDS, "search engines"),
        "ddgs_robots": _truth,
        "arxiv_spacing_s": _seconds(arxiv.SPACING_S),
    }
    for key in mapping:
        if key not in read:
            raise ValueError(f"`search.{key}` is no option; {_nearest(str(key), tuple(read))}")
    return SearchOptions(**{key: read[key](value, f"search.{key}") for key, value in mapping.items()})  # type: ignore[arg-type]


def unavailable(options: SearchOptions, environ: Mapping[str, str], root: Path) -> tuple[tuple[str, str], ...]:
    """The providers of `options` that cannot be asked, by name, and what each lacks. `root` is the project's folder."""
    missing = ((name, _lack(BY_NAME[name], options, environ, root)) for name in options.providers)
    return tuple((name, lack) for name, lack in missing if lack)


def open_documents(options: SearchOptions, root: Path, index: Path, limits: Limits | None = None) -> Documents | None:
    """The folder of documents with its index at `index`, refreshed; ``None`` where it is not to be searched.

    Raises :class:`~generator.search.index.UnreadableIndexError`.
    """
    if local.NAME not in options.providers or _lack(BY_NAME[local.NAME], options, {}, root):
        return None
    documents = Documents(index, root / options.documents, options.documents, limits)
    documents.refresh()
    return documents


def providers(
    options: SearchOptions, ask: Ask, environ: Mapping[str, str], documents: Documents | None = None
) -> tuple[Provider, ...]:
    """The providers that can be asked, in the order of `options`.

    `ask` makes their calls, and `documents` is the folder of documents, where there is one. Keys are taken from
    `environ`, and go nowhere but into the headers of calls.
    """
    service = options.service

    def key(name: str) -> str:
        """The key that the environment holds by this name."""
        return _key(environ, name)

    make: dict[str, Callable[[], Provider]] = {
        local.NAME: lambda: local.Local(documents),  # type: ignore[arg-type]  # `_lack` below sees to it
        searxng.NAME: lambda: searxng.provider(ask, service(searxng.NAME)),
        brave.NAME: lambda: brave.provider(ask, service(brave.NAME), key(brave.KEY)),
        tavily.NAME: lambda: tavily.provider(ask, service(tavily.NAME), key(tavily.KEY)),
        exa.NAME: lambda: exa.provider(ask, service(exa.NAME), key(exa.KEY)),
        brightdata.NAME: lambda: brightdata.provider(
            ask, service(brightdata.NAME), key(brightdata.KEY), key(brightdata.ZONE)
        ),
        wikipedia.NAME: lambda: wikipedia.provider(ask, service(wikipedia.NAME)),
        github.NAME: lambda: github.provider(ask, service(github.NAME), key(github.KEY)),
        github.CODE_NAME: lambda: github.code_provider(ask, service(github.CODE_NAME), key(github.KEY)),
        arxiv.NAME: lambda: arxiv.provider(ask, service(arxiv.NAME), options.arxiv_spacing_s),
        ddgs.NAME: lambda: ddgs.Ddgs(
            ask, options.ddgs_engines, heeds_robots=options.ddgs_robots, url=options.addresses.get(ddgs.NAME, "")
        ),
    }
    able = (
        name
        for name in options.providers
        if (documents is not None if name == local.NAME else not _lack(BY_NAME[name], options, environ, None))
    )
    return tuple(make[name]() for name in able)


def _lack(entry: Entry, options: SearchOptions, environ: Mapping[str, str], root: Path | None) -> str:
    """What a provider lacks; empty where it can be asked."""
    if entry.name == local.NAME:
        if root is not None and not (root / options.documents).is_dir():
            return f"there is no folder {options.documents}/"
        return "" if has_fts5() else "this Python's SQLite has no FTS5"
    if entry.name == searxng.NAME and not options.searxng_url:
        return "`search.searxng_url` names no instance"
    if entry.name == ddgs.NAME and (lack := ddgs.lack()):
        return lack
    absent = [name for name in entry.keys if not environ.get(name, "").strip()]
    if absent:
        return f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not set in the environment"
    wrong = [name for name in entry.keys if not _key(environ, name)]
    return f"{wrong[0]} holds characters that no key has" if wrong else ""


def _key(environ: Mapping[str, str], name: str) -> str:
    """A key; empty where there is none, or none that a header can hold."""
    value = environ.get(name, "").strip()
    return value if _KEY.fullmatch(value) else ""


# --- values ------------------------------------------------------------------------------------------------------


def _names(known: tuple[str, ...], what: str) -> Callable[[object, str], tuple[str, ...]]:
    def read(value: object, key: str) -> tuple[str, ...]:
        """The names in a list."""
        if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
            raise ValueError(f"`{key}` is to be a list of {what}; there are {', '.join(known)}")
        for name in value:
            if name not in known:
                raise ValueError(f"`{key}` names {_quoted(name)}, which is none; {_nearest(name, known)}")
        return tuple(dict.fromkeys(value))

    return read


def _number(least: int, most: int) -> Callable[[object, str], int]:
    def read(value: object, key: str) -> int:
        """A whole number within the bounds."""
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"`{key}` is to be a whole number from {least} to {most}")
        return value

    return read


def _seconds(least: float) -> Callable[[object, str], float]:
    def read(value: object, key: str) -> float:
        """A number within the bounds."""
        if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= 3600:
            raise ValueError(f"`{key}` is to be a number of seconds, at least {least:g}")
        return float(value)

    return read


def _truth(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"`{key}` is to be true or false")
    return value


def _folder(value: object, key: str) -> str:
    parts = value.replace("\\", "/").strip("/").split("/") if isinstance(value, str) else []
    if not parts or not all(parts) or {"..", "."} & set(parts) or not isinstance(value, str) or value.startswith("/"):
        raise ValueError(f"`{key}` is to be a folder within the project, relative to mkdocs.yml, such as `documents`")
    return "/".join(parts)


def _address(value: object, key: str) -> str:
    """The value is not repeated: it may hold a password."""
    if not isinstance(value, str) or not _SERVICE.fullmatch(value.strip()):
        raise ValueError(
            f"`{key}` is to be an address such as http://localhost:8080, without user name, password and parameters"
        )
    return value.strip().rstrip("/")


def _addresses(value: object, key: str) -> dict[str, str]:
    placed = tuple(entry.name for entry in CATALOGUE if entry.url or entry.name == ddgs.NAME)
    if not isinstance(value, dict):
        raise ValueError(f"`{key}` is to be a mapping from providers to addresses; it may name {', '.join(placed)}")
    for name in value:
        if name not in placed:
            raise ValueError(
                f"`{key}` names {_quoted(name)}, whose address is not set here; {_nearest(str(name), placed)}"
            )
    return {name: _address(address, f"{key}.{name}") for name, address in value.items()}


def _nearest(name: str, known: tuple[str, ...]) -> str:
    if name.upper().endswith(("KEY", "TOKEN")):
        return "keys are read from the environment only, and belong into no file"
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"


def _quoted(name: object) -> str:
    return repr(str(name)[:40])
