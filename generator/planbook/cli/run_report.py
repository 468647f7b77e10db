"""The output of `planbook expand`: the forecast of a run, its summary, and its exit code."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from planbook.cli import project, terminal
from planbook.cli.terminal import escape_output
from planbook.markdown.plain_text import count, number
from planbook.model import State
from planbook.research.expand.jobs import JobOutcome

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.research.expand.jobs import Result
    from planbook.research.expand.run import RunOutcome
    from planbook.research.recording.config import RecordingConfig
    from planbook.research.recording.record import Record


_PARTIAL_OUTCOME = "partial"
"""The end of a page that leaves points of its PART open."""
_HELD_OUTCOME = "held"
"""The end of a page that somebody has changed since it was made: it is kept."""
_COLOURS = {
    JobOutcome.DONE: "green",
    JobOutcome.FAILED: "red",
    JobOutcome.STOPPED: "yellow",
    JobOutcome.UNREACHED: "yellow",
    JobOutcome.CLAIMED: "yellow",
    _PARTIAL_OUTCOME: "yellow",
    _HELD_OUTCOME: "yellow",
}
_WRITTEN_OUTCOMES = frozenset({JobOutcome.DONE, _PARTIAL_OUTCOME})
"""The ends of pages that were written."""
_MAX_STEPS = 8
"""Number of PARTs for which the end of a run says what to do."""


# --- summary --------------------------------------------------------------------------------------


def exit_code(outcome: RunOutcome) -> int:
    """Return the exit code: the first whose condition is met."""
    summary = outcome.summary
    ends = {result.outcome for result in outcome.results}
    has_answer = not ends.isdisjoint({JobOutcome.DONE, JobOutcome.FAILED})
    has_failed = any(record.content is None for record in summary.records)
    # What a person has to look at comes first, then what the next run cannot mend by itself.
    if summary.troubles:
        return project.EXIT_ATTENTION
    if JobOutcome.UNREACHED in ends and not has_answer:
        return project.EXIT_UNREACHED
    if outcome.stopped is not None:
        return project.EXIT_STOPPED
    if has_failed or outcome.unfinished > 0:
        return project.EXIT_FAILED
    if not summary.records and not outcome.results:
        return project.EXIT_NOTHING
    return project.EXIT_OK


def summary_json(outcome: RunOutcome, log: str) -> dict[str, Any]:
    """Return the summary as JSON data."""
    from planbook.research.selection import skipped_part_to_json

    return {
        "version": 1,
        "exit": exit_code(outcome),
        "stopped": outcome.stopped,
        "left": outcome.unfinished,
        "commit": outcome.summary.commit,
        "troubles": outcome.summary.troubles,
        "requests": outcome.usage.requests,
        "tokens": outcome.usage.tokens,
        "tokens_in": outcome.usage.tokens_in,
        "tokens_out": outcome.usage.tokens_out,
        "log": log if outcome.results else None,
        "pages": list(_page_rows(outcome)),
        "passed": [skipped_part_to_json(part) for part in outcome.selection.skipped],
    }


def show_summary(console: Console, summary: Mapping[str, Any]) -> None:
    """Print the summary."""
    pages, stopped = summary["pages"], summary["stopped"]
    if pages:
        _show_pages(console, pages)
    elif stopped:
        console.print("No page was started.")
    else:
        console.print(_nothing_to_do(summary["passed"]))
    written_pages = [page for page in pages if page["end"] in _WRITTEN_OUTCOMES]
    if written_pages:
        lines = count(sum(page["lines"] for page in written_pages), "line")
        works = count(sum(page["works"] for page in written_pages), "work")
        console.print(f"{count(len(written_pages), 'page')} written, {lines}, {works} cited.")
    for trouble in summary["troubles"]:
        console.print(f"[red]{escape_output(trouble)}[/]")
    if stopped:
        console.print(f"Stopped: {escape_output(stopped)}.")
    if summary["exit"] == project.EXIT_UNREACHED and summary["requests"]:
        console.print(terminal.OFFLINE)
    for line in _next_steps(pages):
        console.print(escape_output(line))
    _show_rest(console, summary)


def _show_rest(console: Console, summary: Mapping[str, Any]) -> None:
    """Print what is left, what the run has used, and, if it took no page, why it skipped PARTs."""
    if summary["left"]:
        advice = "Run the same command again to continue; the results so far are kept."
        console.print(f"{count(summary['left'], 'page')} left. {advice}")
    if summary["log"]:
        if summary["tokens"]:
            console.print(f"Models: {_token_counts(summary)}.")
        requests = f"{number(summary['requests'])} requests"
        console.print(f"[dim]{requests}; log: {escape_output(summary['log'])}[/]")
    if not summary["pages"]:
        for skipped in summary["passed"]:
            console.print(f"[dim]  {_part_name(skipped)}: {escape_output(skipped['why'])}[/]")


def _next_steps(pages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what to do next for each PART that is not done, under a title."""
    steps = [f"  {_part_name(page)}: {step}" for page in pages if (step := _next_step(page))]
    if steps:
        yield "Next:"
    yield from steps[:_MAX_STEPS]
    further = len(steps) - _MAX_STEPS
    if further > 0:
        yield f"  and {count(further, 'other PART')}, as the table says"


