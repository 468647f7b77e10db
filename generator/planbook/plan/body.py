"""Parse the body of a PART: steps, queries, points, outline, requested sources, existing knowledge, the drop.

Blocks are read once, in order. The parser state holds the current step, lead-in (``Search queries:``) and section of
the outline; given these, each line can be read on its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from planbook.markdown.budgets import read_budget, without_budget
from planbook.markdown.plan_blocks import Block
from planbook.model import Grep, LineBudget, Part, Query, Read, State, Step, Task
from planbook.plan import phrases
from planbook.plan.labels import Label, Meaning, budget_of, meaning_of, read_label, read_plain_label, topic_of, words_of
from planbook.plan.numerals import NUMBER_OR_LETTER, value_of
from planbook.plan.outline import Outline, speaks_for_itself
from planbook.plan.parts import Span
from planbook.plan.status import is_closing, is_verdict
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
    r"^(?:status|completed|(?:target|output|knowledge)\s*(?:file|page|path)?|file|goal|title)$", re.IGNORECASE
)
"""Labels that set a field as items, too; others are tasks."""
_COMPLETED = re.compile(r"^\W{0,8}(?:completed?|done|finished)\b\W{0,8}(?:on |at )?\d{4}-\d\d", re.IGNORECASE)
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


def read_part(span: Span, skip_lines: frozenset[int]) -> tuple[Part, Mapping[Meaning, str]]:
    """Return a PART as its body describes it, without title and state, and the texts of its labels.

    A status below a step counts if there is none above. The status lines at `skip_lines` are not tasks.
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
                _fence(reader, block)
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
        lines_budget=reader.step_budget or reader.create_budget or reader.size,
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
    return reader.fields.get(Meaning.GOAL) or "; ".join(reader.goals) or reader.fields.get(Meaning.SOURCE)


# --- blocks ------------------------------------------------------------------------------------------------------


def _heading(r: _BodyParser, block: Block) -> None:
    r.outline.close()
    r.lead_in = None
    if is_closing(block.text, r.number):
        r.late_status = r.late_status or block.text
        return
    if _step(r, block.text, block.line) or _section(r, block.text, 0):
        return
    label = read_label(f"**{block.text.strip('*: ')}**")
    meaning = meaning_of(label, has_path=False) if label else None
    if label and meaning in {Meaning.TARGET, Meaning.CREATED, Meaning.CONTENT, Meaning.GOAL}:
        _set_field(r, meaning, label)
    else:
        _open_step(r, None, block.text.strip("*: "))


def _paragraph(r: _BodyParser, block: Block) -> None:
    if r.outline.depth is None and is_table(block.lines):
        r.queries += table_queries(block.lines)
    if not block.depth:
        is_list = all(_is_quotation(text) for text in block.lines)
        if r.lead_in is not Meaning.QUERIES or not is_list:
            r.lead_in = None
        if STEP.match(block.text):
            r.outline.close()
    for line, text in enumerate(block.lines, block.line):
        if is_closing(text, r.number):
            r.late_status = r.late_status or text
            continue
        is_filed = not text or _step(r, text, line) or _section(r, text, block.depth)
        if is_filed or (not block.depth and _label(r, text, line)):
            continue
        words = lead_in(text)
        if words and r.outline.depth is None:
            _open_lead_in(r, words, block.depth)
        else:
            _sentence(r, text, line, block.depth, is_item=False)


def _list_item(r: _BodyParser, block: Block) -> None:
    if block.mark is None and is_closing(block.text, r.number):
        r.late_status = r.late_status or block.text
        return
    label = read_label(block.text) if block.mark is None else None
    if label and _BULLET_KEY.match(label.key) and _label(r, block.text, block.line):
        return  # it sets a field, and is no task
    # A task of a step: an item with a checkbox, or a plain bullet at the step's top level.
    if r.steps and (block.mark is not None or (block.depth == 1 and r.outline.depth is None)):
        r.steps[-1][1].append(Task(block.text, block.mark, block.line))
    if block.depth <= r.lead_in_depth:
        r.lead_in, r.lead_in_depth = None, 0
    if r.outline.depth is not None and not r.outline.holds(block.depth):
        r.outline.close()
    rest = block.lines[1:]
    stop = next((n for n, text in enumerate(rest) if _begins_anew(text)), len(rest))
    own = [block.text, *rest[:stop]]  # and its continuation lines
    if not _section(r, block.text, block.depth):
        words = item_lead_in(block.text) if r.outline.depth is None else None
        if words:
            _open_lead_in(r, words, block.depth)
        else:
            _sentence(r, " ".join(own), block.line, block.depth, is_item=True)
    for line, text in enumerate(block.lines[len(own) :], block.line + len(own)):
        if not _section(r, text, block.depth):
            _sentence(r, text, line, block.depth + 1, is_item=False)


