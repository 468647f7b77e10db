"""Progress, as a page, and as data for programs: for each PART, the state in the plan and on disk.

If the PARTs would make one page too heavy, each plan gets its own page, and the progress page lists
the plans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from itertools import chain
from typing import Any

import msgspec

from planbook.citations.references import is_work
from planbook.citations.report import SourceStatus
from planbook.library import (
    COUNTED_STATES,
    PROGRESS,
    CountedEntry,
    CountedLibrary,
    CountedPage,
    EntryOf,
    LibraryOf,
    NamedPage,
    group_by,
)
from planbook.markdown.plain_text import count, number
from planbook.markdown.safe_markdown import inline, table
from planbook.model import PageUri, Part, Plan, State
from planbook.views import template
from planbook.views.checks import PageCheck, count_statuses, status_of
from planbook.views.index import anchor, page_uris
from planbook.views.page_heads import RANKED_LOW, generated_head
from planbook.views.reports import report_anchor
from planbook.views.written import count_written_pages
from planbook_cache.functions import NO_CACHE, FunctionCache

Checks = Mapping[str, PageCheck]
"""The check of each page."""
MAX_ELEMENTS = 5_000
"""Maximum number of HTML elements of PARTs on the progress page."""

_FRONT_MATTER_OF_PROGRESS = (
    "description: Planned and written pages, and the differences.",
    "hide: [tags]",
    RANKED_LOW,
)
"""Lines of the front matter of all pages of progress."""
_STATES_NOTE = (
    "The state in the plan and the pages on disk may differ. Rows show both and mark "
    "differences. Items of plans are counted, not the tasks of their steps, which are working "
    "notes, folded below them.\n"
)
_HTML_OF_PART, _HTML_OF_STEP, _HTML_OF_TASK = 14, 2, 2
"""About as many HTML elements show a PART, a step and a task."""


def plan_pages(library: LibraryOf[NamedPage], existing: Iterable[str] = ()) -> dict[str, PageUri]:
    """Return the uri of each plan's own progress page, unlike the `existing` ones.

    The result is empty if one page has all plans.
    """
    # Estimated rather than counted: the page would have to be rendered for that.
    parts = [part for plan in library.plans for part in plan.parts]
    steps = [step for part in parts for step in part.steps]
    tasks = [task for step in steps for task in step.tasks]
    elements = _HTML_OF_PART * len(parts) + _HTML_OF_STEP * len(steps) + _HTML_OF_TASK * len(tasks)
    if elements <= MAX_ELEMENTS:
        return {}
    uris = page_uris((f"progress/{plan.slug}" for plan in library.plans), existing)
    return {plan.uri: uri for plan, uri in zip(library.plans, uris, strict=True)}


def own_progress_pages(
    library: CountedLibrary,
    url_from: template.UrlFrom,
    plan_pages: Mapping[str, PageUri],
    reports: Mapping[str, PageUri],
) -> dict[str, partial[str]]:
    """Return the views of the progress pages that plans have of their own, by uri.

    `reports` has the page of reports of each plan.
    """
    return {
        plan_pages[plan.uri]: partial(
            _plan_page, library.narrowed({plan.uri}), plan_pages[plan.uri], url_from, reports
        )
        for plan in library.plans
        if plan.uri in plan_pages
    }


def progress_page(
    library: CountedLibrary,
    url_from: template.UrlFrom,
    plan_pages: Mapping[str, PageUri],
    reports: Mapping[str, PageUri],
) -> str:
    """Return the progress page: all plans, or a table of them if they have `plan_pages`.

    `reports` has the page of reports of each plan.
    """
    blocks = ["# Plans\n", parts_line(library)]
    if library.plans:
        missing = library.missing(library.plans)
        blocks.append(f"{template.state_bar(library.counts, 'All plans', missing)}\n")
    if plan_pages:
        blocks += ["## Plans\n", _plan_table(library, plan_pages)]
    else:
        blocks.append(_state_filter(library.counts))
        finished = [plan for plan in library.plans if _is_finished(library, plan)]
        for plan in library.plans:
            if plan not in finished:
                blocks.append(f"## {inline(plan.title)} {{ #{anchor(plan.slug)} }}\n")
                blocks.append(_plan(library, plan, url_from(PROGRESS), reports))
        if finished:
            blocks.append("## Finished plans\n")
        for plan in finished:
            blocks.append(_plan(library, plan, url_from(PROGRESS), reports, is_folded=True))
    states = (f"- **{state}**: {meaning}\n" for state, meaning in template.MEANINGS.items())
    blocks += ["## States\n", "".join(states), _STATES_NOTE]
    return generated_head("title: Plans", *_FRONT_MATTER_OF_PROGRESS) + "\n".join(blocks)


def _plan_page(
    library: CountedLibrary,
    uri: PageUri,
    url_from: template.UrlFrom,
    reports: Mapping[str, PageUri],
) -> str:
    (plan,) = library.plans
    back_link = f"[All plans]({template.link(PROGRESS, uri)})\n"
    states = Counter(part.state for part in plan.parts)
    body = _plan(library, plan, url_from(uri), reports)
    blocks = [f"# {inline(plan.title)}\n", back_link, _state_filter(states), body]
    return generated_head(*_FRONT_MATTER_OF_PROGRESS) + "\n".join(blocks)


def parts_line(library: LibraryOf[NamedPage]) -> str:
    """Return a summary: planned pages that are written, items marked as done, and differences."""
    if not library.plans:
        return "There are no plans yet. Add one to `plans/`; see the Guide.\n"
    sentences = (
        *_page_sentences(library),
        _difference_sentence(library),
        _collected_sentence(library.collected),
        _disabled_sentence(library.counts[State.DISABLED]),
    )
    return f"{' '.join(filter(None, sentences))}\n"


def _page_sentences(library: LibraryOf[NamedPage]) -> Iterator[str]:
    """Yield how many PARTs have a page, and how many the plans mark as done."""
    written, done = library.written_parts, library.counts[State.DONE]
    parts_with_pages = len(library.counted_parts)
    counted_parts = sum(library.counts[state] for state in COUNTED_STATES)
    if parts_with_pages == counted_parts:
        have = "has" if written == 1 else "have"
        items = f"**{written} of {count(counted_parts, 'item')}** {have} a page"
        yield f"{items}; the plans mark {done} as done."
        return
    # Headings with boxes may name no page.
    yield f"The plans mark **{done} of {count(counted_parts, 'item')}** as done."
    if parts_with_pages:
        names = "names" if parts_with_pages == 1 else "name"
        are = "is" if written == 1 else "are"
        yield f"{count(parts_with_pages, 'item')} {names} a page; {written} {are} written."


def _difference_sentence(library: LibraryOf[NamedPage]) -> str:
    differing = sum(any(entry.differs for entry in entries) for entries in library.counted_parts)
    are = "is" if differing == 1 else "are"
    return (
        f"{count(differing, 'item')} where the two differ {are} marked below." if differing else ""
    )


def _collected_sentence(pages: int) -> str:
    if not pages:
        return ""
    consist, them = ("consists", "it") if pages == 1 else ("consist", "them")
    collected = f"{count(pages, 'page')} {consist} of collected passages"
    return f"{collected}: nobody has written {them} yet."


def _disabled_sentence(disabled: int) -> str:
    are = "is" if disabled == 1 else "are"
    return f"{count(disabled, 'disabled item')} {are} not counted." if disabled else ""


def explain_difference(part: Part, entry: EntryOf[NamedPage] | None) -> str:
    """Return how a PART's state disagrees with the disk; empty if they agree."""
    if entry is None:
        return "" if part.is_group else "no page named"
    return f"marked {part.state}, {template.difference_on_disk(entry)}" if entry.differs else ""


