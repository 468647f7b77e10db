"""A plan as JSON data, in the form of the cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from generator.model import LineBudget, Plan, Problem, Read, State


def plan_to_json(plan: Plan, problems: Sequence[Problem]) -> dict[str, Any]:
    """The plan and its Problems; budgets as ``[low, high]`` or ``None``, reads as paths, each once."""
    return {
        **to_json(plan),
        "checkboxes": dict(plan.checkboxes),
        "meta": dict(plan.meta),
        "problems": to_json(problems),
    }


def to_json(value: Any) -> Any:
    """The value as dictionaries, lists and texts."""
    if isinstance(value, LineBudget):
        return [value.low, value.high]
    if isinstance(value, State):
        return value.value
    if isinstance(value, Sequence) and not isinstance(value, str):
        shown = [one.path if isinstance(one, Read) else to_json(one) for one in value]
        return list(dict.fromkeys(shown)) if any(isinstance(one, Read) for one in value) else shown
    return {f.name: to_json(getattr(value, f.name)) for f in fields(value)} if is_dataclass(value) else value
