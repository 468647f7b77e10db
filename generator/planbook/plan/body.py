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
from planbook.plan.labels import (
    Label,
    Meaning,
    budget_of,
    meaning_of,
    read_label,
    read_plain_label,
    topic_of,
    words_of,
)
from planbook.plan.numerals import NUMBER_OR_LETTER, value_of
from planbook.plan.outline import Outline, speaks_for_itself
from planbook.plan.parts import Span
from planbook.plan.status import is_closing, is_verdict, state_of_words
from planbook.plan.tables import is_table, table_queries

_GAPS = re.compile(rf"^{words_of(Meaning.GAPS)}\b\s*:?\s*(.*)$", re.IGNORECASE)
_SCRAPE = re.compile(rf"^{words_of(Meaning.SCRAPE)}\b\s*:?\s*(.*)$", re.IGNORECASE)
_TOP_HITS = re.compile(r"(?:the )?(?:top|best)\b|\d|results?\b", re.IGNORECASE)
_REPOSITORY = re.compile(
    r"(?<![\w./-])[\w.-]{1,60}/[\w.-]{1,100}`?\s+repo(?:sitory)?\b"
    r"|\bowner\W{1,6}[\w-]{1,40}\W{1,8}repo\W{1,6}[\w.-]{1,100}",
    re.IGNORECASE,
)
"""``tea/steep repository``, and a tool's call: ``owner: "tea", repo: "steep"``."""
_SEARCHES = re.compile(r"(?:web )?search(?: for|ing| github| arxiv)?\s?[:\"]", re.IGNORECASE)
_QUERY_LINE = re.compile(r"\W{0,4}quer(?:y|ies)\W{0,4}:", re.IGNORECASE)
_OUTWARD = re.compile(r"(?:search |query )?(?:the )?(?:web|github|arxiv|google)", re.IGNORECASE)
"""A search that leaves the base, also in a step about existing knowledge."""
_URL = re.compile(r"https?://[^\s<>\"`)\]]+")
_CREATE = re.compile(
    rf"^(?:\W{{0,4}}(?:PART|WORKER|RUNNER|TASK)\s+\d+\W{{1,4}})?{words_of(Meaning.CREATE)}\b",
    re.IGNORECASE,
)
_BULLET_KEY = re.compile(
    r"^(?:status|completed|(?:target|output|knowledge)\s*(?:file|page|path)?|file|goal|title)$",
    re.IGNORECASE,
)
"""Labels that set a field as items, too; others are tasks."""
_COMPLETED = re.compile(
    r"^\W{0,8}(?:completed?|done|finished)\b\W{0,8}(?:on |at )?\d{4}-\d\d", re.IGNORECASE
)
_DONE_ALONE = re.compile(r"^\W{0,8}(?:completed?|done|finished)\W{0,8}$", re.IGNORECASE)
_STEP_AND_SEARCH = re.compile(
    r"^(?P<step>\*\*Step\s+\d[^*]{0,120}\*\*)\s{0,3}[-–—:]\s{0,3}"
    r"(?P<search>(?:(?:web|github|arxiv) )?search\b[^:]{0,30}:\s?[\"“`].*)$",
    re.IGNORECASE,
)
"""``**Step 1: Research** - Search: "q"``: a step with its only task."""


@dataclass(slots=True)
class _BodyParser:
    """The parser's position in the PART, and its results so far."""

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
    lead_in: Meaning | None = None
    lead_in_depth: int = 0
    engine: str = "web"
    """The search engine that the lead-in names."""
    is_quoting: bool = False
    """True if the list below the lead-in quotes its queries: unquoted items are then comments."""
    is_behind_rule: bool = False

    @property
    def context(self) -> Meaning | None:
        """The kind of the current lead-in, else of the current step."""
        return self.lead_in or self.step_kind

    def set_late_status(self, text: str) -> None:
        """Note a status below a step; the first counts."""
        if not self.late_status:
            self.late_status = text


@dataclass(frozen=True, slots=True)
class _BodyLine:
    """A line that is neither step, section nor lead-in, with the continuation of its first line."""

    text: str
    plain: str
    """The text without bold."""
    line: int
    depth: int
    """The number of list items around it."""
    is_item: bool
    """True for the first line of a list item."""


