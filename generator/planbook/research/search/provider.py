"""Search providers: the interface, query rewriting, and an implementation for APIs.

A row of a table describes an API (:class:`SearchApi`).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from planbook.citations.identifiers import is_search_page
from planbook.markdown.words import FUNCTION_WORDS
from planbook.model import Query
from planbook.research.search import api_answers
from planbook.research.web.model import Ask, Call, Outcome, Reply, Unfetched

ENGINES = frozenset({"web", "github", "arxiv", "scholar", "wikipedia"})
"""The engines that plans may name (:attr:`planbook.model.Query.engine`)."""
WEB = frozenset({"web"})
Entry = Mapping[str, object]

SITES = {"github": "github.com", "arxiv": "arxiv.org", "wikipedia": "wikipedia.org"}
"""The sites of engines, to which a web search is restricted."""

_SITE = re.compile(r"-?\bsite:\S*", re.IGNORECASE)
_FIELDS = "filetype|ext|in|intitle|inurl|intext|lang|language|before|after"
_OPERATOR = re.compile(
    rf"""(?<!\S)
        (?: (?:AND|OR|NOT)(?!\S)
        |   -(?=\w)                 # an exclusion
        |   (?:{_FIELDS}):(?=\S)
        )
    """,
    re.VERBOSE,
)
"""Boolean operators, exclusions and fields, which every API interprets differently."""
_TERM = re.compile(r"\"([^\"]+)\"|“([^”]+)”|([^\W_][\w.+#'-]*)")
"""A quoted phrase, or a word."""
_STOPWORDS = FUNCTION_WORDS | {
    "best",
    "guide",
    "latest",
    "overview",
    "practices",
    "tutorial",
    "used",
    "using",
    "work",
    "works",
}


class Provider(Protocol):
    """Finds documents that may answer a query."""

    name: str
    """Its name in the options: ``searxng``."""
    engines: frozenset[str]
    """The engines for whose queries it is asked first."""
    fallback_for: frozenset[str]
    """The engines for whose queries it is asked if the others have found too little."""

    def search(self, query: Query, limit: int) -> api_answers.Searched:
        """Return at most `limit` hits, best first, or why there are none.

        Does not raise for a host's failures.
        """


# --- query rewriting ------------------------------------------------------------------------------


def add_site(query: Query) -> str:
    """Return the query for a web search engine.

    It has ``site:`` if it names an engine but no site.
    """
    site = SITES.get(query.engine)
    if site is None or _SITE.search(query.text):
        return query.text
    return f"{query.text} site:{site}"


def sites_of(query: Query) -> list[str]:
    """Return the sites to search, for APIs with a separate parameter; empty for the whole web."""
    operators = [operator[0] for operator in _SITE.finditer(query.text)]
    wanted = [operator for operator in operators if not operator.startswith("-")]
    sites = [operator.partition(":")[2].strip('"') for operator in wanted]
    sites_of_query = [site for site in sites if site]
    if sites_of_query:
        return sites_of_query
    sites_of_engine = SITES.get(query.engine)
    return [sites_of_engine] if sites_of_engine else []


def strip_site_operator(query: Query) -> str:
    """Return the query's text without ``site:``, for the API of one site."""
    return " ".join(_SITE.sub(" ", query.text).split())


def bare_words(query: Query) -> str:
    """Return the query's text without search operators, for APIs that have others or none."""
    text = _OPERATOR.sub(" ", _SITE.sub(" ", query.text))
    return " ".join(re.sub(r"[\"“”()\[\]{}|*]", " ", text).split())


def terms(text: str) -> tuple[str, ...]:
    """Return the distinct significant words and quoted phrases of `text`, in order, in lower case.

    If it has only common words, return all of them.
    """
    plain = _OPERATOR.sub(" ", _SITE.sub(" ", text))
    written = [match[match.lastindex or 0] for match in _TERM.finditer(plain)]
    all_terms = [" ".join(term.lower().split()).rstrip(".-'") for term in written]
    words = [term for term in all_terms if term]
    significant = [word for word in words if word not in _STOPWORDS]
    return tuple(dict.fromkeys(significant or words))


# --- APIs -----------------------------------------------------------------------------------------


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

    text: Callable[[Query], str] = add_site
    """Rewrites the query for the API."""
    adapt: Callable[[dict[str, object], Query], dict[str, object]] | None = None
    """Changes the parameters, given the query."""
    check: Callable[[Reply], None] | None = None
    """Raises :class:`Unfetched` for errors specific to this API."""
    parse: Callable[[bytes], object] = api_answers.read_json
    adapt_entry: Callable[[Entry, str], Entry] | None = None
    """Changes one result, given the API's address."""


class ApiProvider:
    """Queries a search API; `key` is the value of its environment variable."""

    def __init__(self, api: SearchApi, ask: Ask, key: str) -> None:
        self.name = api.name
        self.engines = api.engines
        self.fallback_for = api.fallback_for
        self._api = api
        self._ask = ask
        self._key = key
        self._key_name = api.key or api.optional_key

    def search(self, query: Query, limit: int) -> api_answers.Searched:
        """See :class:`Provider`."""
        requests = 0
        try:
            reply = self._ask(self._call(query, limit))
            requests = reply.requests
            all_hits = self.read(reply)
        except Unfetched as error:
            reason = error.reason.replace(self._key, "…") if self._key else error.reason
            return api_answers.Searched(query, self.name, error.outcome, (), reason, requests)
        documents = [hit for hit in all_hits if not is_search_page(hit.url)]
        safe = [hit for hit in documents if not self._repeats_key(hit)]
        hits = tuple(safe[:limit])
        reason = "" if hits else "no results"
        return api_answers.Searched(query, self.name, Outcome.OK, hits, reason, requests)

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
        in_address = sent if api.method == "GET" else {}
        headers = api.headers
        if self._key:
            header, prefix = api.key_header
            headers = (*headers, (header, prefix + self._key))
        return Call(
            api.url + api.path,
            method=api.method,
            params=tuple((name, str(value)) for name, value in in_address.items()),
            headers=headers,
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

    def read(self, reply: Reply) -> tuple[api_answers.Hit, ...]:
        """Return the hits in a reply. Raises :class:`Unfetched`."""
        api = self._api
        if api.check:
            api.check(reply)
        api_answers.check_reply(reply, self._key_name)
        answer = api.parse(reply.body)
        entries: Sequence[Entry] = api_answers.read_entries(
            answer, *api.results, is_optional=api.is_optional
        )
        if api.adapt_entry:
            entries = [api.adapt_entry(entry, api.url) for entry in entries]
        url, title = api.fields
        hits = []
        for entry in entries:
            hit = api_answers.make_hit(entry.get(url), entry.get(title), is_html=api.is_html)
            if hit is not None:
                hits.append(hit)
        if entries and not hits:
            raise Unfetched(Outcome.FAILED, f"none of its {len(entries)} results has an address")
        return tuple(hits)

    def _repeats_key(self, hit: api_answers.Hit) -> bool:
        """Return whether a result contains our key: requesting its address would leak it."""
        return bool(self._key) and (self._key in hit.url or self._key in hit.title)
