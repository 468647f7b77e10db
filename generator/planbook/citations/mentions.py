"""Extract the works that a page cites in its text; pages without front matter work too."""

from __future__ import annotations

import calendar
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from planbook.citations import addresses, identifiers, wording, work_metadata
from planbook.citations.source_entries import Mention, SourceList, is_bare_address
from planbook.citations.source_lists import SECTION_WORDS, section_end
from planbook.markdown.document import Lines, blank_code
from planbook.markdown.plain_text import ROW_RULE, cells_of, count, is_row, item_of, plain_text
from planbook.model import Problem, Reference

# --- addresses in prose ---------------------------------------------------------------------------


def find_mentions_in_prose(
    lines: Sequence[str], numbers: Iterable[int], links: Mapping[str, str]
) -> Iterator[Mention]:
    """Yield a mention for each address on the lines with `numbers` (0-based).

    Plain links are not citations. `links` are the page's link reference definitions.
    """
    for n in numbers:
        line = lines[n]
        urls = addresses.find_urls(line, links)
        if urls:
            yield from _mentions_on_line(line, n, urls)


def _mentions_on_line(line: str, n: int, urls: Sequence[addresses.UrlMatch]) -> Iterator[Mention]:
    """Yield a mention for each of the addresses on line `n`."""
    reach = _lead_reach(line, urls)
    ends = [0, *(url.end for url in urls)]
    starts = [*(url.start for url in urls[1:]), len(line)]
    for url, last_end, next_start in zip(urls, ends, starts, strict=False):
        text_before = line[last_end : url.start]
        following = line[url.end : next_start]
        is_led = url.start < reach
        date = work_metadata.find_access_date(following[:120])
        is_cited = (
            is_led
            or date is not None
            or _is_source(url, text_before, following)
            or bool(wording.SOURCE_KEY.match(line[: url.start]))
        )
        title = work_metadata.find_linked_title(
            url, text_before if is_led else work_metadata.find_quoted_title(text_before)
        )
        is_first_of_item = url is urls[0] and item_of(line) is not None
        if not title and is_cited and is_first_of_item:
            title = work_metadata.words_before(text_before)
        title_or_words = title or identifiers.address_words(url.url)
        yield Mention(n + 1, url.url, title_or_words, date, is_cited=is_cited)


def _lead_reach(line: str, urls: Sequence[addresses.UrlMatch]) -> int:
    """Return the column up to which the words at the line's beginning cite its addresses.

    ``Sources: ...`` cites all of them, ``From ...`` the first; 0 if it begins with other words.
    """
    if wording.ATTRIBUTION.match(line):
        return len(line)
    beginning = wording.LEAD.match(line[:400])
    if beginning is None:
        return 0
    lead = beginning["lead"].lower()
    between = line[beginning.end("lead") : urls[0].start]
    is_label = bool(wording.LEAD_LABEL.match(between))
    if is_label and lead not in {"from", "based on", "according to"}:
        return len(line)
    if is_label or lead.endswith(wording.LEAD_ENDS):
        return urls[0].end
    return 0


def _is_source(url: addresses.UrlMatch, text_before: str, following: str) -> bool:
    """Return whether the words around an address, or in it, mark it as a source."""
    words = url.words
    if identifiers.is_paper(url.url):
        return True
    names_lines_of_page = url.url.endswith(".md") and wording.LINES_OF_PAGE.match(following)
    if names_lines_of_page or wording.SOURCE_NAME.fullmatch(words):
        return True
    if wording.SOURCE_BEFORE.search(text_before):
        return True
    is_enclosed = not words and text_before.rstrip(" <").endswith("(")
    if (words or is_enclosed) and wording.REPORT_BEHIND_LINK.match(following):
        return True
    if " " in words and wording.PUBLISHER_BEHIND_LINK.match(following):
        return True
    ends_brackets = re.match(r"\s?[;,)]", following)
    return bool(words and ends_brackets and wording.WORDS_BEFORE_BRACKET.search(text_before))


# --- further mentions of a work -------------------------------------------------------------------

