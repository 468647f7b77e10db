"""Plans and progress for programs: ``progress.json``, and the JSON of ``planbook status`` and ``planbook show``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec

from generator.library import COUNTED, Entry, Library
from generator.model import Grep, LineBudget, Page, Part, Plan, Problem, Query, Section, Step, Task
from generator.views.checks import PageCheck, counted
from generator.views.works import is_work, status_of

DATA, SCHEMA = "progress.json", "progress.schema.json"
"""The names of the data and of their schema."""


def progress_files(library: Library, checks: Mapping[str, PageCheck]) -> dict[str, str]:
    """Return the progress as data, and its schema, by file name."""
    data = msgspec.json.format(msgspec.json.encode(progress_to_json(library, checks)), indent=1).decode()
    return {DATA: f"{data}\n", SCHEMA: progress_schema()}


def progress_schema() -> str:
    """Return a JSON Schema of ``progress.json`` (https://json-schema.org/draft/2020-12)."""
    return (files("generator.views") / SCHEMA).read_text(encoding="utf-8")


def progress_to_json(library: Library, checks: Mapping[str, PageCheck]) -> dict[str, Any]:
    """Return the totals, and for each plan and PART the state in the plan and on disk.

    `checks` has the results of `planbook verify` for pages that have not changed since.
    """
    counted = [e for e in library.entries if e.state in COUNTED]
    parts = [part for plan in library.plans for part in plan.parts]
    return {
        "$schema": SCHEMA,
        "version": 1,
        "totals": {
            "plans": len(library.plans),
            "parts": sum(p.state in COUNTED for p in parts),
            "states": dict(sorted(Counter(p.state.value for p in parts).items())),
            "pages": len({e.uri for e in counted if e.page}),
            "lines": sum({e.uri: e.page.lines for e in counted if e.page}.values()),
            "sources": _sources({e.uri: e.page for e in counted if e.page}.values(), checks),
            "amiss": sum(e.is_amiss for e in counted),
            "problems": len(library.plan_problems),
        },
        "plans": [_plan(library, plan, checks) for plan in library.plans],
    }


def _plan(library: Library, plan: Plan, checks: Mapping[str, PageCheck]) -> dict[str, Any]:
    return {
        "uri": plan.uri,
        "title": plan.title,
        "date": plan.meta_value("Date"),
        "states": dict(sorted(Counter(p.state.value for p in plan.parts).items())),
        "parts": [_part(library.of(plan, part), part, checks) for part in plan.parts],
    }


def _part(entries: tuple[Entry, ...], part: Part, checks: Mapping[str, PageCheck]) -> dict[str, Any]:
    budget = part.lines_budget
    return {
        "number": part.number,
        "title": entries[0].title if entries else part.title,
        "line": part.line,
        "state": part.state.value,
        "completed": part.completed,
        "lines_budget": [budget.low, budget.high] if budget else None,
        "pages": [
            {
                **{"uri": e.uri, "exists": e.page is not None, "lines": e.page.lines if e.page else None},
                "sources": _sources([e.page] if e.page else [], checks),
            }
            for e in entries
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


def _sources(pages: Iterable[Page], checks: Mapping[str, PageCheck]) -> dict[str, int]:
    """Return the number of works that `pages` cite, by status; statuses of none are left out."""
    statuses = [
        status_of(reference, checks[page.uri].by_id.get(reference.id) if page.uri in checks else None)
        for page in pages
        for reference in page.references
        if is_work(reference)
    ]
    return {status.value: n for status, n in counted(statuses)}


_SHOWN: Mapping[type, str] = {
    Part: "number title line targets state completed lines_budget goal queries sections points sources steps drop"
    " greps",
    Query: "engine text",
    Section: "title lines_budget points cite include",
    Step: "number title tasks",
    Task: "text mark line",
    Grep: "terms operator folders",
    Problem: "line code message",
}
"""The fields of each class in the JSON of `planbook show`."""


def plan_to_json(plan: Plan, problems: Sequence[Problem]) -> dict[str, Any]:
    """One plan as JSON-ready values; lines are 1-based, ``lines_budget`` is ``[low, high]`` or ``None``."""
    return {
        "uri": plan.uri,
        "title": plan.title,
        "meta": dict(plan.meta),
        "parts": [{**_shown(part), "reads": list(dict.fromkeys(r.path for r in part.reads))} for part in plan.parts],
        "checkboxes": dict(plan.checkboxes),
        "problems": _shown(tuple(problems)),
    }


def _shown(value: Any) -> Any:
    if isinstance(value, LineBudget):
        return [value.low, value.high]
    if isinstance(value, tuple):
        return [_shown(one) for one in value]
    fields = _SHOWN.get(type(value))
    return {name: _shown(getattr(value, name)) for name in fields.split()} if fields else value
