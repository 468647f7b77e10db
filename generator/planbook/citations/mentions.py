"""Extract the works that a page cites in its text; pages without front matter work too."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from planbook.citations import identifiers, metadata
from planbook.citations.source_lists import SECTION_WORDS, Mention, SourceList, section_end
from planbook.markdown.document import Lines, without_code
from planbook.markdown.plain_text import is_row, item_of
from planbook.model import Problem, Reference

# --- addresses -------------------------------------------------------------------------------------------------------

_LEAD = re.compile(
    r"^[\W\d_]{0,16}(?P<lead>from|sources?|references?|refs?|according\sto|based\son|as\sper|per|citations?"
    r"|cited\s(?:from|in)|citing|credits?"
    r"|(?:adapted|quoted|taken|sourced|excerpt(?:ed)?|summari[sz]ed|derived|reproduced|data|figure|table|results?"
    r"|insights?|findings?|quotes?)\sfrom"
    r"|(?:original\s|primary\s|research\s|image\s|data\s|full\s|key\s)?(?:sources?|papers?|articles?|stud(?:y|ies)"
    r"|reports?|blog\sposts?|preprints?|references?)"
    r"|(?:figures|numbers|measurements|benchmarks|results)\sof"
    r"|as\s(?:described|explained|noted|stated|shown|reported|documented|discussed)\s(?:in|by|at))\b(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_LEAD_ENDS = ("from", " to", " on", "per", " in", " by", " at", " of", "citing")
_IS_LABEL = re.compile(r"^(?:\s?#?\d{1,2}\b)?(?:\s?\([^()\n]{0,60}\))?[\s*_]{0,4}(?:[:–—-]|[\s*_(\[<]{0,4}$)")
_SOURCE_BEFORE = re.compile(
    r"\b(?:according to|adapted from|described in|(?<!open )(?<!open-)sources?|references?)"
    r"[\s*_:]{0,4}(?:the )?[\s*_(\"“\[<]{0,4}$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"^,?[\s*_)]{0,3}(?:\([^()]{0,60}\)\s)?(?:(?:state|report|note|recommend|explain|say|argue|suggest|warn|write|put"
    r"|conclude|show|describe|introduce|propose|measure|document|define|estimate|collect)[sd]?|found|finds)\b"
)
_LINES_OF_PAGE = re.compile(r"^[\s,;(]{0,3}(?:lines?\s|L)\d", re.IGNORECASE)
_PUBLISHED = re.compile(r"^\s\((?:[A-Z][^()\d]{1,60}[\s,])?(?:19|20)\d\d[a-z]?\)")
"""``(Grain Press, August 2024)`` after a link."""
_SOURCE_NAME = re.compile(
    r"\[?\^?\d{1,3}\]?|(?:sources?|refs?|references?|citations?|papers?|cite[ds]?)\b[\s\d.:]*|.*\bet al\b.*",
    re.IGNORECASE,
)
_SOURCE_KEYS = re.compile(
    r"^[\W\d_]{0,12}(?:(?:official|original|primary|full|main|api|project|reference)\s)?(?:docs|documentation|github"
    r"|repository|repo|source\scode|code|urls?|links?|spec(?:ification)?|video|talk|slides|doi|arxiv|blog|tutorial"
    r"|guide)(?:\s?\([^()\n]{0,40}\))?[\s*_]{0,3}:[\s*_\[<(]{0,6}$",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(r"^\s*(?:>\s*)?(?:[—–]|--|-\s?—)\s?|^\[\^[^\]]{1,40}\]:\s")
"""Below a quotation, or the beginning of a footnote."""
_IN_BRACKETS = re.compile(r"(?:(?:[\w.%\"”*)]\s|^\s{0,3}|^>\s)\([^()]{0,3})$")


def mentions_in_prose(lines: Sequence[str], numbers: Iterable[int], links: Mapping[str, str]) -> Iterator[Mention]:
    """Yield a mention for each address on the lines with `numbers` (0-based); plain links are not citations."""
    for n in numbers:
        line = lines[n]
        urls = identifiers.find_urls(line, links)
        if not urls:
            continue
        reach = _lead_reach(line, urls)
        for i, url in enumerate(urls):
            is_led = url.start < reach
            before = line[urls[i - 1].end if i else 0 : url.start]
            following = line[url.end : urls[i + 1].start if i + 1 < len(urls) else len(line)]
            date = metadata.access_date(following[:120])
            is_cited = (
                is_led
                or date is not None
                or _is_source(url, before, following)
                or bool(_SOURCE_KEYS.match(line[: url.start]))
            )
            title = metadata.linked_title(url, before if is_led else metadata.quoted_in(before))
            if not title and is_cited and i == 0 and item_of(line):
                title = metadata.words_before(before)
            yield Mention(n + 1, url.url, title or identifiers.address_words(url.url), date, is_cited=is_cited)


def _lead_reach(line: str, urls: Sequence[identifiers.UrlMatch]) -> int:
    """Return the column up to which a ``From ...:`` or ``Sources: ...`` cites the addresses of the line."""
    if _ATTRIBUTION.match(line):
        return len(line)
    match = _LEAD.match(line[:400])
    rest = line[match.end("lead") : urls[0].start] if match else ""
    if not match:
        return 0
    lead, is_label = match["lead"].lower(), _IS_LABEL.match(rest)
    if is_label and lead not in {"from", "based on", "according to"}:
        return len(line)
    return urls[0].end if is_label or lead.endswith(_LEAD_ENDS) else 0


def _is_source(url: identifiers.UrlMatch, before: str, following: str) -> bool:
    """Return whether the words around an address, or in it, mark it as a source."""
    words = url.words
    if identifiers.is_paper(url.url) or (url.url.endswith(".md") and _LINES_OF_PAGE.match(following)):
        return True
    is_enclosed = not words and before.rstrip(" <").endswith("(")
    return bool(
        _SOURCE_NAME.fullmatch(words)
        or _SOURCE_BEFORE.search(before)
        or ((words or is_enclosed) and _SAYS.match(following))
        or (" " in words and _PUBLISHED.match(following))
        or (words and _IN_BRACKETS.search(before) and re.match(r"\s?[;,)]", following))
    )


# --- further mentions of a work --------------------------------------------------------------------------------------

_NUMBERS = re.compile(r"(?<![\w\]])\[(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8})\](?![(\[])")
_NOTE = re.compile(r"\[\^(?P<label>[^\s\[\]^]{1,40})\](?!:)")
MAX_OF_NOTE = 20
"""Works of one footnote that each reference to it mentions."""
_NOTE_START = re.compile(r"^ {0,3}\[\^(?P<label>[^\s\[\]^]{1,40})\]:")


def repeated_mentions(text: Lines, is_listed: Sequence[bool], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the mentions outside lists of sources by an entry's number (``[1, 4-6]``) or by a footnote (``[^3]``).

    They count as citations.
    """
    lines = text.all
    entries = [mention for mention in mentions if mention.number]
    counts = Counter(mention.number for mention in entries)
    numbered = {mention.number: mention for mention in entries if counts[mention.number] == 1}
    notes: dict[str, list[Mention]] = defaultdict(list)
    for mention in mentions:
        note = _NOTE_START.match(lines[mention.line - 1]) if mention.is_cited else None
        if note:
            notes[note["label"]] += [mention] if len(notes[note["label"]]) < MAX_OF_NOTE else []
    for n in text.holding("[") if numbered or notes else ():
        if is_listed[n]:
            continue
        found = [
            numbered[number] for m in _NUMBERS.finditer(lines[n]) for number in _numbers_in(m[1]) if number in numbered
        ]
        found += [mention for match in _NOTE.finditer(lines[n]) for mention in notes.get(match["label"], ())]
        yield from (Mention(n + 1, mention.url, mention.title) for mention in found)