_NUMBERS = re.compile(r"(?<![\w\]])\[(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8})\](?![(\[])")
"""``[1, 4-6]``."""
_NOTE = re.compile(r"\[\^(?P<label>[^\s\[\]^]{1,40})\](?!:)")
_NOTE_START = re.compile(r"^ {0,3}\[\^(?P<label>[^\s\[\]^]{1,40})\]:")
MAX_OF_NOTE = 20
"""Works of one footnote that each reference to it mentions."""
_MAX_RANGE = 30
"""Numbers in one range, such as ``4-6``, that are read."""


def find_repeated_mentions(
    text: Lines, is_listed: Sequence[bool], mentions: Sequence[Mention]
) -> Iterator[Mention]:
    """Yield the mentions outside lists of sources by an entry's number or by a footnote.

    These are ``[1, 4-6]`` and ``[^3]``. They count as citations.
    """
    numbered = _works_by_number(mentions)
    notes = _works_by_note(text.all, mentions)
    if not numbered and not notes:
        return
    for n in text.holding("["):
        if is_listed[n]:
            continue
        line = text.all[n]
        repeated: list[Mention] = []
        for numbers in _NUMBERS.finditer(line):
            repeated += [
                numbered[number]
                for number in _numbers_of_brackets(numbers[1])
                if number in numbered
            ]
        for note in _NOTE.finditer(line):
            repeated += notes.get(note["label"], ())
        yield from (Mention(n + 1, mention.url, mention.title) for mention in repeated)


def _works_by_number(mentions: Iterable[Mention]) -> dict[str, Mention]:
    """Return the entries of lists of sources by their numbers, of those that only one has."""
    entries = [(mention.number, mention) for mention in mentions if mention.number]
    counts = Counter(number for number, _ in entries)
    return {number: mention for number, mention in entries if counts[number] == 1}


def _works_by_note(lines: Sequence[str], mentions: Iterable[Mention]) -> dict[str, list[Mention]]:
    """Return the works that the first line of each footnote cites, by the footnote's label."""
    notes: dict[str, list[Mention]] = defaultdict(list)
    for mention in mentions:
        note = _NOTE_START.match(lines[mention.line - 1]) if mention.is_cited else None
        if note and len(notes[note["label"]]) < MAX_OF_NOTE:
            notes[note["label"]].append(mention)
    return notes


def _numbers_of_brackets(text: str) -> Iterator[str]:
    """Yield the numbers in ``1, 3-5``."""
    for piece in text.split(","):
        first, _, last = piece.replace("–", "-").partition("-")
        end = int(last or first)
        yield from map(str, range(int(first), min(end, int(first) + _MAX_RANGE) + 1))


# --- one reference for each work ------------------------------------------------------------------


def find_references(text: str, uri: str) -> tuple[tuple[Reference, ...], tuple[Problem, ...]]:
    """Return the distinct works that `text` cites, by first mention, and K010 for search pages.

    `text` is the body of a page; lines are 1-based in it. A work's title is that of its entry in a
    list of sources, else of its first mention; its access date is its own, else its group's, else
    the page's.
    """
    mentions, date = read_mentions(text)
    problems, cited = [], []
    for mention in mentions:
        if not identifiers.is_search_page(mention.url):
            cited.append(mention)
        elif mention.is_cited:
            defect = f"{mention.url} is a page of search results; cite the work itself"
            problems.append(Problem(uri, mention.line, "K010", defect))
    works = _mentions_by_work(cited)
    return _references_of(works, date), tuple(problems)


def find_source_sections(lines: Lines) -> Iterator[tuple[int, int]]:
    """Yield the lists of sources: first line (0-based), and the line after the end."""
    stop = 0
    for n in lines.holding(SECTION_WORDS, any_case=True):
        end = section_end(lines.all, n) if n >= stop else None
        if end is not None:
            stop = end
            yield n, stop


