"""Charts as inline SVG, made at build time: no script, no other host, readable by a screen reader.

Each is ``role="img"`` with a title and a description; the view that shows it puts the table of its numbers beside it.
Colours are CSS classes, so that they follow the colour scheme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

from generator.model import LineBudget, State
from generator.views.words import LABELS, count

WIDTH, HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 16, 16, 34
_ROW = 26


@dataclass(frozen=True, slots=True)
class Day:
    """One point of the burn-up: what stood in the plans, and what was finished, at the end of a day."""

    day: date
    planned: int
    done: int


@dataclass(frozen=True, slots=True)
class Length:
    """One row of the budget chart."""

    label: str
    lines: int
    budget: LineBudget


def state_bar(counts: Mapping[State, int], name: str) -> str:
    """A stacked bar of PARTs by state, as one line of HTML."""
    shown = [(state, counts.get(state, 0)) for state in LABELS if counts.get(state, 0)]
    total = sum(n for _, n in shown)
    said = ", ".join(f"{n} {LABELS[state]}" for state, n in shown) or "no PARTs"
    rects, x = [], 0.0
    for state, n in shown:
        width = 100 * n / total
        rects.append(f'<rect class="pb-fill" data-state="{state}" x="{x:.2f}" y="0" width="{width:.2f}" height="10"/>')
        x += width
    label = escape(f"{name}: {said}", quote=True)
    legend = "".join(
        f'<li><span class="pb-dot" data-state="{state}" aria-hidden="true"></span>{n} {LABELS[state]}</li>' for state, n in shown
    )
    return (
        f'<div class="pb-bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f'<title>{label}</title>{"".join(rects)}</svg><ul class="pb-legend">{legend}</ul></div>'
    )


def burn_up(days: Sequence[Day]) -> str:
    """PARTs planned and PARTs done over time, as steps. `days` ascend and are not empty."""
    first, last = days[0].day.toordinal(), days[-1].day.toordinal()
    span, top = max(last - first, 1), max(max(d.planned for d in days), 1)

    def x(day: date) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (day.toordinal() - first) / span

    def y(value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / top

    def steps(values: Sequence[int]) -> str:
        points = [f"M{x(days[0].day):.1f},{y(values[0]):.1f}"]
        points += [f"H{x(d.day):.1f}V{y(v):.1f}" for d, v in zip(days[1:], values[1:], strict=True)]
        return "".join(points) + f"H{WIDTH - _RIGHT}"

    grid = "".join(
        f'<line class="pb-grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y(v):.1f}" y2="{y(v):.1f}"/>'
        f'<text class="pb-axis" x="{_LEFT - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{v}</text>'
        for v in _ticks(top)
    )
    dots = "".join(
        f'<circle class="pb-point" cx="{x(d.day):.1f}" cy="{y(d.done):.1f}" r="4"><title>{d.day}: {d.done} of {d.planned} done</title></circle>'
        for d in days
        if d.done
    )
    dates = [days[0].day] if first == last else [days[0].day, days[-1].day]
    anchors = ("start", "end")
    labels = "".join(
        f'<text class="pb-axis" x="{x(d):.1f}" y="{HEIGHT - 10}" text-anchor="{anchors[n]}">{d}</text>' for n, d in enumerate(dates)
    )
    end = days[-1]
    described = f"From {days[0].day} to {end.day}: {count(end.planned, 'PART')} planned, {end.done} marked done."
    body = (
        f'{grid}<path class="pb-line-planned" d="{steps([d.planned for d in days])}"/>'
        f'<path class="pb-line-done" d="{steps([d.done for d in days])}"/>{dots}{labels}'
    )
    return _svg("pb-burn-up", "PARTs planned and done over time", described, HEIGHT, body)


def budget_chart(rows: Sequence[Length]) -> str:
    """Lines written beside lines planned, a row a page. `rows` is not empty."""
    top = max(max(r.lines, r.budget.high) for r in rows) or 1
    label_width = 200
    height = _ROW * len(rows) + 30

    def x(value: float) -> float:
        return label_width + (WIDTH - label_width - 60) * value / top

    parts = []
    for n, row in enumerate(rows):
        y = 8 + n * _ROW
        label = row.label if len(row.label) <= 30 else row.label[:29] + "…"
        low, high = x(row.budget.low), max(x(row.budget.high), x(row.budget.low) + 2)
        parts.append(
            f'<text class="pb-axis" x="{label_width - 8}" y="{y + 13}" text-anchor="end">{escape(label)}</text>'
            f'<rect class="pb-fill" data-state="done" x="{label_width}" y="{y + 3}" width="{x(row.lines) - label_width:.1f}" height="13"/>'
            f'<rect class="pb-budget" x="{low:.1f}" y="{y}" width="{high - low:.1f}" height="19"/>'
            f'<text class="pb-axis" x="{max(x(row.lines), high) + 6:.1f}" y="{y + 13}">{row.lines}</text>'
        )
    described = "; ".join(f"{r.label}: {r.lines} lines, {r.budget} planned" for r in rows)
    return _svg("pb-budgets", "Lines written and lines planned", described, height, "".join(parts))


def _ticks(top: int) -> list[int]:
    step = next(s for n in range(10) for s in (10**n, 2 * 10**n, 5 * 10**n) if top / s <= 5)
    return list(range(0, top + 1, step))


def _svg(name: str, title: str, described: str, height: int, body: str) -> str:
    return (
        f'<svg class="pb-chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(described)}</desc>{body}</svg>'
    )
