"""The outline of the page to write: sections with budgets, points, what to cite and what to include."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from planbook.markdown.budgets import budget_notes, read_budget, without_budget
from planbook.markdown.plan_blocks import Block, read_plan_blocks
from planbook.model import Section
from planbook.plan.labels import Meaning, words_of
from planbook.plan.numerals import NUMBER_OR_LETTER
from planbook.plan.phrases import read_paths

_SECTION = re.compile(
    rf"^\W{{0,16}}{words_of(Meaning.SECTION)}\s*#?{NUMBER_OR_LETTER}\s*(?:\*\*)?"
    r"\s*[:.)–—-]*\s*(?:\*\*)?\s*(?P<title>.*)$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\W{0,16}(?:\d+[.)]\s?)?")
_CITE = re.compile(rf"^(?:\*\*)?{words_of(Meaning.CITE)}\b(?:\*\*)?\s*:?(?:\*\*)?\s*(.*)$", re.IGNORECASE)
_INCLUDE = re.compile(rf"^(?:\*\*)?{words_of(Meaning.INCLUDE)}(?:\*\*)?\s*:(?:\*\*)?\s*(.*)$", re.IGNORECASE)
_BEHIND_POINT = re.compile(r"\s(?=(?:Cite|Include):\s)")
"""``How it is measured. Cite: the standard``: a point, and what to cite."""
_NOT_A_SECTION = re.compile(r"^(?:sources|references|bibliography|citations)$", re.IGNORECASE)


@dataclass(slots=True)
class _Draft:
    section: Section
    points: list[list[str]] = field(default_factory=list)
    """The paragraphs of each point."""
    cite: list[str] = field(default_factory=list)
    include: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Outline:
    """The sections read so far, one of which may be open."""

    drafts: list[_Draft] = field(default_factory=list)
    depth: int | None = None
    """Depth of the open section's line; ``None`` if no section is open."""

    def sections(self) -> tuple[Section, ...]:
        """Return the sections read so far."""
        return tuple(
            replace(
                d.section,
                points=tuple(" ".join(paragraphs) for paragraphs in d.points),
                cite=tuple(d.cite),
                include=tuple(d.include),
            )
            for d in self.drafts
        )

    def begin(self, text: str, depth: int, *, is_expected: bool) -> bool:
        """Open the section that `text` names, if it names one.

        ``Section n: Title`` always does. Where an outline `is_expected`, ``Title (~100 lines)`` does so too.
        """
        match = _SECTION.match(text)
        if match:
            self._start(match["title"], depth)
            return True
        is_candidate = is_expected and not self.holds(depth)
        note = next(budget_notes(text, is_planned=True), None) if is_candidate else None
        number = _NUMBER.match(text)
        if not note or not number or not text[number.end() : note[0]] or read_paths(text):
            return False
        self._start(text[number.end() :], depth)
        return True

    def close(self) -> None:
        """Close the open section: the following lines do not belong to it."""
        self.depth = None

    def holds(self, depth: int) -> bool:
        """Return True if something at `depth` is nested below the open section's line."""
        return self.depth is not None and depth > self.depth

    def add(self, text: str, *, is_item: bool, is_nested: bool = False) -> None:
        """Add a line to the open section: as something to cite, to include, as a point, or as its budget.

        A paragraph that is nested below a point continues it.
        """
        behind = _BEHIND_POINT.search(text) if is_item else None
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
        """Add the sections of a fenced Markdown template: its ``## Section n`` headings, else all top-level ones."""
        inner = read_plan_blocks("\n".join(block.lines))
        headings = [b for b in inner if b.kind == "heading"]
        level = min((b.level for b in headings if b.level > 1), default=2)
        top = (b for b in headings if b.level == level)
        plain = {b.line for b in top if not _NOT_A_SECTION.match(without_budget(b.text, is_planned=True))}
        chosen = {b.line for b in headings if _SECTION.match(b.text)} or plain
        for b in inner:
            if b.kind == "heading" and b.line in chosen:
                match = _SECTION.match(b.text)
                self._start(match["title"] if match else b.text, 0)
            elif b.kind == "heading" and b.level <= level:
                self.close()
            elif b.kind in {"item", "paragraph"} and self.depth is not None:
                for text in b.lines:
                    self.add(text, is_item=b.kind == "item", is_nested=b.depth > 0)
        self.close()

    def _start(self, title: str, depth: int) -> None:
        name = without_budget(title.strip().replace("**", ""), is_planned=True).rstrip(" :-–").strip()
        self.drafts.append(_Draft(Section(name, read_budget(title.strip()))))
        self.depth = depth


def speaks_for_itself(text: str) -> bool:
    """Return True if a line below an item's first line is more than its continuation."""
    return bool(_CITE.match(text) or _INCLUDE.match(text) or _SECTION.match(text))
