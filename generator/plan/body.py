"""What a PART asks for: steps, queries, points, outline, sources wanted, existing knowledge, the drop.

The blocks are read once, in order. A small state says where in the PART the reader is: which step, which lead-in
(``Search queries:``), which section of the outline; each line then speaks for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from generator.model import Grep, LineBudget, Query, Read, Section, Step, Task
from generator.plan.blocks import Block, read_blocks
from generator.plan.phrases import (
    quoted,
    read_budget,
    read_drop,
    read_engine,
    read_grep,
    read_paths,
    read_queries,
    read_reads,
    read_targets,
    without_budget,
)

_STEP = re.compile(
    r"^\W{0,16}Step\s+(\d+)[a-z]?\s*(?:\*\*)?\s*[:.)–—-]*\s*(?:\*\*)?\s*(.*?)\s*(?:\*\*|__)?\s*(\([^()]*\))?\s*$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:\*\*|__)(?P<key>[^*:]{1,60}?)\s*(?::\s*(?:\*\*|__)|(?:\*\*|__)\s*:?)\s*(?P<value>.*)$")
_LEAD_IN = re.compile(r"^\W{0,16}(?P<key>[A-Z][^:\"`]{0,60}?)[\s*_]{0,6}(?:\([^()]*\)\s?)?:[\s*_]{0,6}$")
_SECTION = re.compile(r"^\W{0,16}Section\s+(\d+)\s*(?:\*\*)?\s*[:.)–—-]*\s*(?:\*\*)?\s*(.*)$", re.IGNORECASE)
_BUDGETED = re.compile(
    r"^\W{0,16}(?:(\d+)[.)]\s?)?(.{1,200}?)[\s*:]{0,6}\(~?\s?\d[\d,]*(?:\s?[-–]\s?\d+)?\s?\+?\s?lines?\)"
)
_CITE = re.compile(r"^(?:\*\*)?Cite[sd]?\b(?:\*\*)?\s*:?(?:\*\*)?\s*(.*)$", re.IGNORECASE)
_INCLUDE = re.compile(r"^(?:\*\*)?Include[sd]?(?:\*\*)?\s*:(?:\*\*)?\s*(.*)$", re.IGNORECASE)
_GAPS = re.compile(r"^Identify\b.{0,40}?\bgaps?\b\s*:?\s*(.*)$", re.IGNORECASE)
_SCRAPE = re.compile(r"^(?:Scrape|Fetch|Extract from|Source|Visit)\b\s*:?\s*(.*)$", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s<>\"`)\]]+")
_TARGET_KEY = re.compile(
    r"^(?:target|output|knowledge|create|page|destination|deliverable|file)\s*(?:file|page|path|knowledge file)?s?$",
    re.IGNORECASE,
)
_CREATE = re.compile(r"^(?:Create|Write|Produce|Generate|Output)\b", re.IGNORECASE)
_PLAIN_TARGET = re.compile(
    r"^(?P<key>(?:Target|Output|Knowledge|Destination)(?: (?:file|page|path))?|File)\s?:\s?(?P<value>[`\w].{0,300}\.md\b.*)$",
    re.IGNORECASE,
)
_GOAL_KEY = re.compile(r"^(?:goal|focus|objective|purpose|mission)$", re.IGNORECASE)
_OWN_KEY = re.compile(
    r"^(?:status|completed|(?:target|output|knowledge)\s*(?:file|page|path)?|file|goal|title)$", re.IGNORECASE
)
_NOT_A_SECTION = re.compile(r"^(?:sources|references|bibliography|citations)$", re.IGNORECASE)

_KINDS = (
    ("drop", re.compile(r"knowledge.drop|summary file", re.IGNORECASE)),
    ("existing", re.compile(r"existing|check.*knowledge|prior knowledge|gaps?\b", re.IGNORECASE)),
    (
        "sources",
        re.compile(
            r"(?:target|key|primary|recommended|suggested|main)\s+sources|sources? (?:to|wanted)|^sources$|repositor|^use .* for$",
            re.IGNORECASE,
        ),
    ),
    (
        "write",
        re.compile(
            r"\bwrite|outline|structure|^sections?$|create .*(?:file|page)|file contents?|content outline",
            re.IGNORECASE,
        ),
    ),
    (
        "points",
        re.compile(
            r"focus|extract|key (?:topics|content|points|concepts|areas|questions)|^topics|points|content to|topics to|areas|cover\b",
            re.IGNORECASE,
        ),
    ),
    (
        "queries",
        re.compile(
            r"quer(?:y|ies)|^(?:web |github |arxiv )?search(?:es)?(?: for| terms| strings)?$|searches\b", re.IGNORECASE
        ),
    ),
    ("research", re.compile(r"research|search|hunt|investigat|scrape|web", re.IGNORECASE)),
)


def _kind(words: str) -> str:
    return next((name for name, pattern in _KINDS if pattern.search(words)), "")


@dataclass(frozen=True, slots=True)
class Body:
    """Everything a PART's blocks ask for."""

    steps: tuple[Step, ...] = ()
    queries: tuple[Query, ...] = ()
    points: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    sources: tuple[str, ...] = ()
    reads: tuple[Read, ...] = ()
    greps: tuple[Grep, ...] = ()
    gaps: tuple[str, ...] = ()
    drop: str | None = None
    goal: str | None = None
    page_title: str | None = None
    targets: tuple[str, ...] = ()
    """Named by ``**Target**:`` or ``Create x.md``, for a PART whose heading and status line name none."""
    step_budget: LineBudget | None = None
    create_budget: LineBudget | None = None
    completed: str | None = None
    """The text of a ``**Completed**:`` paragraph."""
    status: str | None = None
    """The text of a ``**Status**:`` paragraph that stands before the first step."""


