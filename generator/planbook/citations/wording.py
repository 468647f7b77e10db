"""The English by which a page says what its sources are, and when they were read.

Each table has a row for a form, with an example of it; a test matches every row with its example.
To read a form that pages have and these tables lack, add a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Wording(NamedTuple):
    """A form of words."""

    pattern: str
    """A regular expression without groups that have a name or a number."""
    example: str
    """A text that its table's pattern matches by this form."""


def any_of(rows: Iterable[Wording]) -> str:
    """Return the pattern of all forms of a table; of two that match, the first one is taken."""
    return "|".join(row.pattern for row in rows)


# --- days -----------------------------------------------------------------------------------------

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]{{0,6}}\.?"
_DAY_OF_MONTH = r"\d{1,2}(?:st|nd|rd|th)?"
DAYS = (
    Wording(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}", "2026-11-20"),
    Wording(rf"\d{{1,2}}-{MONTH}-\d{{4}}", "20-Nov-2026"),
    Wording(rf"{MONTH}\s{_DAY_OF_MONTH},?\s\d{{4}}", "November 20th, 2026"),
    Wording(rf"{_DAY_OF_MONTH}\s(?:of\s)?{MONTH},?\s\d{{4}}", "20th of November 2026"),
    Wording(r"\d{1,2}[/.]\d{1,2}[/.]\d{4}", "20.11.2026"),
)
_DAY = any_of(DAYS)
DATE = re.compile(rf"\b(?:{_DAY})", re.IGNORECASE)

# --- when a source was read -----------------------------------------------------------------------

ACCESS_VERBS = (
    Wording("accessed", "accessed 2026-11-20"),
    Wording(r"access(?:ed)?\s(?:date|on)", "access date: 2026-11-20"),
    Wording("access", "Access: 2026-11-20"),
    Wording(r"date\s(?:accessed|of\saccess|retrieved)", "Date of access: 2026-11-20"),
    Wording("retrieved", "retrieved 2026-11-20"),
    Wording(r"retrieval\sdate", "Retrieval date: 2026-11-20"),
    Wording(r"last\s(?:visited|checked|viewed)", "last checked 2026-11-20"),
    Wording("visited", "visited 2026-11-20"),
    Wording("viewed", "viewed 2026-11-20"),
    Wording("fetched", "fetched 2026-11-20"),
    Wording("consulted", "consulted 2026-11-20"),
    Wording("scraped", "scraped 2026-11-20"),
)
_VERB = rf"\b(?:{any_of(ACCESS_VERBS)})\b"
ACCESS_DATE = re.compile(rf"{_VERB}[^\d\[\]()\n]{{0,40}}?(?P<date>\b(?:{_DAY}))", re.IGNORECASE)
"""An access date: ``(accessed 2026-11-20)``."""
ACCESSED_IN = re.compile(
    rf"{_VERB}[^\d\[\]()\n]{{0,40}}?\b"
    rf"(?:(?P<year>\d{{4}})-(?P<month>\d\d)|(?P<name>{MONTH})\s(?P<of>\d{{4}}))(?![\w-])",
    re.IGNORECASE,
)
"""The same with a month only: ``last visited 2026-10``, ``accessed Nov 2026``."""
_PARTICIPLES = ("accessed", "retrieved", "visited", "viewed", "fetched", "consulted")
MAYBE_ACCESSED = (*_PARTICIPLES, "access date", "date of access", "retrieval date", "last checked")
UNKNOWN_DATE = re.compile(
    rf"[(\[](?:last\s)?(?:{'|'.join(_PARTICIPLES)})\b[\s:]{{0,3}}[^()\[\]\n]{{1,40}}[)\]]",
    re.IGNORECASE,
)
"""``(accessed yesterday)``: if neither of the above is in it, it is not understood."""
UNKNOWN_DATE_OF_PAGE = re.compile(
    r"[\W_]{0,12}(?:(?:all\s)?(?:sources|references|links)\s(?:were\s)?)?"
    r"(?:accessed|access\sdate|date\s(?:accessed|of\saccess|retrieved)|retrieval\sdate"
    r"|last\s(?:accessed|visited|checked|viewed))"
    r"[*_]{0,3}:[*_]{0,3}\s*(?!(?:null|none|never|unknown|n/a)\b)"
    r"(?P<date>[^\s:|\[\]{}<>]{1,30}(?:\s[^\s:|\[\]{}<>]{1,30}){0,2}?)[\W_]{0,6}",
    re.IGNORECASE,
)
"""A whole line ``*Last checked: yesterday*``; the same holds of it."""
ACCESS_LINE = re.compile(
    rf"^[\W_]{{0,12}}{_VERB}[^\w\n]{{0,8}}(?:on\s|at\s|date\W{{0,3}})?(?:{_DAY})", re.IGNORECASE
)
"""A line that begins with one: ``**Accessed**: 2026-11-20``."""
DATES_FOR_ALL = (
    Wording(
        r"\b(?:all|sources?|references?|links?|urls?|pages?|web research|research)\b[^\[\]\n]{0,50}"
        r"\b(?:accessed|retrieved|access date)\b",
        "All sources were accessed on 2026-11-20",
    ),
    Wording(
        r"\b(?:all|sources?|references?|links?|urls?)\b[^\[\]\n]{0,50}"
        r"\b(?:last\s(?:visited|checked|viewed)|date\sof\saccess)\b",
        "All sources were last checked on 2026-11-20",
    ),
    Wording(
        r"\b(?:accessed|access dates?|retrieved)\b[^\d\[\]\n]{0,12}\b(?:for\s)?all\b",
        "Access date for all: 2026-11-20",
    ),
    Wording(
        r"\b(?:accessed|access dates?|retrieved)\b[^\[\]\n]{8,40}(?:\(|\bfor\s|\bof\s)all\b",
        "Accessed 2026-11-20 (all of them)",
    ),
    Wording(
        r"\bweb research (?:conducted|performed|done|date)\b",
        "Web research conducted on 2026-11-20",
    ),
)
DATE_FOR_ALL = re.compile(any_of(DATES_FOR_ALL), re.IGNORECASE)
"""A line that dates many sources, if it has a date."""

