"""Find the addresses of works in a line: links, bare URLs, arXiv ids, DOIs and paths of pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planbook.citations.identifiers import ARXIV_ID, ARXIV_LABEL, address_of, is_web, trim_address
from planbook.markdown.edits import apply_edits
from planbook.markdown.plain_text import plain_text


@dataclass(frozen=True, slots=True)
class UrlMatch:
    """An address in a line: a link, a bare URL, an arXiv id or DOI, or the path of a page."""

    start: int
    end: int
    url: str
    words: str = ""
    """The text of a link; empty for a bare address."""


_LINK = re.compile(
    r"""
    (?<!!) \[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){1,400})\]
    \( \s?
    (?: <(?P<angle>[^<>\n]{1,2000})>
      | (?P<url>(?:[^()\s<>]|\([^()\s]{0,200}\)){1,2000}) )
    (?:\s+ (?: \"[^\"\n]{0,300}\" | '[^'\n]{0,300}' | \([^()\n]{0,300}\) ))?     # a title
    \s? \)
    """,
    re.VERBOSE,
)
"""``[Rye](https://a.example/rye "The handbook")``."""
_REFERENCE_LINK = re.compile(
    r"""
    (?<![!\]\w]) \[(?P<words>[^\[\]^\n][^\[\]\n]{0,200})\]
    (?:\[(?P<label>[^\[\]\n]{0,80})\])?
    (?![(\[])
    """,
    re.VERBOSE,
)
"""``[Rye][handbook]``, or ``[Rye]``."""
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\[\]^\n][^\[\]\n]{0,80})\]:"
    r"[ \t]{0,8}<?(?P<url>https?://[^\s<>]{3,2000})",
    re.MULTILINE,
)
"""``[handbook]: https://a.example/rye``."""
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,200}?\bhref\s?=\s?[\"']?(?P<url>[^\s\"'<>]{1,2000})[^<>]{0,200}>"
    r"(?P<words>[^<>\n]{0,300})</a>",
    re.IGNORECASE,
)
_WIKI = re.compile(
    r"""
    (?<![!\[]) \[\[(?P<page>[^\W\d_][^\[\]|#^\n]{0,160})
    (?:[#^][^\[\]|\n]{0,160})?                  # a heading or a block of the page
    (?:\|(?P<words>[^\[\]\n]{1,160}))?
    \]\] (?!\()
    """,
    re.VERBOSE,
)
"""``[[grain/rye#Baking|the rye loaf]]``."""
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,2000}\)")
_BARE_ADDRESS = re.compile(
    r"https?://(?:[^\s<>\"`()\[\]{}|\\^]|\([^\s()]{0,100}\)){3,2000}", re.IGNORECASE
)
_PAPER = re.compile(
    rf"\b{ARXIV_LABEL}(?:{ARXIV_ID})(?:v\d{{1,2}})?\b"
    r"|\bdoi[\s:]{1,3}10\.\d{4,9}/[^\s\"<>\]]{1,200}|(?<![/\w.])10\.\d{4,9}/[^\s\"<>\]]{1,200}",
    re.IGNORECASE,
)
_PAGE_PATH = re.compile(
    r"""
    (?<![\w/:.~*+@-])
    (?:(?:\.{1,2}|~)?/){0,9} (?:[\w.+@-]{1,120}/){0,12}
    [\w.+-]{1,160}\.md\b (?![\w/])
    """,
    re.VERBOSE,
)
"""``../grain/rye.md``."""
_PRIVATE_ADDRESS = re.compile(
    r"^https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:www\.)?example\.(?:com|org)"
    r"|[^/.:]+(?:[/:]|$))",
    re.IGNORECASE,
)
"""An address that other people cannot open, or that is an example."""
_PAPER_HINT = re.compile(r"r[xX]iv|10\.\d{4}")
HINTS = ("](", "http", ".md", "[[", "][", "10.", "rxiv", "rXiv")
"""A line without any of these contains no address, unless the page has link reference
definitions."""


def has_hint(line: str) -> bool:
    """Return whether the line may have an address: a cheap test."""
    return any(hint in line for hint in HINTS)


