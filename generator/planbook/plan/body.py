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
from planbook.model import LineBudget, Part, Query, Read, State, Step, Task
from planbook.plan import phrases
from planbook.plan.outline import Outline, speaks_for_itself
from planbook.plan.parts import Span
from planbook.plan.status import is_verdict

_GAPS = re.compile(r"^Identify\b.{0,40}?\bgaps?\b\s*:?\s*(.*)$", re.IGNORECASE)
_SCRAPE = re.compile(r"^(?:Scrape|Fetch|Extract from|Source|Visit)\b\s*:?\s*(.*)$", re.IGNORECASE)
_TOP_HITS = re.compile(r"(?:the )?(?:top|best)\b|\d|results?\b", re.IGNORECASE)
_SEARCHES = re.compile(r"(?:web )?search(?: for|ing| github| arxiv)?\s?[:\"]", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s<>\"`)\]]+")
_CREATE = re.compile(
    r"^(?:\W{0,4}(?:PART|WORKER|RUNNER|TASK)\s+\d+\W{1,4})?(?:Create|Write|Produce|Generate|Output|Save (?:as|to))\b",
    re.IGNORECASE,
)
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

    steps: list[tuple[Step, list[Task]]] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    outline: Outline = field(default_factory=Outline)
    sources: list[str] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    greps: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    keyed_targets: list[str] = field(default_factory=list)
    created_targets: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    """``goal title status completed``: the first label of each; ``late status``: the first below a step."""
    drop: str | None = None
    step_budget: LineBudget | None = None
    create_budget: LineBudget | None = None
    step_kind: str = ""
    lead_in: str = ""
    lead_in_depth: int = 0
    engine: str = "web"
    """The search engine that the lead-in names."""
    is_quoting: bool = False
    """True if the list below the lead-in quotes its queries: unquoted items are then comments."""
    is_behind_rule: bool = False

    @property
    def context(self) -> str:
        """The kind of the current lead-in, else of the current step."""
        return self.lead_in or self.step_kind


