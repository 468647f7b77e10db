"""The labels of plans: the words by which a line says what it is.

Nearly all of them: `body` has those that a label needs to be read as an item too, and patterns for
lines without a label. Each form of a line is a row of `FORMS`: what it gives, the words
that introduce it, an example, and what the example gives. To add a form, add a row. The Guide's
table of forms is generated from the rows, and `tests/plan/test_labels.py` parses the example of
each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from planbook.markdown.budgets import read_budget
from planbook.model import LineBudget


class Meaning(StrEnum):
    """The values that a form may give."""

    STATUS = "status"
    COMPLETED = "completed"
    TITLE = "title"
    GOAL = "goal"
    TARGET = "target"
    CREATED = "created"
    BUDGET = "budget"
    CONTENT = "content"
    QUERY = "query"
    SOURCE = "source"
    STEP = "step"
    SECTION = "section"
    CITE = "cite"
    INCLUDE = "include"
    READ = "read"
    GREP = "grep"
    INSIDE = "inside"
    GAPS = "gaps"
    SCRAPE = "scrape"
    CREATE = "create"
    DROP = "drop"
    EXISTING = "existing"
    QUERIES = "queries"
    SOURCES = "sources"
    WRITE = "write"
    POINTS = "points"
    RESEARCH = "research"


class Place(StrEnum):
    """The part of a line that has the words of a form."""

    LABEL = "label"
    """The whole key of ``**Key**: value``."""
    TOPIC = "topic"
    """Within a step's title, a label, or a line that ends in a colon: it says what the lines below
    are."""
    LINE = "line"
    """At the start of a line, before or after its box."""


class Needs(StrEnum):
    """The value that a label must have; without it, the label only introduces the lines below."""

    NOTHING = "nothing"
    TEXT = "text"
    PATH = "path"
    LINES = "lines"
    DATE = "date"
    """A year, a tick or *yes*."""
    LIST = "list"
    """No value: the list below is the value."""


@dataclass(frozen=True, slots=True)
class LineForm:
    """One form that a line of a plan may have."""

    meaning: Meaning
    says: str
    """Its meaning, for the Guide."""
    name: str
    """The words as a person would write them; misspelled ones are compared with it."""
    words: str
    """A pattern for the words, in any case."""
    example: str
    """Markdown below a PART's heading."""
    gives: Mapping[str, object] = field(hash=False)
    """Some keys of the example's PART in the JSON of `planbook show`."""
    place: Place = Place.LABEL
    needs: Needs = Needs.TEXT
    is_plain: bool = False
    """True if the label counts without bold, too."""
    also: tuple[str, ...] = ()
    """Other words of the form; misspelled ones are compared with them, too."""


_PATHS = r"(?:name|file|page|path|to create|to write|knowledge file)?s?"
_KEY_OF_TARGET = (
    r"(?:(?:new|final|target|output|knowledge|will|to|page)\s+)?"
    r"(?:target|output|knowledge|creates?|page|destination|deliverable|file|path|location)"
    rf"\s*{_PATHS}"
)
_KEY_OF_BUDGET = (
    r"(?:(?:expected|estimated|target|planned|total|approximate)\s)?"
    r"(?:output|(?:file |page )?(?:size|length)|lines?(?: count| budget)?|budget|target)"
)
_WEB = r"(?:web |github |arxiv )?"

