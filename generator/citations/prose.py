"""The works that running text mentions, and which of them its words make sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from generator.citations.accessed import access_date, is_access_line
from generator.citations.facts import told_title
from generator.citations.mention import Mention
from generator.citations.places import Place, find_places, has_hint, is_definition
from generator.citations.table_rows import in_source_column
from generator.citations.titles import address_words, name_before, quoted_in, title_of, words_before, work_title
from generator.citations.works import is_paper
from generator.markdown.line_kinds import is_row, item_of
from generator.markdown.plain_text import line_text

_LEADS = (
    r"(?:from|sources?|references?|refs?|according\sto|based\son|as\sper|per|citations?|cited\s(?:from|in)|citing"
    r"|credits?"
    r"|(?:adapted|quoted|taken|sourced|excerpt(?:ed)?|summari[sz]ed|derived|reproduced|data|figure|table|results?"
    r"|insights?|findings?|quotes?)\sfrom"
    r"|(?:original\s|primary\s|research\s|image\s|data\s|full\s|key\s)?(?:sources?|papers?|articles?|stud(?:y"
    r"|ies)|reports?|blog\sposts?|preprints?|references?)"
    r"|(?:figures|numbers|measurements|benchmarks|results)\sof"
    r"|as\s(?:described|explained|noted|stated|shown|reported|documented|discussed)\s(?:in|by|at))"
)
_LEAD = re.compile(rf"^[\W\d_]{{0,16}}(?P<lead>{_LEADS})\b(?P<rest>[^\n]*)", re.IGNORECASE)
_IS_LABEL = re.compile(r"^(?:\s?#?\d{1,2}\b)?(?:\s?\([^()\n]{0,60}\))?[\s*_]{0,4}(?:[:–—-]|[\s*_(\[<]{0,4}$)")
_NO_SOURCE = re.compile(
    r"\b(?:see|download(?:s|ed|ing)?|install(?:s|ed|ing|ation)?|get|run|use|using|visit|check|try|available|clone"
    r"|pull|pulled|fetch|build|sign up|migrat\w+|switch\w*|"
    r"upgrad\w+|import\w*|load\w*|deriv\w+)\b",
    re.IGNORECASE,
)
_DO = re.compile(
    r"[^.:\n]{0,30}?,\s(?:click|select|choose|open|press|copy|navigate|go\sto|create|enable|pick|download|install)\b"
)
"""``From the [console](...), select Oven``"""
_SOURCE_BEFORE = re.compile(
    r"(?:\b(?i:according to|as per|per|cited (?:in|from|by)|citing|quoting|credit(?:s|ed)? to"
    r"|(?<!open )(?<!open-)(?<!power )(?<!light )source[sd]?(?: from| is| was)?"
    r"|references?|refs?\.?|citations?|papers?|preprint|study|report"
    r"|(?:adapted|quoted|taken|excerpt(?:ed)?|summari[sz]ed|reproduced|data|figure|tables?|results?|insights?|findings?"
    r"|quotes?|benchmarks?|numbers?|measurements?) from"
    r"|(?:documented|described|reported|shown|explained|stated|noted|outlined|detailed|discussed|introduced|proposed"
    r"|presented|demonstrated|specified|published|recommended) (?:in|at|by|on)|existing knowledge)"
    r"|\bFrom|\((?:from|based on|cf\.?))"
    r"[\s*_:]{0,4}(?i:the |a |existing knowledge |oracle |official )?[\s*_(\"“\[<]{0,4}$"
)
_SAYS = re.compile(
    r"^[\s*_)]{0,3}(?:\([^()]{0,60}\)\s)?(?:states?|reports?|notes?|recommends?|explains?|says?|claims?|argues?|suggests?"
    r"|warns?|writes?|concludes?|observes?|puts?\sit)\b"
)
_TELLS = re.compile(
    r"^,?[\s*_)]{0,3}(?:\([^()]{0,60}\)\s)?(?:shows?|describes?|demonstrates?|found|finds|proposed?s?|introduced?s?|measured?s?"
    r"|documents|defines?|specif(?:y|ies)|collects?|surveys|reviews|compares|summari[sz]es|discuss(?:es)?|estimates?)\b"
)
"""What a text does; a tool of one word may do it too."""
_LINES_OF_PAGE = re.compile(r"^[\s,;(]{0,3}(?:lines?\s|L)\d", re.IGNORECASE)
_PUBLISHED = re.compile(r"^\s\((?:[A-Z][^()\d]{1,60}[\s,])?(?:19|20)\d\d[a-z]?\)")
"""``(Grain Press, August 2024)`` behind a link."""
_AUTHORS = re.compile(
    r"\bet al\b|^[A-Z][\w.'\u2019-]{1,30}(?:,? (?:and|&) [A-Z][\w.'\u2019-]{1,30}"
    r"|,? [A-Z][\w.'\u2019-]{1,30})?,? \(?(?:19|20)\d\d[a-z]?\)?$"
)
_NUMBER = re.compile(r"^\[?\^?\d{1,3}\]?$")
_SOURCE_NAMES = re.compile(r"^(?:sources?|refs?|references?|citations?|papers?|cite[ds]?)\b[\s\d.:]*", re.IGNORECASE)
_HOME = re.compile(
    r"^(?:(?:the|official|project)\s)?(?:home\s?page|web\s?site|downloads?|github|repo(?:sitory)?|demo|live"
    r"|install(?:ation)?|pypi|npm|crates?|here|link|docker hub|app|tool|playground|docs)\b",
    re.IGNORECASE,
)
_SOURCE_KEYS = re.compile(
    r"^[\W\d_]{0,12}(?:(?:official|original|primary|full|main|api|project|reference)\s)?(?:docs|documentation"
    r"|github|repository|repo|source\scode|code|urls?|links?|spec(?:ification)?|video|talk|slides|doi|arxiv"
    r"|blog|tutorial|guide)(?:\s?\([^()\n]{0,40}\))?[\s*_]{0,3}:[\s*_\[<(]{0,6}$",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(r"^\s*(?:>\s*)?(?:[—–]|--|-\s?—)\s?")
_FOOTNOTE = re.compile(r"^\[\^[^\]]{1,40}\]:\s")
_SOURCE_LINE = re.compile(
    r"^[\s>*_(-]{0,12}(?:source|citation|reference)[\s*_]{0,4}:[\s*_]{0,4}(?P<name>\S[^\n]{2,200})$", re.I
)
_NO_NAME = re.compile(
    r"^(?:own|our|my|none|n/?a|no|various|multiple|several|unknown|internal|general|personal|author\S*|web|training|common"
    r"|see|based|as|this|that|the above|above|below|tbd|combined|synthesi[sz]ed|experience|original|oracle|research"
    r"|production (?:experience|knowledge)|measured|measurements?)\b",
    re.IGNORECASE,
)


def mentions_in_prose(
    lines: Sequence[str], numbers: Iterable[int], links: Mapping[str, str], *, has_sources: bool
) -> Iterator[Mention]:
    """Every mention on the lines with `numbers` (0-based); one that no word makes a citation is not cited there.

    `has_sources` is whether the page lists its sources: then ``**Repository**: <address>`` is a link only, unless it
    stands right above or below a source.
    """
    for n in numbers:
        line = lines[n]
        places = find_places(line, links)
        in_column = in_source_column(lines, n, places) if places and is_row(line) else frozenset()
        reach = _lead_reach(line, places) if places else 0
        date_at_end = access_date(line[places[-1].end :]) if reach else None
        for i, place in enumerate(places):
            before = line[places[i - 1].end if i else 0 : place.start]
            following = line[place.end : places[i + 1].start if i + 1 < len(places) else len(line)]
            date = access_date(following[:120])
            is_cited = (
                place.start < reach
                or date is not None
                or place in in_column
                or _is_source(line, place, before, following)
                or (bool(_SOURCE_KEYS.match(line[: place.start])) and (not has_sources or _is_beside_source(lines, n)))
            ) and not (is_definition(line) and not date)
            if is_cited and not date:
                date = (date_at_end if place.start < reach else None) or _date_below(lines, n)
            words = before if place.start < reach else quoted_in(before)
            title = title_of(place, words, following, is_entry=False)
            if not title and is_cited and i == 0 and item_of(line):
                title = words_before(before, is_entry=False)
            if not title and is_cited:
                title = ("" if place.words else name_before(before)) or _title_above(lines, n)
            title = title or address_words(place.url)
            yield Mention(n + 1, place.url, title, date, is_cited=is_cited)


def named_in_prose(lines: Sequence[str], numbers: Iterable[int]) -> Iterator[Mention]:
    """The works that a line of their own names without an address: ``**Source**: Miller, On Flour, chapter 4``."""
    for n in numbers:
        match = _SOURCE_LINE.match(lines[n])
        name = line_text(match["name"]).rstrip(" )") if match and not find_places(lines[n], {}) else ""
        is_name = bool(re.search(r"(?:^|\s)[\"“]?[A-Z]|\d|/", name)) and 2 <= len(name.split()) <= 14
        if is_name and not _NO_NAME.match(name):
            title = work_title(name)
            if title:
                yield Mention(n + 1, None, title, access_date(lines[n]))


def _lead_reach(line: str, places: Sequence[Place]) -> int:
    """How far a ``From ...:`` or ``Sources: ...`` reaches: what begins before that column is cited by it."""
    if _ATTRIBUTION.match(line) or _FOOTNOTE.match(line):
        return len(line)
    match = _LEAD.match(line[:400])
    if (
        not match
        or _NO_SOURCE.search(line[match.end("lead") : places[0].start])
        or _DO.match(line, places[0].end, places[0].end + 80)
    ):
        return 0
    rest = line[match.end("lead") : places[0].start]
    lead = match["lead"].lower()
    is_label = bool(_IS_LABEL.match(rest))
    if not is_label and not lead.endswith(("from", " to", " on", "per", " in", " by", " at", " of", "citing")):
        return 0
    if is_label and lead not in {"from", "based on", "according to"}:
        return len(line)
    return _sentence_end(line, places)


def _is_beside_source(lines: Sequence[str], n: int) -> bool:
    """Whether the line above or below is a source's: ``**Paper**: <address>``."""
    for line in (*lines[max(n - 1, 0) : n], *lines[n + 1 : n + 2]):
        places = find_places(line, {})
        if places and _lead_reach(line, places):
            return True
    return False