@dataclass(slots=True)
class _Reader:
    """Where in the PART the reading is, and what has been found so far."""

    steps: list[tuple[Step, list[Task]]] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    sections: list[tuple[Section, list[str], list[str], list[str]]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    greps: list[Grep] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    keyed_targets: list[str] = field(default_factory=list)
    created_targets: list[str] = field(default_factory=list)
    drop: str | None = None
    goal: str | None = None
    page_title: str | None = None
    status: str | None = None
    completed: str | None = None
    step_budget: LineBudget | None = None
    create_budget: LineBudget | None = None
    step_kind: str = ""
    lead_in: str = ""
    lead_in_depth: int = 0
    engine: str = "web"
    """Where the lead-in says to search."""
    section_depth: int | None = None
    """Depth of the open section's line; ``None`` while no section is open."""


def read_body(blocks: Sequence[Block], skip_lines: frozenset[int]) -> Body:
    """What the PART's `blocks` ask for; the status lines at `skip_lines` are no tasks."""
    reader = _Reader()
    for block in blocks:
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
                reader.section_depth, reader.lead_in = None, ""
    return _collect(reader)


def _collect(r: _Reader) -> Body:
    return Body(
        steps=tuple(replace(step, tasks=tuple(tasks)) for step, tasks in r.steps),
        queries=tuple(r.queries),
        points=tuple(r.points),
        sections=tuple(
            replace(section, points=tuple(points), cite=tuple(cite), include=tuple(include))
            for section, points, cite, include in r.sections
        ),
        sources=tuple(dict.fromkeys(r.sources)),
        reads=tuple(r.reads),
        greps=tuple(r.greps),
        gaps=tuple(r.gaps),
        drop=r.drop,
        goal=r.goal,
        page_title=r.page_title,
        targets=tuple(dict.fromkeys(r.keyed_targets or r.created_targets[:1])),
        step_budget=r.step_budget,
        create_budget=r.create_budget,
        completed=r.completed,
        status=r.status,
    )


# --- blocks ------------------------------------------------------------------------------------------------------


def _heading(r: _Reader, block: Block) -> None:
    r.section_depth, r.lead_in = None, ""
    if not (_step(r, block.text, block.line) or _section(r, block.text, block.line, 0)):
        _open_step(r, None, block.text.strip("*: "), block.line)


def _paragraph(r: _Reader, block: Block) -> None:
    if not block.depth:
        r.section_depth = r.section_depth if _continues_section(r, block.text) else None
    for line, text in enumerate(block.lines, block.line):
        if not text:
            continue
        if _step(r, text, line) or _section(r, text, line, block.depth):
            continue
        if _label(r, text, line, block.depth):
            continue
        lead_in = _LEAD_IN.match(text)
        if lead_in and r.section_depth is None:
            _open_lead_in(r, lead_in["key"], block.depth)
            continue
        _sentence(r, text, line, block.depth, is_item=False)


def _list_item(r: _Reader, block: Block) -> None:
    label = _LABEL.match(block.text) or _PLAIN_TARGET.match(block.text)
    if block.mark is None and label and (_OWN_KEY.match(label["key"].strip()) or _PLAIN_TARGET.match(block.text)):
        _label(r, block.text, block.line, 0)
        return
    _task(r, block)
    if block.depth <= r.lead_in_depth:
        r.lead_in, r.lead_in_depth = "", 0
    if r.section_depth is not None and block.depth <= r.section_depth:
        r.section_depth = None
    if _section(r, block.text, block.line, block.depth):
        _continuations(r, block)
        return
    lead_in = _LEAD_IN.match(block.text) or re.match(r"^(?P<key>[^\"`]{1,120}?):$", block.text)
    kind = _kind(lead_in["key"].rstrip()) if lead_in else ""
    if lead_in and kind and r.section_depth is None:
        _open_lead_in(r, lead_in["key"], block.depth)
    else:
        _sentence(r, " ".join(_own_lines(r, block)), block.line, block.depth, is_item=True)
    _continuations(r, block)


def _open_lead_in(r: _Reader, words: str, depth: int) -> None:
    r.lead_in, r.lead_in_depth, r.engine = _kind(words.strip()), depth, read_engine(words)


def _own_lines(r: _Reader, block: Block) -> Iterator[str]:
    """The item's text: its first line and the lines that merely continue it."""
    yield block.text
    for text in block.lines[1:]:
        if _CITE.match(text) or _INCLUDE.match(text) or _section_match(text):
            return
        yield text


def _continuations(r: _Reader, block: Block) -> None:
    """Lines below an item's first that say something of their own."""
    own = len(list(_own_lines(r, block)))
    for line, text in enumerate(block.lines[own:], block.line + own):
        if not _section(r, text, line, block.depth):
            _sentence(r, text, line, block.depth + 1, is_item=False)


def _fence(r: _Reader, block: Block) -> None:
    """A fenced outline, or fenced queries below their lead-in. Boxes in it are text."""
    if r.lead_in == "queries":
        texts = [line.strip() for line in block.lines if line.strip()]
        r.queries += [replace(q, line=block.line) for text in texts for q in read_queries(text, is_listed=True)]
    elif block.info.split(" ")[0] in {"markdown", "md", "", "text"}:
        for section in _outline(block):
            r.sections.append(
                (
                    replace(section, points=(), cite=(), include=()),
                    [*section.points],
                    [*section.cite],
                    [*section.include],
                )
            )
    r.section_depth = None


def _outline(block: Block) -> Iterator[Section]:
    """The sections of a fenced Markdown template."""
    inner = read_blocks("\n".join(block.lines))
    headings = [b for b in inner if b.kind == "heading"]
    numbered = [b for b in headings if _section_match(b.text)]
    level = min((b.level for b in headings if b.level > 1), default=2)
    plain = [b for b in headings if b.level == level and not _NOT_A_SECTION.match(without_budget(b.text))]
    chosen = numbered or plain
    reader = _Reader(step_kind="write")
    for b in inner:
        if b in chosen:
            match = _section_match(b.text)
            number, title = (int(match[1]), match[2]) if match else (None, b.text)
            _open_section(reader, number, title, block.line + b.line, 0)
        elif b.kind == "heading" and reader.sections and b.level <= level:
            reader.section_depth = None
        elif b.kind in {"item", "paragraph"} and reader.section_depth is not None:
            for text in b.lines:
                _within_section(reader, text, is_item=b.kind == "item")
    for section, points, cite, include in reader.sections:
        yield replace(section, points=tuple(points), cite=tuple(cite), include=tuple(include))


# --- lines -------------------------------------------------------------------------------------------------------


def _step(r: _Reader, text: str, line: int) -> bool:
    match = _STEP.match(text)
    if not match or not re.match(r"^\W{0,16}(?:\*\*|__|#|Step)", text):
        return False
    title = f"{match[2]} {match[3] or ''}".replace("**", "").strip()
    _open_step(r, int(match[1]), title, line)
    return True


def _open_step(r: _Reader, number: int | None, title: str, line: int) -> None:
    r.step_kind, r.lead_in, r.section_depth = _kind(title), "", None
    if r.step_kind == "write":
        r.step_budget = r.step_budget or read_budget(title)
    r.steps.append((Step(number, without_budget(title).rstrip(":").strip(), line), []))


def _label(r: _Reader, text: str, line: int, depth: int) -> bool:
    """``**Key**: value`` and ``**Research:**`` lines, and ``Target: x.md`` without emphasis."""
    match = _LABEL.match(text) or _PLAIN_TARGET.match(text)
    if not match or depth:
        return False
    key, value = match["key"].strip(), match["value"].strip()
    if _GOAL_KEY.match(key) and value:
        r.goal = r.goal or value
    elif key.lower() == "title" and value:
        r.page_title = r.page_title or value
    elif key.lower() == "completed" and value:
        r.completed = r.completed or value
    elif key.lower() == "status":
        if not r.steps and r.status is None:
            r.status = value
    elif _TARGET_KEY.match(key) and read_paths(value):
        r.keyed_targets += read_targets(value)
        r.create_budget = r.create_budget or read_budget(value)
    elif not value or re.fullmatch(r"\([^()]*\)", value):
        kind = _kind(key)
        if kind == "queries":
            _open_lead_in(r, key, depth)
        else:
            _open_step(r, None, f"{key} {value}".strip(), line)
    else:
        r.lead_in, r.lead_in_depth = _kind(key), depth
        _sentence(r, value, line, depth, is_item=False)
        _sentence(r, text, line, depth, is_item=False) if not r.lead_in else None
    return True


def _section_match(text: str) -> re.Match[str] | None:
    return _SECTION.match(text)


def _section(r: _Reader, text: str, line: int, depth: int) -> bool:
    match = _section_match(text)
    if match:
        _open_section(r, int(match[1]), match[2], line, depth)
        return True
    if r.step_kind != "write" and r.lead_in != "write":
        return False
    budgeted = _BUDGETED.match(text)
    if not budgeted or read_paths(text) or _CREATE.match(text) or _nested(r, depth):
        return False
    _open_section(r, int(budgeted[1]) if budgeted[1] else None, text[budgeted.start(2) :], line, depth)
    return True


def _nested(r: _Reader, depth: int) -> bool:
    return r.section_depth is not None and depth > r.section_depth


def _open_section(r: _Reader, number: int | None, title: str, line: int, depth: int) -> None:
    title = title.strip()
    name = without_budget(title.replace("**", "")).rstrip(" :-–").strip()
    r.sections.append((Section(number, name, line, read_budget(title)), [], [], []))
    r.section_depth = depth
    if ":" in title and not name:
        r.section_depth = depth


def _continues_section(r: _Reader, text: str) -> bool:
    """Whether a paragraph below an open section still speaks of it."""
    return r.section_depth is not None and not _STEP.match(text) and not re.match(r"^\*\*[^*]+\*\*:?\s*$", text)


def _within_section(r: _Reader, text: str, *, is_item: bool) -> None:
    section, points, cites, includes = r.sections[-1]
    cite, include = _CITE.match(text), _INCLUDE.match(text)
    if cite:
        cites.append(cite[1].strip() or text)
    elif include:
        includes.append(include[1].strip())
    elif is_item and text:
        points.append(text)
    elif section.lines_budget is None and read_budget(text) and not points:
        r.sections[-1] = (replace(section, lines_budget=read_budget(text)), points, cites, includes)
    elif points and text:
        points[-1] = f"{points[-1]} {text}"


def _sentence(r: _Reader, text: str, line: int, depth: int, *, is_item: bool) -> None:
    """One line that is neither step, section nor lead-in: file it by what it says."""
    plain = text.replace("**", "").strip()
    drop = read_drop(plain)
    if drop:
        r.drop = r.drop or drop
        return
    if r.section_depth is not None and (_nested(r, depth) or not is_item):
        for part in _split_cite(text):
            _within_section(r, part, is_item=is_item)
        return
    if r.step_kind == "drop":
        return
    if _CREATE.match(plain) and read_paths(plain):
        r.created_targets += read_targets(plain)
        r.create_budget = r.create_budget or read_budget(plain)
        return
    if _look_inside(r, plain, line) or _look_outside(r, plain, line, is_item=is_item):
        return
    if (r.lead_in or r.step_kind) == "points" and is_item:
        r.points.append(text)


def _split_cite(text: str) -> tuple[str, ...]:
    """A bullet whose own text runs into a ``Cite`` line that was joined to it."""
    match = re.search(r"\s(?=(?:Cite|Include):\s)", text)
    return (text[: match.start()], text[match.end() :]) if match else (text,)


def _look_inside(r: _Reader, plain: str, line: int) -> bool:
    """Existing knowledge: reads, greps, gaps."""
    gaps = _GAPS.match(plain)
    if gaps:
        r.gaps.append(gaps[1] or plain)
        return True
    grep = read_grep(plain, is_inward=(r.lead_in or r.step_kind) == "existing")
    if grep:
        r.greps.append(replace(grep, line=line))
        return True
    reads = read_reads(plain) if r.step_kind in {"existing", "", "research"} else ()
    r.reads += [replace(read, line=line) for read in reads]
    return bool(reads)


def _look_outside(r: _Reader, plain: str, line: int, *, is_item: bool) -> bool:
    """Queries and the sources wanted."""
    context = r.lead_in or r.step_kind
    if context in {"points", "write"} and not re.match(r"(?:web )?search\b[^\"]{0,30}[:\"]", plain, re.IGNORECASE):
        return False
    listed = is_item and (context == "queries" or (context == "research" and _is_quotation(plain)))
    queries = (
        ()
        if context == "existing" and not re.match(r"web|github|arxiv", plain, re.IGNORECASE)
        else read_queries(plain, is_listed=listed)
    )
    if queries:
        engine = r.engine if listed and context == "queries" else "web"
        r.queries += [replace(q, line=line, engine=engine if q.engine == "web" else q.engine) for q in queries]
        return True
    scrape, urls = _SCRAPE.match(plain), _URL.findall(plain)
    if context == "sources" and is_item:
        r.sources.append(plain)
    elif urls and context in {"research", "queries", "sources", ""}:
        r.sources += [url.rstrip(".,;") for url in urls]
    elif scrape and not re.match(r"(?:the )?top\b|\d|results?\b", scrape[1], re.IGNORECASE):
        r.sources.append(scrape[1].strip() or plain)
    elif not re.search(r"\b[\w.-]+/[\w.-]+\s+repo(?:sitory)?\b", plain):
        return False
    else:
        r.sources.append(plain)
    return True


def _is_quotation(plain: str) -> bool:
    """Whether nothing but a quoted string stands here, a remark in parentheses aside."""
    bare = re.sub(r"\([^()]*\)|^\d+[.)]", "", plain).strip(" .,;-–")
    texts = quoted(bare)
    return bool(texts) and len(bare) - sum(len(t) + 2 for t in texts) <= 6


def _task(r: _Reader, block: Block) -> None:
    """An item with a box anywhere, or a plain bullet at the top of a step, is one of the step's tasks."""
    if r.steps and (block.mark is not None or (block.depth == 1 and r.section_depth is None)):
        r.steps[-1][1].append(Task(block.text, block.mark, block.line))