FORMS: tuple[LineForm, ...] = (
    # --- labels that set a field of the PART
    LineForm(
        Meaning.STATUS,
        "The PART's state, if no status line or mark on the heading gives one",
        "Status",
        r"status|state",
        "**Status**: done",
        {"state": "done"},
        needs=Needs.NOTHING,
        is_plain=True,
    ),
    LineForm(
        Meaning.COMPLETED,
        "The time at which the PART was completed",
        "Completed",
        r"completed?(?: (?:on|at))?|completion (?:date|time)|date completed"
        r"|finished(?: (?:on|at))?",
        "**Completed**: 2026-11-20",
        {"state": "done", "completed": "2026-11-20"},
        needs=Needs.DATE,
        is_plain=True,
    ),
    LineForm(
        Meaning.TITLE,
        "The page's title",
        "Title",
        r"(?:page )?title",
        "**Title**: The sourdough starter",
        {"page_title": "The sourdough starter"},
        is_plain=True,
    ),
    LineForm(
        Meaning.GOAL,
        "One sentence about the page. Also `Focus`, `Purpose`, `Mission`",
        "Goal",
        r"(?:goal|focus|purpose|mission|aim)s?",
        "**Goal**: How a starter is fed",
        {"goal": "How a starter is fed"},
        is_plain=True,
    ),
    LineForm(
        Meaning.GOAL,
        "The same, as a list",
        "Goals",
        r"(?:learning |research )?(?:goal|objective)s",
        "**Goals**:\n- Feed a starter\n- Keep it cold",
        {"goal": "Feed a starter; Keep it cold"},
        needs=Needs.LIST,
    ),
    LineForm(
        Meaning.GOAL,
        "The same",
        "Objective",
        r"(?:learning |research )?objectives?",
        "**Objective**: How a starter is fed",
        {"goal": "How a starter is fed"},
        is_plain=True,
    ),
    LineForm(
        Meaning.TARGET,
        "The PART's page, if neither status line nor heading names one. Also `Output`, `File`, "
        "`Page`, `Path`",
        "Target File",
        _KEY_OF_TARGET,
        "**Target File**: bread/01-starter.md",
        {"targets": ["bread/01-starter.md"]},
        needs=Needs.PATH,
        is_plain=True,
    ),
    LineForm(
        Meaning.TARGET,
        "The PART's pages: each item below is one, the first budget is that of the PART",
        "Target Files",
        r"(?:new |output |target |final )(?:files?|pages?|paths?)(?: to (?:create|write))?"
        r"|(?:will )?creates?"
        r"|(?:files?|pages?) to (?:create|write)|deliverables?",
        "**Target Files**:\n- `bread/01-starter.md` (~400 lines)\n- `bread/02-oven.md`",
        {"targets": ["bread/01-starter.md", "bread/02-oven.md"], "lines_budget": [400, 400]},
        needs=Needs.LIST,
        is_plain=True,
    ),
    LineForm(
        Meaning.CREATED,
        "The PART's page, as a report names it: its length is no budget",
        "File Created",
        r"(?:(?:new|target|output|knowledge)\s+)?(?:files?|pages?|paths?)\s+(?:created|written)",
        "**File Created**: bread/01-starter.md (412 lines)",
        {"targets": ["bread/01-starter.md"], "lines_budget": None},
        needs=Needs.PATH,
        is_plain=True,
    ),
    LineForm(
        Meaning.CREATED,
        "The PART's pages, as a report lists them: their lengths are no budgets",
        "Target Files Created",
        r"(?:(?:new|target|output|knowledge)\s+)?(?:files?|pages?|paths?)\s+(?:created|written)",
        "**Target Files Created**:\n- `bread/01-starter.md` (880+ lines)",
        {"targets": ["bread/01-starter.md"], "lines_budget": None},
        needs=Needs.LIST,
        is_plain=True,
    ),
    LineForm(
        Meaning.BUDGET,
        "The line budget, if no other line gives one. Also `Length`, `Lines`, `Output`, `Budget`",
        "Expected Size",
        _KEY_OF_BUDGET,
        "**Expected Size**: 300-400 lines",
        {"lines_budget": [300, 400]},
        needs=Needs.LINES,
        is_plain=True,
    ),
    LineForm(
        Meaning.CONTENT,
        "The line budget above the outline: "
        "an item with a budget is a section, another one a point",
        "Expected Content",
        r"(?:(?:expected|planned|target|page) )?contents?"
        r"(?: (?:targets?|goals?|outline|sections?))?",
        "**Content (~400 lines):**\n- Feeding (~200 lines)\n- Signs of hunger",
        {
            "lines_budget": [400, 400],
            "sections": [{"title": "Feeding", "lines_budget": [200, 200]}],
            "points": ["Signs of hunger"],
        },
        needs=Needs.LINES,
    ),
    LineForm(
        Meaning.SOURCE,
        "A source wanted. Words that name no address are the goal, too, if no other line gives one",
        "Source",
        r"sources?(?: (?:documents?|files?|material))?",
        "**Source**: The millers' handbook",
        {"sources": ["The millers' handbook"], "goal": "The millers' handbook"},
    ),
    LineForm(
        Meaning.SOURCE,
        "A source wanted",
        "URL",
        r"url|link|address",
        "**URL**: https://www.example.org/handbook",
        {"sources": ["https://www.example.org/handbook"], "goal": None},
    ),
    # --- words at the start of a line
    LineForm(
        Meaning.STEP,
        "A group of tasks. The words after the number say what its lines are",
        "Step 1",
        r"step",
        "**Step 1: Web research**\n- [ ] Compare two flours",
        {"steps": [{"number": 1, "title": "Web research"}]},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.SECTION,
        "A section of the outline, with its budget",
        "Section 1",
        r"(?:section|sec\.|§)",
        "- [ ] Section 1: Feeding (~200 lines)",
        {"sections": [{"title": "Feeding", "lines_budget": [200, 200]}]},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.CITE,
        "What a section must cite",
        "Cite",
        r"cite[sd]?",
        "- [ ] Section 1: Feeding\n    - Cite: a study of ratios",
        {"sections": [{"cite": ["a study of ratios"]}]},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.INCLUDE,
        "What a section must include",
        "Include",
        r"include[sd]?",
        "- [ ] Section 1: Feeding\n    - Include: a table of ratios",
        {"sections": [{"include": ["a table of ratios"]}]},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.READ,
        "A page of the base, or a folder, that the PART builds on",
        "Read",
        r"(?:re-?)?(?:read|check|review|see|consult|scan|skim)",
        "- [ ] Read bread/00-flour.md (ash)",
        {"reads": ["bread/00-flour.md"]},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.GREP,
        "A [search of the base](writing.md#prior-knowledge-in-the-base)",
        "Grep for",
        r"(?:run\s+)?`?grep",
        '- [ ] Grep for "starter" AND "rye" in bread/',
        {
            "greps": [{"terms": ["starter", "rye"], "operator": "AND", "folders": ["bread/"]}],
            "queries": [],
        },
        place=Place.LINE,
    ),
    LineForm(
        Meaning.INSIDE,
        "The same, in the oracle, the index or what the base knows",
        "Search the oracle",
        r"(?:search|look)(?: (?!(?:the )?(?:web|internet|github|arxiv|google|online)\b)[^:]*?)? "
        r"(?:the |our |all |through |in |within |across |inside |existing |`){0,4}"
        r"(?:oracle|index(?:\.md)?|skill(?:\.md)?|existing|knowledge(?: base)?|base|codebase)\b",
        '- [ ] Search for "starter" in oracle',
        {"greps": [{"terms": ["starter"], "operator": None, "folders": []}], "queries": []},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.GAPS,
        "What the base does not say yet",
        "Identify gaps",
        r"identify\b.{0,40}?\bgaps?",
        "- [ ] Identify gaps: keeping a starter cold",
        {"gaps": ["keeping a starter cold"]},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.QUERY,
        "A query, and its search engine: GitHub, arXiv, Google Scholar, Wikipedia, else the web",
        "Search",
        r"(?:[\w.+/&-]+\s+){0,3}?(?:search(?:es|ed|_engine)?|quer(?:y|ies)|google|bing|look up)\b"
        r"|(?:web |online |initial )?research\b"
        r"|mcp__\w+|bright ?data|web ?search|q\d{1,2}|arxiv|github|scholar|stack ?overflow"
        r"|\(?(?:web|internet)\)?(?=:? ?[\"“])",
        '- [ ] Search: "starter hydration"\n- [ ] Search arXiv: "lactobacillus"',
        {
            "queries": [
                {"engine": "web", "text": "starter hydration"},
                {"engine": "arxiv", "text": "lactobacillus"},
            ]
        },
        place=Place.LINE,
        also=(
            "Queries",
            "Google",
        ),
    ),
    LineForm(
        Meaning.QUERY,
        "A query on the line below its task",
        "Query",
        r"quer(?:y|ies)\b",
        '- [ ] Compare two flours\n      Query: "rye and wheat flour"',
        {"queries": [{"engine": "web", "text": "rye and wheat flour"}]},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.QUERY,
        "A query in the call of a search tool, with or without backticks",
        "search_engine",
        r"[\w.]*search[\w.]*",
        '- [ ] `search_engine(query="starter acidity", engine="google")`',
        {"queries": [{"engine": "web", "text": "starter acidity"}]},
        place=Place.LINE,
    ),
    LineForm(
        Meaning.SCRAPE,
        "A source wanted; so is a bare address",
        "Scrape",
        r"scrape|fetch|extract from|source|visit",
        "- [ ] Scrape: the mill's handbook\n- [ ] https://www.example.org/handbook",
        {"sources": ["the mill's handbook", "https://www.example.org/handbook"]},
        place=Place.LINE,
        also=("Fetch",),
    ),
    LineForm(
        Meaning.CREATE,
        "The PART's page, if nothing above names one",
        "Create",
        r"create|write|produce|generate|output|save (?:as|to)",
        "- [ ] Create bread/01-starter.md (~400 lines)",
        {"targets": ["bread/01-starter.md"], "lines_budget": [400, 400]},
        place=Place.LINE,
        also=("Write",),
    ),
    # --- words that say what the lines below are; the first meaning found counts
    LineForm(
        Meaning.DROP,
        "What the drop must list",
        "Knowledge drop",
        r"knowledge.drop|summary file",
        "**Step 4: Leave a KNOWLEDGE DROP**\n- [ ] Create KNOWLEDGE-DROP-starter-2026-11-20.md",
        {"drop": "KNOWLEDGE-DROP-starter-2026-11-20.md"},
        place=Place.TOPIC,
    ),
    LineForm(
        Meaning.EXISTING,
        "What the base already says; nothing below is a query for the web",
        "Check existing knowledge",
        r"existing|check.*knowledge|prior knowledge|gaps?\b",
        "**Step 0: Check existing knowledge**\n- [ ] Read bread/00-flour.md",
        {"reads": ["bread/00-flour.md"], "queries": []},
        place=Place.TOPIC,
    ),
    LineForm(
        Meaning.QUERIES,
        "Queries: each item below is one. Names of search engines count for all of them",
        "Search queries",
        rf"quer(?:y|ies)|^{_WEB}search(?:es)?(?: terms| strings)?$|\bsearch(?: for)?$|searches\b",
        "Search queries:\n- starter hydration",
        {"queries": [{"engine": "web", "text": "starter hydration"}]},
        place=Place.TOPIC,
    ),
    LineForm(
        Meaning.SOURCES,
        "Sources wanted: each item below is one",
        "Target sources",
        r"(?:target|key|primary|recommended|suggested|main)\s+sources"
        r"|sources? (?:to|wanted)|\bsources$|repositor"
        r"|\b(?:key|seminal|important|relevant|core) papers\b|^papers$|^links\b|^resources\b"
        r"|^use .* for$",
        "Target sources:\n- Handbook of Dough Fermentations",
        {"sources": ["Handbook of Dough Fermentations"]},
        place=Place.TOPIC,
    ),
    LineForm(
        Meaning.WRITE,
        "The outline: an item with a budget is a section, also without *Section n*",
        "Write the page",
        r"\bwrite|outline|structure|^sections?$|create .*(?:file|page)|file contents?",
        "**Step 3: Write the page**\n- Feeding (~100 lines)",
        {"sections": [{"title": "Feeding", "lines_budget": [100, 100]}]},
        place=Place.TOPIC,
    ),
    LineForm(
        Meaning.POINTS,
        "Points to research: each item below is one",
        "Research focus",
        r"focus|extract|key (?:topics|content|concepts)|^topics|points|content to"
        r"|topics to|areas|cover\b|questions",
        "**Research Focus:**\n- Which flours feed a starter",
        {"points": ["Which flours feed a starter"]},
        place=Place.TOPIC,
    ),
    LineForm(
        Meaning.RESEARCH,
        "Instructions for research: quoted items are queries, addresses are sources",
        "Web research",
        r"research|search|hunt|investigat|scrape|web",
        '**Step 1: Web research**\n- "starter acidity"\n- https://www.example.org/handbook',
        {
            "queries": [{"engine": "web", "text": "starter acidity"}],
            "sources": ["https://www.example.org/handbook"],
        },
        place=Place.TOPIC,
    ),
)
"""All forms. Of several that match, the first with what it needs counts."""


