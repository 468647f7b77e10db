"""Search options (``expand: search:`` in mkdocs.yml), and the providers that they configure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from msgspec import Meta, ValidationError, convert

from generator.search.catalogue import BY_NAME, CATALOGUE
from generator.search.documents import Folder
from generator.search.index import LOCAL, Documents, has_fts5
from generator.search.provider import ApiProvider, Provider, ProviderInfo, SearchApi, Service
from generator.search.repositories import NAME as REPOSITORIES
from generator.search.repositories import Repositories, RepositoryIndex, with_paths
from generator.web.model import Ask, Limits

MOST_RESULTS = 50
_KEY = re.compile(r"[\x21-\x7e]{1,500}")
"""A header value without spaces: https://www.rfc-editor.org/rfc/rfc9110#section-5.5."""
_SEARXNG = "searxng"
_FOLDER = r"(?!\.{1,2}(?:[/\\]|\Z))[^/\\]+"
_ADDRESSABLE = tuple(entry.name for entry in CATALOGUE if entry.url)
"""The providers whose address an option sets."""

Url = Annotated[
    str,
    Meta(
        pattern=r"\A\s*(?:https?://[A-Za-z0-9.\[\]:_-]+(?:/[A-Za-z0-9._~/-]*)?)?\s*\Z",
        description="an address such as http://localhost:8080, without user name, password and parameters",
    ),
]
"""An address of an API; empty for the default one."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Search options. They never include keys, which come from the environment.

    Messages use the description of an option to say what its value must be.
    """

    providers: Annotated[
        tuple[Literal[tuple(BY_NAME)], ...],  # type: ignore[valid-type]
        Meta(description=f"a list of providers in the order to ask them, from {', '.join(BY_NAME)}"),
    ] = tuple(BY_NAME)
    limit: Annotated[int, Meta(ge=1, le=MOST_RESULTS, description=f"a whole number from 1 to {MOST_RESULTS}")] = 8
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
        Mapping[Literal[_ADDRESSABLE], Url],  # type: ignore[valid-type]
        Meta(description=f"a mapping from {', '.join(_ADDRESSABLE)} to addresses without user name and password"),
    ] = field(default_factory=dict)
    """Other addresses of APIs, by provider: a gateway, a mirror, a Wikipedia in another language."""

    def service(self, name: str) -> Service:
        """Return the address of a provider's API."""
        named = self.searxng_url if name == _SEARXNG else self.addresses.get(name, "")
        return Service(named or BY_NAME[name].url, is_trusted=bool(named))


def read_options(mapping: Mapping[str, object]) -> SearchOptions:
    """Return the options in `mapping`. Raises ValueError with the option's name, the error and the fix."""
    types = get_type_hints(SearchOptions, include_extras=True)
    values: dict[str, Any] = {}
    for key, value in mapping.items():
        if key not in types:
            raise ValueError(f"`search.{key}` is not an option; {_nearest(str(key), tuple(types))}")
        try:
            values[key] = convert(with_paths(value) if key == "repositories" else value, types[key])
        except ValidationError:  # the message omits the value, which may contain a password
            raise ValueError(f"`search.{key}` must be {types[key].__metadata__[0].description}") from None
    if "documents" in values:
        values["documents"] = values["documents"].replace("\\", "/").strip("/")
    if "searxng_url" in values:
        values["searxng_url"] = values["searxng_url"].strip().rstrip("/")
    if "providers" in values:
        values["providers"] = tuple(dict.fromkeys(values["providers"]))
    if "addresses" in values:
        values["addresses"] = {name: url.strip().rstrip("/") for name, url in values["addresses"].items()}
    return SearchOptions(**values)


def _nearest(name: str, known: tuple[str, ...]) -> str:
    if name.upper().endswith(("KEY", "TOKEN")):
        return "keys are read from the environment only; do not put them into files"
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean {close[0]}?" if close else f"choose from {', '.join(known)}"


def unavailable(options: SearchOptions, environ: Mapping[str, str], root: Path) -> tuple[tuple[str, str], ...]:
    """Return the providers that cannot be used, by name, and what each lacks. `root` is the project's folder."""
    missing = ((name, _lack(BY_NAME[name], options, environ, root)) for name in options.providers)
    return tuple((name, lack) for name, lack in missing if lack)


def open_documents(options: SearchOptions, root: Path, index: Path, limits: Limits | None = None) -> Documents | None:
    """Return the folder of documents with its refreshed index at `index`; ``None`` if it is not searched.

    Raises :class:`~generator.search.index.UnreadableIndexError`.
    """
    if LOCAL not in options.providers or _lack(BY_NAME[LOCAL], options, {}, root):
        return None
    documents = Documents(index, Folder(root / options.documents, options.documents, limits or Limits()))
    documents.refresh()
    return documents


def providers(
    options: SearchOptions,
    ask: Ask,
    environ: Mapping[str, str],
    documents: Documents | None = None,
    indexed: RepositoryIndex | None = None,
) -> tuple[Provider, ...]:
    """Return the providers that can be used, in the order of `options`.

    `ask` makes their calls; `documents` and `indexed` are the folder of documents and the repositories, if any. Keys
    are read from `environ` and sent in request headers only.
    """
    made: list[Provider] = []
    for name in options.providers:
        info = BY_NAME[name]
        if name == LOCAL:
            made += [documents] if documents is not None else []
        elif name == REPOSITORIES:
            made += [indexed] if indexed is not None else []
        elif _lack(info, options, environ, None):
            continue
        elif isinstance(info, SearchApi):
            made.append(ApiProvider(info, options.service(name), ask, _key(environ, info.key or info.optional_key)))
    return tuple(made)


def _lack(info: ProviderInfo, options: SearchOptions, environ: Mapping[str, str], root: Path | None) -> str:
    """Return what a provider lacks; empty if it can be used."""
    if info.name in {LOCAL, REPOSITORIES}:
        lack = "" if has_fts5() else "this Python's SQLite has no FTS5"
        if info.name == REPOSITORIES:
            return lack if options.repositories else "`search.repositories` is not set"
        is_there = root is None or (root / options.documents).is_dir()
        return lack if is_there else f"there is no folder {options.documents}/"
    if info.name == _SEARXNG and not options.searxng_url:
        return "`search.searxng_url` is not set"
    if not info.key or _key(environ, info.key):
        return ""
    if environ.get(info.key, "").strip():
        return f"{info.key} contains characters that are not allowed in a key"
    return f"{info.key} is not set in the environment"


def _key(environ: Mapping[str, str], name: str) -> str:
    """Return a key; empty if there is none that is valid in a header."""
    value = environ.get(name, "").strip()
    return value if _KEY.fullmatch(value) else ""
