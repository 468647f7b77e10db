"""The works that a page cites in its prose: pages in the wild have no front matter, their sources stand in the text.

A work is cited by ``From [Title](url) (accessed D):`` and its kin, by an entry of a Sources or References section, and
by an arXiv id or DOI. Code is looked through by nobody; a link in running text that no word makes a source is just a
link, though it counts as a mention where the work is cited elsewhere on the page.

The flow: code is blanked; lines under Sources are read by `generator.page.listed`, all others here; the mentions of
one work are gathered into one reference.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import pyromark

from generator.model import Problem, Reference
from generator.page.accessed import access_date, any_date, is_access_line, is_date_for_all
from generator.page.listed import Kind, Listing, cells_of, heading_of, label_kind, list_end, section_end, sources_kind
from generator.page.places import (
    HINTS,
    Mention,
    Place,
    address_words,
    find_places,
    has_hint,
    is_definition,
    link_definitions,
    quoted_in,
    title_of,
)
from generator.page.works import is_paper, is_same_page, is_search_page, work_id, work_key


def find_references(text: str, uri: str) -> tuple[tuple[Reference, ...], tuple[Problem, ...]]:
    """The distinct works that `text` (a page's body) cites, in order of first mention, and K010 for search pages.

    Lines are 1-based in `text`. A work's title is that of its entry under Sources where there is one, else of its
    first mention; its access date the first that is given for it, else its group's, else the page's.
    """
    mentions, page_date = _read(text)
    problems = []
    cited = []
    for mention in mentions:
        if not (mention.url and is_search_page(mention.url)):
            cited.append(mention)
        elif mention.is_cited:
            what = f"{mention.url} is a search engine's page of results; cite the work it led to"
            problems.append(Problem(uri, mention.line, "K010", what))
    return _references(_gather(cited), page_date), tuple(problems)


# --- gathering ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Work:
    """The mentions of one work."""

    mentions: list[Mention] = field(default_factory=list)

    @property
    def best(self) -> Mention:
        """The mention that says best what it is called."""
        return min(self.mentions, key=lambda m: (not m.is_listed, not m.is_cited, _is_address(m)))

    @property
    def lines(self) -> tuple[int, ...]:
        """Where it is mentioned."""
        return tuple(sorted({mention.line for mention in self.mentions}))


def _is_address(mention: Mention) -> bool:
    return bool(mention.url) and mention.title in {mention.url, address_words(mention.url or "")}


def _gather(mentions: Sequence[Mention]) -> list[_Work]:
    """The works that are cited, in order of first mention."""
    works: dict[str, _Work] = {}
    titles: dict[str, str] = {}
    for mention in mentions:
        if mention.url:
            key = _known_page(work_key(mention.url), works)
            works.setdefault(key, _Work()).mentions.append(mention)
            titles.setdefault(_title_key(mention.title), key)
    for mention in mentions:
        if not mention.url:
            key = _title_key(mention.title)
            works.setdefault(titles.get(key, key), _Work()).mentions.append(mention)
    cited = [work for work in works.values() if any(mention.is_cited for mention in work.mentions)]
    order = {id(mention): n for n, mention in enumerate(mentions)}
    return sorted(cited, key=lambda work: min((mention.line, order[id(mention)]) for mention in work.mentions))


def _known_page(key: str, works: Mapping[str, _Work]) -> str:
    """The key under which the page of the base is known already, spelled from the root or from here."""
    if not key.startswith("page:"):
        return key
    return next((other for other in works if other.startswith("page:") and is_same_page(key, other)), key)


def _title_key(title: str) -> str:
    return "title:" + " ".join(re.findall(r"[^\W_]+", title.lower()))


def _references(works: Sequence[_Work], page_date: str | None) -> tuple[Reference, ...]:
    taken: set[str] = set()
    references = []
    for work in works:
        title, url = work.best.title, next((m.url for m in work.mentions if m.url), None)
        name = work_id(url, title, taken)
        taken.add(name)
        dates = [m.accessed for m in work.mentions] + [m.group_date for m in work.mentions]
        is_web = url is not None and work_key(url).partition(":")[0] != "page"
        accessed = next((date for date in dates if date), page_date if is_web else None)
        references.append(Reference(name, title, url, accessed, work.lines))
    return tuple(references)


# --- reading -----------------------------------------------------------------------------------------------------


def _read(text: str) -> tuple[list[Mention], str | None]:
    """Every mention of a work, and the date that speaks for all sources of the page."""
    text = text.replace("\r\n", "\n")
    links = link_definitions(text)
    lines = _without_code(text)
    mentions: list[Mention] = []
    prose: list[int] = []
    n = 0
    while n < len(lines):
        section = _section(lines, n)
        if section:
            kind, stop = section
            listing = Listing(lines, links, kind, access_date(lines[n]) or _date_in_brackets(lines[n]))
            mentions += listing.read(n + 1, stop)
            n = stop
        else:
            prose.append(n)
            n += 1
    has_sources = any(mention.is_listed for mention in mentions)
    mentions += _in_prose(lines, prose, links, has_sources=has_sources)
    mentions += _by_number_or_name(lines, prose, mentions)
    mentions.sort(key=lambda mention: mention.line)
    return mentions, _page_date(lines, frozenset(prose))


_SOURCE_WORDS = re.compile(
    r"sources?\b|references?\b|citations?\b|bibliography|works cited|resources|\blinks\b|papers\b|publications|literature|readings?\b|web research|notes\b",
    re.IGNORECASE,
)


def _section(lines: Sequence[str], n: int) -> tuple[Kind, int] | None:
    """The kind and the end of the Sources section that begins on line `n`, if one does."""
    line = lines[n]
    if not line or len(line) > 200:
        return None
    may_be_heading = line.lstrip()[:1] == "#" or (n + 1 < len(lines) and lines[n + 1][:2] in {"==", "--"})
    if not (may_be_heading or line.rstrip()[-1:] in {":", "*", "_", ")"}) or not _SOURCE_WORDS.search(line):
        return None
    heading = heading_of(lines, n)
    kind = sources_kind(heading[1]) if heading else label_kind(line)
    if not kind:
        return None
    return kind, (section_end if heading else list_end)(lines, n)


def _date_in_brackets(line: str) -> str | None:
    brackets = re.search(r"\(([^()]{8,40})\)", line)
    return any_date(brackets[1]) if brackets else None


def _page_date(lines: Sequence[str], prose: frozenset[int]) -> str | None:
    """A date that speaks for all sources of the page: ``All sources accessed D``, or ``**Accessed**: D`` at its top."""
    for n in _lines_with(lines, ("ccess", "etriev", "esearch")):
        line = lines[n]
        if "](" in line or "://" in line:
            continue
        is_header = n < 15 and n in prose and is_access_line(line) and not _is_near_address(lines, n)
        if is_header or (is_date_for_all(line) and not _is_of_group(line)):
            return access_date(line) or any_date(line)
    return None


def _is_of_group(line: str) -> bool:
    """Whether the line is a heading or label, which speaks for what stands below it only."""
    text = line.strip()
    is_label = text.startswith(("#", "**")) or text.rstrip("*_").endswith(":")
    return is_label and not re.search(r"\ball\b|:[\W_]{0,6}\w[\w ,.-]{5,20}\W{0,4}$", text, re.IGNORECASE)


def _lines_with(lines: Sequence[str], hints: Sequence[str]) -> list[int]:
    """The lines (0-based) that hold one of `hints`: quicker than to ask every line."""
    text = "\n".join(lines)
    ends = list(accumulate(len(line) + 1 for line in lines))
    found: set[int] = set()
    for hint in hints:
        position = text.find(hint)
        while position >= 0:
            n = bisect_right(ends, position)
            found.add(n)
            position = text.find(hint, ends[n])
    return sorted(found)


def _is_near_address(lines: Sequence[str], n: int) -> bool:
    """Whether the lines around, up to a blank one, hold an address: then the date is that work's."""
    for step in (-1, 1):
        m = n + step
        while 0 <= m < len(lines) and lines[m].strip():
            if has_hint(lines[m]):
                return True
            m += step
    return False


# --- code --------------------------------------------------------------------------------------------------------

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def _without_code(text: str) -> list[str]:
    """The lines of `text` with fenced code, comments and the addresses in code spans blanked, at the same lengths."""
    raw = bytearray(text.encode("utf-8", errors="replace"))
    source = raw.decode()
    fence = -1
    for event, span in pyromark.events_with_range(source, options=pyromark.Options.ENABLE_TABLES):
        if event.__class__ is str:
            continue
        if "Code" in event:
            start, end = span["start"], span["end"]
            code = raw[start:end]
            raw[start:end] = _blank(code) if b"://" in code or b"](" in code else code.replace(b"`", b" ")
        elif "Start" in event and event["Start"].__class__ is dict and "CodeBlock" in event["Start"]:
            if event["Start"]["CodeBlock"] != "Indented":
                fence = span["start"]
                _blank_fence(raw, fence, span["end"])
    if "<!--" in source:
        raw = bytearray(
            _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), raw.decode("utf-8", errors="replace")).encode()
        )
    return raw.decode("utf-8", errors="replace").split("\n")