def read_part(span: Span, skip_lines: frozenset[int]) -> tuple[Part, Mapping[str, str]]:
    """Return a PART as its body describes it, without title and state, and the texts of its labels.

    The keys of the latter are those of `_BodyParser.fields`. The status lines at `skip_lines` are not tasks.
    """
    reader = _BodyParser()
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
                reader.lead_in, reader.is_behind_rule = "", True
    part = Part(
        number=span.number,
        title="",
        line=span.heading.line,
        end_line=span.end_line,
        state=State.UNMARKED,
        targets=tuple(dict.fromkeys(reader.keyed_targets or reader.created_targets[:1])),
        lines_budget=reader.step_budget or reader.create_budget or read_budget(reader.fields.get("size", "")),
        page_title=reader.fields.get("title"),
        goal=reader.fields.get("goal"),
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
    return part, reader.fields


# --- blocks ------------------------------------------------------------------------------------------------------


def _heading(r: _BodyParser, block: Block) -> None:
    r.outline.close()
    r.lead_in = ""
    if not (_step(r, block.text, block.line) or _section(r, block.text, 0)):
        _open_step(r, None, block.text.strip("*: "))


def _paragraph(r: _BodyParser, block: Block) -> None:
    if not block.depth:
        is_listed = r.lead_in == "queries" and all(_is_quotation(text) for text in block.lines)
        r.lead_in = "queries" if is_listed else ""
        if STEP.match(block.text):
            r.outline.close()
    for line, text in enumerate(block.lines, block.line):
        is_filed = not text or _step(r, text, line) or _section(r, text, block.depth)
        if is_filed or (not block.depth and _label(r, text, line)):
            continue
        words = lead_in(text)
        if words and r.outline.depth is None:
            _open_lead_in(r, words, block.depth)
        else:
            _sentence(r, text, line, block.depth, is_item=False)


def _list_item(r: _BodyParser, block: Block) -> None:
    labelled = LABEL.match(block.text) if block.mark is None else None
    if labelled and _BULLET_KEY.match(labelled["key"].strip()) and _label(r, block.text, block.line):
        return  # it sets a field, and is no task
    # A task of a step: an item with a checkbox, or a plain bullet at the step's top level.
    if r.steps and (block.mark is not None or (block.depth == 1 and r.outline.depth is None)):
        r.steps[-1][1].append(Task(block.text, block.mark, block.line))
    if block.depth <= r.lead_in_depth:
        r.lead_in, r.lead_in_depth = "", 0
    if r.outline.depth is not None and not r.outline.holds(block.depth):
        r.outline.close()
    rest = block.lines[1:]
    stop = next((n for n, text in enumerate(rest) if speaks_for_itself(text)), len(rest))
    own = [block.text, *rest[:stop]]  # and its continuation lines
    if not _section(r, block.text, block.depth):
        words = lead_in(block.text) if r.outline.depth is None else None
        if words and kind_of(words):
            _open_lead_in(r, words, block.depth)
        else:
            _sentence(r, " ".join(own), block.line, block.depth, is_item=True)
    for line, text in enumerate(block.lines[len(own) :], block.line + len(own)):
        if not _section(r, text, block.depth):
            _sentence(r, text, line, block.depth + 1, is_item=False)


def _fence(r: _BodyParser, block: Block) -> None:
    """Read a fenced outline, or fenced queries below their lead-in. Checkboxes in it are text."""
    if r.lead_in == "queries":
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
    _open_step(r, int(match[1]), f"{match[2]} {match[3] or ''}".replace("**", "").strip())
    return True


def _open_step(r: _BodyParser, number: int | None, title: str) -> None:
    r.outline.close()
    r.step_kind, r.lead_in = kind_of(title), ""
    if r.step_kind == "queries" and "quer" not in title.lower():
        r.step_kind = "research"  # a step called "Web search" may contain anything
    if r.step_kind == "write":
        r.step_budget = r.step_budget or read_budget(title)
        r.created_targets += phrases.read_targets(title, noted=True)
    r.steps.append((Step(number, without_budget(title, is_planned=True).rstrip(":").strip()), []))


def _open_lead_in(r: _BodyParser, words: str, depth: int) -> None:
    r.lead_in, r.lead_in_depth, r.engine, r.is_quoting = kind_of(words), depth, phrases.read_engine(words), False


def _label(r: _BodyParser, text: str, line: int) -> bool:
    """Read a ``**Key**: value`` or ``**Research:**`` line."""
    found = LABEL.match(text)
    if not found:
        return False
    key, value = found["key"].strip(), found["value"].strip()
    name = field_of(key, value)
    if name == "target":
        r.keyed_targets += phrases.read_targets(value)
        r.create_budget = r.create_budget or read_budget(value)
    elif name == "status" and r.steps:
        if not r.is_behind_rule and is_verdict(value):
            r.fields.setdefault("late status", value)
    elif name:
        r.fields.setdefault(name, value)
    elif phrases.quoted_strings(value) and kind_of(key) in {"queries", "research"}:
        _sentence(r, text, line, 0, is_item=False)
    elif value and not re.fullmatch(r"\([^()]*\)", value):
        _open_lead_in(r, key, 0)
        _sentence(r, value if r.lead_in else text, line, 0, is_item=False)
    elif kind_of(key) == "queries":
        _open_lead_in(r, key, 0)
    else:
        _open_step(r, None, f"{key} {value}".strip())
    return True


def _section(r: _BodyParser, text: str, depth: int) -> bool:
    return r.outline.begin(text, depth, is_expected="write" in (r.step_kind, r.lead_in))


def _sentence(r: _BodyParser, text: str, line: int, depth: int, *, is_item: bool) -> None:
    """Classify a line that is neither step, section nor lead-in, by its content."""
    plain = text.replace("**", "").strip()
    drop = phrases.drop_in(plain)
    if drop:
        r.drop = r.drop or drop
    elif r.outline.depth is not None and (r.outline.holds(depth) or not is_item):
        r.outline.add(text, is_item=is_item)
    elif r.step_kind == "drop":
        pass
    elif not r.steps and _COMPLETED.match(plain):
        r.fields.setdefault("completed", plain)
    elif _CREATE.match(plain) and phrases.read_paths(plain):
        r.created_targets += phrases.read_targets(plain)
        r.create_budget = r.create_budget or read_budget(plain)
    elif _look_inside(r, plain, line) or _search(r, plain, is_item=is_item) or _source(r, plain, is_item=is_item):
        pass
    elif r.context == "points" and is_item:
        r.points.append(text)


def _look_inside(r: _BodyParser, plain: str, line: int) -> bool:
    """Read a line about existing knowledge: reads, greps, gaps."""
    gaps = _GAPS.match(plain)
    if gaps:
        r.gaps.append(gaps[1] or plain)
        return True
    if phrases.is_base_search(plain):
        r.greps.append(plain)
        return True
    reads = phrases.read_reads(plain) if r.step_kind in {"existing", "", "research"} else ()
    r.reads += [replace(read, line=line) for read in reads]
    return bool(reads)


def _search(r: _BodyParser, plain: str, *, is_item: bool) -> bool:
    """Read web queries."""
    is_quiet = r.context in {"points", "write"} and not _SEARCHES.match(plain)
    if is_quiet or r.context == "existing":
        return False
    is_asked = r.context == "queries" and not (r.is_quoting and not phrases.quoted_strings(plain))
    listed = is_item and (is_asked or (r.context == "research" and _is_quotation(plain)))
    listed = listed or (r.lead_in == "queries" and _is_quotation(plain))
    r.is_quoting = r.is_quoting or (listed and bool(phrases.quoted_strings(plain)))
    queries = phrases.read_queries(plain, is_listed=listed)
    engine = r.engine if listed and r.context == "queries" else "web"
    r.queries += [replace(q, engine=engine) if q.engine == "web" else q for q in queries]
    return bool(queries)


def _source(r: _BodyParser, plain: str, *, is_item: bool) -> bool:
    """Read requested sources: items of such a list, URLs, repositories, pages to scrape."""
    if r.context in {"points", "write"}:
        return False
    scrape, urls = _SCRAPE.match(plain), _URL.findall(plain)
    if r.context == "sources" and is_item:
        r.sources.append(plain)
    elif urls and r.context in {"research", "queries", "sources", ""}:
        r.sources += [url.rstrip(".,;") for url in urls]
    elif scrape and not _TOP_HITS.match(scrape[1]):
        r.sources.append(scrape[1].strip() or plain)
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
    r"^\W{0,16}Step\s+(\d+)[a-z]?\s*(?:\*\*)?\s*[:.)–—-]*\s*(?:\*\*)?\s*(.*?)\s*(?:\*\*|__)?\s*(\([^()]*\))?\s*$",
    re.IGNORECASE,
)
"""``**Step n: Title** (~400 lines)``: number, title, note."""