def find_unread_sources(text: str, references: object = None) -> Iterator[tuple[int, str]]:
    """Yield what a page's body says of its sources and is not read, each with its line.

    These are entries without an address, access dates that are none, works named by author and
    year that no source of the page has and, on a page without `references` in its front matter,
    columns of sources.
    """
    text = text.replace("\r\n", "\n").replace("\r", " ")
    masked = blank_code(text)
    lines, links = masked.all, addresses.link_definitions(masked.text)
    fix = "add its address, or an entry of `references`, so that it can be cited and checked"
    for n, stop in find_source_sections(masked):
        source_list = SourceList(lines, links, work_metadata.find_access_date(lines[n]))
        source_list.read(n + 1, stop)
        for line, words in source_list.unread:
            yield line, f"{words[:60]!r} has no address, and is not read as a work; {fix}"
    if not references:
        yield from _tables_with_sources(masked, links)
    prose = [_CODE_SPAN.sub("", line) for line in text.split("\n")]
    yield from _works_by_author_only(masked, prose, links, str(references or ""))
    for n in masked.holding(wording.MAYBE_ACCESSED, any_case=True):
        unknown = _unknown_date(lines[n], links)
        if unknown:
            yield n + 1, f"{unknown!r} is not a day; write `(accessed YYYY-MM-DD)`"
        two_days = work_metadata.find_ambiguous_date(lines[n])
        if two_days:
            fix = f"write {work_metadata.find_access_date(lines[n])}, if that is the day"
            yield n + 1, f"{two_days!r} is read with the month first; {fix}"


_MONTHS = frozenset(calendar.month_name[1:])
"""Words before a year in brackets that name no author: ``(May, 2019)``."""
_CODE_SPAN = re.compile(r"(?P<ticks>`+)(?!`).*?(?P=ticks)")  # `(Miller, 2019)`, an example
_CITATION_START = re.compile(r"\[@|\[\^|\[\d{1,3}[\],–-]")


def _works_by_author_only(
    text: Lines, prose: Sequence[str], links: Mapping[str, str], references: str
) -> Iterator[tuple[int, str]]:
    """Yield the first of the works that only an author and a year name, for all of them.

    A name that a reference, a list of sources or a line with an address or a citation has is that
    of a source. `prose` has the same lines without code spans, which show examples.
    """
    lines = text.all
    source_lines = {n for start, stop in find_source_sections(text) for n in range(start, stop)}
    works: dict[str, tuple[int, str]] = {}
    for n in text.holding("("):
        for work in wording.AUTHOR_AND_YEAR.finditer(prose[n]):
            name = next(filter(None, work.groups()))
            is_source = _is_cited(lines[n], links) or n in source_lines
            if not is_source and name not in _MONTHS:
                quoted_name = work[0].strip("*_")
                works.setdefault(quoted_name[1:-1] if work["one"] else quoted_name, (n, name))
    if not works:
        return
    cited = (line for n, line in enumerate(lines) if n in source_lines or _is_cited(line, links))
    cited_text = " ".join([references, *cited]).lower()
    unknown = {work: n for work, (n, name) in works.items() if name.lower() not in cited_text}
    if unknown:
        first, other_works = next(iter(unknown)), count(len(unknown) - 1, "other work")
        defect = f"{first!r} is named by author and year, and is no source here"
        fix = "cite it with `[@id]`, or list it under `## Sources`"
        if len(unknown) > 1:
            defect = (
                f"{first!r} and {other_works} are named by author and year, and are no sources here"
            )
            fix = "cite them with `[@id]`, or list them under `## Sources`"
        yield unknown[first] + 1, f"{defect}; {fix}"


def _is_cited(line: str, links: Mapping[str, str]) -> bool:
    return bool(_CITATION_START.search(line)) or bool(addresses.find_urls(line, links))


def _unknown_date(line: str, links: Mapping[str, str]) -> str:
    """Return the words of a line that are an access date, and no day; empty if none are."""
    beside = wording.UNKNOWN_DATE.search(line)
    if (
        beside
        and not work_metadata.find_access_date(beside[0])
        and addresses.find_urls(line, links)
    ):
        return beside[0]
    of_page = wording.UNKNOWN_DATE_OF_PAGE.fullmatch(line)
    is_read = work_metadata.find_access_date(line) or work_metadata.find_date(line)
    return of_page["date"].rstrip("*_.") if of_page and not is_read else ""


