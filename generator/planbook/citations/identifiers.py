"""Addresses of works: find them in a line, normalize them, and derive ids from them.

A work is identified by a URL, an arXiv id, a DOI, or the path of a page of the base.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from planbook.markdown.document import edited
from planbook.markdown.plain_text import plain_text
from planbook.markdown.words import FUNCTION_WORDS

_ARXIV_LABEL = r"arxiv(?:\s{1,3}(?:preprint|id))?(?:[\s*_]{0,4}:[\s*_]{0,4}|\s{1,3})(?:arxiv:\s?)?"
_ARXIV_ID = r"\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}"
_ARXIV = re.compile(
    r"(?:(?:arxiv\.org|alphaxiv\.org|ar5iv\.org)/(?:abs|pdf|html|ps|format|overview)/|10\.48550/arxiv\."
    rf"|{_ARXIV_LABEL})(?P<id>{_ARXIV_ID})",
    re.IGNORECASE,
)
_DOI = re.compile(
    r"(?:\bdoi\.org/|\bdoi[\s:]{1,3}|/doi/(?:[a-z]{2,6}/)?|^)(?P<id>10\.\d{4,9}/[^\s\"<>?#]+)", re.IGNORECASE
)
_HTTP = re.compile(
    r"^(?:https?:)?//(?:[^/?#@\s]*@)?(?P<host>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?", re.IGNORECASE
)
_PAGE = re.compile(r"^(?:page:)?(?P<path>.*?\.md)(?![\w/.-]).*$", re.IGNORECASE | re.DOTALL)
_IGNORED = re.compile(r"^(?:utm_\w+|ref|ref_src|source|fbclid|gclid|si|share|tab|plain|feature)$", re.IGNORECASE)
"""Query parameters that track readers, or only change how a work is displayed."""
_SEARCH_PAGE = re.compile(  # search engines with the paths of their results; then the search of any site
    r"^(?:(?:www\.)?(?:google\.[a-z.]{2,6}|bing\.com|baidu\.com|yandex\.[a-z]{2,3}|search\.yahoo\.com|search\.brave\.com"
    r"|ecosia\.org|startpage\.com|kagi\.com|qwant\.com)/(?:search|scholar|s|web|images|do/search)?/?\?"
    r"|(?:html\.|lite\.|www\.)?duckduckgo\.com/(?:html|lite)?/?\?|scholar\.google\.[a-z.]{2,6}/scholar\?"
    r"|(?:www\.)?youtube\.com/results\?|pubmed\.ncbi\.nlm\.nih\.gov/\?term="
    r"|[^/?#\s]{1,80}/(?:[^?#\s]{1,40}/)?search/?\?(?:[^#\s]{1,200}&)?(?:q|query|searchtype|term|text)=)",
    re.IGNORECASE,
)
_STOPWORDS = FUNCTION_WORDS | {
    *("docs", "documentation", "guide", "official", "page", "pages", "using", "vs"),
    *("https", "http", "www", "com", "org", "html", "htm", "index", "md", "abs", "pdf"),
}
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "gov", "edu"})
_SHARED_HOSTS = frozenset({"github", "gitlab", "medium", "arxiv", "huggingface", "readthedocs", "gitbook", "substack"})


# --- normalization ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def work_key(address: str) -> str:
    """Return the same key for every address of one work. Idempotent.

    ``http`` or ``https``, ``www.``, a trailing slash, a fragment, tracking parameters and the letter case of the host
    make no difference; nor does the format of an arXiv paper, or whether a DOI is resolved. The key of a page of the
    base is its path, without leading ``../`` and without line numbers.
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
    arxiv = _ARXIV.search(address) if "iv" in address.lower() else None
    if arxiv:
        return f"arxiv:{arxiv['id'].lower()}"
    doi = _DOI.search(address) if "10." in address else None
    return f"doi:{trimmed(doi['id']).lower()}" if doi else None


