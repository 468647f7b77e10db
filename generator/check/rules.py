"""All rules together: a project's texts go in, its Problems come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from generator.check.languages import Checker, CodeReport, check_code
from generator.check.pages import check_pages
from generator.check.plans import check_plan
from generator.check.selection import Selection, wanted
from generator.library import Library, link_tree
from generator.model import Problem, Tree
from generator.page.credentials import find_credentials


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found."""

    problems: tuple[Problem, ...]
    """By file, line and column; pages by their path in the project."""
    code: CodeReport
    library: Library


def check(tree: Tree, docs_dir: str, selection: Selection, now: datetime, checkers: Mapping[str, Checker]) -> Checked:
    """The Problems of a project. `now` carries its zone; `docs_dir` is what pages' paths begin with."""
    library = link_tree(tree)
    plans, pages, drops = (
        {uri: raw.decode("utf-8", errors="replace") for uri, raw in files.items()}
        for files in (tree.plans, tree.pages, tree.drops)
    )
    found = list(library.problems)
    for plan in library.plans:
        found += check_plan(plan, plans[plan.uri], now)
    found += check_pages(library, pages)
    for uri, text in {**plans, **drops, **pages}.items():
        for line, kind in find_credentials(text):
            what = f"this line holds {kind}: take it away, and let its maker know that it was shown"
            found.append(Problem(uri, line, "K026", what))
    checked, unchecked = 0, Counter[str]()
    for uri, text in pages.items():
        if not selection.has_file(f"{docs_dir}/{uri}"):
            continue
        problems, report = check_code(uri, text, checkers)
        found += problems
        checked += report.checked
        unchecked.update(dict(report.unchecked))
    told = wanted(found, selection, {**plans, **drops, **pages})
    placed = (_placed(problem, docs_dir, pages) for problem in told)
    meant = (problem for problem in placed if selection.has_file(problem.uri))
    in_order = sorted(meant, key=lambda p: (p.uri, p.line, p.column, p.code))
    return Checked(tuple(dict.fromkeys(in_order)), CodeReport(checked, tuple(sorted(unchecked.items()))), library)


def _placed(problem: Problem, docs_dir: str, pages: Mapping[str, str]) -> Problem:
    """A page's Problem with the page's path in the project."""
    is_of_page = problem.code.startswith("K") and problem.uri in pages
    return replace(problem, uri=f"{docs_dir}/{problem.uri}") if is_of_page else problem
