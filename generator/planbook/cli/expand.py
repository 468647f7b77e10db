"""`planbook expand` and `planbook finish`, with the progress and the summary of their runs."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from planbook.cli import project
from planbook.cli.live import show_run
from planbook.cli.project import escaped
from planbook.library.pages import read_page
from planbook.markdown.plain_text import count, number
from planbook.model import COLLECTING_WRITER, State
from planbook.problems import is_blocking, requirement
from planbook.research.expand import events

if TYPE_CHECKING:
    from rich.console import Console

    from planbook.model import Problem
    from planbook.research.evidence.selection import Choice
    from planbook.research.expand.config import RunConfig
    from planbook.research.expand.context import WorkerSpec
    from planbook.research.expand.run import RunOutcome
    from planbook.research.expand.submit import Change, SubmitResult
    from planbook.store.options import Options


@click.command()
@click.argument("plan", required=False, shell_complete=project.complete_plans)
@click.argument("part", required=False, type=int, shell_complete=project.complete_parts)
@click.option("--plan", "former_plan", hidden=True, shell_complete=project.complete_plans)
@click.option("--part", "former_part", type=int, hidden=True)
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of PARTs.")
@click.option("--redo", is_flag=True, help="Also redo finished PARTs and existing pages; requires PLAN.")
@click.option(
    "--rewrite",
    type=click.Choice(["collected"]),
    help="Only write pages of collected passages again, by a model or program; pages that somebody changed are kept.",
)
@click.option("--workers", type=click.IntRange(1, 64), help="Number of PARTs to work on at once.")
@click.option("--writer", type=click.Choice(["auto", "extract", "llm", "command"]), help="The writer of the pages.")
@click.option(
    "--no-sandbox",
    "command_sandbox",
    flag_value="never",
    help="Run the writer `command` without bubblewrap: its program can read and change all that you can, and send it "
    "anywhere.",
)
@click.option("--dry-run", is_flag=True, help="Show which hosts would be contacted, and how often; write nothing.")
@project.NO_COMMIT
@click.option("--budget-requests", type=click.IntRange(min=1), help="Stop after this number of requests.")
@click.option("--budget-tokens", type=click.IntRange(min=1), help="Stop after this number of model tokens.")
@click.option("--dask", metavar="ADDRESS", help="Use the workers of this Dask scheduler, such as tcp://127.0.0.1:8786.")
@project.CONTACT
@project.LOOPBACK
@project.ROOT
@project.JSON
@project.needs_extra("research")
def expand(
    *,
    plan: str | None,
    part: int | None,
    former_plan: str | None,
    former_part: int | None,
    limit: int | None,
    redo: bool,
    rewrite: str | None,
    writer: str | None,
    dry_run: bool,
    budget_requests: int | None,
    budget_tokens: int | None,
    dask: str | None,
    root: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Fill the open PARTs: search, read, write the cited page, check it, mark the PART, and commit.

    PLAN is a plan's path, slug or file name, by default all plans; PART is a number, by default all open ones.
    Continues a run that was stopped or killed. Exits with 0 if every PART got its page, 3 if some failed, 4 if there
    was nothing to do, 5 if the run was stopped or its budget was spent, 6 if no host could be reached.
    """
    plan = former_plan if plan is None else plan
    part = former_part if part is None else part
    if redo and plan is None:
        raise click.UsageError("--redo rewrites pages; name the plan: planbook expand PLAN --redo")
    if redo and rewrite:
        raise click.UsageError("--redo and --rewrite exclude each other: --redo takes all pages of the plan")
    if dask and writer == "command":
        raise click.UsageError("--writer command runs a program in this repository; it does not work with --dask")
    from planbook.research.evidence.selection import Choice
    from planbook.store import RefusedError
    from planbook.store.options import describe_choice

    config, options = project.run_config(root, "planbook expand", "Expand", writer=writer, **given)
    if rewrite and options.writer == COLLECTING_WRITER:
        raise RefusedError(
            "--rewrite collected needs a writer, and none is configured: set `expand.llm_model` or `expand.command`, "
            "or let an agent write: planbook gather, brief, finish"
        )
    chosen = "" if as_json else describe_choice(config.settings, writer, options)
    choice = Choice(plan, part, limit, redo, rewrite=rewrite is not None)
    if dry_run:
        if chosen:
            click.echo(chosen, err=True)
        sys.exit(_dry_run(config, options, choice, as_json=as_json))
    token = events.CancelToken(budget_requests, budget_tokens)
    sys.exit(_fill(config, options, choice, token, chosen, dask=dask, as_json=as_json))