def _http_key(host: str, path: str, query: str) -> str:
    host = re.sub(r"^(?:www\.)+", "", host.lower()).rstrip(":")
    host = re.sub(r"^([^:]*):(?:80|443)$", r"\1", host)
    path = quote(unquote(path), safe="/~:@!$&'()*+,;=").rstrip("/")
    while end := next((end for end in ("/index.html", "/index.htm", ".git") if path.endswith(end)), ""):
        path = path.removesuffix(end).rstrip("/")
    kept = [(name, value) for name, value in parse_qsl(query) if not _IGNORED.match(name)]
    return f"https://{host}{path}" + (f"?{urlencode(kept)}" if kept else "")


def trimmed(address: str) -> str:
    """Return the address without the sentence's punctuation and an unmatched closing parenthesis."""
    end, unopened = len(address), address.count(")") - address.count("(")
    while end and (address[end - 1] in ".,;:!?*_'\"…" or (address[end - 1] == ")" and unopened > 0)):
        end -= 1
        unopened -= address[end] == ")"
    return address[:end]


def address_of(identifier: str) -> str | None:
    """Return the URL of an arXiv id or DOI."""
    arxiv = _ARXIV.search(identifier)
    if arxiv:
        return f"https://arxiv.org/abs/{arxiv['id']}"
    doi = _DOI.search(identifier)
    return f"https://doi.org/{trimmed(doi['id'])}" if doi else None


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
    return re.sub(r"^(?:https?:)?//(?:www\.)?", "", re.sub(r"[?#].*", "", url)).rstrip("/") or url


# --- ids -------------------------------------------------------------------------------------------------------------


def work_id(address: str | None, title: str, taken: Iterable[str] = ()) -> str:
    """Return a readable id: the site, then significant words of the title; a number keeps it apart from those `taken`.

    It consists of ``a-z``, ``0-9`` and ``-`` and begins with a letter or digit.
    """
    site = _site_words(address) if address else []
    if re.match(r"https?://|[\w.-]+/\S*$", title):
        title = re.sub(r"^(?:https?://)?[\w-]+\.[\w.-]+(?=/)", "", title)
    words = [word for word in _ascii_words(title) if word not in _STOPWORDS and word not in site]
    base = "-".join([*site, *words[: max(2, 5 - len(site))]])[:60].strip("-") or "work"
    return free_name(base, dict.fromkeys(taken, 2))


def free_name(name: str, taken: dict[str, int]) -> str:
    """Return `name`, or the first of ``name-2``, ``name-3`` that is not taken, and mark it as taken.

    `taken` maps each name to the next number to try: lower ones are taken.
    """
    free, n = name, taken.get(name, 2)
    while free in taken:
        free, n = f"{name}-{n}", n + 1
    taken[name] = n
    taken.setdefault(free, 2)
    return free


def _ascii_words(text: str) -> list[str]:
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
    labels = [name for name in http["host"].lower().split(".") if name not in {"www", "docs", "developer", "blog"}]
    if len(labels) > 1:
        labels = labels[:-1]
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels = labels[:-1]
    site = labels[-1] if labels else ""
    if site in _SHARED_HOSTS and len(labels) == 1:
        owner = [piece for piece in http["path"].removesuffix(".git").split("/") if piece][:2]
        return [word for piece in owner for word in _ascii_words(piece)[:2]][:4] or _ascii_words(site)
    return _ascii_words(site)[:2]


# --- addresses in a line ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UrlMatch:
    """An address in a line: a link, a bare URL, an arXiv id or DOI, or the path of a page."""

    start: int
    end: int
    url: str
    words: str = ""
    """The text of a link; empty for a bare address."""


