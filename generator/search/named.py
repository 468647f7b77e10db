"""Find the documents that a plan names: addresses, repositories and their files, papers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.citations.identifiers import address_of, is_search_page, trimmed, work_key
from generator.model import Part, Query
from generator.plan.phrases import read_grep, read_queries
from generator.search.answers import plain, web_address
from generator.search.model import Found, Hit, Searched

NAME = "plan"

_ADDRESS = re.compile(r"https?://(?:[^\s<>\"`()\[\]{}|\\^]|\([^\s()]{0,100}\)){3,2000}", re.IGNORECASE)
_PLACE_TO_FILL = re.compile(r"https?://[^\s\"`]*[<{\[]")
"""``https://x.org/{version}/`` is a template, not an address."""
_HOSTED = re.compile(r"(?<![\w./@-])(?:www\.)?(?P<host>github|gitlab)\.com/(?P<name>[\w-]{1,40}/[\w.-]{1,100})", re.I)
_OWNER = r"(?<![\w./@-])(?P<name>[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9_.-]{1,100})(?![\w/])"
_REPOSITORY = re.compile(rf"`?{_OWNER}`?\)?\s{{1,3}}(?:GitHub\s)?(?:repo(?:sitor(?:y|ies))?s?)\b", re.IGNORECASE)
_ON_GITHUB = re.compile(rf"\bGitHub\b(?:\s(?:repo(?:sitory)?s?))?\s?[:(]?\s?`?{_OWNER}")
_CALL = re.compile(
    r"\bowner\W{1,6}(?P<owner>[\w-]{1,40})\W{1,8}repo\W{1,6}(?P<repo>[\w.-]{1,100})"
    r"(?:\W{1,8}path\W{1,6}(?P<path>[\w./-]{1,200}))?",
    re.IGNORECASE,
)
"""A tool's call in a plan: ``owner: "NVIDIA", repo: "cutlass", path: "README.md"``."""
_FILE = re.compile(
    r"(?<![\w./-])(?P<path>(?:[\w.-]{1,80}/){0,8}(?:(?:Docker|Make)file|[\w-][\w.-]{0,80}\.(?:md|rst|txt|py|pyi|c|h|cc|cpp|hpp"
    r"|cu|cuh|cmake|json|toml|ya?ml|rs|go|js|ts|java|kt|sh|cfg|ini|in|ipynb|bzl|proto)))(?![\w/])"
)
_PAPER = re.compile(
    r"\barxiv\s?:\s?(?:\d{4}\.\d{4,5}|[a-z-]{2,12}/\d{7})|(?<![\w/.])10\.\d{4,9}/[^\s\"<>]{1,200}", re.I
)
_SHOUTED = re.compile(r"[A-Z]{1,4}/[A-Z]{1,4}")
"""CI/CD, TCP/IP: pairs of terms, not owner and repository."""


def search_plan(part: Part) -> Searched:
    """Return all documents that `part` names, in order."""
    query = Query("plan", "", part.line)
    hits = named_hits(part)
    return Searched(query, NAME, Found.FOUND if hits else Found.EMPTY, hits, "" if hits else "it names no addresses")


def named_hits(part: Part) -> tuple[Hit, ...]:
    """Return the distinct documents that `part` names in its sources, its tasks and the citations in its outline."""
    hits: dict[str, Hit] = {}
    for text in _texts(part):
        for address in addresses_in(text):
            if not is_search_page(address):
                hits.setdefault(work_key(address), Hit(address, _title(text, address), provider=NAME))
    return tuple(hits.values())


def addresses_in(text: str) -> Iterator[str]:
    """Yield the addresses in one line: URLs as written, then papers, then repositories and their files."""
    return filter(web_address, _addresses_in(text))


def _addresses_in(text: str) -> Iterator[str]:
    plain_text = text
    for match in _ADDRESS.finditer(text):
        if not _PLACE_TO_FILL.match(text, match.start()):
            yield trimmed(match[0])
        plain_text = plain_text.replace(match[0], " " * len(match[0]))
    for match in _PAPER.finditer(plain_text):
        yield address_of(match[0]) or ""
    yield from _repositories(plain_text)


def _repositories(text: str) -> Iterator[str]:
    found = [
        (match.start(), f"https://github.com/{match['owner']}/{match['repo']}", match["path"] or "")
        for match in _CALL.finditer(text)
    ]
    found += [
        (match.end(), f"https://{match['host'].lower()}.com/{trimmed(match['name'])}", "")
        for match in _HOSTED.finditer(text)
    ]
    for match in (*_REPOSITORY.finditer(text), *_ON_GITHUB.finditer(text)):
        name = match["name"]
        if not _SHOUTED.fullmatch(name) and not _FILE.fullmatch(name):
            found.append((match.end(), f"https://github.com/{trimmed(name).removesuffix('.git')}", ""))
    ordered = sorted(dict.fromkeys(found))
    for n, (end, address, path) in enumerate(ordered):
        yield address
        if path:
            yield f"{address}/blob/HEAD/{path}"
        until = ordered[n + 1][0] if n + 1 < len(ordered) else len(text)
        if address.startswith("https://github.com/") and not path:
            for match in _FILE.finditer(text, end, until):
                yield f"{address}/blob/HEAD/{match['path']}"


def _texts(part: Part) -> Iterator[str]:
    """Return the lines that may name documents; queries and searches of the base only look as if they did."""
    yield from part.sources
    for step in part.steps:
        for task in step.tasks:
            if not read_queries(task.text) and read_grep(task.text) is None:
                yield task.text
    for section in part.sections:
        yield from section.cite
        yield from section.include


def _title(text: str, address: str) -> str:
    """Return the words around the address; the address itself if there are none."""
    words = plain(text.replace(address, " "), 200).strip(" -–—:,.;()[]<>`*")
    return words or address
