"""Search providers: their interface, and the implementation for every API that one table row describes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from generator.citations.identifiers import is_search_page
from generator.model import Query
from generator.search.answers import NoHits, check_reply, entries, make_hit, read_json, with_address
from generator.search.model import Found, Hit, Searched
from generator.search.words import clipped, on_its_site, sites_of
from generator.web.model import Ask, Call, Reply

ENGINES = frozenset({"web", "github", "arxiv", "scholar", "wikipedia"})
"""The engines that queries of plans name (:attr:`generator.model.Query.engine`)."""
WEB = frozenset({"web"})
Entry = Mapping[str, object]


class Provider(Protocol):
    """Finds documents that may answer a query."""

    @property
    def name(self) -> str:
        """Its name in the options: ``searxng``."""

    @property
    def engines(self) -> frozenset[str]:
        """The engines for whose queries it is asked first."""

    @property
    def stands_in(self) -> frozenset[str]:
        """The engines for whose queries it is asked when the others have found too little."""

    def search(self, query: Query, limit: int) -> Searched:
        """Return at most `limit` hits, best first, or why there are none. Never raises for what hosts do."""


@dataclass(frozen=True, slots=True)
class Service:
    """The address of an API."""

    url: str
    """Without a slash at the end."""
    is_trusted: bool = False
    """Set for an address from the options, which may be on this machine or in a private network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderInfo:
    """The facts about a provider that its user needs."""

    name: str
    cost: str
    """Of one search, in words."""
    url: str = ""
    """The default address of its API; empty for one that the user must name."""
    keys: tuple[str, ...] = ()
    """The environment variables that it requires; the first one holds the key."""
    optional_key: str = ""
    """An environment variable that raises its limits."""
    is_default: bool = True
    """False for a provider that is asked only if the options name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchApi(ProviderInfo):
    """A search API: one request with a query, answered by a list of results."""

    engines: frozenset[str] = WEB
    stands_in: frozenset[str] = ENGINES - WEB

    path: str
    method: str = "GET"
    """A GET request sends its parameters in the address, a POST request as JSON."""
    query: str = "q"
    """The name of the parameter that holds the query."""
    limit: str = ""
    """The name of the parameter that holds the number of results; empty for an API without one."""
    sites: str = ""
    """The name of the parameter that restricts results to sites; empty for an API without one."""
    constants: Mapping[str, object] = field(default_factory=dict)
    """Parameters that are the same in every request."""
    headers: tuple[tuple[str, str], ...] = ()
    key_header: tuple[str, str] = ("Authorization", "Bearer ")
    """The header that holds the key, and the text before the key."""
    max_results: int = 100
    max_chars: int = 10_000
    """The length of the longest query that it takes."""
    max_words: int | None = None
    timeout_s: float | None = None
    spacing_s: float | None = None
    """Seconds between two requests."""

    results: tuple[str, ...] = ("results",)
    """The path to the list of results in an answer."""
    fields: tuple[str, str, str] = ("url", "title", "content")
    """The names of a result's address, title and snippet."""
    is_html: bool = False
    """True for titles and snippets in HTML."""
    may_lack: bool = False
    """True for an API that leaves out an empty list of results."""

    text: Callable[[Query], str] = on_its_site
    """The query in the API's own form."""
    adapt: Callable[[dict[str, object], Query, Mapping[str, str]], dict[str, object]] | None = None
    """Changes the parameters, given the query and the keys."""
    check: Callable[[Reply], None] | None = None
    """Raises :class:`NoHits` for a refusal that only this API words in this way."""
    parse: Callable[[bytes], object] = read_json
    adapt_entry: Callable[[Entry, str], Entry] | None = None
    """Changes one result, given the API's address."""


@dataclass(frozen=True, slots=True)
class ApiProvider:
    """The provider that asks a search API."""

    api: SearchApi
    service: Service
    ask: Ask = field(repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The values of the API's environment variables."""

    @property
    def name(self) -> str:
        """See :class:`Provider`."""
        return self.api.name

    @property
    def engines(self) -> frozenset[str]:
        """See :class:`Provider`."""
        return self.api.engines

    @property
    def stands_in(self) -> frozenset[str]:
        """See :class:`Provider`."""
        return self.api.stands_in

    def search(self, query: Query, limit: int) -> Searched:
        """See :class:`Provider`."""
        requests = 0
        try:
            reply = self.ask(self.make_call(query, limit))
            requests = reply.requests
            found = self.read(reply)
        except NoHits as error:
            reason = error.reason.replace(self._key, "…") if self._key else error.reason
            return Searched(query, self.name, error.outcome, (), reason, requests)
        kept = [hit for hit in found if not is_search_page(hit.url) and not self._repeats_key(hit)][:limit]
        hits = tuple(replace(hit, provider=self.name, query=query.text) for hit in kept)
        if hits:
            return Searched(query, self.name, Found.FOUND, hits, "", requests)
        return Searched(query, self.name, Found.EMPTY, (), "it has no results", requests)

    def make_call(self, query: Query, limit: int) -> Call:
        """Return the request for a query. Raises :class:`NoHits` for a query without words."""
        api = self.api
        words = clipped(api.text(query), api.max_chars, api.max_words)
        if not words:
            raise NoHits(Found.FAILED, "the query holds no words")
        sent: dict[str, object] = {api.query: words}
        if api.limit:
            sent[api.limit] = min(limit, api.max_results)
        if api.sites and (sites := sites_of(query)):
            sent[api.sites] = sites
        sent.update(api.constants)
        if api.adapt:
            sent = api.adapt(sent, query, self.keys)
        header, prefix = api.key_header
        return Call(
            self.service.url + api.path,
            method=api.method,
            params=tuple((name, str(value)) for name, value in sent.items()) if api.method == "GET" else (),
            headers=(*api.headers, (header, prefix + self._key)) if self._key else api.headers,
            body=sent if api.method == "POST" else None,
            is_trusted=self.service.is_trusted,
            timeout_s=api.timeout_s,
            spacing_s=api.spacing_s,
        )

    def read(self, reply: Reply) -> tuple[Hit, ...]:
        """Return the hits in a reply. Raises :class:`NoHits`."""
        api = self.api
        if api.check:
            api.check(reply)
        check_reply(reply, self._key_name)
        found = entries(api.parse(reply.body), *api.results, may_lack=api.may_lack)
        if api.adapt_entry:
            found = [api.adapt_entry(entry, self.service.url) for entry in found]
        return with_address(make_hit(*(entry.get(name) for name in api.fields), is_html=api.is_html) for entry in found)

    @property
    def _key_name(self) -> str:
        return (*self.api.keys, self.api.optional_key)[0]

    @property
    def _key(self) -> str:
        return self.keys.get(self._key_name, "")

    def _repeats_key(self, hit: Hit) -> bool:
        """Detect a result with our key in it: following its address would give the key away."""
        return bool(self._key) and any(self._key in text for text in (hit.url, hit.title, hit.snippet))
