"""What the user says of searching, and which providers that makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from planbook.model import Query
from planbook.research.search.catalogue import CATALOGUE, make_providers, unavailable
from planbook.research.search.document_folder import Folder
from planbook.research.search.full_text_index import Documents
from planbook.research.web.model import Ask, Call, Outcome, Reply
from planbook.store.options import SearchOptions, wrong_options
from tests.research.search import apis
from tests.research.search.apis import KEY, Searxng
from tests.research.search.conftest import OpenApi

ALL_KEYS = {name: KEY for entry in CATALOGUE for name in (entry.key, entry.optional_key) if name}


@pytest.fixture
def documents(tmp_path: Path) -> Iterator[Documents]:
    """A project with a folder of documents."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.md").write_text("Green tea", encoding="utf-8")
    with closing(Documents(tmp_path / "x.sqlite", Folder(tmp_path / "documents", "documents"))) as opened:
        opened.refresh()
        yield opened


def read_options(said: Mapping[str, object]) -> SearchOptions:
    """The options in a mapping. Raises ValueError for the first that is wrong."""
    for name, what in wrong_options(SearchOptions, said, "search."):
        raise ValueError(f"`{name}` {what}")
    return convert(said, SearchOptions)


def nobody(call: Call) -> Reply:
    """A network that is not there."""
    return Reply(Outcome.FAILED, f"no connection to {call.url}")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"searxng": "http://x"}, "`search.searxng` is not an option; did you mean `searxng_url`?"),
        ({"brave_api_key": "sk-secret"}, "keys are read from the environment only"),
        ({"providers": "searxng"}, "`search.providers` must be a list of providers"),
        ({"providers": ["serxng"]}, "`search.providers` must be a list of providers in the order"),
        ({"limit": 0}, "`search.limit` must be a whole number from 1 to 50"),
        ({"documents": "../other"}, "`search.documents` must be a folder within the project"),
        ({"documents": "/etc"}, "`search.documents`"),
        ({"repositories": ["leaf/brew"]}, "`search.repositories` must be a mapping from OWNER/REPO"),
        ({"repositories": {"brew": "x"}}, "`search.repositories` must be a mapping from OWNER/REPO"),
        ({"repositories": {"leaf/brew": {"path": "x", "file": []}}}, "or to `path`, `ref` and `files` of one"),
        ({"searxng_url": "localhost:8080"}, "`search.searxng_url` must be an address such as http://localhost:8080"),
        ({"searxng_url": "http://me:sk-secret@searx.example"}, "without user name, password"),
        ({"searxng_url": "https://searx.example/?token=sk-secret"}, "without user name, password and parameters"),
        ({"addresses": {"local": "http://x"}}, "`search.addresses` must be a mapping from brave, "),
        ({"addresses": {"brave": "ftp://sk-secret"}}, "to addresses without user name and password"),
    ],
)
def test_what_is_wrong_is_named_with_what_would_be_right(said: Mapping[str, object], words: str) -> None:
    """Each message names the key and the remedy, and repeats no value that may be a secret."""
    with pytest.raises(ValueError, match="`search") as caught:
        read_options(said)
    assert words in str(caught.value)
    assert "sk-secret" not in str(caught.value)


YAML = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*SearchOptions.__dataclass_fields__, "x"]), YAML, max_size=3))
def test_whatever_is_said(said: dict[str, object]) -> None:
    """Any YAML is options, or one message."""
    try:
        options = read_options(said)
    except ValueError as error:
        message = str(error)
    else:
        message = f"`search {options.limit}"
    assert message.startswith("`search")


# --- who can be asked ---------------------------------------------------------------------------------------------


def test_a_fresh_machine(tmp_path: Path) -> None:
    """With no key and no configuration the keyless ones are asked; each other one says what it lacks."""
    options = SearchOptions()
    assert [provider.name for provider in make_providers(options, nobody, {})] == ["wikipedia", "github", "arxiv"]
    lacks = dict(unavailable(options, {}, tmp_path))
    assert lacks == {
        "local": "there is no folder documents/",
        "repositories": "`search.repositories` is not set",
        "searxng": "`search.searxng_url` is not set",
        "brave": "BRAVE_API_KEY is not set in the environment",
        "tavily": "TAVILY_API_KEY is not set in the environment",
    }


@pytest.mark.parametrize("key", ["sk-one\nX-Two: 2", "sk one", "sk-ünö", "\x00", "k" * 600])
def test_a_key_that_is_none(key: str, tmp_path: Path) -> None:
    """What no header can hold is no key; the reason names the variable, not the value."""
    environ = {"BRAVE_API_KEY": key, "GITHUB_TOKEN": key}
    assert dict(unavailable(SearchOptions(), environ, tmp_path))["brave"].startswith("BRAVE_API_KEY")
    assert key.strip() not in repr(unavailable(SearchOptions(), environ, tmp_path)) or key == "\x00"
    made = {provider.name: provider for provider in make_providers(SearchOptions(), nobody, environ)}
    assert "brave" not in made
    assert "github" in made


def test_keys_go_into_headers_of_their_own_api() -> None:
    """Each key is sent to its own host, over https, and to no other."""
    keys = {name: f"key-of-{name.lower()}" for name in ALL_KEYS}
    calls: list[Call] = []

    def record(call: Call) -> Reply:
        calls.append(call)
        return nobody(call)

    for provider in make_providers(SearchOptions(searxng_url="http://127.0.0.1:8080"), record, keys):
        provider.search(Query("web", "tea"), 3)
    sent = {(call.url.split("/")[2], key) for call in calls for key in keys.values() if key in repr(call.headers)}
    assert sent == {
        ("api.search.brave.com", "key-of-brave_api_key"),
        ("api.tavily.com", "key-of-tavily_api_key"),
        ("api.github.com", "key-of-github_token"),
    }
    assert all(call.url.startswith("https://") for call in calls if call.headers)
    assert all(repr(keys[name]) not in repr(call) for name in keys for call in calls)


def test_an_address_of_the_user_s_is_asked_there(open_api: OpenApi, ask: Ask) -> None:
    """A gateway, a mirror, an instance on this machine: named by the user, it may be on loopback."""
    searx, brave = open_api(Searxng()), open_api(apis.brave)
    options = read_options(
        {"providers": ["searxng", "brave"], "searxng_url": searx.url, "addresses": {"brave": brave.url}}
    )
    made = make_providers(options, ask, {"BRAVE_API_KEY": KEY})
    assert [provider.search(Query("web", "oolong"), 3).outcome for provider in made] == [Outcome.OK] * 2
    assert (len(searx.asked), len(brave.asked)) == (1, 1)