def _next_step(page: Mapping[str, Any]) -> str:
    """Return what to do next for a PART.

    The result is empty if it is done, if the next run takes it, or if it was said before.
    """
    part = f"{shlex.quote(page['plan'])} {page['part']}"
    match page["end"]:
        case "failed":
            again = f"planbook expand {part} --redo"
            return f"try again with `{again}`, or write it: `planbook brief {part}`"
        case "partial":
            when = "it is taken again when there are new documents"
            return f"see its open points with `planbook brief {part}`; {when}"
        case _:
            return ""


def _nothing_to_do(skipped: list[dict[str, Any]]) -> str:
    """Return why a run has no PART to fill."""
    from planbook.research.selection import NOT_COLLECTED

    if any(part["why"] == NOT_COLLECTED for part in skipped):
        return "Nothing to do: no page of collected passages can be written again."
    # A partial PART is taken again by itself as soon as something has changed.
    partial = sum(part["state"] == State.PARTIAL for part in skipped)
    if not partial:
        return "Nothing to do: no PART is open."
    why = "nothing has changed since the pages were made"
    return f"Nothing to do: {count(partial, 'PART')} partial, and {why}."


def _show_pages(console: Console, pages: Sequence[Mapping[str, Any]]) -> None:
    """Print a row for each page: its end, its size if it was written, and its requests."""
    rows = []
    for page in pages:
        end = page["end"]
        lines = works = requests = ""
        if end in _WRITTEN_OUTCOMES:
            lines = number(page["lines"])
            works = number(page["works"])
        if page["requests"] is not None:
            requests = number(page["requests"])
        cells = (
            escape_output(page["plan"]),
            str(page["part"]),
            escape_output(page["page"]),
            f"[{_COLOURS[end]}]{end}[/]",
            lines,
            works,
            requests,
            escape_output(page["reason"]),
        )
        rows.append(cells)
    titles = ("plan", "PART ", " page", "", "lines ", "works ", "requests ", " remark")
    terminal.show_rows(console, titles, rows)


def _page_rows(outcome: RunOutcome) -> Iterator[dict[str, Any]]:
    """Yield recorded pages, then those that are not finished.

    Pages that an interrupted run recorded are among them.
    """
    results = {}
    for result in outcome.results:
        brief = result.job.brief
        results[brief.plan.slug, brief.part.number, str(brief.page)] = result
    records = {}
    for record in outcome.summary.records:
        records[record.plan, record.number, record.page] = record
    # A page may have both, as the result of a run is recorded: it has one row, where the record is.
    for key in dict.fromkeys([*records, *results]):
        yield _page_row(key, records.get(key), results.get(key))


def _page_row(
    key: tuple[str, int, str], record: Record | None, result: Result | None
) -> dict[str, Any]:
    """Return a page of the summary: `key` is its plan, the number of its PART, and its path."""
    plan, part, page = key
    if record is not None:
        end, reason = _end_of_record(record), record.reason
    elif result is not None:
        end, reason = _end_of_result(result), result.page.reason
    else:
        end, reason = str(JobOutcome.STOPPED), ""
    return {
        "plan": plan,
        "part": part,
        "page": page,
        "end": end,
        "reason": reason,
        "lines": record.lines if record else 0,
        "works": record.works if record else 0,
        "requests": result.page.usage.requests if result else None,
        "tokens": result.page.usage.tokens if result else None,
    }


def _end_of_record(record: Record) -> str:
    """Return the end of a page that was recorded."""
    if record.content is None:
        return str(JobOutcome.FAILED)
    if record.is_held:
        return _HELD_OUTCOME
    return _PARTIAL_OUTCOME if record.reason else str(JobOutcome.DONE)


def _end_of_result(result: Result) -> str:
    """Return the end of a page without a record: one that was made in vain was stopped, too."""
    is_made = result.outcome is JobOutcome.DONE
    return str(JobOutcome.STOPPED if is_made else result.outcome)


