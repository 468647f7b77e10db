"""The works that a page cites in its prose: pages in the wild have no front matter, their sources stand in the text.

A work is cited by ``From [Title](url) (accessed D):`` and its kin, by an entry of a Sources or References section, and
by an arXiv id or DOI. Code is looked through by nobody; a link in running text that no word makes a source is just a
link, though it counts as a mention where the work is cited elsewhere on the page.

The flow: code is masked (`generator.markdown.mask_code`); lines under Sources (`source_sections`) are read by `listed`,
all others by `prose`; `repeats` finds where the text points to them again; here the mentions of one work are gathered
into one reference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from generator.citations.accessed import access_date, date_in_brackets
from generator.citations.authored import AUTHOR_HINTS, by_authors
from generator.citations.listed import Listing
from generator.citations.mention import Mention
from generator.citations.named import by_name
from generator.citations.page_date import DATED_WORDS, page_date
from generator.citations.places import HINTS, link_definitions
from generator.citations.prose import mentions_in_prose, named_in_prose
from generator.citations.repeats import by_footnote, by_number
from generator.citations.source_sections import SECTION_WORDS, section_at
from generator.citations.titles import address_words
from generator.citations.works import free_name, is_search_page, work_id, work_key
from generator.markdown.mask_code import without_code
from generator.model import Problem, Reference


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
        return min(self.mentions, key=lambda m: (not m.is_listed, not m.is_sure, not m.is_cited, _is_address(m)))

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
    pages: dict[str, tuple[int, str]] = {}
    for mention in mentions:
        if mention.url:
            key = _known_page(work_key(mention.url), pages)
            works.setdefault(key, _Work()).mentions.append(mention)
            titles.setdefault(_title_key(mention.title), key)
    nameless = _listed_titles(mentions, with_url=False)
    apart = nameless and nameless & _listed_titles(mentions, with_url=True)
    for mention in mentions:
        if not mention.url:
            key = _title_key(mention.title)
            known = key if key in apart else titles.get(key, key)
            works.setdefault(known, _Work()).mentions.append(mention)
    cited = [work for work in works.values() if any(mention.is_cited for mention in work.mentions)]
    order = {id(mention): n for n, mention in enumerate(mentions)}
    return sorted(cited, key=lambda work: min((mention.line, order[id(mention)]) for mention in work.mentions))


def _listed_titles(mentions: Sequence[Mention], *, with_url: bool) -> set[str]:
    """The titles of the entries with an address, or without: those that have both are of two works."""
    return {_title_key(mention.title) for mention in mentions if mention.is_listed and bool(mention.url) is with_url}


def _known_page(key: str, pages: dict[str, tuple[int, str]]) -> str:
    """The key under which the page of the base is known already, spelled from the root or from here.

    `pages` has the first page by its key, and by each end of its path: two keys mean one page where the path of one is
    an end of the other's.
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


_OWN = re.compile(
    r"/|\.\w{1,4}$|\b(?:local|internal|own|our|investigations?|experiences?|experiments?|logs?|notes|measurements?"
    r"|(?:micro)?benchmarks?|audit|tests?|runs?|setup)\b",
    re.IGNORECASE,
)
"""What a work without an address is called that was made or found here: nobody accessed it."""


def _references(works: Sequence[_Work], page_date: str | None) -> tuple[Reference, ...]:
    taken: dict[str, int] = {}
    references = []
    for work in works:
        title, url = work.best.title, next((m.url for m in work.mentions if m.url), None)
        name = free_name(work_id(url, title), taken)
        dates = [m.accessed for m in work.mentions] + [m.group_date for m in work.mentions]
        is_own = not url.startswith(("http", "//")) if url else bool(_OWN.search(title))
        accessed = next((date for date in dates if date), None if is_own else page_date)
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
    for n in blanked.holding(SECTION_WORDS, any_case=True):
        section = section_at(lines, n) if n >= stop else None
        if section:
            kind, stop = section
            date = access_date(lines[n]) or date_in_brackets(lines[n])
            mentions += Listing(lines, links, kind, date).read(n + 1, stop)
            is_listed[n:stop] = [True] * (stop - n)
    hinted = [n for n in blanked.holding((*HINTS, "[") if links else HINTS) if not is_listed[n]]
    mentions += mentions_in_prose(lines, hinted, links, has_sources=bool(mentions))
    labelled = [n for n in blanked.holding(("source", "citation", "reference"), any_case=True) if not is_listed[n]]
    mentions += named_in_prose(lines, labelled)
    dated = [n for n in blanked.holding(AUTHOR_HINTS) if not is_listed[n]]
    bracketed = [n for n in blanked.holding("[") if not is_listed[n]]
    mentions += [
        *by_number(lines, bracketed, mentions),
        *by_footnote(lines, bracketed, mentions),
        *by_authors(lines, dated, mentions),
        *(mention for mention in by_name(blanked, mentions) if not is_listed[mention.line - 1]),
    ]
    mentions.sort(key=lambda mention: mention.line)
    return mentions, page_date(lines, blanked.holding(DATED_WORDS, any_case=True), is_listed)