def read_part(span: Span, skip_lines: frozenset[int]) -> tuple[Part, Mapping[Meaning, str]]:
    """Return a PART as its body describes it, without title and state, and the texts of its labels.

    A status below a step counts if there is none above. The status lines at `skip_lines` are not
    tasks.
    """
    reader = _BodyParser(span.number)
    for block in span.body:
        if block.line in skip_lines:
            continue
        match block.kind:
            case "paragraph":
                _paragraph(reader, block)
            case "item":
                _list_item(reader, block)
            case "fence":
                _read_fence(reader, block)
            case "heading":
                _heading(reader, block)
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
        lines_budget=_budget(reader),
        page_title=reader.fields.get(Meaning.TITLE),
        goal=_goal(reader),
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


def _goal(reader: _BodyParser) -> str | None:
    """Return the goal of a label, else those of a list, else the words of ``**Source**``."""
    if Meaning.GOAL in reader.fields:
        return reader.fields[Meaning.GOAL]
    if reader.goals:
        return "; ".join(reader.goals)
    return reader.fields.get(Meaning.SOURCE)


def _budget(reader: _BodyParser) -> LineBudget | None:
    """Return the budget of the write step, else of the line that names the page, else a label's."""
    for budget in (reader.step_budget, reader.create_budget, reader.size):
        if budget:
            return budget
    return None


# --- blocks ---------------------------------------------------------------------------------------


def _heading(parser: _BodyParser, block: Block) -> None:
    parser.outline.close()
    parser.lead_in = None
    if is_closing(block.text, parser.number):
        parser.set_late_status(block.text)
        return
    if _step(parser, block.text, block.line) or _section(parser, block.text, 0):
        return
    label = read_label(f"**{block.text.strip('*: ')}**")
    meaning = meaning_of(label, has_path=False) if label else None
    if label and meaning in {Meaning.TARGET, Meaning.CREATED, Meaning.CONTENT, Meaning.GOAL}:
        _set_field(parser, meaning, label)
    else:
        _open_step(parser, None, block.text.strip("*: "))


def _paragraph(parser: _BodyParser, block: Block) -> None:
    is_in_outline = parser.outline.depth is not None
    if not is_in_outline and is_table(block.lines):
        parser.queries += table_queries(block.lines)
    is_top_level = block.depth == 0
    if is_top_level:
        # A paragraph ends the list of a lead-in, unless it is that list: quoted queries.
        is_list = all(_is_quotation(text) for text in block.lines)
        if parser.lead_in is not Meaning.QUERIES or not is_list:
            parser.lead_in = None
        if STEP.match(block.text):
            parser.outline.close()
    for line, text in enumerate(block.lines, block.line):
        if text:
            _line_of_paragraph(parser, text, line, block.depth)


def _line_of_paragraph(parser: _BodyParser, text: str, line: int, depth: int) -> None:
    """Read one line of a paragraph: the first reader that knows its form takes it."""
    if is_closing(text, parser.number):
        parser.set_late_status(text)
        return
    if _step(parser, text, line) or _section(parser, text, depth):
        return
    if depth == 0 and _label(parser, text, line):
        return
    words = lead_in(text)
    if words and parser.outline.depth is None:
        _open_lead_in(parser, words, depth)
    else:
        _sentence(parser, text, line, depth, is_item=False)


def _list_item(parser: _BodyParser, block: Block) -> None:
    has_box = block.mark is not None
    if not has_box and is_closing(block.text, parser.number):
        parser.set_late_status(block.text)
        return
    if not has_box and _is_field(block.text) and _label(parser, block.text, block.line):
        return  # it sets a field, and is no task
    if has_box and not parser.steps and _DONE_ALONE.match(block.text):
        if block.mark in DONE_MARKS:  # ``- [x] complete``
            parser.fields.setdefault(Meaning.STATUS, block.text)
        return
    _add_task(parser, block)
    if block.depth <= parser.lead_in_depth:
        parser.lead_in, parser.lead_in_depth = None, 0
    if parser.outline.depth is not None and not parser.outline.holds(block.depth):
        parser.outline.close()
    own, further = _continuation(block)
    _first_line_of_item(parser, block, " ".join(own))
    for line, text in enumerate(further, block.line + len(own)):
        words = _topic_below(text)
        if words:  # the author meant it to end the list
            parser.outline.close()
            _open_lead_in(parser, words, block.depth - 1)
        elif not _section(parser, text, block.depth):
            _sentence(parser, text, line, block.depth + 1, is_item=False)