# --- lines with a label ---------------------------------------------------------------------------


_LABEL = re.compile(
    r"^(?:\*\*|__)(?P<key>[^*:]{1,60}?)\s*"
    r"(?P<mark>:\s*(?:\*\*|__)|(?:\*\*|__)\s*:?)\s*(?P<value>.*)$"
)
_PLAIN_LABEL = re.compile(
    r"^(?P<key>[A-Za-z][A-Za-z ]{1,30}?)(?P<note> ?\([^():]{1,30}\))?\s?:\s?(?P<value>.*)$"
)
_KEY_WITH_NOTE = re.compile(r"^(?P<key>[^()]*[^()\s])\s*(?P<note>\([^()]*\))$")
_DATE = re.compile(r"\b\d{4}\b|[✓✔✅☑]|^yes\b", re.IGNORECASE)
_NOTE_BEFORE_COLON = re.compile(r"^(?P<note>\([^()]*\))\s*:\s*(?P<value>.*)$")


@dataclass(frozen=True, slots=True)
class Label:
    """A line ``**Key**: value``.

    It may also be ``**Key:** value``, ``**Key** value`` or ``**Key** (note): value``.
    """

    key: str
    value: str
    has_colon: bool
    note: str = ""
    """Text in parentheses between the key and the colon."""

    @property
    def noted(self) -> str:
        """The note and the value."""
        return f"{self.note} {self.value}".strip()


