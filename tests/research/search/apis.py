"""Search APIs on loopback: each checks what it is sent and answers in the form of the real one, errors too.

What they answer is after their documentation: the address stands beside each.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape

from tests.research.web.server import HERE, Reply, Server, send, typed

KEY = "sk-tea-3f9c2a7e41d0"
"""The key that the APIs accept."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the API got it."""

    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    began: float
    """By the server's clock."""

    @property
    def sent(self) -> Any:
        """Its body as JSON."""
        return json.loads(self.body)


Service = Callable[[Asked], Reply]


@dataclass
class Api(Server):
    """One API on a port of its own. `first` is answered before anything else, one a request."""

    service: Service
    first: list[Reply] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its base address."""
        return f"http://{HERE}:{self.port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answers one request."""
        began = time.monotonic()
        parts = urlsplit(handler.path)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = handler.rfile.read(int(headers.get("content-length", "0")))
        asked = Asked(handler.command, parts.path, dict(parse_qsl(parts.query)), headers, body, began)
        self.asked.append(asked)
        try:
            send(handler, self.first.pop(0) if self.first else self.service(asked))
        except OSError:
            handler.close_connection = True  # the client had enough


def as_json(value: object, status: int = 200, *headers: tuple[str, str]) -> Reply:
    """A reply in JSON."""
    return typed(json.dumps(value).encode(), "application/json; charset=utf-8", *headers, status=status)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the web that the APIs know."""

    url: str
    title: str
    text: str


PAGES = (
    Page("https://tea.example/water", "Water for tea", "Soft water makes a clear tea; hard water a dull one."),
    Page("https://tea.example/oolong?utm_source=x", "Oolong", "Oolong tea is half oxidised. It bears many infusions."),
    Page(
        "https://kettle.example/guide/", "Kettles <i>compared</i>", "A kettle with a thermostat, for green tea & more."
    ),
    Page("https://bread.example/rye", "Rye", "Rye bread wants sour dough."),
)


def matching(query: str, most: int) -> list[Page]:
    """The pages that hold a word of the query, those with more of them first."""
    words = {word.strip('"()').lower() for word in query.split() if ":" not in word}
    held = {page: sum(word in f"{page.title} {page.text}".lower() for word in words) for page in PAGES}
    return sorted((page for page in PAGES if held[page]), key=lambda page: -held[page])[:most]


# --- SearXNG: https://docs.searxng.org/dev/search_api.html --------------------------------------------------------


@dataclass
class Searxng:
    """An instance; its settings leave JSON out unless told, as a fresh one's do."""

    formats: tuple[str, ...] = ("html", "json")
    unresponsive: tuple[tuple[str, str], ...] = ()

    def __call__(self, asked: Asked) -> Reply:
        """Answers ``/search``."""
        if asked.path != "/search":
            return typed(b"<!doctype html><title>404</title>", "text/html; charset=utf-8", status=404)
        if asked.params.get("format", "html") not in self.formats:
            page = b"<!doctype html>\n<title>403 Forbidden</title>\n<h1>Forbidden</h1>"
            return typed(page, "text/html; charset=utf-8", status=403)
        if not asked.params.get("q"):
            return as_json({"error": "No query"}, 400)
        results = [
            {
                "url": page.url,
                "title": page.title,
                "content": page.text,
                "engines": ["brave", "duckduckgo"],
                "category": asked.params.get("categories", "general"),
            }
            for page in matching(asked.params["q"], 20)
        ]
        return as_json(
            {
                "query": asked.params["q"],
                "number_of_results": 0,
                "results": results,
                "unresponsive_engines": [list(pair) for pair in self.unresponsive],
            }
        )


# --- Wikipedia: https://www.mediawiki.org/wiki/API:REST_API/Reference#Search_pages --------------------------------


def wikipedia(asked: Asked) -> Reply:
    """MediaWiki's search of pages."""
    if asked.path != "/w/rest.php/v1/search/page":
        return _mediawiki_error(404, "rest-no-match", "The requested relative path did not match any known handler")
    if not asked.params.get("q"):
        return _mediawiki_error(400, "rest-missing-parameter", "The mandatory parameter 'q' was not set")
    if not 1 <= int(asked.params.get("limit", "50")) <= 100:
        return _mediawiki_error(400, "rest-limit-out-of-range", "Cannot return more than 100 results")
    pages = [
        {
            "id": 38930 + n,
            "key": page.title.replace(" ", "_"),
            "title": page.title,
            "excerpt": f'<span class="searchmatch">{escape(page.title)}</span>: {escape(page.text)}',
            "description": None,
        }
        for n, page in enumerate(matching(asked.params["q"], int(asked.params.get("limit", "50"))))
    ]
    return as_json({"pages": pages})


