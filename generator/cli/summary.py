"""The summary of a run, as a table and as JSON: each page, the rest, and how to continue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from generator.cli.console import escaped
from generator.cli.live import WORDS
from generator.cli.project import FAILED, FOUND, NOTHING, OK, STOPPED, UNREACHED
from generator.expand.events import JobOutcome, Result
from generator.expand.record import Record
from generator.expand.run import RunOutcome
from generator.views.labels import count, number

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS = {
    JobOutcome.DONE: "green",
    JobOutcome.FAILED: "red",
    JobOutcome.STOPPED: "yellow",
    JobOutcome.UNREACHED: "yellow",
}


def exit_code(outcome: RunOutcome) -> int:
    """Return the exit code: the first whose condition is met."""
    ends = {result.outcome for result in outcome.results}
    failed = any(record.content is None for record in outcome.summary.records)
    reasons = (
        (bool(outcome.summary.trouble or outcome.troubles), FOUND),
        (JobOutcome.UNREACHED in ends and not ends & {JobOutcome.DONE, JobOutcome.FAILED}, UNREACHED),
        (outcome.stopped is not None, STOPPED),
        (failed or outcome.left > 0, FAILED),
        (not outcome.summary.records and not outcome.results, NOTHING),
    )
    return next((code for is_so, code in reasons if is_so), OK)


def summary_json(outcome: RunOutcome, log: str) -> dict[str, Any]:
    """Return the summary as JSON data."""
    return {
        "version": 1,
        "exit": exit_code(outcome),
        "stopped": outcome.stopped,
        "left": outcome.left,
        "commit": outcome.summary.commit,
        "moved": [{"from": old, "to": new} for old, new in outcome.summary.moved],
        "troubles": [*outcome.troubles, *filter(None, [outcome.summary.trouble])],
        "requests": outcome.usage.requests,
        "tokens": outcome.usage.tokens,
        "log": log if outcome.results else None,
        "pages": list(_pages(outcome)),
        "passed": [
            {"plan": passed.plan.slug, "part": passed.part.number, "why": passed.why}
            for passed in outcome.selection.passed
        ],
    }


def show_summary(console: Console, outcome: RunOutcome, log: str) -> None:
    """Print the summary."""
    pages = list(_pages(outcome))
    if pages:
        _show_pages(console, pages)
    else:
        console.print("There is nothing to do: no PART is open." if not outcome.stopped else "No page was begun.")
    written = [page for page in pages if page["end"] == JobOutcome.DONE]
    if written:
        sums = f"{count(sum(p['lines'] for p in written), 'line')}, {count(sum(p['works'] for p in written), 'work')}"
        console.print(f"{count(len(written), 'page')} written, {sums} cited.")
    for trouble in (*outcome.troubles, *filter(None, [outcome.summary.trouble])):
        console.print(f"[red]{escaped(trouble)}[/]", soft_wrap=True)
    if outcome.stopped:
        console.print(f"Stopped: {escaped(outcome.stopped)}.", soft_wrap=True)
    if outcome.left:
        left = f"{count(outcome.left, 'page')} left"
        console.print(f"{left}. To go on, run the same command again: what was found so far is kept.")
    if outcome.results:
        console.print(f"[dim]{number(outcome.usage.requests)} requests; log: {escaped(log)}[/]")
    if not pages:
        for passed in outcome.selection.passed:
            console.print(f"[dim]  {escaped(passed.plan.slug)} PART {passed.part.number}: {escaped(passed.why)}[/]")


def _show_pages(console: Console, pages: list[dict[str, Any]]) -> None:
    from rich.table import Table

    grid = Table(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for title, side in (("plan", "left"), ("PART", "right"), ("page", "left"), ("", "left"), ("lines", "right")):
        grid.add_column(title, justify=side, overflow="fold")  # type: ignore[arg-type]
    for title in ("works", "requests"):
        grid.add_column(title, justify="right")
    grid.add_column("why not", overflow="fold")
    for page in pages:
        end = JobOutcome(page["end"])
        is_done = end is JobOutcome.DONE
        grid.add_row(
            escaped(page["plan"]),
            str(page["part"]),
            escaped(page["page"]),
            f"[{_COLOURS[end]}]{WORDS[end]}[/]",
            number(page["lines"]) if is_done else "",
            number(page["works"]) if is_done else "",
            number(page["requests"]) if page["requests"] is not None else "",
            escaped(page["reason"]),
        )
    console.print(grid)


def _pages(outcome: RunOutcome) -> Iterator[dict[str, Any]]:
    """Yield recorded pages, including those of an interrupted run, then pages that were begun and are left."""
    results = {_key(result): result for result in outcome.results}
    recorded = {(record.plan, record.number, record.page): record for record in outcome.summary.records}
    for key in dict.fromkeys([*recorded, *results]):
        record, result = recorded.get(key), results.get(key)
        yield {
            "plan": key[0],
            "part": key[1],
            "page": key[2],
            "end": _outcome(record, result).value,
            "reason": record.reason if record else result.reason if result else "",
            "attempts": result.job.attempt if result else None,
            "lines": record.lines if record else 0,
            "works": record.works if record else 0,
            "requests": result.usage.requests if result else None,
            "tokens": result.usage.tokens if result else None,
        }


def _outcome(record: Record | None, result: Result | None) -> JobOutcome:
    if record is not None:
        return JobOutcome.DONE if record.content is not None else JobOutcome.FAILED
    return result.outcome if result and result.outcome is not JobOutcome.DONE else JobOutcome.STOPPED


def _key(result: Result) -> tuple[str, int, str]:
    brief = result.job.brief
    return brief.plan.slug, brief.part.number, str(brief.page)