def _fence(r: _BodyParser, block: Block) -> None:
    """Read a fenced outline, or fenced queries below their lead-in. Checkboxes in it are text."""
    if r.lead_in is Meaning.QUERIES:
        texts = [line.strip() for line in block.lines if line.strip()]
        r.queries += [query for text in texts for query in phrases.read_queries(text, is_listed=True)]
    elif block.info.split(" ")[0] in {"markdown", "md", "", "text"}:
        r.outline.add_fence(block)
    r.outline.close()


# --- lines -------------------------------------------------------------------------------------------------------


def _step(r: _BodyParser, text: str, line: int) -> bool:
    both = _STEP_AND_SEARCH.match(text)
    if both:
        _step(r, both["step"], line)
        _sentence(r, both["search"], line, 0, is_item=False)
        return True
    match = STEP.match(text)
    if not match or not re.match(r"^\W{0,16}(?:\*\*|__|#|Step)", text):
        return False
    title = f"{match['title']} {match['note'] or ''}".replace("**", "").strip()
    _open_step(r, value_of(match["number"]) if match["number"] else None, title)
    return True


def _open_step(r: _BodyParser, number: int | None, title: str) -> None:
    r.outline.close()
    r.step_kind, r.lead_in = topic_of(title), None
    if r.step_kind is Meaning.QUERIES and "quer" not in title.lower():
        r.step_kind = Meaning.RESEARCH  # a step called "Web search" may contain anything
    if r.step_kind is Meaning.WRITE:
        r.step_budget = r.step_budget or read_budget(title)
        r.created_targets += phrases.read_targets(title, noted=True)
    r.steps.append((Step(number, without_budget(title, is_planned=True).rstrip(":").strip()), []))


def _open_lead_in(r: _BodyParser, words: str, depth: int) -> None:
    listed = meaning_of(Label(words, "", has_colon=True), has_path=False, is_bold=False)
    r.lead_in, r.lead_in_depth = listed or topic_of(words), depth
    r.engine, r.is_quoting = phrases.read_engine(words), False


def _label(r: _BodyParser, text: str, line: int) -> bool:
    """Read a ``**Key**: value`` or ``**Research:**`` line."""
    label = read_label(text)
    if label is None:
        return False
    key, value = f"{label.key} {label.note}".strip(), label.value
    meaning = meaning_of(label, has_path=bool(phrases.read_paths(value)))
    if meaning:
        _set_field(r, meaning, label)
    elif phrases.quoted_strings(value) and topic_of(key) in {Meaning.QUERIES, Meaning.RESEARCH}:
        _sentence(r, text, line, 0, is_item=False)
    elif value and not re.fullmatch(r"\([^()]*\)", value):
        _open_lead_in(r, key, 0)
        _sentence(r, value if r.lead_in else text, line, 0, is_item=False)
    elif topic_of(key) is Meaning.QUERIES:
        _open_lead_in(r, key, 0)
    else:
        _open_step(r, None, f"{key} {value}".strip())
    return True


