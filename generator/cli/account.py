"""The account of a run: a line a page, what is left, how to go on; as a table, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from generator.cli.console import escaped
from generator.cli.live import WORDS
from generator.cli.project import FAILED, FOUND, NOTHING, OK, STOPPED, UNREACHED
from generator.expand.job import End, Result
from generator.expand.record import Record
from generator.expand.session import Outcome
from generator.views.labels import count, number

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS = {End.DONE: "green", End.FAILED: "red", End.STOPPED: "yellow", End.UNREACHED: "yellow"}


def exit_code(outcome: Outcome) -> int:
    """What the run exits with: the first of these that is true."""
    ends = {result.end for result in outcome.ends.results}
    failed = any(record.content is None for record in outcome.finals.records)
    reasons = (
        (bool(outcome.finals.trouble or outcome.ends.troubles), FOUND),
        (End.UNREACHED in ends and not ends & {End.DONE, End.FAILED}, UNREACHED),
        (outcome.stopped is not None, STOPPED),
        (failed or outcome.ends.left > 0, FAILED),
        (not outcome.finals.records and not outcome.ends.results, NOTHING),
    )
    return next((code for is_so, code in reasons if is_so), OK)


def account(outcome: Outcome, log: str) -> dict[str, Any]:
    """The account as JSON data."""
    return {
        "version": 1,
        "exit": exit_code(outcome),
        "stopped": outcome.stopped,
        "left": outcome.ends.left,
        "commit": outcome.finals.commit,
        "moved": [{"from": old, "to": new} for old, new in outcome.finals.moved],
        "troubles": [*outcome.ends.troubles, *filter(None, [outcome.finals.trouble])],
        "requests": outcome.usage.requests,
        "tokens": outcome.usage.tokens,
        "log": log if outcome.ends.results else None,
        "pages": list(_pages(outcome)),
        "passed": [
            {"plan": passed.plan.slug, "part": passed.part.number, "why": passed.why}
            for passed in outcome.selection.passed
        ],
    }


def show_account(console: Console, outcome: Outcome, log: str) -> None:
    """The account for a person."""
    pages = list(_pages(outcome))
    if pages:
        _show_pages(console, pages)
    else:
        console.print("There is nothing to do: no PART is open." if not outcome.stopped else "No page was begun.")
    written = [page for page in pages if page["end"] == End.DONE]
    if written:
        sums = f"{count(sum(p['lines'] for p in written), 'line')}, {count(sum(p['works'] for p in written), 'work')}"
        console.print(f"{count(len(written), 'page')} written, {sums} cited.")
    for trouble in (*outcome.ends.troubles, *filter(None, [outcome.finals.trouble])):
        console.print(f"[red]{escaped(trouble)}[/]", soft_wrap=True)
    if outcome.stopped:
        console.print(f"Stopped: {escaped(outcome.stopped)}.", soft_wrap=True)
    if outcome.ends.left:
        left = f"{count(outcome.ends.left, 'page')} left"
        console.print(f"{left}. To go on, run the same command again: what was found so far is kept.")
    if outcome.ends.results:
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
        end = End(page["end"])
        is_done = end is End.DONE
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


def _pages(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """What was recorded, also by a run that was cut off; then what was begun and is left."""
    results = {_key(result): result for result in outcome.ends.results}
    recorded = {(record.plan, record.number, record.page): record for record in outcome.finals.records}
    for key in dict.fromkeys([*recorded, *results]):
        record, result = recorded.get(key), results.get(key)
        yield {
            "plan": key[0],
            "part": key[1],
            "page": key[2],
            "end": _end(record, result).value,
            "reason": record.reason if record else result.reason if result else "",
            "attempts": result.job.attempt if result else None,
            "lines": record.lines if record else 0,
            "works": record.works if record else 0,
            "requests": result.usage.requests if result else None,
            "tokens": result.usage.tokens if result else None,
        }


def _end(record: Record | None, result: Result | None) -> End:
    if record is not None:
        return End.DONE if record.content is not None else End.FAILED
    return result.end if result and result.end is not End.DONE else End.STOPPED


def _key(result: Result) -> tuple[str, int, str]:
    brief = result.job.brief
    return brief.plan.slug, brief.part.number, str(brief.page)
