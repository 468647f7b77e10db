"""The outline of the page to write: sections with budgets, points, what to cite and to include."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from planbook.markdown.budgets import budget_notes, read_budget, strip_budget
from planbook.markdown.plan_blocks import Block, read_plan_blocks
from planbook.model import Section
from planbook.plan.forms import Meaning, words_of
from planbook.plan.numerals import NUMBER_OR_LETTER
from planbook.plan.paths import read_paths

_SECTION = re.compile(
    rf"^\W{{0,16}}{words_of(Meaning.SECTION)}\s*#?{NUMBER_OR_LETTER}\s*(?:\*\*)?"
    r"\s*[:.)–—-]*\s*(?:\*\*)?\s*(?P<title>.*)$",
    re.IGNORECASE,
)
_UNNUMBERED_SECTION = re.compile(
    r"""
    ^ \W{0,16} (?:write|draft|add|create) \s{1,3} (?:(?:the|an?) \s{1,3})?
    (?: section :? \s{0,3} ["“`] (?P<quoted> [^"“”`]{1,120} ) ["”`]    # Write section "Feeding"
    | (?P<titled> [^"“”`(]{1,120}? ) \s{1,3} section                    # Write the Feeding section
    ) \s{0,3} $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The words before the budget of a section without a number."""
_NUMBER = re.compile(r"^\W{0,16}(?:\d+[.)]\s?)?(?:(?i:write|draft)\s+(?:the\s+)?(?=\w))?")
_CITE = re.compile(
    rf"^(?:\*\*)?{words_of(Meaning.CITE)}\b(?:\*\*)?\s*:?(?:\*\*)?\s*(.*)$", re.IGNORECASE
)
_INCLUDE = re.compile(
    rf"^(?:\*\*)?{words_of(Meaning.INCLUDE)}(?:\*\*)?\s*:(?:\*\*)?\s*(.*)$", re.IGNORECASE
)
_CITE_OR_INCLUDE = re.compile(r"\s(?=(?:Cite|Include):\s)")
"""``How it is measured. Cite: the standard``: a point, and what to cite."""
_PLACEHOLDER_TITLE = re.compile(r"^\[[^\[\]]*\]$")
"""``## Section X: [Topic]``, in a template."""
_REMARK = re.compile(r"^\s*(?:[-–—:]+\s+)(?P<remark>\w.*)$")
"""``- why the bran matters``, behind a budget."""


@dataclass(slots=True)
class _Draft:
    section: Section
    points: list[list[str]] = field(default_factory=list)
    """The paragraphs of each point."""
    cite: list[str] = field(default_factory=list)
    include: list[str] = field(default_factory=list)

    def finished(self) -> Section:
        """Return the section with the points, citations and inclusions that were read."""
        points = tuple(" ".join(paragraphs) for paragraphs in self.points)
        cite, include = tuple(self.cite), tuple(self.include)
        return replace(self.section, points=points, cite=cite, include=include)


@dataclass(slots=True)
class Outline:
    """The sections read so far, one of which may be open."""

    drafts: list[_Draft] = field(default_factory=list)
    depth: int | None = None
    """Depth of the open section's line; ``None`` if no section is open."""

    def sections(self) -> tuple[Section, ...]:
        """Return the sections read so far."""
        return tuple(draft.finished() for draft in self.drafts)

    def begin(self, text: str, depth: int, *, is_expected: bool) -> bool:
        """Open the section that `text` names, if it names one.

        ``Section n: Title`` always does. Where an outline `is_expected`, ``Title (~100 lines)``
        does so too.
        """
        match = _SECTION.match(text)
        if match:
            self._start(match["title"] or text, depth)
            return True
        note = next(budget_notes(text, is_planned=True), None)
        unnumbered = _UNNUMBERED_SECTION.match(text[: note[0]]) if note else None
        if note and unnumbered:
            self._start(f"{unnumbered['quoted'] or unnumbered['titled']}{text[note[0] :]}", depth)
            return True
        # What is nested below an open section is a point of it, also with a budget of its own.
        if not is_expected or self.holds(depth):
            return False
        amount = _NUMBER.match(text)
        if not note or not amount:
            return False
        # A line with a path is a page to read or to write, whose length it gives.
        has_title = bool(text[amount.end() : note[0]])
        if not has_title or read_paths(text):
            return False
        self._start(text[amount.end() :], depth)
        return True

    def begin_listed(self, text: str, depth: int) -> None:
        """Open the section that an item of an outline names: ``Feeding - how often``."""
        title, _, remark = text.replace("**", "").partition(" - ")
        self._start(title, depth)
        if remark:
            self.drafts[-1].points.append([remark.strip()])

    def close(self) -> None:
        """Close the open section: the following lines do not belong to it."""
        self.depth = None

    def holds(self, depth: int) -> bool:
        """Return True if something at `depth` is nested below the open section's line."""
        return self.depth is not None and depth > self.depth

    def add(self, text: str, *, is_item: bool, is_nested: bool = False) -> None:
        """Add a line to the open section: what to cite or include, a point, or its budget.

        A paragraph that is nested below a point continues it.
        """
        # What to cite may stand behind the point, in the same line.
        behind = _CITE_OR_INCLUDE.search(text) if is_item else None
        if behind and not speaks_for_itself(text):
            self.add(text[: behind.start()], is_item=True)
            self.add(text[behind.end() :], is_item=False)
            return
        draft = self.drafts[-1]
        cite, include = _CITE.match(text), _INCLUDE.match(text)
        if cite:
            draft.cite.append(cite[1].strip() or text)
        elif include:
            draft.include.append(include[1].strip())
        elif is_item and text:
            draft.points.append([text])
        elif draft.section.lines_budget is None and not draft.points and read_budget(text):
            draft.section = replace(draft.section, lines_budget=read_budget(text))
        elif is_nested and draft.points and text:
            draft.points[-1].append(text)

    def add_fence(self, block: Block) -> None:
        """Add the sections of a fenced template: its ``## Section n`` headings, else top ones."""
        blocks = read_plan_blocks("\n".join(block.lines))
        headings = [each for each in blocks if each.kind == "heading"]
        top_level = min((each.level for each in headings if each.level > 1), default=2)
        sections = [each.line for each in headings if _SECTION.match(each.text)]
        if not sections:
            sections = [each.line for each in headings if each.level == top_level]
        for each in blocks:
            if each.line in sections and each.kind == "heading":
                match = _SECTION.match(each.text)
                title = match["title"] if match else each.text
                if not _PLACEHOLDER_TITLE.match(title):
                    self._start(title, 0)
            elif each.kind == "heading" and each.level <= top_level:
                self.close()
            elif each.kind in {"item", "paragraph"} and self.depth is not None:
                for text in each.lines:
                    self.add(text, is_item=each.kind == "item", is_nested=each.depth > 0)
        self.close()

    def _start(self, title: str, depth: int) -> None:
        plain = title.strip().replace("**", "")
        budget = read_budget(plain)
        plain, remark = _split_remark(plain)
        name = strip_budget(plain, is_planned=True).rstrip(" :-–").strip()
        draft = _Draft(Section(name, budget))
        if remark:
            draft.points.append([remark])
        self.drafts.append(draft)
        self.depth = depth


def _split_remark(title: str) -> tuple[str, str]:
    """Return a section's title up to its budget, and the words behind that and a dash."""
    note = next(budget_notes(title, is_planned=True), None)
    behind = _REMARK.match(title[note[1] :]) if note else None
    if not note or not behind or not title[: note[0]].strip():
        return title, ""
    return title[: note[1]], behind["remark"].strip()


def speaks_for_itself(text: str) -> bool:
    """Return True if a line below an item's first line is more than its continuation."""
    return bool(_CITE.match(text) or _INCLUDE.match(text) or _SECTION.match(text))
