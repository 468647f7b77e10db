"""Progress for programs: ``progress.json`` and what ``planbook status --json`` prints."""

from __future__ import annotations

from collections import Counter
from typing import Any

from generator.library import COUNTED, Entry, Library
from generator.model import Part, Plan


def progress(library: Library) -> dict[str, Any]:
    """Totals, and for each plan and PART what it claims and what is on disk."""
    counted = [e for e in library.entries if e.state in COUNTED]
    parts = [part for plan in library.plans for part in plan.parts]
    return {
        "version": 1,
        "totals": {
            "plans": len(library.plans),
            "parts": sum(p.state in COUNTED for p in parts),
            "states": dict(sorted(Counter(p.state.value for p in parts).items())),
            "pages": len({e.uri for e in counted if e.page}),
            "lines": sum({e.uri: e.page.lines for e in counted if e.page}.values()),
            "amiss": sum(e.is_amiss for e in counted),
            "problems": len(library.problems),
        },
        "plans": [_plan(library, plan) for plan in library.plans],
    }


def _plan(library: Library, plan: Plan) -> dict[str, Any]:
    return {
        "uri": plan.uri,
        "title": plan.title,
        "date": plan.meta_value("Date"),
        "states": dict(sorted(Counter(p.state.value for p in plan.parts).items())),
        "parts": [_part(library.of(plan, part), part) for part in plan.parts],
    }


def _part(entries: tuple[Entry, ...], part: Part) -> dict[str, Any]:
    budget = part.lines_budget
    return {
        "number": part.number,
        "title": entries[0].title if entries else part.title,
        "line": part.line,
        "state": part.state.value,
        "completed": part.completed,
        "lines_budget": [budget.low, budget.high] if budget else None,
        "pages": [
            {"uri": e.uri, "exists": e.page is not None, "lines": e.page.lines if e.page else None} for e in entries
        ],
        "amiss": any(e.is_amiss for e in entries),
        "citations": sum(len(e.page.references) for e in entries if e.page) if any(e.page for e in entries) else None,
        "drop": next((e.drop.uri for e in entries if e.drop), None),
        "steps": [
            {
                "number": step.number,
                "title": step.title,
                "boxes": sum(t.mark is not None for t in step.tasks),
                "ticked": sum(t.mark not in (None, " ") for t in step.tasks),
            }
            for step in part.steps
        ],
    }
