"""The works that a page cites in its prose: pages in the wild have no front matter, their sources stand in the text.

A work is cited by ``From [Title](url) (accessed D):`` and its kin, by an entry of a Sources or References section, and
by an arXiv id or DOI. Code is looked through by nobody; a link in running text that no word makes a source is just a
link, though it counts as a mention where the work is cited elsewhere on the page.

The flow: code is blanked (`generator.page.blanked`); lines under Sources are read by `generator.page.listed`, all
others by `generator.page.prose`; here the mentions of one work are gathered into one reference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generator.model import Problem, Reference
from generator.page.accessed import access_date, any_date, is_access_line, is_date_for_all
from generator.page.blanked import without_code
from generator.page.listed import Kind, Listing, heading_of, label_kind, list_end, section_end, sources_kind
from generator.page.places import HINTS, Mention, address_words, has_hint, link_definitions
from generator.page.prose import mentions_in_prose
from generator.page.works import is_same_page, is_search_page, work_id, work_key


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
    if key in works or not key.startswith("page:"):
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
        is_web = url is not None and url.startswith(("http", "//"))
        accessed = next((date for date in dates if date), page_date if is_web else None)
        references.append(Reference(name, title, url, accessed, work.lines))
    return tuple(references)


# --- reading -----------------------------------------------------------------------------------------------------


def _read(text: str) -> tuple[list[Mention], str | None]:
    """Every mention of a work, and the date that speaks for all sources of the page."""
    text = text.replace("\r\n", "\n").replace("\r", " ")
    blanked = without_code(text)
    links = link_definitions(blanked.text)
    lines = blanked.all
    mentions: list[Mention] = []
    is_listed = [False] * len(lines)
    stop = 0
    for n in blanked.holding(_SECTION_WORDS, any_case=True):
        section = _section(lines, n) if n >= stop else None
        if section:
            kind, stop = section
            date = access_date(lines[n]) or _date_in_brackets(lines[n])
            mentions += Listing(lines, links, kind, date).read(n + 1, stop)
            is_listed[n:stop] = [True] * (stop - n)
    hinted = [n for n in blanked.holding((*HINTS, "[") if links else HINTS) if not is_listed[n]]
    mentions += mentions_in_prose(lines, hinted, links, has_sources=bool(mentions))
    mentions += _by_number(lines, [n for n in blanked.holding("[") if not is_listed[n]], mentions)
    mentions += _by_name(lines, [n for n in blanked.holding(("From",)) if not is_listed[n]], mentions)
    mentions.sort(key=lambda mention: mention.line)
    dated = blanked.holding(("accessed", "access date", "retrieved", "research"), any_case=True)
    return mentions, _page_date(lines, dated, is_listed)


_SECTION_WORDS = (
    *(
        "source",
        "reference",
        "citation",
        "bibliograph",
        "footnotes",
        "endnotes",
        "cited",
        "resources",
        "links",
        "papers",
    ),
    *("publications", "literature", "reading", "web research"),
)
"""A heading or label that begins a list of sources holds one of them."""


def _section(lines: Sequence[str], n: int) -> tuple[Kind, int] | None:
    """The kind and the end of the Sources section that begins on line `n`, if one does."""
    line = lines[n]
    may_be_heading = line.lstrip()[:1] == "#" or (n + 1 < len(lines) and lines[n + 1][:2] in {"==", "--"})
    if len(line) > 200 or not (may_be_heading or line.rstrip()[-1:] in {":", "*", "_", ")"}):
        return None
    heading = heading_of(lines, n)
    kind = sources_kind(heading[1]) if heading else label_kind(line)
    return (kind, (section_end if heading else list_end)(lines, n)) if kind else None


def _date_in_brackets(line: str) -> str | None:
    brackets = re.search(r"\(([^()]{8,40})\)", line)
    return any_date(brackets[1]) if brackets else None


def _page_date(lines: Sequence[str], numbers: Sequence[int], is_listed: Sequence[bool]) -> str | None:
    """A date that speaks for all sources of the page: ``All sources accessed D``, or ``**Accessed**: D`` at its top."""
    for n in numbers:
        line = lines[n]
        if "](" in line or "://" in line:
            continue
        is_header = n < 15 and not is_listed[n] and is_access_line(line) and not _is_near_address(lines, n)
        if is_header or (is_date_for_all(line) and not _is_of_group(line)):
            return access_date(line) or any_date(line)
    return None


def _is_of_group(line: str) -> bool:
    """Whether the line is a heading or label, which speaks for what stands below it only."""
    text = line.strip()
    is_label = text.startswith(("#", "**")) or text.rstrip("*_").endswith(":")
    return is_label and not re.search(r"\ball\b|:[\W_]{0,6}\w[\w ,.-]{5,20}\W{0,4}$", text, re.IGNORECASE)


def _is_near_address(lines: Sequence[str], n: int) -> bool:
    """Whether the lines around, up to a blank one, hold an address: then the date is that work's."""
    for step in (-1, 1):
        m = n + step
        while 0 <= m < len(lines) and lines[m].strip():
            if has_hint(lines[m]):
                return True
            m += step
    return False


_NUMBERS = re.compile(r"(?<![\w\]])\[(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8})\](?![(:\[])")
_NAMED = re.compile(r"^[\W_]{0,8}From\s(?P<name>[^\n:]{4,160})")


def _by_number(lines: Sequence[str], numbers: Sequence[int], mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions of listed works by the number of their entry: ``[3]``."""
    entries = [mention for mention in mentions if mention.number]
    counts = Counter(mention.number for mention in entries)
    numbered = {mention.number: mention for mention in entries if counts[mention.number] == 1}
    if not numbered:
        return []
    found = ((n, name) for n in numbers for match in _NUMBERS.finditer(lines[n]) for name in _names_in(match[1]))
    return [_again(numbered[name], n) for n, name in found if name in numbered]


def _by_name(lines: Sequence[str], numbers: Sequence[int], mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions, by ``From <name>:``, of listed works that have no address."""
    named = {_title_key(mention.title): mention for mention in mentions if mention.is_listed and not mention.url}
    found = []
    for n in numbers if named else ():
        match = _NAMED.match(lines[n])
        listed = named.get(_title_key(re.sub(r"\([^()]*\)|\*", " ", match["name"]))) if match else None
        if listed:
            found.append(_again(listed, n))
    return found


def _again(listed: Mention, n: int) -> Mention:
    return Mention(n + 1, listed.url, listed.title)


def _names_in(text: str) -> Iterator[str]:
    """The numbers in ``1, 3-5``."""
    for piece in text.split(","):
        first, _, last = piece.replace("–", "-").partition("-")
        for number in range(int(first), min(int(last or first), int(first) + 30) + 1):
            yield str(number)