_LINK = re.compile(
    r"(?<!!)\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){1,400})\]"
    r"(?:\(\s?(?:<(?P<angle>[^<>\n]{1,2000})>|(?P<url>(?:[^()\s<>]|\([^()\s]{0,200}\)){1,2000}))"
    r"(?:\s+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)))?\s?\))"
)
_REFERENCE_LINK = re.compile(
    r"(?<![!\]\w])\[(?P<words>[^\[\]^\n][^\[\]\n]{0,200})\](?:\[(?P<label>[^\[\]\n]{0,80})\])?(?![(\[])"
)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\[\]^\n][^\[\]\n]{0,80})\]:[ \t]{0,8}<?(?P<url>https?://[^\s<>]{3,2000})", re.MULTILINE
)
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,200}?\bhref\s?=\s?[\"']?(?P<url>[^\s\"'<>]{1,2000})[^<>]{0,200}>(?P<words>[^<>\n]{0,300})</a>",
    re.IGNORECASE,
)
_WIKI = re.compile(
    r"(?<![!\[])\[\[(?P<page>[^\W\d_][^\[\]|#^\n]{0,160})(?:[#^][^\[\]|\n]{0,160})?(?:\|(?P<words>[^\[\]\n]{1,160}))?\]\](?!\()"
)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,2000}\)")
_BARE = re.compile(r"https?://(?:[^\s<>\"`()\[\]{}|\\^]|\([^\s()]{0,100}\)){3,2000}", re.IGNORECASE)
_PAPER = re.compile(
    rf"\b{_ARXIV_LABEL}(?:{_ARXIV_ID})(?:v\d{{1,2}})?\b"
    r"|\bdoi[\s:]{1,3}10\.\d{4,9}/[^\s\"<>\]]{1,200}|(?<![/\w.])10\.\d{4,9}/[^\s\"<>\]]{1,200}",
    re.IGNORECASE,
)
_PAGE_PATH = re.compile(
    r"(?<![\w/:.~*+@-])(?:(?:\.{1,2}|~)?/){0,9}(?:[\w.+@-]{1,120}/){0,12}[\w.+-]{1,160}\.md\b(?![\w/])"
)
_NOT_PUBLIC = re.compile(
    r"^https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:www\.)?example\.(?:com|org)|[^/.:]+(?:[/:]|$))", re.IGNORECASE
)
_PAPER_HINT = re.compile(r"r[xX]iv|10\.\d{4}")
HINTS = ("](", "http", ".md", "[[", "][", "10.", "rxiv", "rXiv")
"""A line without any of these contains no address, unless the page has link reference definitions."""


def has_hint(line: str) -> bool:
    """Return whether the line may have an address: a cheap test."""
    return any(hint in line for hint in HINTS)


def find_urls(line: str, definitions: Mapping[str, str]) -> tuple[UrlMatch, ...]:
    """Return the addresses in `line`, in order; `definitions` are the page's link reference definitions."""
    if not has_hint(line) and not (definitions and "[" in line):
        return ()
    found: list[UrlMatch] = []
    rest = _blanked(line, _IMAGE.finditer(line)) if "![" in line else line
    for hint, pattern in (("](", _LINK), ("[[", _WIKI), ("</a>", _ANCHOR)):
        if hint in rest:
            matches = list(pattern.finditer(rest))
            found += _links(matches)
            rest = _blanked(rest, matches)
    if definitions and "[" in rest and not is_definition(line):
        for match in _REFERENCE_LINK.finditer(rest):
            url = definitions.get((match["label"] or match["words"]).lower())
            if url:
                found.append(UrlMatch(match.start(), match.end(), url, plain_text(match["words"])))
    if has_hint(rest):
        found += _bare_addresses(rest)
    found.sort(key=lambda place: place.start)
    urls = [match.url.partition("#")[0] for match in found if is_web(match.url)] if ".md" in line else []
    return tuple(match for match in found if "/" in match.url or not any(url.endswith(f"/{match.url}") for url in urls))


def is_definition(line: str) -> bool:
    """Return whether the line is a link reference definition."""
    return line.lstrip()[:1] == "[" and bool(_DEFINITION.match(line))