def _blank_fence(raw: bytearray, start: int, end: int) -> None:
    """Blank a fenced block; one that is never closed ends where the Sources begin."""
    code = bytes(raw[start:end])
    if end >= len(raw.rstrip()) and not re.search(rb"\n[ >\t]*(?:```+|~~~+)[ \t]*\n?$", code):
        heading = re.search(rb"^#{1,3} +(?:sources|references)\b", code, re.MULTILINE | re.IGNORECASE)
        end = start + heading.start() if heading else end
    raw[start:end] = _blank(raw[start:end])


def _blank(code: bytes | bytearray) -> bytes:
    return b"\n".join(b" " * len(line) for line in code.split(b"\n"))


# --- running text ------------------------------------------------------------------------------------------------

_LEADS = (
    r"(?:from|sources?|references?|refs?|according\sto|based\son|as\sper|per|citations?|cited\s(?:from|in)|citing|credits?"
    r"|(?:adapted|quoted|taken|sourced|excerpt(?:ed)?|summari[sz]ed|derived|reproduced|data|figure|table|results?|insights?|findings?|quotes?)\sfrom"
    r"|(?:original\s|primary\s|research\s|image\s|data\s|full\s|key\s)?(?:sources?|papers?|articles?|stud(?:y|ies)|reports?|blog\sposts?|preprints?|references?)"
    r"|as\s(?:described|explained|noted|stated|shown|reported|documented|discussed)\s(?:in|by|at))"
)
_LEAD = re.compile(rf"^[\W\d_]{{0,16}}(?P<lead>{_LEADS})\b(?P<rest>[^\n]*)", re.IGNORECASE)
_IS_LABEL = re.compile(r"^(?:\s?\([^()\n]{0,60}\))?[\s*_]{0,4}(?:[:–—-]|[\s*_(\[<]{0,4}$)")
_NO_SOURCE = re.compile(
    r"\b(?:see|download(?:s|ed|ing)?|install(?:s|ed|ing|ation)?|get|run|use|using|visit|check|try|available|clone|pull|pulled|fetch|build|sign up|migrat\w+|switch\w*|"
    r"upgrad\w+|import\w*|load\w*|deriv\w+)\b",
    re.IGNORECASE,
)
_SOURCE_BEFORE = re.compile(
    r"(?:\b(?i:according to|as per|per|cited (?:in|from|by)|citing|quoting|credit(?:s|ed)?(?: to)?"
    r"|(?<!open )(?<!open-)(?<!power )(?<!light )source[sd]?(?: from| is| was)?"
    r"|references?|refs?\.?|citations?|papers?|preprint|study|report"
    r"|(?:adapted|quoted|taken|excerpt(?:ed)?|summari[sz]ed|reproduced|data|figure|tables?|results?|insights?|findings?"
    r"|quotes?|benchmarks?|numbers?|measurements?) from"
    r"|(?:documented|described|reported|shown|explained|stated|noted|outlined|detailed|discussed|introduced|proposed"
    r"|presented|demonstrated|specified|published|recommended) (?:in|at|by|on)|existing knowledge)|\bFrom)"
    r"[\s*_:]{0,4}(?i:the |a |existing knowledge |oracle |official )?[\s*_(\"“\[<]{0,4}$"
)
_TELLS = re.compile(
    r"^[\s*_]{0,3}(?:\([^()]{0,60}\)\s)?(?:states?|reports?|shows?|notes?|recommends?|explains?|describes?|says?|demonstrates?|found|finds|claims?|argues?|suggests?|proposed?s?"
    r"|introduced?s?|warns?|measured?s?|documents|defines?|specif(?:y|ies))\b",
)
_AUTHORS = re.compile(
    r"\bet al\b|^[A-Z][\w.'’-]{1,30}(?:,? (?:and|&) [A-Z][\w.'’-]{1,30}|,? [A-Z][\w.'’-]{1,30})?,? \(?(?:19|20)\d\d[a-z]?\)?$"
)
_NUMBER = re.compile(r"^\[?\^?\d{1,3}\]?$")
_SOURCE_NAMES = re.compile(r"^(?:sources?|refs?|references?|citations?|papers?|cite[ds]?)\b[\s\d.:]*", re.IGNORECASE)
_HOME = re.compile(
    r"^(?:(?:the|official|project)\s)?(?:home\s?page|web\s?site|downloads?|github|repo(?:sitory)?|demo|live|install(?:ation)?|pypi|npm|crates?|here|link|docker hub|app|tool|playground|docs)\b",
    re.IGNORECASE,
)
_SOURCE_KEYS = re.compile(
    r"^[\W\d_]{0,12}(?:(?:official|original|primary|full|main|api|project|reference)\s)?(?:docs|documentation|github|repository|repo|source\scode|code|urls?|links?|spec(?:ification)?|video|talk|slides|doi|arxiv"
    r"|blog|tutorial|guide)(?:\s?\([^()\n]{0,40}\))?[\s*_]{0,3}:[\s*_\[<(]{0,6}$",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(r"^\s*(?:>\s*)?(?:[—–]|--|-\s?—)\s?")
_FOOTNOTE = re.compile(r"^\[\^[^\]]{1,40}\]:\s")
_SOURCE_COLUMN = re.compile(r"^\W*(?:sources?|references?|refs?|citations?|papers?)\b", re.IGNORECASE)
_ROW_RULE = re.compile(r"^\s*\|?\s*:?-{2,}[\s:|-]*$")


def _in_prose(
    lines: Sequence[str], prose: Sequence[int], links: Mapping[str, str], *, has_sources: bool
) -> Iterator[Mention]:
    """Every mention in running text; one that no word makes a citation is not cited there."""
    hinted = frozenset(_lines_with(lines, (*HINTS, "[") if links else HINTS))
    for n in prose:
        line = lines[n]
        places = find_places(line, links) if n in hinted else ()
        if not places:
            continue
        in_column = _in_source_column(lines, n, places) if line.lstrip()[:1] == "|" else frozenset()
        reach = _lead_reach(line, places)
        for i, place in enumerate(places):
            before = line[places[i - 1].end if i else 0 : place.start]
            following = line[place.end : places[i + 1].start if i + 1 < len(places) else len(line)]
            date = access_date(following[:120])
            is_cited = (
                place.start < reach
                or date is not None
                or place in in_column
                or _is_source(line, place, before, following)
                or (not has_sources and bool(_SOURCE_KEYS.match(line[: place.start])))
            ) and not (is_definition(line) and not date)
            if is_cited and not date:
                date = access_date(line[place.end :] if place.start < reach else "") or _date_below(lines, n)
            words = before if place.start < reach else quoted_in(before)
            title = title_of(place, words, following, is_entry=False) or address_words(place.url)
            yield Mention(n + 1, place.url, title, date, is_cited=is_cited)


def _lead_reach(line: str, places: Sequence[Place]) -> int:
    """How far a ``From ...:`` or ``Sources: ...`` reaches: what begins before that column is cited by it."""
    if _ATTRIBUTION.match(line) or _FOOTNOTE.match(line):
        return len(line)
    match = _LEAD.match(line[:400])
    if not match or _NO_SOURCE.search(line[match.end("lead") : places[0].start]):
        return 0
    rest = line[match.end("lead") : places[0].start]
    lead = match["lead"].lower()
    is_label = bool(_IS_LABEL.match(rest))
    if not is_label and not lead.endswith(("from", " to", " on", "per", " in", " by", " at", "citing")):
        return 0
    if is_label and lead not in {"from", "based on", "according to"}:
        return len(line)
    return _sentence_end(line, places)


def _sentence_end(line: str, places: Sequence[Place]) -> int:
    """Where the words that lead a quotation in end: at their colon, at the sentence's end, or behind the first place."""
    position = places[0].end
    for place in places:
        gap = line[position : place.start]
        if place.start > position and re.search(r":(?:\s|\*|$)|\.\s|\s(?:is|are|was|were|has|have|see|uses?)\s", gap):
            return position
        position = place.end
    return position


def _is_source(line: str, place: Place, before: str, following: str) -> bool:
    """Whether the words around a place, or its own, make it a source."""
    if is_paper(place.url):
        return True
    words = place.words
    if _NUMBER.match(words) or _SOURCE_NAMES.fullmatch(words) or _AUTHORS.search(words):
        return True
    start = line[max(0, place.start - 80) : place.start]
    if _SOURCE_BEFORE.search(start):
        return True
    if words and _TELLS.match(following):
        return True
    is_bracketed = (
        bool(words)
        and bool(re.search(r"[\w.%\"”*)]\s\([^()]{0,3}$", before))
        and bool(re.match(r"\s?[;,)]", following))
    )
    if is_bracketed and not _HOME.match(words):
        return True
    return (
        bool(re.search(r"\bfrom\s[\s*_\"“]{0,4}$", start))
        and bool(re.search(r":[\s*_]{0,4}$", line))
        and not _NO_SOURCE.search(line[: place.start])
    )


def _date_below(lines: Sequence[str], n: int) -> str | None:
    """The date of an ``Accessed: D`` line in the same paragraph or list, before another work is named."""
    for line in lines[n + 1 : n + 4]:
        if not line.strip():
            return None
        if is_access_line(line):
            return access_date(line)
        if has_hint(line):
            return None
    return None


def _in_source_column(lines: Sequence[str], n: int, places: Sequence[Place]) -> frozenset[Place]:
    """The places that stand in the column of sources of the table to which row `n` belongs."""
    rule = next((m for m in range(n, max(-1, n - 60), -1) if _ROW_RULE.match(lines[m])), 0)
    columns = [bool(_SOURCE_COLUMN.match(cell)) for cell in cells_of(lines[rule - 1])] if rule else []
    row = lines[n]
    offset = len(row) - len(row.lstrip().removeprefix("|"))
    numbers = {place: row[offset : place.start].count("|") for place in places}
    return frozenset(place for place, column in numbers.items() if column < len(columns) and columns[column])


_BY_NUMBER = re.compile(r"(?<![\w\]])\[(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8})\](?![(:\[])")
_BY_NAME = re.compile(r"^[\W_]{0,8}From\s(?P<name>[^\n:]{4,160})", re.IGNORECASE)


def _by_number_or_name(lines: Sequence[str], prose: Sequence[int], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions of listed works by their number, ``[3]``, or, where they have no address, by their name."""
    numbered: dict[int, Mention] = {}
    twice: set[int] = set()
    for mention in mentions:
        if mention.number:
            number = int(mention.number)
            (twice.add if number in numbered else lambda _: None)(number)
            numbered[number] = mention
    named = {_title_key(mention.title): mention for mention in mentions if mention.is_listed and not mention.url}
    for n in prose:
        line = lines[n]
        if numbered and "[" in line:
            for match in _BY_NUMBER.finditer(line):
                for number in _numbers(match[1]):
                    if number in numbered and number not in twice:
                        yield _again(numbered[number], n)
        if named and "From" in line[:12]:
            name = _BY_NAME.match(line)
            listed = named.get(_title_key(re.sub(r"\([^()]*\)|\*", " ", name["name"]))) if name else None
            if listed:
                yield _again(listed, n)


def _again(listed: Mention, n: int) -> Mention:
    return Mention(n + 1, listed.url, listed.title)


def _numbers(text: str) -> Iterator[int]:
    """The numbers in ``1, 3-5``."""
    for piece in text.split(","):
        first, _, last = piece.replace("–", "-").partition("-")
        if last and int(last) - int(first) < 30:
            yield from range(int(first), int(last) + 1)
        else:
            yield int(first)
