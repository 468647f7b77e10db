"""`planbook expand --dry-run`: what would be asked of whom, at what cost; nobody is asked, nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generator.cli.console import escaped
from generator.cli.index import writable_files
from generator.expand.clock import Clock
from generator.expand.forecast import Cost, Forecast, cost, forecast
from generator.expand.options import OptionError, Options
from generator.expand.session import (
    Orders,
    RefusedError,
    check_places,
    check_repository,
    check_work,
    repository,
    with_known,
)
from generator.expand.tools import find_model
from generator.expand.writers import WriterError, find_writer
from generator.library import link_tree
from generator.research.select import Choice, Passed, select
from generator.search.local import NAME as LOCAL
from generator.search.options import unavailable
from generator.store import Settings, read_tree
from generator.store.git import Git
from generator.views.labels import count, number

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Expected:
    """What a run would be."""

    forecasts: tuple[Forecast, ...]
    passed: tuple[Passed, ...]
    cost: Cost
    unavailable: tuple[tuple[str, str], ...]
    """The providers that are not asked, and what each lacks."""
    writer: str
    author: str
    """Who that is, for a person."""
    answers: int
    """Tokens of one answer, at most, where a model is asked."""
    commit: str
    """Where the commit would go, or why there would be none."""
    refused: str = ""
    """Why nothing would be begun."""

    def as_json(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "version": 1,
            "writer": self.writer,
            "author": self.author or None,
            "answers": self.cost.sections if self.answers else 0,
            "answer_tokens": self.answers,
            "commit": self.commit,
            "refused": self.refused or None,
            "searches": dict(self.cost.searches),
            "documents": self.cost.documents,
            "unavailable": [{"provider": name, "lacks": lack} for name, lack in self.unavailable],
            "pages": [_page(one) for one in self.forecasts],
            "passed": [{"plan": p.plan.slug, "part": p.part.number, "why": p.why} for p in self.passed],
        }


def expected(
    settings: Settings, options: Options, choice: Choice, orders: Orders, environ: Mapping[str, str]
) -> Expected:
    """What a run would be. Raises NotFoundError."""
    tree = read_tree(settings)
    library = link_tree(tree)
    selection = with_known(select(library, choice, Clock().time()), tree.pages)
    lacks = unavailable(options.search, environ, settings.root)
    has_documents = LOCAL not in dict(lacks)
    forecasts = forecast(selection.briefs, options.search, environ, options.sources, has_documents=has_documents)
    git = repository(settings, orders)
    refused = ""
    who, answers = "", 0
    try:
        author = find_writer(settings, options, environ)
        who, answers = author.who, author.answers
        find_model(settings, options)
    except (OptionError, WriterError) as error:
        refused = str(error)
    usable = git if isinstance(git, Git) else None
    try:
        check_work(settings)
        if usable:
            check_repository(usable, orders)
        check_places(settings, usable, selection.briefs, writable_files(settings, library))
    except RefusedError as error:
        refused = refused or str(error)
    where = f"none: {git or '--no-commit'}"
    if usable:
        where = orders.branch or usable.branch() or "no branch (the head is detached)"
    return Expected(forecasts, selection.passed, cost(forecasts), lacks, options.writer, who, answers, where, refused)


def show_expected(console: Console, told: Expected) -> None:
    """For a person."""
    if not told.forecasts:
        console.print("There is nothing to do: no PART is open.")
    for one in told.forecasts:
        _show_page(console, one)
    if told.forecasts:
        _show_cost(console, told)
    for passed in told.passed:
        name = escaped(f"{passed.plan.slug} PART {passed.part.number}")
        console.print(f"[dim]passed over: {name}: {escaped(passed.why)}[/]", soft_wrap=True)
    if told.refused:
        console.print(f"[red]As things are, nothing would be begun: {escaped(told.refused)}[/]", soft_wrap=True)


def _show_page(console: Console, one: Forecast) -> None:
    brief = one.brief
    name = escaped(f"{brief.plan.slug} PART {brief.part.number}")
    console.print(f"[bold]{name}[/]: {escaped(brief.page)}", soft_wrap=True)
    for known in brief.known:
        console.print(f"  known already: {escaped(known.page)} ({escaped(known.reason)})", soft_wrap=True)
    for missing in brief.unresolved:
        console.print(f"  [yellow]not in the base: {escaped(missing)}[/]", soft_wrap=True)
    for url in one.named:
        console.print(f"  named by the plan: {escaped(url)}", soft_wrap=True)
    for asked in one.asked:
        names = ", ".join(asked.providers) or "nobody"
        console.print(f"  {escaped(asked.query.engine)}: {escaped(asked.query.text)} [dim]→ {names}[/]", soft_wrap=True)


def _show_cost(console: Console, told: Expected) -> None:
    pages = count(len(told.forecasts), "page")
    console.print(f"\n{pages}, by the writer `{told.writer}`. At most, if each query goes to all that stand behind it:")
    for name, searches in told.cost.searches.items():
        console.print(f"  {count(searches, 'search', 'searches')} at {name} ({told.cost.words(name)})", soft_wrap=True)
    console.print(f"  {count(told.cost.documents, 'document')} read from their hosts, robots.txt of each host first")
    if told.answers:
        asked = count(told.cost.sections, "question")
        console.print(f"  {asked} to {escaped(told.author)}: one a section, of {number(told.answers)} tokens of answer")
    elif told.writer == "extract":
        console.print(f"  no token: {escaped(told.author)}")
    elif told.author:
        console.print(f"  {pages} by {escaped(told.author)}: what that one asks of whom is not known", soft_wrap=True)
    console.print(
        f"[dim]A page that fails is tried {_times(told.cost.attempts)}; what was found is not asked for again.[/]"
    )
    for name, lack in told.unavailable:
        console.print(f"[dim]not asked: {name}: {escaped(lack)}[/]", soft_wrap=True)
    console.print(f"commit: {escaped(told.commit)}", soft_wrap=True)
    console.print("Nobody was asked, and nothing was written.")


def _times(attempts: int) -> str:
    return "twice" if attempts == 2 else f"{number(attempts)} times"


def _page(one: Forecast) -> dict[str, Any]:
    brief = one.brief
    return {
        "plan": brief.plan.slug,
        "part": brief.part.number,
        "page": brief.page,
        "drop": brief.drop,
        "known": [known.page for known in brief.known],
        "unresolved": list(brief.unresolved),
        "named": list(one.named),
        "queries": _queries(one),
    }


def _queries(one: Forecast) -> Sequence[dict[str, Any]]:
    return [
        {"engine": asked.query.engine, "text": asked.query.text, "providers": list(asked.providers)}
        for asked in one.asked
    ]
