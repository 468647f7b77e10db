"""A plan as JSON data, as `planbook show` prints it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planbook.model import Grep, LineBudget, Part, Plan, Problem, Query, Section, Step, Task

_FIELDS: Mapping[type, tuple[str, ...]] = {
    Part: (
        "number",
        "title",
        "line",
        "targets",
        "state",
        "completed",
        "lines_budget",
        "goal",
        "queries",
        "sections",
        "points",
        "sources",
        "steps",
        "drop",
        "greps",
    ),
    Query: ("engine", "text"),
    Grep: ("terms", "operator", "folders"),
    Section: ("title", "lines_budget", "points", "cite", "include"),
    Step: ("number", "title", "tasks"),
    Task: ("text", "mark", "line"),
    Problem: ("line", "code", "message"),
}
"""The fields of each class that the JSON has, in its order."""


def plan_to_json(plan: Plan, problems: Sequence[Problem]) -> dict[str, Any]:
    """One plan as JSON-ready values.

    Lines are 1-based, ``lines_budget`` is ``[low, high]`` or ``None``.
    """
    return {
        "uri": plan.uri,
        "title": plan.title,
        "meta": dict(plan.meta),
        "parts": [_part_to_json(part) for part in plan.parts],
        "checkboxes": dict(plan.checkboxes),
        "problems": _plan_value_to_json(tuple(problems)),
    }


def _part_to_json(part: Part) -> dict[str, Any]:
    """Return a PART, with the path of each file that it reads."""
    reads = dict.fromkeys(file.path for file in part.reads)
    return {**_plan_value_to_json(part), "reads": list(reads)}


def _plan_value_to_json(value: Any) -> Any:
    """Return a value of a plan as JSON data: an object has the fields of its class."""
    if isinstance(value, LineBudget):
        return [value.low, value.high]
    if isinstance(value, tuple):
        return [_plan_value_to_json(element) for element in value]
    fields = _FIELDS.get(type(value))
    if fields is None:
        return value
    return {name: _plan_value_to_json(getattr(value, name)) for name in fields}
