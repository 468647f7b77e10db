"""The JSON of ``planbook show``: a plan as other tools read it (see the Guide, "JSON for tools")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator.model import LineBudget, Part, Plan, Problem


def plan_to_json(plan: Plan, problems: Sequence[Problem]) -> dict[str, Any]:
    """One plan as JSON-ready values; lines are 1-based, ``lines_budget`` is ``[low, high]`` or ``None``."""
    return {
        "uri": plan.uri,
        "title": plan.title,
        "meta": dict(plan.meta),
        "parts": [_part(part) for part in plan.parts],
        "checkboxes": dict(plan.checkboxes),
        "problems": [{"line": p.line, "code": p.code, "message": p.message} for p in problems],
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "number": part.number,
        "title": part.title,
        "line": part.line,
        "targets": list(part.targets),
        "state": part.state.value,
        "completed": part.completed,
        "lines_budget": _budget(part.lines_budget),
        "goal": part.goal,
        "queries": [{"engine": q.engine, "text": q.text} for q in part.queries],
        "sections": [
            {
                "title": s.title,
                "lines_budget": _budget(s.lines_budget),
                "points": list(s.points),
                "cite": list(s.cite),
                "include": list(s.include),
            }
            for s in part.sections
        ],
        "points": list(part.points),
        "sources": list(part.sources),
        "steps": [
            {
                "number": step.number,
                "title": step.title,
                "tasks": [{"text": t.text, "mark": t.mark, "line": t.line} for t in step.tasks],
            }
            for step in part.steps
        ],
        "reads": list(dict.fromkeys(r.path for r in part.reads)),
        "greps": [{"terms": list(g.terms), "operator": g.operator, "folders": list(g.folders)} for g in part.greps],
        "drop": part.drop,
    }


def _budget(budget: LineBudget | None) -> list[int] | None:
    return [budget.low, budget.high] if budget else None