def find_urls(line: str, definitions: Mapping[str, str]) -> tuple[UrlMatch, ...]:
    """Return the addresses in `line`, in order.

    `definitions` are the page's link reference definitions.
    """
    may_have_reference = bool(definitions) and "[" in line
    if not has_hint(line) and not may_have_reference:
        return ()
    urls: list[UrlMatch] = []
    # What is read is blanked: the address in a link is not a bare address, too.
    rest = _blank_out(line, _IMAGE.finditer(line)) if "![" in line else line
    for hint, pattern in (("](", _LINK), ("[[", _WIKI), ("</a>", _ANCHOR)):
        if hint in rest:
            matches = list(pattern.finditer(rest))
            urls += _urls_of_links(matches)
            rest = _blank_out(rest, matches)
    if definitions and "[" in rest and not is_definition(line):
        urls += _urls_of_references(rest, definitions)
    if has_hint(rest):
        urls += _bare_addresses(rest)
    urls.sort(key=lambda match: match.start)
    return _omit_file_names(urls) if ".md" in line else tuple(urls)


def _omit_file_names(urls: Sequence[UrlMatch]) -> tuple[UrlMatch, ...]:
    """Return the addresses without names such as ``rye.md`` of files whose URL is beside them."""
    addresses = [match.url.partition("#")[0] for match in urls if is_web(match.url)]
    segments = []
    for match in urls:
        is_name = "/" not in match.url
        if not is_name or not any(address.endswith(f"/{match.url}") for address in addresses):
            segments.append(match)
    return tuple(segments)


def is_definition(line: str) -> bool:
    """Return whether the line is a link reference definition."""
    return line.lstrip()[:1] == "[" and bool(_DEFINITION.match(line))


def link_definitions(text: str) -> dict[str, str]:
    """Return the page's link reference definitions: address by label in lower case."""
    if "]:" not in text:
        return {}
    return {match["label"].lower(): match["url"] for match in _DEFINITION.finditer(text)}


_OTHER_FILE = re.compile(r"\.(?!md$)[a-z]\w{1,3}$")
"""The end of a wikilink to a file that is no page, such as an image."""


def _urls_of_links(matches: Iterable[re.Match[str]]) -> Iterator[UrlMatch]:
    """Yield links in Markdown, in HTML, and wiki links (``[[page|words]]``) to pages."""
    for match in matches:
        groups = match.groupdict()
        page = (groups.get("page") or "").rstrip("\\")
        if _OTHER_FILE.search(page):
            continue
        url: str | None
        if page:
            url = f"{page.strip().removesuffix('.md')}.md"
        else:
            target = groups.get("angle") or groups["url"]
            url = _work_url(target.strip())
        if url:
            yield UrlMatch(*match.span(), url, plain_text(groups["words"] or page or ""))


def _urls_of_references(line: str, definitions: Mapping[str, str]) -> Iterator[UrlMatch]:
    """Yield links to the page's link reference definitions."""
    for match in _REFERENCE_LINK.finditer(line):
        label = match["label"] or match["words"]
        url = definitions.get(label.lower())
        if url:
            yield UrlMatch(*match.span(), url, plain_text(match["words"]))


def _bare_addresses(line: str) -> Iterator[UrlMatch]:
    """Yield URLs, then arXiv ids and DOIs, then paths of pages, in what the others leave."""
    forms: tuple[tuple[bool, re.Pattern[str], Callable[[str], str | None]], ...] = (
        ("http" in line, _BARE_ADDRESS, _work_url),
        (bool(_PAPER_HINT.search(line)), _PAPER, address_of),
        (".md" in line, _PAGE_PATH, str),
    )
    for has_hint_of_form, pattern, url_of in forms:
        matches = list(pattern.finditer(line)) if has_hint_of_form else []
        for match in matches:
            address = trim_address(match[0])
            url = url_of(address)
            if url:
                yield UrlMatch(match.start(), match.start() + len(address), url)
        line = _blank_out(line, matches)


def _blank_out(line: str, matches: Iterable[re.Match[str]]) -> str:
    """Return `line` with spaces in place of what is read already."""
    return apply_edits(line, ((*match.span(), " " * len(match[0])) for match in matches))


_SCHEME_OR_ANCHOR = re.compile(r"#|[a-z][a-z+.-]*:(?!\d)", re.IGNORECASE)
_FILE_SUFFIX = re.compile(r"\.\w{1,6}(?:#|$)")


def _work_url(target: str) -> str | None:
    """Return the address in a link's target if it may be a work.

    That is a public address of the web, or a file of the base.
    """
    if target.startswith("//"):
        target = f"https:{target}"
    target = target.replace("&amp;", "&")
    if is_web(target):
        return None if _PRIVATE_ADDRESS.match(target) else target.rstrip(".,;")
    if _SCHEME_OR_ANCHOR.match(target):
        return None
    is_file = _FILE_SUFFIX.search(target) is not None or "/" in target.strip("/")
    return target if is_file else None