_SOURCE_COLUMN = re.compile(r"\W*(?:sources?|references?|citations?)\W*", re.IGNORECASE)


def _tables_with_sources(text: Lines, links: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the tables outside lists of sources that have a column of addresses for them."""
    lines = text.all
    source_lines = {n for start, stop in find_source_sections(text) for n in range(start, stop)}
    for n in text.holding(("source", "reference", "citation"), any_case=True):
        is_head = (
            n not in source_lines and n + 2 < len(lines) and bool(ROW_RULE.match(lines[n + 1]))
        )
        columns = cells_of(lines[n]) if is_head and is_row(lines[n]) else []
        source_columns = [
            index for index, column in enumerate(columns) if _SOURCE_COLUMN.fullmatch(column)
        ]
        rows = list(takewhile(is_row, lines[n + 2 :])) if source_columns else []
        if any(_names_address(row, source_columns[0], links) for row in rows):
            column = columns[source_columns[0]].strip()
            defect = f"the addresses below {column!r} are links, and are not read as sources"
            yield n + 1, f"{defect}; cite them with `[@id]`, or list them under `## Sources`"


def _names_address(row: str, column: int, links: Mapping[str, str]) -> bool:
    """Return True if the cell at `column` of a row has a web address, or is one without scheme."""
    cells = cells_of(row)
    if column >= len(cells):
        return False
    is_bare = is_bare_address(plain_text(cells[column]).strip())
    urls = addresses.find_urls(cells[column], links)
    return is_bare or any(identifiers.is_web(url.url) for url in urls)


def read_mentions(text: str) -> tuple[list[Mention], str | None]:
    """Return all mentions by line, and the access date that the page gives for all sources."""
    masked = blank_code(text.replace("\r\n", "\n").replace("\r", " "))
    lines, links = masked.all, addresses.link_definitions(masked.text)
    mentions: list[Mention] = []
    is_listed = [False] * len(lines)
    for n, stop in find_source_sections(masked):
        source_list = SourceList(lines, links, work_metadata.find_access_date(lines[n]))
        mentions += source_list.read(n + 1, stop)
        is_listed[n:stop] = [True] * (stop - n)
    hints = (*addresses.HINTS, "[") if links else addresses.HINTS
    in_prose = [n for n in masked.holding(hints) if not is_listed[n]]
    mentions += find_mentions_in_prose(lines, in_prose, links)
    mentions += list(find_repeated_mentions(masked, is_listed, mentions))
    mentions.sort(key=lambda mention: mention.line)
    dated = masked.holding(_DATE_WORDS, any_case=True)
    return mentions, _page_date(lines, dated, is_listed)


_DATE_WORDS = (*wording.MAYBE_ACCESSED, "research")
"""A line that dates all sources of a page contains one of these."""


def _is_untitled(mention: Mention) -> bool:
    """Return whether a mention has no title but the address itself."""
    return mention.title in {mention.url, identifiers.address_words(mention.url)}


def _mentions_by_work(mentions: Sequence[Mention]) -> list[list[Mention]]:
    """Return the mentions of each work that is cited, in order of first mention."""
    works: defaultdict[str, list[Mention]] = defaultdict(list)
    pages = _PageKeys()
    for mention in mentions:
        key = pages.canonical(identifiers.work_key(mention.url))
        works[key].append(mention)
    return [work for work in works.values() if any(mention.is_cited for mention in work)]


class _PageKeys:
    """The keys of pages of the base that are mentioned, by paths relative to anything.

    Two paths mean one page if one is the end of the other: ``grain/rye.md`` and ``rye.md``.
    """

    def __init__(self) -> None:
        self._first: dict[str, tuple[int, str]] = {}
        """Place and key of the first page with this key, or with this end of its path."""

    def canonical(self, key: str) -> str:
        """Return the key by which the same page was mentioned first; other works keep theirs."""
        if key in self._first or not key.startswith("page:"):
            return key
        path = key.removeprefix("page:")
        ends = [path[slash.end() :] for slash in re.finditer("/", path)]
        longer = [path]  # is it the end of a path that was mentioned?
        shorter = [f"page:{end}" for end in ends]  # or was one of its ends mentioned?
        seen_keys = [self._first[name] for name in (*longer, *shorter) if name in self._first]
        if seen_keys:
            _, first = min(seen_keys)
            return first
        for name in (key, path, *ends):
            self._first.setdefault(name, (len(self._first), key))
        return key


def _references_of(
    works: Iterable[Sequence[Mention]], page_date: str | None
) -> tuple[Reference, ...]:
    """Return a reference for each work, with an id of its own."""
    references = []
    taken_ids: dict[str, int] = {}
    for work in works:
        title, url = min(work, key=_rank_of_title).title, work[0].url
        dates = [mention.accessed for mention in work] + [mention.group_date for mention in work]
        # project files and notes have no access date
        default = page_date if identifiers.is_web(url) else None
        accessed = next((date for date in dates if date), default)
        lines = tuple(sorted({mention.line for mention in work}))
        own_id = identifiers.free_name(identifiers.work_id(url, title), taken_ids)
        references.append(Reference(own_id, title, url, accessed, lines))
    return tuple(references)


def _rank_of_title(mention: Mention) -> tuple[bool, bool, bool, int]:
    """Return the rank of a mention's title among those of one work; the lowest is taken.

    Titles in lists of sources come first, there the longest; then those of citations.
    """
    length = len(mention.title) if mention.is_listed else 0
    return not mention.is_listed, not mention.is_cited, _is_untitled(mention), -length


# --- one access date for the page -----------------------------------------------------------------


_HEADER_LINES = 15
"""The lines of a page's header."""


def _page_date(
    lines: Sequence[str], numbers: Sequence[int], is_listed: Sequence[bool]
) -> str | None:
    """Return the date in ``All sources accessed D``, or in a header's ``**Accessed**: D``.

    Only the lines with `numbers` (0-based) are read.
    """
    for n in numbers:
        line = lines[n]
        if "](" in line or "://" in line:
            continue
        is_header = n < _HEADER_LINES and not is_listed[n] and work_metadata.is_access_line(line)
        is_for_all = work_metadata.is_date_for_all(line) and not _is_group_label(
            lines, n, is_listed
        )
        if is_header or is_for_all:
            return work_metadata.find_access_date(line) or work_metadata.find_date(line)
    return None


_PARENTHESES = re.compile(r"\([^()]*\)")
_WORD_ALL = re.compile(r"\ball\b", re.IGNORECASE)
_ENDS_IN_ALL = re.compile(r"(?:\(|for\s|of\s)all\b[^:]*$", re.IGNORECASE)
_SENTENCE = re.compile(
    r"\ball\b|:[\W_]{0,6}\w[\w ,.-]{5,20}\W{0,4}$|\b(?:were|been)\b", re.IGNORECASE
)
"""Text that says something of sources: ``All web sources accessed: 20 November 2026``."""


def _is_group_label(lines: Sequence[str], n: int, is_listed: Sequence[bool]) -> bool:
    """Return whether line `n` is a heading or label whose date is that of the entries below it."""
    text = lines[n].strip()
    is_label = text.startswith(("#", "**")) or text.rstrip("*_").endswith(":")
    if work_metadata.is_access_line(text) and _ENDS_IN_ALL.search(text):
        return False
    if not is_label or _WORD_ALL.search(_PARENTHESES.sub(" ", text)):
        return False
    is_inside_list = n > 0 and is_listed[n - 1] and is_listed[n]
    following = next((line for line in lines[n + 1 : n + 3] if line.strip()), "")
    has_entries = item_of(following) is not None or is_row(following)
    return is_inside_list or has_entries or not _SENTENCE.search(text)
