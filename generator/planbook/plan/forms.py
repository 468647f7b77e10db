"""The forms of a plan's lines: the words by which a line says what it is.

Each form is a row of `FORMS`: what it gives, the words that introduce it, an example, and what the
example gives. Another form of a meaning is another row; a new meaning needs a few steps more, which
CONTRIBUTING lists. The Guide's table of forms is generated from the rows, and
`tests/plan/test_forms.py` parses the example of each. `labels` reads lines by these rows; lines
without such words are read by patterns in `lines`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


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
    OUTLINE = "outline"
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


class FormKind(StrEnum):
    """The text of a line that has the words of a form."""

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
    ESTIMATE = "estimate"
    """Nothing but an approximate number of lines."""
    DATE = "date"
    """A year, a tick or *yes*."""
    LIST = "list"
    """No value: the list below is the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    kind: FormKind = FormKind.LABEL
    needs: Needs = Needs.TEXT
    is_plain: bool = False
    """True if the label counts without bold, too."""
    words_in_list: str = ""
    """A pattern for those of the words that set the field as the label of an item, too, which
    other labels make a task; empty if none does."""
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
_KEY_OF_OUTLINE = (
    r"(?:(?:content|page|file|document)s? )?"
    r"(?:structure|outline|sections|chapters|headings|table of contents)"
)
BUILDS_ON = (
    r"(?:builds|based|depends) (?:up)?on|prerequisites?|connections?|influenced by|related pages?"
)
"""Words before pages of the base, whatever the step."""
_WEB = r"(?:web |github |arxiv )?"