LABEL = re.compile(r"^(?:\*\*|__)(?P<key>[^*:]{1,60}?)\s*(?::\s*(?:\*\*|__)|(?:\*\*|__)\s*:?)\s*(?P<value>.*)$")
"""``**Key**: value`` and ``**Key:** value``."""

_LEAD_IN = re.compile(r"^\W{0,16}(?P<key>[A-Z][^:\"`]{0,60}?)[\s*_]{0,6}(?:\([^()]*\)\s?)?:[\s*_]{0,6}$")
_TARGET_KEY = re.compile(
    r"^(?:(?:new|final|target|output|knowledge|will|to|page)\s+)?"
    r"(?:target|output|knowledge|creates?|page|destination|deliverable|file|path|location)"
    r"\s*(?:name|file|page|path|to create|knowledge file)?s?$",
    re.IGNORECASE,
)
_SIZE_KEY = re.compile(r"(?:expected|target|total) (?:size|length|output|lines)", re.IGNORECASE)
_GOAL_KEY = re.compile(r"^(?:goal|focus|objective|purpose|mission)$", re.IGNORECASE)
_BULLET_KEY = re.compile(
    r"^(?:status|completed|(?:target|output|knowledge)\s*(?:file|page|path)?|file|goal|title)$", re.IGNORECASE
)

_KINDS = {
    "drop": r"knowledge.drop|summary file",
    "existing": r"existing|check.*knowledge|prior knowledge|gaps?\b",
    "queries": r"quer(?:y|ies)|^(?:web |github |arxiv )?search(?:es)?(?: terms| strings)?$|\bsearch(?: for)?$"
    r"|searches\b",
    "sources": r"(?:target|key|primary|recommended|suggested|main)\s+sources|sources? (?:to|wanted)|\bsources$"
    r"|repositor|\b(?:key|seminal|important|relevant|core) papers\b|^papers$|^links\b|^resources\b|^use .* for$",
    "write": r"\bwrite|outline|structure|^sections?$|create .*(?:file|page)|file contents?|content outline",
    "points": r"focus|extract|key (?:topics|content|points|concepts|areas|questions)|^topics|points|content to"
    r"|topics to|areas|cover\b|questions",
    "research": r"research|search|hunt|investigat|scrape|web",
}


def kind_of(words: str) -> str:
    """Return the kind that `words` introduce: ``drop existing sources write points queries research``, or empty."""
    return next((name for name, pattern in _KINDS.items() if re.search(pattern, words, re.IGNORECASE)), "")


def lead_in(text: str) -> str | None:
    """Return the text of a line that only introduces the lines below it."""
    match = _LEAD_IN.match(text)
    return match["key"].strip() if match else None


def field_of(key: str, value: str) -> str:
    """Return what a label sets of a PART: ``goal title completed status target size``, or empty."""
    name = key.lower()
    if _SIZE_KEY.fullmatch(key) and read_budget(value):
        return "size"
    if name == "status" or (name in {"title", "completed"} and value):
        return name
    if _GOAL_KEY.match(key) and value:
        return "goal"
    return "target" if _TARGET_KEY.match(key) and phrases.read_paths(value) else ""
