"""HTML templates, charts, and the labels and figures that several views share: states, titles, sizes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files

import jinja2
from markupsafe import escape

from generator.citations.identifiers import free_name
from generator.library import Entry, Library
from generator.markdown.plain_text import count, number
from generator.markdown.safe_markdown import inline_html
from generator.model import LineBudget, PageUri, State

LABELS = {
    State.DONE: "done",
    State.PARTIAL: "partial",
    State.OPEN: "open",
    State.UNMARKED: "unmarked",
    State.SKIPPED: "skipped",
    State.DISABLED: "disabled",
}
"""The name of each state for readers."""

MEANINGS = {
    State.DONE: "the plan marks its page as finished",
    State.PARTIAL: "attempted but not finished, or its page answers too few points",
    State.OPEN: "its page has not been written",
    State.UNMARKED: "the plan has no mark for it",
    State.SKIPPED: "intentionally left out",
    State.DISABLED: "kept in the plan for reference only",
}
"""The meaning of each state, for legends and titles."""

UrlFrom = Callable[[str], Callable[[str], str]]
"""A function that returns, for a page, the function that returns each page's address as seen from it."""

_JOINERS = "\u200c\u200d"
"""Invisible characters that are legitimate within words of some scripts, and within emoji."""


def page_title(library: Library, uri: str) -> str:
    """Return the title of a page, written or planned."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(PageUri(uri))
    return page.title if page else entry.title if entry else uri


def page_description(library: Library, uri: str) -> str:
    """Return a one-line description of a page: its own, else its plan's."""
    page, entry = library.page_by_uri.get(uri), library.by_uri.get(PageUri(uri))
    return page.description if page and page.description else entry.description if entry else ""


def page_length(lines: int) -> str:
    """Return ``18 lines``, ``about 670 lines``: two digits, so that few edits change the pages that list others."""
    unit = 10 ** max(len(str(lines)) - 2, 0)
    return f"{'about ' if unit > 1 else ''}{number(round(lines / unit) * unit)} lines"


def verdict(entry: Entry) -> str:
    """Return the difference between a PART's claim and the disk; empty if they agree."""
    if not entry.is_amiss:
        return ""
    return "page missing" if entry.state is State.DONE else "page exists"


def length_of(entry: Entry) -> str:
    """Return the length of a page compared with its budget, or its budget."""
    budget = entry.part.lines_budget
    if entry.page:
        return against_budget(entry.page.lines, budget)
    return f"~{budget} lines" if budget else "no budget"


def against_budget(lines: int, budget: LineBudget | None) -> str:
    """Return ``483 of 400 lines (+21 %)``: the lines, and their deviation from the nearest limit of the budget."""
    if budget is None:
        return f"{number(lines)} lines, no budget"
    off = round(100 * off_budget(lines, budget))
    return f"{number(lines)} of {budget} lines" + (f" ({off:+d} %)" if off else "")


def off_budget(lines: int, budget: LineBudget) -> float:
    """Return the relative deviation of `lines` from the nearest limit of the budget; 0.0 within it."""
    nearest = min(max(lines, budget.low), budget.high)
    return (lines - nearest) / nearest if nearest else 0.0


def printable(text: str) -> str:
    """Return `text` on one line, without characters that are invisible or invalid in XML."""
    return " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in text).split())


def relative(target: str, page: str) -> str:
    """Return the relative link from `page` to `target`, both uris."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return `names` with a number appended to each that is `taken` or occurs before."""
    known = dict.fromkeys(taken, 2)
    return [free_name(name, known) for name in names]


_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FunctionLoader(lambda name: (files("generator.views") / "templates" / name).read_text("utf-8")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
_ENVIRONMENT.globals |= {
    **{"labels": LABELS, "meanings": MEANINGS, "count": count, "number": number},
    **{"against_budget": against_budget, "length_of": length_of, "printable": printable, "inline_html": inline_html},
}


def render_template(name: str, /, **values: object) -> str:
    """Return the HTML of a template."""
    return _ENVIRONMENT.get_template(name).render(**values)


def render_block(name: str, /, **values: object) -> str:
    """Return the HTML of a template without blank lines, which would end an HTML block of Markdown."""
    return "".join(f"{line}\n" for line in render_template(name, **values).splitlines() if line.strip())


# --- charts -----------------------------------------------------------------------------------------------------------


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