def read_label(text: str) -> Label | None:
    """Return the key and value of a line that begins with a label in bold."""
    match = _LABEL.match(text)
    if not match:
        return None
    key, value, has_colon = match["key"].strip(), match["value"].strip(), ":" in match["mark"]
    inside = _KEY_WITH_NOTE.match(key)
    if inside:
        return Label(inside["key"], value, has_colon, inside["note"])
    behind = None if has_colon else _NOTE_BEFORE_COLON.match(value)
    if behind:
        return Label(key, behind["value"], True, behind["note"])
    return Label(key, value, has_colon)


def read_plain_label(text: str) -> Label | None:
    """Return the key and value of a line such as ``File: bread/01-starter.md``.

    ``None`` if no form in the table has its words without bold.
    """
    match = _PLAIN_LABEL.match(text)
    if not match or not any(form.is_plain for form in _labels_with(match["key"])):
        return None
    return Label(match["key"], match["value"].strip(), True, (match["note"] or "").strip())


def meaning_of(label: Label, *, has_path: bool, is_bold: bool = True) -> Meaning | None:
    """Return what a label sets of the PART; ``None`` if it sets nothing.

    Args:
        label: The label.
        has_path: True if its value names a Markdown file.
        is_bold: False if only forms count that need no bold.
    """
    is_given = {
        Needs.NOTHING: True,
        Needs.TEXT: bool(label.value),
        Needs.PATH: has_path,
        Needs.LINES: budget_of(label) is not None,
        Needs.DATE: bool(_DATE.search(label.value)),
        Needs.LIST: not label.value,
    }
    for form in _labels_with(label.key):
        if is_given[form.needs] and (is_bold or form.is_plain):
            return form.meaning
    return None


