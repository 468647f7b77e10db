"""Words that announce what follows: step titles, ``**Key**: value`` labels, lead-ins such as ``Search queries:``."""

from __future__ import annotations

import re

from generator.budgets import read_budget
from generator.model import LineBudget
from generator.plan.phrases import read_paths

STEP = re.compile(
    r"^\W{0,16}Step\s+(\d+)[a-z]?\s*(?:\*\*)?\s*[:.)–—-]*\s*(?:\*\*)?\s*(.*?)\s*(?:\*\*|__)?\s*(\([^()]*\))?\s*$",
    re.IGNORECASE,
)
"""``**Step n: Title** (~400 lines)``: number, title, note."""

LABEL = re.compile(r"^(?:\*\*|__)(?P<key>[^*:]{1,60}?)\s*(?::\s*(?:\*\*|__)|(?:\*\*|__)\s*:?)\s*(?P<value>.*)$")
"""``**Key**: value`` and ``**Key:** value``."""

PLAIN_TARGET = re.compile(
    r"^(?P<key>(?:Target|Output|Knowledge|Destination)(?: (?:file|page|path))?|File)"
    r"\s?:\s?(?P<value>[`\w].{0,300}\.md\b.*)$",
    re.IGNORECASE,
)
"""``Target: x.md`` without emphasis."""

_LEAD_IN = re.compile(r"^\W{0,16}(?P<key>[A-Z][^:\"`]{0,60}?)[\s*_]{0,6}(?:\([^()]*\)\s?)?:[\s*_]{0,6}$")
_ITEM_LEAD_IN = re.compile(r"^(?P<key>[^\"`]{1,120}?):$")
_TARGET_KEY = re.compile(
    r"^(?:(?:new|final|target|output|knowledge|will|to|page)\s+)?"
    r"(?:target|output|knowledge|creates?|page|destination|deliverable|file|path|location)"
    r"\s*(?:name|file|page|path|to create|knowledge file)?s?$",
    re.IGNORECASE,
)
_TARGET_LIST_KEY = re.compile(
    r"^(?:(?:new|output|target) (?:files?|pages?|paths?)(?: created)?|creates?)$", re.IGNORECASE
)
"""``**Target Files**:`` above a list."""
_BUDGET_KEY = re.compile(
    r"^[^\w\[]{0,8}(?:(?:expected|estimated|target|planned|total)\s)?"
    r"(?:contents?|output|(?:file )?size|length|lines?(?: count| budget)?|budget|target)\s{0,3}[*_:(]",
    re.IGNORECASE,
)
_GOAL_KEY = re.compile(r"^(?:goal|focus|objective|purpose|mission)$", re.IGNORECASE)
_BULLET_KEY = re.compile(
    r"^(?:status|completed|(?:target|output|knowledge)\s*(?:file|page|path)?|file|goal|title)$", re.IGNORECASE
)

_KINDS = (
    ("drop", r"knowledge.drop|summary file"),
    ("existing", r"existing|check.*knowledge|prior knowledge|gaps?\b"),
    (
        "queries",
        r"quer(?:y|ies)|^(?:web |github |arxiv )?search(?:es)?(?: terms| strings)?$|\bsearch(?: for)?$|searches\b",
    ),
    (
        "sources",
        r"(?:target|key|primary|recommended|suggested|main)\s+sources|sources? (?:to|wanted)|\bsources$|repositor"
        r"|\b(?:key|seminal|important|relevant|core) papers\b|^papers$|^links\b|^resources\b|^use .* for$",
    ),
    ("write", r"\bwrite|outline|structure|^sections?$|create .*(?:file|page)|file contents?|content outline"),
    (
        "points",
        r"focus|extract|key (?:topics|content|points|concepts|areas|questions)|^topics|points|content to|topics to"
        r"|areas|cover\b|questions",
    ),
    ("research", r"research|search|hunt|investigat|scrape|web"),
)
_KIND_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _KINDS)


def kind_of(words: str) -> str:
    """Return the kind that `words` introduce: ``drop existing sources write points queries research``, or empty."""
    return next((name for name, pattern in _KIND_PATTERNS if pattern.search(words)), "")


def lead_in(text: str) -> str | None:
    """Return the text of a line that only introduces the lines below it."""
    match = _LEAD_IN.match(text)
    return match["key"].strip() if match else None


def item_lead_in(text: str) -> str | None:
    """Do the same for a list item, which may be a longer phrase; only for known kinds of lead-ins."""
    match = _LEAD_IN.match(text) or _ITEM_LEAD_IN.match(text)
    return match["key"].strip() if match and kind_of(match["key"].strip()) else None


def label(text: str) -> tuple[str, str] | None:
    """Return the key and value of a label line."""
    match = LABEL.match(text) or PLAIN_TARGET.match(text)
    return (match["key"].strip(), match["value"].strip()) if match else None


def field_of(key: str, value: str) -> str:
    """Return what a label sets of a PART: ``goal title completed status target``, ``targets below``, or empty."""
    name = key.lower()
    if name == "query" or re.match(r"(?:q|query |search )\d", name):
        return ""
    if name == "status" or (name in {"title", "completed"} and value):
        return name
    if _GOAL_KEY.match(key) and value:
        return "goal"
    if not value and _TARGET_LIST_KEY.match(name):
        return "targets below"
    return "target" if _TARGET_KEY.match(key) and read_paths(value) else ""


def size_of(text: str) -> LineBudget | None:
    """Return the budget that a label such as ``**Expected Size**: 300-400 lines`` gives the page."""
    return read_budget(text) if _BUDGET_KEY.match(text) else None


def is_field_bullet(text: str) -> bool:
    """Return True if a bullet is a label that sets a field, rather than a task."""
    match = LABEL.match(text)
    return bool(PLAIN_TARGET.match(text) or (match and _BULLET_KEY.match(match["key"].strip())))