def _is_field(text: str) -> bool:
    """Return True if an item's label sets a field of the PART: ``- **Status**: done``."""
    label = read_label(text)
    return label is not None and bool(_BULLET_KEY.match(label.key))


def _add_task(parser: _BodyParser, block: Block) -> None:
    """Add a task to the current step: an item with a box, or a plain bullet at its top level."""
    is_plain_task = block.depth == 1 and parser.outline.depth is None
    if parser.steps and (block.mark is not None or is_plain_task):
        parser.steps[-1][1].append(Task(block.text, block.mark, block.line))


def _continuation(block: Block) -> tuple[list[str], list[str]]:
    """Return the lines of an item's first paragraph that are one sentence, and the others."""
    lines = list(block.lines) or [""]
    for index, text in enumerate(lines[1:], start=1):
        if _begins_anew(text):
            return lines[:index], lines[index:]
    return lines, []


def _first_line_of_item(parser: _BodyParser, block: Block, sentence: str) -> None:
    if _section(parser, block.text, block.depth):
        return
    words = item_lead_in(block.text) if parser.outline.depth is None else None
    if words:
        _open_lead_in(parser, words, block.depth)
    else:
        _sentence(parser, sentence, block.line, block.depth, is_item=True)


def _read_fence(parser: _BodyParser, block: Block) -> None:
    """Read a fenced outline, or fenced queries below their lead-in. Checkboxes in it are text."""
    if parser.lead_in is Meaning.QUERIES:
        texts = [line.strip() for line in block.lines if line.strip()]
        parser.queries += [
            query for text in texts for query in phrases.read_queries(text, is_listed=True)
        ]
    elif block.info.split(" ")[0] in {"markdown", "md", "", "text"}:
        parser.outline.add_fence(block)
    parser.outline.close()


# --- lines ----------------------------------------------------------------------------------------


def _step(parser: _BodyParser, text: str, line: int) -> bool:
    both = _STEP_AND_SEARCH.match(text)
    if both:
        _step(parser, both["step"], line)
        _sentence(parser, both["search"], line, 0, is_item=False)
        return True
    match = STEP.match(text)
    if not match or not re.match(r"^\W{0,16}(?:\*\*|__|#|Step)", text):
        return False
    title = f"{match['title']} {match['note'] or ''}".replace("**", "").strip()
    _open_step(parser, value_of(match["number"]) if match["number"] else None, title)
    return True


def _open_step(parser: _BodyParser, number: int | None, title: str) -> None:
    parser.outline.close()
    parser.step_kind, parser.lead_in = topic_of(title), None
    if parser.step_kind is Meaning.QUERIES and "quer" not in title.lower():
        parser.step_kind = Meaning.RESEARCH  # a step called "Web search" may contain anything
    if parser.step_kind is Meaning.WRITE:
        parser.step_budget = parser.step_budget or read_budget(title)
        parser.created_targets += phrases.read_targets(title, noted=True)
    parser.steps.append(
        (Step(number, without_budget(title, is_planned=True).rstrip(":").strip()), [])
    )


def _open_lead_in(parser: _BodyParser, words: str, depth: int) -> None:
    listed = meaning_of(Label(words, "", has_colon=True), has_path=False, is_bold=False)
    parser.lead_in, parser.lead_in_depth = listed or topic_of(words), depth
    parser.engine, parser.is_quoting = phrases.read_engine(words), False