def budget_of(label: Label) -> LineBudget | None:
    """Return the budget in a label's note or value.

    Behind the word *lines*, a number is enough: ``**Lines**: 400``.
    """
    unit = " lines" if "line" in label.key.lower() and label.value[-1:].isdigit() else ""
    return read_budget(f"{label.noted}{unit}")


def is_key_of(key: str, meaning: Meaning) -> bool:
    """Return True if a label with these words may have this meaning."""
    return any(form.meaning is meaning for form in _labels_with(key))


def is_known_label(key: str) -> bool:
    """Return True if the table has a label with these words."""
    return bool(_labels_with(key))


def topic_of(words: str) -> Meaning | None:
    """Return what a step's title, a label or a lead-in says of the lines below it."""
    return next((form.meaning for form in _TOPICS if _pattern(form).search(words)), None)


def words_of(meaning: Meaning) -> str:
    """Return a pattern for the words by which a line has this meaning, as one group."""
    words = (form.words for form in FORMS if form.place is Place.LINE and form.meaning is meaning)
    return f"(?:{'|'.join(words)})"


@lru_cache(maxsize=1024)
def _labels_with(key: str) -> tuple[LineForm, ...]:
    return tuple(form for form in _LABELS if _pattern(form).fullmatch(key))


@lru_cache(maxsize=256)
def _pattern(form: LineForm) -> re.Pattern[str]:
    return re.compile(form.words, re.IGNORECASE)


_LABELS = tuple(form for form in FORMS if form.place is Place.LABEL)
_TOPICS = tuple(form for form in FORMS if form.place is Place.TOPIC)
