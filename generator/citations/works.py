"""What makes two addresses one work, and what a work's id is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, unquote, urlencode

_ARXIV = re.compile(
    r"(?:(?:arxiv\.org|alphaxiv\.org|ar5iv\.org)/(?:abs|pdf|html|ps|format|overview)/|10\.48550/arxiv\."
    r"|arxiv(?:\s{1,3}(?:preprint|id))?(?:[\s*_]{0,4}:[\s*_]{0,4}|\s{1,3})(?:arxiv:\s?)?)"
    r"(?P<id>\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})",
    re.IGNORECASE,
)
_DOI = re.compile(
    r"(?:\bdoi\.org/|\bdoi[\s:]{1,3}|/doi/(?:[a-z]{2,6}/)?|^)(?P<id>10\.\d{4,9}/[^\s\"<>?#]+)", re.IGNORECASE
)
_HTTP = re.compile(
    r"^(?:https?:)?//(?:[^/?#@\s]*@)?(?P<host>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?", re.IGNORECASE
)
_PAGE = re.compile(r"^(?:page:)?(?P<path>.*?\.md)(?![\w/.-]).*$", re.IGNORECASE | re.DOTALL)
_TRACKING = re.compile(r"^(?:utm_\w+|ref|ref_src|source|fbclid|gclid|si|share)$", re.IGNORECASE)
_FORGES = frozenset({"github.com", "gitlab.com"})
_BESIDE_WORK = {
    "github.com": frozenset({"tab", "plain"}),
    "gitlab.com": frozenset({"tab", "plain"}),
    "youtube.com": frozenset({"t", "start", "list", "index", "feature", "ab_channel", "pp"}),
}
"""The parameters that a site reads, and that show the same work otherwise or from another place on."""
_SEARCH_PAGE = re.compile(
    # The engines, whatever the path is in which they answer; then any site's own search.
    r"^(?:(?:www\.)?(?:google\.[a-z.]{2,6}|bing\.com|baidu\.com|yandex\.[a-z]{2,3}|search\.yahoo\.com"
    r"|search\.brave\.com"
    r"|ecosia\.org|startpage\.com|kagi\.com|qwant\.com)/(?:search|scholar|s|web|images|do/search)?/?\?"
    r"|(?:html\.|lite\.|www\.)?duckduckgo\.com/(?:html|lite)?/?\?|scholar\.google\.[a-z.]{2,6}/scholar\?"
    r"|(?:www\.)?youtube\.com/results\?|pubmed\.ncbi\.nlm\.nih\.gov/\?term="
    r"|[^/?#\s]{1,80}/(?:[^?#\s]{1,40}/)?search/?\?(?:[^#\s]{1,200}&)?(?:q|query|searchtype|term|text)=)",
    re.IGNORECASE,
)
_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at by docs documentation for from guide how in into is it of official on or page "
        "pages s the to using via vs what when where with your https http www com org html htm index md abs "
        "pdf",
    )
)
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "gov", "edu"})
_HOSTS_OF_MANY = frozenset({"github", "gitlab", "medium", "arxiv", "huggingface", "readthedocs", "gitbook", "substack"})


def work_key(address: str) -> str:
    """The same text for every address of one work; a key is its own key.

    ``http`` or ``https``, ``www.``, a trailing slash, a fragment, tracking parameters and the letter case of the host
    make no difference; nor does the form in which arXiv shows a paper, or whether a DOI is resolved. A page of the
    base is known by its path, without the steps up and the lines.
    """
    paper = _paper_key(address)
    if paper:
        return paper
    http = _HTTP.match(address)
    if http:
        return _http_key(http["host"], http["path"], http["query"] or "")
    page = _PAGE.match(address.strip())
    return "page:" + re.sub(r"^(?:page:|\.{0,2}/|~/)+", "", page["path"] if page else address.strip())


def _paper_key(address: str) -> str | None:
    """The key of a paper's arXiv id or DOI, if the address has one."""
    arxiv = _ARXIV.search(address) if "iv" in address.lower() else None
    if arxiv:
        return f"arxiv:{arxiv['id'].lower()}"
    doi = _DOI.search(address) if "10." in address else None
    return f"doi:{trimmed(doi['id']).lower()}" if doi else None