def _label(parser: _BodyParser, text: str, line: int) -> bool:
    """Read a ``**Key**: value`` or ``**Research:**`` line."""
    label = read_label(text)
    if label is None:
        return False
    key, value = f"{label.key} {label.note}".strip(), label.value
    meaning = meaning_of(label, has_path=bool(phrases.read_paths(value)))
    if meaning:
        _set_field(parser, meaning, label)
    elif phrases.quoted_strings(value) and topic_of(key) in {Meaning.QUERIES, Meaning.RESEARCH}:
        _sentence(parser, text, line, 0, is_item=False)
    elif value and not re.fullmatch(r"\([^()]*\)", value):
        _open_lead_in(parser, key, 0)
        _sentence(parser, value if parser.lead_in else text, line, 0, is_item=False)
    elif topic_of(key) is Meaning.QUERIES:
        _open_lead_in(parser, key, 0)
    else:
        _open_step(parser, None, f"{key} {value}".strip())
    return True


def _set_field(parser: _BodyParser, meaning: Meaning, label: Label) -> None:
    """Set the field of the PART that a label gives."""
    value = label.value
    match meaning:
        case Meaning.TARGET | Meaning.CREATED | Meaning.GOAL if not value:
            _open_list(parser, meaning, label)
        case Meaning.TARGET | Meaning.CREATED:
            _add_targets(parser, meaning, value)
        case Meaning.BUDGET:
            parser.size = parser.size or budget_of(label)
        case Meaning.CONTENT:
            parser.size = parser.size or budget_of(label)
            _open_step(parser, None, label.key)
            parser.step_kind = Meaning.WRITE
            parser.lead_in, parser.lead_in_depth = Meaning.POINTS, 0
        case Meaning.SOURCE:
            _add_source(parser, value)
        case Meaning.STATUS if parser.steps:
            # Below a step and before the next rule; one that only says what is to do is no status.
            if not parser.is_behind_rule and is_verdict(value):
                parser.set_late_status(value)
        case _:
            parser.fields.setdefault(meaning, value)


def _open_list(parser: _BodyParser, meaning: Meaning, label: Label) -> None:
    """Open the list that is the value of a label: ``**Target Files**:``."""
    _open_step(parser, None, label.key)
    parser.lead_in, parser.lead_in_depth = meaning, 0
    if meaning is Meaning.TARGET:
        parser.create_budget = parser.create_budget or budget_of(label)


def _add_source(parser: _BodyParser, value: str) -> None:
    """Add the source that a label names: its addresses, or its words if they say more."""
    urls = [url.rstrip(".,;") for url in _URL.findall(value)]
    has_words = bool(re.search(r"[^\W\d_]{2}", _URL.sub("", value)))
    parser.sources += [value] if has_words else urls
    if not urls and not phrases.read_paths(value):
        parser.fields.setdefault(Meaning.SOURCE, value)


def _add_targets(parser: _BodyParser, meaning: Meaning, text: str) -> None:
    """Add the pages that a label or an item below it names.

    Of pages to write, the length is a budget.
    """
    parser.keyed_targets += phrases.read_targets(text)
    if meaning is Meaning.TARGET:
        parser.create_budget = parser.create_budget or read_budget(text)


def _plain_label(parser: _BodyParser, sentence: _BodyLine) -> bool:
    """Read a label that needs no bold: ``File: bread/01-starter.md``, ``Goal: ...`` above steps."""
    label = read_plain_label(sentence.plain)
    if label is None or parser.step_kind is Meaning.EXISTING:
        return False
    meaning = meaning_of(label, has_path=phrases.begins_with_path(label.value), is_bold=False)
    is_early = meaning not in {Meaning.GOAL, Meaning.TITLE} or not parser.steps
    if meaning is None or not label.noted or not is_early:
        return False
    if meaning is Meaning.STATUS and state_of_words(label.value) is None:
        return False
    _set_field(parser, meaning, label)
    return True


def _section(parser: _BodyParser, text: str, depth: int) -> bool:
    if depth == 0:
        label = read_label(text)
        meaning = meaning_of(label, has_path=False) if label else None
        if meaning in {Meaning.BUDGET, Meaning.CONTENT}:
            return False
    is_expected = Meaning.WRITE in (parser.step_kind, parser.lead_in)
    return parser.outline.begin(text, depth, is_expected=is_expected)


