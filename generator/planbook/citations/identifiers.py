"""Identifiers of works: normalize addresses, and derive ids from them.

A work is identified by a URL, an arXiv id, a DOI, or the path of a page of the base.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import parse_qsl, quote, unquote, urlencode

from planbook.markdown.words import FUNCTION_WORDS

ARXIV_LABEL = r"arxiv(?:\s{1,3}(?:preprint|id))?(?:[\s*_]{0,4}:[\s*_]{0,4}|\s{1,3})(?:arxiv:\s?)?"
"""``arXiv preprint arXiv:``."""
ARXIV_ID = r"\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}"
"""``2401.00001`` or, until 2007, ``hep-th/9901001``."""
_ARXIV = re.compile(
    r"(?:(?:arxiv\.org|alphaxiv\.org|ar5iv\.org)/(?:abs|pdf|html|ps|format|overview)/"
    rf"|10\.48550/arxiv\.|{ARXIV_LABEL})(?P<id>{ARXIV_ID})",
    re.IGNORECASE,
)
_DOI = re.compile(
    r"(?:\bdoi\.org/|\bdoi[\s:]{1,3}|/doi/(?:[a-z]{2,6}/)?|^)(?P<id>10\.\d{4,9}/[^\s\"<>?#]+)",
    re.IGNORECASE,
)
_HTTP = re.compile(
    r"^(?:https?:)?//(?:[^/?#@\s]*@)?(?P<host>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?",
    re.IGNORECASE,
)
_PAGE = re.compile(r"^(?:page:)?(?P<path>.*?\.md)(?![\w/.-]).*$", re.IGNORECASE | re.DOTALL)
_IGNORED_PARAMETER = re.compile(
    r"^(?:utm_\w+|ref|ref_src|source|fbclid|gclid|si|share|tab|plain|feature)$", re.IGNORECASE
)
"""Query parameters that track readers, or only change how a work is displayed."""
_IGNORED_ENDS = ("/index.html", "/index.htm", ".git")
"""The ends of paths that lead to the same work without them."""
_SEARCH_PAGES = (
    # www.google.com/search?q=rye
    r"(?:www\.)?(?:google\.[a-z.]{2,6}|bing\.com|baidu\.com|yandex\.[a-z]{2,3}|search\.yahoo\.com"
    r"|search\.brave\.com|ecosia\.org|startpage\.com|kagi\.com|qwant\.com)"
    r"/(?:search|scholar|s|web|images|do/search)?/?\?",
    r"(?:html\.|lite\.|www\.)?duckduckgo\.com/(?:html|lite)?/?\?",  # duckduckgo.com/?q=rye
    r"scholar\.google\.[a-z.]{2,6}/scholar\?",
    r"(?:www\.)?youtube\.com/results\?",
    r"pubmed\.ncbi\.nlm\.nih\.gov/\?term=",
    # the search of any site: a.example/en/search?lang=en&q=rye
    r"[^/?#\s]{1,80}/(?:[^?#\s]{1,40}/)?search/?\?(?:[^#\s]{1,200}&)?"
    r"(?:q|query|searchtype|term|text)=",
)
_SEARCH_PAGE = re.compile(rf"^(?:{'|'.join(_SEARCH_PAGES)})", re.IGNORECASE)
"""An address without its scheme that leads to the results of a search."""
_STOPWORDS = FUNCTION_WORDS | {
    *("docs", "documentation", "guide", "official", "page", "pages", "using", "vs"),
    *("https", "http", "www", "com", "org", "html", "htm", "index", "md", "abs", "pdf"),
}
_USUAL_LABELS = frozenset({"www", "docs", "developer", "blog"})
"""Parts of a host that say nothing about whose site it is."""
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "gov", "edu"})
_HOSTS_OF_PROJECTS = frozenset(
    {"readthedocs.io", "readthedocs.org", "rtfd.io", "github.io", "gitlab.io", "netlify.app"}
)
"""Domains in which each project has a host of its own."""
_SHARED_HOSTS = frozenset(
    {"github", "gitlab", "medium", "arxiv", "huggingface", "readthedocs", "gitbook", "substack"}
)


# --- normalization --------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def work_key(address: str) -> str:
    """Return the same key for every address of one work. Idempotent.

    ``http`` or ``https``, ``www.``, a trailing slash, a fragment, tracking parameters and the
    letter case of the host make no difference; nor does the format of an arXiv paper, or whether a
    DOI is resolved. The key of a page of the base is its path, without leading ``../`` and without
    line numbers.
    """
    paper = _paper_key(address)
    if paper:
        return paper
    http = _HTTP.match(address)
    if http:
        return _http_key(http["host"], http["path"], http["query"] or "")
    page = _PAGE.match(address.strip())
    return "page:" + re.sub(
        r"^(?:page:|\.{0,2}/|~/)+", "", page["path"] if page else address.strip()
    )


def _paper_key(address: str) -> str | None:
    arxiv = _ARXIV.search(address) if "iv" in address.lower() else None
    if arxiv:
        return f"arxiv:{arxiv['id'].lower()}"
    doi = _DOI.search(address) if "10." in address else None
    return f"doi:{trim_address(doi['id']).lower()}" if doi else None


def _http_key(host: str, path: str, query: str) -> str:
    host = re.sub(r"^(?:www\.)+", "", host.lower()).rstrip(":")
    host = re.sub(r"^([^:]*):(?:80|443)$", r"\1", host)
    path = quote(unquote(path), safe="/~:@!$&'()*+,;=").rstrip("/")
    while path.endswith(_IGNORED_ENDS):
        for end in _IGNORED_ENDS:
            path = path.removesuffix(end)
        path = path.rstrip("/")
    parameters = [
        (name, value) for name, value in parse_qsl(query) if not _IGNORED_PARAMETER.match(name)
    ]
    shown_query = f"?{urlencode(parameters)}" if parameters else ""
    return f"https://{host}{path}{shown_query}"


_PUNCTUATION = ".,;:!?*_'\"…"


def trim_address(address: str) -> str:
    """Return the address without the sentence's punctuation and an unmatched closing bracket."""
    end = len(address)
    unopened = address.count(")") - address.count("(")
    while end:
        last_char = address[end - 1]
        is_unopened = last_char == ")" and unopened > 0
        if last_char not in _PUNCTUATION and not is_unopened:
            break
        end -= 1
        unopened -= last_char == ")"
    return address[:end]


