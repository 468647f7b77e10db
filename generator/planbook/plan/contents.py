"""The contents of a PART as far as its body was read, and the position in it.

The position is what the lines above say of the next one. The same words are a query below
``Search queries:``, a section below ``**Step 3: Write the page**``, and a point elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from planbook.markdown.budgets import read_budget, strip_budget
from planbook.model import Grep, LineBudget, Query, Read, Step, Task
from planbook.plan.forms import Meaning
from planbook.plan.lead_ins import kind_of_list
from planbook.plan.outline import Outline
from planbook.plan.paths import read_targets
from planbook.plan.queries import read_engine
from planbook.plan.steps import kind_of_step

OUTLINE_MEANINGS = frozenset({Meaning.WRITE, Meaning.OUTLINE})
"""The lines below say what sections the page has."""
PAGE_MEANINGS = OUTLINE_MEANINGS | {Meaning.POINTS}
"""The lines below say what the page has, so that quoted words in them are no queries."""


@dataclass(slots=True)
class Contents:
    """The values read of a PART, and the step, lead-in and section around the next line."""

    number: int
    """The PART's number."""

    # --- what was read
    steps: list[tuple[Step, list[Task]]] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    outline: Outline = field(default_factory=Outline)
    sources: list[str] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    greps: list[Grep] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    keyed_targets: list[str] = field(default_factory=list)
    """The pages that a label names."""
    created_targets: list[str] = field(default_factory=list)
    """Those that the tasks create: if no label names one, the first is the PART's page."""
    fields: dict[Meaning, str] = field(default_factory=dict)
    """The value of the first label of each meaning."""
    goals: list[str] = field(default_factory=list)
    """The items below ``**Goals**:``."""
    late_status: str | None = None
    """The first status below a step, or line such as ``PART 1 COMPLETE``."""
    drop: str | None = None
    step_budget: LineBudget | None = None
    """The budget in the title of the write step."""
    create_budget: LineBudget | None = None
    """The budget of the line that names the page."""
    size: LineBudget | None = None
    """The budget of a label."""

    # --- the position
    step_kind: Meaning | None = None
    """The meaning of the lines below the title of the current step."""
    step_depth: int = 0
    """The depth of the item that is the step's title; 0 for a paragraph."""
    lead_in: Meaning | None = None
    """The meaning of the next lines, by the one that introduces them."""
    lead_in_depth: int = 0
    engine: str = "web"
    """The search engine that the lead-in names."""
    is_quoting: bool = False
    """True if the list below the lead-in quotes its queries: unquoted items are then comments."""
    lists_topics: bool = False
    """True if unquoted items below the lead-in are points."""
    is_behind_rule: bool = False
    """True below a thematic break, where plans put notes on the run: no status, no points."""

    @property
    def context(self) -> Meaning | None:
        """The kind of the current lead-in, else of the current step."""
        return self.lead_in or self.step_kind

    @property
    def targets(self) -> tuple[str, ...]:
        """The pages of the PART, as the body names them."""
        return tuple(dict.fromkeys(self.keyed_targets or self.created_targets[:1]))

    @property
    def status(self) -> str | None:
        """The words of the status above the steps, else of the first one below."""
        return self.fields.get(Meaning.STATUS, self.late_status or None)

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

    def open_step(self, number: int | None, title: str) -> None:
        """Begin a step: the tasks below belong to it."""
        self.outline.close()
        self.step_kind, self.lead_in, self.step_depth = kind_of_step(title), None, 0
        if self.step_kind in OUTLINE_MEANINGS:
            self.step_budget = self.step_budget or read_budget(title)
            self.created_targets += read_targets(title, noted=True)
        words = strip_budget(title, is_planned=True).rstrip(":").strip()
        self.steps.append((Step(number, words), []))

    def open_lead_in(self, words: str, depth: int) -> None:
        """Begin the lines that `words` introduce, an item or a paragraph at this depth."""
        self.lead_in, self.lead_in_depth = kind_of_list(words), depth
        self.engine = read_engine(words)
        # ``Search for:`` behind queries that are quoted lists topics.
        self.is_quoting = bool(self.queries) and words.lower().endswith("search for")
        self.lists_topics = self.is_quoting