def _set_field(r: _BodyParser, meaning: Meaning, label: Label) -> None:
    """Set the field of the PART that a label gives."""
    value = label.value
    match meaning:
        case Meaning.TARGET | Meaning.CREATED | Meaning.GOAL if not value:
            _open_step(r, None, label.key)
            r.lead_in, r.lead_in_depth = meaning, 0
            if meaning is Meaning.TARGET:
                r.create_budget = r.create_budget or budget_of(label)
        case Meaning.TARGET | Meaning.CREATED:
            _add_targets(r, meaning, value)
        case Meaning.BUDGET:
            r.size = r.size or budget_of(label)
        case Meaning.CONTENT:
            r.size = r.size or budget_of(label)
            _open_step(r, None, label.key)
            r.step_kind, r.lead_in, r.lead_in_depth = Meaning.WRITE, Meaning.POINTS, 0
        case Meaning.SOURCE:
            urls = [url.rstrip(".,;") for url in _URL.findall(value)]
            has_more = bool(re.search(r"[^\W\d_]{2}", _URL.sub("", value)))
            r.sources += [value] if has_more else urls
            if not urls and not phrases.read_paths(value):
                r.fields.setdefault(Meaning.SOURCE, value)
        case Meaning.STATUS if r.steps:
            if not r.is_behind_rule and is_verdict(value):
                r.late_status = r.late_status or value
        case _:
            r.fields.setdefault(meaning, value)


def _add_targets(r: _BodyParser, meaning: Meaning, text: str) -> None:
    """Add the pages that a label or an item below it names; of pages to write, the length is a budget."""
    r.keyed_targets += phrases.read_targets(text)
    if meaning is Meaning.TARGET:
        r.create_budget = r.create_budget or read_budget(text)


def _plain_label(r: _BodyParser, plain: str) -> bool:
    """Read a label without bold that needs none: ``File: bread/01-starter.md``, ``Goal: ...`` above the steps."""
    label = read_plain_label(plain)
    if label is None or r.step_kind is Meaning.EXISTING:
        return False
    meaning = meaning_of(label, has_path=phrases.begins_with_path(label.value), is_bold=False)
    is_early = meaning is not Meaning.GOAL or not r.steps
    if meaning is None or not label.noted or not is_early:
        return False
    _set_field(r, meaning, label)
    return True


def _section(r: _BodyParser, text: str, depth: int) -> bool:
    label = read_label(text) if not depth else None
    if label and meaning_of(label, has_path=False) in {Meaning.BUDGET, Meaning.CONTENT}:
        return False
    return r.outline.begin(text, depth, is_expected=Meaning.WRITE in (r.step_kind, r.lead_in))


def _sentence(r: _BodyParser, text: str, line: int, depth: int, *, is_item: bool) -> None:
    """Classify a line that is neither step, section nor lead-in, by its content."""
    plain = text.replace("**", "").strip()
    drop = phrases.drop_in(plain)
    if is_item and r.lead_in is Meaning.GOAL:
        r.goals.append(plain)
    elif is_item and r.lead_in in {Meaning.TARGET, Meaning.CREATED}:
        _add_targets(r, r.lead_in, plain)
    elif drop:
        r.drop = r.drop or drop
    elif r.outline.depth is not None and (r.outline.holds(depth) or not is_item):
        r.outline.add(text, is_item=is_item, is_nested=r.outline.holds(depth))
    elif r.step_kind is Meaning.DROP or _plain_label(r, plain):
        pass
    elif not r.steps and _COMPLETED.match(plain):
        r.fields.setdefault(Meaning.COMPLETED, plain)
    elif _CREATE.match(plain) and phrases.read_paths(plain):
        r.created_targets += phrases.read_targets(plain)
        r.create_budget = r.create_budget or read_budget(plain)
    elif _look_inside(r, plain, line) or _search(r, plain, is_item=is_item) or _source(r, plain, is_item=is_item):
        pass
    elif r.context is Meaning.POINTS and is_item:
        r.points.append(text)


def _look_inside(r: _BodyParser, plain: str, line: int) -> bool:
    """Read a line about existing knowledge: reads, greps, gaps."""
    gaps = _GAPS.match(plain)
    if gaps:
        r.gaps.append(gaps[1] or plain)
        return True
    if phrases.is_base_search(plain):
        r.greps.append(phrases.read_grep(plain))
        return True
    may_read = r.step_kind in {Meaning.EXISTING, Meaning.RESEARCH, None}
    reads = phrases.read_reads(plain) if may_read else ()
    r.reads += [replace(read, line=line) for read in reads]
    return bool(reads)