def _dry_run(config: RunConfig, options: Options, choice: Choice, *, as_json: bool) -> int:
    """Print the forecast, and return the exit code. Nothing is written, not even into the working folder."""
    from planbook.research.expand.inputs import Inputs
    from planbook.research.expand.run import forecast

    config = replace(config, calls=project.cached_calls(config.settings, is_read_only=True))
    found = forecast(config, options, choice, os.environ, Inputs(config.settings, options, config.calls).of)
    if as_json:
        project.print_json(found)
    else:
        show_forecast(project.make_console(), found)
    return project.OK if found["pages"] else project.NOTHING


def _fill(
    config: RunConfig,
    options: Options,
    choice: Choice,
    token: events.CancelToken,
    chosen: str,
    *,
    dask: str | None,
    as_json: bool,
) -> int:
    """Fill the chosen PARTs, here or on the workers of the scheduler at `dask`, and return the exit code.

    The line `chosen` about the writer is printed once nothing that a run needs is missing.
    """
    from planbook.research.expand.context import WorkerSpec, start_threads
    from planbook.research.expand.inputs import Inputs
    from planbook.research.expand.recorder import record_result
    from planbook.research.expand.run import Run
    from planbook.research.web import documents  # noqa: F401 - processes that read sources could not report a missing package

    if chosen:
        click.echo(chosen, err=True)
    log = events.EventLog(config.settings.root, config.clock)
    spec = WorkerSpec(config.settings, options, os.environ, config.clock)
    make_record = partial(record_result, runner=f"planbook {options.writer}", min_answered=options.min_answered)
    with ExitStack() as stack:
        show: events.EventHandler = _ignore if as_json else stack.enter_context(show_run())

        def watch(event: events.Event) -> None:
            """Log and show an event."""
            log.watch(event)
            show(event)

        workers: events.Workers = stack.enter_context(_cluster(dask, spec)) if dask else partial(start_threads, spec)
        stack.enter_context(_stopped_by_signals(token))
        current = Inputs(config.settings, options, config.calls).of
        outcome = Run(replace(config, watch=watch), workers, make_record, token, options.workers, current).fill(choice)
    summary = summary_json(outcome, log.name)
    if as_json:
        project.print_json(summary)
    else:
        show_summary(project.make_console(), summary)
    return int(summary["exit"])


def _ignore(event: events.Event) -> None:
    """Show nothing: standard output has the summary as JSON, and standard error only what went wrong."""


def _cluster(address: str, spec: WorkerSpec) -> AbstractContextManager[events.Workers]:
    with project.needs_extra("research,dask"):
        from planbook.research.expand.cluster import open_cluster
    return open_cluster(address, spec)


