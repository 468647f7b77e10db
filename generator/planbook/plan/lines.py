"""Read the lines of a PART that are neither step, section nor lead-in: a reader for each form.

The readers of `_READERS` are tried in order. What a line means depends on the step, the lead-in and
the section around it, which `Contents` has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from planbook.markdown.budgets import read_budget
from planbook.plan.base_searches import is_base_search, read_grep, read_reads
from planbook.plan.contents import PAGE_MEANINGS, Contents
from planbook.plan.fields import add_targets, set_field
from planbook.plan.forms import BUILDS_ON, Meaning, words_of
from planbook.plan.labels import meaning_of, read_plain_label
from planbook.plan.lead_ins import read_topic_below
from planbook.plan.outline import speaks_for_itself
from planbook.plan.paths import (
    begins_with_path,
    find_drop,
    find_web_addresses,
    read_paths,
    read_targets,
)
from planbook.plan.queries import is_search_call, is_task, read_queries
from planbook.plan.quotations import find_quoted_strings
from planbook.plan.state import state_of_words

_GAPS = re.compile(rf"^{words_of(Meaning.GAPS)}\b\s*:?\s*(.*)$", re.IGNORECASE)
"""``Gaps: how cold flour behaves``."""
_PAGES_BUILT_ON = re.compile(rf"{BUILDS_ON}\s*:", re.IGNORECASE)
_SCRAPE = re.compile(rf"^{words_of(Meaning.SCRAPE)}\b\s*:?\s*(.*)$", re.IGNORECASE)
"""``Scrape: the handbook's chapter on ovens``."""
_NO_SOURCE = re.compile(
    r"(?:the )?(?:top|best)\b|\d|results?\b"
    r"|(?:the |this )?(?:url|page|article|site|link)s?\s*(?:(?:with|using|via)\b.*)?$",
    re.IGNORECASE,
)
"""``top 3 results``, and ``the page``, which name no source."""
_REPOSITORY = re.compile(
    r"""
    (?<![\w./-]) [\w.-]{1,60} / [\w.-]{1,100} `? \s+ repo (?:sitory)? \b    # tea/steep repository
    | \b owner \W{1,6} [\w-]{1,40} \W{1,8} repo \W{1,6} [\w.-]{1,100}    # owner: "tea", …
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""``tea/steep repository``, and a tool's call: ``owner: "tea", repo: "steep"``."""
_SEARCHES = re.compile(r"(?:web )?search(?: for|ing| github| arxiv)?\s?[:\"]", re.IGNORECASE)
"""``Web search: starter acidity``."""
_QUERY_LINE = re.compile(r"\W{0,4}quer(?:y|ies)\W{0,4}:", re.IGNORECASE)
"""``**Query**: starter acidity``."""
_OUTSIDE_SEARCH = re.compile(
    r"(?:search |query )?(?:the )?(?:web|github|arxiv|google)", re.IGNORECASE
)
"""A search that leaves the base, also in a step about existing knowledge."""
_CREATE = re.compile(
    rf"""
    ^ (?: \W{{0,4}} (?:PART|WORKER|RUNNER|TASK) \s+ \d+ \W{{1,4}} )?    # PART 1:
    (?-x:{words_of(Meaning.CREATE)}) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""``PART 1: Create bread/01-starter.md``."""
_COMPLETION_LINE = re.compile(
    r"^\W{0,8}(?:completed?|done|finished)\b\W{0,8}(?:on |at )?\d{4}-\d\d", re.IGNORECASE
)
"""``Completed on 2026-11-20``."""
_DONE_ALONE = re.compile(r"^\W{0,8}(?:completed?|done|finished)\W{0,8}$", re.IGNORECASE)
"""``- [x] done``."""
_NOTE = re.compile(
    r"(?:notes?|results?|runner|commit message)\s*:|(?:mark|tick|check off) (?:PART|the box)\b",
    re.IGNORECASE,
)
"""``Note: the mill was closed``, ``Mark PART 3 complete``: about the work, no point of the page."""


_QUOTATION_CONTEXT = re.compile(r"\([^()]*\)|^\d+[.)]|^[A-Z][\w -]{0,20}:(?=\s*[\"“`])")
"""A note in parentheses, a number, or a key before a quoted string: ``2. Rye: "rye ash" (new)``."""
_MAX_GAP_CHARS = 6
"""Maximum number of characters between quoted strings: ``"rye" and "ash"``."""


@dataclass(frozen=True, slots=True)
class BodyLine:
    """A line that is neither step, section nor lead-in, with the continuation of its first line."""

    text: str
    plain: str
    """The text without bold."""
    number: int
    """1-based."""
    depth: int
    """The number of list items around it."""
    is_item: bool
    """True for the first line of a list item."""


def take_line(contents: Contents, text: str, line: int, depth: int, *, is_item: bool) -> bool:
    """Read a line that is neither step, section nor lead-in.

    Return True if a reader takes it; the first that does counts. Other lines are prose.
    """
    body_line = BodyLine(text, text.replace("**", "").strip(), line, depth, is_item)
    return any(read(contents, body_line) for read in _READERS)


def _take_listed_value(contents: Contents, line: BodyLine) -> bool:
    """Read an item below a label whose value is a list, such as ``**Target Files**:``."""
    if not line.is_item:
        return False
    if contents.lead_in is Meaning.GOAL:
        contents.goals.append(line.plain)
        return True
    if contents.lead_in in {Meaning.TARGET, Meaning.CREATED} and not is_task(line.plain):
        add_targets(contents, contents.lead_in, line.plain)
        return True
    return False


def _take_drop(contents: Contents, line: BodyLine) -> bool:
    """Read the name of the drop."""
    name = find_drop(line.plain)
    contents.drop = contents.drop or name
    return name is not None


def _take_pages_built_on(contents: Contents, line: BodyLine) -> bool:
    """Read the pages of the base behind ``**Builds on**:``, also below the outline."""
    is_of_section = line.is_item and contents.outline.holds(line.depth)
    if is_of_section or not _PAGES_BUILT_ON.match(line.plain):
        return False
    reads = read_reads(line.plain)
    contents.reads += [replace(read, line=line.number) for read in reads]
    return bool(reads)


def _take_line_of_outline(contents: Contents, line: BodyLine) -> bool:
    """Read a line below a section of the outline."""
    if contents.outline.depth is None:
        return False
    is_nested = contents.outline.holds(line.depth)
    if line.is_item and (not is_nested or is_note(line.plain)):
        return False
    contents.outline.add(line.text, is_item=line.is_item, is_nested=is_nested)
    return True


def _skip_report_on_drop(contents: Contents, _: BodyLine) -> bool:
    """Skip what the drop must list: it says nothing about the page."""
    return contents.step_kind is Meaning.DROP


def _take_plain_label(contents: Contents, line: BodyLine) -> bool:
    """Read a label that needs no bold: ``File: a/01-x.md``, ``Goal: ...`` above steps."""
    label = read_plain_label(line.plain)
    # Below *Check existing knowledge*, ``Topic: x`` says what to look for.
    if label is None or contents.step_kind is Meaning.EXISTING:
        return False
    meaning = meaning_of(label, has_path=begins_with_path(label.value), is_bold=False)
    is_early = meaning not in {Meaning.GOAL, Meaning.TITLE} or not contents.steps
    if meaning is None or not label.noted or not is_early:
        return False
    if meaning is Meaning.STATUS and state_of_words(label.value) is None:
        return False
    set_field(contents, meaning, label)
    return True


def _take_completion(contents: Contents, line: BodyLine) -> bool:
    """Read a completion time without a label, above the steps: ``Completed 2026-11-20``."""
    if contents.steps:
        return False
    if _COMPLETION_LINE.match(line.plain):
        contents.fields.setdefault(Meaning.COMPLETED, line.plain)
    elif is_done_alone(line.plain):
        contents.fields.setdefault(Meaning.STATUS, line.plain)
    else:
        return False
    return True


def _take_page_to_create(contents: Contents, line: BodyLine) -> bool:
    """Read the page that the PART is to create."""
    plain = line.plain
    if not _CREATE.match(plain) or not read_paths(plain):
        return False
    contents.created_targets += read_targets(plain)
    contents.create_budget = contents.create_budget or read_budget(plain)
    return True


def _take_prior_knowledge(contents: Contents, line: BodyLine) -> bool:
    """Read a line about prior knowledge: gaps, searches of the base, pages to read."""
    plain = line.plain
    gaps = _GAPS.match(plain)
    if gaps:
        contents.gaps.append(gaps[1] or plain)
        return True
    if is_base_search(plain):
        contents.greps.append(read_grep(plain))
        return True
    if contents.step_kind not in {Meaning.EXISTING, Meaning.RESEARCH, None}:
        return False
    reads = read_reads(plain)
    contents.reads += [replace(read, line=line.number) for read in reads]
    return bool(reads)


def _take_search(contents: Contents, line: BodyLine) -> bool:
    """Read web queries."""
    plain = line.plain
    is_explicit = _is_explicit_search(plain)
    if contents.context in PAGE_MEANINGS and not is_explicit:
        return False
    if contents.context is Meaning.EXISTING and not (is_explicit and _OUTSIDE_SEARCH.match(plain)):
        return False
    is_listed = _is_in_list_of_queries(contents, line)
    # One quoted item is enough to tell that those without quotation marks are comments.
    if is_listed and find_quoted_strings(plain):
        contents.is_quoting = True
    queries = read_queries(plain, is_listed=is_listed)
    # The engine of the lead-in is that of its queries, unless one names its own.
    is_engine_given = is_listed and contents.context is Meaning.QUERIES
    engine = contents.engine if is_engine_given else "web"
    for query in queries:
        contents.queries.append(replace(query, engine=engine) if query.engine == "web" else query)
    return bool(queries)


def _is_in_list_of_queries(contents: Contents, line: BodyLine) -> bool:
    """Return True if a line is a query because of its place, without a verb of its own."""
    is_quoted = is_quotation(line.plain)
    if contents.lead_in is Meaning.QUERIES and is_quoted:
        return True
    if not line.is_item:
        return False
    if contents.context is Meaning.RESEARCH:
        return is_quoted
    # In a list that quotes its queries, an unquoted item is a comment.
    is_comment = contents.is_quoting and not find_quoted_strings(line.plain)
    return contents.context is Meaning.QUERIES and not is_comment


def _take_source(contents: Contents, line: BodyLine) -> bool:
    """Read requested sources: items of such a list, URLs, repositories, pages to scrape."""
    if contents.context in PAGE_MEANINGS:
        return False
    plain = line.plain
    scrape, urls = _SCRAPE.match(plain), find_web_addresses(plain)
    if contents.context is Meaning.SOURCES and line.is_item:
        contents.sources.append(plain)
    elif urls and contents.context in {Meaning.RESEARCH, Meaning.QUERIES, Meaning.SOURCES, None}:
        contents.sources += urls
    elif scrape and not _NO_SOURCE.match(scrape[1]):
        contents.sources.append(scrape[1].strip() or plain)
    elif _REPOSITORY.search(plain):
        contents.sources.append(plain)
    else:
        return False
    return True


def _take_section_without_budget(contents: Contents, line: BodyLine) -> bool:
    """Read an item of a list that is the outline."""
    is_section = contents.context is Meaning.OUTLINE and line.is_item and line.depth == 1
    if not is_section or speaks_for_itself(line.text):
        return False
    contents.outline.begin_listed(line.text, line.depth)
    return True


def _take_point(contents: Contents, line: BodyLine) -> bool:
    """Read a point to research."""
    is_topic = contents.lead_in is Meaning.QUERIES and contents.lists_topics
    is_point = is_topic or contents.context is Meaning.POINTS
    if not is_point or not line.is_item:
        return False
    contents.points.append(line.text)
    return True


def _is_explicit_search(plain: str) -> bool:
    """Return True if a line says that it is a search, whatever the lines around it are."""
    is_marked = _SEARCHES.match(plain) or _QUERY_LINE.match(plain)
    return bool(is_marked) or is_search_call(plain)


# Precedence matters. The values of a list come before all others, as its items may look like any
# form. A drop and the pages built on have words of their own, wherever they stand; below a section,
# everything else is of the section. Plain labels come before tasks, and what only a place can tell,
# a source or a point, comes last.
_READERS: tuple[Callable[[Contents, BodyLine], bool], ...] = (
    _take_listed_value,
    _take_drop,
    _take_pages_built_on,
    _take_line_of_outline,
    _skip_report_on_drop,
    _take_plain_label,
    _take_completion,
    _take_page_to_create,
    _take_prior_knowledge,
    _take_search,
    _take_source,
    _take_section_without_budget,
    _take_point,
)
"""Each reads one form of a line, and returns True if it took the line. The first that does counts.

To add a form that a label does not give, add a reader where its precedence is.
"""


# --- questions about a line that `body` asks, too -------------------------------------------------


def is_note(plain: str) -> bool:
    """Return True if a line is about the work, and no point of the page."""
    return bool(_NOTE.match(plain))


def is_done_alone(plain: str) -> bool:
    """Return True if a line says that the PART is done, and nothing else: ``- [x] done``."""
    return bool(_DONE_ALONE.match(plain))


def is_quotation(plain: str) -> bool:
    """Return True if the text is nothing but a quoted string, apart from a note in parentheses."""
    bare = _QUOTATION_CONTEXT.sub("", plain).strip(" .,;-–")
    texts = find_quoted_strings(bare)
    quoted_chars = sum(len(text) + 2 for text in texts)
    return bool(texts) and len(bare) - quoted_chars <= _MAX_GAP_CHARS


def begins_anew(text: str) -> bool:
    """Return True if a line below an item's first line is more than its continuation."""
    if speaks_for_itself(text) or _QUERY_LINE.match(text):
        return True
    label = read_plain_label(text)
    return bool(label and label.value) or read_topic_below(text) is not None