def address_of(identifier: str) -> str | None:
    """Return the URL of an arXiv id or DOI."""
    arxiv = _ARXIV.search(identifier)
    if arxiv:
        return f"https://arxiv.org/abs/{arxiv['id']}"
    doi = _DOI.search(identifier)
    return f"https://doi.org/{trim_address(doi['id'])}" if doi else None


def is_paper(address: str) -> bool:
    """Return whether the address has an arXiv id or DOI."""
    return _paper_key(address) is not None


def is_web(address: str | None) -> bool:
    """Return whether the address is on the web, not a path in the base."""
    return (address or "")[:8].lower().startswith(("http://", "https://"))


def is_search_page(address: str) -> bool:
    """Return whether `address` is a page of search results, which is not a source."""
    return bool(_SEARCH_PAGE.match(re.sub(r"^https?://", "", address[:400])))


def address_words(url: str) -> str:
    """Return host and path of an address, as a title."""
    without_query = re.sub(r"[?#].*", "", url)
    words = re.sub(r"^(?:https?:)?//(?:www\.)?", "", without_query).rstrip("/")
    return words or url


# --- ids ------------------------------------------------------------------------------------------


MAX_ID = 60
"""Maximum length of a derived id in characters."""
_TITLE_IS_ADDRESS = re.compile(r"https?://|[\w.-]+/\S*$")


def work_id(address: str | None, title: str, taken_ids: Iterable[str] = ()) -> str:
    """Return a readable id: the site, then significant words of the title.

    A number keeps it apart from the `taken_ids`. It consists of ``a-z``, ``0-9`` and ``-`` and
    begins with a letter or digit.
    """
    site = _site_words(address) if address else []
    if _TITLE_IS_ADDRESS.match(title):  # its host says the same as the site
        title = re.sub(r"^(?:https?://)?[\w-]+\.[\w.-]+(?=/)", "", title)
    words = [word for word in _ascii_words(title) if word not in _STOPWORDS and word not in site]
    most_words = max(2, 5 - len(site))
    name = "-".join([*site, *words[:most_words]])[:MAX_ID].strip("-")
    return free_name(name or "work", dict.fromkeys(taken_ids, 2))


def free_name(name: str, taken_names: dict[str, int]) -> str:
    """Return `name`, or the first of ``name-2``, ``name-3`` that is not taken.

    It is marked as taken: `taken_names` maps each name to the next number to try.
    """
    free, suffix = name, taken_names.get(name, 2)
    while free in taken_names:
        free = f"{name}-{suffix}"
        suffix += 1
    taken_names[name] = suffix
    taken_names.setdefault(free, 2)
    return free


def _ascii_words(text: str) -> list[str]:
    """Return the words of a text in ``a-z`` and ``0-9``, without accents."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.findall(r"[a-z0-9]+", ascii_text.lower().replace("'", ""))


def _site_words(address: str) -> list[str]:
    """Return ``nvidia`` for ``docs.nvidia.com``; the owner for a site that hosts many."""
    arxiv = _ARXIV.search(address)
    if arxiv:
        return ["arxiv", *_ascii_words(arxiv["id"])]
    http = _HTTP.match(address)
    if not http:
        return []
    labels = http["host"].lower().split(".")
    labels = [label for label in labels if label not in _USUAL_LABELS]
    is_of_project = len(labels) > 2 and ".".join(labels[-2:]) in _HOSTS_OF_PROJECTS
    if len(labels) > 1:  # without the top level: .com
        labels.pop()
    if is_of_project:  # kettle.readthedocs.io
        labels.pop()
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:  # .co.uk
        labels.pop()
    site = labels[-1] if labels else ""
    is_shared = site in _SHARED_HOSTS and len(labels) == 1
    if is_shared:
        segments = [segment for segment in http["path"].removesuffix(".git").split("/") if segment]
        owner = [word for segment in segments[:2] for word in _ascii_words(segment)[:2]]
        if owner:
            return owner[:4]
        return _ascii_words(site)
    return _ascii_words(site)[:2]