@contextmanager
def _stopped_by_signals(token: events.CancelToken) -> Iterator[None]:
    """Cancel `token` on Ctrl-C and SIGTERM while the block runs."""

    def cancel(number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if token.reason is not None:
            # Answers are on disk: only those under way are lost.
            os._exit(project.STOPPED)
        token.cancel("interrupted" if number == signal.SIGINT else "terminated")
        os.write(2, b"\nStopping after the current step. Press again to stop at once.\n")

    before = {number: signal.signal(number, cancel) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@click.command()
@project.PLAN
@project.PART
@project.source_options
@project.NO_COMMIT
@click.option("--runner", default="by hand", show_default=True, help="The submitter's name, for the drop.")
@click.option("--note", "notes", multiple=True, metavar="TEXT", help="A line for the drop, twice at most.")
@click.option("--failed", metavar="REASON", help="Give the PART up: leave a drop that says why, and end the claim.")
@click.option("--check", "is_check", is_flag=True, help="Check the page only: nothing is written, marked or kept.")
@click.option("--no-wait", is_flag=True, help="Fail while another run records its results, instead of waiting.")
@project.ROOT
@project.JSON
@project.needs_extra("research")
def finish(
    *,
    plan: str,
    part: int,
    no_commit: bool,
    runner: str,
    notes: tuple[str, ...],
    failed: str | None,
    is_check: bool,
    no_wait: bool,
    root: Path | None,
    as_json: bool,
    **sources: Any,
) -> None:
    """Submit a page that a person or another program wrote.

    PLAN is a plan's path, slug or file name; PART is a number. The page must be at the path that `planbook brief`
    prints. References to works of the brief are completed, and the page is checked against its sources. If it passes,
    its drop is written, the PART is marked, docs/INDEX.md and SKILL.md are updated, and everything is committed; an
    unchanged page is left as it is. Exits with 1 if a check fails: then it lists what to change, and nothing is
    written. With --check, nothing is written in either case.
    """
    from planbook.research.expand.context import open_judge
    from planbook.research.expand.submit import submit

    if len(notes) > _MOST_NOTES:
        raise click.UsageError("--note may be given twice: what a reader of the drop should know, and what is missing")
    if is_check and failed is not None:
        raise click.UsageError("--check and --failed exclude each other")
    config, _ = project.run_config(root, "planbook finish", "Finish", no_commit=no_commit)
    config = replace(config, watch=show_events(), waits=not no_wait)
    if failed is not None:
        _give_up(config, plan, part, runner, failed)
        return
    read = partial(project.source_reader(config.settings, sources).read_claimed, may_be_old=True)
    with open_judge(config.settings, os.environ, is_offline=sources["offline"]) as judge:
        result = submit(config, plan, part, read, author=runner, judge=judge, notes=notes, is_check=is_check)
    if as_json:
        project.print_json(submission_to_json(result, config.docs))
    else:
        _show_findings(project.make_console(), result, config.docs)
    sys.exit(project.OK if result.is_accepted and not result.summary.troubles else project.FOUND)


_MOST_NOTES = 2
"""Lines of a runner in a drop."""


def _give_up(config: RunConfig, plan: str, part: int, runner: str, reason: str) -> None:
    """Leave a drop for a PART that its runner gives up, and say where it is."""
    from planbook.research.expand.claimed import give_up

    for record in give_up(config, plan, part, author=runner, reason=reason).records:
        click.echo(f"{record.name} is given up; its drop is {record.drop}")


@click.command()
@project.ROOT
@project.needs_extra("research")
def commit(root: Path | None) -> None:
    """Commit all pages that `planbook finish --no-commit` accepted, with their drops, plans, INDEX.md and SKILL.md.

    A page that was changed since it was accepted is left out and named; then it exits with 1.
    """
    from planbook.research.expand.commit import commit_records

    config, _ = project.run_config(root, "planbook commit", "Finish", no_commit=False)
    summary = commit_records(replace(config, commit=True, watch=show_events(), waits=True))
    for trouble in summary.troubles:
        click.echo(trouble, err=True)
    sys.exit(project.FOUND if summary.troubles else project.OK)


_PASSAGE_CHARS = 300
"""Characters of a passage that are shown beside what to change."""


def _show_findings(console: Console, result: SubmitResult, docs: str) -> None:
    """Print a line for each finding, with the nearest passage, and the files that were written."""
    warned = [change.problem for change in result.warnings]
    for page in result.pages:
        for finding in (one for one in page.findings if not is_blocking(one) and one not in warned):
            console.print(_finding_line(finding, "[blue]note[/]", docs))
    kinds = {"[yellow]warning[/]": result.warnings, "[red]failure[/]": result.changes}
    shown: set[str] = set()
    for kind, changes in kinds.items():  # failures last, where the reader looks
        for change in changes:
            console.print(_finding_line(change.problem, kind, docs))
            near = _nearest_line(change)
            is_again = near in shown
            if change.passage and not is_again:
                shown.add(near)
                console.print(escaped(f"    {near}"))
            elif change.passage:
                console.print(escaped(f"    nearest passage, {change.passage[0]}: as above"))
    ungrounded = sum(problem.code == "D051" for problem in warned)
    if ungrounded:
        places = count(ungrounded, "place")
        console.print(f"{places} without a ground: a number, option or name that no citation or mark supports.")
    for trouble in result.summary.troubles:
        console.print(f"[red]{escaped(trouble)}[/]")
    if not result.is_accepted:
        needed = f"{count(len(result.changes), 'failure')} to correct"
        warnings = f"; {count(len(warned), 'warning')} may stay if you have looked at them" if warned else ""
        console.print(f"Not finished: {needed}{warnings}. Then run the same command again.")
        console.print("Nothing was written.")
    for page in result.pages if result.is_check and result.is_accepted else ():
        place = escaped(f"{docs}/{page.job.brief.page}")
        console.print(f"{place} would be accepted; nothing was written (--check).")
    for page in result.pages if result.is_unchanged else ():
        place = escaped(f"{docs}/{page.job.brief.page}")
        console.print(f"{place} is unchanged since it was accepted; nothing was written.")
    for record in result.summary.records:
        console.print(f"{docs}/{escaped(record.page)} is accepted; its drop is {escaped(record.drop)}")


def _finding_line(finding: Problem, kind: str, docs: str) -> str:
    place = escaped(f"{docs}/{finding.uri}:{finding.line}")
    rule = f"[dim]{finding.code} {requirement(finding)}[/]"
    return f"{place}: {kind} {escaped(finding.message)} {rule}"


def _nearest_line(change: Change) -> str:
    """Return the nearest passage of a finding in one line, around what the sentence lacks; empty without one."""
    from planbook.research.drafts import SentenceProblem
    from planbook.research.evidence.reading import part_around

    if change.passage is None:
        return ""
    name, text = change.passage
    missing = change.problem.missing if isinstance(change.problem, SentenceProblem) else ()
    return f"nearest passage, {name}: {part_around(' '.join(text.split()), missing, _PASSAGE_CHARS)}"


def submission_to_json(result: SubmitResult, docs: str) -> dict[str, Any]:
    """Return the result of a submission as JSON data: whether it is accepted, and what to change."""
    warned = [change.problem for change in result.warnings]
    others = [one for page in result.pages for one in page.findings if not is_blocking(one) and one not in warned]
    return {
        "version": 1,
        "is_accepted": result.is_accepted,
        "is_check": result.is_check,
        "is_unchanged": result.is_unchanged,
        "changes": [_change_to_json(change, docs) for change in result.changes],
        "warnings": [_change_to_json(change, docs) for change in result.warnings],
        "notes": [_finding_to_json(note, docs) for note in others],
        "grounds": {f"{docs}/{page.job.brief.page}": _grounds_of(page) for page in result.pages},
        "pages": [{"page": f"{docs}/{one.page}", "drop": one.drop} for one in result.summary.records],
        "commit": result.summary.commit,
        "troubles": list(result.summary.troubles),
    }


def _grounds_of(page: events.Result) -> dict[str, int]:
    """Return the number of sentences of a page by ground, if it marks any."""
    text = page.draft.text if page.draft else ""
    return dict(read_page(text.encode(), page.job.brief.page, is_replaced=False)[0].grounds)


def _change_to_json(change: Change, docs: str) -> dict[str, Any]:
    passage = {"id": change.passage[0], "text": change.passage[1]} if change.passage else None
    return {**_finding_to_json(change.problem, docs), "passage": passage}


def _finding_to_json(finding: Problem, docs: str) -> dict[str, Any]:
    from planbook.research.drafts import SentenceProblem

    known = finding if isinstance(finding, SentenceProblem) else None
    return {
        "path": f"{docs}/{finding.uri}",
        "line": finding.line,
        "code": finding.code,
        "requirement": requirement(finding),
        "message": finding.message,
        "sentence": known.sentence if known else "",
        "missing": list(known.missing) if known else [],
    }


# --- progress --------------------------------------------------------------------------------------------------------


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


def show_events() -> events.EventHandler:
    """Return a function that shows events on standard error, a line each. For one thread."""
    console = project.make_console(stderr=True)

    def show(event: events.Event) -> None:
        """Show one event, if it has a message."""
        if event.message:
            console.print(escaped(f"{event.part}: {event.message}" if event.part else event.message))

    return show


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
        console.print(project.OFFLINE)
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
    project.show_rows(console, ("plan", "PART ", " page", "", "lines ", "works ", "requests ", " remark"), rows)


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
