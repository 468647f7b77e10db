"""The progress page: what the plans claim, PART by PART, beside what is on disk. Markdown with HTML blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files

import jinja2
from markupsafe import Markup

from generator.library import COUNTED, Entry, Library
from generator.model import Part, Plan, State, Step
from generator.views.charts import Day, Length, budget_chart, burn_up, state_bar
from generator.views.index import anchor
from generator.views.markdown import inline
from generator.views.safe_html import inline_html
from generator.views.words import LABELS, MEANINGS, against_budget, count

MAX_ROWS = 40
"""Pages in the budget chart: those farthest off their budget."""

_ENV = jinja2.Environment(
    loader=jinja2.FunctionLoader(lambda name: (files("generator.views") / "templates" / name).read_text("utf-8")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One target page of one PART, as the table shows it."""

    part: Part
    entry: Entry | None
    href: str
    title: str
    verdict: str
    """Where claim and disk differ, what differs; else empty."""
    length: str
    drop: str
    steps: Sequence[tuple[str, Sequence[tuple[str, Markup]]]]
    """Each step's heading with its tasks: mark and text."""
    ticked: str


def progress_page(library: Library, url_of: Callable[[str], str]) -> str:
    """The whole page. `url_of` gives a page's address as seen from this page."""
    states = Counter(part.state for plan in library.plans for part in plan.parts)
    total = sum(states[s] for s in COUNTED)
    shown = [(s, LABELS[s], states[s]) for s in LABELS if states[s]]
    blocks = [
        "---\ntitle: Progress\ndescription: What is planned, what is written, what differs.\nhide: [tags]\n---\n",
        "# Progress\n",
        _headline(library, total),
        _template("filter.html", states=shown, total=sum(states.values())),
        _charts(library),
    ]
    for plan in library.plans:
        blocks.append(f"## {inline(plan.title)} {{ #{anchor(plan.slug)} }}\n")
        blocks.append(_plan(library, plan, url_of))
    blocks.append("## What the states mean\n")
    blocks.append("".join(f"- **{LABELS[s]}**: {MEANINGS[s]}\n" for s in LABELS))
    blocks.append(
        "What a plan claims and what the disk shows are two facts. Both are shown, and where they differ the row says "
        "so. PARTs are counted, not boxes: the boxes of a PART's steps are working notes, and stand folded below it.\n"
    )
    return "\n".join(blocks)


def render_template(name: str, **values: object) -> str:
    """One of our templates, with everything escaped that is not Markup."""
    return _ENV.get_template(name).render(**values)


def _template(name: str, **values: object) -> str:
    text = render_template(name, **values)
    return "\n".join(line for line in text.splitlines() if line.strip()) + "\n"


def _headline(library: Library, total: int) -> str:
    said = progress_line(library, total)
    if not library.plans:
        return said
    return f"{said}\n{state_bar(library.counts, 'All plans', library.missing(library.plans))}\n"


def progress_line(library: Library, total: int) -> str:
    """How many of `total` PARTs have their page, what the plans mark as done, and where the two differ."""
    if not library.plans:
        return "There is no plan yet. Put one into `plans/`; the Guide says how.\n"
    done = library.counts[State.DONE]
    counted = [e for e in library.entries if e.state in COUNTED]
    there = len({e.uri for e in counted if e.page})
    amiss = sum(e.is_amiss for e in counted)
    have = "has its" if there == 1 else "have their"
    text = f"**{there} of {count(total, 'PART')}** {have} page; the plans mark {done} as done."
    if amiss:
        text += f" {count(amiss, 'PART')} where the two differ {'is' if amiss == 1 else 'are'} marked below."
    if library.counts[State.DISABLED]:
        text += f" {count(library.counts[State.DISABLED], 'disabled PART')} not counted."
    return f"{text}\n"


def _charts(library: Library) -> str:
    days, undated = burn_up_days(library)
    lengths = _lengths(library)
    shown = sorted(lengths, key=_off_budget, reverse=True)[:MAX_ROWS]
    return _template(
        "charts.html",
        days=days,
        undated=undated,
        burn_up=Markup(burn_up(days)) if days else "",  # noqa: S704 - made by us, its texts escaped
        lengths=shown,
        left_out=len(lengths) - len(shown),
        budgets=Markup(budget_chart(shown)) if shown else "",  # noqa: S704 - likewise
        against=against_budget,
    )


