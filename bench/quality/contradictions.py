"""Pairs of statements that contradict each other, or only look so: which of them `planbook check` reports."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from bench.quality.table import Figure, share
from generator.rules.contradictions import find_contradictions, read_statements

LABELS = "contradictions.yml"


def measured(name: str, folder: Path, split: str) -> Figure:
    """Return the figure of a row."""
    found = judged(folder, split)
    if name == "contradictions-precision":
        return share([is_conflict for is_conflict, is_reported in found if is_reported])
    return share([is_reported for is_conflict, is_reported in found if is_conflict])


@cache
def judged(folder: Path, split: str) -> tuple[tuple[bool, bool], ...]:
    """Return whether each pair contradicts itself, and whether a base of two pages with it is reported."""
    pairs = yaml.safe_load((folder / LABELS).read_text(encoding="utf-8"))
    return tuple(
        (pair["label"] == "conflict", bool(reported(pair["statements"])))
        for pair in pairs
        if bool(pair.get("held_out")) is (split == "held-out")
    )


def reported(statements: list[dict[str, str]]) -> list[str]:
    """Return what is reported of a base with a page for each statement, under its heading."""
    pages = [f"# {one['page']}\n\n## {one.get('section') or one['page']}\n\n{one['text']}\n" for one in statements]
    read = {f"{n}.md": read_statements(page.encode()) for n, page in enumerate(pages)}
    return [problem.message for problem in find_contradictions(read)]