def _http_key(host: str, path: str, query: str) -> str:
    host = re.sub(r"^(?:www\.)+", "", host.lower()).rstrip(":")
    host = re.sub(r"^([^:]*):(?:80|443)$", r"\1", host)
    path = quote(unquote(path), safe="/~:@!$&'()*+,;=").rstrip("/")
    ends = ("/index.html", "/index.htm", *((".git",) if host in _FORGES else ()))
    while path.endswith(ends):
        path = path[: path.rfind(next(end for end in ends if path.endswith(end)))].rstrip("/")
    if host == "youtu.be":
        host, query, path = "youtube.com", f"v={path.strip('/')}", "/watch"
    beside = _BESIDE_WORK.get(host, frozenset())
    kept = [(name, value) for name, value in parse_qsl(query) if not _TRACKING.match(name) and name not in beside]
    return f"https://{host}{path}" + (f"?{urlencode(kept)}" if kept else "")


def trimmed(address: str) -> str:
    """The address without the sentence's punctuation and the closing parenthesis of what stands around it."""
    end, unopened = len(address), address.count(")") - address.count("(")
    while end and (address[end - 1] in ".,;:!?*_'\"…" or (address[end - 1] == ")" and unopened > 0)):
        end -= 1
        unopened -= address[end] == ")"
    return address[:end]


def address_of(identifier: str) -> str | None:
    """The address of an arXiv id or DOI that stands as plain text."""
    arxiv = _ARXIV.search(identifier)
    if arxiv:
        return f"https://arxiv.org/abs/{arxiv['id']}"
    doi = _DOI.search(identifier)
    return f"https://doi.org/{trimmed(doi['id'])}" if doi else None


def is_paper(address: str) -> bool:
    """Whether the address names a published paper by its arXiv id or DOI."""
    return _paper_key(address) is not None


def is_search_page(address: str) -> bool:
    """Whether `address` is a search engine's page of results: a way to sources, not a source."""
    return bool(_SEARCH_PAGE.match(re.sub(r"^https?://", "", address[:400])))


def work_id(address: str | None, title: str, taken: Iterable[str] = ()) -> str:
    """A readable id: where the work lives, then its title's telling words; a number makes it unlike those `taken`.

    It is made of ``a-z``, ``0-9`` and ``-`` and begins with a letter or digit.
    """
    site = _site_words(address) if address else []
    if re.match(r"https?://|[\w.-]+/\S*$", title):
        title = re.sub(r"^(?:https?://)?[\w-]+\.[\w.-]+(?=/)", "", title)
    words = [word for word in _words(title) if word not in _STOPWORDS and word not in site][: max(2, 5 - len(site))]
    base = "-".join([*site, *words])[:60].strip("-") or "work"
    return free_name(base, dict.fromkeys(taken, 2))


def free_name(name: str, taken: dict[str, int]) -> str:
    """Return `name`, or the first of ``name-2``, ``name-3`` that is free, and take it.

    `taken` has for each name the number at which to look on: its other numbers are taken.
    """
    free, n = name, taken.get(name, 2)
    while free in taken:
        free, n = f"{name}-{n}", n + 1
    taken[name] = n
    taken.setdefault(free, 2)
    return free


def _words(text: str) -> list[str]:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.findall(r"[a-z0-9]+", ascii_text.lower().replace("'", ""))


def _site_words(address: str) -> list[str]:
    """``docs.nvidia.com`` is ``nvidia``; a site of many owners is named by the owner."""
    arxiv = _ARXIV.search(address)
    if arxiv:
        return ["arxiv", *_words(arxiv["id"])]
    http = _HTTP.match(address)
    if not http:
        return []
    labels = [name for name in http["host"].lower().split(".") if name not in {"www", "docs", "developer", "blog"}]
    if len(labels) > 1:
        labels = labels[:-1]
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels = labels[:-1]
    site = labels[-1] if labels else ""
    if site in _HOSTS_OF_MANY and len(labels) == 1:
        owner = [piece for piece in http["path"].removesuffix(".git").split("/") if piece][:2]
        return [word for piece in owner for word in _words(piece)[:2]][:4] or _words(site)
    return _words(site)[:2]
