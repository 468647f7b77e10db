"""All rules together: a project's texts go in, its Problems come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from generator.cache import UNCACHED, FunctionCache
from generator.library import Library, link_tree
from generator.model import Problem, Tree
from generator.rules.credentials import find_credentials
from generator.rules.languages import Checker, CodeReport, check_code
from generator.rules.pages import check_pages
from generator.rules.plans import check_plan
from generator.rules.selection import Selection, wanted


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found."""

    problems: tuple[Problem, ...]
    """By file, line and column; pages by their path in the project."""
    code: CodeReport
    library: Library


def check(  # noqa: PLR0913, PLR0917 - each is an input of its own
    tree: Tree,
    docs_dir: str,
    selection: Selection,
    now: datetime,
    checkers: Mapping[str, Checker],
    calls: FunctionCache = UNCACHED,
) -> Checked:
    """The Problems of a project. `now` carries its zone; `docs_dir` is what pages' paths begin with."""
    raw = {uri: text for uri, text in tree.pages.items() if selection.has_file(f"{docs_dir}/{uri}")}
    library = with_problems(link_tree(tree, calls), tree, selection, now)
    pages = _texts(raw)
    found = [*library.problems, *check_pages(library, pages), *_of_credentials(pages)]
    checked, unchecked = 0, Counter[str]()
    for uri, text in pages.items():
        problems, report = check_code(uri, text, checkers)
        found += problems
        checked += report.checked
        unchecked.update(dict(report.unchecked))
    placed = (_placed(problem, docs_dir, tree.pages) for problem in wanted(found, selection, pages))
    meant = (problem for problem in placed if selection.has_file(problem.uri))
    in_order = sorted(meant, key=_order)
    return Checked(tuple(dict.fromkeys(in_order)), CodeReport(checked, tuple(sorted(unchecked.items()))), library)


def with_problems(library: Library, tree: Tree, selection: Selection, now: datetime | None) -> Library:
    """Return `library` with the Problems that every command reports: all of plans and drops, and what it has of pages.

    Those that `selection` or a comment takes back are left out. A build has no `now`, and gives the same site whenever
    it runs.
    """
    texts = _texts({**tree.plans, **tree.drops})
    found = [*library.problems, *_of_credentials(texts)]
    for plan in library.plans:
        found += check_plan(plan, texts[plan.uri], now)
    told = dict.fromkeys(wanted(found, selection, texts))
    return replace(library, problems=tuple(sorted(told, key=_order)))


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {uri: raw.decode("utf-8", errors="replace") for uri, raw in files.items()}


def _of_credentials(texts: Mapping[str, str]) -> Iterator[Problem]:
    for uri, text in texts.items():
        for line, kind in find_credentials(text):
            what = f"this line holds {kind}: take it away, and let its maker know that it was shown"
            yield Problem(uri, line, "K026", what)


def _order(problem: Problem) -> tuple[str, int, int, str]:
    return problem.uri, problem.line, problem.column, problem.code


def _placed(problem: Problem, docs_dir: str, pages: Container[str]) -> Problem:
    """A page's Problem with the page's path in the project."""
    is_of_page = problem.code.startswith("K") and problem.uri in pages
    return replace(problem, uri=f"{docs_dir}/{problem.uri}") if is_of_page else problem
