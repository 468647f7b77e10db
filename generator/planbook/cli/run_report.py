"""The output of `planbook expand` before and after a run: its forecast, its summary, and its exit code."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planbook.cli import project, terminal
from planbook.cli.terminal import escaped
from planbook.markdown.plain_text import count, number
from planbook.model import State
from planbook.research.expand import events

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.research.expand.run import RunOutcome


_PARTIAL = "partial"
"""The end of a page that leaves points of its PART open."""
_HELD = "held"
"""The end of a page that somebody has changed since it was made: it is kept."""
_COLOURS = {
    events.JobOutcome.DONE: "green",
    events.JobOutcome.FAILED: "red",
    events.JobOutcome.STOPPED: "yellow",
    events.JobOutcome.UNREACHED: "yellow",
    _PARTIAL: "yellow",
    _HELD: "yellow",
}
_WRITTEN = frozenset({events.JobOutcome.DONE, _PARTIAL})


# --- summary ---------------------------------------------------------------------------------------------------------


def exit_code(outcome: RunOutcome) -> int:
    """Return the exit code: the first whose condition is met."""
    ends = {result.outcome for result in outcome.results}
    failed = any(record.content is None for record in outcome.summary.records)
    reasons = (
        (bool(outcome.summary.troubles), project.FOUND),
        (
            events.JobOutcome.UNREACHED in ends and not ends & {events.JobOutcome.DONE, events.JobOutcome.FAILED},
            project.UNREACHED,
        ),
        (outcome.stopped is not None, project.STOPPED),
        (failed or outcome.left > 0, project.FAILED),
        (not outcome.summary.records and not outcome.results, project.NOTHING),
    )
    return next((code for is_so, code in reasons if is_so), project.OK)


def summary_json(outcome: RunOutcome, log: str) -> dict[str, Any]:
    """Return the summary as JSON data."""
    from planbook.research.evidence.selection import passed_json

    return {
        "version": 1,
        "exit": exit_code(outcome),
        "stopped": outcome.stopped,
        "left": outcome.left,
        "commit": outcome.summary.commit,
        "troubles": outcome.summary.troubles,
        "requests": outcome.usage.requests,
        "tokens": outcome.usage.tokens,
        "tokens_in": outcome.usage.tokens_in,
        "tokens_out": outcome.usage.tokens_out,
        "log": log if outcome.results else None,
        "pages": list(_pages(outcome)),
        "passed": [passed_json(passed) for passed in outcome.selection.passed],
    }


def show_summary(console: Console, summary: Mapping[str, Any]) -> None:
    """Print the summary."""
    pages, stopped = summary["pages"], summary["stopped"]
    if pages:
        _show_pages(console, pages)
    else:
        console.print(_nothing_to_do(summary["passed"]) if not stopped else "No page was started.")
    written = [page for page in pages if page["end"] in _WRITTEN]
    if written:
        sums = f"{count(sum(p['lines'] for p in written), 'line')}, {count(sum(p['works'] for p in written), 'work')}"
        console.print(f"{count(len(written), 'page')} written, {sums} cited.")
    for trouble in summary["troubles"]:
        console.print(f"[red]{escaped(trouble)}[/]")
    if stopped:
        console.print(f"Stopped: {escaped(stopped)}.")
    if summary["exit"] == project.UNREACHED and summary["requests"]:
        console.print(terminal.OFFLINE)
    for line in _next_steps(pages):
        console.print(escaped(line))
    if summary["left"]:
        left = f"{count(summary['left'], 'page')} left"
        console.print(f"{left}. Run the same command again to continue; the results so far are kept.")
    if summary["log"]:
        if summary["tokens"]:
            console.print(f"Models: {_tokens(summary)}.")
        console.print(f"[dim]{number(summary['requests'])} requests; log: {escaped(summary['log'])}[/]")
    for passed in summary["passed"] if not pages else ():
        console.print(f"[dim]  {_name(passed)}: {escaped(passed['why'])}[/]")


_MOST_STEPS = 8
"""Number of PARTs for which the end of a run says what to do."""


def _next_steps(pages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what to do next for each PART that is not done, under a title."""
    steps = [f"  {_name(page)}: {step}" for page in pages if (step := _next_step(page))]
    if steps:
        yield "Next:"
    yield from steps[:_MOST_STEPS]
    further = len(steps) - _MOST_STEPS
    if further > 0:
        yield f"  and {count(further, 'other PART')}, as the table says"


def _next_step(page: Mapping[str, Any]) -> str:
    """Return what to do next for a PART; empty if it is done, if the next run takes it, or if it was said before."""
    part = f"{shlex.quote(page['plan'])} {page['part']}"
    match page["end"]:
        case "failed":
            again = f"planbook expand {part} --redo"
            return f"try again with `{again}`, or write it: `planbook brief {part}`"
        case "partial":
            return f"see its open points with `planbook brief {part}`; it is taken again when there are new documents"
        case _:
            return ""


def _nothing_to_do(passed: list[dict[str, Any]]) -> str:
    """Return why a run has no PART to fill."""
    from planbook.research.evidence.selection import NOT_COLLECTED

    if any(one["why"] == NOT_COLLECTED for one in passed):
        return "Nothing to do: no page of collected passages can be written again."
    partial = sum(one["state"] == State.PARTIAL for one in passed)
    if not partial:
        return "Nothing to do: no PART is open."
    return f"Nothing to do: {count(partial, 'PART')} partial, and nothing has changed since the pages were made."