def _numbers_in(text: str) -> Iterator[str]:
    """Yield the numbers in ``1, 3-5``."""
    for piece in text.split(","):
        first, _, last = piece.replace("–", "-").partition("-")
        yield from map(str, range(int(first), min(int(last or first), int(first) + 30) + 1))


# --- one reference for each work -------------------------------------------------------------------------------------


def find_references(text: str, uri: str) -> tuple[tuple[Reference, ...], tuple[Problem, ...]]:
    """Return the distinct works that `text` (a page's body) cites, by first mention, and K010 for search pages.

    Lines are 1-based in `text`. A work's title is that of its entry in a list of sources, else of its first mention;
    its access date is its own, else its group's, else the page's.
    """
    mentions, date = read_mentions(text)
    problems, cited = [], []
    for mention in mentions:
        if not identifiers.is_search_page(mention.url):
            cited.append(mention)
        elif mention.is_cited:
            what = f"{mention.url} is a page of search results; cite the work itself"
            problems.append(Problem(uri, mention.line, "K010", what))
    return _references(_gather(cited), date), tuple(problems)


def source_sections(lines: Lines) -> Iterator[tuple[int, int]]:
    """Yield the lists of sources: first line (0-based), and the line after the end."""
    stop = 0
    for n in lines.holding(SECTION_WORDS, any_case=True):
        end = section_end(lines.all, n) if n >= stop else None
        if end is not None:
            stop = end
            yield n, stop


