"""Search providers: the interface, query rewriting, and an implementation for APIs that a table row describes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from planbook.citations.identifiers import is_search_page
from planbook.markdown.words import FUNCTION_WORDS
from planbook.model import Query
from planbook.research.search import answers
from planbook.research.web.model import Ask, Call, Outcome, Reply, Unfetched

ENGINES = frozenset({"web", "github", "arxiv", "scholar", "wikipedia"})
"""The engines that plans may name (:attr:`planbook.model.Query.engine`)."""
WEB = frozenset({"web"})
Entry = Mapping[str, object]

SITES = {"github": "github.com", "arxiv": "arxiv.org", "wikipedia": "wikipedia.org"}
"""The sites of engines, to which a web search is restricted."""

_SITE = re.compile(r"-?\bsite:\S*", re.IGNORECASE)
_OPERATOR = re.compile(
    r"(?<!\S)(?:(?:AND|OR|NOT)(?!\S)|-(?=\w)|(?:filetype|ext|in|intitle|inurl|intext|lang|language|before|after):(?=\S))"
)
"""Boolean operators, exclusions and fields, which every API interprets differently."""
_TERM = re.compile(r"\"([^\"]+)\"|“([^”]+)”|([^\W_][\w.+#'-]*)")
_STOPWORDS = FUNCTION_WORDS | {
    *("best", "guide", "latest", "overview", "practices", "tutorial", "used", "using", "work", "works")
}


class Provider(Protocol):
    """Finds documents that may answer a query."""

    name: str
    """Its name in the options: ``searxng``."""
    engines: frozenset[str]
    """The engines for whose queries it is asked first."""
    fallback_for: frozenset[str]
    """The engines for whose queries it is asked if the others have found too little."""

    def search(self, query: Query, limit: int) -> answers.Searched:
        """Return at most `limit` hits, best first, or why there are none. Does not raise for a host's failures."""


# --- query rewriting -------------------------------------------------------------------------------------------------


def on_its_site(query: Query) -> str:
    """Return the query for a web search engine, with ``site:`` if it names an engine but no site."""
    site = SITES.get(query.engine)
    return query.text if site is None or _SITE.search(query.text) else f"{query.text} site:{site}"


def sites_of(query: Query) -> list[str]:
    """Return the sites to search, for APIs with a separate parameter; empty for the whole web."""
    named = [match[0].partition(":")[2].strip('"') for match in _SITE.finditer(query.text) if match[0][0] != "-"]
    site = SITES.get(query.engine)
    return [name for name in named if name] or ([site] if site else [])


def without_site(query: Query) -> str:
    """Return the query's text without ``site:``, for the API of one site."""
    return " ".join(_SITE.sub(" ", query.text).split())


def bare_words(query: Query) -> str:
    """Return the query's text without search operators, for APIs that have none or different ones."""
    text = _OPERATOR.sub(" ", _SITE.sub(" ", query.text))
    return " ".join(re.sub(r"[\"“”()\[\]{}|*]", " ", text).split())


def terms(text: str) -> tuple[str, ...]:
    """Return the distinct significant words and quoted phrases of `text`, in order, in lower case.

    If it has only common words, return all of them.
    """
    plain = _OPERATOR.sub(" ", _SITE.sub(" ", text))
    found = [next(group for group in match.groups() if group) for match in _TERM.finditer(plain)]
    words = [term for term in (" ".join(word.lower().split()).rstrip(".-'") for word in found) if term]
    return tuple(dict.fromkeys([word for word in words if word not in _STOPWORDS] or words))


