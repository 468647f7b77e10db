"""The catalogue of search providers, and those that a project's options configure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from lxml import etree

from planbook.model import Query
from planbook.research.search import provider
from planbook.research.search.api_answers import (
    is_challenged,
    looks_like_html,
    read_json,
    value_on_line,
)
from planbook.research.search.document_folder import Folder
from planbook.research.search.full_text_index import Documents
from planbook.research.search.repositories import RepositoryIndex
from planbook.research.web.model import Ask, Limits, Outcome, Reply, Unfetched
from planbook.store.options import LOCAL, REPOSITORIES, SearchOptions

_ATOM = "{http://www.w3.org/2005/Atom}"
_MAX_ARXIV_TERMS = 8


# --- SearXNG: https://docs.searxng.org/dev/search_api.html ----------------------------------------


def _add_category(sent: dict[str, object], query: Query) -> dict[str, object]:
    """Use the category ``science`` for papers: an instance has no category for one site."""
    if query.engine in {"scholar", "arxiv"}:
        return {**sent, "q": query.text, "categories": "science"}
    return sent


def _check_format(reply: Reply) -> None:
    """An instance answers 403, or with HTML, if its settings leave out JSON."""
    is_page = reply.status_code == 200 and looks_like_html(reply.body)
    if not is_challenged(reply) and (reply.status_code == 403 or is_page):
        reason = "the response is not JSON; add `json` to `search: formats:` in its settings.yml"
        raise Unfetched(Outcome.BLOCKED, reason)


def _parse_searxng(body: bytes) -> object:
    """Report the engines that did not answer, which an instance without results names."""
    answer = read_json(body)
    if not isinstance(answer, dict) or answer.get("results") != []:
        return answer
    silent = answer.get("unresponsive_engines")
    if not isinstance(silent, list) or not silent:
        return answer
    engines = value_on_line(json.dumps(silent), 200)
    reason = f"no results, and some of its engines did not answer ({engines})"
    raise Unfetched(Outcome.FAILED, reason)


# --- Wikipedia and GitHub -------------------------------------------------------------------------


def _add_article_url(entry: provider.Entry, url: str) -> provider.Entry:
    """Build the address of an article from its key, the title as it is written in addresses."""
    key = entry.get("key")
    if not isinstance(key, str) or not key:
        return {**entry, "url": ""}
    return {**entry, "url": f"{url}/wiki/{quote(key, safe='/:(),!*', errors='replace')}"}


def _limit_to_readmes(sent: dict[str, object], query: Query) -> dict[str, object]:
    """Search READMEs too: without them, a query of five words finds nothing."""
    return {**sent, "q": f"{sent['q']} in:name,description,readme"}


# --- arXiv, which answers in Atom: https://info.arxiv.org/help/api/user-manual.html ---------------


def _require_terms(query: Query) -> str:
    """Ask for documents that have all terms."""
    return " AND ".join(f'all:"{term}"' for term in provider.terms(query.text)[:_MAX_ARXIV_TERMS])


def _parse_feed(body: bytes) -> dict[str, object]:
    """Return the entries of a feed.

    Raises :class:`Unfetched`: arXiv reports an error as a feed with one entry.
    """
    # Neither entities nor document types are loaded: a feed has none.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None or root.tag != f"{_ATOM}feed":
        raise Unfetched(Outcome.FAILED, "the response is not an Atom feed")
    papers = []
    for entry in root.iterfind(f"{_ATOM}entry"):
        paper = {}
        for name in ("id", "title", "summary"):
            paper[name] = " ".join(entry.findtext(f"{_ATOM}{name}", "").split())
        if "/api/errors" in paper["id"]:
            error = value_on_line(paper["summary"], 200) or "error"
            raise Unfetched(Outcome.FAILED, f"it reports: {error}")
        # Its address by HTTP redirects to that by HTTPS.
        paper["id"] = re.sub(r"\Ahttp:(?=//arxiv\.org/)", "https:", paper["id"])
        papers.append(paper)
    return {"entries": papers}


# --- the table ------------------------------------------------------------------------------------

CATALOGUE = (
    provider.SearchApi(
        name="searxng",
        path="/search",
        constants={"format": "json", "categories": "general"},
        adapt=_add_category,
        check=_check_format,
        parse=_parse_searxng,
    ),
    provider.SearchApi(  # https://api-dashboard.search.brave.com/documentation
        name="brave",
        url="https://api.search.brave.com",
        key="BRAVE_API_KEY",
        path="/res/v1/web/search",
        limit="count",
        max_results=20,
        constants={"result_filter": "web", "text_decorations": "false"},
        key_header=("X-Subscription-Token", ""),
        max_chars=400,
        max_words=50,
        results=("web", "results"),
        is_optional=True,
        is_html=True,
    ),
    provider.SearchApi(  # https://docs.tavily.com/documentation/api-reference/endpoint/search
        name="tavily",
        url="https://api.tavily.com",
        key="TAVILY_API_KEY",
        path="/search",
        method="POST",
        query="query",
        limit="max_results",
        max_results=20,
        sites="include_domains",
        constants={"search_depth": "basic"},
        text=provider.bare_words,
        max_chars=400,
    ),
    provider.SearchApi(  # https://www.mediawiki.org/wiki/API:REST_API/Reference#Search_pages
        name="wikipedia",
        url="https://en.wikipedia.org",
        engines=frozenset({"wikipedia"}),
        fallback_for=provider.WEB,
        path="/w/rest.php/v1/search/page",
        limit="limit",
        text=provider.bare_words,
        max_chars=300,  # https://www.mediawiki.org/wiki/Help:CirrusSearch
        results=("pages",),
        adapt_entry=_add_article_url,
        is_html=True,
    ),
    provider.SearchApi(  # https://docs.github.com/en/rest/search/search
        name="github",
        url="https://api.github.com",
        optional_key="GITHUB_TOKEN",
        engines=frozenset({"github"}),
        fallback_for=provider.WEB,
        path="/search/repositories",
        limit="per_page",
        headers=(("Accept", "application/vnd.github+json"), ("X-GitHub-Api-Version", "2022-11-28")),
        text=provider.strip_site_operator,
        max_chars=256,  # without qualifiers
        adapt=_limit_to_readmes,
        results=("items",),
        fields=("html_url", "full_name"),
    ),
    provider.SearchApi(  # https://info.arxiv.org/help/api/tou.html
        name="arxiv",
        url="https://export.arxiv.org",
        engines=frozenset({"arxiv", "scholar"}),
        fallback_for=provider.WEB,
        path="/api/query",
        query="search_query",
        limit="max_results",
        constants={"start": 0, "sortBy": "relevance", "sortOrder": "descending"},
        spacing_s=3.0,  # across all machines
        text=_require_terms,
        parse=_parse_feed,
        results=("entries",),
        fields=("id", "title"),
    ),
)
"""In the default order: the services that the user set up, then the free ones."""

APIS = {api.name: api for api in CATALOGUE}


_KEY = re.compile(r"[\x21-\x7e]{1,500}")
"""A header value without spaces: https://www.rfc-editor.org/rfc/rfc9110#section-5.5."""