def _sentence_end(line: str, places: Sequence[Place]) -> int:
    """Where the words that lead a quotation in end: at their colon, the sentence's end, or behind the first place."""
    position = places[0].end
    for place in places:
        gap = line[position : place.start]
        if place.start > position and re.search(r":(?:\s|\*|$)|\.\s|\s(?:is|are|was|were|has|have|see|uses?)\s", gap):
            return position
        position = place.end
    return position


def _is_source(line: str, place: Place, before: str, following: str) -> bool:
    """Whether the words around a place, or its own, make it a source."""
    words = place.words
    if is_paper(place.url) or (place.url.endswith(".md") and _LINES_OF_PAGE.match(following)):
        return True
    if _DO.match(following):
        return False
    if _NUMBER.match(words) or _SOURCE_NAMES.fullmatch(words) or _AUTHORS.search(words):
        return True
    start = line[max(0, place.start - 80) : place.start]
    is_enclosed = not words and before.rstrip(" <").endswith("(")
    if (
        _SOURCE_BEFORE.search(start)
        or ((words or is_enclosed) and _SAYS.match(following))
        or ((" " in words or is_enclosed) and _TELLS.match(following))
        or (" " in words and _PUBLISHED.match(following))
    ):
        return True
    is_bracketed = (
        bool(words)
        and bool(re.search(r"(?:[\w.%\"”*)]\s|^\s{0,3}|^>\s)\([^()]{0,3}$", before))
        and bool(re.match(r"\s?[;,)]", following))
    )
    if is_bracketed and not _HOME.match(words):
        return True
    return (
        bool(re.search(r"\bfrom\s[\s*_\"“]{0,4}$", start))
        and bool(re.search(r":[\s*_]{0,4}$", line))
        and not _NO_SOURCE.search(line[: place.start])
    )


def _title_above(lines: Sequence[str], n: int) -> str:
    """The title of a ``**Title**: ...`` line in the same paragraph or list; ``""`` for none."""
    for line in lines[n - 1 : max(n - 8, 0) - 1 if n > 8 else None : -1] if n else ():
        if not line.strip() or has_hint(line):
            return ""
        title = told_title(line)
        if title:
            return line_text(title)
    return ""


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
