"""Parse the body of a PART: steps, queries, points, outline, sources, prior knowledge, the drop.

Blocks are read once, in order. The parser state holds the current step, lead-in (``Search
queries:``) and section of the outline; given these, each line can be read on its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from planbook.markdown.budgets import read_budget, without_budget
from planbook.markdown.plan_blocks import Block
from planbook.model import DONE_MARKS, Grep, LineBudget, Part, Query, Read, State, Step, Task
from planbook.plan import phrases
from planbook.plan.forms import BUILDS_ON, Meaning, words_of
from planbook.plan.labels import (
    Label,
    budget_of,
    is_field_in_list,
    meaning_of,
    read_label,
    read_plain_label,
    topic_of,
)
from planbook.plan.numerals import NUMBER_OR_LETTER, value_of
from planbook.plan.outline import Outline, speaks_for_itself
from planbook.plan.parts import Span
from planbook.plan.state import is_closing, is_verdict, state_of_words
from planbook.plan.tables import is_table, read_table_queries

_OF_OUTLINE = frozenset({Meaning.WRITE, Meaning.OUTLINE})
"""The lines below say what sections the page has."""
_OF_PAGE = _OF_OUTLINE | {Meaning.POINTS}
"""The lines below say what the page has, so that quoted words in them are no queries."""
_GAPS = re.compile(rf"^{words_of(Meaning.GAPS)}\b\s*:?\s*(.*)$", re.IGNORECASE)
"""``Gaps: how cold flour behaves``."""
_BUILDS_ON = re.compile(rf"{BUILDS_ON}\s*:", re.IGNORECASE)
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
_OUTWARD = re.compile(r"(?:search |query )?(?:the )?(?:web|github|arxiv|google)", re.IGNORECASE)
"""A search that leaves the base, also in a step about existing knowledge."""
_URL = re.compile(r"https?://[^\s<>\"`)\]]+")
_CREATE = re.compile(
    rf"""
    ^ (?: \W{{0,4}} (?:PART|WORKER|RUNNER|TASK) \s+ \d+ \W{{1,4}} )?    # PART 1:
    (?-x:{words_of(Meaning.CREATE)}) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""``PART 1: Create bread/01-starter.md``."""
_COMPLETED = re.compile(
    r"^\W{0,8}(?:completed?|done|finished)\b\W{0,8}(?:on |at )?\d{4}-\d\d", re.IGNORECASE
)
"""``Completed on 2026-11-20``."""
_DONE_ALONE = re.compile(r"^\W{0,8}(?:completed?|done|finished)\W{0,8}$", re.IGNORECASE)
"""``- [x] done``."""
_STEP_AND_SEARCH = re.compile(
    r"""
    ^ (?P<step> \*\* Step \s+ \d [^*]{0,120} \*\* )
    \s{0,3} [-–—:] \s{0,3}
    (?P<search> (?: (?:web|github|arxiv) [ ] )? search \b [^:]{0,30} : \s? ["“`] .* ) $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""``**Step 1: Research** - Search: "q"``: a step with its only task."""
STEP = re.compile(
    rf"""
    ^ \W{{0,16}} (?-x:{words_of(Meaning.STEP)}) \s* \#? (?-x:{NUMBER_OR_LETTER}) \s*+
    (?:\*\*)? \s*+ [:.)–—-]*+ \s*+ (?:\*\*)? \s*+
    (?P<title> (?: \S | [^\S\n]++ (?=\S) )*? ) \s*+
    (?: \*\* | __ )? \s*+
    (?P<note> \( [^()]* \) )? \s*+ $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""``**Step 3: Write the page** (~400 lines)``."""
_HOW_TO_CITE = re.compile(r"(?:include|format|use|add|list|write)\b", re.IGNORECASE)
"""``Include addresses``: it names no source."""
_CITE_ALONE = re.compile(r"cite:\s*(\S.*)$", re.IGNORECASE)
_NOTE = re.compile(
    r"(?:notes?|results?|runner|commit message)\s*:|(?:mark|tick|check off) (?:PART|the box)\b",
    re.IGNORECASE,
)
"""``Note: the mill was closed``, ``Mark PART 3 complete``: about the work, no point of the page."""
_LEAD_IN = re.compile(
    r"""
    ^ \W{0,16} (?P<key> [A-Z] [^:"`]{0,60}? ) [\s*_]{0,6}
    (?: \( [^()]* \) \s? )? : [\s*_]{0,6} $
    """,
    re.VERBOSE,
)
"""``**Search queries** (three):``."""
_SMALL_LEAD_IN = re.compile(r"^(?P<key>[a-z]+(?:[ _-][a-z]+){0,2}):\s*$")
"""``search queries:``."""
_PLAIN_LABEL = re.compile(r"[A-Z][\w-]{2,20}(?: [\w-]{1,20}){0,3}:")
"""``Instructions:``."""
_ITEM_LEAD_IN = re.compile(r"^(?P<key>[^\"`]{1,120}?):$")
"""``- what the starter's acidity depends on:``."""


@dataclass(slots=True)
class _PartReader:
    """Reads the blocks of a PART in order: the position in it, and the results so far.

    A method ``take_x`` reads a line or block if it is an x; those that may find something else
    return True if they took it.
    """

    number: int
    """The PART's number."""
    steps: list[tuple[Step, list[Task]]] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    outline: Outline = field(default_factory=Outline)
    sources: list[str] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    greps: list[Grep] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    keyed_targets: list[str] = field(default_factory=list)
    created_targets: list[str] = field(default_factory=list)
    fields: dict[Meaning, str] = field(default_factory=dict)
    """The value of the first label of each meaning."""
    goals: list[str] = field(default_factory=list)
    """The items below ``**Goals**:``."""
    late_status: str | None = None
    """The first status below a step, or line such as ``PART 1 COMPLETE``."""
    drop: str | None = None
    step_budget: LineBudget | None = None
    create_budget: LineBudget | None = None
    size: LineBudget | None = None
    """The budget of a label."""
    step_kind: Meaning | None = None
    step_depth: int = 0
    """The depth of the item that is the step's title; 0 for a paragraph."""
    lead_in: Meaning | None = None
    lead_in_depth: int = 0
    engine: str = "web"
    """The search engine that the lead-in names."""
    is_quoting: bool = False
    """True if the list below the lead-in quotes its queries: unquoted items are then comments."""
    lists_topics: bool = False
    """True if unquoted items below the lead-in are points."""
    is_behind_rule: bool = False

    @property
    def context(self) -> Meaning | None:
        """The kind of the current lead-in, else of the current step."""
        return self.lead_in or self.step_kind

    @property
    def goal(self) -> str | None:
        """The goal of a label, else those of a list, else the words of ``**Source**``."""
        if Meaning.GOAL in self.fields:
            return self.fields[Meaning.GOAL]
        if self.goals:
            return "; ".join(self.goals)
        return self.fields.get(Meaning.SOURCE)

    @property
    def budget(self) -> LineBudget | None:
        """The budget of the write step, else of the line that names the page, else a label's."""
        for budget in (self.step_budget, self.create_budget, self.size):
            if budget:
                return budget
        return None

    def set_late_status(self, text: str) -> None:
        """Note a status below a step; the first counts."""
        if not self.late_status:
            self.late_status = text

    # --- blocks -----------------------------------------------------------------------------------

    def take_status_line(self, block: Block) -> None:
        """Read the addresses of a status line: ``- [x] **URL**: https://…``."""
        self.sources += [url.rstrip(".,;") for text in block.lines for url in _URL.findall(text)]

    def take_heading(self, block: Block) -> None:
        """Read a heading: a step, a section, a label, or the status that closes the PART."""
        self.outline.close()
        self.lead_in = None
        if is_closing(block.text, self.number):
            self.set_late_status(block.text)
            return
        if self._take_step(block.text, block.line) or self._take_section(block.text, 0):
            return
        label = read_label(f"**{block.text.strip('*: ')}**")
        meaning = meaning_of(label, has_path=False) if label else None
        if label and meaning in {Meaning.TARGET, Meaning.CREATED, Meaning.CONTENT, Meaning.GOAL}:
            self._set_field(meaning, label)
        else:
            self._open_step(None, block.text.strip("*: "))

    def take_paragraph(self, block: Block) -> None:
        """Read a paragraph line by line, and a table of queries whole."""
        is_in_outline = self.outline.depth is not None
        if not is_in_outline and is_table(block.lines):
            self.queries += read_table_queries(block.lines)
        is_top_level = block.depth == 0
        if is_top_level:
            # A paragraph ends the list of a lead-in, unless it is that list: quoted queries.
            is_list = all(_is_quotation(text) for text in block.lines)
            if self.lead_in is not Meaning.QUERIES or not is_list:
                self.lead_in = None
            if STEP.match(block.text):
                self.outline.close()
        for line, text in enumerate(block.lines, block.line):
            if text:
                self._take_line_of_paragraph(text, line, block.depth)

    def _take_line_of_paragraph(self, text: str, line: int, depth: int) -> None:
        """Read one line of a paragraph: the first reader that knows its form takes it."""
        if is_closing(text, self.number):
            self.set_late_status(text)
            return
        if self._take_step(text, line) or self._take_section(text, depth):
            return
        if depth == 0 and self._take_label(text, line):
            return
        words = read_lead_in(text)
        if words and self.outline.depth is None:
            self._open_lead_in(words, depth)
        else:
            self._take_sentence(text, line, depth, is_item=False)

    def take_item(self, block: Block) -> None:
        """Read an item of a list: a field, a task, and what its lines say."""
        has_box = block.mark is not None
        if not has_box and is_closing(block.text, self.number):
            self.set_late_status(block.text)
            return
        if not has_box and _is_field(block.text) and self._take_label(block.text, block.line):
            return  # it sets a field, and is no task
        if has_box and not self.steps and _DONE_ALONE.match(block.text):
            if block.mark in DONE_MARKS:  # ``- [x] complete``
                self.fields.setdefault(Meaning.STATUS, block.text)
            return
        self._add_task(block)
        if block.depth <= self.lead_in_depth:
            self.lead_in, self.lead_in_depth = None, 0
        if self.outline.depth is not None and not self.outline.holds(block.depth):
            self.outline.close()
        own, further = _continuation(block)
        self._take_first_line(block, " ".join(own))
        for line, text in enumerate(further, block.line + len(own)):
            words = _topic_below(text)
            if words:  # the author meant it to end the list
                self.outline.close()
                self._open_lead_in(words, block.depth - 1)
            elif not self._take_section(text, block.depth):
                self._take_sentence(text, line, block.depth + 1, is_item=False)

    def _add_task(self, block: Block) -> None:
        """Add an item with a box, or a plain bullet directly below it, to the current step."""
        is_plain_task = block.depth == self.step_depth + 1 and self.outline.depth is None
        if self.steps and (block.mark is not None or is_plain_task):
            self.steps[-1][1].append(Task(block.text, block.mark, block.line))

    def _take_first_line(self, block: Block, sentence: str) -> None:
        if self._take_section(block.text, block.depth):
            return
        if self.outline.depth is None:
            words = read_item_lead_in(block.text)
            if words:
                self._open_lead_in(words, block.depth)
                return
            if not self.steps and _is_label_alone(block):
                self._open_step(None, block.text.strip("*: "))
                self.step_depth = block.depth
                return
        if not self._take_sentence(sentence, block.line, block.depth, is_item=True):
            self._take_loose_item(block, sentence)

    def _take_loose_item(self, block: Block, sentence: str) -> None:
        """Add an item that has no form: a point without a step and lead-in, else a task.

        Items of a step are tasks already, except for bullets below another item.
        """
        plain = sentence.replace("**", "").strip()
        is_below_item = block.mark is None and block.depth > self.step_depth + 1
        if self.steps and is_below_item and self.outline.depth is None:
            self.steps[-1][1].append(Task(block.text, None, block.line))
        has_place = bool(self.steps or self.lead_in or self.is_behind_rule or block.depth > 1)
        if has_place or _NOTE.match(plain):
            return
        cited = _CITE_ALONE.match(plain)
        if cited:
            self._add_citations(cited[1], is_of_section=False)
        elif not phrases.find_words_of_search(plain, is_task=block.mark is not None):
            self.points.append(sentence)

    def take_fence(self, block: Block) -> None:
        """Read a fenced outline, or fenced queries below their lead-in.

        Checkboxes in it are text.
        """
        if self.lead_in is Meaning.QUERIES:
            texts = [line.strip() for line in block.lines if line.strip()]
            self.queries += [
                query for text in texts for query in phrases.read_queries(text, is_listed=True)
            ]
        elif block.info.split(" ")[0] in {"markdown", "md", "", "text"}:
            self.outline.add_fence(block)
        self.outline.close()

    # --- lines ------------------------------------------------------------------------------------

    def _take_step(self, text: str, line: int) -> bool:
        both = _STEP_AND_SEARCH.match(text)
        if both:
            self._take_step(both["step"], line)
            self._take_sentence(both["search"], line, 0, is_item=False)
            return True
        match = STEP.match(text)
        if not match or not re.match(r"^\W{0,16}(?:\*\*|__|#|Step)", text):
            return False
        title = f"{match['title']} {match['note'] or ''}".replace("**", "").strip()
        self._open_step(value_of(match["number"]) if match["number"] else None, title)
        return True

    def _open_step(self, number: int | None, title: str) -> None:
        self.outline.close()
        self.step_kind, self.lead_in, self.step_depth = topic_of(title), None, 0
        if self.step_kind is Meaning.QUERIES and "quer" not in title.lower():
            self.step_kind = Meaning.RESEARCH  # a step called "Web search" may contain anything
        if self.step_kind in _OF_OUTLINE:
            self.step_budget = self.step_budget or read_budget(title)
            self.created_targets += phrases.read_targets(title, noted=True)
        self.steps.append(
            (Step(number, without_budget(title, is_planned=True).rstrip(":").strip()), [])
        )

    def _open_lead_in(self, words: str, depth: int) -> None:
        listed = meaning_of(Label(words, "", has_colon=True), has_path=False, is_bold=False)
        self.lead_in, self.lead_in_depth = listed or topic_of(words), depth
        self.engine = phrases.read_engine(words)
        # ``Search for:`` behind queries that are quoted lists topics.
        self.is_quoting = bool(self.queries) and words.lower().endswith("search for")
        self.lists_topics = self.is_quoting

    def _take_label(self, text: str, line: int) -> bool:
        """Read a ``**Key**: value`` or ``**Research:**`` line."""
        label = read_label(text)
        if label is None:
            return False
        key, value = f"{label.key} {label.note}".strip(), label.value
        meaning = meaning_of(label, has_path=bool(phrases.read_paths(value)))
        if meaning:
            self._set_field(meaning, label)
        elif phrases.find_quoted_strings(value) and topic_of(key) in {
            Meaning.QUERIES,
            Meaning.RESEARCH,
        }:
            self._take_sentence(text, line, 0, is_item=False)
        elif value and not re.fullmatch(r"\([^()]*\)", value):
            self._open_lead_in(key, 0)
            if self.lead_in is Meaning.POINTS:
                self._add_focus(value)
            elif self.lead_in is Meaning.QUERIES:
                self.queries += phrases.read_list_of_queries(value)
            else:
                self._take_sentence(value if self.lead_in else text, line, 0, is_item=False)
        elif topic_of(key) is Meaning.QUERIES:
            self._open_lead_in(key, 0)
        else:
            self._open_step(None, f"{key} {value}".strip())
        return True

    def _set_field(self, meaning: Meaning, label: Label) -> None:
        """Set the field of the PART that a label gives."""
        value = label.value
        match meaning:
            case Meaning.TARGET | Meaning.CREATED | Meaning.GOAL if not value:
                self._open_list(meaning, label)
            case Meaning.TARGET | Meaning.CREATED:
                self._add_targets(meaning, value)
            case Meaning.BUDGET:
                self.size = self.size or budget_of(label)
            case Meaning.CONTENT:
                self._open_content(label)
            case Meaning.POINTS | Meaning.SOURCE | Meaning.CITE | Meaning.OUTLINE:
                self._add_list(meaning, label)
            case Meaning.STATUS if self.steps:
                # Below a step and before the next rule. What is to do is no status.
                if not self.is_behind_rule and is_verdict(value):
                    self.set_late_status(value)
            case _:
                self.fields.setdefault(meaning, value)

    def _add_list(self, meaning: Meaning, label: Label) -> None:
        """Add what a label names in one line: points, sources or sections."""
        match meaning:
            case Meaning.POINTS:
                self.lead_in, self.lead_in_depth = Meaning.POINTS, 0
                self._add_points(label.value)
            case Meaning.SOURCE:
                self._add_source(label.value)
            case Meaning.CITE:
                is_of_section = label.key.lower() == "cite"
                self._add_citations(label.value, is_of_section=is_of_section)
            case _:
                self._add_outline(label.value)

    def _open_content(self, label: Label) -> None:
        """Open the outline below a label that gives its budget, or its points."""
        self.size = self.size or budget_of(label)
        self._open_step(None, label.key)
        self.step_kind = Meaning.WRITE
        self.lead_in, self.lead_in_depth = Meaning.POINTS, 0
        if label.value and read_budget(label.value) is None:
            self._add_points(label.value)

    def _add_citations(self, value: str, *, is_of_section: bool) -> None:
        """Add the sources that ``**Citations**`` names, without instructions on how to cite.

        Below a section, those of ``**Cite**`` are what it must cite.
        """
        if is_of_section and self.outline.depth is not None:
            self.outline.add(f"Cite: {value}", is_item=False)
            return
        named = phrases.split_list(value)
        self.sources += [each for each in named if not _HOW_TO_CITE.match(each)]

    def _open_list(self, meaning: Meaning, label: Label) -> None:
        """Open the list that is the value of a label: ``**Target Files**:``."""
        self._open_step(None, label.key)
        self.lead_in, self.lead_in_depth = meaning, 0
        if meaning is Meaning.TARGET:
            self.create_budget = self.create_budget or budget_of(label)

    def _add_outline(self, value: str) -> None:
        """Add the sections that a label names in one line, if they are two or more."""
        titles = [title for title in phrases.split_list(value) if re.search(r"[^\W\d_]", title)]
        for title in titles if len(titles) > 1 else ():
            self.outline.begin_listed(title, 0)
        self.outline.close()

    def _add_focus(self, value: str) -> None:
        """Add the points behind ``**Rye focus**``; a single one is the goal, if there is none."""
        if len(phrases.split_list(value)) > 1:
            self._add_points(value)
        else:
            self.fields.setdefault(Meaning.GOAL, value)

    def _add_points(self, value: str) -> None:
        """Add the points that a label names, between commas or semicolons."""
        self.points += phrases.split_list(value)

    def _add_source(self, value: str) -> None:
        """Add the source that a label names: its addresses, or its words if they say more."""
        urls = [url.rstrip(".,;") for url in _URL.findall(value)]
        has_words = bool(re.search(r"[^\W\d_]{2}", _URL.sub("", value)))
        self.sources += [value] if has_words else urls
        if not urls and not phrases.read_paths(value):
            self.fields.setdefault(Meaning.SOURCE, value)

    def _add_targets(self, meaning: Meaning, text: str) -> None:
        """Add the pages that a label or an item below it names.

        Of pages to write, the length is a budget.
        """
        self.keyed_targets += phrases.read_targets(text)
        if meaning is Meaning.TARGET:
            self.create_budget = self.create_budget or read_budget(text)

    def _take_section(self, text: str, depth: int) -> bool:
        if depth == 0:
            label = read_label(text)
            meaning = meaning_of(label, has_path=False) if label else None
            if meaning in {Meaning.BUDGET, Meaning.CONTENT}:
                return False
        is_expected = bool(_OF_OUTLINE & {self.step_kind, self.lead_in})
        return self.outline.begin(text, depth, is_expected=is_expected)

    def _take_sentence(self, text: str, line: int, depth: int, *, is_item: bool) -> bool:
        """Read a line that is neither step, section nor lead-in.

        Return True if a reader of `_READERS` takes it, the first that does. Others are prose.
        """
        body_line = _BodyLine(text, text.replace("**", "").strip(), line, depth, is_item)
        return any(read(self, body_line) for read in _READERS)

    # --- readers of one form of a line ------------------------------------------------------------

    def take_listed_value(self, line: _BodyLine) -> bool:
        """Read an item below a label whose value is a list, such as ``**Target Files**:``."""
        if not line.is_item:
            return False
        if self.lead_in is Meaning.GOAL:
            self.goals.append(line.plain)
            return True
        if self.lead_in in {Meaning.TARGET, Meaning.CREATED} and not phrases.is_task(line.plain):
            self._add_targets(self.lead_in, line.plain)
            return True
        return False

    def take_drop(self, line: _BodyLine) -> bool:
        """Read the name of the drop."""
        name = phrases.find_drop(line.plain)
        self.drop = self.drop or name
        return name is not None

    def take_pages_built_on(self, line: _BodyLine) -> bool:
        """Read the pages of the base behind ``**Builds on**:``, also below the outline."""
        if not _BUILDS_ON.match(line.plain) or (line.is_item and self.outline.holds(line.depth)):
            return False
        reads = phrases.read_reads(line.plain)
        self.reads += [replace(read, line=line.number) for read in reads]
        return bool(reads)

    def take_line_of_outline(self, line: _BodyLine) -> bool:
        """Read a line below a section of the outline."""
        if self.outline.depth is None:
            return False
        is_nested = self.outline.holds(line.depth)
        if line.is_item and (not is_nested or _NOTE.match(line.plain)):
            return False
        self.outline.add(line.text, is_item=line.is_item, is_nested=is_nested)
        return True

    def skip_report_on_drop(self, _: _BodyLine) -> bool:
        """Skip what the drop must list: it says nothing about the page."""
        return self.step_kind is Meaning.DROP

    def take_plain_label(self, line: _BodyLine) -> bool:
        """Read a label that needs no bold: ``File: a/01-x.md``, ``Goal: ...`` above steps."""
        label = read_plain_label(line.plain)
        if label is None or self.step_kind is Meaning.EXISTING:
            return False
        meaning = meaning_of(label, has_path=phrases.begins_with_path(label.value), is_bold=False)
        is_early = meaning not in {Meaning.GOAL, Meaning.TITLE} or not self.steps
        if meaning is None or not label.noted or not is_early:
            return False
        if meaning is Meaning.STATUS and state_of_words(label.value) is None:
            return False
        self._set_field(meaning, label)
        return True

    def take_completion(self, line: _BodyLine) -> bool:
        """Read a completion time without a label, above the steps: ``Completed 2026-11-20``."""
        if self.steps:
            return False
        if _COMPLETED.match(line.plain):
            self.fields.setdefault(Meaning.COMPLETED, line.plain)
        elif _DONE_ALONE.match(line.plain):
            self.fields.setdefault(Meaning.STATUS, line.plain)
        else:
            return False
        return True

    def take_page_to_create(self, line: _BodyLine) -> bool:
        """Read the page that the PART is to create."""
        plain = line.plain
        if not _CREATE.match(plain) or not phrases.read_paths(plain):
            return False
        self.created_targets += phrases.read_targets(plain)
        self.create_budget = self.create_budget or read_budget(plain)
        return True

    def take_prior_knowledge(self, line: _BodyLine) -> bool:
        """Read a line about prior knowledge: gaps, searches of the base, pages to read."""
        plain = line.plain
        gaps = _GAPS.match(plain)
        if gaps:
            self.gaps.append(gaps[1] or plain)
            return True
        if phrases.is_base_search(plain):
            self.greps.append(phrases.read_grep(plain))
            return True
        if self.step_kind not in {Meaning.EXISTING, Meaning.RESEARCH, None}:
            return False
        reads = phrases.read_reads(plain)
        self.reads += [replace(read, line=line.number) for read in reads]
        return bool(reads)

    def take_search(self, line: _BodyLine) -> bool:
        """Read web queries."""
        plain = line.plain
        is_explicit = _is_explicit_search(plain)
        if self.context in _OF_PAGE and not is_explicit:
            return False
        if self.context is Meaning.EXISTING and not (is_explicit and _OUTWARD.match(plain)):
            return False
        is_listed = self._is_in_list_of_queries(line)
        if is_listed and phrases.find_quoted_strings(plain):
            self.is_quoting = True
        queries = phrases.read_queries(plain, is_listed=is_listed)
        is_engine_given = is_listed and self.context is Meaning.QUERIES
        engine = self.engine if is_engine_given else "web"
        for query in queries:
            self.queries.append(replace(query, engine=engine) if query.engine == "web" else query)
        return bool(queries)

    def _is_in_list_of_queries(self, line: _BodyLine) -> bool:
        """Return True if a line is a query because of its place, without a verb of its own."""
        is_quotation = _is_quotation(line.plain)
        if self.lead_in is Meaning.QUERIES and is_quotation:
            return True
        if not line.is_item:
            return False
        if self.context is Meaning.RESEARCH:
            return is_quotation
        # In a list that quotes its queries, an unquoted item is a comment.
        is_comment = self.is_quoting and not phrases.find_quoted_strings(line.plain)
        return self.context is Meaning.QUERIES and not is_comment

    def take_source(self, line: _BodyLine) -> bool:
        """Read requested sources: items of such a list, URLs, repositories, pages to scrape."""
        if self.context in _OF_PAGE:
            return False
        plain = line.plain
        scrape, urls = _SCRAPE.match(plain), _URL.findall(plain)
        if self.context is Meaning.SOURCES and line.is_item:
            self.sources.append(plain)
        elif urls and self.context in {Meaning.RESEARCH, Meaning.QUERIES, Meaning.SOURCES, None}:
            self.sources += [url.rstrip(".,;") for url in urls]
        elif scrape and not _NO_SOURCE.match(scrape[1]):
            self.sources.append(scrape[1].strip() or plain)
        elif _REPOSITORY.search(plain):
            self.sources.append(plain)
        else:
            return False
        return True

    def take_section_without_budget(self, line: _BodyLine) -> bool:
        """Read an item of a list that is the outline."""
        is_section = self.context is Meaning.OUTLINE and line.is_item and line.depth == 1
        if not is_section or speaks_for_itself(line.text):
            return False
        self.outline.begin_listed(line.text, line.depth)
        return True

    def take_point(self, line: _BodyLine) -> bool:
        """Read a point to research."""
        is_topic = self.lead_in is Meaning.QUERIES and self.lists_topics
        is_point = is_topic or self.context is Meaning.POINTS
        if not is_point or not line.is_item:
            return False
        self.points.append(line.text)
        return True


@dataclass(frozen=True, slots=True)
class _BodyLine:
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


def read_part(span: Span, skip_lines: frozenset[int]) -> tuple[Part, Mapping[Meaning, str]]:
    """Return a PART as its body describes it, without title and state, and the texts of its labels.

    A status below a step counts if there is none above. The status lines at `skip_lines` are not
    tasks.
    """
    reader = _PartReader(span.number)
    for block in span.body:
        if block.line in skip_lines:
            reader.take_status_line(block)
            continue
        match block.kind:
            case "paragraph":
                reader.take_paragraph(block)
            case "item":
                reader.take_item(block)
            case "fence":
                reader.take_fence(block)
            case "heading":
                reader.take_heading(block)
            case _:
                reader.outline.close()
                reader.lead_in, reader.is_behind_rule = None, True
    part = Part(
        number=span.number,
        title="",
        line=span.heading.line,
        end_line=span.end_line,
        state=State.UNMARKED,
        targets=tuple(dict.fromkeys(reader.keyed_targets or reader.created_targets[:1])),
        lines_budget=reader.budget,
        page_title=reader.fields.get(Meaning.TITLE),
        goal=reader.goal,
        steps=tuple(replace(step, tasks=tuple(tasks)) for step, tasks in reader.steps),
        queries=tuple(reader.queries),
        points=tuple(reader.points),
        sections=reader.outline.sections(),
        sources=tuple(dict.fromkeys(reader.sources)),
        reads=tuple(reader.reads),
        greps=tuple(reader.greps),
        gaps=tuple(reader.gaps),
        drop=reader.drop,
    )
    late_status = {Meaning.STATUS: reader.late_status} if reader.late_status else {}
    return part, late_status | reader.fields


# --- blocks ---------------------------------------------------------------------------------------


def _is_field(text: str) -> bool:
    """Return True if an item's label sets a field of the PART: ``- **Status**: done``."""
    label = read_label(text)
    return label is not None and is_field_in_list(label.key)


def _is_label_alone(block: Block) -> bool:
    """Return True for an item ``**Instructions**:``, whose value is the list below it."""
    if block.mark is not None or len(block.lines) != 1:
        return False
    label = read_label(block.text)
    if label:
        return label.has_colon and not label.value
    return bool(_PLAIN_LABEL.fullmatch(block.text))


def _continuation(block: Block) -> tuple[list[str], list[str]]:
    """Return the lines of an item's first paragraph that are one sentence, and the others."""
    lines = list(block.lines) or [""]
    for index, text in enumerate(lines[1:], start=1):
        if _begins_anew(text):
            return lines[:index], lines[index:]
    return lines, []


# --- lines ----------------------------------------------------------------------------------------


def _is_explicit_search(plain: str) -> bool:
    """Return True if a line says that it is a search, whatever the lines around it are."""
    is_marked = _SEARCHES.match(plain) or _QUERY_LINE.match(plain)
    return bool(is_marked) or phrases.is_search_call(plain)


_READERS: tuple[Callable[[_PartReader, _BodyLine], bool], ...] = (
    _PartReader.take_listed_value,
    _PartReader.take_drop,
    _PartReader.take_pages_built_on,
    _PartReader.take_line_of_outline,
    _PartReader.skip_report_on_drop,
    _PartReader.take_plain_label,
    _PartReader.take_completion,
    _PartReader.take_page_to_create,
    _PartReader.take_prior_knowledge,
    _PartReader.take_search,
    _PartReader.take_source,
    _PartReader.take_section_without_budget,
    _PartReader.take_point,
)
"""Each reads one form of a line, and returns True if it took the line. The first that does counts.

To add a form that a label does not give, add a reader where its precedence is.
"""


def _is_quotation(plain: str) -> bool:
    """Return True if the text is nothing but a quoted string, apart from a note in parentheses."""
    bare = re.sub(r"\([^()]*\)|^\d+[.)]|^[A-Z][\w -]{0,20}:(?=\s*[\"“`])", "", plain).strip(
        " .,;-–"
    )
    texts = phrases.find_quoted_strings(bare)
    return bool(texts) and len(bare) - sum(len(t) + 2 for t in texts) <= 6


# --- lead-ins -------------------------------------------------------------------------------------


def read_item_lead_in(text: str) -> str | None:
    """Return the text of an item that introduces the items below it.

    It may be a longer phrase of a known topic.
    """
    match = _LEAD_IN.match(text) or _ITEM_LEAD_IN.match(text)
    words = match["key"].strip() if match else ""
    is_list = (
        meaning_of(Label(words, "", has_colon=True), has_path=False, is_bold=False) is not None
    )
    return words if words and (is_list or topic_of(words)) else None


def _begins_anew(text: str) -> bool:
    """Return True if a line below an item's first line is more than its continuation."""
    if speaks_for_itself(text) or _QUERY_LINE.match(text):
        return True
    label = read_plain_label(text)
    return bool(label and label.value) or _topic_below(text) is not None


def _topic_below(text: str) -> str | None:
    """Return the text of a line directly below an item, if it introduces the items below it."""
    words = read_lead_in(text)
    return words if words and topic_of(words) else None


def read_lead_in(text: str) -> str | None:
    """Return the text of a line that only introduces the lines below it.

    One in small letters must be a known topic: ``queries:``.
    """
    match = _LEAD_IN.match(text)
    if match:
        return match["key"].strip()
    small = _SMALL_LEAD_IN.match(text)
    return small["key"] if small and topic_of(small["key"]) else None
