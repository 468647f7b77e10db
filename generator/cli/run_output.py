"""The output of runs: progress, the summary of `planbook expand`, and the forecast of `--dry-run`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from generator.cli.console import OFFLINE, escaped, make_console, show_rows
from generator.cli.project import FAILED, FOUND, NOTHING, OK, STOPPED, UNREACHED
from generator.expand.events import (
    Event,
    JobOutcome,
    Message,
    PageRecorded,
    PartFinished,
    PartStarted,
    StageFinished,
)
from generator.expand.run import RunOutcome
from generator.markdown.plain_text import count, number
from generator.search.catalogue import BY_NAME

if TYPE_CHECKING:
    from rich.console import Console

# --- progress --------------------------------------------------------------------------------------------------------


_LABELS = {
    JobOutcome.DONE: ("done", "green"),
    JobOutcome.FAILED: ("failed", "red"),
    JobOutcome.STOPPED: ("stopped", "yellow"),
    JobOutcome.UNREACHED: ("no host reached", "yellow"),
    "partial": ("partial", "yellow"),
}
"""The label of each outcome, and its colour."""
_PARTIAL = "partial"
"""The end of a page that leaves points of its PART open."""
_WRITTEN = frozenset({JobOutcome.DONE, _PARTIAL})


class Live:
    """Show events on standard error, a line each. Used by one thread."""

    def __init__(self) -> None:
        self._console = make_console(stderr=True)

    def watch(self, event: Event) -> None:
        """Show one event."""
        if line := event_line(event):
            self._console.print(line)


def event_line(event: Event) -> str:
    """Return the line to print for an event, as markup; empty for an event that the log alone has."""
    match event:
        case Message(message):
            return escaped(message)
        case PageRecorded(name, page, is_written, reason):
            return f"{escaped(name)}: {escaped(_recorded(page, reason) if is_written else reason)}"
        case PartFinished(result) if result.outcome is not JobOutcome.DONE:
            attempt = f" (attempt {result.job.attempt})" if result.outcome is JobOutcome.FAILED else ""
            return f"{escaped(result.job.name)}: {_LABELS[result.outcome][0]}{attempt}: {escaped(result.reason)}"
        case PartStarted(job):
            again = f", attempt {job.attempt}" if job.attempt > 1 else ""
            return f"{escaped(job.name)}: {escaped(job.brief.page)}{again}"
        case StageFinished(job, stage, usage):
            spent = [count(usage.requests, "request")] if usage.requests else []
            spent += [count(usage.tokens, "token")] if usage.tokens else []
            return f"{escaped(job.name)}: {stage}" + (f", {', '.join(spent)}" if spent else "")
    return ""


def _recorded(page: str, reason: str) -> str:
    return f"{page} is written, and its PART is partial: {reason}" if reason else f"{page} is written"


# --- summary ---------------------------------------------------------------------------------------------------------


def exit_code(outcome: RunOutcome) -> int:
    """Return the exit code: the first whose condition is met."""
    ends = {result.outcome for result in outcome.results}
    failed = any(record.content is None for record in outcome.summary.records)
    reasons = (
        (bool(outcome.summary.troubles), FOUND),
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
        "troubles": outcome.summary.troubles,
        "requests": outcome.usage.requests,
        "tokens": outcome.usage.tokens,
        "tokens_in": outcome.usage.tokens - outcome.usage.tokens_out,
        "tokens_out": outcome.usage.tokens_out,
        "cost": outcome.usage.cost,
        "log": log if outcome.results else None,
        "pages": list(_pages(outcome)),
        "passed": [{"plan": p.plan.slug, "part": p.part.number, "why": p.why} for p in outcome.selection.passed],
    }


def show_summary(console: Console, summary: Mapping[str, Any]) -> None:
    """Print the summary."""
    pages, stopped = summary["pages"], summary["stopped"]
    if pages:
        _show_pages(console, pages)
    else:
        console.print("Nothing to do: no PART is open." if not stopped else "No page was started.")
    written = [page for page in pages if page["end"] in _WRITTEN]
    if written:
        sums = f"{count(sum(p['lines'] for p in written), 'line')}, {count(sum(p['works'] for p in written), 'work')}"
        console.print(f"{count(len(written), 'page')} written, {sums} cited.")
    for trouble in summary["troubles"]:
        console.print(f"[red]{escaped(trouble)}[/]")
    if stopped:
        console.print(f"Stopped: {escaped(stopped)}.")
    if summary["exit"] == UNREACHED:
        console.print(OFFLINE)
    if summary["left"]:
        left = f"{count(summary['left'], 'page')} left"
        console.print(f"{left}. Run the same command again to continue; the results so far are kept.")
    if summary["log"]:
        if summary["tokens"]:
            console.print(f"Models: {_tokens(summary)}.")
        console.print(f"[dim]{number(summary['requests'])} requests; log: {escaped(summary['log'])}[/]")
    for passed in summary["passed"] if not pages else ():
        console.print(f"[dim]  {_name(passed)}: {escaped(passed['why'])}[/]")


def _show_pages(console: Console, pages: list[dict[str, Any]]) -> None:
    rows = []
    for page in pages:
        label, colour = _LABELS[page["end"]]
        name = escaped(page["plan"]), str(page["part"]), escaped(page["page"]), f"[{colour}]{label}[/]"
        size = [number(page[key]) if page["end"] in _WRITTEN else "" for key in ("lines", "works")]
        requests = number(page["requests"]) if page["requests"] is not None else ""
        rows.append((*name, *size, requests, escaped(page["reason"])))
    show_rows(console, ("plan", "PART ", " page", "", "lines ", "works ", "requests ", " remark"), rows)


def _pages(outcome: RunOutcome) -> Iterator[dict[str, Any]]:
    """Yield recorded pages, including those of an interrupted run, then pages that are not finished."""
    briefs = [result.job.brief for result in outcome.results]
    keys = ((brief.plan.slug, brief.part.number, str(brief.page)) for brief in briefs)
    results = dict(zip(keys, outcome.results, strict=True))
    records = {(record.plan, record.number, record.page): record for record in outcome.summary.records}
    for key in dict.fromkeys([*records, *results]):
        record, result = records.get(key), results.get(key)
        if record is not None:
            end = JobOutcome.FAILED if record.content is None else _PARTIAL if record.reason else JobOutcome.DONE
        else:
            end = result.outcome if result and result.outcome is not JobOutcome.DONE else JobOutcome.STOPPED
        yield {
            "plan": key[0],
            "part": key[1],
            "page": key[2],
            "end": str(end),
            "reason": record.reason if record else result.reason if result else "",
            "attempts": result.job.attempt if result else None,
            "lines": record.lines if record else 0,
            "works": record.works if record else 0,
            "requests": result.usage.requests if result else None,
            "tokens": result.usage.tokens if result else None,
        }


# --- forecast --------------------------------------------------------------------------------------------------------


def show_forecast(console: Console, forecast: Mapping[str, Any]) -> None:
    """Print the forecast."""
    if not forecast["pages"]:
        console.print("Nothing to do: no PART is open.")
    for page in forecast["pages"]:
        console.print(f"[bold]{_name(page)}[/]: {escaped(page['page'])}")
        for known in page["known"]:
            console.print(f"  in the base: {escaped(known)}")
        for missing in page["unresolved"]:
            console.print(f"  [yellow]not in the base: {escaped(missing)}[/]")
        for url in page["named"]:
            console.print(f"  named by the plan: {escaped(url)}")
        for query in page["queries"]:
            names = ", ".join(query["providers"]) or "nobody"
            console.print(f"  {escaped(query['engine'])}: {escaped(query['text'])} [dim]→ {names}[/]")
    if forecast["pages"]:
        _show_cost(console, forecast)
    for passed in forecast["passed"]:
        console.print(f"[dim]skipped: {_name(passed)}: {escaped(passed['why'])}[/]")
    if forecast["refused"]:
        console.print(f"[red]The run would be refused: {escaped(forecast['refused'])}[/]")


def _show_cost(console: Console, forecast: Mapping[str, Any]) -> None:
    pages, name = count(len(forecast["pages"]), "page"), forecast["writer"]
    console.print(f"\n{pages}, by the writer `{name}`. At most, if each query goes to every provider:")
    for provider, searches in forecast["searches"].items():
        console.print(f"  {count(searches, 'search', 'searches')} at {provider} ({BY_NAME[provider].cost})")
    documents = count(forecast["documents"], "document")
    console.print(f"  {documents} read from their hosts, after the robots.txt of each host")
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
    console.print("[dim]A page that fails is attempted twice; documents already found are not requested again.[/]")
    for lack in forecast["unavailable"]:
        console.print(f"[dim]not available: {lack['provider']}: {escaped(lack['lacks'])}[/]")
    console.print(f"commit: {escaped(forecast['commit'])}")
    console.print("No requests were sent and nothing was written.")


def _tokens(usage: Mapping[str, Any]) -> str:
    """Return the tokens of requests and answers, with their price if it is known."""
    cost = f", {usage['cost']:.2f} by the configured prices" if usage["cost"] else ""
    return f"{number(usage['tokens_in'])} tokens in and {number(usage['tokens_out'])} out{cost}"


def _name(row: Mapping[str, Any]) -> str:
    return escaped(f"{row['plan']} PART {row['part']}")