def _show_pages(console: Console, pages: list[dict[str, Any]]) -> None:
    rows = []
    for page in pages:
        name = (
            escaped(page["plan"]),
            str(page["part"]),
            escaped(page["page"]),
            f"[{_COLOURS[page['end']]}]{page['end']}[/]",
        )
        size = [number(page[key]) if page["end"] in _WRITTEN else "" for key in ("lines", "works")]
        requests = number(page["requests"]) if page["requests"] is not None else ""
        rows.append((*name, *size, requests, escaped(page["reason"])))
    terminal.show_rows(console, ("plan", "PART ", " page", "", "lines ", "works ", "requests ", " remark"), rows)


def _pages(outcome: RunOutcome) -> Iterator[dict[str, Any]]:
    """Yield recorded pages, including those of an interrupted run, then pages that are not finished."""
    briefs = [result.job.brief for result in outcome.results]
    keys = ((brief.plan.slug, brief.part.number, str(brief.page)) for brief in briefs)
    results = dict(zip(keys, outcome.results, strict=True))
    records = {(record.plan, record.number, record.page): record for record in outcome.summary.records}
    for key in dict.fromkeys([*records, *results]):
        record, result = records.get(key), results.get(key)
        if record is not None:
            done = _PARTIAL if record.reason else events.JobOutcome.DONE
            done = _HELD if record.is_held else done
            end = events.JobOutcome.FAILED if record.content is None else done
        else:
            is_open = result is None or result.outcome is events.JobOutcome.DONE
            end = events.JobOutcome.STOPPED if is_open or result is None else result.outcome
        yield {
            "plan": key[0],
            "part": key[1],
            "page": key[2],
            "end": str(end),
            "reason": record.reason if record else result.reason if result else "",
            "lines": record.lines if record else 0,
            "works": record.works if record else 0,
            "requests": result.usage.requests if result else None,
            "tokens": result.usage.tokens if result else None,
        }


# --- forecast --------------------------------------------------------------------------------------------------------


def show_forecast(console: Console, forecast: Mapping[str, Any]) -> None:
    """Print the forecast."""
    if not forecast["pages"]:
        console.print(_nothing_to_do(forecast["passed"]))
    for page in forecast["pages"]:
        lines = [f"[bold]{_name(page)}[/]: {escaped(page['page'])}"]
        if page["is_kept"]:
            how = "keeps the page, which somebody has changed since it was made, and writes ours beside it"
            lines.append(f"  [yellow]{how}: {escaped(page['replaces'])}[/]")
        elif page["replaces"]:
            lines.append(f"  [yellow]replaces the page: {escaped(page['replaces'])}[/]")
        lines += [f"  in the base: {escaped(known)}" for known in page["known"]]
        lines += [f"  [yellow]not in the base: {escaped(missing)}[/]" for missing in page["unresolved"]]
        lines += [f"  named by the plan: {escaped(url)}" for url in page["named"]]
        for query in page["queries"]:
            names = ", ".join(query["providers"]) or "nobody"
            lines.append(f"  {escaped(query['engine'])}: {escaped(query['text'])} [dim]→ {names}[/]")
        console.print("\n".join(lines))
    if forecast["pages"]:
        _show_cost(console, forecast)
    skipped = [f"[dim]skipped: {_name(passed)}: {escaped(passed['why'])}[/]" for passed in forecast["passed"]]
    if skipped:
        console.print("\n".join(skipped))
    if forecast["refused"]:
        console.print(f"[red]The run would be refused: {escaped(forecast['refused'])}[/]")


def _show_cost(console: Console, forecast: Mapping[str, Any]) -> None:
    pages, name = count(len(forecast["pages"]), "page"), forecast["writer"]
    console.print(f"\n{pages}, by the writer `{name}`. At most, if each query goes to every provider:")
    for provider, searches in forecast["searches"].items():
        console.print(f"  {count(searches, 'search', 'searches')} at {provider}")
    documents = count(forecast["documents"], "document")
    asks = forecast["searches"] or any(page["named"] for page in forecast["pages"])
    place = "from their hosts, after the robots.txt of each host" if asks else "on this machine"
    console.print(f"  {documents} read {place}")
    writer = escaped(forecast["author"] or "")
    for model in forecast["models"]:
        console.print(f"  {count(model['requests'], 'request')} to {escaped(model['model'])}, {_tokens(model)}")
    if hosts := dict.fromkeys(model["host"] for model in forecast["models"]):
        own = f", also of {escaped(forecast['documents_folder'])}/," if forecast["documents_folder"] else ""
        console.print(f"  [yellow]text of the sources{own} is sent to {escaped(' and '.join(hosts))}[/]")
    elif name == "extract":
        console.print(f"  no token: {writer}")
    elif writer:
        console.print(f"  {pages} by {writer}; its requests are unknown")
    for lack in forecast["unavailable"]:
        console.print(f"[dim]not available: {lack['provider']}: {escaped(lack['lacks'])}[/]")
    console.print(f"commit: {escaped(forecast['commit'])}")
    console.print("No requests were sent and nothing was written.")


def _tokens(usage: Mapping[str, Any]) -> str:
    """Return the tokens of requests and answers."""
    return f"{number(usage['tokens_in'])} tokens in and {number(usage['tokens_out'])} out"


def _name(row: Mapping[str, Any]) -> str:
    return escaped(f"{row['plan']} PART {row['part']}")