def _search(r: _BodyParser, plain: str, *, is_item: bool) -> bool:
    """Read web queries."""
    is_marked = bool(_SEARCHES.match(plain) or _QUERY_LINE.match(plain) or phrases.is_search_call(plain))
    is_quiet = r.context in {Meaning.POINTS, Meaning.WRITE} and not is_marked
    is_inward = r.context is Meaning.EXISTING and not (is_marked and _OUTWARD.match(plain))
    if is_quiet or is_inward:
        return False
    is_asked = r.context is Meaning.QUERIES and not (r.is_quoting and not phrases.quoted_strings(plain))
    listed = is_item and (is_asked or (r.context is Meaning.RESEARCH and _is_quotation(plain)))
    listed = listed or (r.lead_in is Meaning.QUERIES and _is_quotation(plain))
    r.is_quoting = r.is_quoting or (listed and bool(phrases.quoted_strings(plain)))
    queries = phrases.read_queries(plain, is_listed=listed)
    engine = r.engine if listed and r.context is Meaning.QUERIES else "web"
    r.queries += [replace(q, engine=engine) if q.engine == "web" else q for q in queries]
    return bool(queries)


def _source(r: _BodyParser, plain: str, *, is_item: bool) -> bool:
    """Read requested sources: items of such a list, URLs, repositories, pages to scrape."""
    if r.context in {Meaning.POINTS, Meaning.WRITE}:
        return False
    scrape, urls = _SCRAPE.match(plain), _URL.findall(plain)
    if r.context is Meaning.SOURCES and is_item:
        r.sources.append(plain)
    elif urls and r.context in {Meaning.RESEARCH, Meaning.QUERIES, Meaning.SOURCES, None}:
        r.sources += [url.rstrip(".,;") for url in urls]
    elif scrape and not _TOP_HITS.match(scrape[1]):
        r.sources.append(scrape[1].strip() or plain)
    elif _REPOSITORY.search(plain):
        r.sources.append(plain)
    else:
        return False
    return True


def _is_quotation(plain: str) -> bool:
    """Return True if the text is nothing but a quoted string, apart from a note in parentheses."""
    bare = re.sub(r"\([^()]*\)|^\d+[.)]|^[A-Z][\w -]{0,20}:(?=\s*[\"“`])", "", plain).strip(" .,;-–")
    texts = phrases.quoted_strings(bare)
    return bool(texts) and len(bare) - sum(len(t) + 2 for t in texts) <= 6


# --- lead-ins --------------------------------------------------------------------------------------------------------


STEP = re.compile(
    rf"^\W{{0,16}}{words_of(Meaning.STEP)}\s*#?{NUMBER_OR_LETTER}\s*+(?:\*\*)?"
    r"\s*+[:.)–—-]*+\s*+(?:\*\*)?"
    r"\s*+(?P<title>(?:\S|[^\S\n]++(?=\S))*?)\s*+(?:\*\*|__)?\s*+(?P<note>\([^()]*\))?\s*+$",
    re.IGNORECASE,
)
"""``**Step n: Title** (~400 lines)``."""

_LEAD_IN = re.compile(r"^\W{0,16}(?P<key>[A-Z][^:\"`]{0,60}?)[\s*_]{0,6}(?:\([^()]*\)\s?)?:[\s*_]{0,6}$")


_ITEM_LEAD_IN = re.compile(r"^(?P<key>[^\"`]{1,120}?):$")


def item_lead_in(text: str) -> str | None:
    """Return the text of an item that introduces the items below it; it may be a longer phrase of a known topic."""
    match = _LEAD_IN.match(text) or _ITEM_LEAD_IN.match(text)
    words = match["key"].strip() if match else ""
    is_list = meaning_of(Label(words, "", has_colon=True), has_path=False, is_bold=False) is not None
    return words if words and (is_list or topic_of(words)) else None


def _begins_anew(text: str) -> bool:
    """Return True if a line below an item's first line is more than its continuation."""
    return speaks_for_itself(text) or bool(_QUERY_LINE.match(text))


def lead_in(text: str) -> str | None:
    """Return the text of a line that only introduces the lines below it."""
    match = _LEAD_IN.match(text)
    return match["key"].strip() if match else None