def _state_filter(states: Mapping[State, int]) -> str:
    choices = [(state, states[state]) for state in template.MEANINGS if states.get(state)]
    return template.render_block("filter.html", states=choices)


def _is_finished(library: CountedLibrary, plan: Plan) -> bool:
    """Return True if nothing of a plan is left to see: its pages are there, and nothing differs."""
    parts = [part for part in plan.parts if part.state in COUNTED_STATES]
    entries = [entry for part in parts for entry in library.entries_of(plan, part)]
    is_done = bool(parts) and all(part.state is State.DONE for part in parts)
    is_all_written = all(entry.page and not entry.is_collected for entry in entries)
    has_problems = bool(library.problems_by_uri.get(plan.uri))
    return is_done and is_all_written and not has_problems and not any(e.differs for e in entries)


def _plan(
    library: CountedLibrary,
    plan: Plan,
    url_of: Callable[[str], str],
    reports: Mapping[str, PageUri],
    *,
    is_folded: bool = False,
) -> str:
    counts = Counter(part.state for part in plan.parts)
    finished = max((part.completed or "" for part in plan.parts), default="")
    return template.render_block(
        "plan.html",
        plan=plan,
        folded_id=anchor(plan.slug) if is_folded else "",
        pages=count(len(library.parts_with_pages(plan)), "page"),
        finished=finished[:10],
        entries_of=lambda part: library.entries_of(plan, part),
        explain_difference=explain_difference,
        url_of=url_of,
        bar="" if is_folded else template.state_bar(counts, plan.title, library.missing([plan])),
        problems=library.problems_by_uri.get(plan.uri, ()),
        reports=url_of(reports[plan.uri]) if plan.uri in reports else "",
        report_anchor=report_anchor,
    )


def _plan_table(library: LibraryOf[NamedPage], plan_pages: Mapping[str, PageUri]) -> str:
    """Return a table with a row for each plan and its PARTs by state."""
    states = [state for state in template.MEANINGS if library.counts[state]]
    rows = []
    for plan in library.plans:
        counts = Counter(part.state for part in plan.parts)
        differing = sum(
            entry.differs for part in plan.parts for entry in library.entries_of(plan, part)
        )
        address = template.link(plan_pages[plan.uri])
        name = f"[{inline(plan.title)}]({address}){{ #{anchor(plan.slug)} }}"
        rows.append(
            (
                name,
                count_written_pages(library, plan),
                *(number(counts[state]) for state in states),
                number(differing),
            )
        )
    head = ("Plan", "Written", *(state.value for state in states), "differ")
    return table(head, rows, "l" + "r" * (len(head) - 1))