def read_mentions(text: str) -> tuple[list[Mention], str | None]:
    """Return all mentions by line, and the access date that the page gives for all sources."""
    masked = without_code(text.replace("\r\n", "\n").replace("\r", " "))
    lines, links = masked.all, identifiers.link_definitions(masked.text)
    mentions: list[Mention] = []
    is_listed = [False] * len(lines)
    for n, stop in source_sections(masked):
        mentions += SourceList(lines, links, metadata.access_date(lines[n])).read(n + 1, stop)
        is_listed[n:stop] = [True] * (stop - n)
    hinted = [n for n in masked.holding((*identifiers.HINTS, "[") if links else identifiers.HINTS) if not is_listed[n]]
    mentions += mentions_in_prose(lines, hinted, links)
    mentions += list(repeated_mentions(masked, is_listed, mentions))
    mentions.sort(key=lambda mention: mention.line)
    dated = masked.holding(("accessed", "access date", "retrieved", "research"), any_case=True)
    return mentions, _page_date(lines, dated, is_listed)


# --- one reference for each work -------------------------------------------------------------------------------------


def _is_address(mention: Mention) -> bool:
    return mention.title in {mention.url, identifiers.address_words(mention.url)}


def _gather(mentions: Sequence[Mention]) -> list[list[Mention]]:
    """Return the mentions of each work that is cited, in order of first mention."""
    works: defaultdict[str, list[Mention]] = defaultdict(list)
    pages: dict[str, tuple[int, str]] = {}
    for mention in mentions:
        works[_known_page(identifiers.work_key(mention.url), pages)].append(mention)
    return [work for work in works.values() if any(mention.is_cited for mention in work)]


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


def _references(works: Sequence[Sequence[Mention]], page_date: str | None) -> tuple[Reference, ...]:
    references = []
    taken: dict[str, int] = {}
    for work in works:
        best = min(work, key=lambda m: (not m.is_listed, not m.is_cited, _is_address(m), -len(m.title) * m.is_listed))
        title, url = best.title, work[0].url
        dates = [m.accessed for m in work] + [m.group_date for m in work]
        # project files and notes have no access date
        accessed = next((date for date in dates if date), page_date if identifiers.is_web(url) else None)
        lines = tuple(sorted({mention.line for mention in work}))
        references.append(
            Reference(identifiers.free_name(identifiers.work_id(url, title), taken), title, url, accessed, lines)
        )
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
        is_header = n < _HEADER_LINES and not is_listed[n] and metadata.is_access_line(line)
        if is_header or (metadata.is_date_for_all(line) and not _is_group_label(lines, n, is_listed)):
            return metadata.access_date(line) or metadata.any_date(line)
    return None


def _is_group_label(lines: Sequence[str], n: int, is_listed: Sequence[bool]) -> bool:
    """Return whether line `n` is a heading or label, whose date applies to the entries below it only."""
    text = lines[n].strip()
    is_label = text.startswith(("#", "**")) or text.rstrip("*_").endswith(":")
    if metadata.is_access_line(text) and re.search(r"(?:\(|for\s|of\s)all\b[^:]*$", text, re.IGNORECASE):
        return False
    if not is_label or re.search(r"\ball\b", re.sub(r"\([^()]*\)", " ", text), re.IGNORECASE):
        return False
    following = next((line for line in lines[n + 1 : n + 3] if line.strip()), "")
    is_sentence = re.search(r"\ball\b|:[\W_]{0,6}\w[\w ,.-]{5,20}\W{0,4}$|\b(?:were|been)\b", text, re.IGNORECASE)
    is_inside_list = n > 0 and is_listed[n - 1] and is_listed[n]
    return is_inside_list or bool(item_of(following)) or is_row(following) or not is_sentence
