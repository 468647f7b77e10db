"""The output of `planbook expand --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generator.cli.console import escaped
from generator.expand.events import ATTEMPTS
from generator.expand.forecast import Forecast, PageForecast
from generator.search.catalogue import BY_NAME
from generator.views.labels import count, number

if TYPE_CHECKING:
    from rich.console import Console


def forecast_json(forecast: Forecast) -> dict[str, Any]:
    """Return the forecast as JSON data."""
    return {
        "version": 1,
        "writer": forecast.writer,
        "author": forecast.description or None,
        "answers": forecast.sections if forecast.answer_tokens else 0,
        "answer_tokens": forecast.answer_tokens,
        "commit": forecast.commit,
        "refused": forecast.refused or None,
        "searches": dict(forecast.searches),
        "documents": forecast.documents,
        "unavailable": [{"provider": name, "lacks": lack} for name, lack in forecast.unavailable],
        "pages": [_page_json(page) for page in forecast.pages],
        "passed": [{"plan": p.plan.slug, "part": p.part.number, "why": p.why} for p in forecast.passed],
    }


def _page_json(page: PageForecast) -> dict[str, Any]:
    brief = page.brief
    return {
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "page": brief.page,
        "drop": brief.drop,
        "known": [known.page for known in brief.known],
        "unresolved": list(brief.unresolved),
        "named": list(page.named),
        "queries": [
            {"engine": one.query.engine, "text": one.query.text, "providers": list(one.providers)}
            for one in page.queries
        ],
    }


def show_forecast(console: Console, forecast: Forecast) -> None:
    """Print the forecast."""
    if not forecast.pages:
        console.print("There is nothing to do: no PART is open.")
    for page in forecast.pages:
        _show_page(console, page)
    if forecast.pages:
        _show_cost(console, forecast)
    for passed in forecast.passed:
        name = escaped(f"{passed.plan.slug} PART {passed.part.number}")
        console.print(f"[dim]passed over: {name}: {escaped(passed.why)}[/]", soft_wrap=True)
    if forecast.refused:
        console.print(f"[red]As things are, nothing would be begun: {escaped(forecast.refused)}[/]", soft_wrap=True)


def _show_page(console: Console, page: PageForecast) -> None:
    brief = page.brief
    name = escaped(f"{brief.plan.slug} PART {brief.part.number}")
    console.print(f"[bold]{name}[/]: {escaped(brief.page)}", soft_wrap=True)
    for known in brief.known:
        console.print(f"  known already: {escaped(known.page)} ({escaped(known.reason)})", soft_wrap=True)
    for missing in brief.unresolved:
        console.print(f"  [yellow]not in the base: {escaped(missing)}[/]", soft_wrap=True)
    for url in page.named:
        console.print(f"  named by the plan: {escaped(url)}", soft_wrap=True)
    for one in page.queries:
        names = ", ".join(one.providers) or "nobody"
        console.print(f"  {escaped(one.query.engine)}: {escaped(one.query.text)} [dim]→ {names}[/]", soft_wrap=True)


def _show_cost(console: Console, forecast: Forecast) -> None:
    pages = count(len(forecast.pages), "page")
    writer = escaped(forecast.description)
    console.print(
        f"\n{pages}, by the writer `{forecast.writer}`. At most, if each query goes to all that stand behind it:"
    )
    for name, searches in forecast.searches.items():
        cost = BY_NAME[name].cost
        console.print(f"  {count(searches, 'search', 'searches')} at {name} ({cost})", soft_wrap=True)
    console.print(f"  {count(forecast.documents, 'document')} read from their hosts, robots.txt of each host first")
    if forecast.answer_tokens:
        asked = count(forecast.sections, "question")
        console.print(f"  {asked} to {writer}: one a section, of {number(forecast.answer_tokens)} tokens of answer")
    elif forecast.writer == "extract":
        console.print(f"  no token: {writer}")
    elif forecast.description:
        console.print(f"  {pages} by {writer}: what that one asks of whom is not known", soft_wrap=True)
    times = "twice" if ATTEMPTS == 2 else f"{number(ATTEMPTS)} times"
    console.print(f"[dim]A page that fails is tried {times}; what was found is not asked for again.[/]")
    for name, lack in forecast.unavailable:
        console.print(f"[dim]not asked: {name}: {escaped(lack)}[/]", soft_wrap=True)
    console.print(f"commit: {escaped(forecast.commit)}", soft_wrap=True)
    console.print("Nobody was asked, and nothing was written.")