def _mediawiki_error(status: int, key: str, words: str) -> Reply:
    reason = {400: "Bad Request", 404: "Not Found"}[status]
    said = {"errorKey": key, "messageTranslations": {"en": words}, "httpCode": status, "httpReason": reason}
    return as_json(said, status)


# --- arXiv: https://info.arxiv.org/help/api/user-manual.html ------------------------------------------------------

PAPERS = (
    ("2205.14135v2", "Steeping: Fast and\n  Exact Infusion", "We propose steeping, an IO-aware infusion of tea."),
    ("hep-ex/0307015v1", "Oolong production at high momenta", "Oolong & tea are studied at high momentum."),
)


def arxiv(asked: Asked) -> Reply:
    """The API, which answers in Atom, errors too."""
    if asked.path != "/api/query":
        return typed(b"<html><title>404 Not Found</title></html>", "text/html", status=404)
    count = asked.params.get("max_results", "10")
    if not count.isdigit():
        return feed(
            _entry(
                "http://arxiv.org/api/errors#max_results_must_be_an_integer", "Error", "max_results must be an integer"
            )
        )
    words = [term.removeprefix("all:").strip('"') for term in asked.params.get("search_query", "").split(" AND ")]
    held = [paper for paper in PAPERS if all(word in f"{paper[1]} {paper[2]}".lower() for word in words)]
    return feed(
        *(_entry(f"http://arxiv.org/abs/{name}", title, summary) for name, title, summary in held[: int(count)])
    )


def feed(*entries: str) -> Reply:
    """A feed of entries."""
    text = (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" '
        'xmlns="http://www.w3.org/2005/Atom"><id>https://arxiv.org/api/SkuXkYxumgL1drFIL7NufdnpkFc</id>'
        "<title>arXiv Query</title><updated>2026-11-11T18:34:08Z</updated>"
        f"<opensearch:totalResults>{len(entries)}</opensearch:totalResults>{''.join(entries)}</feed>"
    )
    return typed(text.encode(), "application/atom+xml; charset=utf-8")


def _entry(address: str, title: str, summary: str) -> str:
    return (
        f"<entry><id>{escape(address)}</id><title>{escape(title)}</title><updated>2026-05-27T12:00:00Z</updated>"
        f'<link href="{escape(address)}" rel="alternate" type="text/html"/><summary>\n  {escape(summary)}\n</summary>'
        '<category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/><author><name>A. Author</name></author></entry>'
    )


# --- GitHub: https://docs.github.com/en/rest/search/search --------------------------------------------------------

REPOSITORIES = (("tea/steep", "Tea, steeped by the minute"), ("kettle-lab/boil", None))


def github(asked: Asked) -> Reply:
    """Search of repositories for anybody, of code with a token; also the answer to a bad token."""
    about = "https://docs.github.com/rest/search/search"
    token = asked.headers.get("authorization", "")
    if "user-agent" not in asked.headers:
        return as_json({"message": "Request forbidden by administrative rules."}, 403)
    if token and token != f"Bearer {KEY}":
        return as_json({"message": "Bad credentials", "documentation_url": about, "status": "401"}, 401)
    if asked.path == "/search/code" and not token:
        return as_json({"message": "Requires authentication", "errors": [], "documentation_url": about}, 401)
    query = asked.params.get("q", "")
    if not query or len(query) > 300 or not 1 <= int(asked.params.get("per_page", "30")) <= 100:
        errors = [{"resource": "Search", "field": "q", "code": "missing"}]
        return as_json({"message": "Validation Failed", "errors": errors, "documentation_url": about}, 422)
    words = [word.lower() for word in query.split() if not word.startswith("in:")]
    found = [(name, words_) for name, words_ in REPOSITORIES if all(w in f"{name} {words_}".lower() for w in words)]
    if asked.path == "/search/repositories":
        items: list[dict[str, object]] = [
            {"full_name": n, "html_url": f"https://github.com/{n}", "description": d, "private": False}
            for n, d in found
        ]
    elif asked.path == "/search/code":
        items = [
            {
                "name": "steep.py",
                "path": "src/steep.py",
                "sha": "d3adb33f",
                "html_url": f"https://github.com/{n}/blob/7fd1a60b01f91b314f59955a4e4d4e80d8edf11d/src/steep.py",
                "repository": {"full_name": n, "html_url": f"https://github.com/{n}"},
            }
            for n, _ in found
        ]
    else:
        return as_json({"message": "Not Found", "documentation_url": about}, 404)
    return as_json(
        {"total_count": len(items), "incomplete_results": False, "items": items[: int(asked.params["per_page"])]}
    )