# --- progress.json, and the JSON of `planbook status` and `planbook show` -------------------------


DATA, SCHEMA = "progress.json", "progress.schema.json"
"""The names of the data and of their schema."""


def progress_files(
    library: CountedLibrary, checks: Checks, cache: FunctionCache = NO_CACHE
) -> dict[str, str]:
    """Return the progress as data, and its schema, by file name.

    See https://json-schema.org/draft/2020-12.
    """
    data = msgspec.json.format(
        msgspec.json.encode(progress_to_json(library, checks, cache)), indent=1
    ).decode()
    return {
        DATA: f"{data}\n",
        SCHEMA: (files("planbook.views") / SCHEMA).read_text(encoding="utf-8"),
    }


def progress_to_json(
    library: CountedLibrary, checks: Checks, cache: FunctionCache = NO_CACHE
) -> dict[str, Any]:
    """Return the totals, and for each plan and PART the state in the plan and on disk.

    `checks` has the results of `planbook verify` for pages that have not changed since.
    """
    counted_entries = [e for e in library.entries if e.state in COUNTED_STATES]
    parts = [part for plan in library.plans for part in plan.parts]
    entries = group_by(library.entries, lambda entry: entry.plan.uri)
    # Each plan's data depends on its entries and their checks alone, so that a server makes those
    # of the edited plan only.
    of_plans: dict[str, tuple[Plan, tuple[CountedEntry, ...], tuple[PageCheck | None, ...]]] = {}
    for plan in library.plans:
        of_plan = tuple(entries.get(plan.uri, ()))
        of_plans[plan.uri] = plan, of_plan, tuple(checks.get(entry.uri) for entry in of_plan)
    return {
        "$schema": SCHEMA,
        "version": 1,
        "totals": {
            "plans": len(library.plans),
            "parts": sum(p.state in COUNTED_STATES for p in parts),
            "states": dict(sorted(Counter(p.state.value for p in parts).items())),
            # Several PARTs may name one page, which is counted once.
            "pages": len({e.uri for e in counted_entries if e.page}),
            "collected": len({e.uri for e in counted_entries if e.is_collected}),
            "lines": sum({e.uri: e.page.lines for e in counted_entries if e.page}.values()),
            "sources": _works_by_status(
                list({e.uri: e.page for e in counted_entries if e.page}.values()), checks, cache
            ),
            "amiss": sum(e.differs for e in counted_entries),
            "problems": len(library.plan_problems),
        },
        "plans": cache.from_last_build(_plan_json, of_plans),
    }


def _plan_json(
    plan: Plan, of_plan: Sequence[CountedEntry], checked: Sequence[PageCheck | None]
) -> dict[str, Any]:
    """Return a plan as data; `checked` has the check of the page of each of its entries."""
    checks = {str(entry.uri): check for entry, check in zip(of_plan, checked, strict=True) if check}
    entries = group_by(of_plan, lambda entry: entry.part.line)
    return {
        "uri": plan.uri,
        "title": plan.title,
        "date": plan.meta_value("Date"),
        "states": dict(sorted(Counter(p.state.value for p in plan.parts).items())),
        "parts": [_part_json(entries.get(part.line, ()), part, checks) for part in plan.parts],
    }


def _part_json(entries: tuple[CountedEntry, ...], part: Part, checks: Checks) -> dict[str, Any]:
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
                "uri": e.uri,
                "exists": e.page is not None,
                "lines": e.page.lines if e.page else None,
                "collected": e.is_collected,
                "sources": _works_by_status([e.page] if e.page else [], checks),
            }
            for e in entries
        ],
        "amiss": any(e.differs for e in entries),
        "citations": _count_citations(entries),
        "drop": next((e.drop.uri for e in entries if e.drop), None),
        "steps": [
            {
                "number": step.number,
                "title": step.title,
                "boxes": sum(t.mark is not None for t in step.tasks),
                "ticked": sum(t.is_ticked for t in step.tasks),
            }
            for step in part.steps
        ],
    }


def _count_citations(entries: Iterable[CountedEntry]) -> int | None:
    """Return the number of works that the pages of a PART cite.

    ``None`` rather than 0, as long as there is no page that could cite.
    """
    counts = [len(entry.page.references) for entry in entries if entry.page]
    return sum(counts) if counts else None


def _works_by_status(
    pages: Sequence[CountedPage], checks: Checks, cache: FunctionCache = NO_CACHE
) -> dict[str, int]:
    """Return the number of works that `pages` cite, by status; statuses of none are left out."""
    of_pages = cache.from_last_build(
        _statuses, {page.uri: (page, checks.get(page.uri)) for page in pages}
    )
    return {status.value: n for status, n in count_statuses(chain.from_iterable(of_pages))}


def _statuses(page: CountedPage, check: PageCheck | None) -> list[SourceStatus]:
    cited = filter(is_work, page.references)
    return [
        status_of(reference, check.by_id.get(reference.id) if check else None)
        for reference in cited
    ]
