"""Where a line names a work: links, bare addresses, arXiv ids and DOIs, pages of the base."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.citations.works import address_of, trimmed
from generator.markdown.plain_text import line_text


@dataclass(frozen=True, slots=True)
class Place:
    """One place in a line that names a work."""

    start: int
    end: int
    url: str
    words: str = ""
    """A link's own words; a bare address has none."""
    is_plain_id: bool = False
    """Whether it is an arXiv id or DOI that stands as text."""


_LINK = re.compile(
    r"(?<!!)\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){1,400})\]"
    r"(?:\(\s?(?:<(?P<angle>[^<>\n]{1,2000})>|(?P<url>(?:[^()\s<>]|\([^()\s]{0,200}\)){1,2000}))"
    r"(?:\s+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)))?\s?\))"
)
_BY_LABEL = re.compile(
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
    r"(?<!\[)\[\[(?P<page>[^\W\d_][^\[\]|#^\n]{0,160})(?:[#^][^\[\]|\n]{0,160})?(?:\|(?P<words>[^\[\]\n]{1,160}))?\]\](?!\()"
)
_NAVIGATION = re.compile(  # in front of a link, or in its words
    r"(?:^|[\s|·•>*_(])"
    r"(?:(?:next|prev(?:ious)?|back)[\s*_]{0,4}[:→←»«][\s*_]{0,4}|(?:back|return)\sto\s|[←→«»⬅➡]\s?)\["
    r"|\[[\s*_]{0,3}(?:[←→«»⬅➡]|back\sto\b"
    r"|(?:next|prev(?:ious)?|home)(?:\s(?:page|part|section|chapter))?[\s*_]{0,3}[:→»\]])",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,2000}\)")
_BARE = re.compile(r"https?://(?:[^\s<>\"`()\[\]{}|\\^]|\([^\s()]{0,100}\)){3,2000}", re.IGNORECASE)
_NO_SCHEME = re.compile(
    r"(?<![\w@/.:-])(?:www\.(?=[\w-]{1,60}\.)|(?:[a-z][\w-]{1,60}\.){1,3}(?:com|org|io|dev|net|edu|gov"
    r"|ai)/)[^\s<>\"`()\[\]{}|\\^]{2,2000}",
    re.IGNORECASE,
)
_PAPER = re.compile(
    r"\barxiv(?:\s{1,3}(?:preprint|id))?(?:[\s*_]{0,4}:[\s*_]{0,4}|\s{1,3})(?:arxiv:\s?)?(?:\d{4}\.\d{4,5}(?:v\d{1,2})?"
    r"|[a-z-]{2,12}(?:\.[a-z]{2})?/\d{7})\b"
    r"|\bdoi[\s:]{1,3}10\.\d{4,9}/[^\s\"<>\]]{1,200}|(?<![/\w.])10\.\d{4,9}/[^\s\"<>\]]{1,200}",
    re.IGNORECASE,
)
_PAGE = re.compile(r"(?<![\w/:.~*+@-])(?:(?:\.{1,2}|~)?/){0,9}(?:[\w.+@-]{1,120}/){0,12}[\w.+-]{1,160}\.md\b(?![\w/])")
_LINES_OF_PAGE = re.compile(r":\d{1,5}(?:-\d{1,5})?$|#L?\d[\dL-]*$")
_NOWHERE = re.compile(
    r"^(?:https?:)?//(?:localhost|127\.0\.0\.1|0\.0\.0\.0|(?:www\.)?example\.(?:com|org)|[^/.:]+(?:[/:]|$))",
    re.IGNORECASE,
)
_DOMAIN_HINTS = ("www.", ".com/", ".org/", ".io/", ".dev/", ".net/", ".edu/", ".gov/", ".ai/")
_PAPER_HINT = re.compile(r"r[xX]iv|10\.\d{4}")
HINTS = ("](", "][", "[[", "http", ".md", "rxiv", "rXiv", "10.", *_DOMAIN_HINTS)
"""A line that holds none of these names no work, unless the page has link reference definitions."""


def has_hint(line: str) -> bool:
    """Whether the line may name a work: cheaper than to look for it."""
    return any(hint in line for hint in HINTS)