def api_of(options: SearchOptions, name: str) -> provider.SearchApi:
    """Return a provider's API at the address that the options give it."""
    written = options.searxng_url if name == "searxng" else options.addresses.get(name, "")
    address = written.strip().rstrip("/")
    if not address:
        return APIS[name]
    return replace(APIS[name], url=address, is_trusted=True)


def unavailable(
    options: SearchOptions, environ: Mapping[str, str], root: Path
) -> tuple[tuple[str, str], ...]:
    """Return the providers that cannot be used, by name, and what each lacks.

    `root` is the project's folder.
    """
    names = dict.fromkeys(options.providers)
    lacks = [(name, _lack(name, options, environ, root)) for name in names]
    return tuple((name, lack) for name, lack in lacks if lack)


def open_documents(
    options: SearchOptions,
    root: Path,
    index: Path,
    limits: Limits | None = None,
    tell: Callable[[str], None] = lambda message: None,
) -> Documents | None:
    """Return the folder of documents with its refreshed index at `index`.

    The result is ``None`` if it is not searched. `tell` receives how far the index is. Raises
    :class:`~planbook.research.search.full_text_index.UnreadableIndexError`.
    """
    if LOCAL not in options.providers or _lack(LOCAL, options, {}, root):
        return None
    folder = Folder(root / options.documents, options.documents, limits or Limits())
    documents = Documents(index, folder)
    documents.refresh(lambda message: tell(f"{options.documents}/: {message}"))
    return documents


def make_providers(
    options: SearchOptions,
    ask: Ask,
    environ: Mapping[str, str],
    documents: Documents | None = None,
    indexed: RepositoryIndex | None = None,
) -> tuple[provider.Provider, ...]:
    """Return the providers that can be used, in the order of `options`.

    `ask` makes their calls; `documents` and `indexed` are the folder of documents and the
    repositories, if any. Keys are read from `environ` and sent in request headers only.
    """
    made: list[provider.Provider] = []
    for name in dict.fromkeys(options.providers):
        if name == LOCAL:
            if documents is not None:
                made.append(documents)
        elif name == REPOSITORIES:
            if indexed is not None:
                made.append(indexed)
        elif not _lack(name, options, environ, root=None):
            api = api_of(options, name)
            key = _api_key(environ, api.key or api.optional_key)
            made.append(provider.ApiProvider(api, ask, key))
    return tuple(made)


def _lack(name: str, options: SearchOptions, environ: Mapping[str, str], root: Path | None) -> str:
    """Return what a provider lacks; empty if it can be used."""
    if name == LOCAL:
        is_there = root is None or (root / options.documents).is_dir()
        return "" if is_there else f"there is no folder {options.documents}/"
    if name == REPOSITORIES:
        return "" if options.repositories else "`search.repositories` is not set"
    api = api_of(options, name)
    if not api.url:
        return "`search.searxng_url` is not set"
    if not api.key or _api_key(environ, api.key):
        return ""
    if environ.get(api.key, "").strip():
        return f"{api.key} contains characters that are not allowed in a key"
    return f"{api.key} is not set in the environment"


def _api_key(environ: Mapping[str, str], name: str) -> str:
    """Return a key; empty if there is none that is valid in a header."""
    value = environ.get(name, "").strip()
    return value if _KEY.fullmatch(value) else ""