def link_definitions(text: str) -> dict[str, str]:
    """Return the page's link reference definitions: address by label in lower case."""
    return {match["label"].lower(): match["url"] for match in _DEFINITION.finditer(text)} if "]:" in text else {}


def _links(matches: Iterable[re.Match[str]]) -> Iterator[UrlMatch]:
    """Yield links in Markdown, in HTML, and wiki links (``[[page|words]]``) to pages."""
    for match in matches:
        part = match.groupdict()
        page = (part.get("page") or "").rstrip("\\")
        if re.search(r"\.(?!md$)[a-z]\w{1,3}$", page):  # another file, such as an image
            continue
        target = (page or part.get("angle") or part["url"]).strip()
        url = f"{target.removesuffix('.md')}.md" if page else _work_url(target)
        if url:
            yield UrlMatch(*match.span(), url, plain_text(part["words"] or page or ""))


def _bare_addresses(line: str) -> Iterator[UrlMatch]:
    forms: tuple[tuple[bool, re.Pattern[str], Callable[[str], str | None]], ...] = (
        ("http" in line, _BARE, _work_url),
        (bool(_PAPER_HINT.search(line)), _PAPER, address_of),
        (".md" in line, _PAGE_PATH, str),
    )
    for has_some, pattern, url_of in forms:
        matches = list(pattern.finditer(line)) if has_some else []
        for match in matches:
            address = trimmed(match[0])
            url = url_of(address)
            if url:
                yield UrlMatch(match.start(), match.start() + len(address), url)
        line = _blanked(line, matches)


def _blanked(line: str, matches: Iterable[re.Match[str]]) -> str:
    """Return `line` with spaces in place of what is read already."""
    return edited(line, ((*match.span(), " " * len(match[0])) for match in matches))


def _work_url(target: str) -> str | None:
    """Return the address in a link's target if it may be a work: on the web, or a file of the base."""
    target = (f"https:{target}" if target.startswith("//") else target).replace("&amp;", "&")
    if is_web(target):
        return None if _NOT_PUBLIC.match(target) else target.rstrip(".,;")
    if re.match(r"#|[a-z][a-z+.-]*:(?!\d)", target, re.IGNORECASE):
        return None
    return target if re.search(r"\.\w{1,6}(?:#|$)", target) or "/" in target.strip("/") else None


# --- files of public repositories ------------------------------------------------------------------------------------

GITHUB = "github.com"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_FORMS = (  # GitLab's first: its groups may be nested
    re.compile(r"/(?P<repository>[^/]+(?:/[^/]+)+?)/-/(?:blob|raw)/(?P<file>.+)"),
    re.compile(r"/(?P<repository>[^/]+/[^/]+)/(?:blob|raw)/(?P<file>.+)"),
)
_RAW = re.compile(r"/(?P<repository>[^/]+/[^/]+)/(?P<file>.+)")
_RAW_HOST = "raw.githubusercontent.com"
RENDERED = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".org", ".textile", ".ipynb", ".csv", ".tsv")
_LINES = re.compile(r"L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7})(?:C\d+)?)?")


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A file of a repository, as an address or the origin recorded in a reference names it."""

    repository: str
    """``OWNER/NAME`` on github.com, ``HOST/GROUP/NAME`` elsewhere."""
    ref: str
    """A commit, branch or tag; of a branch with slashes, the first segment only."""
    path: str
    lines: tuple[int, int] | None = None
    """First and last line, 1-based."""
    is_gitlab: bool = False

    @property
    def is_pinned(self) -> bool:
        """True if it is named at a full commit."""
        return bool(_COMMIT.fullmatch(self.ref))

    @property
    def key(self) -> str:
        """The repository's name for comparison."""
        return self.repository.lower()

    @property
    def host(self) -> str:
        """The host that people read it at."""
        return self.repository.partition("/")[0] if self.repository.count("/") > 1 else GITHUB

    @property
    def name(self) -> str:
        """The repository's name on its host."""
        return self.repository.removeprefix(f"{self.host}/")

    @property
    def base_url(self) -> str:
        """The address at which people read it, without lines."""
        form = "-/blob" if self.is_gitlab else "blob"
        return f"https://{self.host}/{self.name}/{form}/{quote(self.ref)}/{quote(self.path)}"

    @property
    def url(self) -> str:
        """The address with the lines, of the source where it would be rendered."""
        if self.lines is None:
            return self.base_url
        plain = "?plain=1" if self.path.lower().endswith(RENDERED) else ""
        return f"{self.base_url}{plain}#L{('-' if self.is_gitlab else '-L').join(map(str, dict.fromkeys(self.lines)))}"

    @property
    def raw_url(self) -> str:
        """The address of the plain file, whose text a browser shows as it is."""
        where = self.base_url.replace(f"{self.name}/blob/", f"{self.name}/raw/").replace("/-/blob/", "/-/raw/")
        return where.replace(f"{GITHUB}/{self.name}/raw", f"{_RAW_HOST}/{self.name}")