def _sentence(parser: _BodyParser, text: str, line: int, depth: int, *, is_item: bool) -> None:
    """Read a line that is neither step, section nor lead-in.

    The first reader of `_READERS` that takes it counts; a line that none takes is prose.
    """
    sentence = _BodyLine(text, text.replace("**", "").strip(), line, depth, is_item)
    for read in _READERS:
        if read(parser, sentence):
            return


def _listed_value(parser: _BodyParser, sentence: _BodyLine) -> bool:
    """Read an item below a label whose value is a list: ``**Goals**:``, ``**Target Files**:``."""
    if not sentence.is_item:
        return False
    if parser.lead_in is Meaning.GOAL:
        parser.goals.append(sentence.plain)
        return True
    if parser.lead_in in {Meaning.TARGET, Meaning.CREATED} and not phrases.is_task(sentence.plain):
        _add_targets(parser, parser.lead_in, sentence.plain)
        return True
    return False


def _drop(parser: _BodyParser, sentence: _BodyLine) -> bool:
    name = phrases.drop_in(sentence.plain)
    parser.drop = parser.drop or name
    return name is not None


def _line_of_outline(parser: _BodyParser, sentence: _BodyLine) -> bool:
    if parser.outline.depth is None:
        return False
    is_nested = parser.outline.holds(sentence.depth)
    if sentence.is_item and not is_nested:
        return False
    parser.outline.add(sentence.text, is_item=sentence.is_item, is_nested=is_nested)
    return True


def _report_on_drop(parser: _BodyParser, _: _BodyLine) -> bool:
    """Skip what the drop must list: it says nothing about the page."""
    return parser.step_kind is Meaning.DROP


def _completion(parser: _BodyParser, sentence: _BodyLine) -> bool:
    """Read a completion time without a label, above the steps: ``Completed 2026-11-20``."""
    if parser.steps:
        return False
    if _COMPLETED.match(sentence.plain):
        parser.fields.setdefault(Meaning.COMPLETED, sentence.plain)
    elif _DONE_ALONE.match(sentence.plain):
        parser.fields.setdefault(Meaning.STATUS, sentence.plain)
    else:
        return False
    return True


def _page_to_create(parser: _BodyParser, sentence: _BodyLine) -> bool:
    plain = sentence.plain
    if not _CREATE.match(plain) or not phrases.read_paths(plain):
        return False
    parser.created_targets += phrases.read_targets(plain)
    parser.create_budget = parser.create_budget or read_budget(plain)
    return True


def _point(parser: _BodyParser, sentence: _BodyLine) -> bool:
    if parser.context is not Meaning.POINTS or not sentence.is_item:
        return False
    parser.points.append(sentence.text)
    return True


def _look_inside(parser: _BodyParser, sentence: _BodyLine) -> bool:
    """Read a line about prior knowledge: gaps, searches of the base, pages to read."""
    plain = sentence.plain
    gaps = _GAPS.match(plain)
    if gaps:
        parser.gaps.append(gaps[1] or plain)
        return True
    if phrases.is_base_search(plain):
        parser.greps.append(phrases.read_grep(plain))
        return True
    if parser.step_kind not in {Meaning.EXISTING, Meaning.RESEARCH, None}:
        return False
    reads = phrases.read_reads(plain)
    parser.reads += [replace(read, line=sentence.line) for read in reads]
    return bool(reads)


def _search(parser: _BodyParser, sentence: _BodyLine) -> bool:
    """Read web queries."""
    plain = sentence.plain
    is_explicit = _is_explicit_search(plain)
    if parser.context in {Meaning.POINTS, Meaning.WRITE} and not is_explicit:
        return False
    if parser.context is Meaning.EXISTING and not (is_explicit and _OUTWARD.match(plain)):
        return False
    is_listed = _is_in_list_of_queries(parser, sentence)
    if is_listed and phrases.quoted_strings(plain):
        parser.is_quoting = True
    queries = phrases.read_queries(plain, is_listed=is_listed)
    is_engine_given = is_listed and parser.context is Meaning.QUERIES
    engine = parser.engine if is_engine_given else "web"
    for query in queries:
        parser.queries.append(replace(query, engine=engine) if query.engine == "web" else query)
    return bool(queries)


