"""Extract the works that a page cites in its text; pages without front matter work too.

Works are cited by phrases such as ``From [Title](url) (accessed D):``, by entries in a list of sources, and by arXiv
ids or DOIs, but never in code. A link in running text is a mention of a work that is cited elsewhere on the page.

Steps: code is masked (`generator.markdown.document`); `source_lists` reads the lists of sources; `prose` reads all
other lines, first for addresses, then for further mentions of known works; this module merges the mentions of each work
into one reference.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile

from generator.citations.identifiers import (
    HINTS,
    address_words,
    free_name,
    has_hint,
    is_search_page,
    is_web,
    link_definitions,
    work_id,
    work_key,
)
from generator.citations.metadata import access_date, any_date, is_access_line, is_date_for_all
from generator.citations.prose import mentions_in_prose, repeated_mentions
from generator.citations.source_lists import SECTION_WORDS, Mention, SourceList, section_at
from generator.markdown.document import Lines, without_code
from generator.markdown.plain_text import is_row, item_of
from generator.model import Problem, Reference


def find_references(text: str, uri: str) -> tuple[tuple[Reference, ...], tuple[Problem, ...]]:
    """Return the distinct works that `text` (a page's body) cites, by first mention, and K010 for search pages.

    Lines are 1-based in `text`. A work's title is that of its entry in a list of sources, else of its first mention;
    its access date is its own, else its group's, else the page's.
    """
    mentions, date = read_mentions(text)
    problems, cited = [], []
    for mention in mentions:
        if not (mention.url and is_search_page(mention.url)):
            cited.append(mention)
        elif mention.is_cited:
            what = f"{mention.url} is a page of search results; cite the work itself"
            problems.append(Problem(uri, mention.line, "K010", what))
    return _references(_gather(cited), date), tuple(problems)


def source_sections(lines: Lines) -> Iterator[tuple[int, int, bool]]:
    """Yield the lists of sources: first line (0-based), the line after the end, and whether it is certain."""
    stop = 0
    for n in lines.holding(SECTION_WORDS, any_case=True):
        section = section_at(lines.all, n) if n >= stop else None
        if section:
            is_sure, stop = section
            yield n, stop, is_sure


def read_mentions(text: str) -> tuple[list[Mention], str | None]:
    """Return all mentions by line, and the access date that the page gives for all sources."""
    masked = without_code(text.replace("\r\n", "\n").replace("\r", " "))
    lines, links = masked.all, link_definitions(masked.text)
    mentions: list[Mention] = []
    is_listed = [False] * len(lines)
    for n, stop, is_sure in source_sections(masked):
        in_brackets = re.search(r"\(([^()]{8,40})\)", lines[n])
        date = access_date(lines[n]) or (any_date(in_brackets[1]) if in_brackets else None)
        mentions += SourceList(lines, links, is_sure, date).read(n + 1, stop)
        is_listed[n:stop] = [True] * (stop - n)
    hinted = [n for n in masked.holding((*HINTS, "[") if links else HINTS) if not is_listed[n]]
    mentions += mentions_in_prose(lines, hinted, links, has_sources=bool(mentions))
    mentions += list(repeated_mentions(masked, is_listed, mentions))
    mentions.sort(key=lambda mention: mention.line)
    dated = masked.holding(("accessed", "access date", "retrieved", "research"), any_case=True)
    return mentions, _page_date(lines, dated, is_listed)


# --- one reference for each work -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _CitedWork:
    """The mentions of one work."""

    mentions: list[Mention] = field(default_factory=list)

    @property
    def best(self) -> Mention:
        """Return the mention with the best title."""
        return min(self.mentions, key=lambda m: (not m.is_listed, not m.is_sure, not m.is_cited, _is_address(m)))


def _is_address(mention: Mention) -> bool:
    return bool(mention.url) and mention.title in {mention.url, address_words(mention.url or "")}


def _gather(mentions: Sequence[Mention]) -> list[_CitedWork]:
    """Return the works that are cited, in order of first mention."""
    works: defaultdict[str, _CitedWork] = defaultdict(_CitedWork)
    titles: dict[str, str] = {}
    pages: dict[str, tuple[int, str]] = {}
    listed: dict[bool, set[str]] = {False: set(), True: set()}
    for mention in mentions:
        title = _title_key(mention.title)
        if mention.is_listed:
            listed[bool(mention.url)].add(title)
        if mention.url:
            key = _known_page(work_key(mention.url), pages)
            works[key].mentions.append(mention)
            titles.setdefault(title, key)
    two_works = listed[True] & listed[False]  # listed both with an address and without
    for mention in mentions:
        if not mention.url:
            key = _title_key(mention.title)
            works[key if key in two_works else titles.get(key, key)].mentions.append(mention)
    cited = [work for work in works.values() if any(mention.is_cited for mention in work.mentions)]
    order = {id(mention): n for n, mention in enumerate(mentions)}
    return sorted(cited, key=lambda work: min(order[id(mention)] for mention in work.mentions))


def _known_page(key: str, pages: dict[str, tuple[int, str]]) -> str:
    """Return the key of a page of the base, whether its path is relative to the root or to another page.

    `pages` maps keys and path suffixes to the first such page: two keys mean the same page if one path is a suffix of
    the other.
    """
    if key in pages or not key.startswith("page:"):
        return key
    path = key.removeprefix("page:")
    ends = [path[slash.end() :] for slash in re.finditer("/", path)]
    same = [pages[name] for name in (path, *(f"page:{end}" for end in ends)) if name in pages]
    if same:
        return min(same)[1]
    for name in (key, path, *ends):
        pages.setdefault(name, (len(pages), key))
    return key


def _title_key(title: str) -> str:
    return "title:" + " ".join(re.findall(r"[^\W_]+", title.lower()))


def _references(works: Sequence[_CitedWork], page_date: str | None) -> tuple[Reference, ...]:
    references = []
    taken: dict[str, int] = {}
    for work in works:
        title, url = work.best.title, next((m.url for m in work.mentions if m.url), None)
        dates = [m.accessed for m in work.mentions] + [m.group_date for m in work.mentions]
        # project files and notes have no access date
        is_published = is_web(url) if url else any(m.is_listed and m.is_cited for m in work.mentions) and " " in title
        accessed = next((date for date in dates if date), page_date if is_published else None)
        lines = tuple(sorted({mention.line for mention in work.mentions}))
        references.append(Reference(free_name(work_id(url, title), taken), title, url, accessed, lines))
    return tuple(references)


# --- one access date for the page ------------------------------------------------------------------------------------

_HEADER_LINES = 15
"""The lines of a page's header."""


def _page_date(lines: Sequence[str], numbers: Sequence[int], is_listed: Sequence[bool]) -> str | None:
    """Return the date in ``All sources accessed D``, or in ``**Accessed**: D`` in the page's header.

    Only the lines with `numbers` (0-based) are read.
    """
    for n in numbers:
        line = lines[n]
        if "](" in line or "://" in line:
            continue
        is_header = n < _HEADER_LINES and not is_listed[n] and is_access_line(line) and not _is_near_address(lines, n)
        if is_header or (is_date_for_all(line) and not _is_group_label(lines, n, is_listed)):
            return access_date(line) or any_date(line)
    return None


def _is_group_label(lines: Sequence[str], n: int, is_listed: Sequence[bool]) -> bool:
    """Return whether line `n` is a heading or label, whose date applies to the entries below it only."""
    text = lines[n].strip()
    is_label = text.startswith(("#", "**")) or text.rstrip("*_").endswith(":")
    if is_access_line(text) and re.search(r"(?:\(|for\s|of\s)all\b[^:]*$", text, re.IGNORECASE):
        return False
    if not is_label or re.search(r"\ball\b", re.sub(r"\([^()]*\)", " ", text), re.IGNORECASE):
        return False
    following = next((line for line in lines[n + 1 : n + 3] if line.strip()), "")
    is_sentence = re.search(r"\ball\b|:[\W_]{0,6}\w[\w ,.-]{5,20}\W{0,4}$|\b(?:were|been)\b", text, re.IGNORECASE)
    is_inside_list = n > 0 and is_listed[n - 1] and is_listed[n]
    return is_inside_list or bool(item_of(following)) or is_row(following) or not is_sentence


def _is_near_address(lines: Sequence[str], n: int) -> bool:
    """Return whether the paragraph around line `n` has an address: then the date belongs to that work."""
    around = (reversed(lines[:n]), islice(lines, n + 1, None))
    return any(has_hint(line) for side in around for line in takewhile(str.strip, side))