GITHUB_LIMITED = as_json(
    {
        "message": "API rate limit exceeded for 192.0.2.7. (Authenticated requests get more.)",
        "documentation_url": "https://docs.github.com/rest/overview/resources-in-the-rest-api#rate-limiting",
    },
    403,
    ("X-RateLimit-Limit", "10"),
    ("X-RateLimit-Remaining", "0"),
    ("X-RateLimit-Reset", "1999999999"),
)
GITHUB_SECONDARY = as_json(
    {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}, 403
)


# --- Brave: https://api-dashboard.search.brave.com/documentation --------------------------------------------------


def brave(asked: Asked) -> Reply:
    """The web search; a key that it does not know gets 422, and an answer without results has no ``web``."""
    if asked.path != "/res/v1/web/search":
        return _brave_error(404, "RESOURCE_NOT_FOUND", "Resource not found")
    if asked.headers.get("x-subscription-token") != KEY:
        return _brave_error(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
    query, count = asked.params.get("q", ""), int(asked.params.get("count", "20"))
    if not 1 <= len(query) <= 400 or len(query.split()) > 50 or not 1 <= count <= 20:
        return _brave_error(422, "VALIDATION", "Unable to validate request parameter(s)")
    results = [
        {
            "type": "search_result",
            "title": escape(page.title),
            "url": page.url,
            "description": escape(page.text).replace("tea", "<strong>tea</strong>"),
            "meta_url": {"scheme": "https", "netloc": urlsplit(page.url).netloc},
        }
        for page in matching(query, count)
    ]
    answer: dict[str, object] = {"type": "search", "query": {"original": query, "more_results_available": False}}
    return as_json({**answer, "web": {"type": "search", "results": results}} if results else answer)


def _brave_error(status: int, code: str, detail: str) -> Reply:
    error = {"id": "a3f1", "status": status, "code": code, "detail": detail, "meta": {"component": "authentication"}}
    return as_json({"type": "ErrorResponse", "error": error, "time": 1795226400}, status)


# --- Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search ----------------------------------


def tavily(asked: Asked) -> Reply:
    """The search."""
    if (asked.method, asked.path) != ("POST", "/search"):
        return as_json({"detail": "Not Found"}, 404)
    if asked.headers.get("authorization") != f"Bearer {KEY}":
        return as_json({"detail": {"error": "Unauthorized: missing or invalid API key."}}, 401)
    sent = asked.sent
    if not sent.get("query") or len(sent["query"]) > 400 or not 0 <= sent.get("max_results", 5) <= 20:
        return as_json({"detail": {"error": "Query is too long. Max query length is 400 characters."}}, 400)
    sites = sent.get("include_domains", [])
    results = [
        {"title": page.title, "url": page.url, "content": page.text, "score": 0.8, "raw_content": None}
        for page in matching(sent["query"], sent.get("max_results", 5))
        if not sites or any(urlsplit(page.url).netloc.endswith(site) for site in sites)
    ]
    answer = {"query": sent["query"], "follow_up_questions": None, "answer": None, "images": [], "results": results}
    return as_json({**answer, "response_time": 0.9, "request_id": "123e4567"})


# --- what any of them may answer ----------------------------------------------------------------------------------

CHALLENGE = typed(
    b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>"
    b"<script>window._cf_chl_opt={cRay:'8f'};</script>Enable JavaScript and cookies to continue</body></html>",
    "text/html; charset=UTF-8",
    ("cf-mitigated", "challenge"),
    status=403,
)
CHALLENGE_200 = typed(
    b"<!DOCTYPE html><html><head><title>Making sure you&#39;re not a bot!</title></head><body>"
    b"<script id='anubis_challenge' type='application/json'>{}</script></body></html>",
    "text/html; charset=UTF-8",
)