def parse_file_url(url: str) -> RepositoryFile | None:
    """Return the file of a repository that a GitHub or GitLab address names; ``None`` for any other address."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or parts.username or not host:
        return None
    forms = (_RAW,) if host == _RAW_HOST else _FORMS
    found = next((match for form in forms if (match := form.fullmatch(parts.path))), None)
    if not found:
        return None
    segments = [unquote(segment) for segment in found["file"].split("/")]
    segments = segments[2:] if segments[:2] in (["refs", "heads"], ["refs", "tags"]) else segments
    if len(segments) < 2 or {"", ".", ".."} & set(segments):
        return None
    ref = segments[0].lower() if _COMMIT.fullmatch(segments[0].lower()) else segments[0]
    lines = _LINES.fullmatch(parts.fragment)
    first, last = sorted(max(1, int(line)) for line in (lines[1], lines[2] or lines[1])) if lines else (0, 0)
    return RepositoryFile(
        found["repository"] if host in {GITHUB, _RAW_HOST} else f"{host}/{found['repository']}",
        ref,
        "/".join(segments[1:]),
        (first, last) if lines else None,
        is_gitlab="/-/" in parts.path and host != _RAW_HOST,
    )


CUSTOM = ("quotes", "file", "fragments", "lines", "sha256", "permalink")
"""The fields of ``custom`` that Planbook reads beside the fields of CSL, too; CSL has none of these names."""


def custom_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a CSL item has under ``custom``, and what of it stands beside the other fields instead."""
    custom = item.get("custom")
    beside = {key: item[key] for key in CUSTOM if key in item}
    return {**beside, **custom} if isinstance(custom, dict) else beside


def recorded_lines(item: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Return the first and last line of each quote of a CSL item, by key, as far as they are recorded."""
    lines, found = custom_of(item).get("lines"), dict[str, tuple[int, int]]()
    for key, span in lines.items() if isinstance(lines, dict) else ():
        match span:
            case [int(first), int(last)] if 0 < first <= last:
                found[str(key)] = first, last
    return found


def line_links(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the key of each quote of a CSL item whose lines in the file at its URL are recorded, and their address."""
    file = parse_file_url(str(item.get("URL") or ""))
    for key, lines in recorded_lines(item).items():
        if file and file.is_pinned:
            yield key, replace(file, lines=lines).url


def read_pin(item: Mapping[str, Any]) -> RepositoryFile | None:
    """Return the file at a commit that a CSL item cites: by its URL, or by the origin recorded under ``custom``."""
    custom = custom_of(item)
    for address in (item.get("URL"), custom.get("permalink")):
        file = parse_file_url(str(address or ""))
        if file and file.is_pinned:
            return file
    repository, path, commit = (str(custom.get(key) or "").strip("/") for key in ("repository", "path", "commit"))
    is_whole = "/" in repository and path and _COMMIT.fullmatch(commit.lower())
    return RepositoryFile(repository, commit.lower(), path) if is_whole else None
