"""Names in the tables and lists of works of which a page has some, and not all. Pure.

A page that names three of five states has a list that its reader takes for the whole one. A program
cannot tell which names matter, but it can tell that a list is there, and is on the page in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from planbook.citations.quotes import words
from planbook.markdown.plain_text import cells_of
from planbook.research.drafts import Excerpt, PassageKind, Source
from planbook.research.evidence.passages import excerpts, is_change_log
from planbook.research.proof.parsed_draft import ParsedDraft
from planbook.research.proof.sentences import TextWords, is_identifier

MAX_REPORTED_LISTS = 1
"""Number of lists that are named: those of ten were looked up in vain."""
_MIN_LIST_NAMES, _MAX_LIST_NAMES = 3, 30
"""Sizes of lists: shorter ones are none, longer ones are indexes."""
_MIN_NAMES_ON_PAGE = 2
_MIN_SHARE_ON_PAGE = 0.4
"""The number and share of the names of a list on a page that seems to have it."""
_MAX_NAME_WORDS = 4
"""Number of words of a name in a table or list."""
_ITEM = re.compile(
    r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+"
    r"(?:`(?P<code>[^`\n]{1,80})`|\*\*(?P<bold>[^*\n]{1,60})\*\*)",
    re.MULTILINE,
)
"""An item of a list that begins with a name: ``- `--keep`: holds the heat``."""
_CODE_OR_BOLD = re.compile(r"`([^`\n]{1,80})`|\*\*([^*\n]{1,60})\*\*")
_RUN_OF_CODE = re.compile(
    r"`[^`\n]{1,60}`(?:,?[ \n](?:and |or )?`[^`\n]{1,60}`|,`[^`\n]{1,60}`){2,30}"
)
"""Names in one sentence: ```new`, `running` and `failed```."""
_VALUES = re.compile(
    r"\b(?:[Vv]alid|[Pp]ossible|[Aa]llowed|[Ss]upported) values (?:are|include):?\s+"
    r"(?P<names>[\w-]+(?:,[\s#]*(?:and |or )?[\w-]+){2,30})"
)
"""Names behind words that announce them: ``Valid values are New, Running, Failed``."""
_NAME = re.compile(r"[-./]{0,2}[^\W\d_][^<>\n]*(?<![.:])$")
"""A name: no number, no pattern, no sentence."""
_RULE = re.compile(r"[\s|:+=-]*")


@dataclass(frozen=True, slots=True)
class PartlyListed:
    """A table or list of a work of which a page has some names."""

    excerpt: Excerpt
    """The passage in which the first of the missing names stands."""
    missing: tuple[str, ...]
    size: int
    """The number of all its names."""


def find_partly_listed(parsed: ParsedDraft, works: Sequence[Source]) -> tuple[PartlyListed, ...]:
    """Return the lists in works that a page cites of which it has some names and lacks others.

    Those of which the page lacks least come first.
    """
    cited = {citation.reference_id for citation in parsed.citations}
    page = TextWords([parsed.body])
    by_items: dict[tuple[str, ...], PartlyListed] = {}
    for source in works:
        if source.id not in cited or is_change_log(source):
            continue
        for names in _lists_in(excerpts(source, 1)):
            places = dict(reversed(names))  # the first passage with each name
            distinct = tuple(dict.fromkeys(name for name, _ in names))
            missing = tuple(name for name in distinct if not page.has_code(name))
            on_page = len(distinct) - len(missing)
            is_list = _MIN_LIST_NAMES <= len(distinct) <= _MAX_LIST_NAMES
            is_cited_for_it = on_page >= max(_MIN_NAMES_ON_PAGE, _MIN_SHARE_ON_PAGE * len(distinct))
            if is_list and is_cited_for_it and missing:
                partly_listed = PartlyListed(places[missing[0]], missing, len(distinct))
                by_items.setdefault(missing, partly_listed)
    return tuple(sorted(by_items.values(), key=_missing_share)[:MAX_REPORTED_LISTS])


def _missing_share(partly_listed: PartlyListed) -> float:
    """Return the share of the names of a list that the page lacks."""
    return len(partly_listed.missing) / partly_listed.size


_Names = list[tuple[str, Excerpt]]
"""The names of a list, each with the passage in which it stands."""


def _lists_in(passages: Sequence[Excerpt]) -> Iterator[_Names]:
    """Yield the names of each table, list and series of terms of a work."""
    for _, group in groupby(passages, key=lambda excerpt: excerpt.headings):
        below_heading = list(group)
        yield [(row.term, row) for row in below_heading if row.term and _is_name_of_item(row.term)]
        yield [(name, items) for items in below_heading for name in _names_of_items(items)]
        yield [(name, table) for table in below_heading for name in _names_of_rows(table)]
        for excerpt in below_heading:
            for names in _names_in_text(excerpt):
                yield [(name, excerpt) for name in names]


def _is_name_of_item(text: str) -> bool:
    """Return whether a text names something, rather than says it."""
    return bool(_NAME.match(text)) and len(text.split()) <= _MAX_NAME_WORDS


def _names_of_items(excerpt: Excerpt) -> Iterator[str]:
    """Yield the names with which the items of a passage begin."""
    for passage in excerpt.passages:
        if passage.kind is PassageKind.LIST:
            for item in _ITEM.finditer(passage.text):
                name = words(item["code"] or item["bold"]).rstrip(":. ")
                if _is_name_of_item(name):
                    yield name


def _names_of_rows(excerpt: Excerpt) -> Iterator[str]:
    """Yield the names in the first cells of the rows of a passage."""
    for passage in excerpt.passages:
        rows = [row for row in passage.text.split("\n") if "|" in row]
        is_table = passage.kind is PassageKind.TABLE and len(rows) > 1
        for row in rows if is_table else ():
            cell = cells_of(row)[0]
            name = words(cell).strip()
            is_marked = bool(_CODE_OR_BOLD.fullmatch(cell.strip())) or is_identifier(name)
            if is_marked and _is_name_of_item(name) and not _RULE.fullmatch(row):
                yield name


def _names_in_text(excerpt: Excerpt) -> Iterator[list[str]]:
    """Yield the names that sentences and comments of a passage list."""
    text = excerpt.text
    for run in _RUN_OF_CODE.finditer(text):
        yield list(filter(_is_name_of_item, re.findall(r"`([^`\n]+)`", run[0])))
    for values in _VALUES.finditer(text):
        names = re.findall(r"[\w-]+", values["names"])
        yield [name for name in names if name not in {"and", "or"}]
