"""Charts as inline SVG, rendered at build time: no scripts, no other hosts, accessible to screen readers.

Each is ``role="img"`` with a title and a description; the page shows the data in a table next to it. Colours are CSS
classes, so that they follow the colour scheme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import escape

from generator.markdown.plain_text import count, number
from generator.model import LineBudget, State
from generator.views.template import LABELS

WIDTH, HEIGHT = 560, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 16, 16, 34
_ROW = 50


@dataclass(frozen=True, slots=True)
class Day:
    """One point of the burn-up: PARTs planned and finished by the end of a day."""

    day: date
    planned: int
    done: int


@dataclass(frozen=True, slots=True)
class Length:
    """One row of the budget chart."""

    label: str
    lines: int
    budget: LineBudget


def state_bar(counts: Mapping[State, int], name: str, missing: int = 0) -> str:
    """Return a bar of PARTs by state with its legend, as one line of HTML. CSS sets each state's thickness and dash.

    Of the done PARTs, `missing` have no page on disk; they are shown separately.
    """
    every = [(state, LABELS[state], counts.get(state, 0) - missing * (state is State.DONE), "") for state in LABELS]
    every.insert(1, (State.DONE, "done, page missing", missing, " pb-missing"))
    shown = [stretch for stretch in every if stretch[2]]
    total = sum(n for _, _, n, _ in shown)
    said = ", ".join(f"{n} {what}" for _, what, n, _ in shown) or "no PARTs"
    lines, x = [], 0.0
    for state, _, n, more in shown:
        end = x + 100 * n / total
        lines.append(_stretch(state, x, end, more))
        x = end
    label = escape(f"{name}: {said}")
    legend = "".join(
        f'<li><svg class="pb-track" aria-hidden="true">{_stretch(state, 0, 100, more)}</svg>{n} {what}</li>'
        for state, what, n, more in shown
    )
    return (
        f'<div class="pb-bar" data-search-exclude=""><svg class="pb-track" role="img" aria-label="{label}">'
        f'<title>{label}</title>{"".join(lines)}</svg><ul class="pb-legend">{legend}</ul></div>'
    )


def _stretch(state: State, start: float, end: float, more: str) -> str:
    """Return one state's segment of a bar, from `start` to `end` percent of its width; `more` is a CSS class."""
    return f'<line class="pb-fill{more}" data-state="{state}" x1="{start:.2f}%" x2="{end:.2f}%" y1="50%" y2="50%"/>'


def burn_up(days: Sequence[Day]) -> str:
    """Return a step chart of PARTs planned and done over time. `days` are ascending and not empty."""
    first, last = days[0].day.toordinal(), days[-1].day.toordinal()
    span, top = max(last - first, 1), max(1, *(d.planned for d in days))

    def x(day: date) -> float:
        """Return the horizontal position of a day."""
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (day.toordinal() - first) / span

    def y(value: float) -> float:
        """Return the vertical position of a value."""
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / top

    def steps(values: Sequence[int]) -> str:
        """Return a path with a step to each value."""
        points = [f"M{x(days[0].day):.1f},{y(values[0]):.1f}"]
        points += [f"H{x(d.day):.1f}V{y(v):.1f}" for d, v in zip(days[1:], values[1:], strict=True)]
        return "".join(points) + f"H{WIDTH - _RIGHT}"

    grid = "".join(
        f'<line class="pb-grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y(v):.1f}" y2="{y(v):.1f}"/>'
        f'<text class="pb-axis" x="{_LEFT - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{v}</text>'
        for v in _ticks(top)
    )
    dots = "".join(
        f'<circle class="pb-point" cx="{x(d.day):.1f}" cy="{y(d.done):.1f}" r="5">'
        f"<title>{d.day}: {d.done} of {d.planned} done</title></circle>"
        for d in days
        if d.done
    )
    labels = f'<text class="pb-axis" x="{_LEFT}" y="{HEIGHT - 8}">{days[0].day}</text>'
    if last > first:
        labels += f'<text class="pb-axis" x="{WIDTH - _RIGHT}" y="{HEIGHT - 8}" text-anchor="end">{days[-1].day}</text>'
    end = days[-1]
    when = f"From {days[0].day} to {end.day}" if last > first else f"On {end.day}"
    described = f"{when}: {count(end.planned, 'PART')} planned, {end.done} marked done."
    body = (
        f'{grid}<path class="pb-line-planned" d="{steps([d.planned for d in days])}"/>'
        f'<path class="pb-line-done" d="{steps([d.done for d in days])}"/>{dots}{labels}'
    )
    return _svg("pb-burn-up", "PARTs planned and done over time", described, HEIGHT, body)


def budget_chart(rows: Sequence[Length]) -> str:
    """Return a chart of lines written and planned: one row per page, its title above its bar. `rows` is not empty."""
    top = max(max(r.lines, r.budget.high) for r in rows) or 1

    def x(value: float) -> float:
        """Return the width of a value's bar."""
        return (WIDTH - 64) * value / top

    drawn = []
    for n, row in enumerate(rows):
        y, end = n * _ROW, x(max(row.lines, row.budget.high))
        label = row.label if len(row.label) <= 58 else row.label[:57] + "…"
        marks = "".join(
            f'<line class="pb-budget" x1="{x(v):.1f}" x2="{x(v):.1f}" y1="{y + 21}" y2="{y + 43}"/>'
            for v in sorted({row.budget.low, row.budget.high})
        )
        drawn.append(
            f'<text class="pb-axis pb-axis-name" x="0" y="{y + 15}">{escape(label)}</text>'
            f'<rect class="pb-written" x="0" y="{y + 26}" width="{x(row.lines):.1f}" height="12"/>{marks}'
            f'<text class="pb-axis" x="{end + 8:.1f}" y="{y + 37}">{number(row.lines)}</text>'
        )
    described = "; ".join(f"{r.label}: {count(r.lines, 'line')}, {r.budget} planned" for r in rows)
    return _svg("pb-budgets", "Lines written and lines planned", described, _ROW * len(rows), "".join(drawn))


def _ticks(top: int) -> list[int]:
    step = next(s for n in range(10) for s in (10**n, 2 * 10**n, 5 * 10**n) if top / s <= 5)
    return list(range(0, top + 1, step))


def _svg(name: str, title: str, described: str, height: int, body: str) -> str:
    return (
        f'<svg class="pb-chart" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-labelledby="{name}-title" aria-describedby="{name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(described)}</desc>{body}</svg>'
    )