FORMS: tuple[LineForm, ...] = (
    # --- labels that set a field of the PART
    LineForm(
        meaning=Meaning.STATUS,
        says="The PART's state, if no status line or mark on the heading gives one",
        name="Status",
        words=r"status|state",
        example="**Status**: done",
        gives={"state": "done"},
        needs=Needs.NOTHING,
        is_plain=True,
        words_in_list=r"status",
    ),
    LineForm(
        meaning=Meaning.COMPLETED,
        says="The time at which the PART was completed",
        name="Completed",
        words=r"completed?(?: (?:on|at))?|completion(?: (?:date|time|status))?|date completed"
        r"|finished(?: (?:on|at))?",
        example="**Completed**: 2026-11-20",
        gives={"state": "done", "completed": "2026-11-20"},
        needs=Needs.DATE,
        is_plain=True,
        words_in_list=r"completed",
    ),
    LineForm(
        meaning=Meaning.TITLE,
        says="The page's title",
        name="Title",
        words=r"(?:page )?title",
        example="**Title**: The sourdough starter",
        gives={"page_title": "The sourdough starter"},
        is_plain=True,
        words_in_list=r"title",
    ),
    LineForm(
        meaning=Meaning.GOAL,
        says="One sentence about the page. Also `Focus`, `Purpose`, `Mission`, `Topic`",
        name="Goal",
        words=r"(?:goal|focus|purpose|mission|aim)s?|topic",
        example="**Goal**: How a starter is fed",
        gives={"goal": "How a starter is fed"},
        is_plain=True,
        words_in_list=r"goal",
    ),
    LineForm(
        meaning=Meaning.GOAL,
        says="The same, as a list",
        name="Goals",
        words=r"(?:learning |research )?(?:goal|objective)s",
        example="**Goals**:\n- Feed a starter\n- Keep it cold",
        gives={"goal": "Feed a starter; Keep it cold"},
        needs=Needs.LIST,
    ),
    LineForm(
        meaning=Meaning.GOAL,
        says="The same",
        name="Objective",
        words=r"(?:learning |research )?objectives?",
        example="**Objective**: How a starter is fed",
        gives={"goal": "How a starter is fed"},
        is_plain=True,
    ),
    LineForm(
        meaning=Meaning.TARGET,
        says="The PART's page, if neither status line nor heading names one. "
        "Also `Output`, `File`, `Page`, `Path`",
        name="Target File",
        words=_KEY_OF_TARGET,
        example="**Target File**: bread/01-starter.md",
        gives={"targets": ["bread/01-starter.md"]},
        needs=Needs.PATH,
        is_plain=True,
        words_in_list=r"(?:target|output|knowledge)\s*(?:file|page|path)?|file",
    ),
    LineForm(
        meaning=Meaning.TARGET,
        says="The PART's pages: each item below is one, the first budget is that of the PART",
        name="Target Files",
        words=r"(?:new |output |target |final )(?:files?|pages?|paths?)(?: to (?:create|write))?"
        r"|(?:will )?creates?"
        r"|(?:files?|pages?) to (?:create|write)|deliverables?",
        example="**Target Files**:\n- `bread/01-starter.md` (~400 lines)\n- `bread/02-oven.md`",
        gives={"targets": ["bread/01-starter.md", "bread/02-oven.md"], "lines_budget": [400, 400]},
        needs=Needs.LIST,
        is_plain=True,
    ),
    LineForm(
        meaning=Meaning.CREATED,
        says="The PART's page, as a report names it: its length is no budget",
        name="File Created",
        words=r"(?:(?:new|target|output|knowledge)\s+)?"
        r"(?:files?|pages?|paths?)\s+(?:created|written)",
        example="**File Created**: bread/01-starter.md (412 lines)",
        gives={"targets": ["bread/01-starter.md"], "lines_budget": None},
        needs=Needs.PATH,
        is_plain=True,
    ),
    LineForm(
        meaning=Meaning.CREATED,
        says="The PART's pages, as a report lists them: their lengths are no budgets",
        name="Target Files Created",
        words=r"(?:(?:new|target|output|knowledge)\s+)?"
        r"(?:files?|pages?|paths?)\s+(?:created|written)",
        example="**Target Files Created**:\n- `bread/01-starter.md` (880+ lines)",
        gives={"targets": ["bread/01-starter.md"], "lines_budget": None},
        needs=Needs.LIST,
        is_plain=True,
    ),
    LineForm(
        meaning=Meaning.BUDGET,
        says="The line budget, as what to check at the end: an approximate number, and no page",
        name="File created",
        words=r"(?:files?|pages?) (?:created|written)",
        example="- [ ] File created: ~300 lines",
        gives={"lines_budget": [300, 300]},
        needs=Needs.ESTIMATE,
        is_plain=True,
    ),
    LineForm(
        meaning=Meaning.BUDGET,
        says="The line budget, if no other line gives one. "
        "Also `Length`, `Lines`, `Output`, `Budget`",
        name="Expected Size",
        words=_KEY_OF_BUDGET,
        example="**Expected Size**: 300-400 lines",
        gives={"lines_budget": [300, 400]},
        needs=Needs.LINES,
        is_plain=True,
    ),
    LineForm(
        meaning=Meaning.CONTENT,
        says="The line budget above the outline: "
        "an item with a budget is a section, another one a point",
        name="Expected Content",
        words=r"(?:(?:expected|planned|target|page) )?contents?"
        r"(?: (?:targets?|goals?|outline|sections?))?",
        example="**Content (~400 lines):**\n- Feeding (~200 lines)\n- Signs of hunger",
        gives={
            "lines_budget": [400, 400],
            "sections": [{"title": "Feeding", "lines_budget": [200, 200]}],
            "points": ["Signs of hunger"],
        },
        needs=Needs.LINES,
    ),
    LineForm(
        meaning=Meaning.POINTS,
        says="Points to research, between commas or semicolons. "
        "Also `Scope`, `Keywords`, `Themes`, `Aspects`",
        name="Topics",
        words=r"(?:key |main |core )?(?:(?:sub-?)?topics|concepts|themes|aspects|keywords|scope)"
        r"(?: to (?:cover|include|research))?",
        example="**Topics**: rye, the colour of flour (dark, light), ash",
        gives={"points": ["rye", "the colour of flour (dark, light)", "ash"]},
        is_plain=True,
        words_in_list=r"(?:key |main |core )?topics|scope|keywords",
    ),
    LineForm(
        meaning=Meaning.POINTS,
        says="The same, if it gives no budget",
        name="Content",
        words=r"(?:key |main |core )?contents?(?: to (?:cover|include|research))?",
        example="**Content**: rye, ash",
        gives={"points": ["rye", "ash"]},
    ),
    LineForm(
        meaning=Meaning.OUTLINE,
        says="The outline in one line: two or more titles",
        name="Sections",
        words=_KEY_OF_OUTLINE,
        example="**Sections**: Feeding, Cold storage",
        gives={"sections": [{"title": "Feeding"}, {"title": "Cold storage"}]},
        is_plain=True,
        words_in_list=r"sections|outline|structure|chapters",
    ),
    LineForm(
        meaning=Meaning.SOURCE,
        says="A source wanted. "
        "Words that name no address are the goal, too, if no other line gives one",
        name="Source",
        words=r"sources?(?: (?:documents?|files?|material))?",
        example="**Source**: The millers' handbook",
        gives={"sources": ["The millers' handbook"], "goal": "The millers' handbook"},
    ),
    LineForm(
        meaning=Meaning.CITE,
        says="Sources wanted, between commas or semicolons. Also `References`, `Cite`",
        name="Citations",
        words=r"(?:expected |required )?citations|sources to cite|references|cite",
        example="**Citations**: The millers' handbook, a study of ash (2024)",
        gives={"sources": ["The millers' handbook", "a study of ash (2024)"], "goal": None},
    ),
    LineForm(
        meaning=Meaning.SOURCE,
        says="A source wanted",
        name="URL",
        words=r"url|link|address",
        example="**URL**: https://www.example.org/handbook",
        gives={"sources": ["https://www.example.org/handbook"], "goal": None},
    ),
    # --- words at the start of a line
    LineForm(
        meaning=Meaning.STEP,
        says="A group of tasks. The words after the number say what its lines are",
        name="Step 1",
        words=r"step",
        example="**Step 1: Web research**\n- [ ] Compare two flours",
        gives={"steps": [{"number": 1, "title": "Web research"}]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.SECTION,
        says="A section of the outline, with its budget. Words behind the budget are a point",
        name="Section 1",
        words=r"(?:section|sec\.|§)",
        example="- [ ] Section 1: Feeding (~200 lines) - how often, and with what",
        gives={
            "sections": [
                {
                    "title": "Feeding",
                    "lines_budget": [200, 200],
                    "points": ["how often, and with what"],
                }
            ]
        },
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.SECTION,
        says="The same, as an instruction. Also `Draft`, `Add`, `Create`",
        name="Write Section 1",
        words=r"(?:write|draft|add|create|complete)\s+(?:the\s+)?section",
        example="- [ ] Write Section 1: Feeding (~200 lines)",
        gives={"sections": [{"title": "Feeding", "lines_budget": [200, 200]}]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.CITE,
        says="What a section must cite",
        name="Cite",
        words=r"cite[sd]?",
        example="- [ ] Section 1: Feeding\n    - Cite: a study of ratios",
        gives={"sections": [{"cite": ["a study of ratios"]}]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.INCLUDE,
        says="What a section must include",
        name="Include",
        words=r"include[sd]?",
        example="- [ ] Section 1: Feeding\n    - Include: a table of ratios",
        gives={"sections": [{"include": ["a table of ratios"]}]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.READ,
        says="A page of the base, or a folder, that the PART builds on",
        name="Read",
        words=r"(?:re-?)?(?:read|check|review|see|consult|scan|skim)",
        example="- [ ] Read bread/00-flour.md (ash)",
        gives={"reads": ["bread/00-flour.md"]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.READ,
        says="The same, anywhere in the PART. Also `Depends on`, `Prerequisites`, `Connections`",
        name="Builds on",
        words=BUILDS_ON,
        example="**Builds on**: bread/00-flour.md, bread/01-mills.md",
        gives={"reads": ["bread/00-flour.md", "bread/01-mills.md"]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.GREP,
        says="A [search of the base](drafts.md#prior-knowledge-in-the-base)",
        name="Grep for",
        words=r"(?:run\s+)?`?grep",
        example='- [ ] Grep for "starter" AND "rye" in bread/',
        gives={
            "greps": [{"terms": ["starter", "rye"], "operator": "AND", "folders": ["bread/"]}],
            "queries": [],
        },
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.INSIDE,
        says="The same, in the oracle, the index or what the base knows",
        name="Search the oracle",
        words=r"(?:search|look)"
        r"(?: (?!(?:the )?(?:web|internet|github|arxiv|google|online)\b)[^:]*?)? "
        r"(?:the |our |all |through |in |within |across |inside |existing |`){0,4}"
        r"(?:oracle|index(?:\.md)?|skill(?:\.md)?|existing|knowledge(?: base)?|base|codebase)\b",
        example='- [ ] Search for "starter" in oracle',
        gives={"greps": [{"terms": ["starter"], "operator": None, "folders": []}], "queries": []},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.GAPS,
        says="What the base does not say yet",
        name="Identify gaps",
        words=r"identify\b.{0,40}?\bgaps?",
        example="- [ ] Identify gaps: keeping a starter cold",
        gives={"gaps": ["keeping a starter cold"]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.QUERY,
        says="A query, and its search engine: "
        "GitHub, arXiv, Google Scholar, Wikipedia, else the web",
        name="Search",
        words=r"(?:[\w.+/&-]+\s+){0,3}?"
        r"(?:search(?:es|ed|_engine)?|quer(?:y|ies)|google|bing|look up)\b"
        r"|(?:web |online |initial )?research\b"
        r"|mcp__\w+|bright ?data|web ?search|q\d{1,2}|arxiv|github|scholar|stack ?overflow"
        r"|\(?(?:web|internet)\)?(?=:? ?[\"“])",
        example='- [ ] Search: "starter hydration"\n- [ ] Search arXiv: "lactobacillus"',
        gives={
            "queries": [
                {"engine": "web", "text": "starter hydration"},
                {"engine": "arxiv", "text": "lactobacillus"},
            ]
        },
        kind=FormKind.LINE,
        also=(
            "Queries",
            "Google",
        ),
    ),
    LineForm(
        meaning=Meaning.QUERY,
        says="A query on the line below its task",
        name="Query",
        words=r"quer(?:y|ies)\b",
        example='- [ ] Compare two flours\n      Query: "rye and wheat flour"',
        gives={"queries": [{"engine": "web", "text": "rye and wheat flour"}]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.QUERY,
        says="A query in the call of a search tool, with or without backticks",
        name="search_engine",
        words=r"[\w.]*search[\w.]*",
        example='- [ ] `search_engine(query="starter acidity", engine="google")`',
        gives={"queries": [{"engine": "web", "text": "starter acidity"}]},
        kind=FormKind.LINE,
    ),
    LineForm(
        meaning=Meaning.SCRAPE,
        says="A source wanted; so is a bare address",
        name="Scrape",
        words=r"scrape|fetch|extract from|source(?=\s?:)|visit",
        example="- [ ] Scrape: the mill's handbook\n- [ ] https://www.example.org/handbook",
        gives={"sources": ["the mill's handbook", "https://www.example.org/handbook"]},
        kind=FormKind.LINE,
        also=("Fetch",),
    ),
    LineForm(
        meaning=Meaning.CREATE,
        says="The PART's page, if nothing above names one",
        name="Create",
        words=r"create|write|produce|generate|output|save (?:as|to)",
        example="- [ ] Create bread/01-starter.md (~400 lines)",
        gives={"targets": ["bread/01-starter.md"], "lines_budget": [400, 400]},
        kind=FormKind.LINE,
        also=("Write",),
    ),
    # --- words that say what the lines below are; the first meaning found counts
    LineForm(
        meaning=Meaning.DROP,
        says="What the drop must list",
        name="Knowledge drop",
        words=r"knowledge.drop|summary file",
        example="**Step 4: Leave a KNOWLEDGE DROP**\n"
        "- [ ] Create KNOWLEDGE-DROP-starter-2026-11-20.md",
        gives={"drop": "KNOWLEDGE-DROP-starter-2026-11-20.md"},
        kind=FormKind.TOPIC,
    ),
    LineForm(
        meaning=Meaning.EXISTING,
        says="What the base already says; nothing below is a query for the web",
        name="Check existing knowledge",
        words=r"existing|check.*knowledge|prior knowledge|gaps?\b",
        example="**Step 0: Check existing knowledge**\n- [ ] Read bread/00-flour.md",
        gives={"reads": ["bread/00-flour.md"], "queries": []},
        kind=FormKind.TOPIC,
    ),
    LineForm(
        meaning=Meaning.QUERIES,
        says="Queries: each item below is one. Names of search engines count for all of them",
        name="Search queries",
        words=rf"quer(?:y|ies)|^{_WEB}search(?:es)?(?: terms| strings)?$"
        r"|\bsearch(?: for)?$|searches\b",
        example="Search queries:\n- starter hydration",
        gives={"queries": [{"engine": "web", "text": "starter hydration"}]},
        kind=FormKind.TOPIC,
    ),
    LineForm(
        meaning=Meaning.SOURCES,
        says="Sources wanted: each item below is one",
        name="Target sources",
        words=r"(?:target|key|primary|recommended|suggested|main)\s+sources"
        r"|sources? (?:to|wanted)|^(?!.*\bcite\b).*\bsources$|repositor"
        r"|\b(?:key|seminal|important|relevant|core) papers\b|^papers$|^links\b|^resources\b"
        r"|^use .* for$",
        example="Target sources:\n- Handbook of Dough Fermentations",
        gives={"sources": ["Handbook of Dough Fermentations"]},
        kind=FormKind.TOPIC,
    ),
    LineForm(
        meaning=Meaning.OUTLINE,
        says="The outline: each item below is a section, also without a budget. "
        "Words behind a dash are a point",
        name="Content structure",
        words=rf"^{_KEY_OF_OUTLINE}$",
        example="**Content structure:**\n1. Feeding - how often\n2. Cold storage",
        gives={
            "sections": [
                {"title": "Feeding", "lines_budget": None, "points": ["how often"]},
                {"title": "Cold storage", "lines_budget": None, "points": []},
            ]
        },
        kind=FormKind.TOPIC,
    ),
    LineForm(
        meaning=Meaning.WRITE,
        says="The outline: an item with a budget is a section, also without *Section n*",
        name="Write the page",
        words=r"\bwrite|outline|structure|^sections?$|create .*(?:file|page)|file contents?",
        example="**Step 3: Write the page**\n- Feeding (~100 lines)",
        gives={"sections": [{"title": "Feeding", "lines_budget": [100, 100]}]},
        kind=FormKind.TOPIC,
    ),
    LineForm(
        meaning=Meaning.POINTS,
        says="Points to research: each item below is one",
        name="Research focus",
        words=r"focus|extract|what to\b|find out|key (?:topics|content|concepts)|^topics|points"
        r"|content to|topics to|areas|cover\b|questions",
        example="**Research Focus:**\n- Which flours feed a starter",
        gives={"points": ["Which flours feed a starter"]},
        kind=FormKind.TOPIC,
    ),
    LineForm(
        meaning=Meaning.RESEARCH,
        says="Instructions for research: quoted items are queries, addresses are sources",
        name="Web research",
        words=r"^(?!.*\bcite\b).*?(?:research|search|hunt|investigat|scrape|web)",
        example='**Step 1: Web research**\n- "starter acidity"\n- https://www.example.org/handbook',
        gives={
            "queries": [{"engine": "web", "text": "starter acidity"}],
            "sources": ["https://www.example.org/handbook"],
        },
        kind=FormKind.TOPIC,
    ),
)
"""All forms. Of several that match, the first with what it needs counts."""


def words_of(meaning: Meaning) -> str:
    """Return a pattern for the words by which a line has this meaning, as one group."""
    words = (form.words for form in FORMS if form.kind is FormKind.LINE and form.meaning is meaning)
    return f"(?:{'|'.join(words)})"