def burn_up_days(library: Library) -> tuple[tuple[Day, ...], int]:
    """PARTs planned and done by day, and how many done PARTs no day is known of.

    A PART is planned from its plan's Date on; where that is missing, from the first day that is known.
    """
    planned: Counter[date] = Counter()
    done: Counter[date] = Counter()
    unknown = undated = 0
    for plan in library.plans:
        parts = [p for p in plan.parts if p.state in COUNTED]
        begun = _day(plan.meta_value("Date"))
        if begun:
            planned[begun] += len(parts)
        else:
            unknown += len(parts)
        for part in parts:
            finished = _day(part.completed) if part.state is State.DONE else None
            if finished:
                done[finished] += 1
            undated += part.state is State.DONE and finished is None
    every = sorted({*planned, *done})
    if not every:
        return (), undated
    planned[every[0]] += unknown
    total = finished_by = 0
    days = []
    for day in every:
        total, finished_by = total + planned[day], finished_by + done[day]
        days.append(Day(day, total, finished_by))
    return tuple(days), undated


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "")[:10].replace("/", "-"))
    except ValueError:
        return None


def _lengths(library: Library) -> list[Length]:
    return [
        Length(e.title, e.page.lines, e.part.lines_budget)
        for e in library.by_uri.values()
        if e.page and e.part.lines_budget
    ]


def _off_budget(length: Length) -> float:
    nearest = min(max(length.lines, length.budget.low), length.budget.high)
    return abs(length.lines - nearest) / max(nearest, 1)


def _plan(library: Library, plan: Plan, url_of: Callable[[str], str]) -> str:
    rows = [row for part in plan.parts for row in _rows(library, plan, part, url_of)]
    counts: Mapping[State, int] = Counter(part.state for part in plan.parts)
    problems = [p for p in library.problems if p.uri == plan.uri]
    return _template(
        "plan.html",
        plan=plan,
        rows=rows,
        bar=Markup(state_bar(counts, plan.title, library.missing([plan]))),  # noqa: S704 - made by us, its texts escaped
        labels=LABELS,
        problems=problems,
    )


def _rows(library: Library, plan: Plan, part: Part, url_of: Callable[[str], str]) -> Iterator[Row]:
    boxes = [t for s in part.steps for t in s.tasks if t.mark is not None]
    marked = sum(t.mark != " " for t in boxes)
    ticked = f"{marked} of {count(len(boxes), 'box', 'boxes')} ticked" if boxes else "no boxes"
    steps = [(_heading(step), [(t.mark or "", inline_html(t.text)) for t in step.tasks]) for step in part.steps]
    entries = library.of(plan, part) or (None,)
    for n, entry in enumerate(entries):
        title = entry.title if entry else part.title
        yield Row(
            part=part,
            entry=entry,
            href=url_of(entry.uri) if entry else "",
            title=title,
            verdict=verdict(part, entry),
            length=length_of(entry),
            drop=_drop(part, entry),
            steps=steps if n == 0 else (),
            ticked=ticked,
        )


def _heading(step: Step) -> str:
    return step.title if step.number is None else f"Step {step.number}: {step.title}"


def verdict(part: Part, entry: Entry | None) -> str:
    """Where a PART's claim and the disk differ, what differs; else empty."""
    if entry is None:
        return "names no page"
    if not entry.is_amiss:
        return ""
    return "marked done, page missing" if part.state is State.DONE else f"marked {LABELS[part.state]}, page is there"


def length_of(entry: Entry | None) -> str:
    """How long the page is beside its budget, or is to be."""
    if entry is None:
        return ""
    if entry.page:
        return against_budget(entry.page.lines, entry.part.lines_budget)
    return f"~{entry.part.lines_budget} lines" if entry.part.lines_budget else "no budget"


def _drop(part: Part, entry: Entry | None) -> str:
    if entry and entry.drop:
        return entry.drop.timestamp or "there"
    return "missing" if part.state is State.DONE and part.drop else ""