def _is_explicit_search(plain: str) -> bool:
    """Return True if a line says that it is a search, whatever the lines around it are."""
    is_marked = _SEARCHES.match(plain) or _QUERY_LINE.match(plain)
    return bool(is_marked) or phrases.is_search_call(plain)


def _is_in_list_of_queries(parser: _BodyParser, sentence: _BodyLine) -> bool:
    """Return True if a line is a query because of its place, without a verb of its own."""
    is_quotation = _is_quotation(sentence.plain)
    if parser.lead_in is Meaning.QUERIES and is_quotation:
        return True
    if not sentence.is_item:
        return False
    if parser.context is Meaning.RESEARCH:
        return is_quotation
    # In a list that quotes its queries, an unquoted item is a comment.
    is_comment = parser.is_quoting and not phrases.quoted_strings(sentence.plain)
    return parser.context is Meaning.QUERIES and not is_comment


def _read_source(parser: _BodyParser, sentence: _BodyLine) -> bool:
    """Read requested sources: items of such a list, URLs, repositories, pages to scrape."""
    if parser.context in {Meaning.POINTS, Meaning.WRITE}:
        return False
    plain = sentence.plain
    scrape, urls = _SCRAPE.match(plain), _URL.findall(plain)
    if parser.context is Meaning.SOURCES and sentence.is_item:
        parser.sources.append(plain)
    elif urls and parser.context in {Meaning.RESEARCH, Meaning.QUERIES, Meaning.SOURCES, None}:
        parser.sources += [url.rstrip(".,;") for url in urls]
    elif scrape and not _TOP_HITS.match(scrape[1]):
        parser.sources.append(scrape[1].strip() or plain)
    elif _REPOSITORY.search(plain):
        parser.sources.append(plain)
    else:
        return False
    return True


_READERS: tuple[Callable[[_BodyParser, _BodyLine], bool], ...] = (
    _listed_value,
    _drop,
    _line_of_outline,
    _report_on_drop,
    _plain_label,
    _completion,
    _page_to_create,
    _look_inside,
    _search,
    _read_source,
    _point,
)
"""Each reads one form of a line, and returns True if it took the line. The first that does counts.

To add a form that a label does not give, add a reader where its precedence is.
"""


def _is_quotation(plain: str) -> bool:
    """Return True if the text is nothing but a quoted string, apart from a note in parentheses."""
    bare = re.sub(r"\([^()]*\)|^\d+[.)]|^[A-Z][\w -]{0,20}:(?=\s*[\"“`])", "", plain).strip(
        " .,;-–"
    )
    texts = phrases.quoted_strings(bare)
    return bool(texts) and len(bare) - sum(len(t) + 2 for t in texts) <= 6


# --- lead-ins -------------------------------------------------------------------------------------


STEP = re.compile(
    rf"^\W{{0,16}}{words_of(Meaning.STEP)}\s*#?{NUMBER_OR_LETTER}\s*+(?:\*\*)?"
    r"\s*+[:.)–—-]*+\s*+(?:\*\*)?"
    r"\s*+(?P<title>(?:\S|[^\S\n]++(?=\S))*?)\s*+(?:\*\*|__)?\s*+(?P<note>\([^()]*\))?\s*+$",
    re.IGNORECASE,
)
"""``**Step n: Title** (~400 lines)``."""

_LEAD_IN = re.compile(
    r"^\W{0,16}(?P<key>[A-Z][^:\"`]{0,60}?)[\s*_]{0,6}(?:\([^()]*\)\s?)?:[\s*_]{0,6}$"
)


_SMALL_LEAD_IN = re.compile(r"^(?P<key>[a-z]+(?:[ _-][a-z]+){0,2}):\s*$")
_ITEM_LEAD_IN = re.compile(r"^(?P<key>[^\"`]{1,120}?):$")


def item_lead_in(text: str) -> str | None:
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
    words = lead_in(text)
    return words if words and topic_of(words) else None


def lead_in(text: str) -> str | None:
    """Return the text of a line that only introduces the lines below it.

    One in small letters must be a known topic: ``queries:``.
    """
    match = _LEAD_IN.match(text)
    if match:
        return match["key"].strip()
    small = _SMALL_LEAD_IN.match(text)
    return small["key"] if small and topic_of(small["key"]) else None