# --- works named by author and year ---------------------------------------------------------------

_NAME = r"[A-Z][\w'\u2019-]{1,30}"
_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_FURTHER_AUTHORS = rf"(?:\set\sal\b\.?|\s(?:&|and)\s{_NAME})"
AUTHOR_AND_YEAR = re.compile(
    rf"\((?P<one>{_NAME}){_FURTHER_AUTHORS}?,\s{_YEAR}\)"  # (Miller, 2019)
    rf"|\b(?P<some>{_NAME}){_FURTHER_AUTHORS}\s\({_YEAR}\)"  # Miller et al. (2019)
    rf"|[*_](?P<marked>{_NAME})\s\({_YEAR}\)[*_]"  # *Miller (2019)*
    rf"|\b(?i:according\sto|as\sper|cf\.)\s(?P<led>{_NAME})\s\({_YEAR}\)"
)
"""A work that has no other name. A single name before a year may be that of a product."""

# --- which link is a source -----------------------------------------------------------------------

LEAD_WORDINGS = (
    Wording("from", "From [Rye](rye.md):"),
    Wording("refs?", "Refs: https://a.example/rye"),
    Wording(r"according\sto", "According to [Rye](rye.md), ..."),
    Wording(r"based\son", "Based on [Rye](rye.md)"),
    Wording(r"as\sper", "As per [Rye](rye.md)"),
    Wording("per", "Per [Rye](rye.md), ..."),
    Wording("citations?", "**Citation**: [Rye](rye.md)"),
    Wording(r"cited\s(?:from|in)", "Cited from [Rye](rye.md)"),
    Wording("citing", "Citing [Rye](rye.md)"),
    Wording("credits?", "Credit: [Rye](rye.md)"),
    Wording(
        r"(?:adapted|quoted|taken|sourced|excerpt(?:ed)?|summari[sz]ed|derived|reproduced|data"
        r"|figure|table|results?|insights?|findings?|quotes?)\sfrom",
        "Findings from [Rye](rye.md)",
    ),
    Wording(
        r"(?:original\s|primary\s|research\s|image\s|data\s|full\s|key\s)?"
        r"(?:sources?|papers?|articles?|stud(?:y|ies)|reports?|blog\sposts?|preprints?"
        r"|references?)",
        "**Primary source**: [Rye](rye.md)",
    ),
    Wording(
        r"(?:figures|numbers|measurements|benchmarks|results)\sof",
        "Measurements of [Rye](rye.md)",
    ),
    Wording(
        r"as\s(?:described|explained|noted|stated|shown|reported|documented|discussed)"
        r"\s(?:in|by|at)",
        "As described in [Rye](rye.md), ...",
    ),
)
LEAD = re.compile(rf"^[\W\d_]{{0,16}}(?P<lead>{any_of(LEAD_WORDINGS)})\b", re.IGNORECASE)
"""The words at the beginning of a line that cite the links after them."""
LEAD_ENDS = ("from", " to", " on", "per", " in", " by", " at", " of", "citing")
"""The ends of leads that a link may follow at once; other leads need a colon, or the line's end."""
LEAD_LABEL = re.compile(
    r"""
    ^(?:\s?\#?\d{1,2}\b)?               # Source 2:
    (?:\s?\([^()\n]{0,60}\))?           # Sources (from 2024):
    [\s*_]{0,4}
    (?:[:–—-] | [\s*_(\[<]{0,4}$)
    """,
    re.VERBOSE,
)
"""The text between a lead and the first link, if the lead is a label."""
SOURCE_BEFORE = re.compile(
    r"""
    \b(?: according\ to | adapted\ from | described\ in
        | (?<!open\ )(?<!open-)sources? | references? )
    [\s*_:]{0,4} (?:the\ )? [\s*_(\"“\[<]{0,4}$
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The words right before a link: ``as described in the``; *open source* is none."""
_REPORTING_VERBS = (
    *("argue", "collect", "conclude", "define", "describe", "document", "estimate", "explain"),
    *("introduce", "measure", "note", "propose", "put", "recommend", "report", "say", "show"),
    *("state", "suggest", "warn", "write"),
)
REPORT_BEHIND_LINK = re.compile(
    r"^,?[\s*_)]{0,3}(?:\([^()]{0,60}\)\s)?"
    rf"(?:(?:{'|'.join(_REPORTING_VERBS)})[sd]?|found|finds)\b"
)
"""The words right after a link: ``[Rye](rye.md) (2024) recommends``."""
LINES_OF_PAGE = re.compile(r"^[\s,;(]{0,3}(?:lines?\s|L)\d", re.IGNORECASE)
"""``rye.md, lines 12-20``."""
PUBLISHER_BEHIND_LINK = re.compile(r"^\s\((?:[A-Z][^()\d]{1,60}[\s,])?(?:19|20)\d\d[a-z]?\)")
"""``(Grain Press, August 2024)`` after a link."""
SOURCE_NAMES = (
    Wording(r"\[?\^?\d{1,3}\]?", "[12]"),
    Wording(
        r"(?:sources?|refs?|references?|citations?|papers?|cite[ds]?)\b[\s\d.:]*",
        "Source 3",
    ),
    Wording(r".{0,300}\bet al\b.{0,300}", "Miller et al., 2024"),
)
SOURCE_NAME = re.compile(any_of(SOURCE_NAMES), re.IGNORECASE)
"""The whole text of a link that names it as a source."""
SOURCE_KEY = re.compile(
    r"""
    ^[\W\d_]{0,12}
    (?:(?:official|original|primary|full|main|api|project|reference)\s)?
    (?: docs | documentation | github | repository | repo | source\scode | code | urls? | links?
      | spec(?:ification)? | video | talk | slides | doi | arxiv | blog | tutorial | guide )
    (?:\s?\([^()\n]{0,40}\))?
    [\s*_]{0,3}:[\s*_\[<(]{0,6}$
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""All that stands before a link in its line: ``- **Official docs**: ``."""
ATTRIBUTION = re.compile(r"^\s*(?:>\s*)?(?:[—–]|--|-\s?—)\s?|^\[\^[^\]]{1,40}\]:\s")
"""Below a quotation, or the beginning of a footnote."""
WORDS_BEFORE_BRACKET = re.compile(r"(?:(?:[\w.%\"”*)]\s|^\s{0,3}|^>\s)\([^()]{0,3})$")
"""The words before a link in parentheses at the end of a statement: ``two hours (``."""

# --- titles of sources ----------------------------------------------------------------------------

GENERIC_TITLES = (
    Wording(
        r"(?:the\s|see\s|official\s|full\s)?"
        r"(?:url|link|web\s?site|site|web|location|address|path|file"
        r"|source(?:\scode)?|code|github(?:\srepo(?:sitory)?)?|repo|repository|project(?:\spage)?"
        r"|paper|pdf|html|doi|arxiv|abs(?:tract)?|docs|documentation|page|article|blog|post|title"
        r"|ref(?:erence)?|citation|accessed|primary"
        r"|here|details|more|th(?:e|is)|available|documented|described|explained)s?\W*",
        "Official documentation",
    ),
    Wording(r"[\W\d]*", "[1]"),
    Wording(r"(?:img|image|fig(?:ure)?)[\W_]?\d+", "Figure 2"),
    Wording(r"(?:quer(?:y|ies)|search(?:es)?|results?)\s?#?\d*", "Query 1"),
    Wording(r"\.{1,2}/\S*", "../rye.md"),
    Wording("https?://.*", "https://a.example/rye"),
    Wording(r"(?:arxiv|doi)[\s:]*[\d./v]*", "arXiv:2401.00001v2"),
    Wording(r"www\..*", "www.a.example"),
)
GENERIC_TITLE = re.compile(rf"^(?:{any_of(GENERIC_TITLES)})$", re.IGNORECASE)
"""The text of a link, or the words before an address, that name no work."""
TITLE_LEADS = (
    Wording("from", "From the Rye handbook"),
    Wording("sources?", "Source: Rye handbook"),
    Wording("references?", "Reference: Rye handbook"),
    Wording("refs?", "Ref: Rye handbook"),
    Wording(r"according\sto", "According to the Rye handbook"),
    Wording(r"based\son", "Based on the Rye handbook"),
    Wording("per", "Per the Rye handbook"),
    Wording(r"cited\s(?:from|in)", "Cited in the Rye handbook"),
    Wording("citations?", "Citation: Rye handbook"),
    Wording(r"adapted\sfrom", "Adapted from the Rye handbook"),
    Wording(r"quoted\sfrom", "Quoted from the Rye handbook"),
    Wording("paper", "Paper: Rye handbook"),
    Wording("original", "Original: Rye handbook"),
    Wording("title", "Title: Rye handbook"),
    Wording(r"existing\sknowledge", "Existing knowledge: Rye handbook"),
    Wording("url|link", "Link: Rye handbook"),
    Wording(r"see(?:\salso)?", "See also: Rye handbook"),
    Wording("and|or|in|by|via|on|as", "and the Rye handbook"),
)
TITLE_LEAD = re.compile(
    rf"^\W{{0,6}}(?:(?:{any_of(TITLE_LEADS)})\b[\s:*_(\"“]{{0,5}}){{1,4}}(?:the\s)?", re.IGNORECASE
)
"""Words at the beginning of a title that are no part of it."""
QUOTED_TITLE = re.compile(r"[\"“]([^\"“”]{8,200}?)[,.]?[\"”]")
"""``A. Miller, "The Rye handbook," 2024``."""
DATED_TITLE = re.compile(
    r"(?:\((?:19|20)\d\d[a-z]?\)[.,:]? | \.\s(?:19|20)\d\d[a-z]?\.)"
    r"\s+ ([^\s(\[].{5,200}?) (?:\.\s | \.?$)",
    re.VERBOSE,
)
"""``Miller, A. (2024). The Rye handbook. Grain Press``."""

TABLES: dict[re.Pattern[str], tuple[Wording, ...]] = {
    DATE: DAYS,
    ACCESS_DATE: ACCESS_VERBS,
    DATE_FOR_ALL: DATES_FOR_ALL,
    LEAD: LEAD_WORDINGS,
    SOURCE_NAME: SOURCE_NAMES,
    GENERIC_TITLE: GENERIC_TITLES,
    TITLE_LEAD: TITLE_LEADS,
}
"""The forms of each pattern."""