# --- APIs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchApi:
    """A search API: one request with a query, answered by a list of results."""

    name: str
    url: str = ""
    """Its address, without a slash at the end; empty if the user must set it."""
    is_trusted: bool = False
    """True if the user set it: then it may be on this machine or in a private network."""
    key: str = ""
    """The environment variable with the key that it requires; empty if it requires none."""
    optional_key: str = ""
    """An environment variable that raises its limits."""
    engines: frozenset[str] = WEB
    fallback_for: frozenset[str] = ENGINES - WEB

    path: str
    method: str = "GET"
    """A GET request sends its parameters in the address, a POST request as JSON."""
    query: str = "q"
    """The name of the query parameter."""
    limit: str = ""
    """The name of the parameter for the number of results; empty if there is none."""
    sites: str = ""
    """The name of the parameter that restricts results to sites; empty if there is none."""
    constants: Mapping[str, object] = field(default_factory=dict)
    """Parameters that are the same in every request."""
    headers: tuple[tuple[str, str], ...] = ()
    key_header: tuple[str, str] = ("Authorization", "Bearer ")
    """The header for the key, and the text before the key."""
    max_results: int = 100
    max_chars: int = 10_000
    """Maximum length of a query in characters."""
    max_words: int | None = None
    spacing_s: float | None = None
    """Seconds between requests."""

    results: tuple[str, ...] = ("results",)
    """The path to the list of results in a response."""
    fields: tuple[str, str] = ("url", "title")
    """The keys of a result's address and title."""
    is_html: bool = False
    """True if titles are HTML."""
    is_optional: bool = False
    """True if the API omits an empty list of results."""

    text: Callable[[Query], str] = on_its_site
    """Rewrites the query for the API."""
    adapt: Callable[[dict[str, object], Query], dict[str, object]] | None = None
    """Changes the parameters, given the query."""
    check: Callable[[Reply], None] | None = None
    """Raises :class:`Unfetched` for errors specific to this API."""
    parse: Callable[[bytes], object] = answers.read_json
    adapt_entry: Callable[[Entry, str], Entry] | None = None
    """Changes one result, given the API's address."""


class ApiProvider:
    """Queries a search API; `key` is the value of its environment variable."""

    def __init__(self, api: SearchApi, ask: Ask, key: str) -> None:
        self.name, self.engines, self.fallback_for = api.name, api.engines, api.fallback_for
        self._api = api
        self._ask = ask
        self._key_name, self._key = api.key or api.optional_key, key

    def search(self, query: Query, limit: int) -> answers.Searched:
        """See :class:`Provider`."""
        requests = 0
        try:
            reply = self._ask(self._call(query, limit))
            requests = reply.requests
            found = self.read(reply)
        except Unfetched as error:
            reason = error.reason.replace(self._key, "…") if self._key else error.reason
            return answers.Searched(query, self.name, error.outcome, (), reason, requests)
        hits = tuple([hit for hit in found if not is_search_page(hit.url) and not self._repeats_key(hit)][:limit])
        return answers.Searched(query, self.name, Outcome.OK, hits, "" if hits else "no results", requests)

    def _call(self, query: Query, limit: int) -> Call:
        """Return the request for a query. Raises :class:`Unfetched` for a query without words."""
        api = self._api
        words = " ".join(api.text(query).split()[: api.max_words])
        words = textwrap.shorten(words, api.max_chars, placeholder="", break_on_hyphens=False)
        if not words:
            raise Unfetched(Outcome.FAILED, "the query contains no words")
        sent: dict[str, object] = {api.query: words}
        if api.limit:
            sent[api.limit] = min(limit, api.max_results)
        if api.sites and (sites := sites_of(query)):
            sent[api.sites] = sites
        sent.update(api.constants)
        if api.adapt:
            sent = api.adapt(sent, query)
        header, prefix = api.key_header
        return Call(
            api.url + api.path,
            method=api.method,
            params=tuple((name, str(value)) for name, value in sent.items()) if api.method == "GET" else (),
            headers=(*api.headers, (header, prefix + self._key)) if self._key else api.headers,
            body=sent if api.method == "POST" else None,
            is_trusted=api.is_trusted,
            spacing_s=api.spacing_s,
            accepts=self._accepts,
        )

    def _accepts(self, reply: Reply) -> bool:
        """Return whether a reply is an answer, with hits or without: failures are not kept."""
        try:
            self.read(reply)
        except Unfetched:
            return False
        return True

    def read(self, reply: Reply) -> tuple[answers.Hit, ...]:
        """Return the hits in a reply. Raises :class:`Unfetched`."""
        api = self._api
        if api.check:
            api.check(reply)
        answers.check_reply(reply, self._key_name)
        found: Sequence[Entry] = answers.entries(api.parse(reply.body), *api.results, is_optional=api.is_optional)
        if api.adapt_entry:
            found = [api.adapt_entry(entry, api.url) for entry in found]
        made = (answers.make_hit(*(entry.get(name) for name in api.fields), is_html=api.is_html) for entry in found)
        hits = tuple(hit for hit in made if hit is not None)
        if found and not hits:
            raise Unfetched(Outcome.FAILED, f"none of its {len(found)} results has an address")
        return hits

    def _repeats_key(self, hit: answers.Hit) -> bool:
        """Return whether a result contains our key: requesting its address would leak it."""
        return bool(self._key) and any(self._key in text for text in (hit.url, hit.title))
