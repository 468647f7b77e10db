"""APIs on loopback, and providers that ask them through the one client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from planbook.research.search.catalogue import APIS
from planbook.research.search.document_folder import Folder
from planbook.research.search.full_text_index import Documents
from planbook.research.search.provider import ApiProvider, Provider
from planbook.research.web.model import Ask, Limits
from tests.research.search import apis
from tests.research.search.apis import KEY, Api
from tests.research.search.local_folder import FILES, OpenDocuments, write
from tests.research.web.conftest import MakeFetcher, make_fetcher

__all__ = ["make_fetcher"]  # a fixture of the tests here, too

OpenApi = Callable[[apis.Service], Api]
Place = tuple[str, bool]
"""The address of an API, and whether the user named it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's folder of documents."""
    folder = tmp_path / "documents"
    write(folder, dict(FILES))
    return folder


@pytest.fixture
def open_documents(folder: Path, tmp_path: Path) -> Iterator[OpenDocuments]:
    """Opens the index of the folder, and refreshes it unless told otherwise."""
    made: list[Documents] = []

    def open_it(*, refresh: bool = True, **limits: Any) -> Documents:
        documents = Documents(tmp_path / "documents.sqlite", Folder(folder, "documents", Limits(**limits)))
        made.append(documents)
        if refresh:
            documents.refresh()
        return documents

    yield open_it
    for documents in made:
        documents.close()


@dataclass(frozen=True, slots=True)
class Kind:
    """A provider, the API that it asks, and a query that finds something."""

    name: str
    service: apis.Service
    make: Callable[[Ask, Place], Provider]
    url: str
    """Of the first hit for the query."""
    title: str
    query: str = "green oolong"
    is_keyed: bool = False

    def __str__(self) -> str:
        return self.name


def make(name: str, ask: Ask, place: Place, key: str = "", **more: Any) -> ApiProvider:
    """The provider of this name, with the key given."""
    return ApiProvider(replace(APIS[name], url=place[0], is_trusted=place[1], **more), ask, key)


KETTLE, OOLONG = "https://kettle.example/guide/", "https://tea.example/oolong?utm_source=x"

KINDS = (
    Kind("searxng", apis.Searxng(), partial(make, "searxng"), OOLONG, "Oolong", "oolong water infusions"),
    Kind("brave", apis.brave, lambda a, s: make("brave", a, s, KEY), KETTLE, "Kettles <i>compared</i>", "green", True),
    Kind("tavily", apis.tavily, lambda a, s: make("tavily", a, s, KEY), OOLONG, "Oolong", "oolong", True),
    Kind("wikipedia", apis.wikipedia, partial(make, "wikipedia"), "/wiki/Oolong", "Oolong", "oolong"),
    Kind("github", apis.github, partial(make, "github"), "https://github.com/tea/steep", "tea/steep", "steeped"),
    Kind(
        "arxiv",
        apis.arxiv,
        lambda a, s: make("arxiv", a, s, spacing_s=0.0),
        "https://arxiv.org/abs/2205.14135v2",
        "Steeping: Fast and Exact Infusion",
        "exact infusion",
    ),
)


@pytest.fixture
def open_api() -> Iterator[OpenApi]:
    """Starts an API on loopback."""
    with ExitStack() as running:
        yield lambda service: running.enter_context(Api(service))


@pytest.fixture
def ask(make_fetcher: MakeFetcher) -> Ask:
    """The one client, which may ask this machine only where the user named it."""
    return make_fetcher(allow_loopback=False).call