# --- forecast -------------------------------------------------------------------------------------


def show_forecast(console: Console, forecast: Mapping[str, Any]) -> None:
    """Print the forecast."""
    pages, skipped_parts = forecast["pages"], forecast["passed"]
    if not pages:
        console.print(_nothing_to_do(skipped_parts))
    for page in pages:
        console.print("\n".join(_forecast_lines(page)))
    if pages:
        _show_cost(console, forecast)
    if skipped_parts:
        skipped = [
            f"[dim]skipped: {_part_name(part)}: {escape_output(part['why'])}[/]"
            for part in skipped_parts
        ]
        console.print("\n".join(skipped))
    if forecast["refused"]:
        console.print(f"[red]The run would be refused: {escape_output(forecast['refused'])}[/]")


def _forecast_lines(page: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a run would do for a page: what it replaces, knows, reads and asks."""
    yield f"[bold]{_part_name(page)}[/]: {escape_output(page['page'])}"
    if page["is_kept"]:
        outcome = "keeps the page, which somebody has changed since it was made"
        fix = f"{outcome}, and writes ours beside it"
        yield f"  [yellow]{fix}: {escape_output(page['replaces'])}[/]"
    elif page["replaces"]:
        yield f"  [yellow]replaces the page: {escape_output(page['replaces'])}[/]"
    for known in page["known"]:
        yield f"  in the base: {escape_output(known)}"
    for missing in page["unresolved"]:
        yield f"  [yellow]not in the base: {escape_output(missing)}[/]"
    for url in page["named"]:
        yield f"  named by the plan: {escape_output(url)}"
    for query in page["queries"]:
        names = ", ".join(query["providers"]) or "nobody"
        engine, text = escape_output(query["engine"]), escape_output(query["text"])
        yield f"  {engine}: {text} [dim]→ {names}[/]"


def _show_cost(console: Console, forecast: Mapping[str, Any]) -> None:
    """Print the most that a run would ask of hosts and models, and whether it would commit."""
    pages = count(len(forecast["pages"]), "page")
    most = "At most, if each query goes to every provider:"
    console.print(f"\n{pages}, by the writer `{forecast['writer']}`. {most}")
    for provider, searches in forecast["searches"].items():
        console.print(f"  {count(searches, 'search', 'searches')} at {provider}")
    # Local documents are read, too, but nobody is asked for them.
    asks_hosts = forecast["searches"] or any(page["named"] for page in forecast["pages"])
    api_host = "on this machine"
    if asks_hosts:
        api_host = "from their hosts, after the robots.txt of each host"
    console.print(f"  {count(forecast['documents'], 'document')} read {api_host}")
    for line in _writer_lines(forecast):
        console.print(line)
    for lack in forecast["unavailable"]:
        console.print(f"[dim]not available: {lack['provider']}: {escape_output(lack['lacks'])}[/]")
    console.print(f"commit: {escape_output(forecast['commit'])}")
    console.print("No requests were sent and nothing was written.")


def _writer_lines(forecast: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the writer would ask of models, and which text they would get."""
    models = forecast["models"]
    for model in models:
        requests = count(model["requests"], "request")
        yield f"  {requests} to {escape_output(model['model'])}, {_token_counts(model)}"
    hosts = dict.fromkeys(model["host"] for model in models)
    author = escape_output(forecast["author"] or "")
    if hosts:
        folder = forecast["documents_folder"]
        in_folder = f", also of {escape_output(folder)}/," if folder else ""
        names = escape_output(" and ".join(hosts))
        yield f"  [yellow]text of the sources{in_folder} is sent to {names}[/]"
    elif forecast["writer"] == "extract":
        yield f"  no token: {author}"
    elif author:
        yield f"  {count(len(forecast['pages']), 'page')} by {author}; its requests are unknown"


def _token_counts(usage: Mapping[str, Any]) -> str:
    """Return the tokens of requests and answers."""
    return f"{number(usage['tokens_in'])} tokens in and {number(usage['tokens_out'])} out"


def _part_name(row: Mapping[str, Any]) -> str:
    """Return the name of a PART, for a console."""
    return escape_output(f"{row['plan']} PART {row['part']}")


def show_untracked(config: RecordingConfig) -> None:
    """Print which files that a clone needs to check the pages are not in git, if any is not."""
    from planbook.research.submission.joint_commit import describe_untracked

    untracked = describe_untracked(config)
    if untracked:
        click.echo(untracked, err=True)