def find_places(line: str, links: Mapping[str, str]) -> tuple[Place, ...]:
    """Every place in `line` that names a work, in order; `links` are the page's link reference definitions."""
    if not has_hint(line) and not (links and "[" in line):
        return ()
    found: list[Place] = []
    rest = line  # with spaces where a pattern has found something: its words name no second work
    if "](" in line:
        rest = _IMAGE.sub(_spaces, rest) if "![" in rest else rest
        for match in _LINK.finditer(rest):
            start, end = match.span()
            url = _target((match["angle"] or match["url"]).strip())
            if url:
                found.append(Place(start, end, url, line_text(match["words"])))
            rest = rest[:start] + " " * (end - start) + rest[end:]
    for pattern in [*([_WIKI] if "[[" in rest else ()), *([_ANCHOR] if "</a>" in rest else ())]:
        found += _places_of(pattern, rest)
        rest = pattern.sub(_spaces, rest)
    if links and "[" in rest and not is_definition(line):
        for match in _BY_LABEL.finditer(rest):
            url = links.get((match["label"] or match["words"]).lower())
            if url:
                found.append(Place(match.start(), match.end(), url, line_text(match["words"])))
    if has_hint(rest):
        found += _unlinked(rest)
    found.sort(key=lambda place: place.start)
    urls = [place.url.partition("#")[0] for place in found if place.url.startswith("http")] if ".md" in line else []
    return tuple(
        place
        for n, place in enumerate(found)
        if not _is_same_paper(line, found[n - 1] if n else None, place)
        and not ("/" not in place.url and any(url.endswith(f"/{place.url}") for url in urls))
    )


def _places_of(pattern: re.Pattern[str], line: str) -> Iterator[Place]:
    """The places that are a note's link to another (``[[page|words]]``), or a link in HTML."""
    for match in pattern.finditer(line):
        page = match.groupdict().get("page")
        url = f"{page.strip().removesuffix('.md')}.md" if page else _target(match["url"])
        if url:
            yield Place(match.start(), match.end(), url, line_text(match["words"] or page or ""))


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def is_definition(line: str) -> bool:
    """Whether the line is a link reference definition."""
    return line.lstrip()[:1] == "[" and bool(_DEFINITION.match(line))


def is_navigation(line: str) -> bool:
    """Whether the line leads on to other pages of the base: ``**Next**: [Wheat](wheat.md)``, ``[← Back](..)``."""
    return "](" in line and bool(_NAVIGATION.search(line))


def link_definitions(text: str) -> dict[str, str]:
    """The page's link reference definitions: label, in small letters, to address."""
    if "]:" not in text:
        return {}
    return {match["label"].lower(): match["url"] for match in _DEFINITION.finditer(text)}


def _unlinked(line: str) -> Iterator[Place]:
    """The places of the line that are no links."""
    if "http" in line:
        for match in _BARE.finditer(line):
            address = trimmed(match[0])
            url = _target(address)
            if url:
                yield Place(match.start(), match.start() + len(address), url)
        line = _BARE.sub(_spaces, line)
    if _PAPER_HINT.search(line):
        for match in _PAPER.finditer(line):
            address = trimmed(match[0])
            url = address_of(address)
            if url:
                yield Place(match.start(), match.start() + len(address), url, is_plain_id=True)
        line = _PAPER.sub(_spaces, line)
    if any(hint in line for hint in _DOMAIN_HINTS):
        for match in _NO_SCHEME.finditer(line):
            address = trimmed(match[0])
            yield Place(match.start(), match.start() + len(address), f"https://{address}")
        line = _NO_SCHEME.sub(_spaces, line)
    if ".md" in line:
        for match in _PAGE.finditer(line):
            yield Place(match.start(), match.end(), match[0])


def _target(target: str) -> str | None:
    """The address that a link's target gives, if it may be a work's: the web's, or a file's of the base."""
    if target.lower().startswith(("http://", "https://", "//")):
        return None if _NOWHERE.match(target) else target.rstrip(".,;")
    if _NO_SCHEME.match(target):
        return f"https://{target}"
    if re.match(r"#|[a-z][a-z+.-]*:(?!\d)", target, re.IGNORECASE):
        return None
    path = _LINES_OF_PAGE.sub("", target)
    return path if re.search(r"\.\w{1,6}(?:#|$)", path) or "/" in path.strip("/") else None


_BETWEEN = frozenset({"et", "al", "and", "preprint", "in", "of", "on", "doi", "accessed", "paper"})


def _is_same_paper(line: str, before: Place | None, place: Place) -> bool:
    """Whether an id in the text only tells the number of the paper that was just linked."""
    if before is None or not place.is_plain_id or before.is_plain_id or not before.url.startswith("http"):
        return False
    between = line[before.end : place.start]
    small_words = set(re.findall(r"\b[a-z]{2,}", between))
    return len(between) < 120 and small_words <= _BETWEEN
